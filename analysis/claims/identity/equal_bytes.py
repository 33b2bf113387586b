"""Whether two codecs write the same bytes: by length and checksum of each message that a run proved of both.

A checksum of 32 bits over messages of one length: that two differ and it does not is one chance in four billion.
"""

from collections.abc import Mapping, Sequence

from analysis.claims.definitions import BytesEntry, ClaimSet
from analysis.claims.evidence import quotation_of
from analysis.claims.ledger_entry import Evidence, LedgerEntry, LibraryVersions
from analysis.claims.statements import ANY_PLATFORM
from analysis.claims.verdicts import Verdict
from analysis.data.cells import RunCells
from analysis.data.select import precedence
from bench.model.cells import Operation
from bench.model.plan import Encoded, Timed

WRITING = (Operation.SERIALIZE, Operation.WRITE)


def equal_bytes(entry: BytesEntry, claims: ClaimSet, runs: Sequence[RunCells]) -> LedgerEntry:
    """The line of a claim of equal bytes: the best run that proved both codecs in a scenario judges it there.

    The largest message comes first, since most equal bytes say most; its scenario's page lists the claim.
    """
    claim = entry.claim
    judged: dict[str, tuple[RunCells, Timed, Timed]] = {}
    for run in sorted(runs, key=lambda one: precedence(one.run), reverse=True):
        one, other = written(run, claim.one), written(run, claim.other)
        for scenario in one.keys() & other.keys():
            judged.setdefault(scenario, (run, one[scenario], other[scenario]))
    judged = dict(sorted(judged.items(), key=lambda held: (-_encoded_bytes(held[1][1]), held[0])))
    differing = [name for name, (_, one, other) in judged.items() if one.proved != other.proved]
    first = next(iter(differing), next(iter(judged), None))
    verdict, why = Verdict.NOT_MEASURED, f"no run proved {claim.one} and {claim.other} in one scenario"
    if differing:
        verdict = Verdict.REFUTED
        why = f"other bytes in {', '.join(differing)}, of {len(judged)} messages that both write"
    elif judged:
        verdict, why = Verdict.REPRODUCED, f"the same bytes in {', '.join(judged)}"
    deciding = judged[first] if first else None
    return LedgerEntry(
        id=entry.id,
        source=entry.source,
        platform=ANY_PLATFORM,
        says=claim.says,
        quote=claim.quote,
        cell=claim.one,
        than=(claim.other,),
        metric="same bytes",
        unit="",
        exact=False,
        published=None,
        published_low=None,
        published_high=None,
        at_least=None,
        at_most=None,
        measured=None,
        verdict=verdict,
        why=why,
        sentence=f"{verdict}: {why}",
        need=None,
        versions=_versions(deciding, claims.versions[entry.source]),
        measurements=(),
        evidence=Evidence(
            quotation=quotation_of(claims, entry.source, claim.quote, claim.section),
            scenario=first,
            run=deciding[0].run.id if deciding else None,
            recorded=deciding[0].run.created[:10] if deciding else None,
            command=f"./lab verify -f '^({claim.one}|{claim.other}) '",
        ),
    )


def written(run: RunCells, codec: str) -> dict[str, Timed]:
    """Scenario → the cell whose proof has what a codec wrote; without compression, and of the default build."""
    found: dict[str, Timed] = {}
    for planned in run.run.plan.cells:
        cell = planned.cell
        plain = cell.codec == codec and cell.operation in WRITING and cell.conditions.compression is None
        if isinstance(planned, Timed) and plain and not planned.variant and isinstance(planned.proved, Encoded):
            found.setdefault(cell.scenario, planned)
    return found


def _encoded_bytes(planned: Timed) -> int:
    return planned.proved.encoded_bytes if isinstance(planned.proved, Encoded) else 0


def _versions(
    judged: tuple[RunCells, Timed, Timed] | None, published: Mapping[str, str]
) -> tuple[LibraryVersions, ...]:
    if judged is None:
        return ()
    return tuple(
        LibraryVersions(one.cell.codec, one.library, published.get(one.library), one.version)
        for one in judged[1:]
        if one.library
    )
