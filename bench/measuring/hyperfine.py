"""Runs one process of the plan under hyperfine, and validates its samples against the plan."""

import shlex
import shutil
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from bench.base.errors import LabError
from bench.base.files import read_bytes, split_validation_error
from bench.base.paths import brief
from bench.base.supervision import (
    MEBIBYTE,
    OUTPUT_BYTES,
    POOL,
    Command,
    Ended,
    GoneError,
    Program,
    Supervisor,
    remove_tree,
)
from bench.building.runner import SUPERVISOR_GONE, Runner, problem_of
from bench.model.cells import Cell, Operation
from bench.model.fields import Count, Seconds
from bench.model.plan import PlannedCell
from bench.model.record import RunnerSample

FULL_DISK_BYTES = MEBIBYTE
"""With less than that a disk counts as full: what filled it may be gone by then, and so may what a runner said."""
NO_SPACE = ("No space left on device", "os error 28", "os error 112", "Disk quota exceeded")
"""How runners say that a disk is full: the C library's words, Rust's numbers of Linux' and Windows' errors."""
SAMPLE_BYTES = 16 * 1024
"""A sample is a line of some 300 bytes."""
FILES, SAMPLES, EXPORT = "files", "samples.jsonl", "hyperfine.json"
"""In the folder where a process runs: paths of the checkout or the run never reach its command line."""
RUNNER_SAMPLE = msgspec.json.Decoder(RunnerSample)
HYPERFINE_NOISE = ("Warning: Ignoring non-zero exit code.",)


class MeasureError(Exception):
    """Why a process gives no sample; the message becomes the cell's error row."""

    def __init__(self, message: str, *, no_room: bool = False) -> None:
        super().__init__(message)
        self.no_room = no_room
        """Whether a full disk is the reason, so that it is worth another try."""


class Measured(Struct, frozen=True):
    """One process: the loops that the runner timed, and hyperfine's view from outside."""

    samples: list[RunnerSample]
    wall_s: float
    user_s: float
    system_s: float
    peak_memory_bytes: int | None


class Result(Struct, frozen=True):
    """What hyperfine says of one command."""

    times: Annotated[list[Seconds], Meta(min_length=1)]
    user: Seconds
    system: Seconds
    exit_codes: Annotated[list[int | None], Meta(min_length=1)]
    memory_usage_byte: list[Count] | None = None


class Export(Struct, frozen=True):
    """hyperfine's --export-json."""

    results: Annotated[list[Result], Meta(min_length=1)]


EXPORTED = msgspec.json.Decoder(Export)


class Request(Struct, frozen=True):
    """What one process has to do."""

    cell: Cell
    input_file: Path
    repetitions: int
    warmup: int
    samples: int
    limit_s: float
    keys: Path | None = None
    file_bytes: int = 0
    """How large the file may become that it writes."""

    @property
    def reads_a_file(self) -> bool:
        """Whether there must be a file before, which is written by a process of its own."""
        return self.cell.operation in (Operation.READ, Operation.FILTER) and self.cell.conditions.io != "memory"

    def command(self, runner: Runner, samples: int | None = None) -> list[str]:
        """The command line for it, with another number of samples where one is given."""
        return runner.measure_command(
            self.cell,
            input_file=self.input_file,
            work=Path(FILES),
            repetitions=self.repetitions,
            warmup=self.warmup,
            samples=self.samples if samples is None else samples,
            out=Path(SAMPLES),
            keys=self.keys,
            supervised=True,
        )


