"""What a program has over the control that does nothing is told by the control of the same build.

A footprint is recorded as soon as its build was timed, so that half an hour of builds is not lost.
"""

from types import SimpleNamespace

import msgspec
import pytest

from bench.base.errors import LabError
from bench.base.files import read_json
from bench.building.lab import Lab
from bench.building.runner import Runner
from bench.counting.programs import counted_programs, footprint
from bench.counting.programs.counted_programs import counted_runners, with_nothing
from bench.counting.programs.footprint import recorded_footprints
from bench.model.cells import ControlRole
from bench.model.counts import FOOTPRINT, CountedRunner, Footprints
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


class Builds:
    """Clean builds of one second each; `fails`: that of which runner, `stops`: before how many."""

    def __init__(self, fails: str = "", stops: int = 100) -> None:
        self.fails, self.stops, self.made = fails, stops, list[str]()

    def __call__(self, runner: CountedRunner, _report) -> CountedRunner:
        if len(self.made) == self.stops:
            raise KeyboardInterrupt
        self.made.append(runner.name)
        return runner if runner.name == self.fails else msgspec.structs.replace(runner, compile_s=1.0)


def footprints(lab, run, builds, monkeypatch) -> list[CountedRunner]:
    monkeypatch.setattr(footprint, "with_compile_time", builds)
    return recorded_footprints(lab, [*lab.described], run, lambda _: None)


def test_builds_that_were_timed_before_a_stop_are_not_made_again(lab, tmp_path, monkeypatch):
    with pytest.raises(KeyboardInterrupt):
        footprints(lab, tmp_path, Builds(stops=2), monkeypatch)
    builds = Builds()
    found = footprints(lab, tmp_path, builds, monkeypatch)
    assert builds.made == ["rust/noop", "rust/noop (native)"]
    assert read_json(tmp_path / FOOTPRINT, Footprints).runners == found
    assert [one.stripped_over_nothing_bytes for one in found] == [60, 160, 0, 0]


def test_a_build_that_failed_or_of_another_program_is_made_again(lab, tmp_path, monkeypatch):
    footprints(lab, tmp_path, Builds(fails="rust/codec"), monkeypatch)
    file = tmp_path / FOOTPRINT
    text = file.read_text()
    assert text.count('"compile_s"') == 3
    native = text.rindex("0" * 64)
    file.write_text(f"{text[:native]}{'1' * 64}{text[native + 64 :]}")
    builds = Builds()
    assert all(one.compile_s for one in footprints(lab, tmp_path, builds, monkeypatch))
    assert builds.made == ["rust/codec", "rust/noop (native)"]


def test_footprints_of_two_commits_stand_in_no_file_together(lab, tmp_path, monkeypatch):
    monkeypatch.setattr(footprint, "git_state", lambda: {"git_commit": "a" * 40, "git_dirty": False})
    footprints(lab, tmp_path, Builds(), monkeypatch)
    native = Lab({one: told for one, told in lab.described.items() if one.entry.variant}, {})
    footprints(native, tmp_path, Builds(), monkeypatch)
    assert len(read_json(tmp_path / FOOTPRINT, Footprints).runners) == 4, "of one commit the others stay"
    monkeypatch.setattr(footprint, "git_state", lambda: {"git_commit": "b" * 40, "git_dirty": False})
    with pytest.raises(LabError, match="footprints of 2 runners that this call does not ask for, of commit aaaa"):
        footprints(native, tmp_path, Builds(), monkeypatch)
    footprints(lab, tmp_path, Builds(), monkeypatch)
    assert read_json(tmp_path / FOOTPRINT, Footprints).git_commit == "b" * 40


def test_a_build_on_another_machine_is_no_footprint_of_this_one(lab, tmp_path, monkeypatch):
    footprints(lab, tmp_path, Builds(), monkeypatch)
    monkeypatch.setattr(footprint, "cpu_model", lambda: "another CPU")
    builds = Builds()
    footprints(lab, tmp_path, builds, monkeypatch)
    assert len(builds.made) == 4
    assert read_json(tmp_path / FOOTPRINT, Footprints).cpu == "another CPU"
