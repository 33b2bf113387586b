"""The files of counts, in a folder of their own or beside a run.

counts.json   with what was counted, and the programs; written whole
counts.jsonl  a line a cell, appended as soon as it is counted, sorted when all are there

A kill at any moment loses no more than the cells that were being counted, and perhaps a torn last line.
"""

import os
from collections.abc import Iterable
from pathlib import Path
from threading import Lock

import msgspec

from bench.base import errors
from bench.base.errors import LabError
from bench.base.files import (
    LOCK,
    UNFINISHED,
    hold,
    is_there,
    open_own,
    read_json_lines,
    write_json,
    write_whole,
)
from bench.model.counts import Counted, CountedRunner, Counts
from bench.model.record import Run
from bench.records.run_file import holds_run, is_submitted
from bench.records.stored_files import is_stored, open_stored, read_stored, stored_path

HEAD, LINES = "counts.json", "counts.jsonl"


class CountsFolder:
    """A folder open for writing counts, held against other drivers. Threads may add lines."""

    def __init__(self, path: Path, run: Run | None = None) -> None:
        if is_submitted(path):
            raise errors.submitted_run(path)
        self.path = path
        self._adding = Lock()
        self._lock = hold(path)
        self.earlier: tuple[Counts, dict[str, Counted]] | None = None
        """The head and the lines that it holds already, none of them torn."""
        try:
            self.earlier = read_counts(path, run) if has_counts(path) else None
        except LabError as error:
            self.close()
            raise errors.counts_unreadable(path, str(error)) from None
        except BaseException:
            self.close()
            raise

    @classmethod
    def of_its_own(cls, path: Path) -> "CountsFolder":
        """A folder that is new, empty, or of counts alone. Raises LabError for another one."""
        if holds_run(path) or (is_there(path) and not has_counts(path) and not _is_empty(path)):
            raise errors.counts_not_empty(path)
        path.mkdir(parents=True, exist_ok=True)
        return cls(path)

    def begin(self, head: Counts, kept: Iterable[Counted]) -> None:
        """Writes the lines that stay, then the head: no line ever stands below a head that does not hold for it."""
        self.head = head
        self._write_lines(kept)
        write_json(self.path / HEAD, head)

    def add(self, counted: Counted) -> None:
        """Appends a cell, all of it or nothing: a part would spoil the line after it."""
        with self._adding, open_own(self.path / LINES, "ab") as file:
            size, line = file.seek(0, os.SEEK_END), msgspec.json.encode(counted) + b"\n"
            try:
                while line:
                    line = line[file.write(line) :]
            except OSError:
                file.truncate(size)
                raise

    def set_runners(self, runners: Iterable[CountedRunner]) -> None:
        """Replaces what is known of the programs."""
        self.head = msgspec.structs.replace(self.head, runners=list(runners))
        write_json(self.path / HEAD, self.head)

    def finish(self, finished: str) -> None:
        """Sorts the lines, and marks the counts as complete."""
        self._write_lines(read_json_lines(self.path / LINES, Counted))
        self.head = msgspec.structs.replace(self.head, finished=finished)
        write_json(self.path / HEAD, self.head)

    def close(self) -> None:
        """Lets the folder go."""
        self._lock.release()

    def _write_lines(self, lines: Iterable[Counted]) -> None:
        sorted_lines = sorted(lines, key=lambda one: one.cell)
        write_whole(self.path / LINES, b"".join(msgspec.json.encode(one) + b"\n" for one in sorted_lines))


def _is_empty(path: Path) -> bool:
    """Whether a folder holds nothing but what a counting leaves that was stopped as it began."""
    return path.is_dir() and all(
        entry.name == LOCK or entry.name.endswith(UNFINISHED) or (entry.name == LINES and entry.lstat().st_size == 0)
        for entry in path.iterdir()
    )


def has_counts(folder: Path) -> bool:
    """Whether a folder holds counts."""
    return is_stored(folder, HEAD)


def read_counts(folder: Path, run: Run | None = None) -> tuple[Counts, dict[str, Counted]]:
    """The counts of a folder, by cell. A last line that a kill cut off is left out while they are not finished.

    Raises LabError where there are none, where they are damaged, or where they are of other cells than the run's.
    """
    head, lines = read_stored(folder, HEAD, Counts), stored_path(folder, LINES)
    if head is None:
        raise errors.no_counts(folder)
    known = {str(planned.cell): planned.sha256 for planned in run.plan.cells} if run else {}
    found: dict[str, Counted] = {}
    torn = head.finished is None
    for number, line in enumerate(read_json_lines(lines, Counted, allow_torn_end=torn, opened=open_stored), start=1):
        if line.cell in found:
            raise errors.bad_json(lines, number, "cell", f"{line.cell} is counted twice")
        if run and line.cell not in known:
            raise errors.bad_json(lines, number, "cell", f"{line.cell} is no cell of this run")
        if run and line.key and line.key.sha256 != known[line.cell]:
            raise errors.bad_json(lines, number, "key.sha256", "another runner than this run measured")
        if (line.instructions is None) != (line.key is None) or (line.key is None) != (line.repetitions is None):
            raise errors.bad_json(lines, number, "instructions", "counts need key and repetitions")
        found[line.cell] = line
    return head, found
