"""Runs with canaries and layouts whose true times are known: what is calm, what figures rest on, what the floor is."""

from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
import pytest

from analysis.data.cells import ScenarioCells, Series, read_cells
from analysis.data.floors import UNKNOWN_FLOOR, Kind, calm_spread, floor_between, floor_of, same_pairs
from analysis.data.inference import ratio_between_runs, ratio_of, time_of
from analysis.statistics.estimates import Unit
from analysis.statistics.ratios import is_tie
from bench.model.record import CanaryReference
from tests.support.recorded.calm_run import CANARY_NS, KERNEL, CalmMade, Neighbour
from tests.support.synthetic_run import DESER, SER

TIMES = {"rust/a": 100.0, "rust/b": 150.0, "rust/c": 300.0}


def made(rounds: int = 40, **options: int) -> CalmMade:
    """Three codecs, one of which is measured under a second name."""
    result = CalmMade(rounds=rounds, **options)
    for codec, ns in TIMES.items():
        result.codec(codec, {SER: ns, DESER: 2 * ns})
    return result.twin("rust/a", SER, DESER)


def cells_of(run: CalmMade, path: Path) -> ScenarioCells:
    """Its only scenario, read back."""
    (cells,) = read_cells(run.write(path / "run")).scenarios
    return cells


def of(cells: ScenarioCells, codec: str) -> Series:
    """A codec's serialize."""
    return next(
        one for (cell, twin), one in cells.series.items() if (cell.codec, cell.operation, twin) == (codec, SER, False)
    )


def truth(run: CalmMade, series: Series) -> float:
    """The mean over layouts that a figure is an estimate of."""
    factors = [run.factor_of(series.cell, layout) for layout in series.layouts]
    return run.ns[series.cell] * float(np.exp(np.mean(np.log(factors))))


def shifts(run: CalmMade, cells: ScenarioCells, figure: Callable[[Series], float | None]) -> list[float]:
    """By which share a figure of each cell is off, of cells that have one."""
    found = [(figure(one), truth(run, one)) for one in cells.series.values()]
    return [abs(ns / true - 1) for ns, true in found if ns is not None]


def point(series: Series) -> float | None:
    """The figure of a cell."""
    figure = time_of(series)
    return None if figure is None else figure.point


def plain(series: Series) -> float:
    """The median of all loops."""
    return float(np.median(series.loops.ns))


# the neighbour


def test_without_a_neighbour_all_loops_are_calm_and_gating_changes_nothing(tmp_path: Path) -> None:
    run = made()
    cells = cells_of(run, tmp_path)
    for series in cells.series.values():
        assert series.calm_share is not None
        assert series.calm_share >= 0.99
        medians = [np.median(series.loops.ns[series.loops.layouts == layout]) for layout in series.layouts]
        assert point(series) == pytest.approx(float(np.exp(np.mean(np.log(medians)))), rel=0.001)
    assert max(shifts(run, cells, point)) < 0.01


@pytest.mark.parametrize("burst_s", [0.1, 10.0])
def test_beside_a_neighbour_figures_stay_where_plain_medians_move(tmp_path: Path, burst_s: float) -> None:
    """He works 60 % of the time (half of it is where a median of two speeds says nothing) and halves the speed."""
    run = made()
    run.neighbour = Neighbour(burst_s, busy=0.6)
    cells = cells_of(run, tmp_path)
    gated = shifts(run, cells, point)
    assert len(gated) == len(cells.series)
    assert max(gated) <= 0.02
    assert np.mean(shifts(run, cells, plain)) >= 0.20


def test_beside_bursts_shorter_than_loops_there_is_no_figure(tmp_path: Path) -> None:
    """Each loop of 3 to 18 ms meets several bursts of 1 ms, though canaries of 0.5 ms fall between them."""
    run = made()
    run.neighbour = Neighbour(0.001)
    cells = cells_of(run, tmp_path)
    assert np.mean(shifts(run, cells, plain)) >= 0.20
    assert not shifts(run, cells, point)


# what a figure rests on


def test_a_figure_rests_on_layouts(tmp_path: Path) -> None:
    found = time_of(of(cells_of(made(), tmp_path), "rust/a"))
    assert found
    assert (found.kind, found.units, found.rounds) == (Unit.LAYOUTS, 8, 40)
    assert found.within_share < 0.2


def test_of_a_single_layout_it_rests_on_processes(tmp_path: Path) -> None:
    run = made()
    run.only_layout = dict.fromkeys(TIMES, 0)
    cells = cells_of(run, tmp_path)
    found = ratio_of(of(cells, "rust/b"), of(cells, "rust/a"))
    assert found
    assert (found.kind, found.units) == (Unit.ROUNDS, 40)


def test_layouts_and_processes_compare(tmp_path: Path) -> None:
    run = made()
    run.only_layout = {"rust/b": 0}
    cells = cells_of(run, tmp_path)
    found = ratio_of(of(cells, "rust/b"), of(cells, "rust/a"))
    assert found
    assert (found.kind, found.units) == (Unit.ROUNDS, 8)
    assert found.point == pytest.approx(1.5, rel=0.05)


def test_a_codec_without_canaries_compares_by_its_rounds(tmp_path: Path) -> None:
    run = made()
    run.kernels = {"rust/b": None}
    cells = cells_of(run, tmp_path)
    assert not of(cells, "rust/b").canaried
    found = ratio_of(of(cells, "rust/b"), of(cells, "rust/a"))
    assert found
    assert found.kind is Unit.ROUNDS


