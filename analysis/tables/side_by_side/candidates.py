"""What is known of codecs that compete for a place: figures of one scenario of one run, and facts of any run.

The first codec is the one that another would replace; every ratio is to it.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec import Struct

from analysis.data.cells import RunCells, ScenarioCells, Series
from analysis.data.floors import floor_of_comparison
from analysis.data.inference import ratio_of, time_of
from analysis.data.select import BORROWED, build_order, nearest, precedence, size_of
from analysis.sources.maintenance import Advisory, Maintained, maintenance
from analysis.sources.specifications import Specified, specified
from analysis.statistics.estimates import Estimate
from analysis.statistics.ratios import is_tie
from analysis.tables.choices.choice import Malformed, choices
from analysis.tables.counts.footprints import FootprintTable
from analysis.tables.exchanges import Reading, newest_matrices
from analysis.tables.trust.shares import Trust
from bench.model.cells import SAID_IF_SO, Conditions, Operation
from bench.model.counts import CountedRunner
from bench.model.offers import Offered
from bench.model.record import Run
from bench.model.verification import Verification

TOGETHER = frozenset({Operation.BUILD, Operation.BUILD_SERIALIZE, Operation.DESERIALIZE_CONVERT})
"""Operations that say nothing to somebody who has no messages of the library's own yet."""
OF_THE_CODEC = frozenset({"api", "validation", "compiler", "build"})
"""Conditions that say what a codec is, and not what it was asked to do."""


class Figure(Struct, frozen=True):
    """An operation of a codec, per repetition."""

    ns: float
    ratio: Estimate | None
    """Its time over that of the first codec; None where either has none."""
    tie: bool
    """Whether that ratio does not leave 1 by more than the noise floor."""
    differs: str
    """What it was asked to do otherwise than most of the codecs; empty where nothing is."""
    allocations: int | None
    instructions: float | None
    """As `lab count` recorded them beside the run."""


class Candidate(Struct, frozen=True):
    """A codec, with what is known of it; what is not known is None or empty."""

    codec: str
    format: str | None
    library: str | None
    version: str | None
    """Of the library, as measured."""
    size_bytes: int | None
    figures: Mapping[Operation, Figure]
    in_place_ns: float | None
    """The fastest way to read without copying."""
    validates: bool | None
    self_describing: bool
    specified: Specified | None
    trust: Trust
    maintained: Maintained | None
    """None where it was not looked up."""
    footprint: CountedRunner | None
    reads: Mapping[str, Reading]
    """Other codec of the table → how this one read its bytes; of one format alone, no other pair is tried."""

    @property
    def open_advisories(self) -> Sequence[Advisory]:
        """Advisories that concern the measured version."""
        return self.maintained.open_for(self.version) if self.maintained else ()


class SideBySide(Struct, frozen=True):
    """Codecs beside each other."""

    codecs: tuple[Candidate, ...]
    footprints: FootprintTable
    """Of these codecs."""
    run: str | None
    """The run whose figures they are; None where no run holds any of them."""
    scenario: str | None
    elsewhere: tuple[str, ...]
    """Other scenarios in which the runs measured several of these codecs."""

    @property
    def operations(self) -> tuple[Operation, ...]:
        """The operations of which any has a figure."""
        return tuple(one for one in Operation if any(one in codec.figures for codec in self.codecs))


class Known(Struct, frozen=True):
    """What all runs together, and the lab's own files, know of codecs."""

    readings: Mapping[tuple[str, str], Reading]
    """(Writer, reader) → how it read, over all scenarios."""
    trust: Mapping[str, Trust]
    footprints: FootprintTable
    offered: Mapping[str, Offered]
    """Of the catalogue."""

    @property
    def malformed(self) -> dict[str, Malformed]:
        """Codec → what malformed input did to it."""
        return {codec: trust.malformed for codec, trust in self.trust.items() if trust.malformed}


class Place(Struct, frozen=True):
    """A scenario of a run, and how many of the wanted codecs it measured."""

    run: Run
    scenario: str
    number: int


def readings(verifications: Iterable[tuple[Run, Verification]]) -> dict[tuple[str, str], Reading]:
    """(Writer, reader) → how the one read what the other wrote; of several runs the newest counts."""
    return {pair: reading for matrix in newest_matrices(verifications) for pair, reading in matrix.pairs.items()}


def places(runs: Iterable[Run], codecs: Sequence[str], counted: Collection[str] = ()) -> list[Place]:
    """Every scenario of runs with any of the codecs, first that with most of them.

    Of several that of a run whose id is among the `counted`, which know instructions, then that of the best run. Runs
    without times that mean anything are left out.
    """
    found = []
    for run in runs:
        held: dict[str, set[str]] = {}
        for planned in run.plan.cells:
            if planned.cell.codec in codecs and planned.blocked is None:
                held.setdefault(planned.cell.scenario, set()).add(planned.cell.codec)
        if run.plan.profile.is_timed:
            found += [Place(run, scenario, len(own)) for scenario, own in held.items()]
    # two sorts, the second of which keeps the first's order: names from a to z, the rest from the greatest down
    return sorted(
        sorted(found, key=lambda one: one.scenario),
        key=lambda one: (one.number, one.run.id in counted, precedence(one.run)),
        reverse=True,
    )


