"""Removes a run's scratch folder when its driver is gone, whatever ended it.

A process of its own, `python -m bench.guard`, told on its standard input which folder to guard: the driver holds that
pipe open and writes no more, so that its end is the driver's end, be it by SIGKILL. Files of gigabytes do not outlive
the run that wrote them, and nothing goes on measuring for nobody.
"""

import shutil
import subprocess
import sys
from pathlib import Path

from filelock import FileLock

from bench.measure import kill_strays, own_group
from bench.paths import ROOT

READY = b"ready\n"


class Guard:
    """The driver's end. One guard at a time has a folder: the next is ready when the one before has cleared up."""

    def __init__(self, work: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bench.guard"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            **own_group(),  # Ctrl-C is for the driver
        )
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(f"{work.absolute()}\n".encode())
        self._process.stdin.flush()
        self._process.stdout.readline()

    def close(self) -> None:
        """Has the folder removed and waits until it is."""
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait()


def main() -> None:
    """Waits for the driver's end, then kills what it left running in the folder and removes the folder."""
    work = Path(sys.stdin.buffer.readline().decode().rstrip("\n"))
    with FileLock(work.with_name(".guard.lock")):
        sys.stdout.buffer.write(READY)
        sys.stdout.buffer.flush()
        sys.stdin.buffer.read()
        if work.exists():
            kill_strays(work)
            shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
