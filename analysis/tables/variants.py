"""The second table of a scenario: what the published method hides, from cells under other conditions."""

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct

from analysis.base.text import bounds, heading, significant, size
from analysis.data.cells import ScenarioCells, Series
from analysis.data.floors import floor_of_comparison
from analysis.data.inference import ratio_of
from analysis.data.select import Chosen, choose
from analysis.statistics.estimates import Estimate
from analysis.statistics.intervals import Vector
from analysis.statistics.ratios import is_tie
from analysis.tables.footnotes import CLOCK_FOOTNOTES, explained, marks
from analysis.tables.layout import CONTROLS, NOTHING, Column, Grid, Lines, Section, titled
from analysis.tables.rows import RankedRows
from analysis.tables.timings import Timing, timing
from bench.model.cells import Cell, ControlRole, Operation
from bench.model.plan import Profile
from bench.model.record import Run

ALLOCATIONS = "allocs: allocations and their bytes in one repetition, in steady state under the published conditions."


class Variant(Struct, frozen=True, order=True):
    """A column of the second table: an operation under other conditions than published."""

    operation_index: int
    operation: Operation
    conditions: str


class Allocations(Struct, frozen=True):
    """Allocations of one repetition in steady state."""

    count: int
    size_bytes: int


class Changed(Struct, frozen=True):
    """A codec's cell under other conditions: its time relative to the published conditions, and its own timing."""

    ratio: Estimate
    tied: bool
    """Whether the ratio cannot be told from 1."""
    timing: Timing


class VariantRow(Struct, frozen=True):
    """One codec under other conditions, with its allocations, start-up and memory."""

    codec: str
    control: bool
    variants: Mapping[Variant, Changed]
    allocations: Mapping[Operation, Allocations]
    start_up_ms: float | None
    loading_ms: float | None
    """Start-up beyond that of the language's control that does nothing; None for controls, and without such a one."""
    base_memory_bytes: float | None
    peak_memory_bytes: float | None


class Variants(Struct, frozen=True):
    """What the published method hides, codec by codec in the order of the first table."""

    variants: tuple[Variant, ...]
    operations: tuple[Operation, ...]
    """The operations whose allocations are shown."""
    rows: tuple[VariantRow, ...]


def variants_of(cells: ScenarioCells, overview: RankedRows) -> Variants:
    """What the published method hides, in the order of the overview, controls last."""
    chosen = choose(cells)
    changed = changes(cells, chosen)
    bare: dict[str, float] = {}
    for row in overview.controls:
        if all(one.planned.role is not ControlRole.NOTHING for one in chosen[row.codec].values()):
            continue
        took, language = _start_up_ms(chosen[row.codec]), row.codec.partition("/")[0]
        if took is not None:
            bare[language] = min(took, bare.get(language, took))
    rows = tuple(
        _row(row.codec, control, changed.get(row.codec, {}), chosen[row.codec], bare)
        for control, group in ((False, overview.codecs), (True, overview.controls))
        for row in group
    )
    counted = {operation for row in rows for operation in row.allocations} - {overview.operation}
    return Variants(
        variants=tuple(sorted({variant for row in rows for variant in row.variants})),
        operations=tuple(operation for operation in cells.scenario.operations if operation in counted),
        rows=rows,
    )


def changes(cells: ScenarioCells, chosen: Chosen) -> dict[str, dict[Variant, Changed]]:
    """Codec → other conditions → their effect, compared with the same codec's cell in the published table."""
    indexes = {operation: index for index, operation in enumerate(cells.scenario.operations)}
    result: dict[str, dict[Variant, Changed]] = {}
    for (cell, twin), series in sorted(cells.series.items(), key=lambda item: item[0]):
        base = chosen.get(cell.codec, {}).get(cell.operation)
        if twin or base is None or base is series or cell.operation not in indexes:
            continue
        if ratio := ratio_of(series, base):
            variant = Variant(indexes[cell.operation], cell.operation, _difference(cell, base.cell))
            tied = is_tie(ratio, floor_of_comparison(cells, cell.codec))
            changed = Changed(ratio, tied, timing(series, cells.scenario, None))
            result.setdefault(cell.codec, {})[variant] = changed
    return result


def _row(
    codec: str,
    control: bool,
    variants: Mapping[Variant, Changed],
    operations: Mapping[Operation, Series],
    bare: Mapping[str, float],
) -> VariantRow:
    start_up, least = _start_up_ms(operations), bare.get(codec.partition("/")[0])
    return VariantRow(
        codec=codec,
        control=control,
        variants=variants,
        allocations={
            operation: Allocations(series.allocations, series.allocated_bytes)
            for operation, series in operations.items()
            if series.allocations is not None and series.allocated_bytes is not None
        },
        start_up_ms=start_up,
        loading_ms=None if control or start_up is None or least is None else start_up - least,
        base_memory_bytes=_middle([series.base_memory_bytes for series in operations.values()]),
        peak_memory_bytes=_largest([series.peak_memory_bytes for series in operations.values()]),
    )


