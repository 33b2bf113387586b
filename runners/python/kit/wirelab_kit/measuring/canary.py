"""The canary: a fixed piece of work beside each timed loop, whose time tells what disturbs the core meanwhile.

It is an empty `for` of the interpreter itself, which allocates nothing. Of five candidates of about 0.5 ms it depends
least on the codec. Between seven cells of as many codecs (three processes each with at least 20 canaries, medians),
its time against a native kernel's moves by 1.0 %; that of a `pow` of large integers by 2.4 %, of `zlib.crc32` of 16
KiB by 2.6 %, of `hashlib.sha256` of 16 KiB by 5 %, of `hashlib.pbkdf2_hmac` by 11 %. While a shared machine's speed
changed by 10 %, it followed the work of seven codecs as closely as any of the others (the median deviation is 1.5 %).
In chains of six codecs, the medians of calm canaries lie within 0.6 % (two cells each, four processes a cell).
"""

from itertools import repeat
from time import perf_counter_ns

NAME = "python/1"
"""The kernel. Its times compare between the codecs of one interpreter, which all run the same machine code."""

PASSES = 120_000
"""About 0.5 ms. With another number the kernel needs another name."""

COPIES_BEFORE = 3
"""Copies before one is timed, as in the other kits: a codec leaves its own data in the caches."""


def canary() -> int:
    """Runs the kernel once; gives its time in ns."""
    passes = repeat(None, PASSES)
    start_ns = perf_counter_ns()
    for _ in passes:
        pass
    return perf_counter_ns() - start_ns


class CopyCanary:
    """A second canary, which shows what the first cannot: that others use the caches and the memory."""

    def __init__(self, size_bytes: int) -> None:
        """Allocates both buffers. `bytearray` writes its zeros, so that every page is there before the chain."""
        self.source, self.target = bytearray(size_bytes), bytearray(size_bytes)

    def __call__(self) -> int:
        """Copies the buffer in place, so often that it lies where copies leave it; gives the last one's time in ns."""
        for _ in range(COPIES_BEFORE):
            self.target[:] = self.source
        start_ns = perf_counter_ns()
        self.target[:] = self.source
        return perf_counter_ns() - start_ns


def copy_canary(size_bytes: int) -> CopyCanary | None:
    """The canary that copies so many bytes; None for 0."""
    return CopyCanary(size_bytes) if size_bytes else None
