"""The group of all commands: each is a module of a folder `commands`, and nothing else names it.

A command's module holds SECTION, the heading under which `lab --help` lists it. One that also holds FOLLOWS is invoked
after the command of that name, with the run that was recorded as `runs`. A module is imported when its command is
called; for help only its source is read, so that `lab --help` and `lab list` load nothing that they do not need.
"""

import ast
import importlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem
from msgspec import Struct

SECTIONS = {
    "measure": "Measure",
    "read": "Read runs",
    "judge": "Judge codecs and claims",
    "publish": "Publish",
    "look after": "Look after the lab",
}
"""Values of SECTION → headings, in the order in which a user meets them."""


class Listing(Struct, frozen=True):
    """What the source of a command's module says of it."""

    module: str
    section: str
    help: str
    follows: str | None = None


class LabGroup(click.Group):
    """A group that imports its commands on use."""

    def __init__(self, *arguments: Any, folders: Iterable[Path] = (), **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.listings = dict(sorted(item for folder in folders for item in read_listings(folder).items()))
        """Commands by name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands, sorted."""
        return list(self.listings)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Imports the command."""
        if not (listing := self.listings.get(name)):
            return None
        module = importlib.import_module(listing.module)
        return next(one for one in vars(module).values() if isinstance(one, click.Command) and one.name == name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Every command with a line of help, below the heading of its section."""
        width = formatter.width - 6 - max(map(len, self.listings), default=0)
        for section, heading in SECTIONS.items():
            rows = [
                (name, click.Command(name, help=listing.help).get_short_help_str(width))
                for name, listing in self.listings.items()
                if listing.section == section
            ]
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The commands that begin so, then the group's options, for completion by the shell; nothing is imported."""
        commands = [
            CompletionItem(name, help=click.Command(name, help=listing.help).get_short_help_str())
            for name, listing in self.listings.items()
            if name.startswith(incomplete)
        ]
        return [*commands, *click.Command.shell_complete(self, ctx, incomplete)]

    def followers(self, ctx: click.Context, name: str) -> list[click.Command]:
        """The commands that show what the command `name` recorded."""
        names = [other for other, listing in self.listings.items() if listing.follows == name]
        return [command for other in names if (command := self.get_command(ctx, other))]


def read_listings(folder: Path) -> dict[str, Listing]:
    """The commands of a folder by name, which is that of the file with dashes; modules without SECTION are none."""
    listings = {}
    for path in folder.glob("*.py"):
        tree = ast.parse(path.read_bytes())
        constants = {
            node.targets[0].id: ast.literal_eval(node.value)
            for node in tree.body
            if isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Name)
            and node.targets[0].id in ("SECTION", "FOLLOWS")
        }
        if section := constants.get("SECTION"):
            text = next(filter(None, map(command_help, tree.body)), "")
            module = f"{folder.parent.name}.{folder.name}.{path.stem}"
            listings[path.stem.replace("_", "-")] = Listing(module, section, text, constants.get("FOLLOWS"))
    return listings


def command_help(node: ast.stmt) -> str | None:
    """The docstring of a function that is a click command."""
    if not isinstance(node, ast.FunctionDef):
        return None
    calls = [one.func for one in node.decorator_list if isinstance(one, ast.Call)]
    is_command = any(isinstance(function, ast.Attribute) and function.attr == "command" for function in calls)
    return ast.get_docstring(node) if is_command else None
