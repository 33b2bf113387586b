"""Suites that judge codecs by a program of their own: it asks one of the codec's over pipes, and says what failed.

The suite's program comes from its pinned package and runs as it is; only its report is read here.
"""

import ast
import lzma
import os
import re
import sys
import tarfile
from collections import Counter
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from subprocess import TimeoutExpired

import msgspec
from msgspec import Struct

from bench.base.errors import LabError
from bench.base.files import sha256_of, write_whole
from bench.base.limits import TEXT
from bench.base.programs import captured
from bench.base.supervision import MEBIBYTE, OUTPUT_BYTES, Ended
from bench.building.crates import extract
from bench.building.environment import platform_name
from bench.building.languages.cpp_sources import SOURCES_VARIABLE
from bench.building.languages.language import DESCRIPTORS, Testee
from bench.building.runner import Runner, RunnerError, exit_reason
from bench.model.proof.conformance import Conformed, Deviation, Verdict
from bench.model.proof.suite import Judge, Package, Suite, SystemLibraries
from bench.proof.containment import swells
from bench.proof.suites.packages import HOME, UnavailableError, checked, provided
from bench.proof.suites.verdicts import SHOWN_BYTES, shortened

LIMIT_S = 300.0
"""For a whole suite: several times what the slowest codec takes. The program waits 30 s for each case that hangs."""
START_LIMIT_S = 60.0
HELP = "Usage:"
"""What the program prints for --help, if it starts."""
BOTH = ("/bin/sh", "-c", 'exec "$@" 2>&1', "sh")
"""A supervisor keeps all of standard output, and only the end of standard error, where these programs report."""

SCHEMAS = "schemas"
"""The folder, below that of suites, in which their schemas stay."""

FAILED = re.compile(r"^ERROR, test=(\S+): (.*?)(?=^ERROR, test=|^These tests|^CONFORMANCE|\Z)", re.M | re.S)
PROBLEM = re.compile(r"^[EF]\d{4} .*?\] (\S+): (.+)$", re.M)
"""A case that ended the codec's program, or at which the suite's program gave up."""
# The first totals are those of all that is measured: others follow, of formats that testees skip, if nothing failed.
TOTALS = re.compile(r"(\d+) successes, (\d+) skipped, \d+ expected failures, (\d+) unexpected failures")
INPUT = re.compile(r'_payload: ("(?:[^"\\]|\\.)*")')


class Ready(Struct, frozen=True):
    """A suite's program that starts on this machine."""

    command: list[str]
    schemas: Path
    """The folder of its schemas and of their description, from which testees are built."""


def ready(suite: Suite, judge: Judge, folder: Path) -> Ready:
    """Unpacks a suite's program into a folder, and proves that it starts. Raises UnavailableError."""
    try:
        name = judge.programs.get(platform_name())
        if not name:
            raise UnavailableError(f"its program is made for {', '.join(judge.programs)}, not for {platform_name()}")
        extract(provided(suite.packages[0]), folder)
        command = _started([str(folder / name)], judge.libraries.get(platform_name()), folder)
        made = captured([sys.executable, "-m", *judge.describe_command], cwd=folder, timeout=START_LIMIT_S)
    except (LabError, OSError, tarfile.TarError, lzma.LZMAError, TimeoutExpired) as error:
        raise UnavailableError(str(error)) from None
    if made.returncode != 0:
        raise UnavailableError(f"{judge.describe_command[0]} refuses its schemas: {shortened(made.stderr)}")
    return Ready(command, _kept(suite.packages[0], folder, judge))


def _kept(package: Package, folder: Path, judge: Judge) -> Path:
    """The schemas and their description in a folder that stays; what would not change is not touched, or the testees
    would be compiled anew each time."""
    kept, schemas = HOME / SCHEMAS / f"{package.name}-{package.version}", folder / judge.schemas
    files = {file.relative_to(schemas): file for file in sorted(schemas.rglob("*")) if file.is_file()}
    for relative, file in {**files, Path(DESCRIPTORS): folder / judge.descriptors}.items():
        target, content = kept / relative, file.read_bytes()
        if not (target.exists() and target.read_bytes() == content):
            target.parent.mkdir(parents=True, exist_ok=True)
            write_whole(target, content)
    return kept


def _started(program: list[str], libraries: SystemLibraries | None, folder: Path) -> list[str]:
    """The words that start a program: with the system's libraries, or with those that the user gives."""
    if not (problem := _start_problem(program)):
        return program
    if not libraries:
        raise UnavailableError(f"its program does not start: {problem}")
    sources = Path(os.environ.get(SOURCES_VARIABLE) or ".").absolute()
    missing = [file for file in libraries.packages if not (sources / file).is_file()]
    if missing or not os.environ.get(SOURCES_VARIABLE):
        raise UnavailableError(
            f"its program does not start ({problem}). Run it on a newer system; or put these Debian packages into a "
            f"folder and set {SOURCES_VARIABLE} to that folder: {', '.join(libraries.packages)}"
        )
    system = folder / "system"
    for file, sha256 in libraries.packages.items():
        _unpack_debian(checked(sources / file, sha256), system)
    command = [str(system / libraries.loader), "--library-path", str(system / libraries.folder), *program]
    if problem := _start_problem(command):
        raise UnavailableError(f"its program does not start with {', '.join(libraries.packages)}: {problem}")
    return command


