"""Turns the cells of a scenario into the rows of its table: which codecs, their order and ranks. Numbers only.

`analysis.tables.columns` formats them as text, with one function per kind of column.
"""

from collections.abc import Mapping, Sequence
from itertools import groupby

from msgspec import Struct

from analysis.data.cells import ScenarioCells, Series
from analysis.data.floors import calm_spread, ranks_of
from analysis.data.inference import ratio_of, time_of
from analysis.data.select import Chosen, choose, nearest, size_of
from analysis.sources.figures import Figures
from analysis.sources.publications import Form, Kind
from analysis.statistics.estimates import Estimate
from analysis.tables.compilers import CompilerEffect, compiler_effects
from analysis.tables.timings import Timing, timing, typical_ns
from bench.model.cells import Cell, Operation
from bench.model.scenario import Scenario

COUNTED = "instructions"
"""The kind of column that stands in every table of counted cells."""


class Relative(Struct, frozen=True):
    """Time over that of the reference codec: measured here, and the published ratio."""

    here: Estimate | None
    published: float | None


class Measures(Struct, frozen=True, eq=False):
    """The measurements of a codec in one operation; each column shows a part of them."""

    series: Series
    timing: Timing | None
    """None if every process of the cell failed."""


class Row(Struct, frozen=True, eq=False):
    """A codec in a section."""

    codec: str
    published_name: str | None
    control: bool
    rank: int | None
    """None for controls, for codecs without a figure in the section's operation, and where ranks are withheld."""
    tied: bool
    size_bytes: int | None
    """Size of a message; None if nothing is encoded."""
    measures: Mapping[Operation, Measures]
    relative: Relative
    """The ratio in the section's operation."""


class RankedRows(Struct, frozen=True, eq=False):
    """A section of a table: its rows from the fastest to the slowest in one operation."""

    operation: Operation
    reference: str | None
    """The codec that `relative` compares with."""
    rows: tuple[Row, ...]

    @property
    def codecs(self) -> tuple[Row, ...]:
        """The rows that are ranked."""
        return tuple(row for row in self.rows if not row.control)

    @property
    def controls(self) -> tuple[Row, ...]:
        """The rows of controls, from the fastest to the slowest."""
        return tuple(row for row in self.rows if row.control)


class Failure(Struct, frozen=True):
    """Error rows of a codec with the same reason."""

    codec: str
    reason: str
    cells: int
    rows: int


class Table(Struct, frozen=True, eq=False):
    """The table of a scenario, in the form of its publication."""

    cells: ScenarioCells
    form: Form
    figures: Figures
    chosen: Chosen
    """The cells that it shows."""
    overview: RankedRows
    """All codecs at the published conditions, by the operation that says most."""
    sections: tuple[RankedRows, ...]
    """A single section if operations are columns, else one per operation."""
    elsewhere: tuple[str, ...]
    """Codecs that were measured only under other conditions and so have no row."""
    failures: tuple[Failure, ...]

    @property
    def scenario(self) -> Scenario:
        """The scenario."""
        return self.cells.scenario

    @property
    def operations(self) -> tuple[Operation, ...]:
        """Those of its scenario; of those that few codecs have, only the measured ones."""
        return operations_shown(self.scenario, self.chosen)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of its columns: those of its form, and the instructions where a cell of it was counted."""
        shown = (series for operations in self.chosen.values() for series in operations.values())
        counted = any(series.counted and series.counted.instructions for series in shown)
        own = tuple(self.form.columns)
        return (*own, COUNTED) if counted and COUNTED not in own else own

    @property
    def languages(self) -> set[str]:
        """The languages of its codecs and controls."""
        return {cell.codec.partition("/")[0] for cell, _ in self.cells.series}


def table_of(cells: ScenarioCells, form: Form, figures: Figures) -> Table:
    """The table of a scenario, with the published figures next to the measured ones."""
    scenario, published = cells.scenario, choose(cells)
    usual = [one for one in scenario.operations if not one.is_of_few] or scenario.operations
    sorted_by = Operation.ROUND_TRIP if Operation.ROUND_TRIP in usual else usual[-1]
    chosen = nearest(cells) if form.cells == "nearest" else published
    ranker = _Ranker(cells, chosen, figures, compiler_effects(cells, chosen))
    overview = (ranker if chosen is published else _Ranker(cells, published, figures, {})).by(sorted_by, published, [])
    if form.operations == "sections":
        operations = operations_shown(scenario, chosen)
        shown = {one: {c: {one: s[one]} for c, s in chosen.items() if one in s} for one in operations}
        sections = tuple(ranker.by(one, shown[one], form.reference) for one in operations)
    else:
        own = form.reference or chosen is not published
        sections = (ranker.by(sorted_by, chosen, form.reference) if own else overview,)
    return Table(
        cells=cells,
        form=form,
        figures=figures,
        chosen=chosen,
        overview=overview,
        sections=sections if form.controls != "among" else tuple(map(_mixed, sections)),
        elsewhere=tuple(sorted({cell.codec for cell, _ in cells.series} - set(chosen))),
        failures=failures(cells),
    )


def operations_shown(scenario: Scenario, chosen: Chosen) -> tuple[Operation, ...]:
    """A scenario's operations; of those that few codecs have, only the ones with a cell."""
    offered = {operation for codec in chosen.values() for operation in codec}
    return tuple(one for one in scenario.operations if not one.is_of_few or one in offered)


