"""The ledger: each claim with its published figure, the measured one and the verdict. No disk, no clock.

Every figure of a comparison is a *factor*, oriented so that the claim is true if it is above 1: a claim of `less`
counts how many times less, one of `greater` how many times more. (Of memory, where most rows take none beyond the
process, it is a difference, above 0.) The verdict follows from four things only: the published factor with its printed
range, the measured factor with its intervals, the claim's tolerance or stated limits, and the noise floor.
"""

from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from analysis.claims.bands import PublishedFigure, band_of, contradiction, published_band
from analysis.claims.definitions import ClaimSet, Entry, StatementEntry
from analysis.claims.evidence import compilers_of, evidence_of, quotation_of, rows_without_cell
from analysis.claims.identity.equal_bytes import equal_bytes
from analysis.claims.identity.same_work import beyond_the_margin, held_to_the_work
from analysis.claims.identity.sizes_of_documents import size_of_document
from analysis.claims.ledger_entry import Evidence, LibraryVersions
from analysis.claims.ledger_entry import LedgerEntry as LedgerEntry
from analysis.claims.measurements import Measurement, measure
from analysis.claims.sentences import compiler_words, sentence
from analysis.claims.statements import ANY_PLATFORM
from analysis.claims.verdicts import HOLDS, Verdict
from analysis.data.cells import RunCells, ScenarioCells
from analysis.data.select import runs_by_scenario
from analysis.sources.publications import Kind

MEASURED = frozenset({Verdict.REPRODUCED, Verdict.SAME_DIRECTION, Verdict.REFUTED, Verdict.UNDECIDED})


def ledger(
    claims: ClaimSet, runs: Sequence[RunCells], counting: Sequence[RunCells] | None = None
) -> tuple[LedgerEntry, ...]:
    """Judges every claim by the runs; publication by publication, statements last.

    `counting`: the runs whose instructions tell what work the programs do, those same ones unless others are given.
    """
    by_scenario = runs_by_scenario(runs)
    counts = by_scenario if counting is None else runs_by_scenario(counting)
    judged = [
        _entry(entry, claims, runs, *(held.get(entry.row.scenario, []) for held in (by_scenario, counts)))
        for entry in claims.entries
    ]
    lines = [
        *each_measurement_once(judged),
        *(equal_bytes(one, claims, runs) for one in claims.same_bytes),
        *(size_of_document(one, claims, runs) for one in claims.document_sizes),
        *(_statement(one, claims) for one in claims.statements),
    ]
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
    claims: ClaimSet,
    runs: Sequence[RunCells],
    holding: Sequence[tuple[RunCells, ScenarioCells]],
    counting: Sequence[tuple[RunCells, ScenarioCells]],
) -> LedgerEntry:
    """Judges a claim by the runs that hold its scenario; the first of them that can tell decides."""
    claim = entry.claim
    own = of_platform((run for run, _ in holding), entry.platform)
    works, margin = claims.own_instructions[entry.source], claims.works_differ[entry.source]
    counted = of_platform((run for run, _ in counting), entry.platform)
    measurements = [
        held_to_the_work(beyond_the_margin(measure(entry, run), entry, margin), entry, [run, *counted], works)
        for run in own
    ]
    telling = sorted((one for one in measurements if one.figure is not None), key=has_no_interval)
    decided = contradicted(telling)
    silent = [(run, one) for run, one in zip(own, measurements, strict=True) if one.figure is None]
    if not telling:  # a run that has the rows says better why they have no figure than one that lacks them
        silent.sort(key=lambda pair: rows_without_cell(entry, pair[0]))
    without_figure = [one for _, one in silent]
    first = next(iter([*decided, *without_figure]), None)
    deciding = next((run for run in own if first is not None and run.run.id == first.run), None)
    compilers = () if first is None or deciding is None else compilers_of(entry, first, deciding)
    evidence = evidence_of(entry, claims, first, deciding, compilers)
    verdict, why = Verdict.NOT_MEASURED, why_no_run(runs, entry.platform, entry.row.scenario)
    if first is not None:
        verdict, why = first.verdict, first.why
    if claim.estimate:
        verdict, why = Verdict.NOT_MEASURABLE, f"the published figure is an estimate: {claim.estimate}"
    elif claim.differs:
        verdict, why = Verdict.NOT_MEASURABLE, claim.differs
    judged = not (claim.estimate or claim.differs)
    more = (
        _qualifications(entry, evidence, telling if decided == telling else telling[:1], claims.compiled[entry.source])
        if judged
        else []
    )
    published = _published(entry, first)
    return LedgerEntry(
        id=entry.id,
        source=entry.source,
        platform=entry.platform,
        says=claim.says,
        quote=claim.quote,
        cell=entry.row.cell_name,
        than=tuple(pair.other.cell_name for pair in entry.pairs),
        metric=claim.metric,
        unit="x" if entry.pairs and entry.kind is not Kind.MEMORY else entry.row.value.unit,
        exact=entry.kind.is_size,
        published=published.point,
        published_low=published.low_printed,
        published_high=published.high_printed,
        at_least=claim.at_least,
        at_most=claim.at_most,
        measured=first.figure if first else None,
        verdict=verdict,
        why="; ".join([why, *more]),
        sentence="; ".join([sentence(entry, first, verdict, why), *more]),
        need=first.need if judged and first is not None else None,
        versions=_versions(entry, first, deciding, claims.versions[entry.source]),
        measurements=(*telling, *without_figure),
        evidence=evidence,
        by_rule=entry.by_rule,
    )


