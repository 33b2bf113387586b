"""The table of scenarios that are about throughput: an operation a section, in the units of the publication."""

from collections.abc import Mapping

from msgspec import Struct

from analysis.data.cells import ScenarioCells, Series, ratio_of
from analysis.data.published_tables import BYTES, RATES, PublishedRows
from analysis.data.select import Chosen, limit_of, nearest
from analysis.statistics.intervals import Interval
from analysis.tables.compilers import CompilerEffect, compiler_effects
from analysis.tables.form import Timing, in_order, rank, reference_codec, timing
from bench.model.cells import Cell, Operation
from bench.model.scenario import Scenario, ThroughputForm

GB = 1e9
"""What publications of throughput call a gigabyte."""


class Measures(Struct, frozen=True):
    """What is told of an operation, measured or published; None where a publication does not say."""

    size_bytes: float | None = None
    rate_gb_s: float | None = None
    """Encoded bytes over time: a format that writes more bytes shows a higher one."""
    ns_a_value: float | None = None
    """Time over the values of a message: comparable between formats."""


class ThroughputRow(Struct, frozen=True):
    """A codec in the section of an operation."""

    codec: str
    published_name: str | None
    rank: int | None
    tied: bool
    timing: Timing | None
    """None where every process of the cell failed."""
    here: Measures
    published: Measures
    relative: Interval | None
    """Time over that of the reference."""
    relative_published: float | None
    share_of_limit: Interval | None
    """Time of the control that is the limit, over this codec's."""


class ThroughputSection(Struct, frozen=True):
    """An operation, its codecs from the fastest to the slowest, then the controls."""

    operation: Operation
    reference: str | None
    rows: tuple[ThroughputRow, ...]


def throughput_sections(
    cells: ScenarioCells, platform: str, published: PublishedRows | None
) -> tuple[ThroughputSection, ...]:
    """The sections of a scenario's table, in the order of its operations."""
    chosen = nearest(cells)
    effects = compiler_effects(cells, chosen)
    return tuple(
        _section(cells, operation, chosen, effects, platform, published) for operation in cells.scenario.operations
    )


def published_measures(
    published: PublishedRows | None, platform: str, name: str | None, operation: Operation, scenario: Scenario
) -> Measures:
    """What a publication says of a row of its table. The time a value follows from its size and its throughput."""
    if published is None or name is None:
        return Measures()
    ours = scenario.published.operations
    size = rate = None
    for value in published.values:
        if value.platform != platform or value.codec != name:
            continue
        if value.metric == "size":
            size = value.value * BYTES[value.unit]
        elif value.metric == "throughput" and ours.get(value.operation) is operation:
            rate = value.value * RATES[value.unit] / GB
    time = size / rate / scenario.values if size is not None and rate else None
    return Measures(size, rate, time)


def published_relative(
    published: PublishedRows | None, platform: str, name: str | None, operation: Operation, scenario: Scenario
) -> float | None:
    """A published time relative to the publication's own reference; None where it prints none."""
    ours = scenario.published.operations
    for value in published.values if published else ():
        is_relative = value.metric.startswith("time_vs_") and ours.get(value.operation) is operation
        if is_relative and (value.platform, value.codec) == (platform, name):
            return value.value
    return None


def _section(
    cells: ScenarioCells,
    operation: Operation,
    chosen: Chosen,
    effects: Mapping[Cell, CompilerEffect],
    platform: str,
    published: PublishedRows | None,
) -> ThroughputSection:
    scenario = cells.scenario
    shape = scenario.published.throughput or ThroughputForm()
    here = {codec: {operation: found[operation]} for codec, found in chosen.items() if operation in found}
    controls = {c: s[operation] for c, s in here.items() if s[operation].planned.control}
    codecs = {codec: found for codec, found in here.items() if codec not in controls}
    ordered = in_order(codecs, operation)
    places = dict(zip(ordered, rank(ordered, codecs, operation), strict=True))
    measured = [codec for codec in ordered if codecs[codec][operation].measured]
    reference = next(
        (codec for codec in shape.relative_to if codec in measured),
        reference_codec({}, ordered, codecs, operation),
    )

    def row(codec: str) -> ThroughputRow:
        series, name, place = here[codec][operation], scenario.published.rows.get(codec), places.get(codec)
        taken = timing(series, scenario, None, effects.get(series.cell)) if series.measured else None
        limit = limit_of(codec, controls, shape.limit)
        return ThroughputRow(
            codec=codec,
            published_name=name,
            rank=place,
            tied=place is not None and list(places.values()).count(place) > 1,
            timing=taken,
            here=_measures(series, taken, cells),
            published=published_measures(published, platform, name, operation, scenario),
            relative=ratio_of(series, here[reference][operation]) if reference and taken else None,
            relative_published=published_relative(published, platform, name, operation, scenario),
            share_of_limit=ratio_of(limit, series) if limit and limit.measured and taken else None,
        )

    last = in_order({codec: here[codec] for codec in controls}, operation)
    return ThroughputSection(operation, reference, tuple(row(codec) for codec in (*ordered, *last)))


def _measures(series: Series, taken: Timing | None, cells: ScenarioCells) -> Measures:
    size = series.encoded_bytes or series.planned.encoded_bytes
    if taken is None:
        return Measures(size)
    ns = taken.median_ms * 1e6 / cells.scenario.published.timed_repetitions
    return Measures(size, size / ns if size else None, ns / cells.scenario.values)
