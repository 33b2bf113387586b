"""Sizes of a scenario's message after a compression, as a publication's tables print them beside the plain size."""

from collections.abc import Iterator, Mapping

from analysis.sources.document_figures import DocumentFigure
from analysis.sources.publications import Publication, Table
from analysis.sources.published_tables import PublishedValue, read_table
from bench.model.scenario import Scenario

NO_CODEC = "no codec of the lab stands for the row"
ANOTHER_SIZE = "the lab's codec writes other bytes: its plain size is not the published one"


def packed_figures(publication: Publication, scenarios: Mapping[str, Scenario]) -> list[DocumentFigure]:
    """The packed sizes of a publication's tables, in printed order; empty for one without any.

    A codec's packed size tells something only where its plain size is the published one, to the byte: the scenario's
    `sizes_bytes` say so, and verification proves it.
    """
    return list(_figures(publication, scenarios))


def _figures(publication: Publication, scenarios: Mapping[str, Scenario]) -> Iterator[DocumentFigure]:
    packed = publication.packed_sizes
    if packed is None:
        return
    for name, table in publication.tables.items():
        rows = read_table(publication.path.with_suffix(".csv"), table.published, publication)
        plain = {value.codec: value.value for value in rows.values if value.metric == packed.plain}
        for value in rows.values:
            if value.metric in packed.metrics:
                yield _figure(publication, (name, table), value, plain.get(value.codec), scenarios[table.scenario])


def _figure(
    publication: Publication,
    of: tuple[str, Table],
    value: PublishedValue,
    plain: float | None,
    scenario: Scenario,
) -> DocumentFigure:
    packed = publication.packed_sizes
    assert packed  # the caller reads its metrics
    (name, table), measures = of, packed.metrics[value.metric]
    codec = next((codec for codec, row in scenario.published.rows.items() if row == value.codec), None)
    why_not = NO_CODEC if codec is None else None
    if codec is not None and scenario.sizes_bytes.get(codec) != plain:
        why_not = ANOTHER_SIZE
    why_not = packed.other_bytes.get(name, {}).get(value.codec, why_not)
    return DocumentFigure(
        id=f"{publication.name}-{name}-{value.codec.replace('_', '-')}-{value.metric}",
        publication=publication.name,
        says=packed.says.format(row=value.codec, document=name, metric=value.metric),
        section=table.section or name,
        document=name,
        row=value.codec,
        metric=value.metric,
        measures=measures,
        value=value.value,
        digits=0,
        unit=value.unit,
        line=value.line,
        codec=codec,
        note=None,
        why_not=why_not or measures.why_not,
        scenario=scenario.name,
    )
