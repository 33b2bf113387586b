"""Copies of this checkout, to be changed or read while other tests build in the checkout itself."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from bench.base.paths import ROOT

LISTED = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]


def copied_checkout(copy: Path, wanted: Callable[[str], bool] = lambda name: True) -> Path:
    """What git would take of the checkout, with its changes, for names that are `wanted`."""
    listed = subprocess.run(LISTED, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        if wanted(name) and (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy / name)
    return copy


def without_runs(name: str) -> bool:
    """All but recorded runs, which are large."""
    return not name.startswith("results/")
