"""Fixtures that tests in several rooms use."""

from collections.abc import Callable
from pathlib import Path

import pytest

from bench.building.runner import Runner
from tests.support.lab import Lab, fake_entry


@pytest.fixture
def fake() -> Callable[..., Runner]:
    """A runner object of a fake."""
    return lambda name, mischief="none": Runner(fake_entry(name, mischief))


@pytest.fixture
def fake_lab(tmp_path: Path) -> Callable[..., Lab]:
    """`lab` over the fakes given as name=mischief; `good` and the control `still` are always there."""

    def make(**mischiefs: str) -> Lab:
        entries = [fake_entry("good"), fake_entry("still", "control")]
        return Lab(tmp_path, entries + [fake_entry(name.replace("_", "-"), m) for name, m in mischiefs.items()])

    return make
