"""What a repetition frees stays with the process: no page is faulted in again for each."""

import os
import subprocess
from pathlib import Path

import pytest

from bench.base.paths import manifest
from bench.building.runner import Runner
from bench.model.cells import Cell
from bench.scenarios.inputs import input_file
from tests.support.scenarios.committed import built_runners, committed_scenarios

pytestmark = [
    pytest.mark.skipif(not manifest().exists(), reason="no runners are built: `./lab build` builds them"),
    pytest.mark.skipif(os.confstr("CS_GNU_LIBC_VERSION") is None, reason="other C libraries have no such options"),
]

SCENARIOS = committed_scenarios(sweeps=True)
FEW, MANY = 10, 110
FIRST = "glibc.malloc.mmap_threshold=131072:glibc.malloc.trim_threshold=131072"
"""What glibc begins with, without the rise that it makes on its own after one large array."""


def faults(runner: Runner, cell: Cell, repetitions: int, work: Path) -> int:
    """Pages that a process of so many repetitions had the system map."""
    command = runner.measure_command(
        cell,
        input_file=input_file(SCENARIOS[cell.scenario]),
        work=work,
        repetitions=repetitions,
        warmup=3,
        samples=1,
        out=work / "samples.jsonl",
        keys=None,
    )
    process = subprocess.Popen(command, env=os.environ | {"GLIBC_TUNABLES": FIRST})
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return used.ru_minflt


@pytest.mark.parametrize(
    ("codec", "scenario"),
    [
        ("rust/borsh", "log"),
        ("rust/minicbor", "log"),
        ("cpp/msgpack-c", "array-f64-4mib"),
        pytest.param("cpp/glaze-json", "array-f64-4mib", marks=pytest.mark.slow),
    ],
)
def test_a_repetition_faults_no_page_in(codec: str, scenario: str, tmp_path: Path) -> None:
    runner = next(one for one in built_runners() if one.codec == codec)
    cell = next(
        Cell(codec, one.scenario, one.operation, one.conditions)
        for one in runner.description.cells
        if (one.scenario, one.operation, one.conditions.output, one.conditions.drop)
        == (scenario, "deserialize", "owned", "inside")
    )
    more = faults(runner, cell, MANY, tmp_path) - faults(runner, cell, FEW, tmp_path)
    assert more < (MANY - FEW) / 10, f"{more / (MANY - FEW):.0f} pages a repetition"
