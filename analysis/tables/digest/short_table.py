"""The short table of a scenario: its published rows alone, a column per operation, with what decides and no more.

All else, such as other variants, marks and notes, stands in the table that `lab table` prints.
"""

from collections.abc import Callable

import msgspec
from msgspec import Struct

from analysis.base.text import heading, ms, plural, significant
from analysis.data.cells import Series
from analysis.tables.certainty.noise_notes import beside_title
from analysis.tables.columns.sizes import of_one_row, with_percent
from analysis.tables.columns.times import published_ns
from analysis.tables.footnotes import NOT_CALM, OTHER_CONDITIONS, QUARTILE, marks
from analysis.tables.layout import NOTHING, Column, Grid, Lines, Section, titled
from analysis.tables.notes import warnings
from analysis.tables.rows import Measures, Row, Table
from analysis.tables.timings import Timing
from bench.model.cells import Cell
from bench.model.plan import Profile
from bench.model.record import Run

MARKS = (NOT_CALM, QUARTILE, OTHER_CONDITIONS)
"""The marks without which a time would be read wrongly; the others stand in the whole table."""
PER_VALUE = "ns_per_value"
"""The kind of column of publications that print no time but a rate."""
MILLISECONDS = "ms"
"""The unit of a table without rates: of the published repetitions."""
INSTRUCTIONS = "instructions"
"""The unit of a table of an untimed run."""


class Unit(Struct, frozen=True):
    """What the times of a short table are in."""

    name: str
    per_ms: float
    """The number by which milliseconds for the published repetitions are multiplied."""
    show: Callable[[float, float], str]
    """A value as text, with the digits that the second, the middle of its row, needs."""


def short_grid(table: Table, run: Run) -> Grid | None:
    """The published rows of a scenario, from the fastest to the slowest; None where none of them was measured."""
    rows = published_rows(table)
    if not rows:
        return None
    unit, shown = unit_of(table), [one for row in rows for one in _measures(table, row) if one]
    published = any(_published(table, one.series.cell, unit) != NOTHING for one in shown)
    counted = any(instructions(one.series) for one in shown)
    if run.plan.profile is Profile.UNTIMED:
        unit, under = msgspec.structs.replace(unit, name=INSTRUCTIONS), ()
    else:
        under = (*(("published",) if published else ()), *(("instructions",) if counted else ()))
    return Grid(
        title=titled(table.scenario.title, run) + beside_title(table.cells),
        columns=(
            Column(("#",)),
            Column(("Codec",), right=False),
            Column(("Size (bytes)", "[against the data]")),
            *(Column((f"{heading(one)} ({unit.name})", *under)) for one in table.operations),
        ),
        sections=(Section(tuple(_row(table, row, unit, under) for row in rows)),),
        warnings=warnings(table, run),
        notes=(_measured_as(table, unit),),
    )


def published_rows(table: Table) -> tuple[Row, ...]:
    """A row per published codec with all its operations, in the order of the operation that says most.

    Without those of which nothing was measured or counted.
    """
    by_operation = {section.operation: section for section in table.sections}
    first = by_operation.get(table.overview.operation, table.sections[0])
    rows: dict[str, Row] = {}
    for section in (first, *table.sections):
        for row in section.rows:
            if row.published_name and not row.control:
                rows.setdefault(row.codec, row)
    return tuple(
        row for row in rows.values() if any(one.timing or instructions(one.series) for one in row.measures.values())
    )


def unit_of(table: Table) -> Unit:
    """Milliseconds for the published repetitions; nanoseconds a value where the publication prints rates."""
    if PER_VALUE not in table.form.columns:
        return Unit(MILLISECONDS, 1.0, (lambda value, _: significant(value, 4)) if table.scenario.is_files else ms)
    values = table.scenario.values
    scale = 1e6 / table.scenario.published.timed_repetitions / values
    name = "ns a value" if values > 1 else "ns a message"
    return Unit(name, scale, lambda value, _: significant(value))


def _measured_as(table: Table, unit: Unit) -> str:
    if unit.name == INSTRUCTIONS:
        return f"Instructions of a repetition, sorted by {heading(table.overview.operation).rstrip('.')}."
    n, rounds = table.scenario.published.timed_repetitions, table.cells.rounds_whole
    of = f" for n = {n:,}" if unit.name == MILLISECONDS else ""
    ordered = heading(table.overview.operation).rstrip(".")
    system = f", published for {table.figures.platform}" if table.figures.values and table.figures.is_stated else ""
    return f"{unit.name}{of}, {plural(rounds, 'round')}, sorted by {ordered}{system}."


def _row(table: Table, row: Row, unit: Unit, under: tuple[str, ...]) -> tuple[Lines, ...]:
    rank = NOTHING if row.rank is None else f"{row.rank}{'=' if row.tied else ''}"
    times = [_time(table, measures, unit, under) for measures in _measures(table, row)]
    return ((rank,), (row.codec,), (_size(table, row),), *times)


def _measures(table: Table, row: Row) -> list[Measures | None]:
    """A codec's measurement in each operation, from the section of that operation where there is one."""
    shown = {section.operation: held for section in table.sections for held in section.rows if held.codec == row.codec}
    return [(shown.get(operation) or row).measures.get(operation) for operation in table.operations]


def _size(table: Table, row: Row) -> str:
    """Bytes of a message, or of one row of a file, against those of the data where they are known."""
    if row.size_bytes is None:
        return NOTHING
    if rows := table.scenario.rows:
        return f"{of_one_row(row.size_bytes, rows)} a row"
    return with_percent(row.size_bytes, table.scenario)


def _time(table: Table, measures: Measures | None, unit: Unit, under: tuple[str, ...]) -> Lines:
    """`18.51 [18.1 – 19.2]`, and under it the published figure and the instructions, where the heading names them."""
    timing = measures.timing if measures else None
    if measures is None or timing is None:
        return (_untimed(measures, unit),)
    lines = [f"{' '.join(shown_time(timing, unit))}{marks(timing, MARKS)}"]
    if "published" in under:
        lines.append(_published(table, measures.series.cell, unit))
    if "instructions" in under:
        lines.append(instructions(measures.series) or NOTHING)
    return tuple(lines)


def shown_time(timing: Timing, unit: Unit) -> tuple[str, ...]:
    """`18.51` and `[18.1 – 19.2]`, from the least to the most of all loops; of a single round the first alone."""
    middle, low, high = (value * unit.per_ms for value in (timing.median_ms, timing.min_ms, timing.max_ms))
    spread = f"[{unit.show(low, middle)} – {unit.show(high, middle)}]"
    return (unit.show(middle, middle), spread) if timing.rounds > 1 else (unit.show(middle, middle),)


def _untimed(measures: Measures | None, unit: Unit) -> str:
    """What stands for the time of a cell that has none: its instructions, where a run has no other figures."""
    if measures is None:
        return NOTHING
    counted = instructions(measures.series) if unit.name == INSTRUCTIONS else ""
    return counted or ("error" if measures.series.failures else NOTHING)


def _published(table: Table, cell: Cell, unit: Unit) -> str:
    if unit.name == MILLISECONDS:
        value = table.figures.time_ms(cell)
    else:
        value = published_ns(table.figures, cell.codec, cell.operation, table.scenario.values)
    return NOTHING if value is None else unit.show(value, value)


def instructions(series: Series) -> str:
    """`2,498`, a range where countings differ; empty where the cell was not counted."""
    counted = series.counted
    if counted is None or counted.instructions_each is None:
        return ""
    shown = (f"{each:,.0f}" for each in counted.range_each or (counted.instructions_each,))
    return " – ".join(dict.fromkeys(shown))
