"""What a run says of a cell or of two, as estimates; the same figures as in its tables."""

import math
from functools import cache

import numpy as np
from msgspec.structs import replace

from analysis.data.cells import RunCells, ScenarioCells, Series
from analysis.data.floors import calm_spread, floor_between
from analysis.data.inference import paired_logs, ratio_of, time_of
from analysis.statistics.estimates import Estimate, Unit
from analysis.statistics.intervals import CONFIDENCE, SURE, Vector
from bench.statistics.layouts import SINGLE_LAYOUT_MARGIN
from bench.statistics.student import student_quantile


def ratio_estimate(one: Series, other: Series) -> Estimate | None:
    """Time per repetition of one cell over that of another; None if one has no figure, or they share no round."""
    ratio = ratio_of(one, other)
    if ratio is None or one.canaried or other.canaried:
        return ratio
    return _surely(ratio, paired_logs(one, other))


def time_estimate(series: Series) -> Estimate | None:
    """Nanoseconds of one repetition; None if too few loops were calm."""
    time = time_of(series)
    return time if time is None or series.canaried else _surely(time, np.log(series.repetition_ns))


def _surely(estimate: Estimate, logs: Vector) -> Estimate:
    """The estimate of a run without canaries with a 99 % interval that six rounds can bear."""
    low, high = (math.exp(bound) for bound in sure_bounds(logs))
    return replace(estimate, low99=min(low, estimate.low), high99=max(high, estimate.high), rounds=len(logs))


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
def noise_of(run: RunCells, scenario: str, *codecs: str) -> float:
    """The noise floor of a scenario for the kinds of runners of these codecs; that of tables and ranks too."""
    return floor_between(held_in(run, scenario), *codecs)


@cache
def is_uneven(run: RunCells, scenario: str) -> bool:
    """Whether some codecs met clearly calmer moments than others, so that tables have no ranks."""
    return calm_spread(held_in(run, scenario)) is not None


def held_in(run: RunCells, scenario: str) -> ScenarioCells:
    """The cells of a scenario that a run holds."""
    return next(one for one in run.scenarios if one.scenario.name == scenario)


def floor_for(measured: Estimate, noise: float) -> float:
    """The noise floor of a comparison: at least 10 % where one layout was measured, which says nothing of others."""
    return max(noise, SINGLE_LAYOUT_MARGIN) if measured.kind is Unit.ROUNDS else noise
