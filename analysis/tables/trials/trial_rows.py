"""A user's data codec by codec: sizes of all messages, times of the sample, and what is on the Pareto front."""

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct, structs

from analysis.base import problems as errors
from analysis.data.cells import RunCells, ScenarioCells, Series, read_cells
from analysis.data.select import nearest
from analysis.data.summaries import Summary, scenario_summaries
from analysis.tables.timings import differences
from bench.base.files import is_there, read_json
from bench.model.cells import Operation
from bench.model.findings import DATA_FILE, CodecData, DataReport


class Time(Struct, frozen=True):
    """Nanoseconds a message, with the 95 % interval, and what a message takes besides."""

    ns: float
    low_ns: float
    high_ns: float
    allocations: float | None
    instructions: float | None
    is_figure: bool = True
    """False where too few loops were calm: then it is the median of all loops, between the shortest and the longest."""
    is_sum: bool = False
    """Whether it is serialize and deserialize together, of a codec that offers no round trip."""


class TrialRow(Struct, frozen=True):
    """A codec."""

    data: CodecData
    format: str | None
    """None where it was not measured."""
    self_describing: bool
    times: dict[Operation, Time]
    on_front: bool = False
    """Whether no other codec is at least as small and as fast."""
    conditions: str = ""
    """In what its cells differ from the usual ones."""
    problem: str | None = None
    """Why an operation has no time."""

    @property
    def codec(self) -> str:
        """Its name."""
        return self.data.codec

    @property
    def round_trip(self) -> Time | None:
        """Of a message."""
        return self.times.get(Operation.ROUND_TRIP)

    @property
    def compares(self) -> bool:
        """Whether it has a size, a time, and no mistake."""
        return self.data.sizes is not None and self.round_trip is not None and self.data.failure is None


class Trial(Struct, frozen=True, eq=False):
    """A run of `lab try`."""

    cells: RunCells
    report: DataReport
    rows: tuple[TrialRow, ...]
    """By time of the round trip; those without one last."""

    @property
    def front(self) -> list[TrialRow]:
        """The Pareto front of size and round trip, smallest first."""
        return sorted((row for row in self.rows if row.on_front), key=_size)


def read_trial(path: Path) -> Trial:
    """The run in a folder. Raises LabError where `lab try` has not recorded it."""
    if not is_there(path / DATA_FILE):
        raise errors.not_a_trial(path)
    cells, report = read_cells(path), read_json(path / DATA_FILE, DataReport)
    measured = [one for one in cells.scenarios if one.scenario.name == report.scenario]
    rows = [_row(data, cells, measured, report.sampled) for data in report.codecs]
    return Trial(cells, report, tuple(sorted(marked(rows), key=_order)))


def _row(data: CodecData, run: RunCells, measured: Sequence[ScenarioCells], messages: int) -> TrialRow:
    series = [one for cells in measured for one in nearest(cells).get(data.codec, {}).values()]
    known = {one.cell: one for cells in measured for one in scenario_summaries(run, cells)}
    times = {one.cell.operation: _time(known[str(one.cell)], messages) for one in series if one.measured}
    both = [times.get(Operation.SERIALIZE), times.get(Operation.DESERIALIZE)]
    if Operation.ROUND_TRIP not in times and both[0] and both[1]:
        times[Operation.ROUND_TRIP] = together(both[0], both[1])
    planned = series[0].planned if series else None
    return TrialRow(
        data,
        planned.format if planned else None,
        bool(planned and planned.self_describing),
        times,
        conditions=_conditions(series, measured),
        problem=next((one.failures[0] for one in series if not one.measured and one.failures), None),
    )


def _conditions(series: Sequence[Series], measured: Sequence[ScenarioCells]) -> str:
    words = [word for one in series for word in differences(one.cell, measured[0].scenario).split()]
    return " ".join(dict.fromkeys(words))


def _time(cell: Summary, messages: int) -> Time:
    low, high = (cell.low_ns, cell.high_ns) if cell.is_figure else (cell.min_ns, cell.max_ns)
    return Time(
        ns=cell.median_ns / messages,
        low_ns=low / messages,
        high_ns=high / messages,
        allocations=None if cell.allocations is None else cell.allocations / messages,
        instructions=None if cell.instructions is None else cell.instructions / messages,
        is_figure=cell.is_figure,
    )


def together(one: Time, other: Time) -> Time:
    """Two operations, one after the other. The bounds are added, which makes the interval rather too wide."""
    return Time(
        ns=one.ns + other.ns,
        low_ns=one.low_ns + other.low_ns,
        high_ns=one.high_ns + other.high_ns,
        allocations=_added(one.allocations, other.allocations),
        instructions=_added(one.instructions, other.instructions),
        is_figure=one.is_figure and other.is_figure,
        is_sum=True,
    )


def _added(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one + other


def marked(rows: Sequence[TrialRow]) -> list[TrialRow]:
    """The rows, with those on the Pareto front marked."""
    return [
        structs.replace(
            row, on_front=row.compares and not any(dominates(other, row) for other in rows if other.compares)
        )
        for row in rows
    ]


def dominates(one: TrialRow, other: TrialRow) -> bool:
    """Whether a codec is as small and as fast as another, and smaller, or faster by more than chance."""
    assert one.round_trip and other.round_trip
    if _size(one) > _size(other) or one.round_trip.ns > other.round_trip.ns:
        return False
    return _size(one) < _size(other) or one.round_trip.high_ns < other.round_trip.low_ns


def _size(row: TrialRow) -> int:
    assert row.data.sizes
    return row.data.sizes.total_bytes


def _order(row: TrialRow) -> tuple[bool, float, str]:
    return not row.compares, row.round_trip.ns if row.round_trip else float("inf"), row.codec
