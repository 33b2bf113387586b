"""The runs below results/, which take long to read."""

from functools import cache
from pathlib import Path

from analysis.commands.results import read_reports
from analysis.data.cells import RunCells, read_cells
from analysis.data.machines.run_paths import runs_below
from analysis.tables.reports import RunReport
from bench.base.paths import RESULTS


@cache
def recorded() -> list[RunReport]:
    """All of them by time and id, read once for the tests of a process. Raises LabError if there is none."""
    return read_reports(RESULTS)


@cache
def cells_of(path: Path) -> RunCells:
    """The cells of one, read once for the tests of a process."""
    return read_cells(path)


@cache
def recorded_cells() -> list[RunCells]:
    """Their cells without tables, which take half as long."""
    known = recorded.cache_info().currsize
    return [report.cells for report in recorded()] if known else [*map(cells_of, runs_below([RESULTS]))]
