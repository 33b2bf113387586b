"""`lab bench` until it is enough: endings, layouts that are added, resumption; over fakes, with a real hyperfine."""

import json
import re
import signal
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from bench.base import paths
from bench.measuring.session import Session
from bench.measuring.stages.draft import Options
from bench.measuring.stages.prospect import Prospect, prospect
from bench.model.plan import Profile
from bench.model.record import EndingRule, Run
from bench.records.run_file import read_run
from tests.support.kills import assert_complete, wait_for, whole_lines
from tests.support.lab import FakeLinker

pytestmark = pytest.mark.skipif(
    not paths.hyperfine().exists(), reason="hyperfine is not built: `./lab bench` builds it"
)
ALONE = ("--not", "still", "--seed", "7")


def ending_of(run: Run):
    (ending,) = run.endings.values()
    return ending


def places(path: Path) -> list[tuple]:
    recorded = read_run(path)
    processes = [(p.cell, p.round, p.place, p.kind, p.twin, p.layout) for p in recorded.processes]
    return [*processes, *((s.cell, s.round, s.index, s.twin, s.layout, s.offset_bytes) for s in recorded.samples)]


def test_a_calm_scenario_ends_precise_after_the_least_rounds_and_records_what_it_was_judged_by(fake_lab, tmp_path):
    run = tmp_path / "run"
    done = fake_lab(calm="calm")("bench", "--budget", "1h", "-f", "calm point serialize", *ALONE, "--out", str(run))
    assert_complete(run)
    recorded = read_run(run)
    ending = ending_of(recorded.run)
    assert (ending.rule, ending.rounds, ending.layouts) == (EndingRule.PRECISE, 8, 4)
    assert (ending.calm_share, ending.precise_share) == (1, 1)
    assert re.search(r"point: precise after 8 rounds, \d", done.stderr), (
        "a program that cannot be linked has no layouts"
    )
    assert recorded.run.calibration["fake/1"].percentile_2_ns == 500_000
    assert "cannot link" in recorded.run.provenance["single_layout"]["fake/calm"]
    assert {s.layout for s in recorded.samples} == {0}
    assert len({s.offset_bytes for s in recorded.samples}) > 4
    assert {s.canary_before_ns for s in recorded.samples} == {500_000}
    if sys.platform == "linux":
        assert all(p.cpu is not None for p in recorded.processes)


def test_on_a_machine_that_is_never_calm_the_budget_ends_it_and_a_sentence_says_so(fake_lab, tmp_path):
    run = tmp_path / "run"
    lab = fake_lab(bad="restless")
    done = lab("bench", "--budget", "0.1s", "-f", "bad point serialize", *ALONE, "--out", str(run))
    ending = ending_of(read_run(run).run)
    assert (ending.rule, ending.rounds, ending.precise_share) == (EndingRule.BUDGET, 8, 0)
    assert ending.calm_share == 0
    assert re.search(r"only \d %.* of the loops were calm: this machine was hardly fit", done.stderr)


def test_a_fixed_number_of_rounds_is_measured_however_precise_they_are(fake_lab, tmp_path):
    run = tmp_path / "run"
    fake_lab(calm="calm")("bench", "--rounds", "10", "-f", "calm point serialize", *ALONE, "--out", str(run))
    assert_complete(run)
    recorded = read_run(run).run
    assert recorded.plan.budget_s == {}
    assert (ending_of(recorded).rule, ending_of(recorded).rounds) == (EndingRule.ROUNDS, 10)


def test_a_foreign_runner_without_canaries_is_not_asked_for_any(fake_lab, tmp_path):
    """It refuses options that it does not know, so that passing them would be an error row."""
    run = tmp_path / "run"
    done = fake_lab()("bench", "--rounds", "2", "-f", "good point serialize", *ALONE, "--out", str(run))
    recorded = read_run(run)
    assert recorded.run.calibration == {}
    assert all(s.canary_before_ns is None and s.offset_bytes == 0 for s in recorded.samples)
    assert ending_of(recorded.run).calm_share == 0
    assert "hardly fit" not in done.stderr


