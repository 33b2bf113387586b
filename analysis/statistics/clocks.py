"""Compares two clocks: the process timed from outside, the loop timed from inside."""

import numpy as np
from msgspec import Struct

from analysis.statistics.intervals import Vector, mad, median
from bench.statistics.layouts import NORMAL_MAD


class ClockCheck(Struct, frozen=True):
    """Two clocks compared; times in nanoseconds, medians over `rounds` rounds."""

    rounds: int
    difference_ns: float
    """(Process with N repetitions − process with 0) − timed loop: by how much the two clocks disagree."""
    loop_ns: float
    suspect: bool


CLOCK_SHARE = 0.05


CLOCK_FLOOR_NS = 1e6


BLIND_CLOCK_FLOOR_NS = 1e7
"""How far the starts of two processes may differ without meaning anything; the second is for fewer than 3 rounds."""


CLOCK_DEVIATIONS = 3.0


def check_clocks(process_ns: Vector, base_ns: Vector, loop_ns: Vector) -> ClockCheck:
    """The two-clock check over the rounds that have both processes; shape (r,) each, r ≥ 1.

    With d = (process − base) − loop a cell is suspect when |median d| is at once more than 5 % of the median loop,
    more than 1 ms, and more than 3 · 1.4826 · MAD(d). With fewer than 3 rounds MAD says nothing; since single starts
    on a busy machine differ by several ms, 10 ms is used instead.
    """
    differences = process_ns - base_ns - loop_ns
    middle, loop = median(differences), median(loop_ns)
    noise = CLOCK_DEVIATIONS * NORMAL_MAD * mad(differences) if len(differences) >= 3 else BLIND_CLOCK_FLOOR_NS
    limit = max(CLOCK_SHARE * loop, CLOCK_FLOOR_NS, noise)
    return ClockCheck(len(differences), middle, loop, abs(middle) > limit)


CPU_SHARE = 0.9


def cpu_share(cpu_ns: Vector, wall_ns: Vector) -> float:
    """Median share of the loop's wall time during which its thread ran; below `CPU_SHARE` it was pre-empted."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.median(np.where(wall_ns > 0, cpu_ns / wall_ns, 1.0)))
