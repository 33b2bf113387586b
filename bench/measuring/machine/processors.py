"""The processor that measured processes are pinned to, and what the system tells of it. Linux tells most."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
from msgspec import Struct

SAMPLE_S = 0.3
"""How long processors are watched to find an idle one."""
STEAL = 8
"""The column of a processor's line in /proc/stat, counted from its name, that holds stolen time (proc(5))."""


class Condition(Struct, frozen=True):
    """What a processor's counters and frequency were while a process ran."""

    cpu: int | None = None
    stolen_ms: int | None = None
    frequency_khz: int | None = None


def can_pin() -> bool:
    """Whether the system lets a process choose its processors."""
    return sys.platform == "linux"


def idle_processor() -> int | None:
    """The processor that had least to do for a moment, the last of several; None where processes cannot be pinned."""
    if sys.platform != "linux":
        return None
    usable = os.sched_getaffinity(0)
    idle = psutil.cpu_times_percent(interval=SAMPLE_S, percpu=True)
    return max(usable, key=lambda cpu: (round(idle[cpu].idle) if cpu < len(idle) else 0, cpu))


@contextmanager
def kept_off(cpu: int | None) -> Iterator[None]:
    """Keeps this thread, and what it starts, off a processor, where there is another."""
    if sys.platform != "linux" or cpu is None:
        yield
        return
    before = os.sched_getaffinity(0)
    try:
        if others := before - {cpu}:
            with suppress(OSError):  # a container may forbid it
                os.sched_setaffinity(0, others)
        yield
    finally:
        with suppress(OSError):
            os.sched_setaffinity(0, before)


@contextmanager
def watched(cpu: int | None, seen: list[Condition]) -> Iterator[None]:
    """Appends what a processor's condition was during the block."""
    before = stolen_ms(cpu)
    yield
    after = stolen_ms(cpu)
    stolen = None if before is None or after is None else max(0, after - before)
    seen.append(Condition(cpu, stolen, frequency_khz(cpu)))


def stolen_ms(cpu: int | None, stat: Path = Path("/proc/stat")) -> int | None:
    """Time that the hypervisor has taken from a processor since the system's start; None where it does not tell."""
    if sys.platform != "linux" or cpu is None:
        return None
    try:
        for line in stat.read_text(encoding="ascii").splitlines():
            if line.startswith(f"cpu{cpu} "):
                return int(line.split()[STEAL]) * 1000 // os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        pass
    return None


def frequency_khz(cpu: int | None) -> int | None:
    """A processor's frequency now; None where it cannot be read."""
    if cpu is None:
        return None
    with suppress(OSError, ValueError):
        return int(Path(f"/sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_cur_freq").read_text(encoding="ascii"))
    with suppress(OSError, ValueError, StopIteration):
        blocks = Path("/proc/cpuinfo").read_text(encoding="utf-8").split("\n\n")
        lines = next(block for block in blocks if f"processor\t: {cpu}\n" in block).splitlines()
        return round(1000 * float(next(line for line in lines if line.startswith("cpu MHz")).partition(":")[2]))
    return None
