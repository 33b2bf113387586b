"""`lab schema`."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import click

from bench.base.errors import LabError
from bench.base.output import say
from bench.base.paths import RUNNERS, brief
from bench.base.visible import visible
from bench.types.definitions import Defined, load_definitions
from bench.types.expressions import Type, parse_type
from bench.types.type_set import PUBLISHED, TypeSet

SECTION = "look after"

FORMATTERS = {
    ".rs": ["rustfmt", "--edition", "2024", "--quiet"],
    ".hpp": ["clang-format", "--assume-filename=types.hpp"],
    ".py": ["ruff", "format", "--quiet", "-"],
}
"""Suffix of a file → what formats it, from standard input to standard output."""
FORMATTING_S = 60


def libraries() -> dict[str, Path]:
    """The generators of all languages by name: `LANGUAGE/LIBRARY`, and `LANGUAGE/messages` for the plain types."""
    from bench.types.generation import generators

    languages = sorted(path.name for path in RUNNERS.iterdir() if path.is_dir())
    return {f"{language}/{folder.name}": folder for language in languages for folder in generators(language)}


def type_names(_: click.Context, __: click.Parameter, start: str) -> list[str]:
    """The published types whose names begin so, for completion by the shell."""
    from bench.types.definitions import published_types

    published = published_types()
    return [name for name in sorted([*published.structs, *published.enums]) if name.startswith(start)]


def library_names(_: click.Context, __: click.Parameter, start: str) -> list[str]:
    """The libraries whose names begin so, for completion by the shell."""
    return [name for name in libraries() if name.startswith(start)]


def scenario_names(_: click.Context, __: click.Parameter, start: str) -> list[str]:
    """The scenarios whose names begin so, for completion by the shell."""
    from bench.scenarios.load import scenario_names

    return [name for name in scenario_names() if name.startswith(start)]


@click.command("schema")
@click.argument("of", metavar="TYPE", shell_complete=type_names)
@click.option(
    "--library", metavar="LANGUAGE/LIBRARY", shell_complete=library_names, help="What is generated for this library."
)
@click.option(
    "--types", "file", metavar="FILE", type=click.Path(path_type=Path), help="Types of this file, not the lab's."
)
@click.option(
    "--scenario", metavar="NAME", shell_complete=scenario_names, help="Types of this scenario, which may have its own."
)
def schema(of: str, library: str | None, file: Path | None, scenario: str | None) -> None:
    """Print a message type, and what is generated of it.

    TYPE is the name of a struct or an enumeration, or a type such as '[f64]'. Without --library: the type with all that
    it is made of, as a file of types has it, and the libraries that code is generated for.
    """
    from bench.types.notation import definitions_of_set, types_text
    from bench.types.subset import subset

    if file and scenario:
        raise click.UsageError("give either --types or --scenario")
    types = _set(file, scenario)
    part = subset(types, _type(of, types))
    if library:
        _print_generated(library, part)
        return
    say(types_text(definitions_of_set(part)).removesuffix("\n"))
    say("\n".join(["", "# --library takes:", *(f"#   {name}" for name in libraries())]))


def _set(file: Path | None, scenario: str | None) -> TypeSet:
    """The types that the command is about. Raises LabError for a file or scenario with a mistake."""
    from bench.base.paths import SCENARIOS
    from bench.scenarios.load import load_scenario, load_scenarios, scenario_names
    from bench.scenarios.sets import set_name, type_set

    if file:
        return _whole(file.stem, load_definitions(file))
    if scenario is None:
        return type_set(PUBLISHED, load_scenarios().values())
    if scenario not in scenario_names():
        raise LabError(f"there is no scenario {visible(scenario)!r} in {brief(SCENARIOS)}. `./lab list` has them all.")
    one = load_scenario(SCENARIOS / f"{scenario}.toml")
    return type_set(set_name(one), load_scenarios().values())


def _whole(name: str, defined: Defined) -> TypeSet:
    return TypeSet(name, defined.structs, defined.enums, [])


def _type(text: str, types: TypeSet) -> Type:
    """The type that an argument denotes. Raises LabError for one that is not in the set."""
    try:
        of = parse_type(text)
    except ValueError as error:
        raise LabError(f"{visible(str(error))}. Give a name such as User, or a type such as '[f64]'.") from None
    unknown = [name for name in types.reachable(of) if name not in types.structs and name not in types.enums]
    if unknown:
        known = ", ".join(sorted([*types.structs, *types.enums]))
        raise LabError(f"there is no type {unknown[0]}; there are {known}. --types and --scenario name other sets.")
    return of


def _print_generated(library: str, types: TypeSet) -> None:
    """Prints each file that a library's generator makes, formatted."""
    from bench.types.generation import generated

    known = libraries()
    if library not in known:
        raise LabError(f"nothing is generated for {visible(library)!r}; give one of {', '.join(known)}.")
    try:
        files = generated(known[library], types, library.partition("/")[0])
    except ValueError as error:
        raise LabError(f"{library} can't be generated: {visible(str(error))}") from None
    for index, (name, text) in enumerate(files.items()):
        say(f"{'' if index == 0 else chr(10)}{'#' if name.endswith('.py') else '//'} {name}")
        say(_formatted(name, text).strip("\n"))


def _formatted(name: str, text: str) -> str:
    """A file as the formatter of its language has it; as it is where that is missing, and standard error says so."""
    command = FORMATTERS.get(Path(name).suffix)
    if command is None:
        return text
    own = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    try:
        done = subprocess.run(  # where rust-toolchain.toml and .clang-format apply
            [shutil.which(command[0], path=own) or command[0], *command[1:]],
            input=text,
            cwd=RUNNERS,
            capture_output=True,
            encoding="utf-8",
            timeout=FORMATTING_S,
        )
    except (OSError, subprocess.TimeoutExpired):
        say(f"lab: {name} is not formatted: {command[0]} can't be run here", err=True)
        return text
    if done.returncode:
        problem = (done.stderr.strip().splitlines() or ["no message"])[0]
        say(f"lab: {name} is not formatted: {command[0]} says: {problem}", err=True)
        return text
    return done.stdout
