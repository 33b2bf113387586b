"""From cells to the rows of the tables: numbers only. `analysis.tables.layout` writes them as text."""

from collections.abc import Mapping, Sequence
from itertools import groupby

import numpy as np
from msgspec import Struct

from analysis.base import problems as errors
from analysis.data.cells import ScenarioCells, Series, ratio_of
from analysis.data.published_tables import PublishedRows
from analysis.data.select import Chosen, Twin, choose, twins
from analysis.statistics.clocks import CPU_SHARE, ClockCheck, check_clocks, cpu_share
from analysis.statistics.intervals import Interval, median
from analysis.statistics.noise import NoiseFloor, noise_floor, outliers
from analysis.statistics.ratios import is_tie, ranks
from analysis.tables.compilers import CompilerEffect, compiler_effects
from bench.model.cells import Cell, Operation
from bench.model.scenario import Scenario


class Timing(Struct, frozen=True):
    """One cell of the published table; times in ms for the published number of repetitions."""

    cell: Cell
    median_ms: float
    min_ms: float
    max_ms: float
    rounds: int
    repetitions: int
    """Of the loops that were timed."""
    published_ms: float | None
    clocks: ClockCheck | None
    """None where the check does not apply or has no round to stand on."""
    cpu_share: float
    outlier_rounds: tuple[int, ...]
    other_conditions: str
    """What is not as published; empty but for controls, which may have nothing else to offer."""
    compiler: CompilerEffect | None = None
    """Where another compiler changes the codec's ratio to its peers."""

    @property
    def suspect(self) -> bool:
        """Whether the two clocks disagree."""
        return self.clocks is not None and self.clocks.suspect

    @property
    def preempted(self) -> bool:
        """Whether the thread ran clearly less than the clock on the wall."""
        return self.cpu_share < CPU_SHARE


class Relative(Struct, frozen=True):
    """Time over that of the reference codec: per-round ratios here, and the ratio of the two published medians."""

    here: Interval | None
    published: float | None


class CodecRow(Struct, frozen=True):
    """One row of the published table."""

    codec: str
    published_name: str | None
    rank: int | None
    """None for controls, and where the operation that the table is sorted by has no value."""
    tied: bool
    size_bytes: int | None
    timings: Mapping[Operation, Timing]
    failed: frozenset[Operation]
    """Operations whose cell has error rows and no value."""
    relative: Relative


class Failure(Struct, frozen=True):
    """Error rows of a codec that have one reason."""

    codec: str
    reason: str
    cells: int
    rows: int


class PublishedForm(Struct, frozen=True):
    """The table of a scenario in the form of its publication."""

    scenario: Scenario
    platform: str
    sorted_by: Operation
    codecs: tuple[CodecRow, ...]
    controls: tuple[CodecRow, ...]
    reference: str | None
    """The codec that `relative` columns relate to."""
    has_published: bool
    """Whether the publication has figures for this platform."""
    elsewhere: tuple[str, ...]
    """Codecs that were measured under other conditions only and so have no row."""
    failures: tuple[Failure, ...]
    twins: tuple[Twin, ...]
    noise: NoiseFloor | None
    rounds_planned: int
    rounds_whole: int


Figures = Mapping[tuple[str, Operation], float]
"""(Codec, operation) → published time in ms, in the published order."""


def published_form(cells: ScenarioCells, platform: str, published: PublishedRows | None) -> PublishedForm:
    """The published table of a scenario. `platform` is a system as published tables name it: linux, windows, macos.

    Raises LabError where the scenario names a published row that does not exist.
    """
    scenario, chosen = cells.scenario, choose(cells)
    sorted_by = Operation.ROUND_TRIP if Operation.ROUND_TRIP in scenario.operations else scenario.operations[-1]
    figures = published_figures(scenario, platform, published)
    controls = {s.cell.codec for s in cells.series.values() if s.planned.control}
    ordered = in_order({c: s for c, s in chosen.items() if c not in controls}, sorted_by)
    places = dict(zip(ordered, rank(ordered, chosen, sorted_by), strict=True))
    shared = [place for place in places.values() if place is not None]
    reference = reference_codec(figures, ordered, chosen, sorted_by)
    effects = compiler_effects(cells, chosen)

    def row(codec: str) -> CodecRow:
        place = places.get(codec)
        name = scenario.published.rows.get(codec)
        return CodecRow(
            codec=codec,
            published_name=name,
            rank=place,
            tied=place is not None and shared.count(place) > 1,
            size_bytes=size_of(chosen[codec]),
            timings={
                op: timing(s, scenario, figures.get((codec, op)), effects.get(s.cell))
                for op, s in chosen[codec].items()
                if s.measured
            },
            failed=frozenset(op for op, s in chosen[codec].items() if s.failures and not s.measured),
            relative=relative(codec, reference, chosen, figures, sorted_by),
        )

    pairs = twins(cells)
    return PublishedForm(
        scenario=scenario,
        platform=platform,
        sorted_by=sorted_by,
        codecs=tuple(row(codec) for codec in ordered),
        controls=tuple(row(codec) for codec in in_order({c: s for c, s in chosen.items() if c in controls}, sorted_by)),
        reference=reference,
        has_published=bool(figures),
        elsewhere=tuple(sorted({cell.codec for cell, _ in cells.series} - set(chosen))),
        failures=failures(cells),
        twins=pairs,
        noise=noise_floor([t.ratio for t in pairs], [t.detectable for t in pairs]) if pairs else None,
        rounds_planned=cells.rounds_planned,
        rounds_whole=cells.rounds_whole,
    )