def has_no_interval(measurement: Measurement) -> bool:
    """Whether a run has too few layouts or rounds to decide, so that it is asked after those that have enough."""
    return measurement.figure is not None and not measurement.figure.has_interval


def contradicted(telling: Sequence[Measurement]) -> list[Measurement]:
    """The measurements; the first, which decides, is undecided where one run refutes what another holds.

    Not of what is counted exactly, such as sizes: another program makes that another.
    """
    if not telling or (telling[0].figure and telling[0].figure.is_exact):
        return list(telling)
    first = telling[0]
    against = HOLDS if first.verdict is Verdict.REFUTED else (Verdict.REFUTED,) if first.verdict in HOLDS else ()
    other = next((one for one in telling if one.verdict in against), None)
    if other is None:
        return list(telling)
    why = f"recorded runs contradict each other: {first.verdict} in {first.run}, {other.verdict} in {other.run}"
    undecided = replace(first, verdict=Verdict.UNDECIDED, why=why, reason=why, need=None)
    return [undecided, *telling[1:]]


def _qualifications(
    entry: Entry, evidence: Evidence, telling: Sequence[Measurement], compiled: str | None
) -> list[str]:
    """What a reader must know beside the verdict: other compilers, other runs, and the publication's own figures."""
    compilers = compiler_words(entry, evidence)
    doubt = contradiction(entry.claim, entry.kind, published_band(entry))
    refuted = bool(telling) and telling[0].verdict is Verdict.REFUTED and not entry.kind.is_size
    otherwise = f"the publication's program was compiled {compiled}" if compiled and refuted else None
    return [
        *([compilers] if compilers else []),
        *_other_verdicts(telling),
        *([doubt] if doubt else []),
        *([otherwise] if otherwise else []),
    ]


def _other_verdicts(telling: Sequence[Measurement]) -> list[str]:
    """What the other runs say where they disagree with the first: one sentence for each verdict."""
    runs: dict[Verdict, list[str]] = {}
    for one in telling[1:]:
        if one.verdict != telling[0].verdict:
            runs.setdefault(one.verdict, []).append(one.run)
    return [f"{', '.join(names)} {'say' if names[1:] else 'says'} {verdict}" for verdict, names in runs.items()]


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


def each_measurement_once(entries: Sequence[LedgerEntry]) -> list[LedgerEntry]:
    """Marks claims that have the same verdict from the same measurement as an earlier one.

    Two statements, such as “best in filtering” and “faster than JSON in filtering”, may rest on one factor.
    """
    seen: dict[tuple[object, ...], str] = {}
    result = []
    for entry in entries:
        first = next(iter(entry.measurements), None)
        same_as = None
        if entry.verdict in MEASURED and first is not None and first.pair is not None:
            cells = frozenset({first.pair.one.cell_name, first.pair.other.cell_name})
            key = (entry.source, entry.platform, entry.exact, entry.unit, first.run, cells, entry.verdict)
            same_as = seen.get(key)
            seen.setdefault(key, entry.id)
        result.append(replace(entry, same_as=same_as) if same_as else entry)
    return result


def _statement(entry: StatementEntry, claims: ClaimSet) -> LedgerEntry:
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
        sentence=f"{Verdict.NOT_MEASURABLE}: {entry.statement.why}",
        need=None,
        versions=(),
        measurements=(),
        evidence=Evidence(quotation_of(claims, entry.source, entry.statement.quote, entry.statement.section)),
    )
