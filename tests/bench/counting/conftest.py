"""A lab over a program whose instructions are known."""

import subprocess
from pathlib import Path

import pytest

from tests.support.counting.counted_lab import SOURCE, lab_of
from tests.support.lab import Lab


@pytest.fixture(scope="session")
def program(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("program") / "counted"
    subprocess.run(["cc", "-O1", "-Wl,--build-id", "-o", path, SOURCE], check=True)
    return path


@pytest.fixture
def lab(tmp_path, program) -> Lab:
    return lab_of(tmp_path / "lab", program)
