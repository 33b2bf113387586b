"""What a program has over the control that does nothing is told by the control of the same build."""

from types import SimpleNamespace

import pytest

from bench.building.lab import Lab
from bench.building.runner import Runner
from bench.counting.programs import counted_programs
from bench.counting.programs.counted_programs import counted_runners, with_nothing
from bench.model.cells import ControlRole
from bench.model.description import Description, RunnerEntry

SIZES = {"rust/noop ": 100, "rust/noop native": 170, "rust/codec ": 130, "rust/codec native": 250}
"""Codec and build → bytes of code."""


@pytest.fixture
def lab(monkeypatch) -> Lab:
    def elf_of(runner: Runner) -> SimpleNamespace:
        size = SIZES[f"{runner.codec} {runner.entry.variant}"]
        return SimpleNamespace(text_bytes=size, stripped_bytes=2 * size, asks_cpu=list)

    monkeypatch.setattr(counted_programs, "elf_of", elf_of)
    described = {}
    for name in SIZES:
        codec, _, variant = name.partition(" ")
        role = ControlRole.NOTHING if "noop" in codec else None
        entry = RunnerEntry(codec, ["program"], None, None, "0" * 64, variant=variant)
        told = Description(1, codec, "none", None, None, "Rust", "rustc", "", role is not None, False, [], role=role)
        described[Runner(entry)] = told
    return Lab(described, {})


def test_each_build_is_held_against_its_own_control(lab):
    found = {one.name: one.text_over_nothing_bytes for one in counted_runners(lab, lab.described)}
    assert found == {"rust/codec": 30, "rust/codec (native)": 80, "rust/noop": 0, "rust/noop (native)": 0}


def test_a_footprint_has_the_controls_of_the_builds_that_it_shows(lab):
    native = [runner for runner in lab.described if (runner.codec, runner.entry.variant) == ("rust/codec", "native")]
    assert [runner.entry.name for runner in with_nothing(lab, native)] == ["rust/codec (native)", "rust/noop (native)"]