def published_figures(scenario: Scenario, platform: str, published: PublishedRows | None) -> Figures:
    """What was published of a scenario on one platform. Raises LabError for a row that its table does not hold."""
    if published is None:
        return {}
    held = published.rows()
    for codec, name in scenario.published.rows.items():
        if name not in held:
            raise errors.no_published_row(published.path, published.table, codec, name, held)
    codecs = {name: codec for codec, name in scenario.published.rows.items()}
    times = published.times_ms(platform)
    return {(codecs[name], op): value for (name, op), value in times.items() if name in codecs}


def in_order(chosen: Chosen, sorted_by: Operation) -> list[str]:
    """Codecs by the median of an operation, as published; those without it last, by name."""

    def key(codec: str) -> tuple[bool, float, str]:
        series = chosen[codec].get(sorted_by)
        has = series is not None and series.measured
        return not has, float(np.median(series.ms(1))) if series is not None and has else 0.0, codec

    return sorted(chosen, key=key)


def rank(ordered: Sequence[str], chosen: Chosen, operation: Operation) -> list[int | None]:
    """Ranks with ties of codecs in their order; None for those without a value."""

    def tied(codec: str, first: str) -> bool:
        ratio = ratio_of(chosen[codec][operation], chosen[first][operation])
        return ratio is not None and is_tie(ratio)

    ranked = [codec for codec in ordered if operation in chosen[codec] and chosen[codec][operation].measured]
    known = dict(zip(ranked, ranks(ranked, tied), strict=True))
    return [known.get(codec) for codec in ordered]


def reference_codec(figures: Figures, ordered: Sequence[str], chosen: Chosen, operation: Operation) -> str | None:
    """The fastest published codec that was measured here too; without publication the fastest measured."""
    measured = [codec for codec in ordered if operation in chosen[codec] and chosen[codec][operation].measured]
    common = [codec for codec in measured if (codec, operation) in figures]
    return min(common, key=lambda codec: figures[codec, operation]) if common else next(iter(measured), None)


def relative(codec: str, reference: str | None, chosen: Chosen, figures: Figures, operation: Operation) -> Relative:
    """A codec's time over the reference's, here and as published."""
    series = chosen[codec].get(operation)
    if reference is None or series is None or not series.measured:
        return Relative(None, None)
    ours, theirs = figures.get((codec, operation)), figures.get((reference, operation))
    published = ours / theirs if ours is not None and theirs is not None else None
    return Relative(ratio_of(series, chosen[reference][operation]), published)


def timing(
    series: Series, scenario: Scenario, published_ms: float | None, compiler: CompilerEffect | None = None
) -> Timing:
    """A measured cell with all that its entry in the table says."""
    ms = series.ms(scenario.published.timed_repetitions)
    return Timing(
        cell=series.cell,
        median_ms=median(ms),
        min_ms=float(ms.min()),
        max_ms=float(ms.max()),
        rounds=len(ms),
        repetitions=series.repetitions,
        published_ms=published_ms,
        clocks=clocks(series),
        cpu_share=cpu_share(series.cpu_ns, series.loop_ns),
        outlier_rounds=tuple(int(number) for number in series.rounds[outliers(series.loop_ns)]),
        other_conditions=differences(series.cell, scenario),
        compiler=compiler,
    )


def clocks(series: Series) -> ClockCheck | None:
    """The two-clock check; None for `drop=outside` and `objects=fresh`, which work between the loops."""
    known = np.isfinite(series.process_ns) & np.isfinite(series.base_ns)
    conditions = series.cell.conditions
    if conditions.drop == "outside" or conditions.objects == "fresh" or not known.any():
        return None
    return check_clocks(series.process_ns[known], series.base_ns[known], series.timed_ns[known])


def differences(cell: Cell, scenario: Scenario) -> str:
    """The conditions of a cell that are not the published ones, such as `output=existing`."""
    wanted = dict(scenario.published.conditions.items())
    return " ".join(f"{name}={value}" for name, value in cell.conditions.items() if wanted.get(name, value) != value)


def size_of(operations: Mapping[Operation, Series]) -> int | None:
    """Encoded bytes of a codec, from whichever of its cells has them; None where nothing is encoded."""
    return next((series.encoded_bytes for series in operations.values() if series.encoded_bytes), None)


def size_percent(size_bytes: int, data_size_bytes: int) -> int:
    """Size beyond that of the data, as the publication prints it: the whole per cent of the quotient, less 100.

    Cutting before subtracting is why 230 of 233 bytes are printed as −2 %, and 234 as +0 %.
    """
    return size_bytes * 100 // data_size_bytes - 100


def failures(cells: ScenarioCells) -> tuple[Failure, ...]:
    """All error rows of a scenario, one entry a codec and reason."""
    found = sorted((s.cell.codec, reason, str(s.cell)) for s in cells.series.values() for reason in s.failures)
    result = []
    for (codec, reason), group in groupby(found, key=lambda row: row[:2]):
        names = [name for _, _, name in group]
        result.append(Failure(codec, reason, len(set(names)), len(names)))
    return tuple(result)
