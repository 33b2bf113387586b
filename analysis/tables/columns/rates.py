"""Columns of throughput."""

from analysis.sources.publications import Kind
from analysis.tables.columns.kinds import Entry, column
from analysis.tables.layout import NOTHING, Lines, over_published
from bench.model.cells import Operation

GB = 1e9
"""What publications of throughput call a gigabyte."""
MBIT_S = 1e6 / 8
"""Bytes a second."""


@column(
    "GB/s",
    legend=lambda _: (
        "GB/s: 10^9 encoded bytes a second, as published, so a codec that writes more bytes shows a higher rate."
    ),
)
def rate_gb_s(entry: Entry) -> Lines:
    """Encoded bytes over time: a format that writes more bytes shows a higher rate.

    What happens in place passes over some of the bytes alone, and has none.
    """
    if entry.operation in (Operation.ACCESS, Operation.UPDATE):
        return (NOTHING,)
    size, published = entry.message_bytes, entry.published(Kind.THROUGHPUT)
    ns = None if entry.time_ms is None else entry.time_ms * 1e6 / entry.repetitions
    return over_published(size / ns if size and ns else None, None if published is None else published / GB)


@column("Mbit/s", legend=lambda _: "Mbit/s: of the file's bytes, as published.")
def rate_mbit_s(entry: Entry) -> Lines:
    """Bits of the file over time; if a publication prints no rate, it is computed from its size and time."""
    size, ms, rate = entry.published(Kind.SIZE), entry.published(Kind.TIME), entry.published(Kind.THROUGHPUT)
    published = mbit_s(size, ms) if rate is None else rate / MBIT_S
    return over_published(mbit_s(entry.file_bytes, entry.time_ms), published)


def mbit_s(size_bytes: float | None, time_ms: float | None) -> float | None:
    """Megabits a second."""
    return size_bytes * 8 / (time_ms * 1e3) if size_bytes is not None and time_ms else None
