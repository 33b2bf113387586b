"""C++: one CMake project, each codec a program, compiled by the pinned zig or by the system's clang.

zig, CMake and Ninja come from uv.lock into `.lab/cpp/env`. zig includes libc++ and the C library's headers, so a
machine needs no C++ compiler. The system's clang needs libc++, and its builds are separate cells
(`compiler=system`).
"""

import hashlib
import json
import os
from collections.abc import Generator, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

from bench.base import errors
from bench.base.files import sha256_of
from bench.base.paths import EXE, ROOT, TYPES_VARIABLE
from bench.base.progress import Report
from bench.building import relink
from bench.building.languages.cpp_build import OPT_LEVEL_VARIABLE, PROJECT, Build, has_sources, opt_level
from bench.building.languages.cpp_link import recipe
from bench.building.languages.cpp_sources import (
    PINS,
    SOURCES_VARIABLE,
    Source,
    SourceError,
    compiler_of,
    given_folders,
    pins,
    resolve,
    search,
)
from bench.building.languages.cpp_tools import (
    BASELINE,
    SANITIZED,
    ToolError,
    tool,
)
from bench.building.languages.digests import inputs_of
from bench.building.languages.language import (
    BEHIND_A_PROXY,
    UNREACHABLE,
    Problem,
    Testee,
    compile_seconds,
    files_below,
    folders_below,
    in_variants,
    is_built_here,
    testee_folder,
    with_code,
)
from bench.building.languages.python import INSTALL_UV
from bench.building.manifest import codec_of
from bench.building.sets.code import MESSAGES, SetCode, published
from bench.model.description import RunnerEntry, Wanted

KIT = ("cli11", "nlohmann_json")
"""The libraries that the kit itself is made with."""
BYTES = 700 * 2**20
"""`du -sm .lab/cpp` after a build of all."""
TOOLCHAINS = ("zig", "system")
SANITIZER_OPTIONS = {
    "ASAN_OPTIONS": "allocator_may_return_null=1:max_allocation_size_mb=1024:detect_leaks=0",
    "UBSAN_OPTIONS": "print_stacktrace=0",
}
"""An impossible allocation fails as it does without sanitizers; a process that exits early is no leak."""


