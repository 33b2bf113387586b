"""`lab lint`."""

import os
import shutil
import sys
from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from threading import Event
from typing import NoReturn

import click

from bench.base import paths
from bench.base.errors import LabError
from bench.base.programs import captured, stop_tools
from bench.base.progress import report
from bench.base.supervision import calling_threads, in_order
from bench.building.build import write_code
from bench.building.languages.cpp_build import PROJECT
from bench.building.languages.cpp_sources import SourceError
from bench.building.languages.cpp_tidy import FOLDER, write_commands
from bench.building.languages.cpp_tools import ToolError
from bench.building.languages.python import NotInstalledError, find_uv
from bench.building.languages.rust import TARGET, WORKSPACE, Rust
from bench.building.tools import provide, provide_actionlint
from bench.commands.test import tested_packages

SECTION = "look after"

SCRIPTS = Path(sys.executable).parent
TIDY = str(SCRIPTS / "run-clang-tidy.py")
NIX = [
    "flake.nix",
    *sorted(
        path.relative_to(paths.ROOT).as_posix()
        for folder in ("nix", "tests/support")
        for path in (paths.ROOT / folder).glob("*.nix")
    ),
]
SHELL = [".ci/run", "images/slurm.sh", "nix/take-or-compile", "runners/rust/.cargo/keep-objects"]

WITH_SCHEMA = ("analysis/published/*.toml", "schemas/scenarios/*.toml", "schemas/types/*.toml")
"""TOML files that .taplo.toml names a JSON Schema for."""

MANY_WORDS = 14
"""How many words of a command are shown."""


Check = tuple[Path, list[str]]
"""A folder and a command that must succeed in it."""


@click.command("lint")
@click.option("--fix", is_flag=True, help="Format the code and apply automatic fixes, instead of only reporting.")
@click.option("--quick", is_flag=True, help="Leave out clippy and clang-tidy, which take minutes.")
@click.option("--libraries", is_flag=True, help="Only check licences and sources of the locked libraries.")
@click.option(
    "--advisories",
    is_flag=True,
    help="Only list known vulnerabilities of the locked libraries. Needs the network.",
)
def lint(fix: bool, quick: bool, libraries: bool, advisories: bool) -> None:
    """Check style, types and workflows."""
    if libraries or advisories:
        provide("cargo-deny", report)
        run([*(library_checks() if libraries else []), *(advisory_checks() if advisories else [])])
    provide("nixfmt", report)
    provide_actionlint(report)
    checks = style_checks(fix)
    if quick:
        run(checks)
    write_code("rust", report)
    options, variables = Rust().choices("", TARGET)
    run([*checks, *tidy_checks(), *clippy_checks(options)], variables)


def library_checks() -> list[Check]:
    """Checks of Cargo.lock against deny.toml, without the network."""
    return [(WORKSPACE, deny("bans", "licenses", "sources"))]


def advisory_checks() -> list[Check]:
    """Checks against databases of vulnerabilities: RustSec for Cargo.lock, OSV for uv.lock."""
    try:
        uv = find_uv()
    except NotInstalledError as problem:
        raise LabError(str(problem)) from None
    return [(WORKSPACE, deny("advisories")), (paths.ROOT, [str(uv), "audit", "--locked"])]


def deny(*checks: str) -> list[str]:
    """The command of cargo-deny for some of its checks."""
    return [str(paths.tool("cargo-deny")), "--locked", "check", "--hide-inclusion-graph", *checks]


