"""Runners for other systems, built here; Windows' are proved under Wine and those of aarch64 Linux under qemu.

LAB_CROSS=1 switches them on, with some codecs of everything, as they take minutes; LAB_CROSS=all takes every codec.
What is not installed is skipped, each by its name. Debian and Ubuntu have wine, qemu-user, libc6-arm64-cross,
gcc-mingw-w64-x86-64 and gcc-aarch64-linux-gnu; rustup has the targets.
"""

import os
import re
import shutil
import struct
import subprocess
from pathlib import Path

import msgspec
import pytest

from bench.base.paths import STATE
from bench.building.languages import cpp, cpp_build, rust
from bench.model.description import RunnerEntry
from bench.records.run_file import read_run
from tests.support.lab import Lab

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not os.environ.get("LAB_CROSS"), reason="LAB_CROSS=1 builds runners for other systems, which takes minutes"
    ),
]
ALL = os.environ.get("LAB_CROSS") == "all"
CPP = ["noop", "memcpy", "glaze-beve", "flatbuffers"]
"""The controls, structs as they are, generated code."""
RUST = (
    [folder.name for folder in rust.Rust().codec_folders()]
    if ALL
    else ["noop", "memcpy", "prost", "serde-json", "brec-storage", "flatbuffers-crypt"]
)
"""Some of everything: generated code, C that crates bring, rows in files, keys."""
OLDEST_WINE_FOR_RUST = 9
WINDOWS, LINUX, MACOS = "x86_64-windows-gnu", "aarch64-linux-gnu", "aarch64-macos-none"
CMAKE_SYSTEMS = {WINDOWS: "Windows", LINUX: "Linux", MACOS: "Darwin"}
CARGO_TARGETS = {
    WINDOWS: ("x86_64-pc-windows-gnu", "x86_64-w64-mingw32-gcc"),
    LINUX: ("aarch64-unknown-linux-gnu", "aarch64-linux-gnu-gcc"),
}


def suffix(target: str) -> str:
    return ".exe" if target == WINDOWS else ""


def machine(program: Path) -> str:
    """System and machine that a program is for, by the header of its file."""
    head = program.read_bytes()[:4096]
    if head.startswith(b"\x7fELF"):
        return {62: "x86_64", 183: "aarch64"}[struct.unpack_from("<H", head, 18)[0]] + "-linux-gnu"
    if head.startswith(b"MZ"):
        (start,) = struct.unpack_from("<I", head, 0x3C)
        assert head[start : start + 4] == b"PE\0\0"
        return {0x8664: "x86_64", 0xAA64: "aarch64"}[struct.unpack_from("<H", head, start + 4)[0]] + "-windows-gnu"
    assert head.startswith(b"\xcf\xfa\xed\xfe"), program
    return {0x01000007: "x86_64", 0x0100000C: "aarch64"}[struct.unpack_from("<I", head, 4)[0]] + "-macos-none"


@pytest.fixture(scope="module")
def cpp_runners():
    """Target → entries of C++ codecs whose sources can be had, each built once."""
    built: dict[str, list[RunnerEntry]] = {}

    def make(target: str) -> list[RunnerEntry]:
        if target not in built:
            toolchain = cpp_build.HOME / f"{target}.cmake"  # which the build folder of that target goes on naming
            toolchain.parent.mkdir(parents=True, exist_ok=True)
            # CMake looks for two programs on these systems that zig has no need of; any program will do.
            toolchain.write_text(
                f"set(CMAKE_SYSTEM_NAME {CMAKE_SYSTEMS[target]})\n"
                f"set(CMAKE_SYSTEM_PROCESSOR {target.split('-')[0]})\n"
                "set(CMAKE_RC_COMPILER ${CMAKE_COMMAND})\nset(CMAKE_INSTALL_NAME_TOOL ${CMAKE_COMMAND})\n"
            )

            class Cross(cpp_build.Build):
                def __init__(self, *words: str) -> None:
                    super().__init__(*words)
                    self.folder = self.folder.with_name(target)

            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("CMAKE_TOOLCHAIN_FILE", str(toolchain))
                patch.setattr(cpp_build, "triple", lambda: target)
                # The tools are this system's own, whatever the programs that they make are called.
                tools, compiler = {name: cpp_build.tool(name) for name in ("cmake", "ninja")}, cpp_build.zig()
                patch.setattr(cpp_build, "tool", tools.__getitem__)
                patch.setattr(cpp_build, "zig", lambda: compiler)
                patch.setattr(cpp, "EXE", suffix(target))
                patch.setattr(cpp, "Build", Cross)
                language = cpp.Cpp()
                folders = [folder for folder in language.codec_folders() if ALL or folder.name in CPP]
                patch.setattr(cpp.Cpp, "codec_folders", lambda _: folders)
                entries = [language.build(folder) for folder in folders]
            built[target] = [entry for entry in entries if "cannot be had" not in (entry.unavailable or "")]
            if not built[target]:
                pytest.skip(str(entries[0].unavailable))
        return built[target]

    return make


@pytest.fixture(scope="module")
def rust_runners(tmp_path_factory):
    """Target → entries of some Rust codecs, each built once."""
    built: dict[str, list[RunnerEntry]] = {}

    def make(target: str) -> list[RunnerEntry]:
        if target not in built:
            built[target] = build_rust(target, tmp_path_factory.mktemp("rust"))
        return built[target]

    return make


