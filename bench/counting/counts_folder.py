"""The files of counts, in a folder of their own or beside a run.

counts.json   with what was counted, and the programs; written whole
counts.jsonl  a line a cell, appended as soon as it is counted, sorted when all are there
"""

from collections.abc import Iterable
from pathlib import Path
from threading import Lock

import msgspec

from bench.base import errors
from bench.base.files import is_there, open_own, read_json, read_json_lines, write_json, write_whole
from bench.model.counts import Counted, CountedRunner, Counts
from bench.model.record import Run

HEAD, LINES = "counts.json", "counts.jsonl"


class CountsFolder:
    """A folder open for writing counts. Threads may add lines."""

    def __init__(self, path: Path, head: Counts) -> None:
        self.path, self.head = path, head
        self._adding = Lock()
        write_whole(path / LINES, b"")  # what an earlier counting left belongs to another head
        write_json(path / HEAD, head)

    @classmethod
    def create(cls, path: Path, head: Counts) -> "CountsFolder":
        """A folder of its own. Raises LabError where it holds anything."""
        if is_there(path) and (not path.is_dir() or any(path.iterdir())):
            raise errors.counts_not_empty(path)
        path.mkdir(parents=True, exist_ok=True)
        return cls(path, head)

    def add(self, counted: Counted) -> None:
        """Appends a cell."""
        with self._adding, open_own(self.path / LINES, "ab") as file:
            line = msgspec.json.encode(counted) + b"\n"
            while line:
                line = line[file.write(line) :]

    def set_runners(self, runners: Iterable[CountedRunner]) -> None:
        """Replaces what is known of the programs."""
        self.head = msgspec.structs.replace(self.head, runners=list(runners))
        write_json(self.path / HEAD, self.head)

    def finish(self, finished: str) -> None:
        """Sorts the lines, and marks the counts as complete."""
        lines = sorted(read_json_lines(self.path / LINES, Counted), key=lambda one: one.cell)
        write_whole(self.path / LINES, b"".join(msgspec.json.encode(one) + b"\n" for one in lines))
        self.head = msgspec.structs.replace(self.head, finished=finished)
        write_json(self.path / HEAD, self.head)


def has_counts(folder: Path) -> bool:
    """Whether a folder holds counts."""
    return is_there(folder / HEAD)


def read_counts(folder: Path, run: Run | None = None) -> tuple[Counts, dict[str, Counted]]:
    """The counts of a folder, by cell. A last line that a kill cut off is left out.

    Raises LabError where there are none, where they are damaged, or where they are of other cells than the run's.
    """
    if not has_counts(folder):
        raise errors.no_counts(folder)
    head = read_json(folder / HEAD, Counts)
    known = {str(planned.cell): planned.sha256 for planned in run.plan.cells} if run else {}
    found: dict[str, Counted] = {}
    for number, line in enumerate(read_json_lines(folder / LINES, Counted, allow_torn_end=True), start=1):
        if line.cell in found:
            raise errors.bad_json(folder / LINES, number, "cell", f"{line.cell} is counted twice")
        if run and line.cell not in known:
            raise errors.bad_json(folder / LINES, number, "cell", f"{line.cell} is no cell of this run")
        if run and line.key and line.key.sha256 != known[line.cell]:
            raise errors.bad_json(folder / LINES, number, "key.sha256", "another runner than this run measured")
        if (line.instructions is None) != (line.key is None) or (line.key is None) != (line.repetitions is None):
            raise errors.bad_json(folder / LINES, number, "instructions", "counts need key and repetitions")
        found[line.cell] = line
    return head, found
