"""The lab's own tools, each built once into .lab/tools from the source pinned in bench/pins.

A tool is built again if its pin changed or its program was modified.
"""

import os
import shutil
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import msgspec
from filelock import BaseFileLock, FileLock

from bench.base import errors, paths
from bench.base.files import sha256_of
from bench.base.programs import captured
from bench.base.progress import Report
from bench.building.crates import Crate, unpack
from bench.building.languages import cpp_tools
from bench.building.languages.rust import INSTALL_RUSTUP

ACTIONLINT = paths.PINS / "actionlint"
"""A Go module whose only requirement is actionlint: its go.sum has the hash of every module that is built."""

LIBFLATE_PROGRAM, LIBFLATE = "zlib-libflate", paths.PINS / "libflate"
"""A program around libflate: its Cargo.lock has the checksum of every crate that is built."""


@cache
def pins() -> dict[str, Crate]:
    """The tools that are built from crates, by the names of their programs."""
    text = paths.TOOL_PINS.read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), dict[str, Crate])


def provide_hyperfine(report: Report) -> None:
    """Builds the pinned hyperfine if it is missing. Raises LabError if that is not possible."""
    path = paths.hyperfine()
    if not os.environ.get(paths.HYPERFINE_VARIABLE):
        provide("hyperfine", report)
    elif not path.exists():
        version = pins()["hyperfine"].version
        raise errors.missing_tool(str(path), f"{paths.HYPERFINE_VARIABLE} must name hyperfine {version}.")


def provide(name: str, report: Report) -> None:
    """Builds a tool from its crate if it is missing. Raises LabError if that is not possible."""
    path, pin = paths.tool(name), pins()[name]
    if _is_there(path, pin.sha256):
        return
    if not shutil.which("cargo"):
        raise errors.missing_tool("cargo", INSTALL_RUSTUP)
    with _alone(), tempfile.TemporaryDirectory() as work:
        if _is_there(path, pin.sha256, report):
            return
        report(f"building {pin.crate} {pin.version} into .lab/tools (a minute, once)")
        source = unpack(pin, Path(work))
        root = str(paths.STATE / "tools")
        # Its lock file has the checksums of its dependencies; --force overwrites an older build.
        command = ["cargo", "install", "--locked", "--force", "--quiet", "--root", root, "--path", str(source)]
        settings = {"CARGO_PROFILE_DEV_DEBUG": "0"}
        advice = "It needs the Rust package index once, and a C linker."
        _run(f"building {pin.crate}", [*command, "--profile", pin.profile], paths.ROOT, advice, settings)
        _stamp(path, pin.sha256)


def has_schema_compilers() -> bool:
    """Whether all compilers of schemas are there, unmodified."""
    try:
        return all(_is_there(paths.tool(name), _sources(pin)) for name, pin in pins().items() if pin.program)
    except errors.LabError:  # `provide_schema_compilers` says what is missing
        return False


def provide_schema_compilers(report: Report) -> None:
    """Compiles the pinned compilers of schemas, which generators call, if one is missing, by the lab's own zig.

    They run once a set, so that they are not optimized. Raises LabError if that is not possible.
    """
    for name, pin in pins().items():
        if not pin.program or _is_there(path := paths.tool(name), made_of := _sources(pin)):
            continue
        with _alone(), tempfile.TemporaryDirectory() as work:
            if _is_there(path, made_of, report):
                continue
            report(f"compiling {name} into .lab/tools (a minute, once)")
            if not shutil.which("cargo"):
                raise errors.missing_tool("cargo", INSTALL_RUSTUP)
            source = unpack(pin, Path(work)) / pin.program
            try:
                compiler, _ = cpp_tools.zig()
            except cpp_tools.ToolError as problem:
                raise errors.missing_tool("zig", str(problem)) from None
            path.parent.mkdir(parents=True, exist_ok=True)
            _compile(compiler, source, pin, path)
            _stamp(path, made_of)


def _sources(pin: Crate) -> str:
    """What a compiler of schemas is made of, as a stamp has it."""
    return f"{pin.sha256} {sha256_of(paths.ROOT / pin.main)} {' '.join(pin.files)}"


