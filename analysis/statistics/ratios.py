"""Ratios of two sample vectors, for runs without canaries; ties and ranks of all runs.

See `analysis.statistics.intervals` for shapes.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from analysis.statistics.estimates import Estimate, Unit
from analysis.statistics.intervals import (
    Interval,
    IntervalPair,
    Vector,
    bootstrap_medians,
    median,
    median_intervals,
    percentiles,
)
from bench.statistics.layouts import SINGLE_LAYOUT_MARGIN

T = TypeVar("T")


def ratio_interval(numerator: Vector, denominator: Vector, seed: int) -> Interval:
    """Median of the per-round ratios of two paired vectors, shape (k,) each, k ≥ 1, positive, with its interval.

    Pairing cancels what affects both sides of a round (drift, frequency, neighbours); rounds are resampled whole, after
    Kalibera and Jones 2013 (“Rigorous Benchmarking in Reasonable Time”: an interval of the ratio, instead of asking
    whether two intervals overlap). Computed on logarithms, so that a/b and b/a agree: for an even k the
    middle two ratios are averaged geometrically. Raises ValueError where the vectors are not paired.
    """
    return ratio_intervals(numerator, denominator, seed)[0]


def ratio_intervals(numerator: Vector, denominator: Vector, seed: int) -> IntervalPair:
    """`ratio_interval` with its 99 % interval."""
    if numerator.shape != denominator.shape:
        raise ValueError(f"not paired: {numerator.shape} and {denominator.shape}")
    return exponential(median_intervals(log_ratios(numerator, denominator), seed))


def log_ratios(numerator: Vector, denominator: Vector) -> Vector:
    """Natural logarithms of the per-round ratios of two paired positive vectors, shape (k,)."""
    return np.asarray(np.log(numerator) - np.log(denominator), dtype=np.float64)


def is_tie(ratio: Estimate, floor: float) -> bool:
    """Whether two cells are tied: their ratio's interval does not lie wholly beyond 1 by more than the noise floor.

    `floor`: the share by which identical code seems to differ. Ratios of single layouts must lie beyond 1 by more than
    10 % besides, since another link may move either cell by that much.

    Georges, Buytaert and Eeckhout 2007 (“Statistically Rigorous Java Performance Evaluation”, §3.3): where the interval
    of the difference contains zero, no conclusion may be drawn.
    """
    least = 1 + max(floor, SINGLE_LAYOUT_MARGIN if ratio.kind is Unit.ROUNDS else 0.0)
    return ratio.low <= least and ratio.high >= 1 / least


def ranks(ordered: Sequence[T], tied: Callable[[T, T], bool]) -> list[int]:
    """Ranks of items that are already sorted, best first: 1, 1, 3, … (competition ranking).

    An item shares the rank of its predecessor's group when `tied(item, first of that group)`. Comparing with the
    first alone keeps a chain of small differences from making one group of everything.
    """
    result: list[int] = []
    for index, item in enumerate(ordered):
        shares = bool(result) and tied(item, ordered[result[-1] - 1])
        result.append(result[-1] if shares else index + 1)
    return result


def unpaired_ratio_intervals(numerator: Vector, denominator: Vector, seed: int) -> IntervalPair:
    """Ratio of the medians of two vectors of different runs, shapes (k,) and (m,), k, m ≥ 1, with its intervals.

    Computed on logarithms, each side resampled separately (Kalibera and Jones 2013, §9, at the level of processes).
    What differs from run to run (heat, neighbours, time of day) is in neither side's spread, so the interval is too
    narrow by whatever a second pair of runs would show; for noise alone it contains the truth in 96 to 98 of 100.
    Positive vectors only.
    """
    one, other = np.log(numerator), np.log(denominator)
    first, second = bootstrap_medians(one, seed), bootstrap_medians(other, seed ^ 1)
    return exponential(percentiles(median(one) - median(other), first - second))


def geometric_mean_intervals(logs: Sequence[Vector], seed: int) -> IntervalPair:
    """Geometric mean over s ≥ 1 scenarios of the median per-round ratio in each, with its intervals.

    `logs`: for each scenario the logarithms of its per-round ratios, shape (k_s,), k_s ≥ 1. The geometric mean is the
    only mean of ratios that does not depend on the reference (Fleming and Wallace 1986, “How not to lie with
    statistics: the correct way to summarize benchmark results”). Each scenario is resampled separately. Such an
    interval contains the truth in 97 to 99 of 100 (a test simulates it): too wide rather than too narrow.
    """
    point = float(np.mean([median(vector) for vector in logs]))
    resampled = np.mean([bootstrap_medians(vector, seed + index) for index, vector in enumerate(logs)], axis=0)
    return exponential(percentiles(point, np.asarray(resampled, dtype=np.float64)))


def exponential(intervals: IntervalPair) -> IntervalPair:
    """Turns intervals of logarithms back into ones of the original unit."""
    one, other = (Interval(*np.exp([one.point, one.low, one.high]).tolist()) for one in intervals)
    return one, other
