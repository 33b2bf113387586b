"""`lab lint`."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import click

from bench.base import paths
from bench.base.errors import LabError
from bench.base.progress import report
from bench.building.languages.python import NotInstalledError, find_uv
from bench.building.languages.rust import TARGET, WORKSPACE
from bench.building.tools import provide, provide_actionlint

SCRIPTS = Path(sys.executable).parent
NIX = ["flake.nix", *sorted(path.relative_to(paths.ROOT).as_posix() for path in (paths.ROOT / "nix").glob("*.nix"))]

MANY_WORDS = 14
"""How much of a command is shown."""


Check = tuple[Path, list[str]]
"""A folder and the command that is to succeed there."""


@click.command("lint")
@click.option("--fix", is_flag=True, help="Format, and mend what can be mended, instead of only complaining.")
@click.option(
    "--advisories",
    is_flag=True,
    help="Ask, instead, which locked libraries have known vulnerabilities. Needs the network.",
)
def lint(fix: bool, advisories: bool) -> None:
    """Check formatting, style, types, licences and workflows; the same as in continuous integration."""
    provide("cargo-deny", report)
    if advisories:
        run(advisory_checks())
    provide("nixfmt", report)
    provide_actionlint(report)
    run(style_checks(fix))


def advisory_checks() -> list[Check]:
    """What asks databases of vulnerabilities: RustSec for Cargo.lock, OSV for uv.lock."""
    try:
        uv = find_uv()
    except NotInstalledError as problem:
        raise LabError(str(problem)) from None
    return [
        (WORKSPACE, [str(paths.tool("cargo-deny")), "--locked", "check", "--hide-inclusion-graph", "advisories"]),
        (paths.ROOT, [str(uv), "audit", "--locked"]),
    ]


def style_checks(fix: bool) -> list[Check]:
    """What needs no network."""
    checking = [] if fix else ["--check"]
    clippy = ["cargo", "clippy", "--quiet", "--locked", "--all-targets", "--target-dir", str(TARGET)]
    deny = [str(paths.tool("cargo-deny")), "--locked", "check", "--hide-inclusion-graph", "bans", "licenses", "sources"]
    cpp = [str(path) for suffix in ("hpp", "cpp") for path in sorted((paths.RUNNERS / "cpp").rglob(f"*.{suffix}"))]
    return [
        (paths.ROOT, [sys.executable, "-m", "ruff", "format", *checking, "."]),
        (paths.ROOT, [sys.executable, "-m", "ruff", "check", *(["--fix"] if fix else []), "."]),
        (paths.ROOT, [sys.executable, "-m", "mypy"]),
        (paths.ROOT, [installed("taplo"), "format", *checking]),
        (paths.ROOT, [installed("taplo"), "lint", "analysis/published/*.toml", "schemas/scenarios/*.toml"]),
        (paths.ROOT, [installed("clang-format"), *(["-i"] if fix else ["--dry-run", "-Werror"]), *cpp]),
        (paths.ROOT, [str(paths.tool("nixfmt")), *checking, *NIX]),
        (paths.ROOT, [str(paths.tool("actionlint")), "-shellcheck", installed("shellcheck"), *workflows()]),
        (paths.ROOT, [installed("zizmor"), "--quiet", "--offline", "--pedantic", ".github/workflows", "action.yml"]),
        (paths.ROOT, [installed("shellcheck"), ".ci/run", "images/slurm.sh"]),
        (WORKSPACE, ["cargo", "fmt", "--all", *checking]),
        (WORKSPACE, deny),
        (WORKSPACE, [*clippy, "--", "-D", "warnings"]),
    ]


def run(checks: list[Check]) -> NoReturn:
    """Runs all checks, says which failed, and ends with 1 where one did."""
    failed = []
    for folder, command in checks:
        words = command if len(command) < MANY_WORDS else [*command[:MANY_WORDS], "…"]
        name = " ".join(Path(word).name if index == 0 else word for index, word in enumerate(words))
        click.echo(f"lab: {name}", err=True)
        if subprocess.call(command, cwd=folder) != 0:
            failed.append(name)
    for name in failed:
        click.echo(f"lab: failed: {name}", err=True)
    sys.exit(1 if failed else 0)


def installed(name: str) -> str:
    """A tool of the locked Python packages; where these came from elsewhere it may be one in the PATH."""
    return shutil.which(name, path=os.pathsep.join([str(SCRIPTS), os.environ.get("PATH", os.defpath)])) or name


def workflows() -> list[str]:
    """The workflows: named, so that actionlint needs no git folder to find them."""
    return sorted(
        path.relative_to(paths.ROOT).as_posix() for path in (paths.ROOT / ".github" / "workflows").glob("*.yml")
    )
