"""The interface between the driver and a language."""

import os
import re
import tomllib
from collections.abc import Callable, Generator, Iterator
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any, Protocol, Self

import msgspec
from msgspec import Struct

from bench.base.paths import RUNNERS, STATE
from bench.base.progress import Report
from bench.building.manifest import is_given
from bench.building.sets.code import MESSAGES, SetCode
from bench.model.description import RunnerEntry, Wanted

UNREACHABLE = re.compile(
    r"\b(download|fetch|resolve host|connect|network|time[d ]*out|offline|transfer|tls|ssl|proxy|dns|status code)",
    re.IGNORECASE,
)
"""What a tool says when it could not reach a registry, and not when it disagrees with what it was asked."""
BEHIND_A_PROXY = "Behind a proxy set HTTPS_PROXY; without a network, build where there is one first."


TESTEES = "testees"
"""The folder of a language's testees, each named after its codec."""
DESCRIPTORS = "descriptors.bin"
"""The file of a suite's schemas that describes them all, for libraries that read them when they start."""
CPU_S_A_CODEC, CPU_S_ONCE = 25.0, 60.0
"""`time ./lab build` of 53 runners, 40 in Rust and 13 in C++, and of one, user and system. The 53 took 1,464 s on AMD
EPYC (family 25, model 17), when protoc was still compiled, and 2,790 s without it on a slow one (family 25, model 1).
"""


class Problem(Struct, frozen=True):
    """Something that a build lacks."""

    lack: str
    """A tool, a compiler, a registry, disk space."""
    detail: str
    advice: str
    """The command that mends it, or what to do."""
    hinders: bool = True
    """Whether no codec of the language can do without; else some are unavailable, and all others are built."""


class Builder(Protocol):
    """Builds the codecs of one language: with the language's own tools, or by other means such as Nix."""

    name: str

    def codec_folders(self) -> list[Path]:
        """The folders of this language's codecs, sorted; the folder's name is the codec's."""
        ...

    def libraries_of(self, folder: Path) -> set[str]:
        """The folders below libraries/, and `messages`, whose code a codec is made of."""
        ...

    def variants(self, wanted: Wanted) -> list[str]:
        """Which builds of each codec are wanted; "" is the one that is always made and always first.

        Raises LabError for a target that this language's compiler does not support.
        """
        ...

    def inputs(self, wanted: Wanted) -> dict[str, str]:
        """Codec → a hash of all that its builds depend on: sources, locks, compiler, flags. Raises LabError."""
        ...

    def provide(self, folders: list[Path], report: Report) -> list[Problem]:
        """Finds tools and downloads what the builds of some codecs need, before anything is compiled.

        What is missing for some of them alone hinders nothing, and becomes the reason in their entries.
        """
        ...

    def build_all(self, folders: list[Path], variants: list[str], report: Report) -> Generator[list[RunnerEntry]]:
        """Makes all builds of some codecs; gives those of one codec as soon as they are done, in any order.

        If one fails, its entry has the reason, and the others go on; missing tools raise LabError. The cells that a
        build's runner offers differ in their conditions from those of the codec's other builds.
        """
        ...

    def build_seconds(self, folders: list[Path]) -> dict[str, float]:
        """Codec → roughly how many seconds its build takes on an ordinary machine, where nothing is built yet."""
        ...

    def build_bytes(self, folders: list[Path]) -> int:
        """Roughly what the builds of some codecs take of the disk where nothing is built yet."""
        ...


class Testee(Struct, frozen=True):
    """The program that answers a test suite's own program for a codec, since it knows the suite's messages."""

    command: list[str]
    program: Path
    """Which file of the command is the lab's own; its hash is recorded."""
    environment: dict[str, str] = {}


