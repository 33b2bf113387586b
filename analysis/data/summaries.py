"""Every cell of a run as one flat row, for exports and for the data behind the report's figures."""

from typing import Any

import msgspec
import numpy as np
from msgspec import Struct

from analysis.data.cells import RunCells, ScenarioCells, Series
from analysis.data.inference import time_of
from analysis.data.select import choose
from analysis.statistics.estimates import Estimate
from analysis.statistics.intervals import Vector, mad, median
from bench.model.cells import Conditions


class Summary(Struct, frozen=True):
    """A cell of a run. Times are in ns per repetition; unknown values are None."""

    run: str
    platform: str
    codec: str
    language: str
    format: str
    library: str | None
    version: str | None
    control: bool
    self_describing: bool
    scenario: str
    operation: str
    conditions: Conditions
    as_published: bool
    """Whether the cell is at the published conditions, or a control's first where it has none at these."""
    rounds: int
    repetitions: int
    median_ns: float
    """The cell's figure: from calm loops where there are canaries, else the median of rounds."""
    low_ns: float
    high_ns: float
    """Its 95 % interval; the figure itself where one round or one layout says nothing of it."""
    min_ns: float
    max_ns: float
    mad_ns: float
    """Of all loops where there are canaries, else of rounds."""
    layouts: int
    """Links of its runner that were measured."""
    calm_share: float | None
    """The share of its loops that were calm; None where there are no canaries."""
    is_figure: bool
    """False where too few loops were calm: then `median_ns` is the median of all loops, without an interval."""
    encoded_bytes: int | None
    data_bytes: int
    """Bytes of the scenario's value itself, which the copying control copies."""
    file_bytes: int | None
    """File bytes of one repetition's rows, where rows are in files."""
    allocations: int | None
    allocated_bytes: int | None
    start_up_ns: float | None
    base_memory_bytes: float | None
    peak_memory_bytes: float | None
    instructions: float | None = None
    """Of one repetition, counted under valgrind; None where the cell was not counted."""
    mispredictions_simulated: float | None = None
    """Of one repetition, by valgrind's simulated predictor."""

    @property
    def cell(self) -> str:
        """The cell's name."""
        return f"{self.codec} {self.scenario} {self.operation} {self.conditions}"


def summaries(run: RunCells) -> list[Summary]:
    """Every measured cell of a run, without the A/A second names, scenario by scenario."""
    return [one for cells in run.scenarios for one in scenario_summaries(run, cells)]


def scenario_summaries(run: RunCells, cells: ScenarioCells) -> list[Summary]:
    """The rows of one scenario, in the order of their cells."""
    chosen = {id(series) for operations in choose(cells).values() for series in operations.values()}
    plain = [series for (_, twin), series in sorted(cells.series.items(), key=lambda item: item[0]) if not twin]
    return [_summary(run, cells, one, as_published=id(one) in chosen) for one in plain if one.measured]


def columns() -> dict[str, type]:
    """Name → type of each column of `flat`, in order; for an optional column the type of its values."""
    result: dict[str, type] = {}
    for field in msgspec.structs.fields(Summary):
        if field.name == "conditions":
            result |= dict.fromkeys(Conditions.__struct_fields__, str)
        else:
            options: tuple[type, ...] = getattr(field.type, "__args__", (field.type,))
            result[field.name] = next(one for one in options if one is not type(None))
    return result


def flat(one: Summary) -> dict[str, Any]:
    """A row with a column for each condition."""
    values = msgspec.structs.asdict(one)
    return {name: getattr(one.conditions, name) if name not in values else values[name] for name in columns()}


def _summary(run: RunCells, cells: ScenarioCells, series: Series, *, as_published: bool) -> Summary:
    cell, planned = series.cell, series.planned
    times = series.loops.ns if series.canaried else series.repetition_ns
    figure = time_of(series)
    point, low, high = figure_of(figure, times)
    return Summary(
        run=run.run.id,
        platform=run.run.platform,
        codec=cell.codec,
        language=cell.codec.partition("/")[0],
        format=planned.format,
        library=planned.library,
        version=planned.version,
        control=planned.control,
        self_describing=planned.self_describing,
        scenario=cell.scenario,
        operation=cell.operation.value,
        conditions=cell.conditions,
        as_published=as_published,
        rounds=len(series.rounds),
        repetitions=series.repetitions,
        median_ns=point,
        low_ns=low,
        high_ns=high,
        min_ns=float(times.min()),
        max_ns=float(times.max()),
        mad_ns=mad(times),
        layouts=len(series.layouts),
        calm_share=series.calm_share,
        is_figure=figure is not None,
        encoded_bytes=series.encoded_bytes,
        data_bytes=cells.scenario.data_size_bytes,
        file_bytes=round(series.file_bytes / series.repetitions) if series.file_bytes else None,
        allocations=series.allocations,
        allocated_bytes=series.allocated_bytes,
        start_up_ns=_median(series.base_ns),
        base_memory_bytes=_median(series.base_memory_bytes),
        peak_memory_bytes=_median(series.peak_memory_bytes),
        instructions=series.counted.instructions_each if series.counted else None,
        mispredictions_simulated=series.counted.mispredictions_each if series.counted else None,
    )


def figure_of(figure: Estimate | None, times: Vector) -> tuple[float, float, float]:
    """Point, low and high of a figure; the median of all times without one, and no bounds where none are known."""
    point = median(times) if figure is None else figure.point
    if figure is None or np.isinf(figure.high):
        return point, point, point
    return point, figure.low, figure.high


def _median(values: Vector) -> float | None:
    known = values[np.isfinite(values)]
    return float(np.median(known)) if len(known) else None
