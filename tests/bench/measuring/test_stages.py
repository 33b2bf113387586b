"""run.json from its design to its last stage, and what older labs wrote as one of today's."""

import json
from pathlib import Path

import msgspec
import pytest

from analysis.data.machines.run_paths import runs_below
from bench.base.errors import LabError
from bench.base.paths import RESULTS
from bench.measuring.order import slots
from bench.measuring.stages.prove import proof_of
from bench.model.plan import Blocked, Draft, Encoded, EncodedRows, FilteredRows, Timed, Unproved
from bench.model.upgrade import upgraded
from bench.model.verification import Check, Verification, Verified
from bench.records.run_file import read_run, read_run_file
from tests.bench.measuring.test_plan import drafted
from tests.support.scenarios.committed import committed_scenarios
from tests.support.synthetic_run import usual

RECORDED = sorted(runs_below([RESULTS]))
FEW = 3
"""Recorded runs whose order is checked each time; the slow test takes all others."""
NEWER = ("record", "stage", "calibration", "layouts", "endings", "pending")
NEWER_DESIGN = ("order", "scope", "cold", "sweeps", "total_budget_s")
OLD_CELL = {
    "cell": {"codec": "rust/x", "scenario": "process-created", "operation": "serialize", "conditions": {}},
    "format": "f",
    "library": "l",
    "version": "1",
    "control": False,
    "self_describing": False,
    "sha256": "0" * 64,
}


def old_run(path: Path, *cells: dict, ready: bool) -> Path:
    """A run of record version 1, as the lab wrote it until 2026-11-22."""
    usual().write(path)
    run = json.loads((path / "run.json").read_text())
    plan = run["plan"] | {"cells": [OLD_CELL | cell for cell in cells], "twins": []}
    kept = {name: value for name, value in run.items() if name not in NEWER}
    (path / "run.json").write_text(json.dumps(kept | {"plan": plan, "ready": ready}))
    return path


@pytest.mark.parametrize(
    "path",
    [*RECORDED[:FEW], *(pytest.param(path, marks=pytest.mark.slow) for path in RECORDED[FEW:])],
    ids=lambda path: path.name,
)
def test_the_plan_of_a_recorded_run_still_gives_the_order_in_which_it_was_measured(path):
    recorded = read_run(path)
    blocked = {str(planned.cell) for planned in recorded.run.plan.cells if planned.blocked is not None}
    measured = [(p.cell, p.round, p.place, p.twin, p.kind) for p in recorded.processes if p.cell not in blocked]
    to_come = iter([(str(s.cell), s.round, s.place, s.twin, s.kind) for s in slots(recorded.run.plan)])
    assert measured
    assert all(process in to_come for process in measured), "a budget leaves out slots; it moves none"


def test_an_old_run_that_was_never_ready_has_all_its_scenarios_to_come(tmp_path):
    nothing = {"repetitions": None, "estimate_ns": None, "encoded_bytes": None, "checksum": None, "blocked": None}
    run = read_run_file(old_run(tmp_path / "run", nothing, ready=False))
    assert (run.plan.cells, run.pending, run.plan.seed) == ([], ["process-created"], 7)


def test_a_run_of_version_3_whose_plan_was_a_draft_has_all_its_scenarios_to_come(tmp_path):
    path = tmp_path / "run"
    usual().write(path)
    run = json.loads((path / "run.json").read_text())
    plan = {name: value for name, value in run.pop("plan").items() if name not in NEWER_DESIGN}
    del run["pending"]
    draft = plan | {"cells": [OLD_CELL], "twins": [OLD_CELL["cell"]]}
    old = run | {"record": 3, "stage": "drafted", "draft": draft, "command": ["lab", "bench", "--cold"]}
    (path / "run.json").write_text(json.dumps(old))
    read = read_run_file(path)
    assert (read.plan.cells, read.plan.twins, read.pending) == ([], [], ["process-created"])
    assert (read.plan.cold, read.plan.sweeps, read.plan.scope) == (True, False, "all")


def test_a_run_of_version_3_whose_plan_was_final_has_none_to_come(tmp_path):
    path = tmp_path / "run"
    usual().write(path)
    run = json.loads((path / "run.json").read_text())
    plan = {name: value for name, value in run["plan"].items() if name not in NEWER_DESIGN}
    del run["pending"]
    (path / "run.json").write_text(json.dumps(run | {"record": 3, "stage": "planned", "plan": plan}))
    read = read_run_file(path)
    assert (read.pending, read.plan.order, len(read.plan.cells)) == ([], [], len(usual().cells))


def test_an_old_cell_of_quick_has_repetitions_and_no_estimate(tmp_path):
    quick = {"repetitions": 100, "estimate_ns": None, "encoded_bytes": 7, "checksum": "crc32:00000000"}
    (cell,) = read_run_file(old_run(tmp_path / "run", quick, ready=True)).plan.cells
    assert isinstance(cell, Timed)
    assert (cell.repetitions, cell.estimate_ns, cell.encoded_bytes) == (100, 0.0, 7)


def test_an_old_blocked_cell_keeps_its_reason(tmp_path):
    failed = {"blocked": "value: 1 against 2", "known_failure": True, "encoded_bytes": 7, "repetitions": None}
    (cell,) = read_run_file(old_run(tmp_path / "run", failed, ready=True)).plan.cells
    assert isinstance(cell, Blocked)
    assert (cell.blocked, cell.known_failure) == ("value: 1 against 2", True)


