"""`lab lint`."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import click

from bench import paths
from bench.languages.rust import TARGET, WORKSPACE
from bench.progress import report
from bench.tools import provide_actionlint, provide_nixfmt

SCRIPTS = Path(sys.executable).parent
NIX = ["flake.nix", *sorted(path.relative_to(paths.ROOT).as_posix() for path in (paths.ROOT / "nix").glob("*.nix"))]

MANY_WORDS = 14
"""How much of a command is shown."""


@click.command("lint")
@click.option("--fix", is_flag=True, help="Format, and mend what can be mended, instead of only complaining.")
def lint(fix: bool) -> None:
    """Check formatting, style and types of everything; the same as in continuous integration."""
    provide_nixfmt(report)
    provide_actionlint(report)
    checking = [] if fix else ["--check"]
    clippy = ["cargo", "clippy", "--quiet", "--locked", "--all-targets", "--target-dir", str(TARGET)]
    cpp = [str(path) for suffix in ("hpp", "cpp") for path in sorted((paths.RUNNERS / "cpp").rglob(f"*.{suffix}"))]
    checks = [
        (paths.ROOT, [sys.executable, "-m", "ruff", "format", *checking, "."]),
        (paths.ROOT, [sys.executable, "-m", "ruff", "check", *(["--fix"] if fix else []), "."]),
        (paths.ROOT, [sys.executable, "-m", "mypy"]),
        (paths.ROOT, [installed("taplo"), "format", *checking]),
        (paths.ROOT, [installed("clang-format"), *(["-i"] if fix else ["--dry-run", "-Werror"]), *cpp]),
        (paths.ROOT, [str(paths.tool("nixfmt")), *checking, *NIX]),
        (paths.ROOT, [str(paths.tool("actionlint")), "-shellcheck", installed("shellcheck"), *workflows()]),
        (paths.ROOT, [installed("zizmor"), "--quiet", "--offline", "--pedantic", ".github/workflows", "action.yml"]),
        (paths.ROOT, [installed("shellcheck"), ".ci/run", "images/slurm.sh"]),
        (WORKSPACE, ["cargo", "fmt", "--all", *checking]),
        (WORKSPACE, [*clippy, "--", "-D", "warnings"]),
    ]
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
