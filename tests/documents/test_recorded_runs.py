"""The runs below results/, as CI checks those of a pull request."""

import pytest

from analysis.data.machines.checks import check_submitted
from analysis.data.machines.packed import FILE
from analysis.data.machines.run_paths import runs_below
from bench.base.paths import ROOT

RESULTS = ROOT / "results"


@pytest.mark.slow
def test_every_submitted_run_passes_its_check() -> None:
    found = check_submitted([RESULTS])
    assert {path: wrong for path, wrong in found.items() if wrong} == {}


def test_no_run_lies_there_unpacked() -> None:
    assert [path.name for path in runs_below([RESULTS]) if not (path / FILE).exists()] == []


def test_results_lie_in_folders_of_machines() -> None:
    assert {len(path.relative_to(RESULTS).parts) for path in runs_below([RESULTS])} == {2}
