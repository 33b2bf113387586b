"""Figures over layouts: the mean of the logarithms of calm medians, and intervals by Welch's t.

A *unit* is what a figure averages over: a layout, or a process where a runner has only one layout. Logarithms are
natural, of nanoseconds a repetition; a difference of logarithms is the logarithm of a ratio.

Welch 1947, “The generalization of ‘Student's’ problem when several different population variances are involved”;
Satterthwaite 1946, “An approximate distribution of estimates of variance components”.
"""

import math

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from bench.statistics.calm import Mask, Vector
from bench.statistics.student import student_quantile

Labels = NDArray[np.int64]

CONFIDENCE = 0.95
LEAST_CALM_LOOPS = 5
"""A layout with fewer calm loops has no median: the median of five has a standard error of half their deviation."""
LEAST_CALM_OF_PROCESS = 1
"""Where processes are the units, their spread is what counts."""
SINGLE_LAYOUT_MARGIN = 0.10
"""Two cells closer than this share a rank where one of them has a single layout, which says nothing of others."""
NORMAL_MAD = 1.4826
"""1 / Φ⁻¹(3/4): MAD times this estimates the standard deviation of normal data."""
LARGEST_LOG = 709.0
"""Of what a float holds."""
MEDIAN_ERROR = 1.2533
"""√(π/2): standard error of a median over that of a mean, for normal data."""


class UnitLogs(Struct, frozen=True):
    """The units of a cell that have a figure, and the logarithm of each one's median; shape (k,) each."""

    units: Labels
    logs: Vector


def exponential(value: float) -> float:
    """e to a number; infinity where a float has no other."""
    return math.exp(value) if value < LARGEST_LOG else math.inf


class Estimate(Struct, frozen=True):
    """A logarithm with its standard error: of one cell's time, or of the ratio of two."""

    log: float
    error: float
    """Infinite where a side has one unit only: then nothing is known of the spread."""
    degrees: float
    """Degrees of freedom of the error, whole or not; 0 where nothing is known."""

    @property
    def point(self) -> float:
        """The time, or the ratio."""
        return math.exp(self.log)

    def half_width(self, confidence: float = CONFIDENCE) -> float:
        """Half of the interval, in logarithms: about the relative half-width."""
        return student_quantile((1 + confidence) / 2, self.degrees) * self.error if self.degrees else math.inf

    def bounds(self, confidence: float = CONFIDENCE) -> tuple[float, float]:
        """The interval, of the time or the ratio; 0 and infinity where nothing is known."""
        half = self.half_width(confidence)
        return exponential(self.log - half), exponential(self.log + half)


class Spread(Struct, frozen=True):
    """The half-width of a cell's interval in its two parts, in logarithms: the squares add up to its square."""

    within: float
    """What further rounds with the same layouts would make smaller; infinite where nothing is known."""
    between: float
    """What only further layouts would make smaller; 0 where the layouts differ no more than their rounds do."""


