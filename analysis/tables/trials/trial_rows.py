"""A user's data codec by codec: sizes of all messages, times of the sample, and what is on the Pareto front."""

import math
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct, structs

from analysis.base import problems as errors
from analysis.data.cells import RunCells, ScenarioCells, Series, read_cells
from analysis.data.floors import calm_spread, floor_of_comparison
from analysis.data.select import nearest
from analysis.data.summaries import Summary, scenario_summaries
from analysis.tables.timings import differences
from bench.base.files import is_there, read_json
from bench.model.cells import Operation
from bench.model.findings import DATA_FILE, CodecData, DataReport
from bench.statistics.layouts import SINGLE_LAYOUT_MARGIN

Floor = Callable[[str, str], float]
"""The share by which the times of two codecs must differ to mean anything."""


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
    is_bounded: bool = True
    """False where too little was measured for an interval."""
    is_linked: bool = True
    """False where it is of one layout of the program, which says nothing of others."""

    @property
    def is_judged(self) -> bool:
        """Whether it may be compared with others."""
        return self.is_figure and self.is_bounded

    @property
    def log_half_width(self) -> float:
        """Half of the interval, as a logarithm."""
        return math.log(self.high_ns / self.low_ns) / 2


class TrialRow(Struct, frozen=True):
    """A codec."""

    data: CodecData
    format: str | None
    """None where it was not measured."""
    self_describing: bool
    times: dict[Operation, Time]
    on_front: bool = False
    """Whether it is faster than every smaller codec, and no other of its size is faster, beyond chance and noise."""
    is_as_fast: bool = False
    """Whether its round trip cannot be told apart from the fastest codec's."""
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

    @property
    def ranks(self) -> bool:
        """Whether its time is good enough for the front, too."""
        return self.compares and self.round_trip is not None and self.round_trip.is_judged


class Trial(Struct, frozen=True, eq=False):
    """A run of `lab try`."""

    cells: RunCells
    report: DataReport
    rows: tuple[TrialRow, ...]
    """By time of the round trip; those without one last."""
    is_uneven: bool = False
    """Whether some codecs met calmer moments than others, so that their order is uncertain."""

    @property
    def front(self) -> list[TrialRow]:
        """The Pareto front of size and round trip, smallest first; of one size, the fastest first."""
        return sorted((row for row in self.rows if row.on_front), key=_size_and_time)


def read_trial(path: Path) -> Trial:
    """The run in a folder. Raises LabError where `lab try` has not recorded it."""
    if not is_there(path / DATA_FILE):
        raise errors.not_a_trial(path)
    cells, report = read_cells(path), read_json(path / DATA_FILE, DataReport)
    measured = [one for one in cells.scenarios if one.scenario.name == report.scenario]
    rows = [_row(data, cells, measured, report.sampled) for data in report.codecs]

    def floor(one: str, other: str) -> float:
        return max((floor_of_comparison(held, one, other) for held in measured), default=0.0)

    ordered = tuple(sorted(marked(rows, floor), key=_order))
    return Trial(cells, report, ordered, is_uneven=any(calm_spread(held) for held in measured))


def _row(data: CodecData, run: RunCells, measured: Sequence[ScenarioCells], messages: int) -> TrialRow:
    series = [one for cells in measured for one in nearest(cells).get(data.codec, {}).values()]
    known = {one.cell: one for cells in measured for one in scenario_summaries(run, cells)}
    times = {one.cell.operation: _time(known[str(one.cell)], messages) for one in series if one.measured}
    both = [times.get(Operation.SERIALIZE), times.get(Operation.DESERIALIZE)]
    offers_both = any(one.cell.operation is Operation.ROUND_TRIP for one in series)  # it may have failed
    if not offers_both and both[0] and both[1]:
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
        is_bounded=low < high,
        is_linked=cell.layouts > 1,
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
        is_bounded=one.is_bounded and other.is_bounded,
        is_linked=one.is_linked and other.is_linked,
    )


def _added(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one + other


def no_floor(_: str, __: str) -> float:
    """Where nothing is known of the noise."""
    return 0.0


def marked(rows: Sequence[TrialRow], floor: Floor = no_floor) -> list[TrialRow]:
    """The rows, with those marked that are on the Pareto front, and those that may be as fast as its fastest.

    From the smallest codec on, each is on the front that is faster than those of the front that are smaller, and is
    not slower than another of its size.
    """
    ranked = sorted((row for row in rows if row.ranks), key=_size_and_time)
    front: list[TrialRow] = []
    for row in ranked:
        smaller = [one for one in front if _size(one) < _size(row)]
        same = [one for one in ranked if _size(one) == _size(row)]
        if all(is_faster(row, one, floor) for one in smaller) and not any(is_faster(one, row, floor) for one in same):
            front.append(row)
    names = {row.codec for row in front}
    best = fastest(front)
    near = {row.codec for row in ranked if best and row is not best and not is_faster(best, row, floor)}
    return [structs.replace(row, on_front=row.codec in names, is_as_fast=row.codec in near) for row in rows]


def fastest(front: Sequence[TrialRow]) -> TrialRow | None:
    """The fastest codec of a front: of its largest, which are faster than all others, that with the least time."""
    return min(front, key=_ns, default=None)


def is_faster(one: TrialRow, other: TrialRow, floor: Floor) -> bool:
    """Whether a codec's round trip is faster than another's by more than chance and noise."""
    assert one.round_trip and other.round_trip
    fast, slow = one.round_trip, other.round_trip
    least = slow.ns / fast.ns * math.exp(-math.hypot(fast.log_half_width, slow.log_half_width))
    margin = 0.0 if fast.is_linked and slow.is_linked else SINGLE_LAYOUT_MARGIN
    return least > 1 + max(floor(one.codec, other.codec), margin)


def _ns(row: TrialRow) -> float:
    assert row.round_trip
    return row.round_trip.ns


def _size(row: TrialRow) -> int:
    assert row.data.sizes
    return row.data.sizes.total_bytes


def _size_and_time(row: TrialRow) -> tuple[int, float]:
    return _size(row), _ns(row)


def _order(row: TrialRow) -> tuple[bool, float, str]:
    return not row.compares, row.round_trip.ns if row.round_trip else float("inf"), row.codec
