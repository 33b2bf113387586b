"""Valgrind's cachegrind, which counts what a program executes; and what it shows the program of the CPU.

Cachegrind without its caches, with `--branch-sim=yes`: the line `summary:` of its output file has the totals of the
process, exact to the instruction. Callgrind's totals are the same, at more time for calls that nobody reads here.
(Valgrind's manual, chapters 5 and 6; its core options are in chapter 2.)
"""

import hashlib
import re
import shutil
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from subprocess import TimeoutExpired

from msgspec import Struct

from bench.base.errors import LabError
from bench.base.files import read_bytes
from bench.base.programs import captured
from bench.counting.programs.elf import Elf

OUT = "counts.out"
"""The file that cachegrind writes, in the working folder."""
OUT_BYTES = 256 * 2**20
"""How large that may be: a line for each line of source that was executed."""
STACK_BYTES = 8 * 2**20
"""By default the stack is as large as the shell's limit says, and its addresses depend on it."""
WORDS = [
    "--tool=cachegrind",
    "--cache-sim=no",
    "--branch-sim=yes",
    f"--cachegrind-out-file={OUT}",
    f"--main-stacksize={STACK_BYTES}",
    "--command-line-only=yes",  # neither VALGRIND_OPTS nor .valgrindrc
    "--vgdb=no",
    "-q",
]
INSTALL = (
    "valgrind was not found. Install it (`apt-get install valgrind`; with Nix it is in `nix develop`); it counts on "
    "Linux and FreeBSD"
)
PROBE_LIMIT_S = 120
EVENTS = {"Ir": "instructions", "Bcm": "mispredictions", "Bim": "mispredictions"}
"""Cachegrind's events that are recorded: instructions, mispredicted conditional branches and indirect jumps."""

FEATURES = {
    (0, 2): {
        0: "SSE3",
        1: "PCLMULQDQ",
        9: "SSSE3",
        12: "FMA",
        19: "SSE4_1",
        20: "SSE4_2",
        22: "MOVBE",
        23: "POPCNT",
        28: "AVX",
        29: "F16C",
    },
    (1, 1): {3: "BMI1", 5: "AVX2", 8: "BMI2", 9: "ERMS", 16: "AVX512F", 30: "AVX512BW", 31: "AVX512VL"},
    (1, 3): {4: "FSRM"},
    (2, 2): {5: "LZCNT"},
}
"""(Leaf and register, as glibc counts them) → bit → feature, as glibc's tunable glibc.cpu.hwcaps names it."""
ABOUT_CPU = ("x86.", "aarch64.", "dl_hwcap", "dl_platform")
"""Beginnings of the lines in which glibc's loader says what it found of the CPU, and what follows from it."""


class CannotCountError(Exception):
    """Why instructions cannot be counted; the message becomes the reason in the record."""


class Totals(Struct, frozen=True):
    """What cachegrind counted of a process."""

    instructions: int
    mispredictions: int


class Guest(Struct, frozen=True):
    """What a program under valgrind is shown of the CPU."""

    features: list[str]
    """What the C library may use."""
    sha256: str
    """Of all that it found."""


class Valgrind(Struct, frozen=True):
    """An installed valgrind."""

    path: str
    version: str

    def command(self, words: Sequence[str]) -> list[str]:
        """The command that counts a program."""
        return [self.path, *WORDS, *words]


@cache
def find_valgrind() -> Valgrind:
    """The installed one. Raises CannotCountError."""
    path = shutil.which("valgrind")
    if not path:
        raise CannotCountError(INSTALL)
    try:
        done = captured([path, "--version"], timeout=PROBE_LIMIT_S)
    except (OSError, TimeoutExpired) as error:
        raise CannotCountError(f"{path} does not start: {getattr(error, 'strerror', None) or error}") from None
    found = re.fullmatch(r"valgrind-([A-Za-z0-9._+-]+)\s*", done.stdout)
    if done.returncode != 0 or not found:
        raise CannotCountError(f"`{path} --version` failed: {(done.stderr or done.stdout).strip()[-300:]}")
    return Valgrind(path, found[1])


