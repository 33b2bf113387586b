"""Which loops the machine left alone: those between canaries that ran as fast as on a calm machine.

All arrays of one call have the same shape (n,), one element a loop in any order; times are in nanoseconds; `nan` stands
for what is not known, such as the copies of a scenario that has none.
"""

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Mask = NDArray[np.bool_]

CALM_RATIO = 1.10
"""A canary may take this much longer than its reference. On a shared machine whose neighbour halves the speed for
minutes a tenth took the MAD of a cell from 16–24 % to 1–3 %."""
LEAST_CPU_SHARE = 0.98
"""Of the wall time that a calm loop spends on a processor; the rest was waiting, or another program's."""
REFERENCE_PERCENTILE = 2.0
"""Of the canaries of a calibration: as good as their minimum, but not decided by one lucky measurement."""
REFERENCE_SHIFT = 0.03
"""Where the run's own 2nd percentile differs from the calibration's by more, the run's own is the reference."""
OWN_PERCENTILE = 10.0
MOST_OF_ITS_OWN = 1.10
"""What a cell may do to its own canaries: wide vector instructions lower the core's clock by a step for a while. On a
Xeon of the fourth generation canaries after large copies took 1.11 times the reference, after other work 1.05."""
LONGEST_GATED_NS = 50e6
"""A repetition that takes longer is hardly ever as undisturbed as the canaries beside it: it is not gated."""


class Loops(Struct, frozen=True):
    """Loops of one or more cells, as their samples record them; shape (n,) each."""

    wall_ns: Vector
    cpu_ns: Vector
    canary_before_ns: Vector
    canary_after_ns: Vector
    copy_before_ns: Vector
    copy_after_ns: Vector
    involuntary_switches: Vector


class Reference(Struct, frozen=True):
    """What the canaries of a kernel are held against."""

    ns: float
    shifted: bool = False
    """Whether the run's own canaries replaced the calibration, which differed from them by more than 3 %."""


def is_calm(
    loops: Loops, reference_ns: Vector | float, copy_reference_ns: Vector | float, *, coarse_clock: bool = False
) -> Mask:
    """Which loops are calm, shape (n,): both canaries within 10 % of the reference, on one processor all the time.

    `reference_ns`: of each loop's kernel, shape (n,) or one for all; `copy_reference_ns`: of the copies of its scenario
    and language, `nan` where there are none. A loop whose canaries are not known is never calm. Unknown switches count
    as none. `coarse_clock`: on Windows the clock of a thread ticks every 15.6 ms, so CPU time is not asked.
    """
    calm = within(loops.canary_before_ns, reference_ns) & within(loops.canary_after_ns, reference_ns)
    for copies in (loops.copy_before_ns, loops.copy_after_ns):
        calm &= np.isnan(copies) | within(copies, copy_reference_ns)
    calm &= np.isnan(loops.involuntary_switches) | (loops.involuntary_switches == 0)
    if not coarse_clock:
        calm &= loops.cpu_ns >= LEAST_CPU_SHARE * loops.wall_ns
    return np.asarray(calm, dtype=np.bool_)


def within(canaries_ns: Vector, reference_ns: Vector | float) -> Mask:
    """Which canaries took at most 10 % longer than the reference, shape (n,); unknown ones did not."""
    return np.asarray(canaries_ns <= CALM_RATIO * np.asarray(reference_ns), dtype=np.bool_)


def percentile_2(canaries_ns: Vector) -> float:
    """The 2nd percentile of canaries, any shape; `nan` where none is known."""
    known = canaries_ns[~np.isnan(canaries_ns)]
    return float(np.percentile(known, REFERENCE_PERCENTILE)) if known.size else float("nan")


def reference(canaries_ns: Vector, calibrated_ns: float | None = None, *, portable: bool = False) -> Reference:
    """The reference of a kernel: its calibration, unless the run's own canaries, any shape, differ from it by over 3 %.

    `portable`: the kernel's machine code differs from binary to binary, so each binary's own canaries are given here,
    and judged by themselves.
    """
    own = percentile_2(canaries_ns)
    if portable or calibrated_ns is None:
        return Reference(own)
    if not abs(own - calibrated_ns) > REFERENCE_SHIFT * calibrated_ns:  # also where the run has none: nan
        return Reference(calibrated_ns)
    return Reference(own, shifted=True)


def own_reference(canaries_ns: Vector, reference_ns: float) -> float:
    """The reference of one cell, from that of its kernel and from its canaries of all rounds, any shape.

    The 10th percentile of its own, but no less than the kernel's, and at most 10 % more. A neighbour meets all cells
    alike, since their order is drawn; what a codec itself does to the clock is no reason to leave out its loops.
    """
    known = canaries_ns[~np.isnan(canaries_ns)]
    if not known.size:
        return reference_ns
    own = float(np.percentile(known, OWN_PERCENTILE))
    return min(max(own, reference_ns), MOST_OF_ITS_OWN * reference_ns)


def is_portable(kernel: str) -> bool:
    """Whether a canary's kernel is plain code, whose times compare within one binary only."""
    return kernel.startswith("portable/")


def is_gated(repetition_ns: float, *, is_file: bool) -> bool:
    """Whether calm loops alone make a cell's figures: its repetition takes at most 50 ms and uses no file."""
    return not is_file and repetition_ns <= LONGEST_GATED_NS


def calm_share(canaries_ns: Vector, reference_ns: float) -> float:
    """The share of canaries, any shape, that took at most 10 % longer than the reference."""
    return float(np.mean(within(canaries_ns, reference_ns))) if canaries_ns.size else 0.0
