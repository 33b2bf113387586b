"""Links of fakes: proved before they are measured, recorded, and refused with a reason."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from bench.base.errors import LabError
from bench.base.files import sha256_of
from bench.building.lab import offered_cells
from bench.building.runner import Runner
from bench.measuring.rounds.links import SINGLE, LanguageLinker, Links, Selected
from bench.model.record import Run
from tests.support.lab import FakeLinker, fake_entry
from tests.support.scenarios.committed import committed_scenarios
from tests.support.synthetic_run import usual

SCENARIOS = committed_scenarios()


def made(linker: object, *runners: Runner) -> Links:
    cells = [cell for runner in runners for cell in _cells(runner)]
    return Links(Selected({runner: runner.description for runner in runners}, cells, SCENARIOS), linker)


def _cells(runner: Runner) -> list:
    return [cell for cell in offered_cells(runner.description, SCENARIOS) if cell.scenario == "point"]


@pytest.fixture
def runner() -> Runner:
    return Runner(fake_entry("calm", "calm"))


def provided(links: Links, *layouts: int) -> list[str]:
    said: list[str] = []
    links.provide(layouts, said.append)
    return said


def test_each_layout_is_another_program_and_recorded_by_its_hash(tmp_path, runner):
    links = made(FakeLinker(tmp_path), runner)
    assert provided(links, 1, 2) == ["linking: 1 runner, 2 layouts"]
    assert links.is_linked(runner)
    programs = [links.runner(runner, layout)[0].program for layout in (0, 1, 2)]
    assert len(set(programs)) == 3
    run = links.recorded(usual().run())
    assert run.layouts == {"fake/calm": [sha256_of(program) for program in programs[1:]]}
    assert SINGLE not in run.provenance


def test_what_is_linked_already_is_not_linked_again(tmp_path, runner):
    linker = FakeLinker(tmp_path)
    links = made(linker, runner)
    provided(links, 1, 2)
    assert provided(links, 2, 3) == ["linking: 1 runner, 1 layout"]
    assert sorted(linker.linked) == [("fake/calm", 1), ("fake/calm", 2), ("fake/calm", 3)]


def test_a_runner_that_cannot_be_linked_has_layout_0_and_the_run_says_why(tmp_path, runner):
    links = made(FakeLinker(tmp_path, refuses="fake/calm"), runner)
    assert provided(links, 1, 2) == []
    assert links.runner(runner, 2) == (runner, 0)
    run = links.recorded(usual().run())
    assert run.provenance[SINGLE] == {"fake/calm": "it is made of stone"}
    assert run.layouts == {}


@pytest.mark.parametrize(
    ("linker", "reason"),
    [
        ({"mischief": {2: "wrong-value"}}, "layout 2: value: "),
        ({"mischief": {1: "encode-crash"}}, "layout 1: encode: "),
        ({"fails_at": 2}, "the linker has lost its way"),
    ],
)
def test_a_layout_that_fails_its_proof_leaves_the_build_tool_s_alone(tmp_path, runner, linker, reason):
    links = made(FakeLinker(tmp_path, **linker), runner)
    provided(links, 1, 2)
    assert links.runner(runner, 1) == (runner, 0)
    assert links.recorded(usual().run()).provenance[SINGLE]["fake/calm"].startswith(reason)


def test_where_a_later_layout_fails_an_earlier_one_stands_in(tmp_path, runner):
    links = made(FakeLinker(tmp_path, fails_at=4), runner)
    provided(links, 1, 2)
    provided(links, 3, 4)
    assert [links.runner(runner, layout)[1] for layout in (1, 2, 3, 4)] == [1, 2, 1, 2]
    assert links.is_linked(runner)
    assert len(links.recorded(usual().run()).layouts["fake/calm"]) == 2


def test_a_link_that_is_another_file_now_ends_a_resumed_run(tmp_path: Path, runner: Runner):
    links = made(FakeLinker(tmp_path), runner)
    provided(links, 1)
    before: Run = links.recorded(usual().run())
    (tmp_path / "again").mkdir()
    changed = FakeLinker(tmp_path / "again", mischief={1: "none"})
    other = made(changed, runner)
    changed.link = lambda entry, layout: _grown(FakeLinker.link(changed, entry, layout))
    provided(other, 1)
    with pytest.raises(LabError, match="fake/calm"):
        other.recorded(before)


def _grown(entry):
    path = Path(entry.program)
    path.write_text(path.read_text() + "# changed\n")
    return replace(entry, sha256=sha256_of(path))


def test_a_language_that_the_lab_does_not_have_links_nothing(runner):
    assert "cannot link programs of the language fake" in str(LanguageLinker().can_link(runner.entry))
