"""Who reads whose bytes: a matrix a format, from the exchanges that verification recorded."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from msgspec import Struct

from bench.model.verification import Exchange


class Reading(Struct, frozen=True):
    """What one codec made of another's bytes, over the scenarios that both have."""

    read: tuple[str, ...]
    """Scenarios whose value came out."""
    refused: tuple[Exchange, ...]
    same_bytes: bool
    """Whether the reader would have written the same in every scenario."""


class Matrix(Struct, frozen=True):
    """A format: its writers, which may be references, its readers, and what came of each pair."""

    format: str
    writers: tuple[str, ...]
    readers: tuple[str, ...]
    pairs: Mapping[tuple[str, str], Reading]
    """(Writer, reader) → what came of it."""


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
    found: dict[tuple[str, str, str | None], list[Exchange]] = defaultdict(list)
    for pair, reading in matrix.pairs.items():
        for one in reading.refused:
            found[*pair, one.known or one.problem].append(one)
    return tuple(
        Refusal(writer, reader, tuple(one.scenario for one in group), group[0].problem or "", group[0].known)
        for (writer, reader, _), group in found.items()
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
