"""The run folder: every sample is kept, and a kill at any moment loses none of them and repeats none.

    run.json         environment, provenance, plan; written whole
    verify.json      what was proved before measuring; written whole
    samples.jsonl    one line a sample, in the order in which they happened
    processes.jsonl  one line a process: hyperfine's figures, or the reason why there are none
    pending.json     the lines of one process between being measured and being appended; else absent

The lines of a process are written to pending.json, whole, before they are appended. Whoever opens the folder next
cuts off a torn last line and appends the lines of pending.json that are missing, so every line is there exactly once.
"""

import os
from collections.abc import Iterable
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import BinaryIO

import msgspec
from filelock import FileLock
from msgspec import Struct

from bench.base import errors, limits
from bench.base.files import (
    LOCK,
    NO_ROOM,
    UNFINISHED,
    hold,
    open_own,
    read_json,
    read_json_lines,
    replace,
    split_validation_error,
    write_json,
    write_whole,
)
from bench.base.paths import brief
from bench.base.protocol import PROTOCOL
from bench.base.scratch import wait_for_clearing
from bench.base.supervision import Pool
from bench.model.plan import ProcessKind
from bench.model.record import Process, Run, Sample
from bench.model.verification import Verification
from bench.records.run_file import PROCESSES, RUN, SAMPLES, VERIFICATION, check_takes_more, holds_run, read_run_file

RESERVE = ".reserve"
RESERVE_BYTES = 256 * 1024
"""Room kept for error rows on a disk that fills up while a run is recorded."""

Key = tuple[str, int, ProcessKind, bool]


class NoRoomError(Exception):
    """The disk is full: nothing of this process was recorded; everything before it was."""


class Pending(Struct, frozen=True, forbid_unknown_fields=True):
    """The lines of one process that are on their way into the files."""

    protocol: int
    samples: list[Sample]
    process: Process


def key_of(process: Process) -> Key:
    """What makes a process of a run unique."""
    return process.cell, process.round, process.kind, process.twin