@cache
def guest_of(valgrind: Valgrind, loader: str, tunables: str) -> Guest:
    """What programs of a dynamic loader see under valgrind. Raises CannotCountError."""
    command = [valgrind.path, "--tool=none", "--command-line-only=yes", "--vgdb=no", "-q", loader]
    environment = {"GLIBC_TUNABLES": tunables} if tunables else {}
    try:
        done = captured([*command, "--list-diagnostics"], env=environment, timeout=PROBE_LIMIT_S)
    except (OSError, TimeoutExpired) as error:
        raise CannotCountError(f"`{loader} --list-diagnostics` under valgrind: {error}") from None
    lines = [line for line in done.stdout.splitlines() if line.startswith(ABOUT_CPU)]
    if done.returncode != 0 or not lines:
        raise CannotCountError(
            f"`{loader} --list-diagnostics` does not say which features of the CPU it uses under valgrind "
            "(glibc 2.33 or later does), so that counts could not be compared"
        )
    facts = dict(line.split("=", 1) for line in lines if "=" in line)
    return Guest(active_features(facts), hashlib.sha256("\n".join(lines).encode()).hexdigest())


def active_features(facts: Mapping[str, str]) -> list[str]:
    """The named features that glibc's loader says are active, sorted."""
    found = []
    for (leaf, register), names in FEATURES.items():
        bits = int(facts.get(f"x86.cpu_features.features[{leaf:#x}].active[{register:#x}]", "0"), 16)
        found += [name for bit, name in names.items() if bits >> bit & 1]
    return sorted(found)


@cache
def libraries_of(program: Path, loader: str) -> dict[str, Path]:
    """Name → path of the shared libraries that a program is started with, as its loader finds them."""
    done = captured([loader, "--list", str(program)], env={}, timeout=PROBE_LIMIT_S)
    found = re.findall(r"^\s*(\S+) => (\S+) \(0x", done.stdout, re.MULTILINE)
    return {name: Path(path) for name, path in found}


def is_libc(name: str) -> bool:
    """Whether a shared library of that name is the C library itself, and none of those that come with it."""
    return name.startswith("libc.")


def libc_of(libraries: Mapping[str, Path]) -> str:
    """The build ID of the C library; `unknown` where it has none."""
    path = next((path for name, path in libraries.items() if is_libc(name)), None)
    try:
        return (path and Elf.read(path).build_id) or "unknown"
    except (OSError, ValueError):
        return "unknown"


def read_totals(path: Path) -> Totals:
    """The totals of cachegrind's output file. Raises CannotCountError."""
    try:
        text = read_bytes(path, OUT_BYTES).decode(errors="replace")
    except LabError as error:
        raise CannotCountError(f"valgrind left no counts: {error}") from None
    heads = {name: re.search(rf"^{name}: (.*)$", text, re.MULTILINE) for name in ("events", "summary")}
    events, summary = heads["events"], heads["summary"]
    names, numbers = (events[1].split(), summary[1].split()) if events and summary else ([], [])
    if len(names) != len(numbers) or not EVENTS.keys() <= set(names) or not all(one.isdigit() for one in numbers):
        raise CannotCountError("valgrind's counts are not in the form of cachegrind's files")
    sums = dict.fromkeys(EVENTS.values(), 0)
    for name, number in zip(names, numbers, strict=True):
        if name in EVENTS:
            sums[EVENTS[name]] += int(number)
    return Totals(**sums)


LOOPS_NOT_STEPS = ("glibc.cpu.x86_rep_movsb_threshold=1000000000", "glibc.cpu.x86_rep_stosb_threshold=1000000000")
"""The C library copies and fills by loops: of `rep movsb` valgrind counts every byte as an instruction, so that a large
copy would seem to take ten times as much as it does."""


def tunables_of(masked: Sequence[str]) -> str:
    """GLIBC_TUNABLES of every count, and what forbids the C library to use the masked features."""
    features = [f"glibc.cpu.hwcaps={','.join(f'-{name}' for name in masked)}"] if masked else []
    return ":".join([*LOOPS_NOT_STEPS, *features])
