"""Which processes of a run are there."""

import os
from pathlib import Path

import psutil


def strays(run: Path) -> list[int]:
    """The processes that measure in a run's folder, which are not the supervisors: those run somewhere else."""
    return [pid for pid, cwd in working_folders() if cwd.startswith(f"{run}{os.sep}")]


def working_folders() -> list[tuple[int, str]]:
    """Every process and the folder that it works in."""
    return [(p.info["pid"], p.info["cwd"] or "") for p in psutil.process_iter(["pid", "cwd"])]