def style_checks(fix: bool) -> list[Check]:
    """Checks that compile nothing and need no network."""
    checking = [] if fix else ["--check"]
    cpp = [str(path) for suffix in ("hpp", "cpp") for path in sorted((paths.RUNNERS / "cpp").rglob(f"*.{suffix}"))]
    return [
        (paths.ROOT, [sys.executable, "-m", "ruff", "format", *checking, "."]),
        (paths.ROOT, [sys.executable, "-m", "ruff", "check", *(["--fix"] if fix else []), "."]),
        (paths.ROOT, [sys.executable, "-m", "mypy"]),
        (paths.ROOT, [installed("lint-imports"), "--no-cache"]),
        (paths.ROOT, [installed("taplo"), "format", *checking]),
        (paths.ROOT, [installed("taplo"), "lint", *WITH_SCHEMA]),
        (paths.ROOT, [installed("clang-format"), *(["-i"] if fix else ["--dry-run", "-Werror"]), *cpp]),
        (paths.ROOT, [str(paths.tool("nixfmt")), *checking, *NIX]),
        (paths.ROOT, [str(paths.tool("actionlint")), "-shellcheck", installed("shellcheck"), *workflows()]),
        (paths.ROOT, [installed("zizmor"), "--quiet", "--offline", "--pedantic", ".github/workflows", "action.yml"]),
        (paths.ROOT, [installed("shellcheck"), *SHELL]),
        (WORKSPACE, ["cargo", "fmt", "--all", *checking]),
    ]


def tidy_checks() -> list[Check]:
    """clang-tidy over the C++ kit; none among Nix's tools. Raises LabError where a library of the kit is missing."""
    if os.environ.get(paths.TOOLS_VARIABLE):
        report("clang-tidy is left out: Nix's tools have not what the C++ kit is made with; `./lab lint` runs it")
        return []
    try:
        write_commands()
    except (SourceError, ToolError) as problem:
        raise LabError(f"clang-tidy needs what the C++ kit is made with: {problem}") from None
    tidy = [sys.executable, TIDY, "-clang-tidy-binary", installed("clang-tidy")]
    return [(PROJECT, [*tidy, "-config-file", str(PROJECT / ".clang-tidy"), "-p", str(FOLDER), "-quiet"])]


def clippy_checks(options: list[str]) -> list[Check]:
    """clippy over all Rust runners and tests. With `options` Cargo compiles as `lab build` does: macros serve both."""
    clippy = ["cargo", "clippy", "--quiet", "--locked", "--release", "--target-dir", str(TARGET), *options]
    tests = ["--tests", *(word for name in tested_packages() for word in ("--package", name))]
    return [(WORKSPACE, [*clippy, *words, "--", "-D", "warnings"]) for words in ([], tests)]


def run(checks: list[Check], variables: Mapping[str, str] | None = None) -> NoReturn:
    """Runs all checks, Cargo's beside the others; names those that failed, and exits with 1 if there are any.

    An interruption ends the checks that are running.
    """
    lanes = [[check for check in checks if (check[1][0] == "cargo") is with_cargo] for with_cargo in (True, False)]
    ended = Event()
    with calling_threads(len(lanes)) as threads:
        try:
            found = list(in_order(threads, lambda lane: failures(lane, variables or {}, ended), lanes))
        finally:
            ended.set()
            stop_tools()
    failed = list(chain.from_iterable(found))
    for name in failed:
        click.echo(f"lab: failed: {name}", err=True)
    sys.exit(1 if failed else 0)


def failures(checks: list[Check], variables: Mapping[str, str], ended: Event) -> list[str]:
    """Runs checks one after the other, shows each with what it said, and returns the names of those that failed.

    Once `ended` is set it begins none.
    """
    failed = []
    for folder, command in checks:
        if ended.is_set():
            break
        words = command if len(command) < MANY_WORDS else [*command[:MANY_WORDS], "…"]
        name = " ".join(Path(word).name if index == 0 else word for index, word in enumerate(words))
        try:
            done = captured(command, cwd=folder, env=os.environ | variables)
            code, said = done.returncode, done.stdout + done.stderr
        except OSError as error:
            code, said = 1, f"{error.strerror or error}\n"
        click.echo(f"lab: {name}\n{said}", err=True, nl=False)
        if code != 0:
            failed.append(name)
    return failed


def installed(name: str) -> str:
    """A tool of the locked Python packages, else one in the PATH."""
    return shutil.which(name, path=os.pathsep.join([str(SCRIPTS), os.environ.get("PATH", os.defpath)])) or name


def workflows() -> list[str]:
    """The workflows; given their names, actionlint needs no git folder to find them."""
    return sorted(
        path.relative_to(paths.ROOT).as_posix() for path in (paths.ROOT / ".github" / "workflows").glob("*.yml")
    )
