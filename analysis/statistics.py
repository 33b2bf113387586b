"""Statistics as functions of plain arrays: no clock, no disk, no global state.

A *sample vector* has shape (k,): one positive number a round, in the order of the rounds. Two vectors are paired when
index i of both is the same round. Every interval is one of 95 %.

What k can give: the range of k independent samples holds the true median with probability 1 − 2^(1−k), so below
k = 6 no distribution-free interval reaches 95 % (order statistics; e.g. Conover 1999, “Practical Nonparametric
Statistics”, §3.2). Such intervals are computed all the same; `LEAST_ROUNDS` lets tables say so.
"""

import hashlib
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Vector = NDArray[np.float64]
T = TypeVar("T")

CONFIDENCE = 0.95
RESAMPLES = 9_999
"""scipy's default; the Monte Carlo error of a bound is then well below the bound's own uncertainty."""
LEAST_ROUNDS = 6
"""The fewest rounds whose intervals can be of 95 %: 1 − 2^(1−6) = 0.969, 1 − 2^(1−5) = 0.938."""
POWER = 0.80
"""The usual power of a minimum detectable effect (Cohen 1988)."""
NORMAL_MAD = 1.4826
"""1 / Φ⁻¹(3/4): MAD times this estimates the standard deviation of normal data."""
MEDIAN_ERROR = 1.2533
"""√(π/2): standard error of a median over that of a mean, for normal data."""
OUTLIER_SCORE = 10.0
"""Modified z-score beyond which a sample is labelled an outlier; see `outliers`."""


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


def seed_of(*names: str) -> int:
    """A seed from names in whatever order: SHA-256, because `hash()` of a text differs from process to process."""
    return int.from_bytes(hashlib.sha256("\n".join(sorted(names)).encode()).digest()[:8], "big")


def median(values: Vector) -> float:
    """Median of a vector, shape (k,), k ≥ 1; of an even k the mean of the middle two, as in the published tables.

    The minimum, which Chen and Revels 2016 (“Robust benchmarking in noisy environments”) prefer because noise mostly
    adds, stands beside it in every table; it has no interval, and one lucky placement in memory decides it.
    """
    return float(np.median(values))


def mad(values: Vector) -> float:
    """Median absolute deviation from the median, unscaled, in the unit of the data; shape (k,), k ≥ 1."""
    return float(np.median(np.abs(values - np.median(values))))


def median_interval(values: Vector, seed: int) -> Interval:
    """Median with its bootstrap interval; shape (k,), k ≥ 1. With k = 1 the interval is the point: nothing is known.

    At the rounds of the profiles (k = 10, 20) such intervals hold the true median in 93 to 95 of 100 runs, for normal,
    log-normal and bimodal noise; a test simulates it. With an odd k they are whole steps between two samples, and may
    hold it in 92 only (k = 15, 21), which is why profiles have an even one.

    Percentile method (Efron 1979), not BCa: BCa takes its acceleration from the jackknife, which is inconsistent for
    a median (Miller 1974; Efron and Tibshirani 1993, §11.6), and is undefined where all leave-one-out medians agree.
    """
    point = median(values)
    if len(values) == 1:
        return Interval(point, point, point)
    from scipy import stats  # its import takes a second, which a quick run's table need not wait for

    found: Any = stats.bootstrap(
        (values,),
        np.median,
        n_resamples=RESAMPLES,
        vectorized=True,
        confidence_level=CONFIDENCE,
        method="percentile",
        rng=np.random.default_rng(seed),
    ).confidence_interval
    low, high = max(float(found.low), float(values.min())), min(float(found.high), float(values.max()))
    return Interval(point, low, high)  # interpolated bounds may lie beyond the samples by the last bit


def ratio_interval(numerator: Vector, denominator: Vector, seed: int) -> Interval:
    """Median of the per-round ratios of two paired vectors, shape (k,) each, k ≥ 1, positive, with its interval.

    Pairing cancels what a round does to both sides (drift, frequency, neighbours); rounds are resampled whole, after
    Kalibera and Jones 2013 (“Rigorous Benchmarking in Reasonable Time”: an interval of the ratio, instead of asking
    whether two intervals overlap). Taken on logarithms, so that a/b and b/a say the same thing: of an even k the
    middle two ratios are averaged geometrically. Raises ValueError where the vectors are not paired.
    """
    if numerator.shape != denominator.shape:
        raise ValueError(f"not paired: {numerator.shape} and {denominator.shape}")
    found = median_interval(log_ratios(numerator, denominator), seed)
    return Interval(float(np.exp(found.point)), float(np.exp(found.low)), float(np.exp(found.high)))


