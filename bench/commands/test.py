"""`lab test`."""

import subprocess
import sys

import click

from bench.base import paths
from bench.building.languages.rust import TARGET, WORKSPACE

SECTION = "look after"
WORKERS = ("--numprocesses=auto", "--dist=worksteal")


@click.command("test", context_settings={"ignore_unknown_options": True})
@click.option("--slow", is_flag=True, help="Run the slow tests, and only those.")
@click.argument("pytest_arguments", nargs=-1, type=click.UNPROCESSED)
def test(slow: bool, pytest_arguments: tuple[str, ...]) -> None:
    """Run the tests.

    Those of the Rust workspace, then those of the driver, the analysis and the runners. Without words the slow ones are
    left out: kills, whole corpora, builds. `--slow` runs those.

    Arguments go to pytest, which then runs whatever they choose, slow or not: `lab test -k resume`.
    """
    if slow:
        sys.exit(pytest("-m", "slow", *(pytest_arguments or WORKERS)))
    if pytest_arguments:
        sys.exit(pytest(*pytest_arguments))
    cargo = ["cargo", "test", "--quiet", "--locked", "--target-dir", str(TARGET), "--workspace"]
    codes = [subprocess.call(cargo, cwd=WORKSPACE), pytest("-m", "not slow", *WORKERS)]
    sys.exit(max(codes))


def pytest(*words: str) -> int:
    """The exit code of pytest over the checkout's tests."""
    return subprocess.call([sys.executable, "-m", "pytest", *words], cwd=paths.ROOT)
