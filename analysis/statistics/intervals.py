"""Medians and their intervals: functions of plain arrays, without clock, disk or global state.

A *sample vector* has shape (k,): one positive number a round, in the order of the rounds. Two vectors are paired when
index i of both is the same round. Every interval is a 95 % interval if nothing else is said; an `IntervalPair` has a
99 % interval too.

The limits of k: the range of k independent samples holds the true median with probability 1 − 2^(1−k), so below
k = 6 no distribution-free interval reaches 95 % (order statistics; e.g. Conover 1999, “Practical Nonparametric
Statistics”, §3.2). Such intervals are computed all the same; `LEAST_ROUNDS` lets tables say so.
"""

import hashlib
from functools import cache

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Vector = NDArray[np.float64]


CONFIDENCE = 0.95
SURE = 0.99
"""Confidence of the wider intervals, by which a claim is refuted."""


RESAMPLES = 9_999
"""scipy's default; the Monte Carlo error of a bound is then well below the bound's own uncertainty."""


LEAST_ROUNDS = 6
"""The fewest rounds that allow a 95 % interval: 1 − 2^(1−6) = 0.969, 1 − 2^(1−5) = 0.938."""


class Interval(Struct, frozen=True):
    """A point estimate and the bounds of its 95 % interval, all in the unit of the data (a ratio has none)."""

    point: float
    low: float
    high: float

    def holds(self, value: float) -> bool:
        """Whether the interval holds a value, bounds included."""
        return self.low <= value <= self.high

    def scaled(self, factor: float) -> "Interval":
        """The interval in another unit; `factor` is positive."""
        return Interval(self.point * factor, self.low * factor, self.high * factor)


IntervalPair = tuple[Interval, Interval]
"""The 95 % interval and the 99 % interval of one figure."""


def seed_of(*names: str) -> int:
    """A seed from names, independent of their order: SHA-256, since `hash()` of a text differs between processes."""
    return int.from_bytes(hashlib.sha256("\n".join(sorted(names)).encode()).digest()[:8], "big")


def median(values: Vector) -> float:
    """Median of a vector, shape (k,), k ≥ 1; of an even k the mean of the middle two, as in the published tables.

    The minimum, which Chen and Revels 2016 (“Robust benchmarking in noisy environments”) prefer because noise mostly
    adds, is shown next to it in every table; it has no interval, and one lucky placement in memory decides it.
    """
    return float(np.median(values))


def mad(values: Vector) -> float:
    """Median absolute deviation from the median, unscaled, in the unit of the data; shape (k,), k ≥ 1."""
    return float(np.median(np.abs(values - np.median(values))))


def median_interval(values: Vector, seed: int) -> Interval:
    """Median with its bootstrap interval; shape (k,), k ≥ 1. With k = 1 the interval is the point: nothing is known.

    At the profiles' numbers of rounds (k = 10, 20) these intervals contain the true median in 93 to 95 of 100 runs,
    for normal, log-normal and bimodal noise; a test simulates it. With an odd k the bounds jump from sample to sample,
    and may contain it in only 92 (k = 15, 21), so the profiles use an even k.

    Percentile method (Efron 1979), not BCa: BCa takes its acceleration from the jackknife, which is inconsistent for
    a median (Miller 1974; Efron and Tibshirani 1993, §11.6), and is undefined where all leave-one-out medians agree.
    """
    return median_intervals(values, seed)[0]


def median_intervals(values: Vector, seed: int) -> IntervalPair:
    """`median_interval` with its 99 % interval, from the same resamples."""
    point = median(values)
    if len(values) == 1:
        return Interval(point, point, point), Interval(point, point, point)
    resampled = resampled_medians(values, seed)
    # interpolated bounds may lie beyond the samples by the last bit
    least, most = float(values.min()), float(values.max())
    (low, high), (low99, high99) = (_scipy_percentiles(resampled, one) for one in (CONFIDENCE, SURE))
    return Interval(point, max(low, least), min(high, most)), Interval(point, max(low99, least), min(high99, most))