def _start_problem(command: list[str]) -> str:
    """Why a program does not start; empty if it does."""
    done = captured([*command, "--help"], timeout=START_LIMIT_S)
    if HELP in done.stdout + done.stderr:
        return ""
    lines = done.stderr.strip().splitlines() or [exit_reason(done.returncode)]
    return shortened(re.sub(r" \(required by .*", "", lines[0].rpartition(": ")[2]))


def _unpack_debian(package: Path, folder: Path) -> None:
    """The files of a Debian package: an `ar` archive, in which an archive data.tar.* is."""
    content = package.read_bytes()
    start = len(b"!<arch>\n")
    while header := content[start : start + 60]:
        size = int(header[48:58])
        if header.startswith(b"data.tar"):
            extract(BytesIO(content[start + 60 : start + 60 + size]), folder)
        start += 60 + size + size % 2


def conformed_by(runner: Runner, name: str, judge: Judge, program: Ready, testee: Testee) -> Conformed:
    """What a suite's own program says of a codec. Raises RunnerError if it gives no complete report."""
    command = [*BOTH, *program.command, *judge.options, *testee.command]
    started = Runner(msgspec.structs.replace(runner.entry, environment=testee.environment))
    sha256 = sha256_of(testee.program)
    found = report_of(runner, name, judge, started.ended(command, b"", LIMIT_S, OUTPUT_BYTES))
    if sha256_of(testee.program) != sha256:
        raise RunnerError(f"{name}: {testee.program.name} was built again while it was asked; ask it again")
    return msgspec.structs.replace(found, testee_sha256=sha256 if sha256 != runner.entry.sha256 else None)


def report_of(runner: Runner, name: str, judge: Judge, done: Ended) -> Conformed:
    """The report of a suite's program. Raises RunnerError if it is not complete."""
    if problem := _incomplete(done):
        raise RunnerError(f"{name}: {problem}")
    text = done.stdout.decode(errors="replace")
    totals = TOTALS.search(text)
    right, skipped, wrong = map(int, totals.groups()) if totals else (0, 0, 0)
    skipped -= judge.skipped_cases
    failed = list(_deviations(text, judge))
    if len(failed) != wrong:
        raise RunnerError(f"{name}: its program counts {wrong:,} failures and names {len(failed):,}")
    if right + wrong + skipped != judge.cases or skipped < 0:
        raise RunnerError(f"{name}: {right + wrong + max(skipped, 0):,} of its {judge.cases:,} cases were answered")
    apart = [one for one in failed if _is_recommended(one, judge)]
    deviations = [one for one in failed if not _is_recommended(one, judge)]
    verdicts = Counter(one.verdict for one in deviations) + Counter({Verdict.RIGHT: right})
    return Conformed(
        codec=runner.codec,
        suite=name,
        library=runner.description.library,
        version=runner.description.version,
        verdicts={verdict: verdicts[verdict] for verdict in Verdict},
        open_accepted=0,
        open_refused=0,
        skipped=skipped,
        deviations=deviations,
        recommended=apart,
    )


def _is_recommended(one: Deviation, judge: Judge) -> bool:
    """Whether a codec only differs from what a suite recommends; to crash or to hang is never a choice."""
    return one.case.startswith(judge.recommended) and one.verdict not in (Verdict.CRASH, Verdict.HANG)


def _incomplete(done: Ended) -> str | None:
    """Why a report is not complete; None if it is."""
    if done.not_started or done.changed:
        return done.not_started or "the runner is not the one that was built; build it again"
    if done.printed_too_much:
        return f"printed more than {OUTPUT_BYTES // MEBIBYTE} MiB"
    if swells(done):
        return f"took {(done.peak_memory_bytes or 0) // MEBIBYTE} MiB of memory"
    if done.code in (0, 1):  # no failures; some
        return None
    text = done.stdout.decode(errors="replace")
    last = [f"{case}: {problem}" for case, problem in PROBLEM.findall(text)[-1:]]
    ended = f"no end within {LIMIT_S:.0f} s" if done.code is None else f"its program gave up ({exit_reason(done.code)})"
    return ": ".join([ended, *map(shortened, last)])


def _deviations(text: str, judge: Judge) -> Iterator[Deviation]:
    """Every case that a report names as failed."""
    problems = dict(reversed(PROBLEM.findall(text)))
    for case, said in FAILED.findall(text):
        says, _, exchanged = said.partition(", request=")
        says = problems.get(case, says)
        verdict = next((Verdict(one) for phrase, one in judge.phrases.items() if phrase in says), Verdict.ANOTHER)
        given = INPUT.search(exchanged.partition(", response=")[0])
        data: bytes = ast.literal_eval(f"b{given[1]}") if given else b""
        yield Deviation(case[:TEXT], verdict, len(data), data[:SHOWN_BYTES].hex(), shortened(says)[:TEXT])
