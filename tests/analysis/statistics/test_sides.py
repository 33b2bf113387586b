"""Figures over layouts and their ratios, against SciPy and against simulated truths."""

import math

import numpy as np
import pytest
from scipy import stats

from analysis.statistics.estimates import Unit
from analysis.statistics.noise import CalmSpread, hides_bursts, uneven_calm
from analysis.statistics.sides import Side, bounds, of_lower_quartile, of_units, total
from analysis.statistics.simulations import LAYOUTS, SHAPES, SPREADS, coverage, floor_coverage
from bench.statistics.layouts import Estimate as Logarithm
from bench.statistics.layouts import ratio_estimate


def side(*logs: float, share: float = 1.0) -> Side:
    found = of_units(np.array(logs), Unit.LAYOUTS, 10, share)
    assert found
    return found


ONE, OTHER = (0.10, 0.12, 0.14), (0.00, 0.05, 0.10, -0.05, -0.10)
"""Symmetric around their means, so that no skewness widens an interval."""


def test_a_ratio_is_that_of_welch() -> None:
    found = total([(1, side(*ONE)), (-1, side(*OTHER))])
    welch = stats.ttest_ind(ONE, OTHER, equal_var=False)
    interval = welch.confidence_interval(0.95)
    assert found.point == pytest.approx(math.exp(0.12))
    # 4.6 degrees of freedom, between which quantiles are interpolated
    assert math.log(found.low) == pytest.approx(interval.low, rel=0.01)
    assert math.log(found.high) == pytest.approx(interval.high, rel=0.01)
    assert found.degrees == pytest.approx(welch.df)
    assert found.units == 3


def test_a_ratio_is_that_of_the_driver() -> None:
    found, driver = total([(1, side(*ONE)), (-1, side(*OTHER))]), ratio_estimate(np.array(ONE), np.array(OTHER))
    assert driver
    assert (found.point, found.low, found.high) == pytest.approx((driver.point, *driver.bounds()))


def test_a_cell_is_no_faster_than_itself() -> None:
    one = side(*ONE)
    found = total([(1, one), (-1, one)])
    assert (found.low99, found.low, found.point, found.high, found.high99) == (1, 1, 1, 1, 1)


def test_of_one_layout_nothing_is_known() -> None:
    found = total([(1, side(0.1)), (-1, side(*OTHER))])
    assert (found.low, found.high, found.degrees) == (0, math.inf, 0)


def test_what_rounds_can_improve_is_weighted_by_its_variance() -> None:
    """Variances of means: 0.02²/3 and 0.00625/5, of which 100 % and 20 % come from within."""
    found = total([(1, side(*ONE)), (-1, side(*OTHER, share=0.2))])
    one, other = 0.02**2 / 3, 0.00625 / 5
    assert found.within_share == pytest.approx((one + 0.2 * other) / (one + other))


def test_skewness_widens_only_the_side_of_the_slow_layouts() -> None:
    value = Logarithm(0.0, 0.01, 7)
    symmetric, skewed = bounds(value, 0.0, 0.95), bounds(value, 0.5 * 0.01**3, 0.95)
    assert skewed[0] == symmetric[0]
    assert skewed[1] > symmetric[1]


def test_a_lower_quartile_has_an_interval_of_processes() -> None:
    times = np.random.default_rng(1).lognormal(0, 0.05, (200, 3))
    found = total([(1.0, of_lower_quartile(times, 1))])
    assert found.low < np.percentile(times, 25) < found.high
    assert found.kind is Unit.ROUNDS
    assert 1.005 < found.high / found.low < 1.03


# simulated


@pytest.mark.parametrize("count", [count for count in LAYOUTS if count >= 8])
@pytest.mark.parametrize("spread", SPREADS)
@pytest.mark.parametrize("shape", SHAPES)
def test_intervals_of_eight_layouts_and_more_hold_the_truth(shape: str, spread: float, count: int) -> None:
    """At least 93 % of 1,500 runs; the standard error of that share is 0.7 %."""
    low, high = coverage(shape, spread, count, 1_500)
    assert low >= 0.93
    assert high >= 0.97


@pytest.mark.parametrize("spread", SPREADS)
def test_differences_of_identical_code_stay_below_the_floor(spread: float) -> None:
    """95 % ± 1.5 of 1,500 scenarios."""
    assert 0.935 <= floor_coverage(spread, 8, 6, 1_500) <= 0.965


# which moments were calm


def canaries(random: np.random.Generator, loops: int, stay: float) -> tuple[np.ndarray, np.ndarray]:
    """Canaries before and after loops of one chain, beside a neighbour who stays as he is with a probability."""
    states = [random.random() < 0.5]
    for _ in range(loops):
        states.append(states[-1] if random.random() < stay else random.random() < 0.5)
    pace = np.where(states, 2.0, 1.0)
    return pace[:-1], pace[1:]


@pytest.mark.parametrize(("stay", "hidden"), [(0.0, True), (0.2, True), (0.6, False), (0.98, False)])
def test_bursts_shorter_than_loops_are_noticed(stay: float, hidden: bool) -> None:
    assert hides_bursts(*canaries(np.random.default_rng(2), 1_000, stay)) is hidden


def test_rare_disturbances_hide_nothing() -> None:
    """Two canaries in a hundred take twice as long: loops take at most 2 % longer."""
    pace = np.where(np.random.default_rng(3).random(1_001) < 0.02, 2.0, 1.0)
    assert not hides_bursts(pace[:-1], pace[1:])


def shares(random: np.random.Generator, **means: float) -> dict[str, np.ndarray]:
    """Calm shares of codecs in 40 rounds, which a neighbour who stays for a round makes alike."""
    of_rounds = random.uniform(-0.3, 0.3, 40)
    return {name: np.clip(mean + of_rounds + random.normal(0, 0.1, 40), 0, 1) for name, mean in means.items()}


def test_a_codec_that_met_calmer_moments_is_named() -> None:
    found = uneven_calm(shares(np.random.default_rng(4), a=0.6, b=0.6, c=0.4))
    assert isinstance(found, CalmSpread)
    assert found.least[0] == "c"


def test_moments_that_differ_by_chance_are_none() -> None:
    """At 1 %: in 200 scenarios of equal codecs, with few rounds so that shares differ a lot, at most 2 %."""
    random = np.random.default_rng(5)
    noticed = [
        uneven_calm({name: (random.random(6) < 0.5).astype(float) for name in "abcdefgh"}) is not None
        for _ in range(200)
    ]
    assert np.mean(noticed) <= 0.02
