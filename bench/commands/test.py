"""`lab test`."""

import subprocess
import sys
import tempfile

import click

from bench.base import paths
from bench.building.languages.rust import TARGET, WORKSPACE

WORKERS = ("--numprocesses=auto", "--dist=worksteal")
CARGO = ("cargo", "test", "--quiet", "--locked", "--target-dir", str(TARGET), "--workspace")


@click.command("test", context_settings={"ignore_unknown_options": True})
@click.option("--slow", is_flag=True, help="Run the slow tests, and only those.")
@click.argument("pytest_arguments", nargs=-1, type=click.UNPROCESSED)
def test(slow: bool, pytest_arguments: tuple[str, ...]) -> None:
    """Run the tests: of the Rust workspace, and beside them those of the driver, the analysis and the runners.

    Without words the slow ones are left out: kills, whole corpora, builds. `--slow` runs those.
    Arguments go to pytest, which then runs whatever they choose, slow or not: `lab test -k resume`.
    """
    if slow:
        sys.exit(pytest("-m", "slow", *(pytest_arguments or WORKERS)))
    if pytest_arguments:
        sys.exit(pytest(*pytest_arguments))
    sys.exit(all_but_slow())


def pytest(*words: str) -> int:
    """The exit code of pytest over the checkout's tests."""
    return subprocess.call([sys.executable, "-m", "pytest", *words], cwd=paths.ROOT)


def all_but_slow() -> int:
    """The exit code of both; Cargo runs beside pytest, whose tests wait a lot, and is heard when pytest has ended."""
    with tempfile.TemporaryFile() as said, subprocess.Popen(CARGO, cwd=WORKSPACE, stdout=said, stderr=said) as cargo:
        try:
            code = pytest("-m", "not slow", *WORKERS)
            cargo.wait()
        finally:
            cargo.terminate()
        said.seek(0)
        sys.stdout.buffer.write(said.read())
    click.echo(f"lab: cargo test {'passed' if cargo.returncode == 0 else f'failed with {cargo.returncode}'}", err=True)
    return max(code, abs(cargo.returncode))
