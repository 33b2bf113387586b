"""The ledger: each claim with its published figure, the measured one and the verdict. No disk, no clock.

Every figure of a comparison is a *factor*, oriented so that the claim is true if it is above 1: a claim of `less`
counts how many times less, one of `greater` how many times more. (Of memory, where most rows take none beyond the
process, it is a difference, above 0.) The verdict follows from four things only: the published factor with its printed
range, the measured factor with its intervals, the claim's tolerance or stated limits, and the noise floor.
"""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from analysis.claims.bands import PublishedFigure, band_of, contradiction, published_band
from analysis.claims.definitions import ClaimSet, Entry, Side, StatementEntry
from analysis.claims.measurements import Measurement, measure
from analysis.claims.needs import Need
from analysis.claims.statements import ANY_PLATFORM
from analysis.claims.verdicts import Verdict
from analysis.data.cells import RunCells, ScenarioCells
from analysis.data.select import runs_by_scenario
from analysis.sources.publications import Kind
from analysis.statistics.estimates import Estimate

MEASURED = frozenset({Verdict.REPRODUCED, Verdict.SAME_DIRECTION, Verdict.REFUTED, Verdict.UNDECIDED})


class LibraryVersions(Struct, frozen=True):
    """A library on one side of a claim: the version published and the version measured."""

    codec: str
    library: str
    published: str | None
    """None where the publication does not state it."""
    measured: str | None


class LedgerEntry(Struct, frozen=True):
    """One line of the ledger. A statement that nothing measured tells has no figures."""

    id: str
    source: str
    platform: str
    says: str
    quote: str | None
    """The source's own sentence, where `says` does not give it word by word."""
    cell: str
    than: tuple[str, ...]
    metric: str
    unit: str
    """The unit of both figures: `x` for factors."""
    exact: bool
    """Whether its figures are sizes, which are counted; these have a score of their own."""
    published: float | None
    published_low: float | None
    published_high: float | None
    at_least: float | None
    at_most: float | None
    measured: Estimate | None
    verdict: Verdict
    why: str
    need: Need | None
    """What would decide an undecided claim."""
    versions: tuple[LibraryVersions, ...]
    measurements: tuple[Measurement, ...]
    """One for every run that holds the scenario; the verdict is that of the first."""
    same_as: str | None = None
    """An earlier claim that has its verdict from the same measurement; the score counts the two once."""


def ledger(claims: ClaimSet, runs: Sequence[RunCells]) -> tuple[LedgerEntry, ...]:
    """Judges every claim by the runs; publication by publication, statements last."""
    by_scenario = runs_by_scenario(runs)
    judged = [
        _entry(entry, runs, by_scenario.get(entry.row.scenario, []), claims.versions[entry.source])
        for entry in claims.entries
    ]
    lines = [*_each_measurement_once(judged), *map(_statement, claims.statements)]
    order = list(claims.titles)
    return tuple(sorted(lines, key=lambda line: order.index(line.source)))


def system_of(run: RunCells) -> str:
    """The system of a run as published tables name it: linux, windows, macos."""
    return run.run.platform.partition("-")[0]


def of_platform(runs: Iterable[RunCells], platform: str) -> list[RunCells]:
    """The runs that can judge what was published for a platform."""
    return [run for run in runs if platform in (ANY_PLATFORM, system_of(run))]


def why_no_run(runs: Sequence[RunCells], platform: str, scenario: str) -> str:
    """Why nothing is measured: no run on the platform holds the scenario."""
    if not runs:
        return "no run"
    return f"no run of {scenario}" if of_platform(runs, platform) else f"no run on {platform}"


