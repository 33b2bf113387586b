"""Reads the files beside run.json that say what codecs did, and not how fast."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

from msgspec import Struct

from bench.model.counts import FOOTPRINT, Footprints
from bench.model.findings import Fidelity, Fuzzed, Fuzzing
from bench.model.proof.conformance import FILE as CONFORMANCE
from bench.model.proof.conformance import Conformance
from bench.model.proof.evolved import FILE as EVOLUTION
from bench.model.proof.evolved import Evolution
from bench.proof.fidelity import FILE as FIDELITY
from bench.proof.upstream import public, public_conformance, public_evolution, public_fidelity
from bench.records.run_file import read_fuzzing
from bench.records.stored_files import read_stored


class OfCodec(Protocol):
    """A result that is one codec's."""

    @property
    def codec(self) -> str:
        """Its name."""
        ...


R = TypeVar("R", bound=OfCodec)


class Extras(Struct, frozen=True):
    """What a run's folder holds beside its samples, without what is withheld; None where it does not."""

    fidelity: Fidelity | None = None
    fuzzing: Fuzzing | None = None
    evolution: Evolution | None = None
    conformance: Conformance | None = None
    footprints: Footprints | None = None


def read_extras(path: Path) -> Extras:
    """The files in a run's folder about codecs. Raises LabError for one that is damaged."""
    fuzzing = read_fuzzing(path)
    fidelity = read_stored(path, FIDELITY, Fidelity)
    evolution = read_stored(path, EVOLUTION, Evolution)
    conformance = read_stored(path, CONFORMANCE, Conformance)
    return Extras(
        fidelity=fidelity and public_fidelity(fidelity),
        fuzzing=fuzzing and public(fuzzing),
        evolution=evolution and public_evolution(evolution),
        conformance=conformance and public_conformance(conformance),
        footprints=read_stored(path, FOOTPRINT, Footprints),
    )


def newest_of_each(files: Iterable[tuple[str, Sequence[R]]]) -> dict[str, list[R]]:
    """Codec → its results in the newest file that has any, by name; `files` are pairs of creation time and results."""
    newest: dict[str, list[R]] = {}
    for _, results in sorted(files, key=lambda file: file[0]):
        own: dict[str, list[R]] = {}
        for one in results:
            own.setdefault(one.codec, []).append(one)
        newest |= own
    return dict(sorted(newest.items()))


def newest_fuzzed(files: Iterable[tuple[str, Sequence[Fuzzed]]]) -> dict[str, list[Fuzzed]]:
    """Codec → what malformed input did to the version of it that was asked last, by name.

    Of each of its scenarios the newest result: asking a codec for one type alone takes nothing back of the others.
    `files` are pairs of creation time and results.
    """
    newest: dict[str, dict[str, Fuzzed]] = {}
    for _, results in sorted(files, key=lambda file: file[0], reverse=True):
        for one in results:
            own = newest.setdefault(one.codec, {})
            if all(held.version == one.version for held in own.values()):
                own.setdefault(one.scenario, one)
    return {codec: list(own.values()) for codec, own in sorted(newest.items())}
