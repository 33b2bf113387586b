"""Measures what is missing of a plan, process by process, and records each: its samples, or an error row."""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from bench.base import paths
from bench.base.files import NO_ROOM
from bench.base.progress import Meter, Report
from bench.base.supervision import GoneError, Supervisor, in_order
from bench.building.environment import SMALL_SECOND_LEVEL_BYTES
from bench.building.lab import Lab
from bench.building.runner import SUPERVISOR_GONE
from bench.measuring.hyperfine import Launch, Measured, measure
from bench.measuring.profiles import limit_s, process_estimate_s, processes_at_once
from bench.measuring.remaining import Remaining
from bench.measuring.request import MeasureError, Request, copy_bytes, file_bytes
from bench.measuring.rounds.links import Links
from bench.measuring.run_folder import NoRoomError, RunFolder, key_of
from bench.measuring.stages.pilot import without_paths
from bench.model.cells import Cell
from bench.model.plan import Blocked, Plan, PlannedCell, ProcessKind, Slot, Timed
from bench.model.record import Process, RunnerSample, Sample
from bench.records.run_file import read_run
from bench.scenarios.inputs import input_file
from bench.scenarios.keys import keys_of


class Bench(Struct, frozen=True, dict=True):
    """What a run is measured with: its folder, the runners in their layouts, the processor that they are pinned to."""

    folder: RunFolder
    plan: Plan
    lab: Lab
    links: Links
    cpu: int | None = None
    second_level_bytes: int = SMALL_SECOND_LEVEL_BYTES

    @cached_property
    def timed(self) -> dict[Cell, Timed]:
        """The cells that are measured."""
        return self.plan.timed

    @cached_property
    def by_text(self) -> dict[str, Timed]:
        """The same by their text, as samples name them."""
        return {str(cell): timed for cell, timed in self.timed.items()}

    def is_missing(self, slot: Slot) -> bool:
        """Whether a process is not recorded yet."""
        return (str(slot.cell), slot.round, slot.kind, slot.twin) not in self.folder.recorded

    def settled(self, slot: Slot) -> Slot:
        """A process with the layout that its runner has; that of a runner without canaries moves nothing."""
        _, layout = self.links.runner(self.lab.runner_of[slot.cell], slot.layout)
        offset = slot.offset_bytes if self.timed[slot.cell].canary else 0
        return msgspec.structs.replace(slot, layout=layout, offset_bytes=offset)


class Watch(Struct, frozen=True):
    """Who is told of what happens."""

    progress: Meter
    step: str
    """The step that the processes belong to."""
    report: Report
    remaining: Remaining
    """What is left of the step."""


Taker = Callable[[list[Sample], Process], None]
"""What is told of each process that was recorded."""


def measure_slots(bench: Bench, slots: Iterable[Slot], watch: Watch, *, took: Taker = lambda _, __: None) -> None:
    """Measures and records those of the processes that the folder does not hold; what fails becomes an error row.

    In `quick` processes run side by side, each in a scratch folder of its own; they are recorded in their order.
    """
    missing = [bench.settled(slot) for slot in slots if bench.is_missing(slot)]
    for slot, outcome in zip(missing, outcomes(bench, missing), strict=True):
        samples, process = record(bench.folder, slot, outcome, watch.report)
        took(samples, process)
        advance(watch, slot, bench, process)


def outcomes(bench: Bench, missing: list[Slot]) -> Iterator[Measured | MeasureError]:
    """The samples of each process, or why it gave none, in the order of `missing`."""
    folder = bench.folder

    def outcome(slot: Slot) -> Measured | MeasureError:
        try:
            with folder.supervisors.supervisor() as supervisor:
                return measure_slot(slot, bench, supervisor)
        except MeasureError as error:
            return error
        except GoneError:
            return MeasureError(SUPERVISOR_GONE)
        except FileNotFoundError as error:
            return MeasureError(f"the runner removed a folder of the lab's: {error.filename} is gone")
        except OSError as error:
            if error.errno not in NO_ROOM:
                raise
            return MeasureError(f"no room on the disk of {paths.brief(folder.path)}", no_room=True)

    together = processes_at_once(bench.plan.profile, os.cpu_count() or 1)
    if together == 1:
        yield from map(outcome, missing)
        return
    with ThreadPoolExecutor(max_workers=together) as pool:
        try:
            yield from in_order(pool, outcome, missing)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            folder.supervisors.close()
            raise


