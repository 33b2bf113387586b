"""`canary`: how calm the machine is, as the canaries of this runner see it."""

import json
from time import perf_counter_ns

from wirelab_kit.measuring.canary import NAME, canary, copy_canary


def canaries(seconds: float, copy_bytes: int) -> str:
    """Runs canaries for some seconds, at least one; gives their times as one line of JSON."""
    copy = copy_canary(copy_bytes)
    canary()
    if copy:
        copy()
    canary_ns: list[int] = []
    copy_ns: list[int] = []
    end_ns = perf_counter_ns() + round(seconds * 1e9)
    while not canary_ns or perf_counter_ns() < end_ns:
        canary_ns.append(canary())
        if copy:
            copy_ns.append(copy())
    times: dict[str, object] = {"canary": NAME, "canary_ns": canary_ns}
    if copy:
        times["copy_ns"] = copy_ns
    return json.dumps(times) + "\n"
