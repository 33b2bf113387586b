"""A cell's time as tables show it, with anything unusual: disagreeing clocks, lost CPU, outliers, conditions."""

import numpy as np
from msgspec import Struct

from analysis.data.cells import Series
from analysis.statistics.clocks import CPU_SHARE, ClockCheck, check_clocks, cpu_share
from analysis.statistics.intervals import median
from analysis.statistics.noise import outliers
from analysis.tables.compilers import CompilerEffect
from bench.model.cells import Cell
from bench.model.scenario import Scenario


class Timing(Struct, frozen=True):
    """A cell's time in ms for the published number of repetitions, and anything unusual about it."""

    cell: Cell
    median_ms: float
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
    ms = series.ms(scenario.published.timed_repetitions)
    return Timing(
        cell=series.cell,
        median_ms=median(ms),
        min_ms=float(ms.min()),
        max_ms=float(ms.max()),
        rounds=len(ms),
        repetitions=series.repetitions,
        published_ms=published_ms,
        clocks=clocks(series),
        cpu_share=cpu_share(series.cpu_ns, series.loop_ns),
        outlier_rounds=tuple(int(number) for number in series.rounds[outliers(series.loop_ns)]),
        other_conditions=differences(series.cell, scenario),
        compiler=compiler,
    )


def clocks(series: Series) -> ClockCheck | None:
    """The two-clock check; None for `drop=outside` and `objects=fresh`, which work between the loops."""
    known = np.isfinite(series.process_ns) & np.isfinite(series.base_ns)
    conditions = series.cell.conditions
    if conditions.drop == "outside" or conditions.objects == "fresh" or not known.any():
        return None
    return check_clocks(series.process_ns[known], series.base_ns[known], series.timed_ns[known])


def differences(cell: Cell, scenario: Scenario) -> str:
    """The conditions of a cell that are not the published ones, such as `output=existing`."""
    wanted = dict(scenario.published.conditions.items())
    return " ".join(f"{name}={value}" for name, value in cell.conditions.items() if wanted.get(name, value) != value)
