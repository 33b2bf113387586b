"""Which processes of a run are there, and how much memory one takes."""

import os
import subprocess
import sys
from pathlib import Path

import psutil

from tests.support.lab import ROOT


def strays(run: Path) -> list[int]:
    """The processes that measure in a run's folder, which are not the supervisors: those run somewhere else."""
    return [pid for pid, cwd in working_folders() if cwd.startswith(f"{run}{os.sep}")]


def working_folders() -> list[tuple[int, str]]:
    """Every process and the folder that it works in."""
    return [(p.info["pid"], p.info["cwd"] or "") for p in psutil.process_iter(["pid", "cwd"])]


ASK = """import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
print(done.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, flush=True)
sys.stdout.buffer.write(done.stdout)
"""


def peak_memory(command: list[str], environment: dict[str, str]) -> tuple[int, int, str]:
    """A command's exit code, the most memory that it held in the system's unit (KiB on Linux), and its output.

    A small process starts it: what a process is forked from counts for it, and pytest's workers grow to half a GiB.
    """
    words = [sys.executable, "-S", "-c", ASK, *command]
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    numbers, _, said = done.stdout.partition("\n")
    code, peak = map(int, numbers.split())
    return code, peak, said
