"""Published sizes of documents beside those that were counted here."""

from collections.abc import Iterable, Mapping, Sequence

from analysis.base.text import plural
from analysis.sources.document_figures import DocumentFigure, counted_bytes, in_its_unit, is_as_published
from analysis.tables.layout import NOTHING, Column, Grid, Section
from bench.model.proof.document_sizes import DocumentSizes

NOTES = (
    "A figure alone is the published one, to the byte or to the printed digit. With a difference it is the one counted "
    "here.",
)


def document_grids(figures: Sequence[DocumentFigure], sizes: DocumentSizes, titles: Mapping[str, str]) -> list[Grid]:
    """A table a publication and metric: a row a document, a column a codec, or the reverse if there are more codecs.

    What nothing here tells is left out.
    """
    able = [figure for figure in figures if figure.codec and figure.why_not is None]
    groups = dict.fromkeys((figure.publication, figure.metric) for figure in able)
    return [
        _grid(
            f"{titles[name]}, {metric}", [one for one in able if (one.publication, one.metric) == (name, metric)], sizes
        )
        for name, metric in groups
    ]


def _grid(title: str, figures: Sequence[DocumentFigure], sizes: DocumentSizes) -> Grid:
    codecs = {figure.row: figure.codec or "" for figure in figures}
    texts = {(figure.document, figure.row): difference_words(figure, sizes) for figure in figures}
    documents = dict.fromkeys(figure.document for figure in figures)
    notes = {figure.row: figure.note for figure in figures if figure.note and not _equal(figure, sizes)}
    by_document = len(codecs) <= len(documents)
    columns = [Column((row, codec)) for row, codec in codecs.items()]
    if not by_document:
        columns = [Column((document,)) for document in documents]
    lines = [((document,), *((texts.get((document, row), NOTHING),) for row in codecs)) for document in documents]
    if not by_document:
        lines = [
            ((f"{row} ({codec})",), *((texts.get((document, row), NOTHING),) for document in documents))
            for row, codec in codecs.items()
        ]
    return Grid(
        title=f"{title}: {score(figures, sizes)}",
        columns=(Column(("Document" if by_document else "Codec",), right=False), *columns),
        sections=(Section(tuple(lines)),),
        notes=(*NOTES, *(f"{row}: {note}." for row, note in notes.items())),
    )


def difference_words(figure: DocumentFigure, sizes: DocumentSizes) -> str:
    """`77`, `79 (+2)`; a dash where nothing was counted."""
    measured = measured_of(figure, sizes)
    if measured is None:
        return NOTHING
    text = f"{measured:.{figure.digits}f}"
    if is_as_published(figure, measured):
        return text
    return f"{text} ({measured - figure.value:+.{figure.digits}f})"


def measured_of(figure: DocumentFigure, sizes: DocumentSizes) -> float | None:
    """A figure as it was counted here, in the unit of the published one; None where it was not."""
    counted = counted_bytes(figure, sizes)
    return None if counted is None else in_its_unit(figure, counted, sizes)


def score(figures: Iterable[DocumentFigure], sizes: DocumentSizes) -> str:
    """`134 of 135 sizes as published, 1 not measured`."""
    held = list(figures)
    known = [figure for figure in held if measured_of(figure, sizes) is not None]
    equal = sum(_equal(figure, sizes) for figure in known)
    lacking = f", {len(held) - len(known)} not measured" if len(known) < len(held) else ""
    return f"{equal} of {plural(len(held), 'size')} as published{lacking}"


def _equal(figure: DocumentFigure, sizes: DocumentSizes) -> bool:
    measured = measured_of(figure, sizes)
    return measured is not None and is_as_published(figure, measured)