class Cpp:
    """The C++ runners."""

    name = "cpp"
    first = TOOLCHAINS[0]

    def __init__(self, code: SetCode | None = None) -> None:
        self.code = code or published()

    def of(self, code: SetCode) -> "Cpp":
        """C++ for programs of another set of types."""
        return Cpp(code)

    def codec_folders(self) -> list[Path]:
        """The folders with a codec.json below runners/cpp/codecs."""
        return folders_below(self.name, "codec.json")

    def sources(self) -> list[Path]:
        """Kit, messages, codecs, the project's files, the pins of the libraries and of the tools."""
        patterns = ("*.hpp", "*.cpp", "*.h", "*.cc", "*.cmake", "*.in", "*.json", "*.toml", "*.txt")
        return sorted([*files_below(PROJECT, *patterns), ROOT / "uv.lock"])

    def lock_files(self) -> list[Path]:
        """The pins of the measured libraries."""
        return [PINS]

    def settings(self) -> dict[str, str]:
        """The user's folder of sources, and what it contains."""
        try:
            trees = {name: fingerprint(folder) for name, folder in given_folders().items()}
        except SourceError:  # every codec then reports it as its reason
            trees = {}
        given = os.environ.get(SOURCES_VARIABLE, "")
        return {SOURCES_VARIABLE: given, OPT_LEVEL_VARIABLE: opt_level(), **trees}

    def variants(self, wanted: Wanted) -> list[str]:
        """One build per compiler and CPU; the first compiler's build for the baseline has no name."""
        self.first = wanted.compilers[0]
        others = [cpu for cpu in wanted.cpus if cpu != BASELINE]
        return [
            " ".join(filter(None, (compiler if compiler != self.first else "", cpu)))
            for compiler in wanted.compilers
            for cpu in ("", *others)
        ]

    def inputs(self, wanted: Wanted) -> dict[str, str]:
        """Codec → SHA-256 of its inputs; the first compiler's builds have no name, so it is one of them."""
        settings = self.settings() | {"compiler": wanted.compilers[0], TYPES_VARIABLE: self.code.digest(self.name)}
        return inputs_of(self.name, self.codec_folders(), self.sources(), settings)

    def provide(self, folders: list[Path], report: Report) -> list[Problem]:
        """zig, CMake and Ninja, and the sources of all libraries; one that cannot be had hinders no other."""
        report("fetching zig, CMake and C++ libraries")
        try:
            tool("cmake")
        except ToolError as problem:
            if UNREACHABLE.search(str(problem)):
                return [Problem("the Python package index", str(problem), BEHIND_A_PROXY)]
            detail = str(problem).removesuffix(INSTALL_UV).rstrip(". ")
            return [Problem("zig, CMake and Ninja", detail, INSTALL_UV)]
        libraries = dict.fromkeys([*KIT, *filter(None, map(library_of, folders))])
        refused = {name: source for name in libraries if isinstance(source := search(name), SourceError)}
        problems = [Problem(name, source.said, source.advice, hinders=False) for name, source in refused.items()]
        for name in libraries:
            if isinstance(reason := compiler_of(name), SourceError):
                detail = f"{name}'s compiler of schemas cannot be had: {reason}"
                advice = "It is compiled from the library's source instead, which takes a minute"
                problems.append(Problem(f"{name}'s compiler", detail, advice, hinders=False))
        return problems

    def build_all(self, folders: list[Path], variants: list[str], report: Report) -> Generator[list[RunnerEntry]]:
        """One call of CMake for each variant; kit and messages are compiled once for all codecs of it."""
        folders = yield from with_code(self, folders, variants)
        if not folders:
            return
        report(f"building {', '.join(codec_of(folder) for folder in folders)}")
        yield from in_variants(folders, variants, self._build_group)

    def _build_group(self, folders: list[Path], variant: str) -> Iterator[tuple[Path, RunnerEntry]]:
        """One build of each codec; a codec that the common call does not link is asked for alone."""
        build, remaining = self.configuration(*self.parts(variant)), {folder.name: folder for folder in folders}
        with suppress(SourceError, ToolError):  # a codec that is asked for alone says what is wrong
            for name in KIT:
                resolve(name)
            build.configure(library for folder in folders if (library := library_of(folder)) and has_sources(library))
            targets = [target_of(folder) for folder in folders if has_sources(library_of(folder))]
            for name in build.linked(targets):
                if folder := remaining.pop(name, None):
                    yield folder, self._entry(folder, variant, build)
        for folder in remaining.values():
            yield folder, self.build(folder, variant)

    def libraries_of(self, folder: Path) -> set[str]:
        """The library that its manifest names."""
        return {MESSAGES, *filter(None, [library_of(folder)])}

    def build_seconds(self, folders: list[Path]) -> dict[str, float]:
        """A program each, and once the kit, and zig's own libraries."""
        begun = self.configuration(*self.parts("")).folder.exists()
        return compile_seconds([codec_of(folder) for folder in folders], begun=begun)

    def build_bytes(self, folders: list[Path]) -> int:
        """Tools, sources and zig's cache, which any of them needs."""
        return BYTES if folders else 0

    def build(self, folder: Path, variant: str = "") -> RunnerEntry:
        """Makes one build of one codec."""
        build = self.configuration(*self.parts(variant))
        try:
            for name in (*KIT, *filter(None, [library_of(folder)])):
                resolve(name)
            build.configure(filter(None, [library_of(folder)]))
            build.run(target_of(folder))
        except (SourceError, ToolError) as problem:
            return self._entry(folder, variant, build, str(problem))
        return self._entry(folder, variant, build)

    def _entry(self, folder: Path, variant: str, build: "Build", unavailable: str | None = None) -> RunnerEntry:
        library = library_of(folder)
        source = search(library) if library else None
        binary = build.folder / "bin" / f"{target_of(folder)}{EXE}"
        return RunnerEntry(
            codec=codec_of(folder),
            command=[str(binary)],
            library=library,
            version=source.version if isinstance(source, Source) else pinned_version(library),
            sha256=None if unavailable else sha256_of(binary),
            unavailable=unavailable,
            variant=variant,
            types=self.code.name,
            source=source.origin if isinstance(source, Source) else None,
            environment=SANITIZER_OPTIONS if variant == SANITIZED and not unavailable else {},
        )

    def packages(self, folder: Path) -> set[str] | None:  # noqa: ARG002
        """None: what a library's headers bring in is no package of its own."""
        return None

    def has_testee(self, entry: RunnerEntry) -> bool:
        """Whether a codec that was built here has a folder in testees/."""
        return is_built_here(entry) and (testee_folder(entry) / "testee.cpp").exists()

    def testee(self, entry: RunnerEntry, schemas: Path) -> Testee:
        """Built as codecs are, in the folder of their first build."""
        build, name = self.configuration(*self.parts("")), f"testee-{testee_folder(entry).name}"
        try:
            build.configure()
            build.add_testees(schemas)
            build.run(name)
        except (SourceError, ToolError) as problem:
            raise errors.LabError(f"{name}: {problem}") from None
        program = build.folder / "bin" / f"{name}{EXE}"
        return Testee([str(program)], program)

    def build_clean(self, folder: Path, variant: str, target: Path) -> str | None:
        """Configures and builds the codec and the kit in a build folder of their own."""
        build = Build(*self.parts(variant), target, self.code)
        self.code.write(self.name, libraries={MESSAGES, *self.libraries_of(folder)})
        try:
            for name in (*KIT, *filter(None, [library_of(folder)])):
                resolve(name)
            build.configure()
            build.run(target_of(folder))
        except (SourceError, ToolError) as problem:
            return str(problem)
        return None

    def pinned_version(self, folder: Path) -> str | None:
        """The version of a codec's library in sources.toml."""
        return pinned_version(library_of(folder))

    def sanitized(self, folders: list[Path], report: Report) -> list[RunnerEntry]:
        """Builds with the system's clang, which has the runtime libraries of the sanitizers; zig has none."""
        return [entry for entries in self.build_all(folders, [SANITIZED], report) for entry in entries]

    def entry(self, folder: Path, built: Path) -> RunnerEntry:
        """The codec that was built into the folder `built`: its program is bin/codec-NAME."""
        codec, library = codec_of(folder), library_of(folder)
        program = built / "bin" / f"codec-{folder.name}{EXE}"
        version = pinned_version(library)
        if not program.exists():
            return RunnerEntry(codec, [str(program)], library, version, None, unavailable=errors.not_provided(built))
        return RunnerEntry(codec, [str(program)], library, version, sha256_of(program))

    def can_link(self, entry: RunnerEntry) -> str | None:
        """Why a runner has one layout only; None if it can be linked in others."""
        return relink.why_not(entry, recipe)

    def link(self, entry: RunnerEntry, layout: int) -> RunnerEntry:
        """A runner in another layout, linked from the objects in CMake's folder. Raises LinkError."""
        return relink.link(entry, layout, recipe)

    def parts(self, variant: str) -> tuple[str, str]:
        """Compiler and CPU of a build."""
        if variant == SANITIZED:
            return TOOLCHAINS[1], SANITIZED
        words = variant.split()
        compiler = words.pop(0) if words and words[0] in TOOLCHAINS else self.first
        return compiler, words[0] if words else BASELINE

    @cache  # noqa: B019 (there are a few objects of the language: one a set)
    def configuration(self, compiler: str, cpu: str) -> "Build":
        """The one configuration of a compiler and a CPU; CMake writes it when it is first used."""
        return Build(compiler, cpu, code=self.code)


def target_of(folder: Path) -> str:
    """The target of a codec, which is also the name of its program."""
    return f"codec-{folder.name}"


def fingerprint(folder: Path) -> str:
    """A hash that changes with a folder's files."""
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        if ".git" not in (relative := path.relative_to(folder)).parts:
            digest.update(f"{relative.as_posix()} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()


def library_of(folder: Path) -> str | None:
    """The measured library of a codec, as its manifest names it."""
    library: str | None = json.loads((folder / "codec.json").read_text(encoding="utf-8")).get("library")
    return library


def pinned_version(library: str | None) -> str | None:
    """The version that sources.toml pins."""
    return pins()[library].version if library in pins() else None