def _start_up_ms(operations: Mapping[Operation, Series]) -> float | None:
    return _middle([series.base_ns / 1e6 for series in operations.values()])


def _difference(cell: Cell, base: Cell) -> str:
    published = dict(base.conditions.items())
    return " ".join(f"{name}={value}" for name, value in cell.conditions.items() if published.get(name) != value)


def _known(vectors: Sequence[Vector]) -> Vector:
    values = np.concatenate(vectors) if vectors else np.array([])
    return np.asarray(values[np.isfinite(values)], dtype=np.float64)


def _middle(vectors: Sequence[Vector]) -> float | None:
    values = _known(vectors)
    return float(np.median(values)) if len(values) else None


def _largest(vectors: Sequence[Vector]) -> float | None:
    values = _known(vectors)
    return float(values.max()) if len(values) else None


def variants_grid(table: Variants, scenario: str, run: Run, remarks: tuple[str, ...] = ()) -> Grid:
    """What the published method hides; `remarks` are later findings about the run."""
    columns = [
        Column(("Codec",), right=False),
        *(Column((heading(variant.operation), *condition_lines(variant))) for variant in table.variants),
        *(Column((heading(operation), "allocs")) for operation in table.operations),
        Column(("Start-up", "(ms)", "loading")),
        Column(("Memory", "base / peak")),
    ]

    def cells(row: VariantRow) -> tuple[Lines, ...]:
        return (
            (row.codec,),
            *(ratio_cell(row.variants.get(variant)) for variant in table.variants),
            *(allocations_cell(row.allocations.get(operation)) for operation in table.operations),
            start_up_cell(row),
            memory_cell(row),
        )

    codecs = tuple(cells(row) for row in table.rows if not row.control)
    controls = tuple(cells(row) for row in table.rows if row.control)
    sections = [Section(codecs)] if codecs else []
    return Grid(
        title=titled(f"What the published method hides: {scenario}", run),
        columns=tuple(columns),
        sections=(*sections, Section(controls, CONTROLS)) if controls else tuple(sections),
        notes=((ALLOCATIONS,) if run.plan.profile is Profile.UNTIMED else under_variants(table)) + remarks,
    )


def ratio_cell(changed: Changed | None) -> Lines:
    """`×0.43`, with `=` if it is a tie, above its interval."""
    if changed is None:
        return (NOTHING,)
    ratio = changed.ratio
    tie = " =" if changed.tied and ratio.low < ratio.high else ""
    first = f"×{significant(ratio.point)}{tie}{marks(changed.timing, CLOCK_FOOTNOTES)}"
    return (first, bounds(ratio)) if bounds(ratio) else (first,)


def allocations_cell(allocations: Allocations | None) -> Lines:
    """Their number, above their bytes."""
    if allocations is None:
        return (NOTHING,)
    return (str(allocations.count), size(allocations.size_bytes)) if allocations.count else ("0",)


def start_up_cell(row: VariantRow) -> Lines:
    """`35.1`, and under it `+12.3`, the part that loading the codec's library takes."""
    if row.start_up_ms is None:
        return (NOTHING,)
    first = significant(row.start_up_ms)
    return (
        (first,) if row.loading_ms is None else (first, f"{'+' * (row.loading_ms >= 0)}{significant(row.loading_ms)}")
    )


def memory_cell(row: VariantRow) -> Lines:
    """Base memory above peak memory."""
    known = [NOTHING if value is None else size(value) for value in (row.base_memory_bytes, row.peak_memory_bytes)]
    return (NOTHING,) if known == [NOTHING, NOTHING] else tuple(known)


def condition_lines(variant: Variant) -> list[str]:
    """`output=borrowed` as two lines, so that the column stays narrow."""
    return [line for pair in variant.conditions.split() for line in pair.replace("=", "= ").split()]


def under_variants(table: Variants) -> tuple[str, ...]:
    """How to read the second table, and what is unusual about its cells."""
    bearers = [
        (f"{row.codec} {heading(variant.operation)} {variant.conditions}", changed.timing)
        for row in table.rows
        for variant, changed in row.variants.items()
    ]
    return (
        "× is the time under the column's condition divided by the same codec's time in the table above [95 % "
        "interval]; = where the whole interval does not leave 1 by more than the noise floor above (with one layout "
        "or a lower quartile, than 10 %).",
        f"{ALLOCATIONS} "
        "Start-up and base memory: the process at 0 repetitions (median); loading: its start-up beyond that of the "
        "language's fastest control, which loads no library. Peak: the largest of all processes of the table above.",
        *(note for footnote in CLOCK_FOOTNOTES for note in explained(footnote, bearers)),
    )
