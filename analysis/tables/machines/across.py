"""A scenario on several machines: how each row's ratio to a reference ranges, and which ranks move.

Times of two machines are never put into one column: what stays the same between machines, if anything, is a ratio.
"""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from analysis.data.cells import Series
from analysis.data.floors import ranks_of
from analysis.data.inference import ratio_of, time_of
from analysis.data.machines.run_paths import machine_name
from analysis.statistics.estimates import Estimate
from analysis.tables.notes import commit
from analysis.tables.reports import RunReport, ScenarioReport
from bench.model.cells import Operation
from bench.model.record import Run

Reports = Sequence[tuple[RunReport, ScenarioReport]]
"""Runs that hold a scenario, with its tables; the first of a machine represents it."""


class RowAcross(Struct, frozen=True, eq=False):
    """A codec in one operation on all machines that have a figure of it."""

    codec: str
    operation: Operation
    reference: str
    ratios: Mapping[str, Estimate]
    """Machine → its time over that of the reference there."""
    ranks: Mapping[str, int]
    """Machine → its rank there among the codecs that every machine has; empty where ranks are withheld."""

    @property
    def low(self) -> float:
        """The least ratio of any machine."""
        return min(one.point for one in self.ratios.values())

    @property
    def high(self) -> float:
        """The largest ratio of any machine."""
        return max(one.point for one in self.ratios.values())

    @property
    def move(self) -> int:
        """By how many ranks machines differ."""
        return max(self.ranks.values()) - min(self.ranks.values()) if len(self.ranks) > 1 else 0


def commits_note(runs: Iterable[Run]) -> tuple[str, ...]:
    """A note where runs are of several commits of the lab; else nothing."""
    commits = {commit(run) for run in runs}
    if len(commits) < 2:
        return ()
    return (f"The runs are of several commits ({', '.join(sorted(commits))}): a difference may be the code's.",)


def of_machines(reports: Reports) -> dict[str, ScenarioReport]:
    """Machine → the report that represents it, in the order of names; runs without times represent none."""
    result: dict[str, ScenarioReport] = {}
    for run, one in reports:
        if run.run.plan.profile.is_timed:
            result.setdefault(machine_name(run.run), one)
    return dict(sorted(result.items()))


def rows_across(reports: Reports) -> list[RowAcross]:
    """The rows of a scenario's table on all its machines; none where there is only one machine.

    The reference of an operation is that of the first machine's table if every machine has it, else the codec that
    is the fastest on the first.
    """
    machines = of_machines(reports)
    if len(machines) < 2:
        return []
    first = next(iter(machines.values()))
    return [row for operation in first.table.operations for row in _rows(machines, operation)]


def _rows(machines: Mapping[str, ScenarioReport], operation: Operation) -> list[RowAcross]:
    chosen = _of_one_version({name: _timed(one, operation) for name, one in machines.items()})
    first = next(iter(machines.values()))
    shared = [codec for codec in next(iter(chosen.values())) if all(codec in own for own in chosen.values())]
    if not shared:
        return []
    wanted = [section.reference for section in first.table.sections if section.operation is operation]
    reference = next((one for one in [*wanted, first.table.overview.reference] if one in shared), None) or shared[0]
    placed = {
        name: ranks_of(one.cells, {codec: series for codec, series in chosen[name].items() if codec in shared})
        for name, one in machines.items()
    }
    return [
        RowAcross(
            codec,
            operation,
            reference,
            {name: ratio for name, own in chosen.items() if (ratio := _ratio(own, codec, reference))},
            {name: own[codec] for name, own in placed.items() if codec in own},
        )
        for codec in dict.fromkeys(codec for own in chosen.values() for codec in own)
        if sum(codec in own for own in chosen.values()) > 1
    ]


def _of_one_version(chosen: Mapping[str, dict[str, Series]]) -> dict[str, dict[str, Series]]:
    """The cells without those codecs whose library has another version on another machine."""
    versions: dict[str, set[tuple[str | None, str | None]]] = {}
    for own in chosen.values():
        for codec, series in own.items():
            versions.setdefault(codec, set()).add((series.planned.library, series.planned.version))
    return {
        name: {codec: series for codec, series in own.items() if len(versions[codec]) == 1}
        for name, own in chosen.items()
    }


def _timed(one: ScenarioReport, operation: Operation) -> dict[str, Series]:
    """Codec → its cell, from the fastest to the slowest; controls left out."""
    known = [own[operation] for own in one.table.chosen.values() if operation in own]
    times = {one.cell.codec: time.point for one in known if (time := time_of(one)) and not one.planned.control}
    series = {one.cell.codec: one for one in known}
    return {codec: series[codec] for codec in sorted(times, key=lambda codec: (times[codec], codec))}


def _ratio(own: Mapping[str, Series], codec: str, reference: str) -> Estimate | None:
    return ratio_of(own[codec], own[reference]) if codec in own and reference in own else None
