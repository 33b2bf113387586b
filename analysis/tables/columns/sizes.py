"""Columns of the size of a message or a file."""

from analysis.base.text import count, significant
from analysis.data.select import size_of
from analysis.sources.publications import Kind
from analysis.tables.columns.kinds import Entry, column, named
from analysis.tables.layout import NOTHING, Lines, over_published
from analysis.tables.rows import Table
from bench.model.scenario import Scenario

MIB = 2**20
"""What publications of files call a megabyte."""


def size_percent(size_bytes: int, data_size_bytes: int) -> int:
    """Size beyond that of the data, as publications print it: the quotient in whole per cent, minus 100.

    Truncating before subtracting is why 230 of 233 bytes are printed as −2 %, and 234 as +0 %.
    """
    return size_bytes * 100 // data_size_bytes - 100


def with_percent(size_bytes: float, scenario: Scenario) -> str:
    """`298 [+27%]`."""
    return f"{count(size_bytes)} [{size_percent(int(size_bytes), scenario.data_size_bytes):+d}%]"


def of_one_row(size_bytes: int, rows: int) -> str:
    """Bytes of one of a file's rows, of four digits or more: 467.0, 1,389, 12,345."""
    each = size_bytes / rows
    return significant(each, 4) if each < 1000 else count(each)


@column("Size (bytes)", "[against the data]", timed=False)
def size(entry: Entry) -> Lines:
    """`298 [+27%]`, and for scenarios of many rows the bytes of one row."""
    size_bytes = entry.row.size_bytes
    if size_bytes is None:
        return (NOTHING,)
    rows, first = entry.table.scenario.rows, with_percent(size_bytes, entry.table.scenario)
    return (first, f"{of_one_row(size_bytes, rows)} a row") if rows else (first,)


@column("Size (bytes)", "[against the data]", timed=False)
def size_over_published(entry: Entry) -> Lines:
    """`80,003 [+0%]`, and under it the published size."""
    size_bytes, published = entry.message_bytes, entry.published(Kind.SIZE)
    if not size_bytes:
        return (NOTHING,)
    first = with_percent(size_bytes, entry.table.scenario)
    return (first,) if published is None else (first, f"published {count(published)}")


@column("Bytes", timed=False)
def size_bytes(entry: Entry) -> Lines:
    """Bytes of a message."""
    return (NOTHING if entry.row.size_bytes is None else count(entry.row.size_bytes),)


@column("MiB", timed=False, legend=lambda _: "MiB: 2^20 bytes of the file, as published.")
def size_mib(entry: Entry) -> Lines:
    """Size of the file over the published one."""
    file, published = entry.file_bytes, entry.published(Kind.SIZE)
    return over_published(None if file is None else file / MIB, None if published is None else published / MIB)


def smaller_heading(table: Table, other: str) -> Lines:
    """The heading, with the codec to compare with."""
    return ("smaller than", f"{named(table, other)} (%)")


@column(heading=smaller_heading, timed=False, needs="smaller_than")
def smaller(entry: Entry) -> Lines:
    """By how many per cent a message is smaller than another codec's, over the published figure."""
    size, whole = entry.row.size_bytes, size_of(entry.table.chosen.get(entry.other, {}))
    return over_published(
        100 * (1 - size / whole) if size and whole else None,
        entry.published_ratio(Kind.SIZE_REDUCTION, entry.other),
    )
