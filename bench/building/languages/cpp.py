"""C++: one CMake project, each codec a program, compiled by the pinned zig or by the system's clang.

zig, CMake and Ninja come from uv.lock into `.lab/cpp/env`. zig includes libc++ and the C library's headers, so a
machine needs no C++ compiler. The system's clang needs libc++, and its builds are separate cells
(`compiler=system`).
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Generator
from functools import cache
from pathlib import Path

from bench.base import errors
from bench.base.files import sha256_of
from bench.base.paths import EXE, ROOT, RUNNERS
from bench.base.programs import captured
from bench.base.progress import Report
from bench.building import relink
from bench.building.languages.cpp_link import recipe
from bench.building.languages.cpp_sources import (
    PINS,
    SOURCES_VARIABLE,
    SourceError,
    given_folders,
    pins,
    resolve,
)
from bench.building.languages.cpp_tools import (
    BASELINE,
    HOME,
    SANITIZED,
    ToolError,
    caches,
    cpu_name,
    system,
    tool,
    triple,
    zig,
)
from bench.building.languages.inputs import inputs_of
from bench.building.languages.language import folders_below
from bench.model.description import RunnerEntry, Wanted

PROJECT = RUNNERS / "cpp"
SOURCES = HOME / "sources.cmake"
KIT = ("cli11", "nlohmann_json")
"""The libraries that the kit itself is made with."""
SECONDS_A_CODEC = 12.0
TOOLCHAINS = ("zig", "system")
SANITIZERS = "address,undefined"
SANITIZER_OPTIONS = {
    "ASAN_OPTIONS": "allocator_may_return_null=1:max_allocation_size_mb=1024:detect_leaks=0",
    "UBSAN_OPTIONS": "print_stacktrace=0",
}
"""An impossible allocation fails as it does without sanitizers; a process that exits early is no leak."""

ON_ONE_PROCESSOR = """
import os, sys
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Runs the command that follows it."""


class Cpp:
    """The C++ runners."""

    name = "cpp"
    first = TOOLCHAINS[0]

    def codec_folders(self) -> list[Path]:
        """The folders with a codec.json below runners/cpp/codecs."""
        return folders_below(self.name, "codec.json")

    def sources(self) -> list[Path]:
        """Kit, messages, codecs, the project's files, the pins of the libraries and of the tools."""
        suffixes = ("*.hpp", "*.cpp", "*.h", "*.cc", "*.cmake", "*.in", "*.json", "*.toml", "*.txt")
        return sorted([path for suffix in suffixes for path in PROJECT.rglob(suffix)] + [ROOT / "uv.lock"])

    def lock_files(self) -> list[Path]:
        """The pins of the measured libraries."""
        return [PINS]

    def settings(self) -> dict[str, str]:
        """The user's folder of sources, and what it contains."""
        try:
            trees = {name: fingerprint(folder) for name, folder in given_folders().items()}
        except SourceError:  # every codec then reports it as its reason
            trees = {}
        return {SOURCES_VARIABLE: os.environ.get(SOURCES_VARIABLE, ""), **trees}

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
        settings = self.settings() | {"compiler": wanted.compilers[0]}
        return inputs_of(self.name, self.codec_folders(), self.sources(), settings)

    def build_all(self, folders: list[Path], variants: list[str], report: Report) -> Generator[list[RunnerEntry]]:
        """One after the other."""
        for folder in folders:
            report(f"building {self.name}/{folder.name}")
            yield [self.build(folder, variant) for variant in variants]

    def build_seconds(self, folders: list[Path]) -> dict[str, float]:
        """The same for each."""
        return {f"{self.name}/{folder.name}": SECONDS_A_CODEC for folder in folders}

    def build(self, folder: Path, variant: str = "") -> RunnerEntry:
        """Makes one build of one codec; the first call for a variant builds all codecs that have sources."""
        codec, library = f"{self.name}/{folder.name}", library_of(folder)
        build = self.configured(*self.parts(variant))
        binary = build.folder / "bin" / f"codec-{folder.name}{EXE}"
        version, origin = pinned_version(library), None
        try:
            sources = {name: resolve(name) for name in (*KIT, *filter(None, [library]))}
            if library:
                version, origin = sources[library].version, sources[library].origin
            build.configure()
            build.run(f"codec-{folder.name}")
        except (SourceError, ToolError) as problem:
            return RunnerEntry(
                codec, [str(binary)], library, version, None, unavailable=str(problem), variant=variant, source=origin
            )
        return RunnerEntry(
            codec,
            [str(binary)],
            library,
            version,
            sha256_of(binary),
            variant=variant,
            source=origin,
            environment=SANITIZER_OPTIONS if variant == SANITIZED else {},
        )

    def build_clean(self, folder: Path, variant: str, target: Path) -> str | None:
        """Configures and builds the codec and the kit in a build folder of their own."""
        build = Build(*self.parts(variant), target)
        try:
            for name in (*KIT, *filter(None, [library_of(folder)])):
                resolve(name)
            build.configure()
            build.run(f"codec-{folder.name}")
        except (SourceError, ToolError) as problem:
            return str(problem)
        return None

    def pinned_version(self, folder: Path) -> str | None:
        """The version of a codec's library in sources.toml."""
        return pinned_version(library_of(folder))

    def sanitized(self, folder: Path) -> RunnerEntry | None:
        """Builds with the system's clang, which has the runtime libraries of the sanitizers; zig has none."""
        return self.build(folder, SANITIZED)

    def entry(self, folder: Path, built: Path) -> RunnerEntry:
        """The codec that was built into the folder `built`: its program is bin/codec-NAME."""
        codec, library = f"{self.name}/{folder.name}", library_of(folder)
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

    @cache  # noqa: B019 (there is one object of the language)
    def configured(self, compiler: str, cpu: str) -> "Build":
        """A configuration in which all codecs with available sources are already built, in parallel.

        A codec that does not compile reports that when it is built by itself.
        """
        build = Build(compiler, cpu)
        try:
            for name in KIT:
                resolve(name)
            build.configure()
        except (SourceError, ToolError):
            return build
        targets = [f"codec-{folder.name}" for folder in self.codec_folders() if has_sources(library_of(folder))]
        build.call(["--build", str(build.folder), "--target", *targets, "--", "-k", "0"])
        return build


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


