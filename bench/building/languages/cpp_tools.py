"""The compilers and build tools of the C++ runners: the pinned zig, CMake and Ninja, or the system's clang.

zig, CMake and Ninja come from uv.lock into `.lab/cpp/env`, so a machine needs no C++ compiler.
"""

import os
import platform
import re
import shutil
import sys
from pathlib import Path

from bench.base.files import sha256_of
from bench.base.paths import EXE, ROOT, STATE
from bench.base.programs import captured
from bench.building.languages.python import BIN, NotInstalledError, find_uv, reason

HOME = STATE / "cpp"
ENVIRONMENT = HOME / "env"
OLDEST_CLANG = 19
"""The oldest system compiler whose libc++ has all of C++23 that the kit and the libraries use."""
BASELINE = "baseline"
SANITIZED = "sanitized"
LEAST = {"x86_64": "x86-64", "amd64": "x86-64"}
"""clang's name for the baseline CPU of an architecture; for others it is `generic`."""
ON_ONE_PROCESSOR = """
import os, sys
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Runs the command that follows it."""
SYSTEMS = {"linux": "linux-gnu", "darwin": "macos-none", "win32": "windows-gnu"}
MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}


class ToolError(Exception):
    """No compiler is available; every codec reports the message as its reason."""


def cpu_name(toolchain: str, cpu: str) -> str:
    """A CPU as the compiler names it."""
    if toolchain == "zig":
        return cpu.replace("-", "_")
    return cpu if cpu not in (BASELINE, SANITIZED) else LEAST.get(platform.machine().lower(), "generic")


def caches() -> dict[str, str]:
    """The variables that keep zig's caches in `.lab`."""
    return {"ZIG_GLOBAL_CACHE_DIR": str(HOME / "zig"), "ZIG_LOCAL_CACHE_DIR": str(HOME / "zig")}


def triple() -> str:
    """This machine as zig names it; naming it makes zig use its own headers of the C library."""
    machine = platform.machine().lower()
    return f"{MACHINES.get(machine, machine)}-{SYSTEMS.get(sys.platform, sys.platform)}"


def target(cpu: str) -> list[str]:
    """The options that have zig compile for this system and a CPU."""
    return ["-target", triple(), f"-mcpu={cpu_name('zig', cpu)}"]


def compile_runtime(zig: Path, cpu: str) -> None:
    """Lets zig compile its own runtime library on one processor, once for all builds.

    On several it names symbols by the threads that came upon them, and no two checkouts would build the same bytes. If
    this fails, the first build of a program says why.
    """
    if sys.platform != "linux":
        return
    empty = HOME / "build" / f"zig-{cpu}.c"
    empty.parent.mkdir(parents=True, exist_ok=True)
    empty.write_text("int main(void) { return 0; }\n", encoding="utf-8")
    command = [str(zig), "cc", *target(cpu), str(empty), "-o", str(empty.with_suffix(".out"))]
    captured([sys.executable, "-c", ON_ONE_PROCESSOR, *command], env=os.environ | caches())


def tool(name: str) -> Path:
    """A tool of the locked environment. Raises ToolError."""
    path, stamp = ENVIRONMENT / BIN / f"{name}{EXE}", ENVIRONMENT / "lock.sha256"
    lock = sha256_of(ROOT / "uv.lock")
    if not path.exists() or not stamp.exists() or stamp.read_text("ascii") != lock:
        stamp.unlink(missing_ok=True)
        install_tools()
        stamp.write_text(lock, encoding="ascii")
    return path


def install_tools() -> None:
    """Installs what the group `cpp` of uv.lock pins. Raises ToolError."""
    environment = os.environ | {"UV_PROJECT_ENVIRONMENT": str(ENVIRONMENT), "UV_PYTHON_DOWNLOADS": "never"}
    environment.pop("VIRTUAL_ENV", None)
    try:
        uv = find_uv()
    except NotInstalledError as problem:
        raise ToolError(str(problem)) from None
    command = [str(uv), "sync", "--quiet", "--locked", "--no-build", "--only-group", "cpp", "--python", sys.executable]
    done = captured(command, cwd=ROOT, env=environment)
    if done.returncode != 0:
        raise ToolError(reason("sync", done.stderr))


def zig() -> tuple[Path, str]:
    """The pinned zig: its program and its version. Raises ToolError."""
    tool("cmake")
    program = next(ENVIRONMENT.glob(f"**/site-packages/ziglang/zig{EXE}"), None)
    if program is None:
        raise ToolError(
            "the locked Python environment has no zig for this platform; try `lab build --toolchain system`"
        )
    version = first_line([str(program), "version"])
    clang = re.search(r"clang version (\S+)", first_line([str(program), "c++", "--version"]))
    return program, f"zig {version} (clang {clang[1] if clang else 'unknown'})"


def system() -> tuple[Path, str]:
    """The system's newest clang, if it is new enough. Raises ToolError."""
    older = []
    for name in (*(f"clang++-{version}" for version in range(30, OLDEST_CLANG - 1, -1)), "clang++"):
        if not (path := shutil.which(name)):
            continue
        answer = first_line([path, "--version"])
        version = re.search(r"version (\d+)\.(\S+)", answer)
        if version and int(version[1]) >= OLDEST_CLANG:
            return Path(path), f"clang {version[1]}.{version[2]}"
        older.append(f"{name} is {answer or 'silent'}")
    seen = f" ({older[0]})" if older else ""
    raise ToolError(
        f"no clang++ {OLDEST_CLANG} or newer was found{seen}. Install clang-{OLDEST_CLANG}, "
        f"libc++-{OLDEST_CLANG}-dev and libc++abi-{OLDEST_CLANG}-dev, or build with --toolchain zig"
    )


def first_line(command: list[str]) -> str:
    """The first line that a tool prints. Raises ToolError."""
    try:
        done = captured(command)
    except OSError as error:
        raise ToolError(f"{command[0]} does not start: {error.strerror}") from None
    return (done.stdout.strip().splitlines() or [""])[0]
