"""The group of all commands: each is a module of a folder `commands`, and nothing else names it.

A command's module holds SECTION, the heading under which `lab --help` lists it. One that also holds FOLLOWS is invoked
after the command of that name, with the run that was recorded as `runs`. A module is imported when its command is
called; for help only its source is read, so that `lab --help` and `lab list` load nothing that they do not need. A call
of one command reads no source but that of its own module.
"""

import ast
import importlib
from collections.abc import Iterable
from functools import cached_property
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
        self.modules = sorted((name_of(path), path) for folder in folders for path in folder.glob("*.py"))
        """Names and files, of modules without a command too."""

    @cached_property
    def listings(self) -> dict[str, Listing]:
        """Commands by name."""
        return {name: listing for name, path in self.modules if (listing := read_listing(path))}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands, sorted."""
        return list(self.listings)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Imports the command."""
        listing = next(filter(None, (read_listing(path) for known, path in self.modules if known == name)), None)
        if not listing:
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


def name_of(path: Path) -> str:
    """The command of a module: the name of its file, with dashes."""
    return path.stem.replace("_", "-")


def read_listing(path: Path) -> Listing | None:
    """What the source of a command's module says of it; None for a module without SECTION, which holds none."""
    tree = ast.parse(path.read_bytes())
    constants = {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and node.targets[0].id in ("SECTION", "FOLLOWS")
    }
    if not (section := constants.get("SECTION")):
        return None
    text = next(filter(None, map(command_help, tree.body)), "")
    module = f"{path.parents[1].name}.{path.parent.name}.{path.stem}"
    return Listing(module, section, text, constants.get("FOLLOWS"))


def command_help(node: ast.stmt) -> str | None:
    """The docstring of a function that is a click command."""
    if not isinstance(node, ast.FunctionDef):
        return None
    calls = [one.func for one in node.decorator_list if isinstance(one, ast.Call)]
    is_command = any(isinstance(function, ast.Attribute) and function.attr == "command" for function in calls)
    return ast.get_docstring(node) if is_command else None
