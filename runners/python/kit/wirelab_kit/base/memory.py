"""The memory budget of a library that reads malformed input."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

BUDGET_BYTES = 64 << 20
BUDGET_FACTOR = 64
"""`decode` may allocate these bytes plus this multiple of its input, so that a length that the input merely claims
cannot exhaust the machine. Beyond the budget allocations fail: the library raises MemoryError, or crashes."""


def budget_bytes(input_bytes: int) -> int:
    """How much `decode` may allocate for an input."""
    return BUDGET_BYTES + BUDGET_FACTOR * input_bytes


@contextmanager
def budget(input_bytes: int) -> Iterator[None]:
    """Limits the data segment of this process on Linux; other systems have no such limit that is safe to set."""
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