def _compile(zig: Path, source: Path, pin: Crate, program: Path) -> None:
    """A compiler of schemas out of its C++ sources, as many files at a time as there are processors.

    It is linked with the options of the runners alone: with others zig would compile its C++ library a second time,
    which takes longer than this program. Zig compiles its runtime library and that one on one processor. So they begin
    at once, for an empty program, while these files are compiled.
    """
    compiler = [str(zig), "c++", *cpp_tools.target(cpp_tools.BASELINE)]
    words = [
        "-std=c++17",
        "-w",
        "-g0",
        "-fno-sanitize=all",
        *(f"-I{source / folder}" for folder in (".", "include", "src")),
    ]

    def call(task: str, options: list[str]) -> None:
        advice = "Report it: the lab's own compiler does this."
        _run(task, [*compiler, *options], source, advice, cpp_tools.caches())

    def compiled(file: Path) -> str:
        made = str(source / f"{file.parent.name}-{file.stem}.o")
        call(f"compiling {file.name}", [*words, "-c", str(file), "-o", made])
        return made

    files = [paths.ROOT / pin.main, *(source / file for file in pin.files)]
    empty = source / "empty.cpp"
    empty.write_text("int main() {}\n", encoding="utf-8")

    def compile_libraries() -> None:
        cpp_tools.compile_runtime(zig, cpp_tools.BASELINE)
        call("compiling zig's C++ library", [str(empty), "-o", str(empty.with_suffix(".out"))])

    with ThreadPoolExecutor((os.cpu_count() or 1) + 1) as pool:
        libraries = pool.submit(compile_libraries)
        objects = list(pool.map(compiled, files))
        libraries.result()
    call(f"linking {program.name}", [*objects, "-o", str(program)])


def provide_actionlint(report: Report) -> None:
    """Builds the pinned actionlint if it is missing. Raises LabError if that is not possible."""
    path = paths.tool("actionlint")
    source = sha256_of(ACTIONLINT / "go.mod") + sha256_of(ACTIONLINT / "go.sum")
    if _is_there(path, source):
        return
    go = shutil.which("go", path=str(Path(sys.executable).parent))
    if not go:
        raise errors.missing_tool("go", "`./lab lint` installs it: run it by the launcher.")
    with _alone():
        if _is_there(path, source, report):
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        report("building actionlint into .lab/tools (half a minute, once)")
        command = [go, "build", "-trimpath", "-o", str(path), "github.com/rhysd/actionlint/cmd/actionlint"]
        # Modules that go.sum lacks or contradicts are refused, whatever the user's settings.
        settings = {"GOFLAGS": "-mod=readonly", "GOWORK": "off", "GOTOOLCHAIN": "local", "CGO_ENABLED": "0"}
        _run("building actionlint", command, ACTIONLINT, "It needs the Go module proxy once.", settings)
        _stamp(path, source)


def provide_libflate(report: Report) -> None:
    """Builds the program around the pinned libflate if it is missing. Raises LabError if that is not possible."""
    path = paths.tool(LIBFLATE_PROGRAM)
    source = " ".join(sha256_of(LIBFLATE / name) for name in ("Cargo.toml", "Cargo.lock", "main.rs"))
    if _is_there(path, source):
        return
    if not shutil.which("cargo"):
        raise errors.missing_tool("cargo", INSTALL_RUSTUP)
    with _alone(), tempfile.TemporaryDirectory() as work:
        if _is_there(path, source, report):
            return
        report("building libflate into .lab/tools (half a minute, once)")
        root = str(paths.STATE / "tools")
        command = ["cargo", "install", "--locked", "--force", "--quiet", "--root", root, "--path", str(LIBFLATE)]
        advice = "It needs the Rust package index once, and a C linker."
        _run("building libflate", [*command, "--target-dir", work], paths.ROOT, advice, {})
        _stamp(path, source)


def _alone() -> BaseFileLock:
    """A lock: if several labs lack a tool, one builds it while the others wait and then use it."""
    paths.STATE.mkdir(parents=True, exist_ok=True)
    return FileLock(paths.STATE / "tools.lock")


def _is_there(path: Path, source: str, report: Report | None = None) -> bool:
    """Whether a program was built from a source and is unmodified since.

    With LAB_TOOLS any program in that folder is accepted; LabError if it holds none.
    """
    if os.environ.get(paths.TOOLS_VARIABLE):
        if not path.exists():
            raise errors.missing_tool(str(path), f"{paths.TOOLS_VARIABLE} must name a folder whose bin/ holds it.")
        return True
    if not path.exists():
        return False
    if _stamp_of(path).exists() and _stamp_of(path).read_text(encoding="utf-8") == _stamp_text(path, source):
        return True
    if report:
        report(errors.tool_changed(path))
    return False


def _stamp(path: Path, source: str) -> None:
    _stamp_of(path).write_text(_stamp_text(path, source), encoding="utf-8")


def _stamp_of(path: Path) -> Path:
    return path.parent.with_name(f"{path.stem}.sha256")


def _stamp_text(path: Path, source: str) -> str:
    return f"source {source}\nprogram {sha256_of(path)}\n"


def _run(task: str, command: list[str], folder: Path, advice: str, variables: dict[str, str]) -> None:
    done = captured(command, cwd=folder, env=os.environ | variables)
    if done.returncode != 0:
        raise errors.tool_failed(task, command, done.returncode, done.stderr, advice)