def log_ratios(numerator: Vector, denominator: Vector) -> Vector:
    """Natural logarithms of the per-round ratios of two paired positive vectors, shape (k,)."""
    return np.asarray(np.log(numerator) - np.log(denominator), dtype=np.float64)


def is_tie(ratio: Interval) -> bool:
    """Whether two cells are a tie: the interval of their ratio holds 1.

    Georges, Buytaert and Eeckhout 2007 (“Statistically Rigorous Java Performance Evaluation”, §3.3): where the interval
    of the difference holds none, nothing may be said of it.
    """
    return ratio.holds(1.0)


def ranks(ordered: Sequence[T], tied: Callable[[T, T], bool]) -> list[int]:
    """Ranks of items that are sorted already, best first: 1, 1, 3, … (competition ranking).

    An item shares the rank of its predecessor's group when `tied(item, first of that group)`. Comparing with the
    first alone keeps a chain of small differences from making one group of everything.
    """
    result: list[int] = []
    for place, item in enumerate(ordered):
        shares = bool(result) and tied(item, ordered[result[-1] - 1])
        result.append(result[-1] if shares else place + 1)
    return result


def modified_z_scores(values: Vector) -> Vector:
    """M_i = 0.6745 (x_i − median) / MAD, shape (k,): deviations in estimated standard deviations; nan where MAD is 0.

    Iglewicz and Hoaglin 1993, “How to Detect and Handle Outliers”.
    """
    spread = mad(values)
    if spread == 0.0:
        return np.full(values.shape, np.nan)
    return np.asarray(0.6745 * (values - np.median(values)) / spread, dtype=np.float64)


def outliers(values: Vector) -> NDArray[np.bool_]:
    """Which samples of a vector, shape (k,), are labelled outliers. They stay in every median, minimum and maximum.

    |modified z-score| above 10, as hyperfine has it (|x − median| / MAD > 14.826): the authors' 3.5 is meant for
    normal data, and benchmark times have a long right tail. Where MAD is 0 nothing is labelled.
    """
    return np.asarray(np.abs(modified_z_scores(values)) > OUTLIER_SCORE, dtype=np.bool_)


def minimum_detectable_effect(logs: Vector) -> float | None:
    """The smallest relative difference that k rounds with this spread would have told from none, 80 times in 100.

    `logs`: natural logarithms of per-round ratios, shape (k,). exp((t₀.₉₇₅ + t₀.₈₀) · SE) − 1 with k − 1 degrees of
    freedom (Bloom 1995, “Minimum Detectable Effects”), SE = 1.2533 · 1.4826 · MAD / √k, the robust standard error of a
    median. None for k < 3, where MAD tells nothing.
    """
    count = len(logs)
    if count < 3:
        return None
    from scipy import stats

    error = MEDIAN_ERROR * NORMAL_MAD * mad(logs) / np.sqrt(count)
    multiple = stats.t.ppf((1 + CONFIDENCE) / 2, count - 1) + stats.t.ppf(POWER, count - 1)
    return float(np.expm1(multiple * error))


class NoiseFloor(Struct, frozen=True):
    """What the A/A cells of one scenario say: the same code measured twice in every round differs by this much.

    `largest_shift`: the largest |median ratio − 1|. `widest_bound`: the largest |bound − 1| of any A/A interval; this
    is *the* noise floor of a table, the difference that the run shows between a thing and itself. `detectable`: the
    largest minimum detectable effect, None where there are fewer than 3 rounds.
    """

    largest_shift: float
    widest_bound: float
    detectable: float | None


def noise_floor(ratios: Sequence[Interval], effects: Sequence[float | None]) -> NoiseFloor:
    """One figure a scenario from the A/A ratios of its operations (at least one)."""
    known = [effect for effect in effects if effect is not None]
    return NoiseFloor(
        max(abs(ratio.point - 1) for ratio in ratios),
        max(abs(bound - 1) for ratio in ratios for bound in (ratio.low, ratio.high)),
        max(known) if known else None,
    )


class ClockCheck(Struct, frozen=True):
    """Two clocks held against each other; times in nanoseconds, medians over `rounds` rounds."""

    rounds: int
    difference_ns: float
    """(Process with N repetitions − process with 0) − timed loop: what the two clocks disagree by."""
    loop_ns: float
    suspect: bool


CLOCK_SHARE = 0.05
CLOCK_FLOOR_NS = 1e6
BLIND_CLOCK_FLOOR_NS = 1e7
"""What starting one process and another may differ by without meaning anything: typically, and in a single pair."""
CLOCK_DEVIATIONS = 3.0


