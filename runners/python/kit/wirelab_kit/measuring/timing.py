"""The clocks and the timed loops.

The CPU clock is read first and last, so that its cost is not in the wall time. A loop holds one call and nothing else:
no branch, no clock, no allocation of the kit. The result of the call is dropped at once, inside the clock.
"""

from itertools import repeat
from time import perf_counter_ns, thread_time_ns
from typing import Any

from wirelab_kit.model.codec import Call

BATCH = 128
"""The most fresh inputs in a batch; they are made before the clock starts and dropped after it has stopped."""

Lap = tuple[int, int]
"""Wall time by a monotonic clock and processor time of this thread, both in ns."""


def repeat_reused(call: Call, value: Any, repetitions: int) -> Lap:
    """`repetitions` calls with the same object."""
    rounds = repeat(None, repetitions)
    cpu_ns = thread_time_ns()
    wall_ns = perf_counter_ns()
    for _ in rounds:
        call(value)
    wall_ns = perf_counter_ns() - wall_ns
    return wall_ns, thread_time_ns() - cpu_ns


def repeat_rows(call: Call, values: list[Any], repetitions: int) -> Lap:
    """`repetitions` passes over the same objects, one call with each."""
    rounds = repeat(None, repetitions)
    cpu_ns = thread_time_ns()
    wall_ns = perf_counter_ns()
    for _ in rounds:
        for value in values:
            call(value)
    wall_ns = perf_counter_ns() - wall_ns
    return wall_ns, thread_time_ns() - cpu_ns


def repeat_each(call: Call, values: list[Any]) -> Lap:
    """One call with each object."""
    cpu_ns = thread_time_ns()
    wall_ns = perf_counter_ns()
    for value in values:
        call(value)
    wall_ns = perf_counter_ns() - wall_ns
    return wall_ns, thread_time_ns() - cpu_ns


def repeat_fresh(call: Call, make: Call, batch: int, repetitions: int) -> Lap:
    """`repetitions` calls, each with an object of its own, made and dropped in batches outside the clock."""
    wall_ns = cpu_ns = 0
    for first in range(0, repetitions, batch):
        values = [make(None) for _ in range(min(batch, repetitions - first))]
        lap = repeat_each(call, values)
        wall_ns += lap[0]
        cpu_ns += lap[1]
        del values
    return wall_ns, cpu_ns