@pytest.mark.parametrize("samples", [30, 130])
def test_a_run_that_was_killed_goes_on_exactly_where_it_was(fake_lab, tmp_path, samples):
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    lab = fake_lab(calm="calm")
    arguments = ("bench", "--budget", "1h", "-f", "calm point serialize", *ALONE)
    lab(*arguments, "--out", str(whole))
    process = lab.start(*arguments, "--out", str(broken))
    wait_for(lambda: len(whole_lines(broken / "samples.jsonl")) >= samples)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    before = whole_lines(broken / "samples.jsonl")
    lab("bench", "--resume", str(broken))
    assert whole_lines(broken / "samples.jsonl")[: len(before)] == before
    assert_complete(broken)
    assert places(broken) == places(whole)
    first, second = (ending_of(read_run(path).run) for path in (whole, broken))
    assert replace(first, seconds=0) == replace(second, seconds=0)


def test_budget_and_rounds_are_not_given_together_and_a_budget_is_a_duration(fake_lab):
    lab = fake_lab()
    assert "one of them" in lab("bench", "--budget", "1m", "--rounds", "3", code=2).stderr
    for text in ("soon", "0", "-1s", "1d", "nan"):
        assert "not a duration" in lab("bench", f"--budget={text}", code=2).stderr


# Layouts, with a linker for fakes


@pytest.fixture
def small(fake_lab, monkeypatch) -> Prospect:
    """Two layouts at first and six at most, so that few processes show what a profile does with many."""
    monkeypatch.setenv("LAB_RUNNERS", str(fake_lab(calm="calm").manifest))
    monkeypatch.setattr("bench.measuring.stages.draft.choose_twins", lambda *_: [])
    options = Options(Profile.PUBLISHED, ["calm point serialize"], ["still"], seed=7, budget_s=3600.0)
    whole = prospect(options, lambda _: None)
    design = replace(whole.design, layouts=2, most_layouts=6, least_rounds={"point": 4}, base_rounds=0)
    return replace(whole, design=design)


def completed(session: Session) -> tuple[Run, list[str]]:
    said: list[str] = []
    try:
        return session.complete(said.append), said
    finally:
        session.close()


def test_layouts_are_added_where_they_dominate(small, tmp_path):
    linker = FakeLinker(tmp_path, mischief={2: "slower-but-calm", 3: "slower-but-calm"})
    run, said = completed(Session.new(small, tmp_path / "run", linker))
    ending = ending_of(run)
    assert (ending.rule, ending.rounds, ending.layouts) == (EndingRule.PRECISE, 8, 6)
    assert len(run.layouts["fake/calm"]) == 6
    recorded = read_run(tmp_path / "run")
    assert [sorted({s.layout for s in recorded.samples if s.round // 2 == block}) for block in range(4)] == [
        [1, 2],
        [1, 2],
        [3, 4],
        [5, 6],
    ]
    slow = {s.layout for s in recorded.samples if s.wall_ns > 1.1 * 1000 * s.repetitions}
    assert slow == {2, 3}
    assert sum("linking" in line for line in said) == 3


def test_where_layouts_do_not_differ_none_are_added(small, tmp_path):
    run, said = completed(Session.new(small, tmp_path / "run", FakeLinker(tmp_path)))
    ending = ending_of(run)
    assert (ending.rule, ending.rounds, ending.layouts) == (EndingRule.PRECISE, 4, 2)
    assert any("point: precise after 4 rounds in 2 layouts" in line for line in said)


@pytest.mark.parametrize("kept", [3, 5, 8])
def test_a_resumed_run_adds_the_same_layouts(small, tmp_path, kept):
    path, linker = tmp_path / "run", FakeLinker(tmp_path, mischief={2: "slower-but-calm", 3: "slower-but-calm"})
    completed(Session.new(small, path, linker))
    whole = places(path)
    document = json.loads((path / "run.json").read_text())
    del document["finished"], document["endings"]
    (path / "run.json").write_text(json.dumps(document))
    processes = whole_lines(path / "processes.jsonl")[:kept]
    samples = [line for line in whole_lines(path / "samples.jsonl") if json.loads(line)["round"] < kept]
    (path / "processes.jsonl").write_text("".join(f"{line}\n" for line in processes))
    (path / "samples.jsonl").write_text("".join(f"{line}\n" for line in samples))
    run, _ = completed(Session.resumed(path, lambda _: None, linker))
    assert places(path) == whole
    assert (ending_of(run).rounds, ending_of(run).layouts) == (8, 6)