def measure_slot(slot: Slot, bench: Bench, supervisor: Supervisor) -> Measured:
    """One process of the plan. Raises MeasureError, GoneError, OSError."""
    plan, scenario, timed = bench.plan, bench.lab.scenarios[slot.scenario], bench.timed[slot.cell]
    runner, layout = bench.links.runner(bench.lab.runner_of[slot.cell], slot.layout)
    program = runner.hashed()
    if program is None or program.sha256 != (runner.entry.sha256 if layout else timed.sha256):
        problem = "the runner is not the one that was verified" if program else f"{runner.program} is gone"
        raise MeasureError(f"{problem}: was the lab built again during the run?")
    request = Request(
        cell=slot.cell,
        proved=timed.proved,
        input_file=input_file(scenario),
        repetitions=0 if slot.kind is ProcessKind.BASE else timed.repetitions,
        warmup=plan.warmup,
        samples=timed.loops,
        limit_s=limit_s(timed, plan),
        keys=keys_of(scenario),
        file_bytes=file_bytes(slot.cell, timed.proved, scenario, timed.repetitions),
        offset_bytes=slot.offset_bytes,
        copy_bytes=copy_bytes(slot.cell, scenario, bench.second_level_bytes) if plan.layouts and timed.canary else 0,
    )
    return measure(Launch(request, runner, program, supervisor, bench.cpu))


def advance(watch: Watch, slot: Slot, bench: Bench, process: Process) -> None:
    """Shows that a process is done."""
    estimate_s = process_estimate_s(slot.kind, bench.timed[slot.cell], bench.plan)
    watch.remaining.done(estimate_s, process.wall_s or 0.0)
    text = f"{slot.scenario} round {slot.round + 1}: {slot.cell.codec} {slot.cell.operation}"
    watch.progress.expect(watch.step, watch.remaining.left_s, text)


def record(
    folder: RunFolder, slot: Slot, outcome: Measured | MeasureError, report: Report
) -> tuple[list[Sample], Process]:
    """Records one process, and returns its lines; where its samples find no room on the disk, as an error row."""
    if isinstance(outcome, Measured):
        try:
            return record_samples(folder, slot, outcome)
        except NoRoomError as error:
            outcome = MeasureError(str(error), no_room=True)
    report(f"{slot.cell}: {outcome}")
    process = process_of(slot, error=without_paths(outcome), no_room=outcome.no_room)
    record_error(folder, process, report)
    return [], process


def record_samples(folder: RunFolder, slot: Slot, measured: Measured) -> tuple[list[Sample], Process]:
    """A process that ended well. Raises NoRoomError."""
    is_loop = slot.kind is ProcessKind.LOOP
    samples = [sample_of(slot, index, sample) for index, sample in enumerate(measured.samples)] if is_loop else []
    process = process_of(
        slot,
        wall_s=measured.wall_s,
        user_s=measured.user_s,
        system_s=measured.system_s,
        peak_memory_bytes=measured.peak_memory_bytes,
        loop_ns=sum(sample.wall_ns for sample in measured.samples),
        **msgspec.structs.asdict(measured.condition),
    )
    folder.append(samples, process)
    return samples, process


def record_error(folder: RunFolder, process: Process, report: Report) -> None:
    """An error row, for which room is kept on a disk that fills up."""
    try:
        folder.append([], process)
    except NoRoomError:
        folder.release_reserve()
        try:
            folder.append([], process)
        except NoRoomError:
            report("not even the error row fits on the disk; free some space, then `--resume` measures this cell again")


def record_blocked(folder: RunFolder, cells: Iterable[PlannedCell]) -> None:
    """An error row for each cell that is not measured."""
    for planned in cells:
        if isinstance(planned, Blocked):
            process = Process(
                cell=str(planned.cell),
                round=0,
                place=0,
                kind=ProcessKind.LOOP,
                error=planned.blocked,
                known_failure=planned.known_failure,
            )
            if key_of(process) not in folder.recorded:
                folder.append([], process)


def sample_of(slot: Slot, index: int, sample: RunnerSample) -> Sample:
    """A runner's sample with its place in the run."""
    return Sample(
        cell=str(slot.cell),
        round=slot.round,
        place=slot.place,
        twin=slot.twin,
        index=index,
        layout=slot.layout,
        offset_bytes=slot.offset_bytes,
        **msgspec.structs.asdict(sample),
    )


def process_of(slot: Slot, **outcome: Any) -> Process:
    """The line of a process; `outcome` holds what is known of it."""
    return Process(
        cell=str(slot.cell),
        round=slot.round,
        place=slot.place,
        twin=slot.twin,
        kind=slot.kind,
        layout=slot.layout,
        **outcome,
    )


def error_rows(path: Path) -> int:
    """How many processes of a run ended without a number, not counting failures that their scenario expects."""
    return sum(process.error is not None and not process.known_failure for process in read_run(path).processes)


def rows_without_room(path: Path) -> int:
    """How many of them did because a disk was full."""
    return sum(process.no_room for process in read_run(path).processes)
