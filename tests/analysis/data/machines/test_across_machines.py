"""Runs of two CPU models: ranges of ratios, ranks that move, verdicts that differ, and the page that shows them."""

import re
import shutil
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from analysis.claims.machines.machine_verdicts import claims_on_machines
from analysis.claims.verdicts import Verdict
from analysis.commands.report import report
from analysis.data.cells import read_cells
from analysis.data.merge import merge
from analysis.tables.machines.across import commits_note, rows_across
from analysis.tables.machines.across_grids import moves_grid, ranges_grid
from analysis.tables.reports import read_report
from bench.base.errors import LabError
from bench.base.files import read_json, write_json
from bench.model.record import Run
from tests.support.recorded.submittable import XEON, submittable
from tests.support.recorded.two_machines import EPYC_NAME, SLOWER, XEON_NAME, two_machines
from tests.support.scenarios.committed import committed_claims
from tests.support.synthetic_run import SER


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The two."""
    return two_machines(tmp_path_factory.mktemp("runs"))


def reports(*paths: Path):
    made = [read_report(path) for path in paths]
    return [(one, one.of("process-created")) for one in made]


def test_ranges_of_ratios_are_those_of_each_machine(runs: tuple[Path, Path]) -> None:
    row = next(r for r in rows_across(reports(*runs)) if (r.codec, r.operation) == ("rust/postcard", SER))
    assert row.reference == "rust/flat-message-unchecked"
    assert row.ratios[XEON_NAME].point == pytest.approx(43 / 19, rel=0.05)
    assert row.ratios[EPYC_NAME].point == pytest.approx(43 * SLOWER / 19, rel=0.05)
    assert (row.low, row.high) == (row.ratios[XEON_NAME].point, row.ratios[EPYC_NAME].point)


def test_the_order_of_runs_changes_no_range(runs: tuple[Path, Path]) -> None:
    one, other = rows_across(reports(*runs)), rows_across(reports(*reversed(runs)))
    assert {(r.codec, r.operation, r.low, r.high) for r in one} == {
        (r.codec, r.operation, r.low, r.high) for r in other
    }


def test_a_range_is_never_of_times(runs: tuple[Path, Path]) -> None:
    grid = ranges_grid(reports(*runs))
    assert grid
    text = " ".join(line for column in grid.columns for line in column.heading)
    assert "relative to rust/flat-message-unchecked" in text
    assert not re.search(r"\b(ns|ms|µs)\b", text)


def test_a_library_of_another_version_has_no_range(runs: tuple[Path, Path], tmp_path: Path) -> None:
    other = shutil.copytree(runs[1], tmp_path / "other")
    run = read_json(other / "run.json", Run)
    cells = [
        msgspec.structs.replace(one, version="9.9") if one.cell.codec == "rust/bincode" else one
        for one in run.plan.cells
    ]
    write_json(other / "run.json", msgspec.structs.replace(run, plan=msgspec.structs.replace(run.plan, cells=cells)))
    found = {row.codec for row in rows_across(reports(runs[0], other))}
    assert "rust/postcard" in found
    assert "rust/bincode" not in found


def test_runs_of_several_commits_are_said_to_be(runs: tuple[Path, Path]) -> None:
    (one, _), (other, _) = reports(*runs)
    assert commits_note([one.run, other.run]) == ()
    changed = msgspec.structs.replace(other.run, provenance=other.run.provenance | {"git_commit": "d" * 40})
    assert "several commits" in commits_note([one.run, changed])[0]


def test_one_machine_has_no_range(runs: tuple[Path, Path]) -> None:
    assert ranges_grid(reports(runs[0])) is None
    assert ranges_grid(reports(runs[0], runs[0])) is None


def test_a_rank_that_moves_is_shown_with_both_ranks(runs: tuple[Path, Path]) -> None:
    grid = moves_grid({"process-created": reports(*runs)})
    rows = {(row[0][0], row[2][0]): row for row in grid.sections[0].rows}
    assert [column.heading[0] for column in grid.columns[3:]] == [EPYC_NAME, XEON_NAME]
    postcard = rows["rust/postcard", "serialize"]
    assert (postcard[3][0], postcard[4][0]) == ("3", "2")
    assert ("rust/flat-message-unchecked", "serialize") not in rows


def test_merged_json_has_machines_and_ranges_of_ratios_alone(runs: tuple[Path, Path], tmp_path: Path) -> None:
    merged = merge(runs, tmp_path / "merged")
    assert {one.machine for one in merged.runs} == {XEON_NAME, EPYC_NAME}
    assert all(cell.machines.keys() == {XEON_NAME, EPYC_NAME} for cell in merged.cells)
    found = next(one for one in merged.ratios if (one.codec, one.operation) == ("rust/postcard", SER))
    assert (found.reference, found.machines) == ("rust/flat-message-unchecked", 2)
    assert (found.min_ratio, found.max_ratio) == pytest.approx((43 / 19, 43 * SLOWER / 19), rel=0.05)
    assert not any(one.codec.endswith(("noop", "memcpy", "clone")) for one in merged.ratios)
    assert "min_ns" not in {field for cell in merged.cells for field in cell.__struct_fields__}


def test_one_machine_merges_without_ranges(runs: tuple[Path, Path], tmp_path: Path) -> None:
    assert merge(runs[:1], tmp_path / "merged").ratios == []


def test_shards_of_one_plan_may_not_lie_on_two_machines(tmp_path: Path) -> None:
    paths = []
    for number in (1, 2):
        made = submittable(XEON | {"model_number": number}, f"00000{number}")
        paths.append(made.write(tmp_path / str(number)))
        run = read_json(paths[-1] / "run.json", Run)
        plan = msgspec.structs.replace(run.plan, shard=f"{number}/2")
        write_json(paths[-1] / "run.json", msgspec.structs.replace(run, plan=plan))
    with pytest.raises(LabError, match=r"environment\.cpu\.model_number"):
        merge(paths, tmp_path / "merged")


def test_verdicts_are_of_each_machine_and_those_that_differ_come_first(runs: tuple[Path, Path]) -> None:
    claims = claims_on_machines(committed_claims(), [read_cells(path) for path in runs])
    assert claims
    assert [one.differs for one in claims] == sorted((one.differs for one in claims), reverse=True)
    first = claims[0]
    assert first.entry.cell.startswith("rust/prost process-created round-trip")
    assert first.verdicts == {EPYC_NAME: Verdict.REFUTED, XEON_NAME: Verdict.REPRODUCED}
    assert first.contradicts
    assert {one.entry.cell for one in claims if one.differs} == {first.entry.cell}


def page(folder: Path, *paths: Path) -> str:
    done = CliRunner().invoke(report, [*map(str, paths), "-o", str(folder)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return (folder / "cpus.html").read_text()


def test_the_page_shows_each_machine_and_the_first_row_is_one_that_differs(runs, tmp_path: Path) -> None:
    text = page(tmp_path / "site", *runs)
    assert "2 CPU models" in text
    assert XEON_NAME in text
    assert EPYC_NAME in text
    assert text.index("The verdict differs") < text.index("The same verdict on each of them")
    assert "Which ranks move" in text
    scenario = (tmp_path / "site" / "scenario-process-created.html").read_text()
    assert "Over all machines" in scenario


def test_the_page_of_one_model_says_so_and_how_to_add_another(runs, tmp_path: Path) -> None:
    text = page(tmp_path / "site", runs[0])
    assert "Only one CPU model has a run here" in text
    assert "./lab bench --profile published" in text
    assert "./lab submit" in text
    assert "Which ranks move" not in text


def test_a_hostile_model_s_name_stays_text(tmp_path: Path) -> None:
    made = submittable(XEON | {"model": "<img src=x onerror=alert(1)>\x1b[2J\u202e`"})
    text = page(tmp_path / "site", made.write(tmp_path / "run"))
    assert "<img" not in text
    assert "\x1b" not in text
    assert "\u202e" not in text
