"""The chain of one process: canary, loop, canary, loop, … canary.

Only the canaries and the counter of context switches stand between two loops. Figures go into arrays of numbers that
are allocated before, since a list would keep an object of each, and every loop would find the heap as the one before
left it and a little more.
"""

import sys
from array import array
from collections.abc import Callable
from typing import Any

from wirelab_kit.measuring.canary import CopyCanary, canary
from wirelab_kit.measuring.timing import Lap


def run_chain(
    loop: Callable[[int], Lap], repetitions: int, samples: int, copy: CopyCanary | None
) -> list[dict[str, int]]:
    """Times `samples` loops of `repetitions`; gives the fields of each sample that are its own."""
    wall_ns, cpu_ns, switches = _numbers(samples), _numbers(samples), _numbers(samples)
    canary_ns, copy_ns = _numbers(samples + 1), _numbers(samples + 1)
    count = switch_counter()
    _stop(copy, canary_ns, copy_ns, 0)  # with cold caches: the next one replaces its times
    _stop(copy, canary_ns, copy_ns, 0)
    for index in range(samples):
        before = count() if count else 0
        wall_ns[index], cpu_ns[index] = loop(repetitions)
        switches[index] = count() - before if count else 0
        _stop(copy, canary_ns, copy_ns, index + 1)
    chain = []
    for index in range(samples):
        fields = {"wall_ns": wall_ns[index], "cpu_ns": cpu_ns[index]}
        fields |= {"canary_before_ns": canary_ns[index], "canary_after_ns": canary_ns[index + 1]}
        if copy:
            fields |= {"copy_before_ns": copy_ns[index], "copy_after_ns": copy_ns[index + 1]}
        if count:
            fields["involuntary_switches"] = switches[index]
        chain.append(fields)
    return chain


def _numbers(count: int) -> "array[int]":
    return array("Q", bytes(8 * count))


def _stop(copy: CopyCanary | None, canary_ns: "array[int]", copy_ns: "array[int]", index: int) -> None:
    canary_ns[index] = canary()
    if copy:
        copy_ns[index] = copy()


def switch_counter() -> Callable[[], int] | None:
    """How often the system took the processor from this thread so far; None where the system does not tell.

    Where it tells of processes alone (macOS), it is that of this process.
    """
    if sys.platform == "win32":
        return None
    import resource

    who: Any = getattr(resource, "RUSAGE_THREAD", resource.RUSAGE_SELF)
    return lambda: resource.getrusage(who).ru_nivcsw
