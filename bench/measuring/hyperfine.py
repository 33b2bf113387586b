"""Runs one process of the plan, under hyperfine or, for the pilot, without it, and reads its samples."""

import shlex
import shutil
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from bench.base import paths
from bench.base.errors import LabError
from bench.base.files import read_bytes
from bench.base.scratch import remove_tree
from bench.base.supervision import (
    MEBIBYTE,
    OUTPUT_BYTES,
    POOL,
    Command,
    Ended,
    GoneError,
    Program,
    Supervisor,
)
from bench.building.runner import SUPERVISOR_GONE, Runner, problem_of
from bench.measuring.machine.processors import Condition, watched
from bench.measuring.request import FILES, SAMPLES, MeasureError, Request, check_samples, read_samples
from bench.model.fields import Count, Seconds
from bench.model.record import RunnerSample

FULL_DISK_BYTES = MEBIBYTE
"""A disk with less free space counts as full, since a runner's own message about it may be lost or late."""
NO_SPACE = ("No space left on device", "os error 28", "os error 112", "Disk quota exceeded")
"""How runners report a full disk: the C library's text, and the error numbers that Rust prints."""
EXPORT = "hyperfine.json"
"""In the folder where a process runs."""
HYPERFINE_NOISE = ("Warning: Ignoring non-zero exit code.",)


class Measured(Struct, frozen=True):
    """One process: the loops that its runner timed, and what hyperfine measured from outside."""

    samples: list[RunnerSample]
    wall_s: float
    user_s: float
    system_s: float
    peak_memory_bytes: int | None
    condition: Condition = Condition()
    """Of the processor that it ran on."""


class Result(Struct, frozen=True):
    """hyperfine's figures of one command."""

    times: Annotated[list[Seconds], Meta(min_length=1)]
    user: Seconds
    system: Seconds
    exit_codes: Annotated[list[int | None], Meta(min_length=1)]
    memory_usage_byte: list[Count] | None = None


class Export(Struct, frozen=True):
    """hyperfine's --export-json."""

    results: Annotated[list[Result], Meta(min_length=1)]


EXPORTED = msgspec.json.Decoder(Export)


class Launch(Struct, frozen=True):
    """A request on its way to a process: which runner answers it, and whose folder it runs in."""

    request: Request
    runner: Runner
    program: Program
    supervisor: Supervisor
    cpu: int | None = None
    """The processor that it is pinned to."""

    @property
    def folder(self) -> Path:
        """Where the process runs."""
        return self.supervisor.folder / "process"

    def run(self, command: list[str]) -> Ended:
        """Runs a command to its end. Raises MeasureError where its supervisor was killed."""
        try:
            return self.supervisor.run(
                Command(
                    command,
                    self.runner.environment,
                    self.request.limit_s,
                    folder=self.folder,
                    file_bytes=self.request.file_bytes,
                    program=self.program,
                    cpu=self.cpu,
                )
            )
        except GoneError:
            raise MeasureError(SUPERVISOR_GONE) from None

    def failure(self, message: str) -> MeasureError:
        """What went wrong, and whether a full disk is the reason."""
        run_folder = self.supervisor.folder.parent  # which is there whatever the runner removed
        full = shutil.disk_usage(run_folder).free < FULL_DISK_BYTES
        if full:
            message += f" / no room on the disk of {paths.brief(run_folder)}"
        return MeasureError(message, no_room=full or any(words in message for words in NO_SPACE))


def measure(launch: Launch) -> Measured:
    """One `measure` process under hyperfine, in a fresh folder.

    Raises MeasureError where the process crashes, hangs, vanishes, or writes anything but the samples asked for.
    """
    request, runner = launch.request, launch.runner
    make_folder(launch.folder)
    if request.reads_a_file:
        prepare_file(launch)
    seen: list[Condition] = []
    with watched(launch.cpu, seen):
        ended = launch.run(hyperfine_command(request, runner))
    if problem := problem_of(ended, request.limit_s, OUTPUT_BYTES):
        raise launch.failure(f"hyperfine: {problem}" if ended.code else problem)
    try:
        result = EXPORTED.decode(read_bytes(launch.folder / EXPORT, MEBIBYTE)).results[0]
    except (LabError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise launch.failure(f"hyperfine wrote no results: {error}") from None
    if (exit_code := result.exit_codes[0]) != 0:
        reason = "was killed by a signal" if exit_code is None else f"ended with exit code {exit_code}"
        raise launch.failure(f"the runner {reason}: {last_lines(ended) or 'it printed nothing'}")
    samples = collect_samples(launch)
    peak = result.memory_usage_byte[0] if result.memory_usage_byte else None
    return Measured(samples, result.times[0], result.user, result.system, peak_memory_bytes=peak, condition=seen[0])


def hyperfine_command(request: Request, runner: Runner) -> list[str]:
    """The command line that has hyperfine run a request once."""
    return [
        str(paths.hyperfine()),
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


def prepare_file(launch: Launch) -> None:
    """Has the file written that a process will read, so that neither time nor memory of writing counts as reading.

    Raises MeasureError where that fails.
    """
    ended = launch.run(launch.request.command(launch.runner, samples=0))
    if problem := problem_of(ended, launch.request.limit_s, OUTPUT_BYTES):
        raise launch.failure(f"writing the file to read: {problem}")


def rehearse(runner: Runner, request: Request) -> list[RunnerSample]:
    """The samples of one process without hyperfine, for the pilot. Raises MeasureError, RunnerError."""
    with POOL.supervisor() as supervisor:
        launch = Launch(request, runner, runner.proved(), supervisor)
        make_folder(launch.folder)
        ended = launch.run(request.command(runner))
        if problem := problem_of(ended, request.limit_s, OUTPUT_BYTES):
            raise launch.failure(problem)
        return collect_samples(launch)


def collect_samples(launch: Launch) -> list[RunnerSample]:
    """The samples of a process that ended well, checked; its folder is removed. Raises MeasureError."""
    samples = read_samples(launch.folder / SAMPLES, launch.request.samples)
    remove_tree(launch.folder)
    check_samples(samples, launch.request)
    return samples


def make_folder(folder: Path) -> None:
    """An empty folder for a process to run in, with one for the files of file operations in it."""
    remove_tree(folder)
    (folder / FILES).mkdir(parents=True)


def last_lines(ended: Ended) -> str:
    """The last lines that runner and hyperfine printed."""
    lines = [line.strip() for line in ended.messages.splitlines()]
    kept = [line for line in lines if line and not any(noise in line for noise in HYPERFINE_NOISE)]
    return " / ".join(kept[-3:])[-500:]