def _scipy_percentiles(resampled: Vector, confidence: float) -> tuple[float, float]:
    """The bounds of a percentile interval as `scipy.stats.quantile` interpolates; NumPy may differ in the last bit."""
    ordered, share = np.sort(resampled), (1 - confidence) / 2

    def quantile(share: float) -> float:
        rank, part = divmod(share * len(ordered) + (1 - share), 1)
        return float((1 - part) * ordered[int(rank) - 1] + part * ordered[int(rank)])

    return quantile(share), quantile(1 - share)


def resampled_medians(values: Vector, seed: int, resamples: int = RESAMPLES) -> Vector:
    """Medians of bootstrap resamples of a vector, shape (k,), k ≥ 1; shape (resamples,).

    The resamples are those that `scipy.stats.bootstrap` draws from the same seed, to the bit; a test compares
    the two. A table needs a thousand intervals, so all resamples are sorted at once, by the ranks of their
    elements in the vector: a sorting network compares column with column, whatever the numbers are.
    """
    count = len(values)
    drawn = np.random.default_rng(seed).integers(0, count, (resamples, count))
    order = np.argsort(values)
    ranks = np.empty(count, dtype=np.min_scalar_type(count))
    ranks[order] = np.arange(count)
    columns = [*np.ascontiguousarray(ranks[drawn].T)]
    for lower, upper in sorting_network(count):
        one, other = columns[lower], columns[upper]
        columns[lower], columns[upper] = np.minimum(one, other), np.maximum(one, other)
    ordered = values[order]
    below, above = ordered[columns[(count - 1) // 2]], ordered[columns[count // 2]]
    return np.asarray((below + above) / 2 if count % 2 == 0 else below, dtype=np.float64)


@cache
def sorting_network(count: int) -> tuple[tuple[int, int], ...]:
    """The pairs of indexes to compare and exchange, in this order, to sort `count` elements.

    Batcher's merge exchange (Knuth, “The Art of Computer Programming”, volume 3, §5.2.2, algorithm M).
    """
    pairs = []
    step = largest = 1 << (count - 1).bit_length() >> 1
    while step:
        distance, offset, bit = step, 0, largest
        while distance:
            pairs += [(i, i + distance) for i in range(count - distance) if i & step == offset]
            distance, offset, bit = (bit - step, step, bit >> 1) if bit != step else (0, 0, 0)
        step >>= 1
    return tuple(pairs)


def bootstrap_medians(values: Vector, seed: int, resamples: int = RESAMPLES) -> Vector:
    """Medians of `resamples` bootstrap resamples of a vector, shape (k,), k ≥ 1; shape (resamples,).

    Computed without drawing the resamples: sorted, a resample's middle elements stand at ⌊k·U⌋, where U are the middle
    order statistics of k uniform numbers; those are Beta distributed, and the next one above the j-th is that of k − j
    numbers above it (Devroye 1986, “Non-Uniform Random Variate Generation”, §V.3). The same distribution as that of
    `scipy.stats.bootstrap`, in time and memory that do not grow with k; a test compares the two.
    """
    ordered, count = np.sort(values), len(values)
    random = np.random.default_rng(seed)
    lower = (count + 1) // 2  # rank of the (lower) middle element, counted from 1
    share = random.beta(lower, count - lower + 1, resamples)
    below = ordered[np.minimum((share * count).astype(np.int64), count - 1)]
    if count % 2:
        return np.asarray(below, dtype=np.float64)
    share += (1 - share) * (1 - random.random(resamples) ** (1 / (count - lower)))
    above = ordered[np.minimum((share * count).astype(np.int64), count - 1)]
    return np.asarray((below + above) / 2, dtype=np.float64)


def large_median_interval(values: Vector, seed: int) -> Interval:
    """As `median_interval`, for vectors of thousands; shape (k,), k ≥ 1."""
    return large_median_intervals(values, seed)[0]


def large_median_intervals(values: Vector, seed: int) -> IntervalPair:
    """As `median_intervals`, for vectors of thousands; shape (k,), k ≥ 1."""
    return percentiles(median(values), bootstrap_medians(values, seed))


def percentiles(point: float, resampled: Vector) -> IntervalPair:
    """The 95 and 99 % percentile intervals of resampled values, shape (resamples,), around a point estimate."""
    shares = [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2, (1 - SURE) / 2, (1 + SURE) / 2]
    low, high, low99, high99 = map(float, np.quantile(resampled, shares))
    return Interval(point, low, high), Interval(point, low99, high99)
