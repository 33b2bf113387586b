"""A cell's time as tables show it, with anything unusual: disagreeing clocks, lost CPU, outliers, conditions."""

import numpy as np
from msgspec import Struct

from analysis.data.cells import Series
from analysis.data.inference import time_of
from analysis.statistics.clocks import CPU_SHARE, ClockCheck, check_clocks, cpu_share
from analysis.statistics.intervals import Vector, median
from analysis.statistics.noise import outliers
from analysis.tables.compilers import CompilerEffect
from bench.model.cells import SAID_IF_SO, Cell
from bench.model.scenario import Scenario


class Timing(Struct, frozen=True):
    """A cell's time in ms for the published number of repetitions, and anything unusual about it."""

    cell: Cell
    median_ms: float
    """The cell's figure; of a cell that was too seldom calm to have one, the median of all its loops."""
    is_figure: bool
    """Whether it may be ranked and compared."""
    is_quartile: bool
    """Whether it is the lower quartile of all loops, because canaries cannot judge loops of this cell."""
    calm_share: float | None
    """The share of its loops that were calm; None where there are no canaries."""
    is_restless: bool
    """Whether bursts shorter than its loops disturbed them."""
    min_ms: float
    max_ms: float
    rounds: int
    repetitions: int
    """Repetitions of one timed loop."""
    published_ms: float | None
    clocks: ClockCheck | None
    """None if the check does not apply or no round has both processes."""
    cpu_share: float
    outlier_rounds: tuple[int, ...]
    other_conditions: str
    """The conditions that differ from the published ones, if any; controls may have no others."""
    compiler: CompilerEffect | None = None
    """Set if another compiler changes the codec's ratio to its peers."""

    @property
    def suspect(self) -> bool:
        """Whether the two clocks disagree."""
        return self.clocks is not None and self.clocks.suspect

    @property
    def preempted(self) -> bool:
        """Whether the thread's CPU time is clearly below wall time."""
        return self.cpu_share < CPU_SHARE


def timing(
    series: Series, scenario: Scenario, published_ms: float | None, compiler: CompilerEffect | None = None
) -> Timing:
    """The timing of a measured cell."""
    n = scenario.published.timed_repetitions
    figure, ms = time_of(series), ranged(series, scenario.published.rounds) * n / 1e6
    return Timing(
        cell=series.cell,
        median_ms=typical_ns(series) * n / 1e6,
        is_figure=figure is not None,
        is_quartile=series.canaried and not series.gated,
        calm_share=series.calm_share,
        is_restless=series.restless,
        min_ms=float(ms.min()),
        max_ms=float(ms.max()),
        rounds=len(series.rounds),
        repetitions=series.repetitions,
        published_ms=published_ms,
        clocks=clocks(series),
        cpu_share=cpu_share(series.cpu_ns, series.loop_ns),
        outlier_rounds=()
        if series.canaried  # which calm loops alone make the figure of
        else tuple(int(number) for number in series.rounds[outliers(series.loop_ns)]),
        other_conditions=differences(series.cell, scenario),
        compiler=compiler,
    )


def typical_ns(series: Series) -> float:
    """The figure of a measured cell, or the median of all its loops where it has none; ns of one repetition."""
    figure = time_of(series)
    return median(series.loops.ns) if figure is None else figure.point


def ranged(series: Series, published_rounds: int) -> Vector:
    """What the printed range is of: all loops of `ranged_rounds`; ns of one repetition.

    Without canaries it is of the medians of all rounds.
    """
    if not series.canaried:
        return series.repetition_ns
    rounds = series.rounds[: ranged_rounds(series, published_rounds)]
    return series.loops.ns[np.isin(series.loops.rounds, rounds)]


def ranged_rounds(series: Series, published_rounds: int) -> int:
    """As many of the first rounds as were published, and as many as it takes until their loops hold the cell's figure.

    A range grows with the number of rounds, so further ones would widen it beyond any published one. Fewer may not hold
    the figure, which is of all rounds: that of the calm loops of each layout, or their lower quartile.
    """
    figure_ns, places = typical_ns(series), np.searchsorted(series.rounds, series.loops.rounds)
    least_ns, most_ns = np.full(len(series.rounds), np.inf), np.zeros(len(series.rounds))
    np.minimum.at(least_ns, places, series.loops.ns)
    np.maximum.at(most_ns, places, series.loops.ns)
    holds = (np.minimum.accumulate(least_ns) <= figure_ns) & (figure_ns <= np.maximum.accumulate(most_ns))
    first = np.flatnonzero(holds[published_rounds - 1 :])
    return published_rounds + int(first[0]) if len(first) else len(series.rounds)


def clocks(series: Series) -> ClockCheck | None:
    """The two-clock check; None for `drop=outside` and `objects=fresh`, which work between the loops."""
    known = np.isfinite(series.process_ns) & np.isfinite(series.base_ns)
    conditions = series.cell.conditions
    if conditions.drop == "outside" or conditions.objects == "fresh" or not known.any():
        return None
    return check_clocks(series.process_ns[known], series.base_ns[known], series.timed_ns[known])


def differences(cell: Cell, scenario: Scenario) -> str:
    """The conditions of a cell that are not the published ones, such as `output=existing`."""
    wanted = dict.fromkeys(SAID_IF_SO) | dict(scenario.published.conditions.items())
    return " ".join(f"{name}={value}" for name, value in cell.conditions.items() if wanted.get(name, value) != value)