def _entry(
    entry: Entry,
    runs: Sequence[RunCells],
    holding: Sequence[tuple[RunCells, ScenarioCells]],
    versions: Mapping[str, str],
) -> LedgerEntry:
    """Judges a claim by the runs that hold its scenario; the first of them that can tell decides."""
    claim = entry.claim
    own = of_platform((run for run, _ in holding), entry.platform)
    measurements = [measure(entry, run) for run in own]
    telling = [one for one in measurements if one.figure is not None]
    verdict, why = Verdict.NOT_MEASURED, why_no_run(runs, entry.platform, entry.row.scenario)
    first = next(iter([*telling, *measurements]), None)
    if first is not None:
        others = [f"{one.run} says {one.verdict}" for one in telling[1:] if one.verdict != first.verdict]
        verdict, why = first.verdict, "; ".join([first.why, *others])
    published = _published(entry, first)
    if doubt := contradiction(claim, entry.kind, published_band(entry)):
        why = f"{why}; {doubt}"
    deciding = next((run for run in own if first is not None and run.run.id == first.run), None)
    return LedgerEntry(
        id=entry.id,
        source=entry.source,
        platform=entry.platform,
        says=claim.says,
        quote=claim.quote,
        cell=_cell_name(entry.row),
        than=tuple(_cell_name(pair.other) for pair in entry.pairs),
        metric=claim.metric,
        unit="x" if entry.pairs and entry.kind is not Kind.MEMORY else entry.row.value.unit,
        exact=entry.kind.is_size,
        published=published.point,
        published_low=published.low_printed,
        published_high=published.high_printed,
        at_least=claim.at_least,
        at_most=claim.at_most,
        measured=first.figure if first else None,
        verdict=Verdict.NOT_MEASURABLE if claim.estimate else verdict,
        why=f"the published figure is an estimate: {claim.estimate}" if claim.estimate else why,
        need=None if claim.estimate or first is None else first.need,
        versions=_versions(entry, first, deciding, versions),
        measurements=(*telling, *(one for one in measurements if one.figure is None)),
    )


def _published(entry: Entry, first: Measurement | None) -> PublishedFigure:
    """The published figure beside the measured one: of the same pair, where one decides."""
    return published_band(entry) if first is None or first.pair is None else band_of(entry, first.pair)


def _versions(
    entry: Entry, first: Measurement | None, run: RunCells | None, published: Mapping[str, str]
) -> tuple[LibraryVersions, ...]:
    """The libraries of the row and of the row that decides (of all, where none does), published and measured."""
    pairs = entry.pairs if first is None or first.pair is None else (first.pair,)
    codecs = dict.fromkeys([entry.row.codec, *(side.codec for pair in pairs for side in (pair.one, pair.other))])
    if first is not None and first.pair is not None:
        codecs = dict.fromkeys([first.pair.one.codec, first.pair.other.codec])
    held = {} if run is None else {one.cell.codec: one for one in run.run.plan.cells}
    return tuple(
        LibraryVersions(codec, library, published.get(library), held[codec].version)
        for codec in codecs
        if codec in held and (library := held[codec].library) is not None
    )


def _each_measurement_once(entries: Sequence[LedgerEntry]) -> list[LedgerEntry]:
    """Marks claims that have the same verdict from the same measurement as an earlier one.

    Two statements, such as “best in filtering” and “faster than JSON in filtering”, may rest on one factor.
    """
    seen: dict[tuple[object, ...], str] = {}
    result = []
    for entry in entries:
        first = next(iter(entry.measurements), None)
        same_as = None
        if entry.verdict in MEASURED and first is not None and first.pair is not None:
            cells = frozenset({_cell_name(first.pair.one), _cell_name(first.pair.other)})
            key = (entry.source, entry.platform, entry.exact, first.run, cells, entry.verdict)
            same_as = seen.get(key)
            seen.setdefault(key, entry.id)
        result.append(replace(entry, same_as=same_as) if same_as else entry)
    return result


def _statement(entry: StatementEntry) -> LedgerEntry:
    """The line of a statement that nothing measured tells."""
    return LedgerEntry(
        id=entry.id,
        source=entry.source,
        platform=ANY_PLATFORM,
        says=entry.statement.says,
        quote=entry.statement.quote,
        cell="",
        than=(),
        metric="",
        unit="",
        exact=False,
        published=None,
        published_low=None,
        published_high=None,
        at_least=None,
        at_most=None,
        measured=None,
        verdict=Verdict.NOT_MEASURABLE,
        why=entry.statement.why,
        need=None,
        versions=(),
        measurements=(),
    )


def _cell_name(side: Side) -> str:
    conditions = "".join(f" {name}={value}" for name, value in side.conditions.items())
    operation = "" if side.operation == "size" else f" {side.operation}"
    return f"{side.codec} {side.scenario}{operation}{conditions}"