def test_an_old_cell_without_repetitions_is_refused(tmp_path):
    with pytest.raises(LabError, match=r"plan\.cells\.0\.repetitions"):
        read_run_file(old_run(tmp_path / "run", {"encoded_bytes": 7, "checksum": "crc32:00000000"}, ready=True))


def test_what_is_upgraded_is_not_upgraded_again(tmp_path):
    run = upgraded(json.loads((old_run(tmp_path / "run", ready=True) / "run.json").read_text()))
    assert upgraded(json.loads(json.dumps(run))) == run


def test_a_run_of_which_nothing_is_planned_says_so_wherever_it_is_read(fake_lab, tmp_path):
    path = old_run(tmp_path / "run", {}, ready=False)
    for name in ("samples.jsonl", "processes.jsonl"):
        (path / name).unlink()
    for command in ("table", "variance", "network", "claims", "rank", "compare"):
        assert "--resume" in fake_lab()(command, str(path), *[str(path)] * (command == "compare"), code=69).stderr
    assert "--resume" in fake_lab()("merge", str(path), "-o", str(tmp_path / "merged"), code=69).stderr


@pytest.mark.parametrize(
    ("pending", "problem"),
    [(["point"], "not among"), (["process-created"], "cells in the plan"), (["point", "point"], "twice")],
)
def test_pending_scenarios_that_do_not_fit_are_refused(tmp_path, pending, problem):
    path = tmp_path / "run"
    usual().write(path)
    run = json.loads((path / "run.json").read_text())
    (path / "run.json").write_text(json.dumps(run | {"pending": pending}))
    with pytest.raises(LabError, match=rf"pending.*{problem}"):
        read_run_file(path)


def test_a_run_that_was_killed_before_its_plan_goes_on_with_the_proof(fake_lab, tmp_path):
    """run.json as `lab bench` writes it first, which is what a kill during verification leaves."""
    run, lab = tmp_path / "run", fake_lab(bad="wrong-value")
    lab("bench", "--profile", "quick", "-f", "point", "--out", str(run), code=1)
    done = json.loads((run / "run.json").read_text())
    cells = [{n: v for n, v in cell.items() if n in drafted("x/y").__struct_fields__} for cell in done["plan"]["cells"]]
    kept = {name: value for name, value in done.items() if name not in NEWER}
    begun = kept | {"record": 3, "stage": "drafted", "draft": done["plan"] | {"cells": cells}}
    begun["draft"] = {name: value for name, value in begun["draft"].items() if name not in NEWER_DESIGN}
    del begun["plan"], begun["finished"], begun["load_after"]
    (run / "run.json").write_text(json.dumps(begun))
    (run / "samples.jsonl").unlink()
    (run / "processes.jsonl").unlink()
    assert "--resume" in lab("table", str(run), code=69).stderr
    lab("bench", "--resume", str(run), code=1)
    assert read_run_file(run).finished
    again = json.loads((run / "run.json").read_text())["plan"]
    assert {n: v for n, v in again.items() if n not in NEWER_DESIGN} == {
        n: v for n, v in done["plan"].items() if n not in NEWER_DESIGN
    }


# Proof

SCENARIOS = committed_scenarios()
SIZES = {"encoded_checksum": "crc32:00000001", "decoded_checksum": "crc32:00000002"}


def results(scenario: str, *failures: Check, **verified: object) -> list:
    """What the proof says of every operation of a codec on a scenario."""
    cell = drafted("x/a", scenario)
    cells = [
        msgspec.structs.replace(cell, cell=msgspec.structs.replace(cell.cell, operation=operation))
        for operation in SCENARIOS[scenario].operations
    ]
    good = [] if failures else [Verified("x/a", scenario, 22, **(SIZES | verified))]
    proof = proof_of(Draft(scenario, cells, []), Verification(1, good, list(failures)), SCENARIOS)
    return [proof.results[one.cell] for one in cells]


def test_of_messages_the_proof_holds_size_and_the_checksum_of_the_product():
    serialize, deserialize, both, *_ = results("point")
    assert serialize == Encoded(22, "crc32:00000001")
    assert deserialize == both == Encoded(22, "crc32:00000002")


def test_of_files_it_holds_rows_too():
    rows, matched = SCENARIOS["log-small"].input.generator.rows, SCENARIOS["log-small"].filter.rows
    write, read, filtered = results("log-small", filtered_checksum="crc32:00000003")
    assert write == read == EncodedRows(22, "crc32:00000002", rows)
    assert filtered == FilteredRows(22, "crc32:00000003", rows, matched)


def test_a_codec_that_failed_is_unproved_with_the_check_and_the_reason():
    failed = Check("value", "x/a", "1 against 2", "point")
    assert set(results("point", failed)) == {Unproved("value: 1 against 2", known=False)}


def test_a_failure_that_the_scenario_knows_says_what_it_knows():
    failed = Check("value", "x/a", "1 against 2", "point", known="the library rounds")
    assert set(results("point", failed)) == {Unproved("value: the library rounds", known=True)}


def test_a_failure_of_another_build_blocks_nothing():
    other = Check("value", "x/a", "1 against 2", "point", variant="native")
    with pytest.raises(KeyError):  # of this build nothing was proved, which verification never leaves so
        results("point", other)
