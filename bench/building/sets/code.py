"""The code of a set of types, for every language: written before anything is compiled, and a part of every hash."""

import hashlib
import sys
from collections.abc import Collection
from functools import cached_property, lru_cache
from pathlib import Path

from msgspec import Struct

from bench.base import errors, paths
from bench.building.sets.known import known_digest
from bench.scenarios.load import load_scenarios
from bench.scenarios.sets import type_set
from bench.types.generation import MODULE, PLAIN, generated, generators, inputs, write_library
from bench.types.type_set import PUBLISHED, TypeSet

MESSAGES = PLAIN
"""What every codec's code is made of, beside that of its library."""
CALLS_COMPILER = b"def finish("
"""A generator with this function has a compiler go over what it made."""


class Lacking(Struct, frozen=True):
    """The libraries of a language for which no code can be generated."""

    reasons: dict[str, str]

    def of(self, libraries: Collection[str]) -> str | None:
        """Why a codec made of these libraries cannot be built, if it cannot."""
        return next((self.reasons[name] for name in sorted(libraries) if name in self.reasons), None)


class SetCode:
    """A set of types as code: where it is written, and where its programs are."""

    def __init__(self, types: TypeSet | None = None) -> None:
        self.name = types.name if types else PUBLISHED
        self._types = types
        self._digests: dict[str, str] = {}

    @property
    def is_published(self) -> bool:
        """Whether it is the set that runners have by default."""
        return self.name == PUBLISHED

    @property
    def folder(self) -> Path:
        """Where its code is written: FOLDER/LANGUAGE/LIBRARY."""
        return paths.STATE / "types" / self.name

    @property
    def home(self) -> Path:
        """Where its programs are built. A set's folder may be removed at any time: it is then built again."""
        return paths.STATE if self.is_published else paths.set_home(self.name)

    @cached_property
    def types(self) -> TypeSet:
        """The types. Raises LabError for a mistake in one of the files that say them."""
        return self._types or type_set(PUBLISHED, load_scenarios(sweeps=True).values())

    def digest(self, language: str) -> str:
        """SHA-256 of the code that a language's generators make, and of the compilers that some of them call."""
        if language not in self._digests:
            types = self.types.of_language(language)
            name = f"{self.name}/{language}"
            self._digests[language] = known_digest(
                name, inputs(types, language, paths.TOOL_PINS), lambda: self._digest(language)
            )
        return self._digests[language]

    def calls_compilers(self, language: str, libraries: Collection[str]) -> bool:
        """Whether a generator of these libraries of a language has a compiler of schemas go over what it made."""
        return any(_calls_compiler(one) for one in generators(language) if one.name in libraries)

    def _digest(self, language: str) -> str:
        total = hashlib.sha256()
        for generator in generators(language):
            for name, text in sorted(self._text(generator, language).items()):
                total.update(f"{generator.name}/{name} {len(text)}\n{text}".encode())
            if _calls_compiler(generator):  # what that makes follows from these
                total.update((generator / MODULE).read_bytes() + paths.TOOL_PINS.read_bytes())
        return total.hexdigest()

    def _text(self, generator: Path, language: str) -> dict[str, str]:
        try:
            return generated(generator, self.types.of_language(language), language)
        except ValueError as error:
            raise errors.no_code(self.name, f"{language}/{generator.name}", str(error)) from None

    def write(self, language: str, folder: Path | None = None, libraries: Collection[str] | None = None) -> Lacking:
        """Writes the code of a language into FOLDER/LANGUAGE; what would not change is not touched.

        That of all its libraries, or of some, and then nothing of the others changes. Files that nothing makes any more
        are removed. Raises LabError for a type that a generator refuses. A library whose own compiler is missing is
        lacking.
        """
        reasons: dict[str, str] = {}
        target = (folder or self.folder) / language
        target.mkdir(parents=True, exist_ok=True)
        written: set[Path] = set()
        chosen = [one for one in generators(language) if libraries is None or one.name in libraries]
        for generator in chosen:
            try:
                written |= set(write_library(generator, self.types.of_language(language), language, target))
            except errors.LabError as error:
                reasons[generator.name] = str(error)
            except ValueError as error:
                raise errors.no_code(self.name, f"{language}/{generator.name}", str(error)) from None
        untouched = set(reasons)
        if libraries is not None:
            untouched |= {one.name for one in generators(language)} - set(libraries)
        for path in target.rglob("*"):
            library = path.relative_to(target).parts[0]
            if path.is_file() and path not in written and library not in untouched:
                path.unlink()
        return Lacking(reasons)


def _calls_compiler(generator: Path) -> bool:
    own = generator / MODULE
    return own.exists() and CALLS_COMPILER in own.read_bytes()


@lru_cache(maxsize=1)
def published() -> SetCode:
    """The code of the types in schemas/types; this process makes it once."""
    return SetCode()


def code_named(name: str) -> SetCode:
    """The code of the published set, or of the scenario of this name."""
    return published() if name == PUBLISHED else SetCode(type_set(name, load_scenarios(sweeps=True).values()))


def main() -> None:
    """`python -m bench.building.sets.code SET LANGUAGE FOLDER`: writes a language's code, for builds by other means."""
    name, language, folder = sys.argv[1:]
    code = code_named(name)
    if lacking := code.write(language, Path(folder).absolute()).reasons:
        sys.exit("\n".join(lacking.values()))


if __name__ == "__main__":
    main()