def check_clocks(process_ns: Vector, base_ns: Vector, loop_ns: Vector) -> ClockCheck:
    """The two-clock check over the rounds that have both processes; shape (r,) each, r ≥ 1.

    With d = (process − base) − loop a cell is suspect when |median d| is at once more than 5 % of the median loop,
    more than 1 ms, and more than 3 · 1.4826 · MAD(d). With fewer than 3 rounds MAD tells nothing; as single starts on a
    busy machine differ by several ms, 10 ms stand in its place.
    """
    differences = process_ns - base_ns - loop_ns
    middle, loop = median(differences), median(loop_ns)
    noise = CLOCK_DEVIATIONS * NORMAL_MAD * mad(differences) if len(differences) >= 3 else BLIND_CLOCK_FLOOR_NS
    limit = max(CLOCK_SHARE * loop, CLOCK_FLOOR_NS, noise)
    return ClockCheck(len(differences), middle, loop, abs(middle) > limit)


CPU_SHARE = 0.9


def cpu_share(cpu_ns: Vector, wall_ns: Vector) -> float:
    """Median share of the loop's wall time in which its thread ran, shape (k,); below `CPU_SHARE` it was pre-empted."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.median(np.where(wall_ns > 0, cpu_ns / wall_ns, 1.0)))


def bootstrap_medians(values: Vector, seed: int, resamples: int = RESAMPLES) -> Vector:
    """Medians of that many bootstrap resamples of a vector, shape (k,), k ≥ 1; shape (resamples,).

    Drawn without drawing the resamples: sorted, a resample's middle elements stand at ⌊k·U⌋, where U are the middle
    order statistics of k uniform numbers; those are Beta distributed, and the next one above the j-th is that of k − j
    numbers above it (Devroye 1986, “Non-Uniform Random Variate Generation”, §V.3). The same distribution as that of
    `scipy.stats.bootstrap`, in time and memory that do not grow with k; a test holds the two together.
    """
    ordered, count = np.sort(values), len(values)
    random = np.random.default_rng(seed)
    lower = (count + 1) // 2  # place of the (lower) middle element, counted from 1
    place = random.beta(lower, count - lower + 1, resamples)
    below = ordered[np.minimum((place * count).astype(np.int64), count - 1)]
    if count % 2:
        return np.asarray(below, dtype=np.float64)
    place += (1 - place) * (1 - random.random(resamples) ** (1 / (count - lower)))
    above = ordered[np.minimum((place * count).astype(np.int64), count - 1)]
    return np.asarray((below + above) / 2, dtype=np.float64)


def large_median_interval(values: Vector, seed: int) -> Interval:
    """As `median_interval`, for vectors of thousands; shape (k,), k ≥ 1."""
    return _percentiles(median(values), bootstrap_medians(values, seed))


def unpaired_ratio_interval(numerator: Vector, denominator: Vector, seed: int) -> Interval:
    """Ratio of the medians of two vectors of different runs, shapes (k,) and (m,), k, m ≥ 1, with its interval.

    Taken on logarithms, each side resampled by itself (Kalibera and Jones 2013, §9, at the level of processes). What
    differs from run to run (heat, neighbours, time of day) is in neither side's spread: such an interval is too narrow
    by what a second pair of runs would have shown; for noise alone it holds the truth in 96 to 98 of 100.
    Positive vectors only.
    """
    one, other = np.log(numerator), np.log(denominator)
    first, second = bootstrap_medians(one, seed), bootstrap_medians(other, seed ^ 1)
    return _exponential(_percentiles(median(one) - median(other), first - second))


def geometric_mean_interval(logs: Sequence[Vector], seed: int) -> Interval:
    """Geometric mean over s ≥ 1 scenarios of the median per-round ratio in each, with its interval.

    `logs`: of each scenario the logarithms of its per-round ratios, shape (k_s,), k_s ≥ 1. The geometric mean is the
    only mean of ratios that does not depend on what they relate to (Fleming and Wallace 1986, “How not to lie with
    statistics: the correct way to summarize benchmark results”). Scenarios are resampled each by itself. Such an
    interval holds the truth in 97 to 99 of 100 (a test simulates it): too wide rather than too narrow.
    """
    point = float(np.mean([median(vector) for vector in logs]))
    resampled = np.mean([bootstrap_medians(vector, seed + place) for place, vector in enumerate(logs)], axis=0)
    return _exponential(_percentiles(point, np.asarray(resampled, dtype=np.float64)))


def _percentiles(point: float, resampled: Vector) -> Interval:
    low, high = np.quantile(resampled, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return Interval(point, float(low), float(high))


def _exponential(interval: Interval) -> Interval:
    return Interval(float(np.exp(interval.point)), float(np.exp(interval.low)), float(np.exp(interval.high)))
