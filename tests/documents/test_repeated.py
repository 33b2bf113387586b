"""results/repeated.md, the proof that a run can be repeated: it is what its command prints, and as good as is claimed."""

import json
import re
import shlex
import subprocess
import sys

import numpy as np

from bench.base.paths import ROOT

PAGE = (ROOT / "results/repeated.md").read_text(encoding="utf-8")
METHODOLOGY = (ROOT / "METHODOLOGY.md").read_text(encoding="utf-8")
MEDIAN_PERCENT, HIGH_PERCENT = 1, 3
"""What a median cell, and nine cells of ten, may differ by."""


def printed(*options: str) -> str:
    """What the page's command prints, with the options in place of its own."""
    words = shlex.split(PAGE.split("```sh\n")[1].split("```")[0].replace("\\\n", " "))
    command = [sys.executable, "-m", "bench.cli", *words[1:-1], *options]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def test_the_page_is_what_its_command_prints() -> None:
    assert PAGE.split("```\n")[1].strip() == printed("--markdown").strip()


def test_cells_repeat_as_well_as_is_said() -> None:
    found = json.loads(printed("--json"))
    changes = found["changes"]
    of_canaries = np.array([abs(one["ratio"]["point"] - 1) * 100 for one in changes])
    in_ns = np.array([abs(one["other_ns"] / one["one_ns"] - 1) * 100 for one in changes])
    assert np.median(of_canaries) <= MEDIAN_PERCENT
    assert np.percentile(of_canaries, 90) <= HIGH_PERCENT
    assert {one["cell"].split()[1] for one in changes} == {"process-created", "array-f64", "nested-object"}
    section = METHODOLOGY.split("## How well it repeats")[1].split("\n## ")[0]
    assert f"{len(changes)} cells" in section
    assert f"calls {found['differences'] or 'none'} of them changed" in re.sub(r"\s+", " ", section)
    for values in (in_ns, of_canaries):
        told = " | ".join(f"{value:.2f}" for value in (np.median(values), np.percentile(values, 90), values.max()))
        assert f"| {told} |" in section
