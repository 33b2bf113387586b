"""results/repeated.md, the proof that a run can be repeated: it is what its command prints, and as good as is claimed."""

import json
import re
import shlex
import subprocess
import sys
from datetime import datetime, timedelta
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.base.paths import ROOT
from bench.records.run_file import read_run_file

PAGE = (ROOT / "results/repeated.md").read_text(encoding="utf-8")
METHODOLOGY = (ROOT / "METHODOLOGY.md").read_text(encoding="utf-8")
THREE = {"process-created", "array-f64", "nested-object"}
MEDIAN_PERCENT, HIGH_PERCENT = 1, 3
"""What a median cell, and nine cells of ten, may differ by."""


@cache
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
    assert {one["cell"].split()[1] for one in changes} == THREE
    assert all(f"`{name}`" in section for name in THREE)
    assert f"{len(changes)} cells of {len(THREE)} tables" in section
    in_ns, of_canaries = of_time(changes), of_units(changes)
    assert np.median(of_canaries) <= MEDIAN_PERCENT
    assert np.percentile(of_canaries, 90) <= HIGH_PERCENT
    for values in (in_ns, of_canaries):
        told = " | ".join(f"{value:.2f}" for value in (np.median(values), np.percentile(values, 90), values.max()))
        assert f"| {told} |" in section


def test_cells_that_changed_are_counted_and_none_has_too_few_calm_loops() -> None:
    section = METHODOLOGY.split("## How well it repeats")[1].split("\n## ")[0]
    compared = json.loads(printed("--json"))
    changed = re.findall(r"^\| (\S+) .* \| (?:shorter|longer) \|", PAGE, re.MULTILINE)
    assert f"{len(changed)} of {len(compared['changes'])} cells differ" in PAGE
    assert f"calls {len(changed)} of them changed" in section
    assert not any("calm loops" in one for one in compared["left_out"])
    assert "none with too few calm loops" in section


def test_the_runs_are_an_hour_apart_and_of_the_same_programs() -> None:
    one, other = (read_run_file(ROOT / name) for name in re.findall(r"(results/\S+-linux-x86_64-\w{6})", PAGE)[:2])
    apart = abs(datetime.fromisoformat(other.created) - datetime.fromisoformat(one.created))
    assert timedelta(hours=1) <= apart
    assert one.environment["cpu"] == other.environment["cpu"]
    assert one.layouts == other.layouts


def of_time(changes: list[dict[str, Any]]) -> NDArray[np.float64]:
    """By how much each cell's nanoseconds changed, in per cent."""
    return np.array([abs(one["other_ns"] / one["one_ns"] - 1) * 100 for one in changes])


def of_units(changes: list[dict[str, Any]]) -> NDArray[np.float64]:
    """By how much each cell's figure in units of canaries changed, in per cent."""
    return np.array([abs(one["ratio"]["point"] - 1) * 100 for one in changes])
