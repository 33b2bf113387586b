"""Measures what is missing of a plan, process by process, and records each: its samples, or an error row."""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec

from bench.base import paths
from bench.base.files import NO_ROOM
from bench.base.progress import Meter, Report, meter
from bench.base.supervision import GoneError, Supervisor, in_order
from bench.building.lab import Lab
from bench.building.runner import SUPERVISOR_GONE
from bench.measuring.hyperfine import Launch, Measured, measure
from bench.measuring.order import slots
from bench.measuring.pilot import without_paths
from bench.measuring.profiles import limit_s, processes_at_once, slot_estimate_ns
from bench.measuring.request import MeasureError, Request, file_bytes
from bench.measuring.run_file import read_run
from bench.measuring.run_folder import NoRoomError, RunFolder, key_of
from bench.model.plan import Blocked, Plan, ProcessKind, Slot, Timed
from bench.model.record import Process, RunnerSample, Sample
from bench.scenarios.inputs import input_file
from bench.scenarios.keys import keys_of


def measure_missing(folder: RunFolder, plan: Plan, lab: Lab, report: Report) -> None:
    """Measures and records each process of the plan that the folder does not hold; what fails becomes an error row.

    In `quick` processes run side by side, each in a scratch folder of its own; they are recorded in their order.
    """
    for name in plan.rounds:
        input_file(lab.scenarios[name])  # written now, so that no process waits for it
    timed, missing, done_s, total_s = plan.timed, list[Slot](), 0.0, 0.0
    for slot in slots(plan):
        estimate_s = slot_estimate_ns(slot, timed[slot.cell], plan) / 1e9
        total_s += estimate_s
        if (str(slot.cell), slot.round, slot.kind, slot.twin) in folder.recorded:
            done_s += estimate_s
        else:
            missing.append(slot)
    with meter(total_s, done_s) as progress:
        for slot, outcome in zip(missing, outcomes(folder, plan, lab, missing), strict=True):
            record(folder, slot, outcome, report)
            advance(progress, slot, plan, timed[slot.cell])


def outcomes(folder: RunFolder, plan: Plan, lab: Lab, missing: list[Slot]) -> Iterator[Measured | MeasureError]:
    """The samples of each process, or why it gave none, in the order of `missing`."""
    timed = plan.timed

    def outcome(slot: Slot) -> Measured | MeasureError:
        try:
            with folder.supervisors.supervisor() as supervisor:
                return measure_slot(slot, timed[slot.cell], plan, lab, supervisor)
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

    together = processes_at_once(plan.profile, os.cpu_count() or 1)
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


def measure_slot(slot: Slot, timed: Timed, plan: Plan, lab: Lab, supervisor: Supervisor) -> Measured:
    """One process of the plan. Raises MeasureError, GoneError, OSError."""
    runner, scenario = lab.runner_of[slot.cell], lab.scenarios[slot.scenario]
    program = runner.hashed()
    if program is None or program.sha256 != timed.sha256:
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
    )
    return measure(Launch(request, runner, program, supervisor))


def advance(progress: Meter, slot: Slot, plan: Plan, timed: Timed) -> None:
    """Shows that a process is done."""
    progress.advance(
        f"{slot.scenario} round {slot.round + 1}/{plan.rounds[slot.scenario]}: {slot.cell.codec} {slot.cell.operation}",
        slot_estimate_ns(slot, timed, plan) / 1e9,
    )


def record(folder: RunFolder, slot: Slot, outcome: Measured | MeasureError, report: Report) -> None:
    """One process; where its samples find no room on the disk, as an error row."""
    if isinstance(outcome, Measured):
        try:
            record_samples(folder, slot, outcome)
            return
        except NoRoomError as error:
            outcome = MeasureError(str(error), no_room=True)
    report(f"{slot.cell}: {outcome}")
    record_error(folder, process_of(slot, error=without_paths(outcome), no_room=outcome.no_room), report)


def record_samples(folder: RunFolder, slot: Slot, measured: Measured) -> None:
    """A process that ended well. Raises NoRoomError."""
    samples = [sample_of(slot, index, sample) for index, sample in enumerate(measured.samples)]
    process = process_of(
        slot,
        wall_s=measured.wall_s,
        user_s=measured.user_s,
        system_s=measured.system_s,
        peak_memory_bytes=measured.peak_memory_bytes,
        loop_ns=sum(sample.wall_ns for sample in measured.samples),
    )
    folder.append(samples if slot.kind is ProcessKind.LOOP else [], process)


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


def record_blocked(folder: RunFolder, plan: Plan) -> None:
    """An error row for each cell that is not measured."""
    for planned in plan.cells:
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
        **msgspec.structs.asdict(sample),
    )


def process_of(slot: Slot, **outcome: Any) -> Process:
    """The line of a process; `outcome` holds what is known of it."""
    return Process(cell=str(slot.cell), round=slot.round, place=slot.place, twin=slot.twin, kind=slot.kind, **outcome)


def error_rows(path: Path) -> int:
    """How many processes of a run ended without a number, not counting failures that their scenario expects."""
    return sum(process.error is not None and not process.known_failure for process in read_run(path).processes)


def rows_without_room(path: Path) -> int:
    """How many of them did because a disk was full."""
    return sum(process.no_room for process in read_run(path).processes)
