"""`lab count` over a program whose instructions are known."""

import json
import platform
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bench.base.files import sha256_of
from bench.model.description import RunnerEntry
from tests.support.lab import Lab, know_processor

CAN_COUNT = sys.platform == "linux" and platform.machine() == "x86_64" and all(map(shutil.which, ("valgrind", "cc")))
counts = pytest.mark.skipif(not CAN_COUNT, reason="needs valgrind and a C compiler on x86-64 Linux")
SOURCE = Path(__file__).with_name("counted_runner.c")


def lab_of(folder: Path, program: Path) -> Lab:
    """A lab whose only runner is the program."""
    folder.mkdir(parents=True, exist_ok=True)
    lab = Lab(folder, [RunnerEntry("fake/counted", [str(program)], None, None, sha256_of(program))])
    lab.environment["LAB_WORK"] = str(folder)
    know_processor(folder)
    return lab


def held_lab(folder: Path) -> tuple[Lab, Path]:
    """A lab and a file: while the file exists, the lab's program waits before it serializes, which is counted last."""
    folder.mkdir()
    held, program = folder / "held", folder / "counted"
    held.touch()
    subprocess.run(["cc", "-O1", "-Wl,--build-id", f'-DHELD="{held}"', "-o", program, SOURCE], check=True)
    return lab_of(folder / "lab", program), held


def lines_of(folder: Path) -> dict[str, dict]:
    """Scenario and operation → the recorded line."""
    lines = map(json.loads, (folder / "counts.jsonl").read_text().splitlines())
    return {" ".join(line["cell"].split()[1:3]): line for line in lines}


def wait_for_line(folder: Path) -> None:
    """Waits until a cell is recorded."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and not ((folder / "counts.jsonl").exists() and lines_of(folder)):
        time.sleep(0.02)