def measure(hyperfine: Path, runner: Runner, program: Program, request: Request, supervisor: Supervisor) -> Measured:
    """One `measure` process under hyperfine, in a folder of its own.

    Raises MeasureError where the process crashes, hangs, vanishes, or writes anything but the samples asked for.
    """
    work = fresh_folder(supervisor)
    if request.reads_a_file:
        prepare_file(runner, program, request, supervisor, work)
    command = [
        str(hyperfine),
        "--shell=none",
        "--warmup=0",
        "--runs=1",
        "--style=none",
        "--ignore-failure",
        "--output=inherit",
        f"--export-json={EXPORT}",
        f"--command-name={request.cell}",
        shlex.join(request.command(runner)),
    ]
    done = run(command, runner, program, request, supervisor, work)
    if problem := problem_of(done, request.limit_s, OUTPUT_BYTES):
        raise failed(f"hyperfine: {problem}" if done.code else problem, work)
    try:
        result = EXPORTED.decode(read_bytes(work / EXPORT, MEBIBYTE)).results[0]
    except (LabError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise failed(f"hyperfine wrote no results: {error}", work) from None
    if (exit_code := result.exit_codes[0]) != 0:
        how = "was killed by a signal" if exit_code is None else f"ended with exit code {exit_code}"
        raise failed(f"the runner {how}: {last_lines(done) or 'it said nothing'}", work)
    samples = read_samples(work / SAMPLES, request.samples)
    remove_tree(work)
    peak = result.memory_usage_byte[0] if result.memory_usage_byte else None
    return Measured(samples, result.times[0], result.user, result.system, peak)


def prepare_file(runner: Runner, program: Program, request: Request, supervisor: Supervisor, work: Path) -> None:
    """Has the file written that a process will read: neither its time nor its memory are then of the reading.

    Raises MeasureError where that fails.
    """
    done = run(request.command(runner, samples=0), runner, program, request, supervisor, work)
    if problem := problem_of(done, request.limit_s, OUTPUT_BYTES):
        raise failed(f"writing the file to read: {problem}", work)


def rehearse(runner: Runner, request: Request) -> list[RunnerSample]:
    """The samples of one process without hyperfine, for the pilot. Raises MeasureError, RunnerError."""
    with POOL.supervisor() as supervisor:
        work = fresh_folder(supervisor)
        done = run(request.command(runner), runner, runner.proved(), request, supervisor, work)
        if problem := problem_of(done, request.limit_s, OUTPUT_BYTES):
            raise failed(problem, work)
        samples = read_samples(work / SAMPLES, request.samples)
        remove_tree(work)
        return samples


def run(
    command: list[str], runner: Runner, program: Program, request: Request, supervisor: Supervisor, work: Path
) -> Ended:
    """What becomes of a process of the plan. Raises MeasureError where its supervisor was killed."""
    try:
        return supervisor.run(
            Command(
                command,
                runner.environment,
                request.limit_s,
                folder=work,
                file_bytes=request.file_bytes,
                program=program,
            )
        )
    except GoneError:
        raise MeasureError(SUPERVISOR_GONE) from None


def failed(message: str, work: Path) -> MeasureError:
    """What went wrong, and whether a full disk is the reason."""
    folder = work.parent.parent  # the run's, which is there whatever the runner removed
    full = shutil.disk_usage(folder).free < FULL_DISK_BYTES
    if full:
        message += f" / no room on the disk of {brief(folder)}"
    return MeasureError(message, no_room=full or any(words in message for words in NO_SPACE))


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


def read_samples(path: Path, expected: int) -> list[RunnerSample]:
    """The lines that a runner wrote. Raises MeasureError with the line that is no sample, or for too long ones."""
    if not path.is_file() or path.is_symlink():
        raise MeasureError("the runner ended well but wrote no samples")
    try:
        content = read_bytes(path, SAMPLE_BYTES * (expected + 1))
    except LabError:
        raise MeasureError(f"more than {SAMPLE_BYTES} bytes a sample written, {expected} samples asked for") from None
    samples = []
    for number, line in enumerate(content.splitlines(), start=1):
        try:
            samples.append(RUNNER_SAMPLE.decode(line))
        except msgspec.ValidationError as error:
            problem, keys = split_validation_error(error)
            raise MeasureError(f"line {number} of its samples: {'.'.join(keys)}: {problem}") from None
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise MeasureError(f"line {number} of its samples is no JSON: {line[:80]!r}") from None
    return samples


def fresh_folder(supervisor: Supervisor) -> Path:
    """An empty folder for a process to run in, with one for the files of file operations in it."""
    work = supervisor.folder / "process"
    remove_tree(work)
    (work / FILES).mkdir(parents=True)
    return work


def last_lines(done: Ended) -> str:
    """The last lines that runner and hyperfine printed."""
    lines = [line.strip() for line in done.messages.splitlines()]
    told = [line for line in lines if line and not any(noise in line for noise in HYPERFINE_NOISE)]
    return " / ".join(told[-3:])[-500:]
