"""The runs below results/, which take long to read."""

from functools import cache

from analysis.commands.results import read_reports
from analysis.tables.reports import RunReport
from bench.base.paths import RESULTS


@cache
def recorded() -> list[RunReport]:
    """All of them by time and id, read once for the tests of a process. Raises LabError if there is none."""
    return read_reports(RESULTS)
