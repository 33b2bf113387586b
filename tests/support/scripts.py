"""The workflows and the action, and their scripts as a runner of GitHub starts them."""

import os
import subprocess
import sys
from pathlib import Path

import yaml

from tests.support.lab import ROOT

WORKFLOWS = {path.stem: yaml.safe_load(path.read_text()) for path in (ROOT / ".github/workflows").iterdir()}
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())


def run(script: str, folder: Path, **variables: str) -> "subprocess.CompletedProcess[str]":
    """A script as the runners start it, with `python lab` as the lab of this checkout."""
    bin_ = folder.parent / "bin"
    bin_.mkdir(exist_ok=True)
    if not (bin_ / "python").exists():
        (bin_ / "python").symlink_to(sys.executable)
    if not (folder / "lab").exists():
        (folder / "lab").write_text(
            f"import subprocess, sys\nsys.exit(subprocess.call([{sys.executable!r}, '-m', 'bench.cli', *sys.argv[1:]]))\n"
        )
    environment = os.environ | {
        "PATH": f"{bin_}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "RUNNER_TEMP": str(folder.parent),
    }
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=folder,
        env=environment | variables,
        capture_output=True,
        text=True,
        check=False,
    )
