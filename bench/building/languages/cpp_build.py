"""One configuration of the C++ project, a compiler and a CPU, and how CMake is called to make and to build it."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

from bench.base.errors import LabError
from bench.base.paths import ROOT, RUNNERS, SCHEMAS_VARIABLE, TYPES_VARIABLE
from bench.base.programs import captured, streamed
from bench.building.languages.cpp_sources import SourceError, compiler_of, pins, resolve
from bench.building.languages.cpp_tools import (
    HOME,
    SANITIZED,
    ToolError,
    caches,
    compile_runtime,
    cpu_name,
    system,
    tool,
    triple,
    zig,
)
from bench.building.sets.code import SetCode, published

PROJECT = RUNNERS / "cpp"
SOURCES = HOME / "sources.cmake"
SANITIZERS = "address,undefined"
OPT_LEVEL_VARIABLE = "WIRELAB_CPP_OPT_LEVEL"
"""The user's level of optimization, instead of that of measured programs. Rust's is CARGO_PROFILE_RELEASE_OPT_LEVEL."""
OPT_LEVELS = ("0", "1", "2", "3")
FAILED = "FAILED:"
LINKED = re.compile(r"Linking CXX executable bin/codec-(.+?)(\.exe)?$")
"""What Ninja prints when a codec's program is made."""


def opt_level() -> str:
    """The digit after -O. Raises LabError where the user gives another one than there are."""
    level = os.environ.get(OPT_LEVEL_VARIABLE) or "3"
    if level not in OPT_LEVELS:
        raise LabError(
            f"{OPT_LEVEL_VARIABLE} is {level!r}, and must be one of {', '.join(OPT_LEVELS)}. Unset it to build what "
            "is measured."
        )
    return level


def has_sources(library: str | None) -> bool:
    """Whether the headers of a codec's library are available."""
    try:
        return library is None or bool(resolve(library))
    except (SourceError, ToolError):
        return False


def write_sources(file: Path) -> None:
    """Writes what is known of available libraries for CMake, but only if it changed, since everything is then rebuilt.

    Each archive has its own folder, so that a different archive changes the commands and not only the files.
    """
    lines = ["# Where each library and its compiler are, and of which version; written by `lab build`."]
    for name in pins():
        if has_sources(name):
            source = resolve(name)
            lines += [
                f"set(FETCHCONTENT_SOURCE_DIR_{name.upper()} [==[{source.tree.as_posix()}]==])",
                f"set({name}_include {source.include})",
                f"set({name}_version {source.version})",
            ]
            if isinstance(program := compiler_of(name), Path):
                lines.append(f"set({name}_compiler [==[{program.as_posix()}]==])")
    text = "\n".join(lines) + "\n"
    if not file.exists() or file.read_text(encoding="utf-8") != text:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


