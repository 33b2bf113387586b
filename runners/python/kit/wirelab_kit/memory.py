"""A budget for what a library may allocate of malformed input."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

BUDGET_BYTES = 64 << 20
BUDGET_FACTOR = 64
"""`decode` may allocate these bytes and so many times its input: a length that the input only claims must not take
the machine down. Beyond it the library gets no memory, which ends as a MemoryError, or as a crash of the library's."""


def budget_bytes(input_bytes: int) -> int:
    """What `decode` may allocate for an input."""
    return BUDGET_BYTES + BUDGET_FACTOR * input_bytes


@contextmanager
def budget(input_bytes: int) -> Iterator[None]:
    """Limits the data of this process, on Linux; elsewhere there is no such limit to set without a risk."""
    if sys.platform != "linux":
        yield
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = _data_bytes() + budget_bytes(input_bytes)
    resource.setrlimit(resource.RLIMIT_DATA, (wanted if hard < 0 else min(wanted, hard), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def _data_bytes() -> int:
    with open("/proc/self/statm", "rb") as file:  # noqa: PTH123 (pathlib costs its import)
        return int(file.read().split()[5]) * os.sysconf("SC_PAGE_SIZE")