def elsewhere(found: Iterable[Place], chosen: Place | None) -> tuple[str, ...]:
    """The other scenarios in which a run measured several of the codecs, by name."""
    return tuple(
        sorted({one.scenario for one in found if one.number > 1 and chosen and one.scenario != chosen.scenario})
    )


def side_by_side(
    codecs: Sequence[str], held: tuple[RunCells, ScenarioCells] | None, known: Known, others: tuple[str, ...] = ()
) -> SideBySide:
    """The codecs in the given order, with figures of a scenario of a run, if there is one."""
    chosen = alike(held[1], codecs) if held else {}
    rows = {one.codec: one for one in choices(held[1], known.malformed)} if held else {}
    usual = {operation: _usual(chosen, operation) for operation in Operation}
    result = []
    for codec in codecs:
        own, offered, row = chosen.get(codec, {}), known.offered.get(codec), rows.get(codec)
        planned = next((series.planned for series in own.values()), None)
        of = planned or offered
        version = planned.version if planned else None
        result.append(
            Candidate(
                codec=codec,
                format=of.format if of else None,
                library=of.library if of else None,
                version=version,
                size_bytes=size_of(own),
                figures=_figures(held[1], own, chosen[codecs[0]], usual) if held else {},
                in_place_ns=row.in_place_ns if row else None,
                validates=row.validates if row else None,
                self_describing=bool(of and of.self_describing),
                specified=specified().get(of.format) if of else None,
                trust=known.trust.get(codec, Trust()),
                footprint=known.footprints.programs.get(codec),
                maintained=maintenance().of(codec, of.library) if of else None,
                reads={
                    other: reading
                    for other in codecs
                    if other != codec and (reading := known.readings.get((other, codec))) is not None
                },
            )
        )
    run, scenario = (held[0].run.id, held[1].scenario.name) if held else (None, None)
    return SideBySide(tuple(result), known.footprints.among(codecs), run, scenario, others)


def alike(cells: ScenarioCells, codecs: Sequence[str]) -> dict[str, dict[Operation, Series]]:
    """Codec → operation → its cell: of all cells those that most of the codecs have under the same conditions.

    Among conditions that as many have, those nearest to the published ones, and output that is the reader's own. A
    codec without them has its own nearest.
    """
    held: dict[str, dict[Operation, Series]] = {codec: {} for codec in codecs}
    plain = sorted((s for (_, twin), s in cells.series.items() if not twin and s.cell.codec in held), key=build_order)
    fallback, wanted = nearest(cells), dict(cells.scenario.published.conditions.items())

    def distance(asked: Asked) -> tuple[int, bool, Asked]:
        others = sum(wanted.get(name, "none" if name in SAID_IF_SO else value) != value for name, value in asked)
        return others, dict(asked).get("output") in BORROWED, asked

    for operation in Operation:
        own = [series for series in plain if series.cell.operation is operation and time_of(series)]
        number = Counter(asked for _, asked in {(one.cell.codec, asked_of(one.cell.conditions)) for one in own})
        best = min(number, key=lambda asked: (-number[asked], *distance(asked)), default=None)
        for series in own:
            if asked_of(series.cell.conditions) == best:
                held[series.cell.codec].setdefault(operation, series)
        for codec, operations in held.items():
            if operation not in operations and operation in fallback.get(codec, {}):
                operations[operation] = fallback[codec][operation]
    return held


Asked = tuple[tuple[str, str], ...]
"""Conditions of an operation, without those of the codec."""


def asked_of(conditions: Conditions) -> Asked:
    """What a codec was asked to do."""
    return tuple(item for item in conditions.items() if item[0] not in OF_THE_CODEC)


def _usual(chosen: Mapping[str, Mapping[Operation, Series]], operation: Operation) -> Asked:
    """What most of the codecs were asked to do."""
    asked = Counter(asked_of(own[operation].cell.conditions) for own in chosen.values() if operation in own)
    return max(asked, key=lambda one: asked[one], default=())


def _figures(
    cells: ScenarioCells,
    own: Mapping[Operation, Series],
    first: Mapping[Operation, Series],
    usual: Mapping[Operation, Asked],
) -> dict[Operation, Figure]:
    result = {}
    for operation in Operation:
        series, other = own.get(operation), first.get(operation)
        time = time_of(series) if series else None
        if operation in TOGETHER or series is None or time is None:
            continue
        ratio = ratio_of(series, other) if other is not None and other.cell.codec != series.cell.codec else None
        floor = floor_of_comparison(cells, series.cell.codec, other.cell.codec) if other is not None else 0.0
        differs = [item for item in asked_of(series.cell.conditions) if item not in usual[operation]]
        result[operation] = Figure(
            ns=time.point,
            ratio=ratio,
            tie=ratio is not None and is_tie(ratio, floor),
            differs=" ".join(f"{name}={value}" for name, value in differs),
            allocations=series.allocations,
            instructions=series.counted.instructions_each if series.counted else None,
        )
    return result
