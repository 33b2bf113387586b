"""The sizes of documents that a publication prints, each with the codec that should write it, or why none does."""

import re
from collections.abc import Iterator

from msgspec import Struct

from analysis.sources.layouts import laid_out
from analysis.sources.publications import DocumentMetric, Publication
from bench.base.errors import bad_file
from bench.model.proof.document_sizes import DocumentSizes
from bench.proof.sizes.documents import pinned

NO_DOCUMENT = "the lab knows no source of this document"


class DocumentFigure(Struct, frozen=True):
    """A published size of a document."""

    id: str
    publication: str
    says: str
    section: str
    document: str
    row: str
    metric: str
    measures: DocumentMetric
    value: float
    digits: int
    """Decimals that are printed."""
    unit: str
    line: int
    codec: str | None
    """None where no codec of the lab stands for the row."""
    note: str | None
    why_not: str | None
    """Why nothing here tells it; None where something does."""
    scenario: str | None = None
    """The scenario whose message it is, if it is no document."""


def document_figures(publication: Publication) -> list[DocumentFigure]:
    """The figures of a publication of document sizes, in printed order; empty for any other.

    Raises LabError, with file and line, for a row or a metric that the publication's file does not explain.
    """
    return list(_figures(publication)) if publication.document_sizes else []


def _figures(publication: Publication) -> Iterator[DocumentFigure]:
    sizes, layout = publication.document_sizes, publication.layout
    if layout is None or sizes is None:
        raise publication.mistake(["document_sizes"], "needs [layout], which says what the columns of the CSV hold")
    table = publication.path.with_suffix(".csv")
    documents = pinned().documents
    for line, fields in laid_out(table, layout, ()):
        row, document, metric = fields["codec"], fields["table"], fields["metric"]
        codec, measures = sizes.codecs.get(row), sizes.metrics.get(metric)
        if (codec is None) == (row not in sizes.without):
            problem = f"{row!r} must stand in either [document_sizes.codecs] or [document_sizes.without]"
            raise bad_file(table, line, layout.codec, problem)
        if measures is None:
            raise bad_file(table, line, layout.operation, f"{metric!r} is not in [document_sizes.metrics]")
        try:
            value = float(fields["value"])
        except ValueError:
            raise bad_file(table, line, layout.value, f"{fields['value']!r} is not a number") from None
        yield DocumentFigure(
            id=f"{publication.name}-{_slug(document)}-{_slug(row)}-{_slug(metric)}",
            publication=publication.name,
            says=sizes.says.format(row=row, document=document, metric=metric),
            section=sizes.section,
            document=document,
            row=row,
            metric=metric,
            measures=measures,
            value=value,
            digits=len(fields["value"].partition(".")[2]),
            unit=fields["unit"],
            line=line,
            codec=codec.codec if codec else None,
            note=codec.note if codec else None,
            why_not=sizes.without.get(row) or measures.why_not or (None if document in documents else NO_DOCUMENT),
        )


def counted_bytes(figure: DocumentFigure, sizes: DocumentSizes | None) -> int | None:
    """What the codec of a figure's row wrote for its document; None where that was not counted."""
    if sizes is None or figure.why_not is not None:
        return None
    wanted = (figure.publication, figure.row, figure.document, figure.codec)
    own = (one for one in sizes.sizes if (one.publication, one.row, one.document, one.codec) == wanted)
    return next((one.bytes[figure.metric] for one in own if figure.metric in one.bytes), None)


def in_its_unit(figure: DocumentFigure, counted: int, sizes: DocumentSizes | None) -> float | None:
    """Counted bytes in the unit of the figure, unrounded; None where the document's JSON was not counted."""
    if not figure.measures.share_of_json:
        return float(counted)
    json_bytes = sizes.minified_bytes.get(figure.document) if sizes else None
    return 100 * counted / json_bytes if json_bytes else None


def is_as_published(figure: DocumentFigure, measured: float) -> bool:
    """Whether a figure is the published one, in all of its printed digits."""
    return f"{measured:.{figure.digits}f}" == f"{figure.value:.{figure.digits}f}"


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower().replace("+", " plus ")).strip("-")
