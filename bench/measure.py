"""Runs one process of the plan under hyperfine, and holds what it says against what it had to do."""

import json
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import psutil
from msgspec import Struct

from bench.files import split_validation_error
from bench.model import Cell, Operation, PlannedCell, RunnerSample
from bench.paths import brief
from bench.runners import Runner

CREATE_NEW_PROCESS_GROUP = 0x200
"""Of the Windows API; `subprocess` has it there alone."""
FULL_DISK_BYTES = 64 * 1024
RUNNER_SAMPLE = msgspec.json.Decoder(RunnerSample)
HYPERFINE_NOISE = ("Warning: Ignoring non-zero exit code.",)


class MeasureError(Exception):
    """Why a process gives no sample; the message becomes the cell's error row."""


class Measured(Struct, frozen=True):
    """One process: the loops that the runner timed, and hyperfine's view from outside."""

    samples: list[RunnerSample]
    wall_s: float
    user_s: float
    system_s: float
    peak_memory_bytes: int | None


class Request(Struct, frozen=True):
    """What one process has to do."""

    cell: Cell
    input_file: Path
    repetitions: int
    warmup: int
    samples: int
    limit_s: float
    keys: Path | None = None

    @property
    def reads_a_file(self) -> bool:
        """Whether there must be a file before, which is written by a process of its own."""
        return self.cell.operation in (Operation.READ, Operation.FILTER) and self.cell.conditions.io != "memory"

    def command(self, runner: Runner, work: Path, out: Path, samples: int | None = None) -> list[str]:
        """The command line for it, with another number of samples where one is given."""
        return runner.measure_command(
            self.cell, input_file=self.input_file, work=work, repetitions=self.repetitions, warmup=self.warmup,
            samples=self.samples if samples is None else samples, out=out, keys=self.keys,
        )  # fmt: skip


def measure(hyperfine: Path, runner: Runner, request: Request, work: Path) -> Measured:
    """One `measure` process under hyperfine, in the scratch folder `work`, which is emptied before and after.

    Raises MeasureError where the process crashes, hangs, vanishes, or writes anything but the samples asked for.
    """
    fresh_folder(work)
    out, export, log = work / "samples.jsonl", work / "hyperfine.json", work / "messages.txt"
    command = request.command(runner, work / "files", out)
    if request.reads_a_file:
        prepare_file(runner, request, work, log)
    code = run_limited(
        [
            str(hyperfine), "--shell=none", "--warmup=0", "--runs=1",
            "--style=none", "--ignore-failure", "--output=inherit",
            f"--export-json={export}", f"--command-name={request.cell}", shlex.join(command),
        ],
        log, request.limit_s, runner.environment,
    )  # fmt: skip
    said = messages(log)
    if code is None:
        raise MeasureError(f"no end within {request.limit_s:.0f} s, the limit of the plan; killed")
    if code != 0 or not export.exists():
        raise MeasureError(f"hyperfine ended with exit code {code}: {said or 'it said nothing'}")
    result = json.loads(export.read_text(encoding="utf-8"))["results"][0]
    if (exit_code := result["exit_codes"][0]) != 0:
        how = "was killed by a signal" if exit_code is None else f"ended with exit code {exit_code}"
        raise MeasureError(f"the runner {how}: {said or 'it said nothing'}")
    measured = Measured(
        read_samples(out),
        result["times"][0],
        result["user"],
        result["system"],
        (result.get("memory_usage_byte") or [None])[0],
    )
    shutil.rmtree(work, ignore_errors=True)
    return measured


def prepare_file(runner: Runner, request: Request, work: Path, log: Path) -> None:
    """Has the file written that a process will read: neither its time nor its memory are then of the reading.

    Raises MeasureError where that fails.
    """
    command = request.command(runner, work / "files", work / "none.jsonl", samples=0)
    code = run_limited(command, log, request.limit_s, runner.environment)
    if code is None:
        raise MeasureError(f"the file to read was not written within {request.limit_s:.0f} s; killed")
    if code != 0:
        raise MeasureError(f"writing the file to read ended with exit code {code}: {messages(log)}")