def build_rust(target: str, place: Path) -> list[RunnerEntry]:
    name, linker = CARGO_TARGETS[target]
    needs(linker)
    printed = ["rustc", "--print", "target-libdir", "--target", name]
    libraries = subprocess.run(printed, cwd=rust.WORKSPACE, capture_output=True, text=True, check=True).stdout.strip()
    if not Path(libraries).exists():
        pytest.skip(f"the target {name} is not installed: rustup target add {name}")
    folder = STATE / f"target-{name}"
    variables = {"CARGO_TARGET_DIR": str(folder), f"CARGO_TARGET_{name.upper().replace('-', '_')}_LINKER": linker}
    for codec in RUST:  # alone, as the driver does it: side by side they would share features of their libraries
        command = ["cargo", "build", "--quiet", "--release", "--locked", "--target", name, "-p", f"codec-{codec}"]
        done = subprocess.run(
            command, cwd=rust.WORKSPACE, env=os.environ | variables, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr[-3000:]
    (place / "bin").mkdir()
    for codec in RUST:
        program = f"codec-{codec}{suffix(target)}"
        shutil.copy2(folder / name / "release" / program, place / "bin" / program)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rust, "EXE", suffix(target))
        return [rust.Rust().entry(rust.WORKSPACE / "codecs" / codec, place) for codec in RUST]


def needs(*names: str) -> str:
    """The first of these programs that is installed; else the test is skipped."""
    found = next((name for name in names if shutil.which(name)), None)
    if found is None:
        pytest.skip(f"{' or '.join(names)} is not installed")
    return found


@pytest.fixture(scope="module")
def wine(tmp_path_factory):
    """How a program for Windows is started, and with which variables."""
    command = [needs("wine", "wine64")]
    variables = {
        "WINEPREFIX": str(tmp_path_factory.mktemp("wine") / "prefix"),
        "WINEDEBUG": "-all",
        # Else it asks whether to download the first two, and makes menus.
        "WINEDLLOVERRIDES": "mscoree,mshtml,winemenubuilder.exe=",
    }
    started = subprocess.run(
        [*command, "wineboot", "--init"], env=os.environ | variables, capture_output=True, text=True, check=False
    )
    assert started.returncode == 0, started.stderr
    # While one program runs, the next ones need not start Windows anew.
    waiting = subprocess.Popen(
        [*command, "cmd"],
        env=os.environ | variables,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    yield command, variables
    waiting.communicate(b"exit\r\n", timeout=60)


@pytest.fixture(scope="module")
def qemu():
    """How a program for aarch64 Linux is started, and with which variables."""
    if not Path("/usr/aarch64-linux-gnu/lib").exists() and not os.environ.get("QEMU_LD_PREFIX"):
        pytest.skip("libc6-arm64-cross is not installed")
    variables = {"QEMU_LD_PREFIX": os.environ.get("QEMU_LD_PREFIX", "/usr/aarch64-linux-gnu")}
    return [needs("qemu-aarch64", "qemu-aarch64-static")], variables


def started_by(emulator: tuple[list[str], dict[str, str]], entries: list[RunnerEntry]) -> list[RunnerEntry]:
    command, variables = emulator
    return [
        msgspec.structs.replace(
            entry, command=[*command, *entry.command], program=entry.command[0], environment=variables
        )
        for entry in entries
    ]


def prove(lab: Lab, out: Path) -> None:
    """All that `lab verify` proves, and that what is small can be measured."""
    assert " 0 failed, " in lab("verify").stdout
    lab("bench", "--profile", "quick", "-f", " (point|nested-object) ", "--out", str(out))
    run = read_run(out)
    assert run.samples
    assert not [f"{process.cell}: {process.error}" for process in run.processes if process.error]


@pytest.mark.parametrize("target", [WINDOWS, LINUX, MACOS])
def test_zig_builds_every_cpp_runner(cpp_runners, target):
    entries = cpp_runners(target)
    assert entries
    assert not [f"{entry.codec}: {entry.unavailable}" for entry in entries if entry.unavailable]
    assert {machine(Path(entry.command[0])) for entry in entries} == {target}


@pytest.mark.parametrize("target", [WINDOWS, LINUX])
def test_cargo_builds_rust_runners(rust_runners, target):
    entries = rust_runners(target)
    assert not [f"{entry.codec}: {entry.unavailable}" for entry in entries if entry.unavailable]
    assert {machine(Path(entry.command[0])) for entry in entries} == {target}


def test_cpp_runners_hold_on_windows(cpp_runners, wine, tmp_path):
    prove(Lab(tmp_path, started_by(wine, cpp_runners(WINDOWS))), tmp_path / "run")


def test_rust_runners_hold_on_windows(rust_runners, wine, tmp_path):
    said = subprocess.run([*wine[0], "--version"], capture_output=True, text=True, check=False).stdout
    version = re.search(r"wine-(\d+)", said)
    if version is None or int(version[1]) < OLDEST_WINE_FOR_RUST:
        pytest.skip(f"{said.strip()} is too old: Rust's programs load bcryptprimitives.dll, which Wine has from 9 on")
    prove(Lab(tmp_path, started_by(wine, rust_runners(WINDOWS))), tmp_path / "run")


def test_cpp_runners_hold_on_aarch64(cpp_runners, qemu, tmp_path):
    prove(Lab(tmp_path, started_by(qemu, cpp_runners(LINUX))), tmp_path / "run")


def test_rust_runners_hold_on_aarch64(rust_runners, qemu, tmp_path):
    prove(Lab(tmp_path, started_by(qemu, rust_runners(LINUX))), tmp_path / "run")
