"""`lab test`."""

import subprocess
import sys

import click

from bench.base import paths
from bench.building.languages.rust import TARGET, WORKSPACE

SECTION = "look after"


@click.command("test", context_settings={"ignore_unknown_options": True})
@click.argument("pytest_arguments", nargs=-1, type=click.UNPROCESSED)
def test(pytest_arguments: tuple[str, ...]) -> None:
    """Run the tests.

    First those of the Rust workspace, then those of the driver and the analysis. Arguments are passed to pytest, and
    then only pytest runs: `lab test -k resume`.
    """
    codes = []
    if not pytest_arguments:
        pytest_arguments = ("--numprocesses=auto", "--dist=worksteal")
        cargo = ["cargo", "test", "--quiet", "--locked", "--target-dir", str(TARGET), "--workspace"]
        codes.append(subprocess.call(cargo, cwd=WORKSPACE))
    codes.append(subprocess.call([sys.executable, "-m", "pytest", *pytest_arguments], cwd=paths.ROOT))
    sys.exit(max(codes))
