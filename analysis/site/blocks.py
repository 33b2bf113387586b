"""The parts of pages: a block is a heading, words, a chart, the table below it, and the data behind both."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from analysis.base.anchors import row_anchor
from analysis.base.anchors import slug as slug
from analysis.render.evidence_facts import Fact
from analysis.tables.layout import Grid, Lines

Row = Mapping[str, Any]
"""A row of data: column → text, number, flag or None."""


class Chart(Struct, frozen=True):
    """A Vega-Lite specification whose data is the block's."""

    spec: dict[str, Any]
    says: str
    """What it shows, for readers who cannot see it."""


class TableRow(Struct, frozen=True):
    """A row of a table, with its anchor and the tags for filters."""

    anchor: str
    cells: tuple[Lines, ...]
    tags: Mapping[str, str]
    details: tuple[Fact, ...] = ()
    """What opens below its header."""


class TableSection(Struct, frozen=True):
    """Rows under one name."""

    name: str | None
    rows: tuple[TableRow, ...]


class Table(Struct, frozen=True):
    """A grid whose rows can be linked to and filtered."""

    grid: Grid
    header: int
    """Index of the column whose cells are row headers."""
    sections: tuple[TableSection, ...]


class Code(Struct, frozen=True):
    """A file to be read."""

    name: str
    text: str


class Block(Struct, frozen=True):
    """A part of a page with an anchor."""

    anchor: str
    heading: str
    level: int = 2
    words: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    chart: Chart | None = None
    table: Table | None = None
    folded: str = ""
    """What stands in place of the table until a reader opens it; empty if it is open at once."""
    code: Code | None = None
    data: Sequence[Row] = ()
    """The data behind chart and table; if any, offered as CSV and Parquet."""
    types: Mapping[str, type] = {}
    """Types of the columns of `data`."""


class Page(Struct, frozen=True):
    """One HTML file."""

    name: str
    """The name of its file, without `.html`."""
    title: str
    section: str
    """The entry of the navigation that it belongs to."""
    lead: tuple[str, ...]
    blocks: tuple[Block, ...]
    filters: tuple[str, ...] = ()
    """Tags by which its rows can be filtered."""
    template: str = "page.html"
    extra: Mapping[str, Any] = {}
    """Values for its own template."""


def table_of(
    grid: Grid,
    prefix: str,
    tags: Mapping[str, Mapping[str, str]],
    *,
    header: int = 0,
    name_line: int = 0,
    details: Mapping[str, tuple[Fact, ...]] | None = None,
) -> Table:
    """A grid as a table.

    `tags` maps a row's name, line `name_line` of its cell in column `header`, to its tags; `details` to what it opens.
    """
    known: set[str] = set()

    def row(cells: tuple[Lines, ...]) -> TableRow:
        name = cells[header][name_line]
        number = 1
        while (anchor := row_anchor(prefix, name, number)) in known:
            number += 1
        known.add(anchor)
        return TableRow(anchor, cells, tags.get(name, {}), (details or {}).get(name, ()))

    sections = tuple(TableSection(one.name, tuple(map(row, one.rows))) for one in grid.sections)
    return Table(grid, header, sections)