class Language(Builder, Protocol):
    """A language that runners are written in, with the set of types that programs are compiled with."""

    code: SetCode

    def of(self, code: SetCode) -> Self:
        """The same language for programs of another set of types."""
        ...

    def sources(self) -> list[Path]:
        """Every file that a build depends on."""
        ...

    def settings(self) -> dict[str, str]:
        """Everything else that a build depends on: compiler version, flags."""
        ...

    def entry(self, folder: Path, built: Path) -> RunnerEntry:
        """One codec that was built elsewhere, into the folder `built`; if it is missing, the entry says so."""
        ...

    def pinned_version(self, folder: Path) -> str | None:
        """The version of a codec's library that the lock file pins; None for a codec without a library."""
        ...

    def can_link(self, entry: RunnerEntry) -> str | None:
        """Why a runner has one layout only; None if `link` can give others."""
        ...

    def link(self, entry: RunnerEntry, layout: int) -> RunnerEntry:
        """The runner with the functions of its program in another order; layout 0 is the program as it was built.

        Nothing is compiled, and a layout is linked once for each build. Raises LinkError where `can_link` has a reason.
        """
        ...

    def sanitized(self, folders: list[Path], report: Report) -> list[RunnerEntry]:
        """Builds of codecs that end at their first memory error or undefined behaviour, for `lab fuzz --sanitize`.

        None if the language itself prevents these; such a build is never measured.
        """
        ...

    def has_testee(self, entry: RunnerEntry) -> bool:
        """Whether there is a testee for a codec that was built here."""
        ...

    def testee(self, entry: RunnerEntry, schemas: Path) -> Testee:
        """A codec's testee, built if it is not up to date, from the suite's schemas, which are in a folder.

        Raises LabError if it does not build.
        """
        ...

    def build_clean(self, folder: Path, variant: str, target: Path) -> str | None:
        """Makes one build of one codec with all its dependencies in the empty folder `target`, to be timed.

        Returns why there is nothing to time: it does not build, or the language compiles nothing.
        """
        ...

    def packages(self, folder: Path) -> set[str] | None:
        """The packages from elsewhere that a codec's build compiles, each with its version; None where nobody tells."""
        ...

    def lock_files(self) -> list[Path]:
        """The lock files that pin the measured libraries."""
        ...


def files_below(project: Path, *patterns: str) -> list[Path]:
    """The files of a language's project whose names match; not those of testees, of which no codec is made."""
    found = [path for pattern in patterns for path in project.rglob(pattern)]
    return [path for path in found if not path.is_relative_to(project / TESTEES)]


def testee_folder(entry: RunnerEntry) -> Path:
    """Where a codec's testee is, if it has one that is compiled."""
    language, _, name = entry.codec.partition("/")
    return RUNNERS / language / TESTEES / name


def is_built_here(entry: RunnerEntry) -> bool:
    """Whether a runner was built by the lab from this checkout; it is then up to date."""
    return not is_given() and Path(entry.command[0]).is_relative_to(STATE)


@lru_cache(maxsize=8)
def locked_packages(text: str) -> list[dict[str, Any]]:
    """The packages of Cargo.lock or uv.lock."""
    packages: list[dict[str, Any]] = tomllib.loads(text)["package"]
    return packages


def compile_seconds(codecs: list[str], *, begun: bool) -> dict[str, float]:
    """Codec → roughly how many seconds its compilation takes here; `begun`: what all codecs share is compiled."""
    shared_s = 0.0 if begun else CPU_S_ONCE / max(len(codecs), 1)
    return dict.fromkeys(codecs, (CPU_S_A_CODEC + shared_s) / (os.cpu_count() or 1))


def in_variants(
    folders: list[Path], variants: list[str], build: Callable[[list[Path], str], Iterator[tuple[Path, RunnerEntry]]]
) -> Iterator[list[RunnerEntry]]:
    """Builds one variant of all codecs after the other; gives the entries of a codec when it has all its variants."""
    made: dict[Path, list[RunnerEntry]] = {folder: [] for folder in folders}
    for variant in variants:
        for folder, entry in build(folders, variant):
            made[folder].append(entry)
            if len(made[folder]) == len(variants):
                yield made[folder]


def with_code(
    language: Language, folders: list[Path], variants: list[str]
) -> Generator[list[RunnerEntry], None, list[Path]]:
    """Writes the code of the language's set, and returns the codecs that can be built from it.

    Those that cannot, as a library's own compiler is missing, are given with the reason.
    """
    libraries = {MESSAGES, *chain.from_iterable(map(language.libraries_of, folders))}
    lacking, remaining = language.code.write(language.name, libraries=libraries), []
    for folder in folders:
        if reason := lacking.of(language.libraries_of(folder)):
            entry = language.entry(folder, language.code.folder)
            yield [
                msgspec.structs.replace(
                    entry, variant=variant, unavailable=reason, sha256=None, types=language.code.name
                )
                for variant in variants
            ]
        else:
            remaining.append(folder)
    return remaining


def folders_below(language: str, marker: str) -> list[Path]:
    """The codec folders of a language: those that hold the file `marker`."""
    return sorted(path.parent for path in (RUNNERS / language / "codecs").glob(f"*/{marker}"))