def check_samples(samples: list[RunnerSample], request: Request, planned: PlannedCell) -> None:
    """Raises MeasureError unless the samples are those that were asked for and their products are right."""
    if len(samples) != request.samples:
        raise MeasureError(f"{len(samples)} samples written, {request.samples} asked for")
    for sample in samples:
        for what, found, expected in (
            ("repetitions", sample.repetitions, request.repetitions),
            ("encoded bytes", sample.encoded_bytes, planned.encoded_bytes),
            ("checksum of the product", sample.checksum, planned.checksum),
            ("rows", sample.rows, times(planned.rows, request)),
            ("matched rows", sample.rows_matched, times(planned.rows_matched, request)),
        ):
            if expected is not None and found != expected:
                raise MeasureError(
                    f"{what}: {found} measured, {expected} verified; the measured code does something else"
                )


def times(number: int | None, request: Request) -> int | None:
    """A number of one repetition for all of them."""
    return None if number is None else number * request.repetitions


def read_samples(path: Path) -> list[RunnerSample]:
    """The lines that a runner wrote. Raises MeasureError with the line that is no sample."""
    try:
        lines = path.read_bytes().splitlines()
    except OSError:
        raise MeasureError("the runner ended well but wrote no samples") from None
    samples = []
    for number, line in enumerate(lines, start=1):
        try:
            samples.append(RUNNER_SAMPLE.decode(line))
        except msgspec.ValidationError as error:
            problem, keys = split_validation_error(error)
            raise MeasureError(f"line {number} of its samples: {'.'.join(keys)}: {problem}") from None
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise MeasureError(f"line {number} of its samples is no JSON: {line[:80]!r}") from None
    return samples


def fresh_folder(work: Path) -> None:
    """An empty scratch folder with a folder for the files of file operations in it."""
    shutil.rmtree(work, ignore_errors=True)
    (work / "files").mkdir(parents=True)


def run_limited(command: list[str], log: Path, limit_s: float, environment: Mapping[str, str]) -> int | None:
    """Exit code of the command, or None where it was killed, with all that it had started, at the limit."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            **own_group(),
        )
        try:
            return process.wait(limit_s)
        except subprocess.TimeoutExpired:
            kill_tree(process.pid)
            process.wait()
            return None
        except BaseException:
            kill_tree(process.pid)
            raise


def own_group(platform: str = sys.platform) -> dict[str, Any]:
    """Options of Popen with which Ctrl-C does not reach the runner before the driver."""
    return {"creationflags": CREATE_NEW_PROCESS_GROUP} if platform == "win32" else {"start_new_session": True}


def kill_tree(pid: int) -> None:
    """Kills a process and all its descendants."""
    try:
        parent = psutil.Process(pid)
        family = [*parent.children(recursive=True), parent]
    except psutil.NoSuchProcess:
        return
    for process in family:
        try:
            process.kill()
        except psutil.NoSuchProcess:
            continue
    psutil.wait_procs(family, timeout=10)


def kill_strays(folder: Path) -> None:
    """Kills what a killed driver left running in its scratch folder, so that it neither writes nor disturbs."""
    for process in psutil.process_iter(["pid", "cmdline"]):
        if any(str(folder) in word for word in process.info["cmdline"] or ()):
            kill_tree(process.info["pid"])


def messages(log: Path) -> str:
    """The last lines that runner and hyperfine printed, and whether the disk is the reason that there are none."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    told = [line.strip() for line in lines if line.strip() and not any(noise in line for noise in HYPERFINE_NOISE)]
    if shutil.disk_usage(log.parent).free < FULL_DISK_BYTES:
        told.append(f"no room on the disk of {brief(log.parent)}")
    return " / ".join(told[-3:])[-500:]
