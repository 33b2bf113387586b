"""What a run says of a cell or of two, as estimates; the same figures as in its tables."""

import math
from functools import cache

import numpy as np

from analysis.data.cells import RunCells, Series, paired, ratio_of
from analysis.data.select import twins
from analysis.statistics.estimates import Estimate, Unit
from analysis.statistics.intervals import Interval, Vector, median_interval, seed_of
from analysis.statistics.ratios import log_ratios
from bench.statistics.layouts import SINGLE_LAYOUT_MARGIN
from bench.statistics.student import student_quantile

CONFIDENCE = 0.95
SURE = 0.99


def ratio_estimate(one: Series, other: Series) -> Estimate | None:
    """Time per repetition of one cell over that of another; None if they share no round."""
    interval = ratio_of(one, other)
    return None if interval is None else of_rounds(interval, log_ratios(*paired(one, other)), logarithmic=True)


def median_estimate(values: Vector, *names: str) -> Estimate:
    """The median of one value a round, shape (k,), k ≥ 1; `names` seed its interval."""
    return of_rounds(median_interval(values, seed_of(*names)), values)


def mean_estimate(values: Vector) -> Estimate:
    """The mean of one value a round, shape (k,), k ≥ 1, with Student's intervals: for what has little noise."""
    count, mean = len(values), float(np.mean(values))
    error = float(np.std(values, ddof=1)) / math.sqrt(count) if count > 1 else 0.0
    half, half99 = (student_quantile((1 + share) / 2, max(1, count - 1)) * error for share in (CONFIDENCE, SURE))
    return Estimate(
        point=mean,
        low=mean - half,
        high=mean + half,
        low99=mean - half99,
        high99=mean + half99,
        units=count,
        kind=Unit.ROUNDS,
        within_share=1.0,
        degrees=max(1, count - 1),
        rounds=count,
    )


def of_rounds(interval: Interval, values: Vector, *, logarithmic: bool = False) -> Estimate:
    """An estimate from the 95 % interval of the median of rounds, and from their values, or the values' logarithms."""
    low99, high99 = sure_bounds(values)
    if logarithmic:
        low99, high99 = math.exp(low99), math.exp(high99)
    return Estimate(
        point=interval.point,
        low=interval.low,
        high=interval.high,
        low99=min(low99, interval.low),
        high99=max(high99, interval.high),
        units=len(values),
        kind=Unit.ROUNDS,
        within_share=1.0,
        degrees=max(1, len(values) - 1),
        rounds=len(values),
    )


def sure_bounds(values: Vector) -> tuple[float, float]:
    """Bounds of the median of which no more than 1 % are wrong, shape (k,), k ≥ 1.

    The order statistics that hold the median with at least that probability, whatever the distribution (Conover 1999,
    “Practical Nonparametric Statistics”, §3.2): a bootstrap of 6 to 20 values cannot tell such tails. Below k = 8 the
    range holds it with less, so Student's interval of the mean is joined to it.
    """
    ordered, count = np.sort(values), len(values)
    outside = 0.0
    for dropped in range(count):
        outside += 2 * math.comb(count, dropped) / 2**count
        if outside > 1 - SURE:
            break
    else:
        dropped = 0
    if dropped:
        return float(ordered[dropped - 1]), float(ordered[count - dropped])
    if count == 1:
        return float(ordered[0]), float(ordered[0])
    half = student_quantile((1 + SURE) / 2, count - 1) * float(np.std(values, ddof=1)) / math.sqrt(count)
    middle = float(np.mean(values))
    return min(float(ordered[0]), middle - half), max(float(ordered[-1]), middle + half)


@cache
def noise_of(run: RunCells, scenario: str, codec: str) -> float:
    """What 95 % of differences between identical code stay below in a scenario, for the codec's kind of runner.

    exp(t · √(mean d²)) − 1 of the logarithms d of the A/A ratios; 0 where there are none.
    """
    cells = next(one for one in run.scenarios if one.scenario.name == scenario)
    interpreted = codec.startswith("python/")
    logs = [math.log(twin.ratio.point) for twin in twins(cells) if twin.cell.codec.startswith("python/") == interpreted]
    if not logs:
        return 0.0
    quantile = student_quantile((1 + CONFIDENCE) / 2, len(logs))
    return math.expm1(quantile * math.sqrt(sum(log**2 for log in logs) / len(logs)))


def floor_for(measured: Estimate, noise: float) -> float:
    """The noise floor of a comparison: at least 10 % where one layout was measured, which says nothing of others."""
    return max(noise, SINGLE_LAYOUT_MARGIN) if measured.kind is Unit.ROUNDS else noise
