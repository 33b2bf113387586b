"""Columns of time: of all repetitions, per row, per item, and per value."""

from analysis.base.text import count, significant
from analysis.sources.figures import Figures
from analysis.sources.publications import Kind
from analysis.tables.columns.kinds import Entry, column
from analysis.tables.footnotes import marks
from analysis.tables.layout import NOTHING, Lines, over_published, timing_lines
from analysis.tables.rows import Table
from bench.model.cells import Operation


def timed(entry: Entry, digits: int | None) -> Lines:
    """A time with its range, over the published one."""
    measures = entry.measures
    if measures is None:
        return (NOTHING,)
    if measures.timing is None:
        return ("error",) if measures.series.failures else (NOTHING,)
    return timing_lines(measures.timing, digits=digits)


@column("Time (ms)", unit="ms")
def time_ms(entry: Entry) -> Lines:
    """Time of all repetitions, with two decimals: `2.53 [2.06 – 3.01]`."""
    return timed(entry, None)


@column("Time (ms)", unit="ms")
def total_ms(entry: Entry) -> Lines:
    """Time of all repetitions, with four digits: `2476 [2400 – 2530]`."""
    return timed(entry, 4)


def us_each(time_ms: float | None, number: float | None) -> float | None:
    """Microseconds for each of `number`."""
    return time_ms * 1e3 / number if time_ms is not None and number else None


@column("µs a", "row", legend=lambda _: "µs a row: the whole time over all rows, even those that a filter skips.")
def us_per_row(entry: Entry) -> Lines:
    """Microseconds per row that was written, read or scanned."""
    published = us_each(entry.published(Kind.TIME), entry.rows)
    return over_published(us_each(entry.time_ms, entry.rows), published)


@column("µs a", "match")
def us_per_match(entry: Entry) -> Lines:
    """Microseconds per row that the filter selected."""
    rows = entry.published(Kind.ROWS) if entry.operation is Operation.FILTER else None
    return over_published(us_each(entry.time_ms, entry.rows_matched), us_each(entry.published(Kind.TIME), rows))


AGREE_WITHIN = 1.25
"""Figures of one publication that differ by more than this factor contradict each other, however they were rounded."""


def item_heading(table: Table, other: str) -> Lines:
    """The heading, with the name of an item."""
    item = table.form.item
    return (f"µs a{'n' if item[0] in 'aeiou' else ''}", item)


def contradictions(table: Table) -> tuple[str, ...]:
    """Where a publication's time for all items contradicts its time for one."""
    sentences, items = [], table.figures.items
    for section in table.sections:
        for row in section.rows:
            whole_ms = table.figures.of(Kind.TIME, row.codec, section.operation)
            each_ms = table.figures.of(Kind.TIME_PER_ITEM, row.codec, section.operation)
            measures = row.measures.get(section.operation)
            if not whole_ms or not each_ms or measures is None or measures.timing is None:
                continue
            follows_ms = whole_ms / items
            if max(follows_ms, each_ms) > AGREE_WITHIN * min(follows_ms, each_ms):
                sentences.append(
                    f"The publication contradicts itself on {row.codec} {section.operation}: {significant(whole_ms)} "
                    f"ms for {count(items)} is {significant(follows_ms * 1e3)} µs a piece, and elsewhere it says "
                    f"{significant(each_ms * 1e3)} µs."
                )
    return tuple(sentences)


@column(heading=item_heading, remarks=contradictions)
def us_per_item(entry: Entry) -> Lines:
    """Microseconds for one of the items that a repetition handles."""
    n, items = entry.repetitions, entry.table.figures.items
    each = None if entry.time_ms is None else us_each(entry.time_ms / n, items)
    return over_published(each, us_each(entry.published(Kind.TIME_PER_ITEM), 1))


def value_heading(table: Table, other: str) -> Lines:
    """The heading, with what a value is."""
    return ("ns a value" if table.scenario.values > 1 else "ns a message",)


def value_legend(table: Table) -> str:
    """What a value is, in words."""
    values = table.scenario.values
    over = f"divided by its {count(values)} values" if values > 1 else "of a whole message"
    return f"ns: the time {over}, which is comparable."


def published_ns(figures: Figures, codec: str, operation: Operation, values: int) -> float | None:
    """Time of one value of a message, computed from its published size and throughput."""
    size, rate = figures.of(Kind.SIZE, codec, operation), figures.of(Kind.THROUGHPUT, codec, operation)
    return size / (rate / 1e9) / values if size is not None and rate else None


@column(heading=value_heading, legend=value_legend)
def ns_per_value(entry: Entry) -> Lines:
    """`0.213 [0.21 – 0.22]` and its marks, and under it the time computed from the published size and throughput."""
    timing = entry.measures.timing if entry.measures else None
    if timing is None:
        return timed(entry, None)
    values = entry.table.scenario.values
    scale = 1e6 / entry.repetitions / values
    spread = f" [{significant(timing.min_ms * scale)} – {significant(timing.max_ms * scale)}]"
    first = f"{significant(timing.median_ms * scale)}{spread if timing.rounds > 1 else ''}{marks(timing)}"
    published = published_ns(entry.table.figures, entry.row.codec, entry.operation, values)
    return (first,) if published is None else (first, f"published {significant(published)}")
