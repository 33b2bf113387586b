"""`lab lint`."""

import shutil
import subprocess
import sys
from pathlib import Path

import click

from bench import paths
from bench.languages.rust import TARGET, WORKSPACE

MANY_WORDS = 14
"""How much of a command is shown."""


@click.command("lint")
@click.option("--fix", is_flag=True, help="Format, and mend what can be mended, instead of only complaining.")
def lint(fix: bool) -> None:
    """Check formatting, style and types of everything; the same as in continuous integration."""
    scripts = Path(sys.executable).parent
    taplo = shutil.which("taplo", path=str(scripts)) or "taplo"
    python, rust = paths.ROOT, WORKSPACE
    clang_format = shutil.which("clang-format", path=str(scripts)) or "clang-format"
    cpp = [str(path) for suffix in ("hpp", "cpp") for path in sorted((paths.RUNNERS / "cpp").rglob(f"*.{suffix}"))]
    checks = [
        (python, [sys.executable, "-m", "ruff", "format", *([] if fix else ["--check"]), "."]),
        (python, [sys.executable, "-m", "ruff", "check", *(["--fix"] if fix else []), "."]),
        (python, [sys.executable, "-m", "mypy"]),
        (python, [taplo, "format", *([] if fix else ["--check"])]),
        (python, [clang_format, *(["-i"] if fix else ["--dry-run", "-Werror"]), *cpp]),
        (rust, ["cargo", "fmt", "--all", *([] if fix else ["--check"])]),
        (
            rust,
            [
                "cargo",
                "clippy",
                "--quiet",
                "--locked",
                "--all-targets",
                "--target-dir",
                str(TARGET),
                "--",
                "-D",
                "warnings",
            ],
        ),
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
