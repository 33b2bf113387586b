"""`lab test`."""

import os
import re
import subprocess
import sys
import tomllib

import click

from bench.base import paths
from bench.base.progress import report
from bench.building.build import write_code
from bench.building.languages.rust import TARGET, WORKSPACE, Rust

SECTION = "look after"


def workers(threads: int) -> int:
    """How many tests run at once on a machine of so many threads.

    For much of their time tests wait for processes that they started, so that threads would be idle with one each.
    (`auto` is one for each physical core: where two threads are one core, it is a single one.)
    """
    return 2 * threads


THREADS = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
WORKERS = (f"--numprocesses={workers(THREADS)}", "--dist=worksteal")
TEST = re.compile(r"^\s*(#\[(\w+::)*test\b|//[/!] ?```)", re.MULTILINE)
"""What Cargo runs as a test: a function with an attribute of that name, or an example in a comment."""


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
    options, variables = Rust().choices("", TARGET)  # those of `lab build`: libraries are compiled once
    cargo = ["cargo", "test", "--release", "--quiet", "--locked", "--target-dir", str(TARGET), *options]
    write_code("rust", report)
    packages = [word for name in tested_packages() for word in ("--package", name)]
    tested = subprocess.call([*cargo, *packages], cwd=WORKSPACE, env=os.environ | variables)
    codes = [tested, pytest("-m", "not slow", *WORKERS)]
    sys.exit(next((code for code in codes if code), 0))  # a signal's is below 0


def tested_packages() -> list[str]:
    """The crates of the Rust workspace that hold a test.

    The others would be compiled, with the libraries of 40 codecs, only to run none. `lab lint` type-checks their
    programs, but for the testees, which need a suite's schemas.
    """
    manifests = sorted(set(WORKSPACE.rglob("Cargo.toml")) - {WORKSPACE / "Cargo.toml"})
    return [
        tomllib.loads(manifest.read_text("utf-8"))["package"]["name"]
        for manifest in manifests
        if any(TEST.search(source.read_text("utf-8")) for source in manifest.parent.rglob("*.rs"))
    ]


def pytest(*words: str) -> int:
    """The exit code of pytest over the checkout's tests."""
    return subprocess.call([sys.executable, "-m", "pytest", *words], cwd=paths.ROOT)
