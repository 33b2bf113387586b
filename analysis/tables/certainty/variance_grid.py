"""Where the spread of a run's times comes from, scenario by scenario and language by language."""

from collections.abc import Sequence
from itertools import groupby

import numpy as np
from msgspec import Struct

from analysis.base import problems as errors
from analysis.base.text import percent
from analysis.data.cells import RunCells, Series
from analysis.statistics.intervals import Vector
from analysis.statistics.variance import Components, components, typical
from analysis.tables.layout import NOTHING, Column, Grid, Lines, Section
from bench.statistics.layouts import Labels


class VarianceRow(Struct, frozen=True):
    """A language in a scenario."""

    scenario: str
    language: str
    cells: int
    typical: Components
    """Root mean square over its cells."""
    largest: float | None
    """The largest standard deviation between layouts of a cell."""
    largest_cell: str


class Variances(Struct, frozen=True):
    """A run's rows."""

    run: str
    rows: tuple[VarianceRow, ...]


def variances(run: RunCells) -> Variances:
    """The components of a run. Raises LabError if it has no canaries, and so no loops that are known to be calm."""
    series = [
        one
        for cells in run.scenarios
        for (_, twin), one in cells.series.items()
        if one.canaried and not twin and not one.planned.control
    ]
    if not series:
        raise errors.no_canaries(run.run.id)
    grouped = groupby(sorted(series, key=_group), key=_group)
    rows = [_row(scenario, language, list(held)) for (scenario, language), held in grouped]
    return Variances(run.run.id, tuple(row for row in rows if row.cells))


def _group(series: Series) -> tuple[str, str]:
    return series.cell.scenario, series.cell.codec.partition("/")[0]


def _row(scenario: str, language: str, series: Sequence[Series]) -> VarianceRow:
    known = [(one, components(*used)) for one in series if len((used := _used(one))[0]) > 1]
    layouts = [(found.layout, one.cell.name) for one, found in known if found.layout is not None]
    largest, cell = max(layouts, default=(None, ""))
    return VarianceRow(
        scenario, language, len(known), typical([found for _, found in known]), largest, largest_cell=cell
    )


def _used(series: Series) -> tuple[Vector, Labels, Labels]:
    """Logarithm, layout and process of the loops that make the cell's figure."""
    loops = series.loops
    taken = loops.calm if series.gated else np.ones(len(loops.ns), dtype=np.bool_)
    return np.log(loops.ns[taken]), loops.layouts[taken], loops.rounds[taken]


def variance_grid(found: Variances, run: RunCells) -> Grid:
    """A row a scenario and language."""
    return Grid(
        title=f"Where the spread of times comes from: {found.run}",
        columns=(
            Column(("Scenario",), right=False),
            Column(("Language",), right=False),
            Column(("Cells",)),
            Column(("Loop", "in a process")),
            Column(("Process", "in a layout")),
            Column(("Layout",)),
            Column(("Largest", "layout")),
        ),
        sections=(Section(tuple(map(_lines, found.rows))),),
        notes=(
            "Standard deviations in per cent of the time, root mean square over the cells; of calm loops, or of all "
            "where canaries cannot judge them. By nested analysis of variance: what the other parts explain is 0.",
            f"{run.run.platform}, {run.run.created[:10]}.",
        ),
    )


def _lines(row: VarianceRow) -> tuple[Lines, ...]:
    largest = (_percent(row.largest), row.largest_cell) if row.largest_cell else (NOTHING,)
    parts = row.typical
    return (
        (row.scenario,),
        (row.language,),
        (str(row.cells),),
        (_percent(parts.loop),),
        (_percent(parts.process),),
        (_percent(parts.layout),),
        largest,
    )


def _percent(deviation: float | None) -> str:
    return NOTHING if deviation is None else percent(deviation)
