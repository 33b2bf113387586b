"""The table of scenarios whose rows are in files: what a row takes, operation by operation, in the published units."""

from collections.abc import Mapping

from msgspec import Struct

from analysis.data.cells import ScenarioCells
from analysis.data.published_tables import PublishedRows
from analysis.data.select import choose
from analysis.statistics.intervals import Interval
from analysis.tables.form import Timing, in_order, published_figures, rank, reference_codec, relative, timing
from bench.model.cells import Operation
from bench.model.scenario import Scenario

MIB = 2**20
"""What the publication calls a megabyte."""


class Measures(Struct, frozen=True):
    """What is told of an operation over a whole file, measured or published; None where a publication does not say."""

    time_ms: float | None
    us_a_row: float | None
    """Microseconds a row that was written, read or scanned."""
    us_a_match: float | None
    """Microseconds a row that the filter took."""
    rate_mbit_s: float | None
    size_mib: float | None


NONE = Measures(None, None, None, None, None)


class FileRow(Struct, frozen=True):
    """A codec in the section of an operation."""

    codec: str
    published_name: str | None
    rank: int | None
    tied: bool
    timing: Timing | None
    """None where every process of the cell failed."""
    here: Measures
    published: Measures
    peak_memory_bytes: float | None
    calls_a_row: float | None
    """Read and write calls; None where the system does not count them."""
    control: bool
    relative: Interval | None
    relative_published: float | None


class FileSection(Struct, frozen=True):
    """An operation, its codecs from the fastest to the slowest, then the controls."""

    operation: Operation
    reference: str | None
    rows: tuple[FileRow, ...]


def file_sections(cells: ScenarioCells, platform: str, published: PublishedRows | None) -> tuple[FileSection, ...]:
    """The sections of a scenario's table. Raises LabError where it names a published row that does not exist."""
    return tuple(_section(cells, operation, platform, published) for operation in cells.scenario.operations)


def measures(scenario: Scenario, operation: Operation, time_ms: float, file_bytes: float, repetitions: int) -> Measures:
    """What follows from the time for so many repetitions, each a pass over the rows, and from the file's size."""
    rows = repetitions * (scenario.input.generator.rows if scenario.input.generator else 1)
    hits = repetitions * scenario.filter.rows if scenario.filter and operation is Operation.FILTER else 0
    return Measures(
        time_ms=time_ms,
        us_a_row=time_ms * 1e3 / rows,
        us_a_match=time_ms * 1e3 / hits if hits else None,
        rate_mbit_s=file_bytes * 8 / (time_ms * 1e3),
        size_mib=file_bytes / MIB,
    )


def published_measures(
    published: PublishedRows | None, platform: str, name: str | None, operation: Operation, scenario: Scenario
) -> Measures:
    """What a publication says of a row of its table. A filter's time a scanned row follows from its total time."""
    if published is None or name is None:
        return NONE

    def value(metric: str) -> float | None:
        return published.metric(platform, metric).get((name, operation))

    time_ms, size, rows = value("time"), value("size"), value("rows")
    passes = scenario.published.repetitions * (scenario.input.generator.rows if scenario.input.generator else 1)
    rate = value("rate")
    if rate is None and time_ms and size:
        rate = size * MIB * 8 / (time_ms * 1e3)
    return Measures(
        time_ms=time_ms,
        us_a_row=time_ms * 1e3 / passes if time_ms is not None else None,
        us_a_match=time_ms * 1e3 / rows if time_ms is not None and rows and operation is Operation.FILTER else None,
        rate_mbit_s=rate,
        size_mib=size,
    )


def _section(cells: ScenarioCells, operation: Operation, platform: str, published: PublishedRows | None) -> FileSection:
    scenario = cells.scenario
    chosen = {codec: {operation: found[operation]} for codec, found in choose(cells).items() if operation in found}
    figures = published_figures(scenario, platform, published)
    controls = {s.cell.codec for s in cells.series.values() if s.planned.control}
    ordered = in_order({codec: found for codec, found in chosen.items() if codec not in controls}, operation)
    places: Mapping[str, int | None] = dict(zip(ordered, rank(ordered, chosen, operation), strict=True))
    reference = reference_codec(figures, ordered, chosen, operation)

    def row(codec: str) -> FileRow:
        series, name = chosen[codec][operation], scenario.published.rows.get(codec)
        n, place = scenario.published.repetitions, places.get(codec)
        taken = timing(series, scenario, figures.get((codec, operation))) if series.measured else None
        size = (series.file_bytes or 0) / series.repetitions * n
        ratio = relative(codec, reference, chosen, figures, operation)
        peak = series.peak_memory_bytes[series.peak_memory_bytes > 0]
        return FileRow(
            codec=codec,
            published_name=name,
            rank=place,
            tied=place is not None and list(places.values()).count(place) > 1,
            timing=taken,
            here=measures(scenario, operation, taken.median_ms, size, n) if taken else NONE,
            published=published_measures(published, platform, name, operation, scenario),
            peak_memory_bytes=float(peak.max()) if len(peak) else None,
            calls_a_row=series.calls_a_row,
            control=codec in controls,
            relative=ratio.here,
            relative_published=ratio.published,
        )

    return FileSection(operation, reference, tuple(map(row, [*ordered, *sorted(controls & chosen.keys())])))


def least_cached(cells: ScenarioCells) -> float | None:
    """The least share of a file, in the table's cells, that the system's cache held when the clock of a loop that reads
    it began; None where the system does not tell.
    """
    shares = [
        min(1.0, series.cached_bytes / series.file_bytes)
        for found in choose(cells).values()
        for series in found.values()
        if series.cached_bytes is not None and series.file_bytes
    ]
    return min(shares, default=None)
