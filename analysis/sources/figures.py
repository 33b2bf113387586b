"""What a publication says of a scenario on one platform: its figures by the lab's codecs, operations and units."""

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from analysis.base import problems as errors
from analysis.sources.publications import Kind, Metric, Table
from analysis.sources.published_tables import (
    BYTES,
    MS,
    RATES,
    UNSTATED,
    PublishedRows,
    PublishedValue,
    load_published,
)
from bench.base.errors import bad_file
from bench.model.cells import Cell, Operation
from bench.model.scenario import Scenario

UNITS: Mapping[Kind, Mapping[str, float]] = {
    Kind.TIME: MS,
    Kind.TIME_PER_ITEM: MS,
    Kind.SIZE: BYTES,
    Kind.THROUGHPUT: RATES,
}
"""One unit in ms, bytes, or bytes a second; other kinds have a single unit."""


class Key(Struct, frozen=True):
    """Identifies a figure of a table."""

    kind: Kind
    row: str
    operation: Operation | None
    """None for figures of no operation, such as the size of a message."""
    to: str | None
    """The row that a ratio relates to."""


class Apart(Struct, frozen=True, eq=False):
    """Times of cells under further conditions than the table's, which a publication has a word of its own for."""

    word: str
    operation: Operation
    conditions: Mapping[str, str]
    """In addition to the table's."""
    rows: dict[str, str]
    """Codec → name of its row, which may be another than in the table."""
    times_ms: dict[str, float]
    """Codec → its time."""

    def is_of(self, cell: Cell) -> bool:
        """Whether a cell is one of these."""
        held = dict(cell.conditions.items())
        return cell.operation is self.operation and self.conditions.items() <= held.items()


class Figures(Struct, frozen=True, eq=False):
    """The published figures of a scenario; empty where it has no publication."""

    platform: str
    """A system as published tables name it (linux, windows, macos), or `unstated`."""
    rows: Mapping[str, str]
    """Codec → name of its row."""
    values: Mapping[Key, float]
    """In ms, bytes, bytes a second, per cent."""
    items: int
    """How many items a repetition handles."""
    apart: Mapping[str, Apart] = {}
    """Word → figures of other cells than those of the table."""

    @property
    def is_stated(self) -> bool:
        """Whether the publication names the platform."""
        return self.platform != UNSTATED

    def of(self, kind: Kind, codec: str, operation: Operation) -> float | None:
        """A figure of a codec in an operation, or of its row where the publication ties it to no operation."""
        return self._value(kind, codec, operation, None)

    def time_ms(self, cell: Cell) -> float | None:
        """The time of a cell: of its codec and operation, unless the publication has figures of such cells apart."""
        for one in self.apart.values():
            if one.is_of(cell):
                return one.times_ms.get(cell.codec)
        return self.of(Kind.TIME, cell.codec, cell.operation)

    def ratio(self, kind: Kind, codec: str, to: str | None, operation: Operation) -> float | None:
        """A printed ratio of a codec to another; with `to` None, to whichever row the publication compares with."""
        if to is not None:
            return self._value(kind, codec, operation, self.rows.get(to, to))
        others = dict.fromkeys(key.to for key in self.values if key.kind is kind)
        known = (self._value(kind, codec, operation, other) for other in others)
        return next((value for value in known if value is not None), None)

    def relative(self, codec: str, reference: str, operation: Operation) -> float | None:
        """Time of a codec over the reference's: as the publication prints it, or computed from its times."""
        printed = self.ratio(Kind.TIME_RATIO, codec, reference, operation)
        one, other = self.of(Kind.TIME, codec, operation), self.of(Kind.TIME, reference, operation)
        if printed is None and one is not None and other is not None:
            return one / other
        return printed

    def _value(self, kind: Kind, codec: str, operation: Operation, to: str | None) -> float | None:
        row = self.rows.get(codec)
        if row is None:
            return None
        of_operation = self.values.get(Key(kind, row, operation, to))
        return self.values.get(Key(kind, row, None, to)) if of_operation is None else of_operation


def figures_of(scenario: Scenario, system: str, folder: Path) -> Figures:
    """The figures of the table that a scenario names, and of other tables that the same cells reproduce.

    Raises LabError for a table that does not exist, and for a row that its table lacks.
    """
    reference = scenario.published.table
    if not reference:
        return Figures(system, {}, {}, 1)
    own = load_published(reference, folder)
    held = own.rows()
    for codec, name in scenario.published.rows.items():
        if name not in held:
            raise errors.no_published_row(own.path, own.table, codec, name, held)
    platform = own.platform_for(system)
    values, apart = dict[Key, float](), dict[str, Apart]()
    tables = own.publication.tables_of(scenario.name, own.table) if own.publication else []
    first, *others = tables or [Table(own.table, scenario.name)]
    _add(values, apart, own, first, platform)
    for table in others:
        _add(values, apart, load_published(f"{own.path.name}#{table.published}", folder), table, platform)
    return Figures(platform, scenario.published.rows, values, first.items, apart)


def _add(values: dict[Key, float], apart: dict[str, Apart], rows: PublishedRows, table: Table, platform: str) -> None:
    """Adds a table's figures; those already known take precedence."""
    for value in rows.values:
        metric = rows.metric(value)
        if metric is None or value.platform != platform:
            continue
        name, conditions = table.operation(value.operation)
        operation = Operation(name) if name in set(Operation) else None
        if conditions:
            codec = rows.publication.codecs.get(value.codec) if rows.publication else None
            if metric.kind is Kind.TIME and operation and codec:
                one = apart.setdefault(value.operation, Apart(value.operation, operation, conditions, {}, {}))
                one.rows.setdefault(codec, value.codec)
                one.times_ms.setdefault(codec, value.value * _unit(rows.path, metric, value))
            continue
        key = Key(metric.kind, value.codec, operation, metric.to)
        values.setdefault(key, value.value * _unit(rows.path, metric, value))


def _unit(path: Path, metric: Metric, value: PublishedValue) -> float:
    """One unit of a figure. Raises LabError for an unknown unit."""
    units = UNITS.get(metric.kind)
    if units is None:
        return 1.0
    if value.unit not in units:
        problem = f"{value.unit!r} is not a unit of {metric.kind}; known: {', '.join(units)}"
        raise bad_file(path, value.line, "unit", problem)
    return units[value.unit]
