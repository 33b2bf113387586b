"""Whether codecs write documents in the published sizes: to the byte, or to the printed digit of a share."""

from collections.abc import Sequence

from analysis.base.text import count
from analysis.claims.definitions import ClaimSet
from analysis.claims.evidence import quotation_of
from analysis.claims.ledger_entry import Evidence, LedgerEntry, LibraryVersions, SideEvidence
from analysis.claims.statements import ANY_PLATFORM
from analysis.claims.verdicts import Verdict
from analysis.data.cells import RunCells
from analysis.data.select import precedence
from analysis.sources.document_figures import DocumentFigure, counted_bytes, in_its_unit, is_as_published
from analysis.statistics.estimates import exact


def size_of_document(figure: DocumentFigure, claims: ClaimSet, runs: Sequence[RunCells]) -> LedgerEntry:
    """The line of a published size: the best run beside which it was counted judges it."""
    telling = [
        (run, counted)
        for run in sorted(runs, key=lambda one: precedence(one.run), reverse=True)
        if (counted := counted_bytes(figure, run.document_sizes)) is not None
    ]
    deciding, counted = next(iter(telling), (None, None))
    measured = None if deciding is None or counted is None else in_its_unit(figure, counted, deciding.document_sizes)
    verdict, why = _judged(figure, counted, measured)
    told = f"published {_number(figure, figure.value)}; here {_number(figure, measured)}: " if measured else ""
    version = deciding.document_sizes.versions.get(figure.codec or "") if deciding and deciding.document_sizes else None
    library, measured_version = version or (None, None)
    return LedgerEntry(
        id=figure.id,
        source=figure.publication,
        platform=ANY_PLATFORM,
        says=figure.says,
        quote=None,
        cell=f"{figure.codec or figure.row} {figure.document}",
        than=(),
        metric=figure.metric,
        unit=figure.unit,
        exact=True,
        published=figure.value,
        published_low=None,
        published_high=None,
        at_least=None,
        at_most=None,
        measured=None if measured is None else exact(measured),
        verdict=verdict,
        why=why,
        sentence=f"{verdict}: {told}{why}",
        need=None,
        versions=(
            (
                LibraryVersions(
                    figure.codec, library, claims.versions[figure.publication].get(library), measured_version
                ),
            )
            if figure.codec and library
            else ()
        ),
        measurements=(),
        evidence=Evidence(
            quotation=quotation_of(claims, figure.publication, None, figure.section),
            run=deciding.run.id if deciding else None,
            recorded=deciding.run.created[:10] if deciding else None,
            sides=(_side(figure, counted),),
            command=f"./lab sizes -f '^{figure.codec} {figure.document}$'" if figure.why_not is None else None,
        ),
    )


def _judged(figure: DocumentFigure, counted: int | None, measured: float | None) -> tuple[Verdict, str]:
    if figure.why_not is not None:
        return Verdict.NOT_MEASURED, figure.why_not
    if counted is None or measured is None:
        what = "compressed sizes" if figure.scenario else "sizes of documents"
        return Verdict.NOT_MEASURED, f"no run has {what} by this codec: `./lab sizes --run RUN` counts them"
    if is_as_published(figure, measured):
        return Verdict.REPRODUCED, f"{count(counted)} B, the printed share" if figure.digits else "the same to the byte"
    difference = measured - figure.value
    why = f"differs by {difference:+.0f} B"
    if figure.measures.share_of_json:
        why = f"{count(counted)} B, which differ by {difference:+.2f} % of the JSON"
    if figure.note:  # another library's choice, so that the difference says nothing of the publication
        return Verdict.NOT_MEASURABLE, f"{why}; {figure.note}"
    return Verdict.REFUTED, why


def _side(figure: DocumentFigure, counted: int | None) -> SideEvidence:
    return SideEvidence(
        codec=figure.codec or "no codec",
        row=figure.row,
        published=figure.value,
        published_low=None,
        published_high=None,
        unit=figure.unit,
        line=figure.line,
        cell=None if counted is None else f"{figure.codec} {figure.document}",
        encoded_bytes=counted,
    )


def _number(figure: DocumentFigure, value: float) -> str:
    return f"{value:.{figure.digits}f} {figure.unit}"
