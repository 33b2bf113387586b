"""What tables say of their own certainty: floors, calm shares, layouts, withheld ranks, and the table of variances."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from analysis.commands.variance import variance
from analysis.data.cells import Series
from analysis.tables.choices.choice import choices
from analysis.tables.digest.at_a_glance import glance
from analysis.tables.layout import NOTHING, Grid
from analysis.tables.reports import ScenarioReport, read_report
from analysis.tables.rows import Row, Table
from analysis.tables.timings import ranged_rounds, typical_ns
from bench.base.errors import LabError
from bench.model.record import CanaryReference, Ending, EndingRule
from tests.support.recorded.calm_run import CANARY_NS, KERNEL, CalmMade
from tests.support.synthetic_run import BOTH, DESER, SER, usual


def made(rounds: int = 24, **options: int) -> CalmMade:
    """Two codecs that differ by 3 %, one that is twice as slow."""
    run = CalmMade(rounds=rounds, **options)
    for codec, ns in {"rust/a": 100.0, "rust/b": 103.0, "rust/c": 200.0}.items():
        run.codec(codec, {SER: ns, DESER: ns, BOTH: 2 * ns})
    return run.twin("rust/a")


def report_of(run: CalmMade, path: Path) -> ScenarioReport:
    (report,) = read_report(run.write(path / "run")).scenarios
    return report


def note(grid: Grid, words: str) -> str:
    """The first note that holds these words."""
    return next(one for one in grid.notes if words in one)


def ranks(report: ScenarioReport) -> dict[str, int | None]:
    return {row.codec: row.rank for row in report.table.overview.codecs}


def test_a_rank_is_shared_below_the_floor_and_not_beyond_it(tmp_path: Path) -> None:
    run = made()
    run.layout_spread = 0.001
    assert ranks(report_of(run, tmp_path / "sharp")) == {"rust/a": 1, "rust/b": 2, "rust/c": 3}
    run.layout_spread = 0.02
    assert ranks(report_of(run, tmp_path / "blunt")) == {"rust/a": 1, "rust/b": 1, "rust/c": 3}


def test_without_code_that_was_measured_twice_ten_per_cent_share_a_rank(tmp_path: Path) -> None:
    run = made()
    run.layout_spread, run.twins = 0.001, []
    report = report_of(run, tmp_path / "native")
    assert ranks(report) == {"rust/a": 1, "rust/b": 1, "rust/c": 3}
    assert "unknown, since the run has no code twice" in note(report.published, "Noise floor")
    assert "differences below 10 % are taken for chance" in note(report.published, "Noise floor")
    assert "differences below 10 % mean nothing" in report.published.title

    mixed = made()
    mixed.codec("python/a", {SER: 900.0, DESER: 900.0, BOTH: 1_800.0})
    published = report_of(mixed, tmp_path / "mixed").published
    assert "No interpreted code is in it twice: there differences below 10 %" in note(published, "Noise floor")
    assert "differences below 10 % interpreted mean nothing" in published.title


def test_with_one_layout_ten_per_cent_share_a_rank(tmp_path: Path) -> None:
    run = made()
    run.layout_spread, run.only_layout = 0.001, dict.fromkeys(("rust/a", "rust/b", "rust/c"), 0)
    report = report_of(run, tmp_path)
    assert ranks(report) == {"rust/a": 1, "rust/b": 1, "rust/c": 3}
    assert "One layout of each runner: codecs closer than 10 % share a rank" in note(report.published, "One layout")


def test_floor_calm_share_layouts_and_ending_stand_under_the_table(tmp_path: Path) -> None:
    run = made()
    run.ending = Ending(EndingRule.BUDGET, 24, 8, 300.0, 0.87, 0.9)
    grid = report_of(run, tmp_path).published
    assert "(3 pairs, the furthest apart by" in note(grid, "Noise floor")
    assert "100 % of the loops were calm; figures are of these alone. Layouts of a runner: 8." in grid.notes
    assert (
        "Measured until the scenario's time was spent: 24 rounds, 8 layouts, 300 s; 87 % of the cells are as precise as "
        "asked for."
    ) in grid.notes
    assert "min – max of all loops of the first 10 rounds" in grid.notes[0]


@pytest.mark.parametrize("published", [1, 3, 24])
def test_a_range_holds_the_figure_and_no_more_rounds_than_it_takes(published: int, tmp_path: Path) -> None:
    run = made()
    run.layout_spread = 0.05
    taken = []
    for series in report_of(run, tmp_path).cells.series.values():
        rounds, figure_ns = ranged_rounds(series, published), typical_ns(series)

        def held(number: int, series: Series = series, figure_ns: float = figure_ns) -> bool:
            ns = series.loops.ns[np.isin(series.loops.rounds, series.rounds[:number])]
            return bool(ns.min() <= figure_ns <= ns.max())

        assert held(rounds)
        assert rounds == published or not held(rounds - 1)
        taken.append(rounds)
    assert max(taken) > published if published == 1 else min(taken) == published


def test_a_high_floor_is_explained_and_stands_beside_the_title(tmp_path: Path) -> None:
    run = made(layouts=4)
    run.layout_spread = 0.1
    run.codec("rust/same", {SER: 100.0, DESER: 100.0, BOTH: 200.0})
    run.identical = {run.cell("rust/same", operation): "rust/a" for operation in (SER, DESER, BOTH)}
    grid = report_of(run, tmp_path).published
    assert re.search(" – differences below .* mean nothing", grid.title)
    assert "of the variance between identical code is between layouts" in note(grid, "above 3.0 %")


def test_a_low_floor_is_not_beside_the_title(tmp_path: Path) -> None:
    run = made()
    run.layout_spread = 0.001
    assert "mean nothing" not in report_of(run, tmp_path).published.title


def test_a_cell_that_was_seldom_calm_is_marked_and_has_no_rank(tmp_path: Path) -> None:
    run = made(rounds=8)
    run.disturbed = {"rust/b": 0.97}
    report = report_of(run, tmp_path)
    row = next(row for row in report.table.overview.rows if row.codec == "rust/b")
    assert row.rank is None
    assert row.relative.here is None
    assert "¤ not calm" in note(report.published, "¤")
    shown = [line for section in report.published.sections for cells in section.rows for cell in cells for line in cell]
    assert any(line.endswith("¤") for line in shown)


def test_ranks_are_withheld_where_codecs_met_unequal_moments(tmp_path: Path) -> None:
    run = made(rounds=40)
    run.disturbed = {"rust/c": 0.3}
    report = report_of(run, tmp_path)
    assert set(ranks(report).values()) == {None}
    assert any(warning.startswith("No ranks:") and "rust/c" in warning for warning in report.published.warnings)


def test_a_time_of_one_calm_layout_has_no_interval_and_no_rank(tmp_path: Path) -> None:
    run = made(rounds=4, layouts=4)
    run.layout_spread = 0.001
    run.disturbed_layouts = {"rust/a": {2, 3, 4}, "rust/b": {1, 2}, "rust/c": {3, 4}}
    report = report_of(run, tmp_path)
    assert ranks(report) == {"rust/a": None, "rust/b": 2, "rust/c": 3}, "it keeps its place"
    assert note(report.published, "without an interval or a rank").count(": 3 of 9 cells.") == 1
    assert glance(report.table).fastest == NOTHING


def test_nothing_is_ranked_after_one_round(tmp_path: Path) -> None:
    assert set(ranks(report_of(made(rounds=1), tmp_path)).values()) == {None}


def test_nobody_is_called_the_fastest_where_ranks_are_withheld(tmp_path: Path) -> None:
    assert glance(report_of(made(), tmp_path / "even").table).fastest.startswith("rust/a, round-trip 2")
    run = made(rounds=40)
    run.disturbed = {"rust/c": 0.3}
    assert glance(report_of(run, tmp_path / "uneven").table).fastest == NOTHING


def test_nobody_is_called_the_fastest_where_another_without_a_figure_may_be(tmp_path: Path) -> None:
    table = report_of(made(), tmp_path).table

    def without_figure(codec: str) -> Table:
        def seldom_calm(row: Row) -> Row:
            own = row.measures[BOTH]
            timing = own.timing and replace(own.timing, is_figure=False)
            return replace(row, measures={**row.measures, BOTH: replace(own, timing=timing)})

        rows = tuple(seldom_calm(row) if row.codec == codec else row for row in table.overview.rows)
        return replace(table, overview=replace(table.overview, rows=rows))

    assert glance(without_figure("rust/c")).fastest.startswith("rust/a, round-trip")
    assert glance(without_figure("rust/a")).fastest == NOTHING


def test_where_hardly_any_cell_was_calm_none_is_first_and_none_is_to_be_chosen(tmp_path: Path) -> None:
    assert choices(report_of(made(rounds=8), tmp_path / "calm").cells, {})
    run = made(rounds=8)
    run.disturbed = {"rust/a": 0.97, "rust/b": 0.97, "rust/c": 0.2}
    report = report_of(run, tmp_path / "not")
    times_ns = [typical_ns(row.measures[BOTH].series) for row in report.table.overview.codecs]
    assert times_ns == sorted(times_ns)
    assert [row.rank for row in report.table.overview.codecs] == [None] * 3
    assert choices(report.cells, {}) == ()


def test_a_run_faster_or_slower_than_its_calibration_says_so(tmp_path: Path) -> None:
    run = made()
    calibrated = round(CANARY_NS / 1.2)
    run.calibration = {KERNEL: CanaryReference(calibrated, calibrated, 1.0, 10_000)}
    assert "took ×1.20 of the time that its calibration found" in note(
        report_of(run, tmp_path).published, "calibration"
    )


def test_runs_of_before_say_what_they_lack(tmp_path: Path) -> None:
    (report,) = read_report(usual().write(tmp_path / "run")).scenarios
    assert note(report.published, "Recorded without canaries and with one layout")
    assert report.published.notes[0].startswith("Median [min – max]")


# the table of variances


def called(*arguments: object) -> str:
    result = CliRunner().invoke(variance, [str(argument) for argument in arguments], catch_exceptions=False)
    assert result.exit_code == 0
    return result.output


def test_known_components_stand_in_the_table_of_variances(tmp_path: Path) -> None:
    """2 % between 8 layouts of 9 cells, 0.2 % between processes, 0.18 % between loops (a half bell of 0.3 %)."""
    path = made(rounds=48).write(tmp_path / "run")
    (row,) = json.loads(called(path, "--json"))["rows"]
    assert (row["scenario"], row["language"], row["cells"]) == ("process-created", "rust", 9)
    assert row["typical"]["layout"] == pytest.approx(0.02, rel=0.35)
    assert row["typical"]["process"] == pytest.approx(0.002, rel=0.2)
    assert row["typical"]["loop"] == pytest.approx(0.0018, rel=0.1)
    assert "| process-created | rust | 9 | 0.18 % |" in called(path, "--markdown")


def test_without_canaries_there_is_no_table_of_variances(tmp_path: Path) -> None:
    path = usual().write(tmp_path / "run")
    with pytest.raises(LabError, match="without canaries"):
        called(path)
