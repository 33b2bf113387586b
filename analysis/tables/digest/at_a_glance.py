"""A line per scenario: how many of its claims hold, which codec is fastest there, and which takes the fewest bytes."""

from collections.abc import Iterable, Sequence
from math import isfinite

from msgspec import Struct

from analysis.base.text import count, duration_ns
from analysis.tables.columns.sizes import of_one_row
from analysis.tables.layout import NOTHING
from analysis.tables.rows import Row, Table, instructions_of
from analysis.tables.timings import typical_ns


class Glance(Struct, frozen=True):
    """A scenario in a line."""

    scenario: str
    title: str
    codecs: int
    """How many have a time at the published conditions; where none has, how many encode."""
    fastest: str
    """With its time; where none was timed the one with the fewest instructions."""
    smallest: str


def glance(table: Table) -> Glance:
    """What the table of a scenario says first, of all codecs at the published conditions."""
    operation = table.overview.operation
    timed = [row for row in table.overview.codecs if (own := row.measures.get(operation)) and own.timing]
    known = timed or table.overview.codecs
    figures = [row for row in timed if _is_figure(row, table)]
    return Glance(
        scenario=table.scenario.name,
        title=table.scenario.title,
        codecs=len(known),
        fastest=_fastest(figures, table) if figures else NOTHING if timed else _fewest(known, table),
        smallest=_smallest(known, table),
    )


def _instructions(row: Row, table: Table) -> float:
    own = row.measures.get(table.overview.operation)
    return instructions_of(own.series if own else None)


def _is_figure(row: Row, table: Table) -> bool:
    timing = row.measures[table.overview.operation].timing
    return timing is not None and timing.is_figure


def _fastest(rows: Sequence[Row], table: Table) -> str:
    """`language/codec, read 151 ns`, and how many share its rank; of rows with a figure, from the fastest on.

    The time is of a message, or of a row of a file. Nobody is where ranks are withheld, or where another may be
    faster, whose loops were too seldom calm.
    """
    operation, first = table.overview.operation, rows[0]
    least_ns = typical_ns(first.measures[operation].series)
    shown = (row.measures.get(operation) for row in table.overview.codecs if row not in rows)
    if first.rank is None or any(own and own.timing and typical_ns(own.series) < least_ns for own in shown):
        return NOTHING
    alike = sum(row.rank == 1 for row in rows) - 1 if first.rank == 1 else 0
    others = f" ({count(alike)} more alike)" if alike > 0 else ""
    each = f"{duration_ns(least_ns / in_file)} a row" if (in_file := table.scenario.rows) else duration_ns(least_ns)
    return f"{first.codec}, {operation} {each}{others}"


def _fewest(rows: Sequence[Row], table: Table) -> str:
    """`language/codec, read 1,234 instructions`."""
    least = min(rows, key=lambda row: _instructions(row, table), default=None)
    if least is None or not isfinite(_instructions(least, table)):
        return NOTHING
    return f"{least.codec}, {table.overview.operation} {count(round(_instructions(least, table)))} instructions"


def _smallest(rows: Iterable[Row], table: Table) -> str:
    """`language/codec, 230 B`, and how many take as few bytes."""
    sized = sorted((row.size_bytes, row.codec) for row in rows if row.size_bytes)
    if not sized:
        return NOTHING
    (least, first), same = sized[0], sum(size == sized[0][0] for size, _ in sized) - 1
    others = f" ({count(same)} more)" if same else ""
    if scenario_rows := table.scenario.rows:
        return f"{first}, {of_one_row(least, scenario_rows)} B a row{others}"
    return f"{first}, {count(least)} B{others}"
