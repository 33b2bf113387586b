"""A scenario at other sizes: what a run holds of the points of its sweep, codec by size."""

import re
from collections.abc import Sequence

from analysis.base.text import plural, size
from analysis.tables.digest.short_table import MARKS, Unit, shown_time, unit_of
from analysis.tables.footnotes import marks
from analysis.tables.layout import NOTHING, Column, Grid, Lines, Section
from analysis.tables.rows import Measures, Table
from bench.model.cells import Operation
from bench.model.scenario import Scenario


def size_grid(points: Sequence[Table]) -> Grid:
    """The times of a sweep's points, n ≥ 1 tables of one run: a row a codec, a column a size, smallest first.

    Codecs stand in the order of the middle size.
    """
    ordered = sorted(points, key=lambda table: table.scenario.data_size_bytes)
    middle = ordered[len(ordered) // 2]
    sections = (Section(tuple(_rows(ordered, middle, one.operation)), one.operation.value) for one in middle.sections)
    values = (f"{table.scenario.values:,}" for table in ordered)
    labels = (size_of_data(table.scenario) for table in ordered)
    return Grid(
        title=f"At {plural(len(ordered), 'other size')}, in {unit_of(middle).name}",
        columns=(Column(("Codec",), right=False), *(Column(lines) for lines in zip(labels, values, strict=True))),
        sections=tuple(section for section in sections if section.rows),
        notes=(
            "Columns: the bytes of the numbers alone, and how many numbers. A time is the mean over layouts of the "
            "medians of calm loops, and under it [min – max of all loops of the first rounds]; where these overlap, "
            f"another run may order the codecs otherwise. Codecs stand as at {size_of_data(middle.scenario)}, fastest "
            f"first. {NOTHING}: not measured.",
            *(f"{note.mark} {note.meaning.partition(':')[0]}." for note in MARKS),
        ),
    )


def size_of_data(scenario: Scenario) -> str:
    """The size of a point: 64 KiB."""
    return re.sub(r"\.0+ ", " ", size(scenario.data_size_bytes))


def _rows(ordered: Sequence[Table], middle: Table, operation: Operation) -> list[tuple[Lines, ...]]:
    units = [unit_of(table) for table in ordered]
    of_each = [_measured(table, operation) for table in ordered]
    codecs = dict.fromkeys([*_measured(middle, operation), *(codec for known in of_each for codec in known)])
    return [
        ((codec,), *(_time(known.get(codec), unit) for known, unit in zip(of_each, units, strict=True)))
        for codec in codecs
    ]


def _measured(table: Table, operation: Operation) -> dict[str, Measures]:
    """Codec → its measurement, from the fastest on, without controls."""
    rows = [row for section in table.sections if section.operation is operation for row in section.codecs]
    return {row.codec: row.measures[operation] for row in rows if operation in row.measures}


def _time(measures: Measures | None, unit: Unit) -> Lines:
    """`1.34 ¤`, and under it `[1.21 – 9.90]`."""
    timing = measures.timing if measures else None
    if timing is None:
        return (NOTHING,)
    first, *spread = shown_time(timing, unit)
    return (f"{first}{marks(timing, MARKS)}", *spread)