def unit_logs(times: Vector, units: Labels, taken: Mask, least: int = LEAST_CALM_LOOPS) -> UnitLogs:
    """The logarithm of each unit's median over the loops that are taken, of units with at least `least` of those.

    `times`: time of a repetition in each loop, positive; `units`: the layout (or round) of each; `taken`: which are
    calm; shape (n,) each. Units come out in ascending order.
    """
    own, values = units[taken], times[taken]
    order = np.lexsort((values, own))
    ordered = values[order]
    names, first, counts = np.unique(own[order], return_index=True, return_counts=True)
    medians = (ordered[first + (counts - 1) // 2] + ordered[first + counts // 2]) / 2
    enough = counts >= least
    return UnitLogs(
        names[enough].astype(np.int64),
        np.array([*map(math.log, medians[enough].tolist())], dtype=np.float64),
    )


def lower_quartile(times: Vector) -> float:
    """The lower quartile of all loops, shape (n,), n ≥ 1: the figure of cells that cannot be gated."""
    return float(np.percentile(times, 25))


def cell_estimate(logs: Vector) -> Estimate | None:
    """The mean over units, shape (k,), with Student's error of a mean; None where k = 0."""
    if not len(logs):
        return None
    if len(logs) == 1:
        return Estimate(float(logs[0]), math.inf, 0)
    return Estimate(float(np.mean(logs)), math.sqrt(_variance_of_mean(logs)), len(logs) - 1)


def ratio_estimate(numerator: Vector, denominator: Vector) -> Estimate | None:
    """The logarithm of the ratio of two cells, from the logarithms of their units, shapes (k,) and (m,).

    The two are independent: each codec has layouts of its own. Welch's error √(s₁²/k + s₂²/m), with the degrees of
    freedom of Satterthwaite. None where a side has no unit.
    """
    if not len(numerator) or not len(denominator):
        return None
    log = float(np.mean(numerator) - np.mean(denominator))
    if len(numerator) == 1 or len(denominator) == 1:
        return Estimate(log, math.inf, 0)
    one, other = _variance_of_mean(numerator), _variance_of_mean(denominator)
    if (total := one + other) == 0:
        return Estimate(log, 0.0, len(numerator) + len(denominator) - 2)
    # of shares, since the squares of tiny variances would vanish
    degrees = 1 / ((one / total) ** 2 / (len(numerator) - 1) + (other / total) ** 2 / (len(denominator) - 1))
    return Estimate(log, math.sqrt(total), degrees)


def _variance_of_mean(logs: Vector) -> float:
    return float(np.var(logs, ddof=1)) / len(logs)


def spread(times: Vector, layouts: Labels, processes: Labels, taken: Mask) -> Spread:
    """How much of the half-width of a cell's interval is noise within layouts, and how much the layouts' own.

    `times`, `taken` as in `unit_logs`; `layouts`, `processes`: number of each loop's layout and process; shape (n,)
    each. The variance within is that of the medians of processes of one layout, pooled over layouts; what lies in a
    process (its heap, its pages) is the same in all its loops, so loops would make it too small. Where no layout has
    two processes yet, that of loops stands in. The variance between layouts is what theirs exceeds it by (one-way
    analysis of variance, its method of moments; Searle, Casella and McCulloch 1992, “Variance Components”, §3.5).
    """
    units = unit_logs(times, layouts, taken)
    estimate = cell_estimate(units.logs)
    if estimate is None or not estimate.degrees:
        return Spread(math.inf, 0.0)
    of_layouts = taken & np.isin(layouts, units.units)
    medians = _process_medians(times[of_layouts], layouts[of_layouts], processes[of_layouts])
    degrees = sum(len(logs) - 1 for logs in medians)
    if degrees:
        pooled = sum(float(np.sum((logs - np.mean(logs)) ** 2)) for logs in medians) / degrees
        of_units = [pooled / len(logs) for logs in medians]
    else:
        of_units = [_variance_of_median(np.log(times[taken & (layouts == unit)])) for unit in units.units]
    whole = estimate.half_width()
    multiple = student_quantile((1 + CONFIDENCE) / 2, estimate.degrees)
    within = multiple * math.sqrt(float(np.mean(of_units)) / len(units.logs))
    return Spread(within, math.sqrt(max(0.0, whole**2 - within**2)))


def process_spread(logs: Vector) -> Spread:
    """The same where processes are the units, shape (k,) of their logarithms: further rounds make all of it smaller."""
    estimate = cell_estimate(logs)
    return Spread(estimate.half_width() if estimate else math.inf, 0.0)


def _process_medians(times: Vector, layouts: Labels, processes: Labels) -> list[Vector]:
    """For each layout the logarithms of its processes' medians, shape (its number of processes,)."""
    of_each = [layouts == layout for layout in np.unique(layouts)]
    return [unit_logs(times[own], processes[own], taken=own[own], least=1).logs for own in of_each]


def _variance_of_median(logs: Vector) -> float:
    """The variance of the median of a vector, shape (n,), n ≥ 1, estimated robustly."""
    deviation = NORMAL_MAD * float(np.median(np.abs(logs - np.median(logs))))
    return (MEDIAN_ERROR * deviation) ** 2 / len(logs)
