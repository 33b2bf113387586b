"""A cell's time, and the ratio of two, with intervals: what tables, verdicts, charts and exports conclude from.

What the figures rest on depends on what was recorded:

- with canaries and several layouts: the calm loops of each layout;
- with canaries and one layout: the calm loops of each process;
- with canaries, where a loop cannot be gated by them: the lower quartile of all loops;
- without canaries: the medians of rounds, two cells paired by round.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from analysis.data.cells import LoopTimes, Series
from analysis.statistics.estimates import Estimate, Unit
from analysis.statistics.intervals import Vector, large_median_intervals, seed_of
from analysis.statistics.ratios import log_ratios, ratio_intervals, unpaired_ratio_intervals
from analysis.statistics.sides import Side, of_lower_quartile, of_rounds, of_units, total
from bench.statistics.calm import is_portable
from bench.statistics.layouts import (
    LEAST_CALM_LOOPS,
    LEAST_CALM_OF_PROCESS,
    lower_quartile,
    spread,
    unit_logs,
)


@lru_cache(maxsize=100_000)  # a table asks for a time in each of its columns
def time_of(series: Series) -> Estimate | None:
    """Nanoseconds of one repetition; None if nothing was measured, or too few loops were calm."""
    if not series.measured:
        return None
    if not series.canaried:
        times = series.repetition_ns
        return of_rounds(large_median_intervals(times, seed_of(str(series.cell))), len(times))
    side = side_of(series)
    return None if side is None else total([(1.0, side)])


def has_interval(series: Series) -> bool:
    """Whether a cell has a time with an interval: a time without one would be tied with any other."""
    time = time_of(series)
    return time is not None and time.has_interval


@lru_cache(maxsize=100_000)  # a table needs many ratios more than once
def ratio_of(one: Series, other: Series) -> Estimate | None:
    """Time per repetition of one cell over that of another of the same run; None if one has no figure.

    Seeds depend on the two cells' names alone, so neither order nor other cells change an interval.
    """
    if one.canaried or other.canaried:
        return _ratio_of_sides(*sides_of(one, other))
    numerator, denominator = paired(one, other)
    if not len(numerator):
        return None
    return of_rounds(ratio_intervals(numerator, denominator, seed_of(identity(one), identity(other))), len(numerator))


def ratio_between_runs(one: Series, other: Series) -> Estimate | None:
    """Time per repetition of a cell in one run over that in another of the same machine; None without a figure.

    A core's clock moves in steps of some 5 %, and one run may meet another step than the next. So the times of each
    process are divided by those of its own canaries, where both runs have the same kernel: two runs of a virtual
    machine, of 25 cells each, differed by 2.1 % in the median cell without that, and by 0.6 % with it.
    """
    if not one.canaried and not other.canaried:
        times = one.repetition_ns, other.repetition_ns
        if not len(times[0]) or not len(times[1]):
            return None
        return of_rounds(unpaired_ratio_intervals(*times, seed_of(str(one.cell))), min(map(len, times)))
    if one.gated and other.gated and _share_kernel(one, other):
        return _ratio_of_sides(side_of(one, in_canaries=True), side_of(other, in_canaries=True))
    return _ratio_of_sides(*sides_of(one, other))


def _share_kernel(one: Series, other: Series) -> bool:
    kernel = one.planned.canary
    same_program = one.planned.sha256 == other.planned.sha256
    return kernel is not None and kernel == other.planned.canary and (same_program or not is_portable(kernel))


def _ratio_of_sides(numerator: Side | None, denominator: Side | None) -> Estimate | None:
    return None if numerator is None or denominator is None else total([(1.0, numerator), (-1.0, denominator)])


def sides_of(one: Series, other: Series) -> tuple[Side | None, Side | None]:
    """Two cells' figures for a ratio, by one estimator: where only one of them is gated, both by all their loops."""
    sides = side_of(one), side_of(other)
    if all(sides) and one.canaried and other.canaried and one.gated != other.gated:
        return _of_all_loops(one), _of_all_loops(other)
    return sides


@lru_cache(maxsize=100_000)
def _of_all_loops(series: Series) -> Side | None:
    return _ungated(series, several=len(series.layouts) > 1)


@lru_cache(maxsize=100_000)
def side_of(series: Series, *, in_canaries: bool = False) -> Side | None:
    """A cell's figure as a logarithm with its error; None if it has none.

    `in_canaries`: in units of the canaries of each process instead of nanoseconds; of gated cells alone.
    """
    loops = series.loops
    if not series.measured:
        return None
    if not series.canaried:
        return of_units(np.log(series.repetition_ns), Unit.ROUNDS, len(series.rounds))
    if series.restless:
        return None
    several = len(series.layouts) > 1
    if not series.gated:
        return _ungated(series, several=several)
    times = loops.ns / _clock(loops) if in_canaries else loops.ns
    if several:
        units = unit_logs(times, loops.layouts, loops.calm, LEAST_CALM_LOOPS)
        return of_units(units.logs, Unit.LAYOUTS, len(series.rounds), _within_share(loops, times, loops.calm))
    if int(loops.calm.sum()) < LEAST_CALM_LOOPS:
        return None
    processes = unit_logs(times, loops.rounds, loops.calm, LEAST_CALM_OF_PROCESS)
    return of_units(processes.logs, Unit.ROUNDS, len(processes.logs))


def _ungated(series: Series, *, several: bool) -> Side | None:
    """The lower quartile of all loops; of each layout where each has enough of them, else of all processes."""
    loops = series.loops
    of_layouts = [loops.ns[loops.layouts == layout] for layout in series.layouts]
    if several and min(map(len, of_layouts)) >= LEAST_CALM_LOOPS:
        logs, within = np.log([lower_quartile(times) for times in of_layouts]), np.ones(len(loops.ns), dtype=bool)
        return of_units(logs, Unit.LAYOUTS, len(series.rounds), _within_share(loops, loops.ns, within))
    return of_lower_quartile(loops.ns.reshape(len(series.rounds), -1), seed_of(identity(series)))


def _clock(loops: LoopTimes) -> Vector:
    """For each loop, shape (n,), the median of its process's canaries beside calm loops; of all if none was calm."""
    clock = np.empty_like(loops.canary_ns)
    for number in np.unique(loops.rounds):
        own = loops.rounds == number
        calm = own & loops.calm
        clock[own] = np.median(loops.canary_ns[calm if calm.any() else own])
    return clock


def _within_share(loops: LoopTimes, times: Vector, taken: NDArray[np.bool_]) -> float:
    """The part of the squared error of a cell's figure that further rounds with the same layouts would make smaller.

    `taken`: which loops make the figure, shape (n,).
    """
    parts = spread(times, loops.layouts, loops.rounds, taken)
    whole = parts.within**2 + parts.between**2
    return parts.within**2 / whole if 0 < whole < np.inf else 1.0


def paired(one: Series, other: Series) -> tuple[Vector, Vector]:
    """Time of one repetition in ns in two series, for the rounds that both have; shape (r,) each, r ≥ 0."""
    _, left, right = np.intersect1d(one.rounds, other.rounds, assume_unique=True, return_indices=True)
    return one.loop_ns[left] / one.repetitions, other.loop_ns[right] / other.repetitions


def paired_logs(one: Series, other: Series) -> Vector:
    """Logarithms of the ratios of two series without canaries, round by round; shape (r,), r ≥ 0."""
    return log_ratios(*paired(one, other))


def identity(series: Series) -> str:
    """The cell's name, and whether its second name is meant."""
    return f"{series.cell}{' (A/A)' if series.twin else ''}"
