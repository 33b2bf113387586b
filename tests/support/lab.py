"""The `lab` command as its users call it, over runners that misbehave."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import msgspec

from bench.base import paths
from bench.base.files import sha256_of, write_json
from bench.base.protocol import PROTOCOL
from bench.building.relink import LinkError
from bench.model.description import Manifest, RunnerEntry

FAKE = Path(__file__).with_name("fake_runner.py")
LAB = [sys.executable, "-m", "bench.cli"]
ROOT = Path(__file__).parents[2]


def fake_entry(name: str, mischief: str = "none") -> RunnerEntry:
    """A fake runner that misbehaves in one way."""
    codec = f"fake/{name}"
    library = None if mischief == "control" else "fake"
    version = None if mischief == "control" else "1.0.0"
    command = [sys.executable, "-S", str(FAKE), codec, mischief]
    return RunnerEntry(codec, command, library, version, sha256_of(FAKE), program=str(FAKE))


def know_processor(work: Path) -> None:
    """Copies what the lab knows of the processor into another folder to work in, where finding out would take a second."""
    known = paths.STATE / "processor.json"
    if known.exists():
        own = work / paths.STATE.name
        own.mkdir(parents=True, exist_ok=True)
        shutil.copy(known, own)


def heed_signals() -> None:
    """Whoever runs the tests may ignore these, as nohup does, and the programs that they start would too."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


class Lab:
    """The command `lab` over fakes, in a folder of its own."""

    def __init__(self, folder: Path, entries: list[RunnerEntry]) -> None:
        self.folder = folder
        self.manifest = folder / "runners.json"
        self.environment = os.environ | {"LAB_RUNNERS": str(self.manifest), "NO_COLOR": "1", "COLUMNS": "200"}
        write_json(self.manifest, Manifest(PROTOCOL, "host", "0" * 64, entries))

    def start(self, *arguments: str, **options: object) -> "subprocess.Popen[str]":
        """Starts `lab` and does not wait for it."""
        usual = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        if os.name == "posix":
            usual["preexec_fn"] = heed_signals
        return subprocess.Popen([*LAB, *arguments], cwd=ROOT, env=self.environment, text=True, **(usual | options))

    def __call__(self, *arguments: str, code: int | None = 0, **options: object) -> "subprocess.CompletedProcess[str]":
        """Runs `lab` to its end and holds its exit code against `code`."""
        process = self.start(*arguments, **options)
        out, err = process.communicate(timeout=300)
        assert code is None or process.returncode == code, f"exit code {process.returncode}\n{out}\n{err}"
        assert "Traceback" not in err, err
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)


class FakeLinker:
    """A linker for fakes: a layout is the fake's file with one more line, so that it has a hash of its own.

    Some codecs cannot be linked; some layouts misbehave in one way.
    """

    def __init__(self, folder: Path, *, refuses: str = "", fails_at: int = 0, mischief: dict[int, str] | None = None):
        self.folder, self.refuses, self.fails_at, self.mischief = folder, refuses, fails_at, mischief or {}
        self.linked: list[tuple[str, int]] = []

    def can_link(self, entry: RunnerEntry) -> str | None:
        """A reason for the codec that refuses."""
        return "it is made of stone" if entry.codec == self.refuses else None

    def link(self, entry: RunnerEntry, layout: int) -> RunnerEntry:
        """A copy of the fake."""
        self.linked.append((entry.codec, layout))
        if layout == self.fails_at:
            raise LinkError("the linker has lost its way")
        program = self.folder / f"{entry.codec.replace('/', '-')}-{layout}.py"
        program.write_text(f"{FAKE.read_text()}\n# {entry.codec} {layout}\n")
        *first, mischief = [str(program) if word == entry.program else word for word in entry.command]
        command = [*first, self.mischief.get(layout, mischief)]
        return msgspec.structs.replace(entry, command=command, program=str(program), sha256=sha256_of(program))
