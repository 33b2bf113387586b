"""An offset of the heap, so that later data lies further on: where it lies changes how fast it is read.

CPython has two heaps. pymalloc gives blocks of up to 512 bytes, from a list of free blocks for each multiple of 16; the
C library gives larger ones. The offset is taken from all of these, in whole blocks: those larger than the offset stay.

What moves, by the addresses of two processes that differ in the offset alone (CPython 3.11, glibc, 256 to 4,080 bytes):
of lists of users at least 97 % of all dicts, lists, strings and floats, by the offset or into another page. Buffers of
the C library (encoded bytes, the items of long lists, arrays) move as well, but for small offsets not all, since they
may lie in a gap that importing left. Neither memory that the C library maps by itself moves (with glibc, blocks of
128 KiB and more, until it has freed one as large), nor that of libraries with an allocator of their own (Arrow).
"""

from itertools import count

SMALLEST, LARGEST = 16, 512
"""The sizes of pymalloc's blocks, in bytes."""
HEADER = 33
"""What a bytes object of CPython takes besides its content."""


def taken(offset_bytes: int) -> list[object]:
    """Takes about `offset_bytes` from each list of free blocks, and from the C library; they are free once it is."""
    held: list[object] = []
    numbers = count(1 << 20)  # too large for CPython to share them: each is an object of 28 bytes
    for size in range(SMALLEST, LARGEST + 1, SMALLEST):
        for _ in range(offset_bytes // size):
            if size == SMALLEST:
                held.append(object())
            elif size < HEADER:
                held.append(next(numbers))
            else:
                held.append(bytes(size - HEADER))
    held.append(bytes(LARGEST + offset_bytes))
    return held
