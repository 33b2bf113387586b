"""A line per scenario: how many of its claims hold, which codec is fastest there, and which takes the fewest bytes."""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from analysis.base.text import count, duration_ns, significant
from analysis.tables.layout import NOTHING
from analysis.tables.rows import Row, Table
from analysis.tables.timings import typical_ns


class Glance(Struct, frozen=True):
    """A scenario in a line."""

    scenario: str
    title: str
    codecs: int
    """How many have a figure at the published conditions."""
    fastest: str
    smallest: str


def glance(table: Table) -> Glance:
    """What the table of a scenario says first, of all codecs at the published conditions."""
    operation = table.overview.operation
    timed = [row for row in table.overview.codecs if (own := row.measures.get(operation)) and own.timing]
    figures = [row for row in timed if _is_figure(row, table)]
    return Glance(
        scenario=table.scenario.name,
        title=table.scenario.title,
        codecs=len(timed),
        fastest=_fastest(figures, table) if figures else NOTHING,
        smallest=_smallest(timed, table),
    )


def _is_figure(row: Row, table: Table) -> bool:
    timing = row.measures[table.overview.operation].timing
    return timing is not None and timing.is_figure


def _fastest(rows: Sequence[Row], table: Table) -> str:
    """`language/codec, read 151 ns`, and how many share its rank."""
    operation, first = table.overview.operation, rows[0]
    alike = sum(row.rank == 1 for row in rows) - 1 if first.rank == 1 else 0
    others = f" ({count(alike)} more alike)" if alike > 0 else ""
    return f"{first.codec}, {operation} {duration_ns(typical_ns(first.measures[operation].series))}{others}"


def _smallest(rows: Iterable[Row], table: Table) -> str:
    """`language/codec, 230 B`, and how many take as few bytes."""
    sized = sorted((row.size_bytes, row.codec) for row in rows if row.size_bytes)
    if not sized:
        return NOTHING
    (least, first), same = sized[0], sum(size == sized[0][0] for size, _ in sized) - 1
    others = f" ({count(same)} more)" if same else ""
    if scenario_rows := table.scenario.rows:
        return f"{first}, {significant(least / scenario_rows, 4)} B a row{others}"
    return f"{first}, {count(least)} B{others}"
