"""A cell's figure over several runs of one machine: which errors shrink with their number."""

import math

import numpy as np
import pytest

from analysis.data.merged import CellOfRun, Summary, summary_of
from analysis.statistics.estimates import Unit
from analysis.statistics.sides import Side, of_units


def of_run(side: Side) -> CellOfRun:
    times = np.array([100.0, 101.0])
    return CellOfRun(times, side, (100.0, 101.0), layouts=(1, 2), loops=2, calm_loops=2, encoded_bytes=9)


def width(summary: Summary) -> float:
    return math.log(summary.high_ns / summary.low_ns)


def side(kind: Unit, spread: float = 0.02) -> Side:
    found = of_units(np.log([100.0 * (1 + spread * step) for step in range(-4, 5)]), kind, rounds=18)
    assert found
    return found


def test_an_interval_over_layouts_does_not_shrink_with_the_runs_that_share_them() -> None:
    narrow, wide = side(Unit.LAYOUTS), side(Unit.LAYOUTS, spread=0.04)
    alone = width(summary_of("cell", "machine", [of_run(wide)]))
    for runs in ([wide] * 9, [wide, narrow], [narrow, wide, narrow]):
        assert width(summary_of("cell", "machine", [of_run(one) for one in runs])) == pytest.approx(alone)


def test_the_figure_is_the_mean_of_the_runs() -> None:
    sides = [side(Unit.LAYOUTS, spread) for spread in (0.01, 0.02, 0.03)]
    expected = math.exp(np.mean([one.value.log for one in sides]))
    assert summary_of("cell", "machine", [of_run(one) for one in sides]).median_ns == pytest.approx(expected)


def test_an_interval_over_rounds_shrinks() -> None:
    sides = [side(Unit.ROUNDS, spread) for spread in (0.02, 0.021, 0.019, 0.0205)]
    alone, four = (width(summary_of("cell", "machine", [of_run(one) for one in some])) for some in (sides[:1], sides))
    assert four < 0.6 * alone
