"""(Writer, reader) pairs of one format: a matrix a format, from the exchanges that verification recorded."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from msgspec import Struct

from analysis.base.text import one_line, plural
from analysis.tables.layout import NOTHING, Column, Grid, Lines, Section
from bench.model.verification import Exchange

NOTE = (
    "A row writes, a column reads. `6 of 6`: scenarios whose value came out, of those that both have, piped from one "
    "program into the other; = where the reader would have written the same bytes."
)


class Reading(Struct, frozen=True):
    """What one codec made of another's bytes, over the scenarios that both have."""

    read: tuple[str, ...]
    """Scenarios whose value came out."""
    refused: tuple[Exchange, ...]
    same_bytes: bool
    """Whether the reader would have written the same in every scenario."""


class Matrix(Struct, frozen=True):
    """A format: its writers, which may be references, its readers, and what each reader made of the bytes."""

    format: str
    writers: tuple[str, ...]
    readers: tuple[str, ...]
    pairs: Mapping[tuple[str, str], Reading]
    """(Writer, reader) → the result."""


class Refusal(Struct, frozen=True):
    """One reason for which a reader refuses a writer's bytes, and in which scenarios."""

    writer: str
    reader: str
    scenarios: tuple[str, ...]
    problem: str
    known: str | None


def matrices(exchanges: Sequence[Exchange]) -> tuple[Matrix, ...]:
    """A matrix for each format of which anything was exchanged, by name."""
    formats: dict[str, dict[tuple[str, str], list[Exchange]]] = defaultdict(lambda: defaultdict(list))
    for one in exchanges:
        formats[one.format][one.writer, one.reader].append(one)
    return tuple(_matrix(name, pairs) for name, pairs in sorted(formats.items()))


def refusals(matrix: Matrix) -> tuple[Refusal, ...]:
    """The refusals of a format, scenarios with the same reason together."""
    groups: dict[tuple[str, str, str | None], list[Exchange]] = defaultdict(list)
    for pair, reading in matrix.pairs.items():
        for one in reading.refused:
            groups[*pair, one.known or one.problem].append(one)
    return tuple(
        Refusal(writer, reader, tuple(one.scenario for one in group), group[0].problem or "", group[0].known)
        for (writer, reader, _), group in groups.items()
    )


def _matrix(name: str, pairs: Mapping[tuple[str, str], Sequence[Exchange]]) -> Matrix:
    readers = sorted({reader for _, reader in pairs})
    writers = {writer for writer, _ in pairs}
    return Matrix(
        format=name,
        # Codecs first: what is no codec stands below them.
        writers=tuple(sorted(writers, key=lambda writer: (writer not in readers, writer))),
        readers=tuple(readers),
        pairs={
            pair: Reading(
                read=tuple(one.scenario for one in group if one.reads),
                refused=tuple(one for one in group if not one.reads),
                same_bytes=all(one.same_bytes for one in group),
            )
            for pair, group in sorted(pairs.items())
        },
    )


def interop_grid(matrix: Matrix, title: str = "") -> Grid:
    """The matrix of a format, with every refusal below it."""
    columns = (
        Column(("writes", "reads"), right=False),
        *(Column(tuple(name.split("/", 1))) for name in matrix.readers),
    )

    def cells(writer: str) -> tuple[Lines, ...]:
        return ((writer,), *(_cell(matrix.pairs.get((writer, reader))) for reader in matrix.readers))

    return Grid(
        title=title or f"Interoperability: {matrix.format}",
        columns=columns,
        sections=(Section(tuple(map(cells, matrix.writers))),),
        notes=(NOTE, *map(_sentence, refusals(matrix))),
    )


def _cell(reading: Reading | None) -> Lines:
    if reading is None:
        return (NOTHING,)
    total = len(reading.read) + len(reading.refused)
    return (f"{len(reading.read)} of {total}{' =' if reading.same_bytes else ''}",)


def _sentence(refusal: Refusal) -> str:
    problem = one_line(refusal.problem)[:200]
    why = f"{refusal.known} ({problem})" if refusal.known else problem
    scenarios = f"{plural(len(refusal.scenarios), 'scenario')}: {', '.join(refusal.scenarios)}"
    return f"{refusal.reader} does not read {refusal.writer} ({scenarios}): {why}"
