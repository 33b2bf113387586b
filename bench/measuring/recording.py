"""What becomes of a process in the record: its samples and a line of its own, or an error row."""

from pathlib import Path
from typing import Any

import msgspec

from bench.base.progress import Report
from bench.measuring.hyperfine import Measured
from bench.measuring.pilot import without_paths
from bench.measuring.request import MeasureError
from bench.measuring.run_file import read_run
from bench.measuring.run_folder import NoRoomError, RunFolder, key_of
from bench.model.plan import Blocked, Plan, ProcessKind, Slot
from bench.model.record import Process, RunnerSample, Sample


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
