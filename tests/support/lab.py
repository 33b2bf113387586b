"""The `lab` command as its users call it, over runners that misbehave."""

import os
import subprocess
import sys
from pathlib import Path

from bench.base.files import sha256_of, write_json
from bench.base.protocol import PROTOCOL
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


class Lab:
    """The command `lab` over fakes, in a folder of its own."""

    def __init__(self, folder: Path, entries: list[RunnerEntry]) -> None:
        self.folder = folder
        self.manifest = folder / "runners.json"
        self.environment = os.environ | {"LAB_RUNNERS": str(self.manifest), "NO_COLOR": "1", "COLUMNS": "200"}
        write_json(self.manifest, Manifest(PROTOCOL, "host", "0" * 64, entries))

    def start(self, *arguments: str, **options: object) -> "subprocess.Popen[str]":
        """Starts `lab` and does not wait for it."""
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen([*LAB, *arguments], cwd=ROOT, env=self.environment, text=True, **(pipes | options))

    def __call__(self, *arguments: str, code: int | None = 0, **options: object) -> "subprocess.CompletedProcess[str]":
        """Runs `lab` to its end and holds its exit code against `code`."""
        process = self.start(*arguments, **options)
        out, err = process.communicate(timeout=300)
        assert code is None or process.returncode == code, f"exit code {process.returncode}\n{out}\n{err}"
        assert "Traceback" not in err, err
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)
