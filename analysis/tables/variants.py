"""Beside the published method: what it hides, as numbers. `analysis.tables.layout` writes them as text."""

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct

from analysis.data.cells import ScenarioCells, Series, ratio_of
from analysis.data.select import Chosen, choose
from analysis.statistics.intervals import Interval, Vector
from analysis.tables.form import PublishedForm, Timing, timing
from bench.model.cells import Cell, Operation


class Variant(Struct, frozen=True, order=True):
    """A column of the second table: an operation under other conditions than published."""

    operation_place: int
    operation: Operation
    conditions: str


class Allocations(Struct, frozen=True):
    """Of one repetition in steady state."""

    count: int
    size_bytes: int


class Changed(Struct, frozen=True):
    """A codec's cell under other conditions: its time over that of the published conditions, and the cell itself."""

    ratio: Interval
    timing: Timing


class BesideRow(Struct, frozen=True):
    """One codec beside the published method."""

    codec: str
    control: bool
    variants: Mapping[Variant, Changed]
    allocations: Mapping[Operation, Allocations]
    start_up_ms: float | None
    loading_ms: float | None
    """Start-up over that of the language's quickest control, which loads no library; None of controls."""
    base_memory_bytes: float | None
    peak_memory_bytes: float | None


class Beside(Struct, frozen=True):
    """What the published method hides, codec by codec in the order of the first table."""

    variants: tuple[Variant, ...]
    operations: tuple[Operation, ...]
    """Those of which allocations are shown."""
    rows: tuple[BesideRow, ...]


def beside(cells: ScenarioCells, form: PublishedForm) -> Beside:
    """The table beside the published method, in the order of the published table, controls last."""
    chosen = choose(cells)
    changed = changes(cells, chosen)
    bare: dict[str, float] = {}
    for row in form.controls:
        took, language = _start_up_ms(chosen[row.codec]), row.codec.partition("/")[0]
        if took is not None:
            bare[language] = min(took, bare.get(language, took))
    rows = tuple(
        _row(row.codec, control, changed.get(row.codec, {}), chosen[row.codec], bare)
        for control, group in ((False, form.codecs), (True, form.controls))
        for row in group
    )
    counted = {operation for row in rows for operation in row.allocations} - {form.sorted_by}
    return Beside(
        variants=tuple(sorted({variant for row in rows for variant in row.variants})),
        operations=tuple(operation for operation in cells.scenario.operations if operation in counted),
        rows=rows,
    )


def changes(cells: ScenarioCells, chosen: Chosen) -> dict[str, dict[Variant, Changed]]:
    """Codec → other conditions → what they change, each paired with the same codec's cell in the published table."""
    places = {operation: place for place, operation in enumerate(cells.scenario.operations)}
    result: dict[str, dict[Variant, Changed]] = {}
    for (cell, twin), series in sorted(cells.series.items(), key=lambda item: item[0]):
        base = chosen.get(cell.codec, {}).get(cell.operation)
        if twin or base is None or base is series or cell.operation not in places:
            continue
        if ratio := ratio_of(series, base):
            variant = Variant(places[cell.operation], cell.operation, _difference(cell, base.cell))
            result.setdefault(cell.codec, {})[variant] = Changed(ratio, timing(series, cells.scenario, None))
    return result


def _row(
    codec: str,
    control: bool,
    variants: Mapping[Variant, Changed],
    operations: Mapping[Operation, Series],
    bare: Mapping[str, float],
) -> BesideRow:
    start_up, least = _start_up_ms(operations), bare.get(codec.partition("/")[0])
    return BesideRow(
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