class _Ranker:
    """Ranks the cells that were chosen for a scenario's table."""

    def __init__(
        self, cells: ScenarioCells, chosen: Chosen, figures: Figures, effects: Mapping[Cell, CompilerEffect]
    ) -> None:
        self.cells, self.scenario = cells, cells.scenario
        self.chosen, self.figures, self.effects = chosen, figures, effects
        self.controls = {s.cell.codec for s in cells.series.values() if s.planned.control}

    def by(self, operation: Operation, shown: Chosen, references: Sequence[str]) -> RankedRows:
        """Ranks the shown cells by an operation. The reference is the first of `references` that was measured, else the
        fastest published codec, else the fastest.
        """
        ordered = in_order(
            {c: s for c, s in shown.items() if c not in self.controls},
            operation,
            are_ranked=not calm_spread(self.cells),
        )
        measured = [codec for codec in ordered if operation in shown[codec] and time_of(shown[codec][operation])]
        numbers = ranks_of(self.cells, {codec: self.chosen[codec][operation] for codec in measured})
        shared = list(numbers.values())
        reference = next((codec for codec in references if codec in measured), None)
        reference = reference or self.fastest(measured, operation)

        def row(codec: str) -> Row:
            number = numbers.get(codec)
            return Row(
                codec=codec,
                published_name=self.scenario.published.rows.get(codec),
                control=codec in self.controls,
                rank=number,
                tied=number is not None and shared.count(number) > 1,
                size_bytes=size_of(self.chosen[codec]),
                measures={one: self.measures(series) for one, series in shown[codec].items()},
                relative=self.relative(codec, reference, operation),
            )

        controls = in_order({c: s for c, s in shown.items() if c in self.controls}, operation)
        return RankedRows(operation, reference, tuple(map(row, (*ordered, *controls))))

    def ratio(self, codec: str, other: str, operation: Operation) -> Estimate | None:
        """Time of one codec over that of another."""
        return ratio_of(self.chosen[codec][operation], self.chosen[other][operation])

    def fastest(self, measured: Sequence[str], operation: Operation) -> str | None:
        """The fastest published codec that was also measured here; without a publication, the fastest measured."""
        published = {codec: self.figures.of(Kind.TIME, codec, operation) for codec in measured}
        known = {codec: ms for codec, ms in published.items() if ms is not None}
        return min(known, key=known.__getitem__) if known else next(iter(measured), None)

    def measures(self, series: Series) -> Measures:
        """A cell as its row shows it."""
        if not series.measured:
            return Measures(series, None)
        published = self.figures.time_ms(series.cell)
        return Measures(series, timing(series, self.scenario, published, self.effects.get(series.cell)))

    def relative(self, codec: str, reference: str | None, operation: Operation) -> Relative:
        """A codec's time over the reference's, here and as published."""
        series = self.chosen[codec].get(operation)
        if reference is None or series is None or not series.measured:
            return Relative(None, None)
        here = self.ratio(codec, reference, operation)
        return Relative(here, self.figures.relative(codec, reference, operation))


def _mixed(ranking: RankedRows) -> RankedRows:
    """The same ranking with controls sorted in among the codecs."""
    rows = {row.codec: row for row in ranking.rows}
    chosen = {codec: {one: m.series for one, m in row.measures.items()} for codec, row in rows.items()}
    return RankedRows(ranking.operation, ranking.reference, tuple(rows[c] for c in in_order(chosen, ranking.operation)))


def in_order(chosen: Chosen, operation: Operation, *, are_ranked: bool = True) -> list[str]:
    """Codecs by their time in an operation; then those too seldom calm for a figure, which stand among the others where
    none is ranked; then those without a time, by instructions where they were counted, then by name.
    """

    def key(codec: str) -> tuple[bool, bool, float, str]:
        series = chosen[codec].get(operation)
        if series is None or not series.measured:
            return True, True, instructions_of(series), codec
        return False, are_ranked and time_of(series) is None, typical_ns(series), codec

    return sorted(chosen, key=key)


def instructions_of(series: Series | None) -> float:
    """Instructions of a repetition; infinite where they were not counted."""
    counted = series.counted if series else None
    return float("inf") if counted is None or counted.instructions_each is None else counted.instructions_each


def longest_loop(table: Table) -> int:
    """The most repetitions of any codec's timed loop."""
    rows = [row for section in table.sections for row in section.codecs]
    return max((m.timing.repetitions for row in rows for m in row.measures.values() if m.timing), default=0)


def failures(cells: ScenarioCells) -> tuple[Failure, ...]:
    """All error rows of a scenario, one entry per codec and reason."""
    rows = sorted((s.cell.codec, reason, str(s.cell)) for s in cells.series.values() for reason in s.failures)
    result = []
    for (codec, reason), group in groupby(rows, key=lambda row: row[:2]):
        names = [name for _, _, name in group]
        result.append(Failure(codec, reason, len(set(names)), len(names)))
    return tuple(result)
