"""`lab cell`: what it says to expect, beside command lines that can be pasted as they are."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from analysis.commands import cell as module
from analysis.commands.cell import cell
from bench.base import paths
from bench.model.cells import Cell, Conditions, Operation
from bench.model.plan import Profile
from tests.support.lab import Lab
from tests.support.synthetic_run import SERIALIZE, Made, but

SLOW = Cell("rust/a", "process-created", Operation.SERIALIZE, SERIALIZE)


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "results"
    monkeypatch.setattr(paths, "RESULTS", folder)
    return folder


def record(folder: Path, *, ns: float = 20_000.0, profile: Profile = Profile.PUBLISHED, **changes: object) -> None:
    """A run of one cell; `changes` are those of run.json."""
    made = Made(rounds=10).codec(SLOW.codec, {SLOW.operation: ns})
    made.profile = profile
    path = made.write(folder)
    run = msgspec.json.decode((path / "run.json").read_bytes())
    (path / "run.json").write_bytes(msgspec.json.encode(run | changes))


def on(model: str) -> dict[str, object]:
    return {"cpu": {"model": model, "usable_threads": 2}, "virtualization": "kvm"}


def test_it_says_what_was_recorded_where_and_when(results: Path) -> None:
    record(results / "machine/run")
    (comment,) = module.expectations({SLOW})[SLOW]
    assert comment.startswith("# expect 2")
    assert comment.endswith(
        "] a repetition on Synthetic CPU, 2 threads, linux-x86_64, virtualized: kvm, 2025-01-02; "
        "20250102T030405Z-linux-x86_64-abcdef"
    )


def test_each_machine_has_a_line_from_its_best_run(results: Path) -> None:
    record(results / "one/old", created="2024-01-01T00:00:00Z", id="old", environment=on("Zen"), ns=90_000)
    record(results / "one/new", id="new", environment=on("Zen"))
    record(results / "other/run", id="other", environment=on("Core"))
    record(results / "one/quick", id="quick", environment=on("Atom"), profile=Profile.QUICK)
    comments = module.expectations({SLOW})[SLOW]
    assert sorted(comment.rpartition("; ")[2] for comment in comments) == ["new", "other"]


def test_of_another_cell_nothing_is_expected(results: Path) -> None:
    record(results / "run")
    other = Cell(SLOW.codec, SLOW.scenario, SLOW.operation, but(SERIALIZE, buffer="fresh"))
    assert module.expectations({other}) == {other: []}


@pytest.mark.parametrize("kept", [True, False])
def test_without_recorded_runs_nothing_is_expected(results: Path, kept: bool) -> None:
    if kept:
        results.mkdir()
    assert module.expectations({SLOW}) == {SLOW: []}


def test_a_damaged_run_is_named_and_left_out(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record(results / "good")
    record(results / "bad", id="bad")
    (results / "bad/samples.jsonl").write_text("{}\n")
    record(results / "worse", id="worse")
    (results / "worse/run.json").write_text("[]")
    assert len(module.expectations({SLOW})[SLOW]) == 1
    told = capsys.readouterr().err
    assert "left out: " in told
    assert "bad/samples.jsonl:1" in told
    assert "worse/run.json" in told


def test_a_machine_s_name_cannot_leave_its_comment(results: Path) -> None:
    record(results / "run", environment=on("Evil\ntouch owned\r\x1b[2J\u2028rm -rf"))
    (comment,) = module.expectations({SLOW})[SLOW]
    assert len(comment.splitlines()) == 1


def test_the_output_measures_when_it_is_pasted(
    results: Path, fake_lab: Callable[..., Lab], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAB_RUNNERS", str(fake_lab().manifest))
    monkeypatch.setattr(paths, "STATE", tmp_path / "state")
    words = ["-f", "fake/good point serialize", "--repetitions", "5"]
    before = CliRunner().invoke(cell, words, catch_exceptions=False).stdout
    assert "#" not in before
    conditions = {Operation.SERIALIZE: Conditions(buffer="reused")}
    made = Made("point", rounds=5).codec("fake/good", {Operation.SERIALIZE: 50}, conditions=conditions)
    made.write(results / "run")
    after = CliRunner().invoke(cell, words, catch_exceptions=False).stdout
    comment, command = after.splitlines()
    assert comment.startswith("# expect 5")
    assert command == before.strip()
    subprocess.run(after, shell=True, check=True)
    assert (tmp_path / "state/cell/samples.jsonl").read_text().count("\n") == 1