class Build:
    """One configuration of the project: a compiler, a CPU target and a set of types."""

    language = "cpp"

    def __init__(self, toolchain: str, cpu: str, folder: Path | None = None, code: SetCode | None = None) -> None:
        self.toolchain, self.cpu, self.code = toolchain, cpu, code or published()
        self.folder = folder or (HOME if self.code.is_published else self.code.home / "cpp") / "build" / self.name
        self.is_configured = False

    @property
    def name(self) -> str:
        """Compiler and CPU, which a build folder is named after."""
        return f"{self.toolchain}-{self.cpu}"

    def configure(self, libraries: Iterable[str] = ()) -> None:
        """Lets CMake write the build files, once. Raises ToolError.

        What no set of types changes, the kit and what these libraries need, is compiled in the published folder first.
        """
        if self.is_configured:
            return
        shared = None if self.code.is_published else Build(self.toolchain, self.cpu)
        if shared:
            shared.code.write(shared.language)
            shared.configure()
            shared.run("shared", *(f"shared-{name}" for name in dict.fromkeys(libraries)))
        compiler, words = (zig if self.toolchain == "zig" else system)()
        write_sources(SOURCES)
        made = self.folder / "CMakeCache.txt"
        if made.exists() and f"CMAKE_CACHEFILE_DIR:INTERNAL={self.folder.as_posix()}\n" not in made.read_text("utf-8"):
            shutil.rmtree(self.folder)  # it was configured before the lab was moved
        settings = {
            "CMAKE_MAKE_PROGRAM": tool("ninja"),
            "CMAKE_CXX_COMPILER": compiler,
            "WIRELAB_SOURCES": SOURCES.parent,
            TYPES_VARIABLE: self.code.folder,
            "WIRELAB_SHARED": shared.folder if shared else "",
            "WIRELAB_BUILD": self.cpu,
            "WIRELAB_COMPILER": words,
            OPT_LEVEL_VARIABLE: opt_level(),
            "WIRELAB_SANITIZE": SANITIZERS if self.cpu == SANITIZED else "",
            SCHEMAS_VARIABLE: "",
        }
        if self.toolchain == "zig":
            compile_runtime(compiler, self.cpu)
        options = [f"-D{name}={value}" for name, value in settings.items()]
        done = self.call(["--preset", self.toolchain, "-S", str(PROJECT), "-B", str(self.folder), *options])
        if done.returncode != 0:
            raise ToolError(f"CMake failed: {first_error(done)}")
        self.is_configured = True

    def add_testees(self, schemas: Path) -> None:
        """Lets CMake add the programs that a test suite asks, made of its schemas. Raises ToolError."""
        done = self.call(["-S", str(PROJECT), "-B", str(self.folder), f"-D{SCHEMAS_VARIABLE}={schemas}"])
        if done.returncode != 0:
            raise ToolError(f"CMake failed: {first_error(done)}")

    def run(self, *targets: str) -> None:
        """Builds targets. Raises ToolError with the compiler's first error."""
        done = self.call(["--build", str(self.folder), "--target", *targets])
        if done.returncode != 0:
            raise ToolError(f"does not build: {first_error(done)}")

    def linked(self, targets: list[str]) -> Iterator[str]:
        """Builds targets, and gives the name of each codec as soon as its program is linked; goes on where one fails.

        What is up to date is not named.
        """
        if not targets:
            return
        # Cargo often compiles one crate at a time: C++ takes the processor time that Cargo leaves.
        behind = ["nice"] if shutil.which("nice") else []
        command = [*behind, str(tool("cmake")), "--build", str(self.folder), "--target", *targets, "--", "-k", "0"]
        with streamed(command, cwd=PROJECT, env=self.environment()) as lines:
            ended: str | None = None  # Ninja names a link as it ends, and says in the next line if it failed
            for line in lines:
                if ended and not line.startswith(FAILED):
                    yield ended
                program = LINKED.search(line)
                ended = program[1] if program else None
            if ended:
                yield ended

    def call(self, arguments: list[str]) -> subprocess.CompletedProcess[str]:
        """Calls CMake in the environment of the build."""
        return captured([str(tool("cmake")), *arguments], cwd=PROJECT, env=self.environment())

    def environment(self) -> dict[str, str]:
        """The variables of a build: zig's caches and its target, and none of the user's flags."""
        target = {"WIRELAB_CPU": cpu_name(self.toolchain, self.cpu), "WIRELAB_TARGET": triple()}
        environment = os.environ | caches() | target
        for name in ("CXXFLAGS", "CPPFLAGS", "LDFLAGS", "CPATH", "CPLUS_INCLUDE_PATH"):
            environment.pop(name, None)
        return environment


def first_error(done: subprocess.CompletedProcess[str]) -> str:
    """The line of a build's output that names the error."""
    lines = [" ".join(line.split()) for line in (done.stdout + "\n" + done.stderr).splitlines() if line.strip()]
    first = next(
        (line for line in lines if re.search(r"\berror\b|\bError\b", line)), lines[-1] if lines else "no output"
    )
    return first.replace(f"{ROOT}{os.sep}", "")[:400]
