"""results/repeated.md, the proof that a run can be repeated: it is what its command prints, and as good as is claimed."""

import json
import re
import shlex
import subprocess
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.base.paths import ROOT

PAGE = (ROOT / "results/repeated.md").read_text(encoding="utf-8")
METHODOLOGY = (ROOT / "METHODOLOGY.md").read_text(encoding="utf-8")
THREE = {"process-created", "array-f64", "nested-object"}
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
    changes = json.loads(printed("--json"))["changes"]
    section = METHODOLOGY.split("## How well it repeats")[1].split("\n## ")[0]
    assert len({one["cell"].split()[1] for one in changes}) == 20
    assert f"{len(changes)} cells of 20 tables" in section
    in_ns, of_canaries = of_time(changes), of_units(changes)
    of_three = of_units([one for one in changes if one["cell"].split()[1] in THREE])
    assert f"({len(of_three)} cells)" in section
    for values in (of_canaries, of_three):
        assert np.median(values) <= MEDIAN_PERCENT
        assert np.percentile(values, 90) <= HIGH_PERCENT
    for values in (in_ns, of_canaries, of_three):
        told = " | ".join(f"{value:.2f}" for value in (np.median(values), np.percentile(values, 90), values.max()))
        assert f"| {told} |" in section


def test_cells_that_changed_and_that_cannot_be_compared_are_counted() -> None:
    section = METHODOLOGY.split("## How well it repeats")[1].split("\n## ")[0]
    changed = re.findall(r"^\| (\S+) .* \| (?:shorter|longer) \|", PAGE, re.MULTILINE)
    assert f"{len(changed)} of 580 cells differ" in PAGE
    assert not any("brec" in codec for codec in changed)
    assert f"calls {len(changed)} other cells changed" in section
    left_out = re.findall(r"^- Left out: .*: too few calm loops", PAGE, re.MULTILINE)
    more = re.search(r"^- Left out: and (\d+) more", PAGE, re.MULTILINE)
    assert more and f"{len(left_out) + int(more[1])} had too few calm loops" in section


def of_time(changes: list[dict[str, Any]]) -> NDArray[np.float64]:
    """By how much each cell's nanoseconds changed, in per cent."""
    return np.array([abs(one["other_ns"] / one["one_ns"] - 1) * 100 for one in changes])


def of_units(changes: list[dict[str, Any]]) -> NDArray[np.float64]:
    """By how much each cell's figure in units of canaries changed, in per cent."""
    return np.array([abs(one["ratio"]["point"] - 1) * 100 for one in changes])