def test_fewer_than_five_calm_loops_a_layout_give_no_figure(tmp_path: Path) -> None:
    run = made(rounds=8)
    run.disturbed = {"rust/b": 0.5}
    cells = cells_of(run, tmp_path)
    assert time_of(of(cells, "rust/a"))
    units = [np.sum(of(cells, "rust/b").loops.calm[of(cells, "rust/b").loops.layouts == one]) for one in range(1, 9)]
    found = time_of(of(cells, "rust/b"))
    assert (0 if found is None else found.units) == sum(count >= 5 for count in units) < 8


def test_long_repetitions_are_not_gated(tmp_path: Path) -> None:
    """The lower quartile of all loops: the pilot's estimate decides, as it did for the driver."""
    run = made()
    run.codec("rust/long", {SER: 60e6})
    run.repetitions_of = {"rust/long": 1}
    cells = cells_of(run, tmp_path)
    series = of(cells, "rust/long")
    assert not series.gated
    quartiles = [np.percentile(series.loops.ns[series.loops.layouts == layout], 25) for layout in series.layouts]
    assert point(series) == pytest.approx(float(np.exp(np.mean(np.log(quartiles)))))


# the reference


def test_canaries_far_from_the_calibration_are_judged_by_the_run(tmp_path: Path) -> None:
    run = made()
    calibrated = round(CANARY_NS / 1.2)
    run.calibration = {KERNEL: CanaryReference(calibrated, calibrated, 1.0, 10_000)}
    cells = cells_of(run, tmp_path)
    assert cells.references[KERNEL].shifted
    assert of(cells, "rust/a").calm_share == 1.0


def test_portable_canaries_are_judged_by_their_own_binary(tmp_path: Path) -> None:
    run = made()
    run.kernels = {"rust/b": "portable/1"}
    run.slower_canary = {"rust/b": 3.0}
    cells = cells_of(run, tmp_path)
    assert "portable/1" not in cells.references
    assert of(cells, "rust/b").calm_share == 1.0


# identical code


def test_identical_code_of_two_codecs_is_a_pair_and_a_tie(tmp_path: Path) -> None:
    """Its layouts differ by 5 %; what they show is the floor, so that it is a tie."""
    run = made(rounds=24, layouts=4)
    run.layout_spread = 0.05
    run.codec("rust/same", {SER: 100.0, DESER: 200.0})
    run.identical = {run.cell("rust/same", operation): "rust/a" for operation in (SER, DESER)}
    cells = cells_of(run, tmp_path)
    pairs = same_pairs(cells)
    assert {(pair.cell.codec, pair.other) for pair in pairs} == {("rust/a", None), ("rust/same", "rust/a")}
    floor = floor_of(cells, Kind.NATIVE)
    assert floor
    assert floor.pairs == 4
    ratio = ratio_of(of(cells, "rust/same"), of(cells, "rust/a"))
    assert ratio
    assert is_tie(ratio, floor.share)


def test_each_kind_of_runner_has_its_floor(tmp_path: Path) -> None:
    run = made()
    run.codec("python/a", {SER: 900.0}).codec("python/b", {SER: 900.0})
    cells = cells_of(run, tmp_path)
    native = floor_of(cells, Kind.NATIVE)
    assert native
    assert floor_of(cells, Kind.INTERPRETED) is None
    assert floor_between(cells, "python/a", "python/b") == UNKNOWN_FLOOR, "nothing was measured twice"
    assert floor_between(cells, "python/a", "rust/b") == max(native.share, UNKNOWN_FLOOR)
    assert floor_between(cells, "rust/a", "rust/b") == native.share


def test_the_pair_must_have_the_same_conditions(tmp_path: Path) -> None:
    run = made()
    run.codec(
        "rust/other",
        {SER: 100.0},
        conditions={SER: msgspec.structs.replace(run.cell("rust/a", SER).conditions, buffer="fresh")},
    )
    run.identical = {planned.cell: "rust/a" for planned in run.cells if planned.cell.codec == "rust/other"}
    assert {pair.other for pair in same_pairs(cells_of(run, tmp_path))} == {None}


def test_codecs_in_unequal_moments_are_noticed(tmp_path: Path) -> None:
    run = made()
    run.disturbed = {"rust/c": 0.3}
    spread = calm_spread(cells_of(run, tmp_path))
    assert spread
    assert spread.least[0] == "rust/c"


def test_a_neighbour_of_all_is_no_reason_to_withhold_ranks(tmp_path: Path) -> None:
    run = made()
    run.neighbour = Neighbour(10.0)
    assert calm_spread(cells_of(run, tmp_path)) is None


def test_a_step_of_the_clock_between_two_runs_is_no_change(tmp_path: Path) -> None:
    faster = made()
    faster.clock = 0.95
    one, other = cells_of(made(), tmp_path / "one"), cells_of(faster, tmp_path / "other")
    found = ratio_between_runs(of(other, "rust/a"), of(one, "rust/a"))
    assert found
    assert found.point == pytest.approx(1.0, abs=0.002)
    times = [time_of(of(cells, "rust/a")) for cells in (other, one)]
    assert times[0]
    assert times[1]
    assert times[0].point / times[1].point == pytest.approx(0.95, abs=0.002)


def test_two_runs_compare_by_layouts(tmp_path: Path) -> None:
    one, other = (cells_of(made(), tmp_path / name) for name in ("one", "other"))
    found = ratio_between_runs(of(other, "rust/a"), of(one, "rust/a"))
    assert found
    assert found.kind is Unit.LAYOUTS
    assert found.interval.holds(1.0)
