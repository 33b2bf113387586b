"""(Writer, reader) pairs of one format: one matrix per format, from the exchanges that verification recorded."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct, structs

from analysis.base.text import one_line, plural
from analysis.tables.layout import NOTHING, Column, Grid, Lines, Section
from bench.model.record import Run
from bench.model.verification import Exchange, Verification

NOTE = (
    "A row writes, a column reads. `6 of 6`: of the scenarios that both have, those whose value was read "
    "correctly, piped from one program into the other; = where the reader would have written the same bytes."
)

WORDS_SHOWN = 200
"""Characters of a reader's error."""


class Reading(Struct, frozen=True):
    """How one codec read another's bytes, over the scenarios that both have."""

    read: tuple[str, ...]
    """Scenarios whose value was read correctly."""
    refused: tuple[Exchange, ...]
    same_bytes: bool
    """Whether the reader would have written the same in every scenario."""


class Matrix(Struct, frozen=True):
    """A format: its writers, which may be references, its readers, and how each reader read the bytes."""

    format: str
    writers: tuple[str, ...]
    readers: tuple[str, ...]
    pairs: Mapping[tuple[str, str], Reading]
    """(Writer, reader) → the result."""


class Refusal(Struct, frozen=True):
    """One reason why a reader refuses a writer's bytes, with the scenarios."""

    writer: str
    reader: str
    scenarios: tuple[str, ...]
    problem: str
    known: str | None


def matrices(exchanges: Sequence[Exchange]) -> tuple[Matrix, ...]:
    """A matrix for each format with exchanges, by name."""
    formats: dict[str, dict[tuple[str, str], list[Exchange]]] = defaultdict(lambda: defaultdict(list))
    for one in exchanges:
        formats[one.format][one.writer, one.reader].append(one)
    return tuple(_matrix(name, pairs) for name, pairs in sorted(formats.items()))


def newest_matrices(verifications: Iterable[tuple[Run, Verification]]) -> tuple[Matrix, ...]:
    """A matrix for each format; of several runs that tried a pair on a scenario the newest counts."""
    newest: dict[tuple[str, str, str], Exchange] = {}
    for _, proved in sorted(verifications, key=lambda one: (one[0].created, one[0].id)):
        newest |= {(one.scenario, one.writer, one.reader): one for one in proved.exchanges}
    return matrices([*newest.values()])


def refusals(matrix: Matrix) -> tuple[Refusal, ...]:
    """The refusals of a format, with scenarios grouped by reason."""
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
        # Codecs first, references below them.
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


def interop_grid(matrix: Matrix) -> Grid:
    """The matrix of a format, with every refusal below it."""
    grid = pairs_grid(matrix)
    return structs.replace(grid, notes=(*grid.notes, *map(_sentence, refusals(matrix))))


def pairs_grid(matrix: Matrix) -> Grid:
    """The matrix of a format alone."""
    columns = (
        Column(("writes", "reads"), right=False),
        *(Column(tuple(name.split("/", 1))) for name in matrix.readers),
    )

    def cells(writer: str) -> tuple[Lines, ...]:
        return ((writer,), *(_cell(matrix.pairs.get((writer, reader))) for reader in matrix.readers))

    return Grid(
        title=f"Interoperability: {matrix.format}",
        columns=columns,
        sections=(Section(tuple(map(cells, matrix.writers))),),
        notes=(NOTE,),
    )


def _cell(reading: Reading | None) -> Lines:
    if reading is None:
        return (NOTHING,)
    total = len(reading.read) + len(reading.refused)
    return (f"{len(reading.read)} of {total}{' =' if reading.same_bytes else ''}",)


def why_refused(refusal: Refusal) -> Lines:
    """What the scenario says of it, if it expects it, and the reader's own words."""
    problem = one_line(refusal.problem)[:WORDS_SHOWN]
    return (refusal.known, f"({problem})") if refusal.known else (problem,)


def _sentence(refusal: Refusal) -> str:
    scenarios = f"{plural(len(refusal.scenarios), 'scenario')}: {', '.join(refusal.scenarios)}"
    return f"{refusal.reader} does not read {refusal.writer} ({scenarios}): {' '.join(why_refused(refusal))}"
