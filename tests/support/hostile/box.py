"""Commands over a hostile run, in a folder of its own, and what must never come of the two.

A command that reads a run ends with 0, 1, 2 or 69 and no traceback, in a minute and a gibibyte; it prints and writes
no control character, changes nothing but what `-o` names, and tells nothing of files outside the run.
"""

import hashlib
import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from analysis.render.recorded.answers_page import ANSWERS_FILE
from analysis.render.recorded.same_work_page import SAME_WORK_FILE
from bench.base.errors import OWN_MISTAKE
from bench.base.files import write_json
from bench.base.protocol import PROTOCOL
from bench.base.visible import UNSAFE_IN_LINES
from bench.model.description import Manifest
from tests.support.hostile.runs import HONEY, Case, healthy

WORKER = Path(__file__).with_name("worker.py")
SECONDS = 60.0
PEAK_BYTES = 2**30
CODES = (0, 1, 2, 69)
PAGES = ("RESULTS.md", "README.md", ANSWERS_FILE, SAME_WORK_FILE)
"""What `lab results` writes below its root, besides the pages of scenarios."""
OWN = {f"root/{name}" for name in (*PAGES, "RESULTS.svg")}


class Worker:
    """A process that runs commands; see `worker`."""

    def __init__(self, manifest: Path) -> None:
        environment = os.environ | {
            "LAB_RUNNERS": str(manifest),
            "COLUMNS": "200",
            "PYTHONPATH": str(WORKER.parents[3]),
        }
        self._process = subprocess.Popen(
            [sys.executable, str(WORKER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )

    def run(self, arguments: Sequence[str | Path], folder: Path, root: Path) -> "Ended":
        """A command in a folder; `root` is where `lab results` looks."""
        assert self._process.stdin and self._process.stdout
        words = [str(argument) for argument in arguments]
        request = {"arguments": words, "folder": str(folder), "root": str(root), "seconds": SECONDS}
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        said = json.loads(self._process.stdout.readline())
        return Ended(words, **said)

    def close(self) -> None:
        """Ends it."""
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait()


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    arguments: list[str]
    code: int
    out: str
    err: str
    hung: bool
    seconds: float
    peak_bytes: int

    def problems(self) -> Iterator[str]:
        """What must not be, of its end and of what it printed."""
        if self.hung:
            yield f"took more than {SECONDS:.0f} s"
        elif self.code not in CODES:
            yield f"exit code {self.code}: {self.err[-300:]!r}"
        if "Traceback" in self.err or "Traceback" in self.out:
            yield f"traceback: {self.err[-600:]}"
        if OWN_MISTAKE in self.err:
            yield f"unforeseen: {self.err.strip()}"
        if self.peak_bytes > PEAK_BYTES:
            yield f"{self.peak_bytes / 2**20:.0f} MiB"
        if HONEY in self.out + self.err:
            yield "told what a file outside holds"
        for name, text in (("standard output", self.out), ("standard error", self.err)):
            if found := UNSAFE_IN_LINES.search(text):
                yield f"{found[0]!r} on {name}: {text[max(0, found.start() - 60) : found.end() + 20]!r}"
        lines = self.err.splitlines()
        if self.code == 69 and (not lines or not all(line.startswith("lab: ") for line in lines)):
            yield f"no message of one line: {self.err[:300]!r}"


class Box:
    """A folder with one hostile run in it, everything that it might reach, and a place for what commands write."""

    def __init__(
        self, folder: Path, case: Case, scenario: str = "process-created", template: Path | None = None
    ) -> None:
        self.folder = folder
        self.root = folder / "root"
        self.outputs = folder / "out"
        self.pages = self.root / "results/scenarios"
        self.working = folder / "working"
        runs = self.root / "results"
        for one in (runs, self.outputs, self.working):
            one.mkdir(parents=True)
        for ending in (".json", ".jsonl", ".txt", ".csv"):
            for place in (runs, self.root, folder):
                (place / f"honey{ending}").write_text(f"source,table,{HONEY}\n{HONEY},T\n")
        (self.root / "README.md").write_text("<!-- table:begin process-created -->\n<!-- table:end -->\n")
        name = os.fsdecode(case.folder)
        self.run = runs / name
        if template:
            shutil.copytree(template, self.run, symlinks=True)
        else:
            healthy(self.run, scenario)
        case.harm(self.run)
        self.healthy = folder / "healthy"

    def commands(self, codecs: Sequence[str]) -> Iterator[tuple[str, list[str | Path]]]:
        """Every command that reads runs, by name."""
        run: list[str | Path] = ["--", self.run]
        yield "table", ["table", *run]
        yield "table --markdown", ["table", "--markdown", *run]
        yield "claims", ["claims", "--all", *run]
        yield "claims --markdown", ["claims", "--all", "--markdown", *run]
        yield "claims --json", ["claims", "--json", *run]
        yield "compare", ["compare", *run, self.healthy]
        yield "compare --json", ["compare", "--json", "--", self.healthy, self.run]
        yield "compare --codecs", ["compare", "--markdown", "--codecs", *codecs, *run]
        yield "compare codecs", ["compare", "--run", self.run, "--", *codecs]
        yield "rank", ["rank", *run]
        yield "rank --json", ["rank", "--json", "--operation", "serialize", *run]
        yield "network", ["network", *run]
        yield "network --markdown", ["network", "--markdown", *run]
        yield "merge", ["merge", "-o", self.outputs / "merged", "--", self.run, self.healthy]
        yield "submit", ["submit", "-o", self.outputs / "submitted", *run]
        yield "submit --check", ["submit", "--check", *run]
        yield "report", ["report", "-o", self.outputs / "report", *run]
        for form in ("csv", "parquet", "hyperfine", "bencher", "github-action-benchmark"):
            yield f"export {form}", ["export", "--as", form, "-o", self.outputs / form, *run]
        yield "interop", ["interop", f"--run={self.run}"]
        yield "interop --json", ["interop", f"--run={self.run}", "--json"]
        yield "fidelity", ["fidelity", f"--run={self.run}"]
        yield "fuzz", ["fuzz", f"--run={self.run}"]
        yield "results", ["results"]

    def check(self, worker: Worker, arguments: Sequence[str | Path]) -> tuple[Ended, list[str]]:
        """Runs a command and says what must not be."""
        before = self._state()
        ended = worker.run(arguments, self.working, self.root)
        problems = list(ended.problems())
        changed = sorted(name for name, what in (self._state().items() ^ before.items()))
        if changed:
            problems.append(f"changed outside of -o: {changed[:5]}")
        problems += _written(self.outputs) + _written(self.pages) + _written(self.root, PAGES)
        shutil.rmtree(self.outputs)
        shutil.rmtree(self.pages, ignore_errors=True)
        self.outputs.mkdir()
        return ended, problems

    def _state(self) -> dict[str, str]:
        """Everything in the box but what commands may write, with its content."""
        state = {}
        for place, folders, files in os.walk(self.folder):
            if Path(place) == self.folder:
                folders.remove("out")
            if Path(place) == self.pages.parent and self.pages.name in folders:
                folders.remove(self.pages.name)
            for name in [*folders, *files]:
                path = Path(place) / name
                if path.relative_to(self.folder).as_posix() in OWN:
                    continue
                state[str(path)] = _identity(path)
        return state


def _identity(path: Path) -> str:
    found = path.lstat()
    if stat.S_ISLNK(found.st_mode):
        return f"link {path.readlink()}"
    if stat.S_ISREG(found.st_mode) and found.st_size < 2**26:
        return f"{found.st_mode} {hashlib.sha256(path.read_bytes()).hexdigest()}"
    return f"{found.st_mode} {found.st_size if stat.S_ISREG(found.st_mode) else 0} {found.st_ino}"


def _written(folder: Path, only: Sequence[str] = ()) -> list[str]:
    """What must not be in the texts that a command wrote."""
    problems = []
    for path in [folder / name for name in only] or sorted(folder.rglob("*")):
        if not path.is_file() or path.suffix in (".parquet", ".js") or path.name == "parquet":
            continue
        text = path.read_bytes().decode(errors="surrogateescape")
        if found := UNSAFE_IN_LINES.search(text):
            problems.append(f"{path.name}: {found[0]!r} in {text[max(0, found.start() - 60) : found.end() + 20]!r}")
        if HONEY in text:
            problems.append(f"{path.name}: tells what a file outside holds")
        if "<img" in text and path.suffix == ".html":
            problems.append(f"{path.name}: unescaped HTML")
    return problems


def no_runners(folder: Path) -> Path:
    """A manifest of a lab without runners, so that nothing is built or run."""
    path = folder / "runners.json"
    write_json(path, Manifest(PROTOCOL, "host", "0" * 64, []))
    return path