class RunFolder:
    """A run folder open for writing; only one driver at a time can hold it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.samples_file = path / SAMPLES
        self.processes_file = path / PROCESSES
        self.pending_file = path / "pending.json"
        self.reserve_file = path / RESERVE
        self.supervisors = Pool(path)
        """They run the processes of the plan, each in its own scratch folder below the run folder."""
        self.recorded: set[Key] = set()
        self._lock: FileLock | None = None

    @classmethod
    def create(cls, path: Path, run: Run) -> "RunFolder":
        """A new run. Raises LabError where the folder already holds a run or anything else."""
        check_new(path)
        check_readable(path / RUN, run)
        path.mkdir(parents=True, exist_ok=True)
        folder = cls(path)
        folder._acquire()
        folder.reserve_file.write_bytes(bytes(RESERVE_BYTES))
        folder.write_run(run)
        return folder

    @classmethod
    def resume(cls, path: Path) -> tuple["RunFolder", Run]:
        """An interrupted run, mended. Error rows of processes that had no room are taken out, to be measured again.

        Raises LabError where there is no run, where another driver holds it, or where something in the folder is
        neither a file of its own nor a folder. Nothing is opened or locked before all entries were looked at.
        """
        check_takes_more(path)
        check_own_files(path)
        folder = cls(path)
        folder._acquire()
        try:
            wait_for_clearing(path)
            run = read_run_file(path)
            if folder._mend():
                run = msgspec.structs.replace(run, finished=None, load_after=None)
                folder.write_run(run)
        except BaseException:
            folder.close()
            raise
        return folder, run

    def write_run(self, run: Run) -> None:
        """Replaces run.json. Raises LabError where the disk is full, and for a run that could not be read again."""
        check_readable(self.path / RUN, run)
        self._write(RUN, run)

    def write_verification(self, verification: Verification) -> None:
        """Replaces verify.json. Raises LabError where the disk is full."""
        self._write(VERIFICATION, verification)

    def append(self, samples: Iterable[Sample], process: Process) -> None:
        """Records one process. Raises NoRoomError, with nothing of it left behind, where the disk is full."""
        sizes = {path: path.stat().st_size if path.exists() else 0 for path in (self.samples_file, self.processes_file)}
        pending = Pending(PROTOCOL, list(samples), process)
        try:
            temporary = self.pending_file.with_suffix(".tmp")
            with open_own(temporary, "wb") as file:
                file.write(msgspec.json.encode(pending))
            replace(temporary, self.pending_file)
            self._append_pending(pending, set())
        except OSError as error:
            if error.errno not in NO_ROOM:
                raise
            for path, size in sizes.items():
                if path.exists():
                    with open_own(path, "r+b") as file:
                        file.truncate(size)
            self.pending_file.unlink(missing_ok=True)
            self.pending_file.with_suffix(".tmp").unlink(missing_ok=True)
            raise NoRoomError(f"no room on the disk of {brief(self.path)}: {error.strerror}") from None

    def release_reserve(self) -> None:
        """Gives up the reserve, so that error rows find room."""
        self.reserve_file.unlink(missing_ok=True)

    def close(self) -> None:
        """Ends what is running and lets the folder go."""
        self.supervisors.close()
        self.release_reserve()
        if self._lock:
            self._lock.release()

    def _write(self, name: str, value: Struct) -> None:
        try:
            write_json(self.path / name, value)
        except OSError as error:
            if error.errno not in NO_ROOM:
                raise
            raise errors.disk_full(self.path) from None

    def _acquire(self) -> None:
        self._lock = hold(self.path)

    def _mend(self) -> bool:
        """Completes the files of a driver that was killed. Returns whether error rows of a full disk were taken out."""
        for path in (self.samples_file, self.processes_file):
            if path.exists():
                cut_torn_line(path)
        if self.pending_file.exists():
            pending = read_json(self.pending_file, Pending)
            self.recorded = {key_of(p) for p in read_json_lines(self.processes_file, Process)}
            appended = {(s.cell, s.round, s.twin, s.index) for s in read_json_lines(self.samples_file, Sample)}
            self._append_pending(pending, appended)
        processes = read_json_lines(self.processes_file, Process)
        kept = [process for process in processes if not process.no_room]
        if len(kept) != len(processes):
            write_whole(self.processes_file, b"".join(msgspec.json.encode(process) + b"\n" for process in kept))
        self.recorded = {key_of(process) for process in kept}
        return len(kept) != len(processes)

    def _append_pending(self, pending: Pending, appended: set[tuple[str, int, bool, int]]) -> None:
        missing = [s for s in pending.samples if (s.cell, s.round, s.twin, s.index) not in appended]
        append_lines(self.samples_file, missing)
        if key_of(pending.process) not in self.recorded:
            append_lines(self.processes_file, [pending.process])
        self.recorded.add(key_of(pending.process))
        self.pending_file.unlink()


def check_readable(path: Path, run: Run) -> None:
    """Raises LabError for a run that would be refused when it is read; asked before anything is measured for it."""
    try:
        msgspec.json.decode(msgspec.json.encode(run), type=Run)
    except msgspec.ValidationError as error:
        problem, keys = split_validation_error(error)
        raise errors.bad_file(path, None, ".".join(keys), f"{problem}; such a run could not be read again") from None


def check_own_files(run: Path) -> None:
    """Raises LabError unless all that lies in a run folder is a folder, or a file that no other name leads to.

    A driver that goes on with a run writes into its files: a link would have it write somewhere else.
    """
    for entry in sorted(os.scandir(run), key=lambda entry: entry.name):
        status, path = entry.stat(follow_symlinks=False), run / entry.name
        if not S_ISDIR(status.st_mode) and not S_ISREG(status.st_mode):
            raise errors.foreign_entry(path)
        if S_ISREG(status.st_mode) and status.st_nlink > 1:
            raise errors.hard_link(path)


def append_lines(path: Path, values: Iterable[Struct]) -> None:
    """Appends one JSON line a value, in one write."""
    text = b"".join(msgspec.json.encode(value) + b"\n" for value in values)
    if text:
        with open_own(path, "ab") as file:
            while text:  # a nearly full disk takes a part, then says that it is full
                text = text[file.write(text) :]


def cut_torn_line(path: Path) -> None:
    """Cuts off a last line without its end, which a kill left. Raises LabError where it is longer than any line."""
    with open_own(path, "r+b") as file:
        size = file.seek(0, os.SEEK_END)
        start = max(0, size - limits.LINE_BYTES - 1)
        file.seek(start)
        end = start + _read_all(file).rfind(b"\n") + 1
        if end == start and start > 0:
            raise errors.no_whole_line(path, limits.LINE_BYTES)
        if end != size:
            file.truncate(end)


def _read_all(file: BinaryIO) -> bytes:
    return b"".join(iter(lambda: file.read(1 << 16), b""))


def write_beside(run: Path, name: str, value: Struct) -> None:
    """Writes another file beside a run's run.json, whole. Raises LabError where there is no run."""
    check_takes_more(run)
    write_json(run / name, value)


def check_new(path: Path, option: str = "--out") -> None:
    """Raises LabError, which names the option, where a folder already holds a run or anything else."""
    if holds_run(path):
        raise errors.run_exists(path, option)
    if path.exists() and not (path.is_dir() and all(_is_of_a_beginning(entry.name) for entry in path.iterdir())):
        raise errors.folder_not_empty(path, option)


def _is_of_a_beginning(name: str) -> bool:
    """Whether a file is what a run leaves that was stopped before it had a run.json."""
    return name in (LOCK, RESERVE) or (name.startswith(".") and name.endswith(UNFINISHED))