def has_sources(library: str | None) -> bool:
    """Whether the headers of a codec's library are available."""
    try:
        return library is None or bool(resolve(library))
    except (SourceError, ToolError):
        return False


def write_sources(file: Path) -> None:
    """Writes the folders of available libraries for CMake, but only if they changed, since everything is then rebuilt.

    Each archive has its own folder, so that a different archive changes the commands and not only the files.
    """
    lines = ["# Where each library is, and of which version; written by `lab build`."]
    for name in pins():
        if has_sources(name):
            source = resolve(name)
            lines += [
                f"set(FETCHCONTENT_SOURCE_DIR_{name.upper()} [==[{source.tree.as_posix()}]==])",
                f"set({name}_include {source.include})",
                f"set({name}_version {source.version})",
            ]
    text = "\n".join(lines) + "\n"
    if not file.exists() or file.read_text(encoding="utf-8") != text:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


class Build:
    """One configuration of the project: a compiler and a CPU target."""

    def __init__(self, toolchain: str, cpu: str, folder: Path | None = None) -> None:
        self.toolchain, self.cpu = toolchain, cpu
        self.folder = folder or HOME / "build" / f"{toolchain}-{cpu}"
        self.is_configured = False

    def configure(self) -> None:
        """Lets CMake write the build files, once. Raises ToolError."""
        if self.is_configured:
            return
        compiler, words = (zig if self.toolchain == "zig" else system)()
        write_sources(SOURCES)
        made = self.folder / "CMakeCache.txt"
        if made.exists() and f"CMAKE_CACHEFILE_DIR:INTERNAL={self.folder.as_posix()}\n" not in made.read_text():
            shutil.rmtree(self.folder)  # it was configured before the lab was moved
        settings = {
            "CMAKE_MAKE_PROGRAM": tool("ninja"),
            "CMAKE_CXX_COMPILER": compiler,
            "WIRELAB_SOURCES": SOURCES.parent,
            "WIRELAB_BUILD": self.cpu,
            "WIRELAB_COMPILER": words,
            "WIRELAB_SANITIZE": SANITIZERS if self.cpu == SANITIZED else "",
        }
        if self.toolchain == "zig":
            self.compile_runtime(compiler)
        options = [f"-D{name}={value}" for name, value in settings.items()]
        done = self.call(["--preset", self.toolchain, "-S", str(PROJECT), "-B", str(self.folder), *options])
        if done.returncode != 0:
            raise ToolError(f"CMake failed: {first_error(done)}")
        self.is_configured = True

    def compile_runtime(self, zig: Path) -> None:
        """Lets zig compile its own runtime library on one processor, once for all builds.

        On several it names symbols by the threads that came upon them, and no two checkouts would build the same
        bytes. If this fails, the first build of a program says why.
        """
        if sys.platform != "linux":
            return
        empty = self.folder.with_name(f"{self.folder.name}.c")
        empty.parent.mkdir(parents=True, exist_ok=True)
        empty.write_text("int main(void) { return 0; }\n", encoding="utf-8")
        target = ["-target", triple(), f"-mcpu={cpu_name(self.toolchain, self.cpu)}"]
        command = [str(zig), "cc", *target, str(empty), "-o", str(empty.with_suffix(".out"))]
        captured([sys.executable, "-c", ON_ONE_PROCESSOR, *command], env=os.environ | caches())

    def run(self, *targets: str) -> None:
        """Builds targets. Raises ToolError with the compiler's first error."""
        done = self.call(["--build", str(self.folder), "--target", *targets])
        if done.returncode != 0:
            raise ToolError(f"does not build: {first_error(done)}")

    def call(self, arguments: list[str]) -> subprocess.CompletedProcess[str]:
        """Calls CMake in the environment of the build."""
        target = {"WIRELAB_CPU": cpu_name(self.toolchain, self.cpu), "WIRELAB_TARGET": triple()}
        environment = os.environ | caches() | target
        for name in ("CXXFLAGS", "CPPFLAGS", "LDFLAGS", "CPATH", "CPLUS_INCLUDE_PATH"):
            environment.pop(name, None)
        command = [str(tool("cmake")), *arguments]
        return captured(command, cwd=PROJECT, env=environment)


def first_error(done: subprocess.CompletedProcess[str]) -> str:
    """The line of a build's output that names the error."""
    lines = [" ".join(line.split()) for line in (done.stdout + "\n" + done.stderr).splitlines() if line.strip()]
    first = next(
        (line for line in lines if re.search(r"\berror\b|\bError\b", line)), lines[-1] if lines else "no output"
    )
    return first.replace(f"{ROOT}{os.sep}", "")[:400]
