import math

import numpy as np
import pytest
from scipy import stats

from bench.statistics.layouts import (
    cell_estimate,
    lower_quartile,
    process_spread,
    ratio_estimate,
    spread,
    unit_logs,
)


def test_a_layout_s_figure_is_the_median_of_its_calm_loops() -> None:
    times = np.array([1, 2, 3, 4, 100, 1000, 5, 5, 5, 5, 5, 5.0])
    taken = np.array([1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1], bool)
    units = unit_logs(times, np.repeat([7, 3], 6), taken)
    assert units.units.tolist() == [3, 7]
    assert np.exp(units.logs) == pytest.approx([5, 3])


def test_a_layout_with_four_calm_loops_has_no_figure() -> None:
    taken = np.array([1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 0], bool)
    assert unit_logs(np.ones(12), np.repeat([1, 2], 6), taken).units.tolist() == [2]
    assert unit_logs(np.ones(12), np.repeat([1, 2], 6), taken, least=4).units.tolist() == [1, 2]


def test_a_cell_s_interval_is_student_s() -> None:
    logs = np.array([1.0, 1.1, 1.3, 1.2])
    estimate = cell_estimate(logs)
    assert estimate
    low, high = stats.t.interval(0.99, 3, np.mean(logs), stats.sem(logs))
    assert estimate.bounds(0.99) == pytest.approx((math.exp(low), math.exp(high)))


def test_a_ratio_s_interval_is_welch_s() -> None:
    one, other = np.array([1.0, 1.1, 1.3, 1.2]), np.array([0.7, 0.75, 0.72, 0.7, 0.71, 0.77])
    estimate = ratio_estimate(one, other)
    theirs = stats.ttest_ind(one, other, equal_var=False)
    assert estimate
    assert estimate.degrees == pytest.approx(theirs.df)
    assert estimate.log / estimate.error == pytest.approx(theirs.statistic)
    assert estimate.half_width() == pytest.approx((theirs.confidence_interval().high - estimate.log), rel=0.01)


def test_of_one_layout_no_interval_is_known() -> None:
    estimate = cell_estimate(np.array([1.0]))
    assert estimate
    assert estimate.bounds() == (0, math.inf)
    ratio = ratio_estimate(np.array([1.0]), np.array([1.0, 2.0]))
    assert ratio
    assert ratio.half_width() == math.inf


def test_without_a_unit_there_is_no_figure() -> None:
    nothing = np.array([])
    assert cell_estimate(nothing) is None
    assert ratio_estimate(nothing, np.array([1.0])) is None
    assert ratio_estimate(np.array([1.0]), nothing) is None


def test_two_sides_without_spread_differ_exactly() -> None:
    ratio = ratio_estimate(np.array([1.0, 1.0]), np.array([0.5, 0.5, 0.5]))
    assert ratio
    assert ratio.bounds() == pytest.approx((math.exp(0.5), math.exp(0.5)))


def test_the_lower_quartile_is_numpy_s() -> None:
    assert lower_quartile(np.array([4.0, 1.0, 2.0, 3.0, 5.0])) == 2


def simulated(between: float, within: float) -> tuple[float, float]:
    """Medians over 200 runs of both parts of the half-width, of 8 layouts, 6 processes each and 5 loops a process."""
    random = np.random.default_rng(15)
    layouts, processes = np.repeat(np.arange(8), 30), np.repeat(np.arange(48), 5)
    parts = []
    for _ in range(200):
        logs = random.normal(0, between, 8)[layouts] + random.normal(0, within, 48)[processes]
        found = spread(np.exp(logs), layouts, processes, np.ones(240, bool))
        parts.append((found.within, found.between))
    within_part, between_part = np.median(parts, axis=0)
    return float(within_part), float(between_part)


def test_the_half_width_has_two_parts() -> None:
    multiple = stats.t.ppf(0.975, 7)
    within, between = simulated(between=0.03, within=0.02)
    assert within == pytest.approx(multiple * 0.02 / math.sqrt(48), rel=0.1)
    assert between == pytest.approx(multiple * 0.03 / math.sqrt(8), rel=0.1)


def test_layouts_that_do_not_differ_have_no_part_of_their_own() -> None:
    within, between = simulated(between=0.0, within=0.02)
    assert between < within


def test_both_parts_make_the_whole_half_width() -> None:
    random = np.random.default_rng(3)
    layouts, times = np.repeat([1, 2, 3], 20), np.exp(random.normal(0, 0.1, 60) + np.repeat([0, 0.3, 0.5], 20))
    found = spread(times, layouts, np.repeat(np.arange(12), 5), np.ones(60, bool))
    whole = cell_estimate(unit_logs(times, layouts, np.ones(60, bool)).logs)
    assert whole
    assert math.hypot(found.within, found.between) == pytest.approx(whole.half_width())


def test_with_one_process_a_layout_the_loops_tell_the_noise() -> None:
    random = np.random.default_rng(4)
    layouts = np.repeat(np.arange(8), 100)
    found = spread(np.exp(random.normal(0, 0.05, 800)), layouts, layouts, np.ones(800, bool))
    assert found.within == pytest.approx(stats.t.ppf(0.975, 7) * 1.2533 * 0.05 / math.sqrt(800), rel=0.15)


def test_before_two_layouts_have_figures_nothing_is_known() -> None:
    assert spread(np.ones(12), np.repeat([1, 2], 6), np.repeat([1, 2], 6), np.arange(12) < 8).within == math.inf
    assert process_spread(np.array([1.0])).within == math.inf


def test_where_processes_are_the_units_rounds_help_with_all_of_it() -> None:
    logs = np.array([1.0, 1.1, 1.3, 1.2])
    found = process_spread(logs)
    assert found.between == 0
    assert found.within == pytest.approx(stats.t.ppf(0.975, 3) * stats.sem(logs))
