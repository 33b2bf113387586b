"""What one run says of a claim."""

import math
from collections.abc import Sequence

import msgspec
import numpy as np
from msgspec import Struct

from analysis.claims.bands import band_of, published_band, scale
from analysis.claims.cell_estimates import (
    floor_for,
    held_in,
    mean_estimate,
    noise_of,
    ratio_estimate,
    time_estimate,
)
from analysis.claims.definitions import Entry, Pair, Side
from analysis.claims.needs import Need
from analysis.claims.verdicts import (
    LEAST_OF_MEAN,
    Band,
    Judgement,
    Verdict,
    verdict_of_difference,
    verdict_of_factor,
    verdict_of_figure,
)
from analysis.data.cells import RunCells, ScenarioCells, Series
from analysis.data.floors import raised_floor
from analysis.data.select import choose, controls_of, encoded_bytes
from analysis.sources.publications import Kind
from analysis.statistics.estimates import Estimate, exact
from analysis.statistics.intervals import LEAST_ROUNDS
from bench.model.cells import Conditions, ControlRole, Operation
from bench.model.plan import Profile

LEAST_KB = 300.0
"""Peak memory of processes that keep nothing of a file differs by up to so many units of 1024 bytes: pages and the
allocator's own. Seen in recorded runs: −200 to 288."""


TOO_FEW_CALM = "too few loops were calm"


class Measurement(Struct, frozen=True):
    """One run's answer to one entry."""

    run: str
    figure: Estimate | None
    """The factor, or the single figure in the unit of the CSV; None if the run cannot tell."""
    pair: Pair | None
    """The pair that decides, of those that the claim compares."""
    verdict: Verdict
    why: str
    need: Need | None = None
    reason: str = ""
    """`why` without the name of the pair that decides."""
    floor: float | None = None
    """The share by which identical code differs there; None of what is no time, and without a figure."""


class UnknownError(Exception):
    """A figure that a run does not have, and why."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


def measure(entry: Entry, run: RunCells) -> Measurement:
    """What one run says of one entry."""
    name = run.run.id
    try:
        if entry.pairs:
            return _compare(entry, run)
        figure = _figure(entry, run)
        floor = _floor(entry, figure, run, entry.row)
        least = LEAST_OF_MEAN if entry.kind is Kind.MEMORY else LEAST_ROUNDS
        judged = verdict_of_figure(figure, published_band(entry), floor, least)
        if judged.verdict in (Verdict.REFUTED, Verdict.UNDECIDED) and (limit := _machine_limit(entry, run)) is not None:
            judged = Judgement(Verdict.NOT_MEASURABLE, limit)
        return Measurement(
            run=name,
            figure=figure,
            pair=None,
            verdict=judged.verdict,
            why=judged.why,
            need=judged.need,
            reason=judged.why,
            floor=floor or None,
        )
    except UnknownError as unknown:
        return Measurement(name, None, None, Verdict.NOT_MEASURED, unknown.why)


class _Compared(Struct, frozen=True):
    """One pair of a claim, judged."""

    pair: Pair
    figure: Estimate
    judged: Judgement
    floor: float
    distance: float
    """The nearer to refuting the claim, the smaller."""


def _compare(entry: Entry, run: RunCells) -> Measurement:
    """Judges each pair: the worst verdict is the claim's. Of several pairs with it the nearest to refuting is shown."""
    unknown, compared = list[UnknownError](), list[_Compared]()
    for pair in entry.pairs:
        try:
            compared.append(_judged(entry, pair, run))
        except UnknownError as missing:
            unknown.append(missing)
    if not compared:
        raise unknown[0]
    for verdict in (Verdict.REFUTED, Verdict.UNDECIDED, Verdict.SAME_DIRECTION):
        if deciding := [one for one in compared if one.judged.verdict is verdict]:
            break
    else:
        deciding = compared
    nearest = min(deciding, key=lambda one: (one.distance, one.pair.other.codec))
    if unknown and nearest.judged.verdict is not Verdict.REFUTED:
        raise unknown[0]
    judged = nearest.judged
    why = judged.why if len(entry.pairs) == 1 else f"{_named(entry, nearest.pair)}: {judged.why}"
    return Measurement(
        run=run.run.id,
        figure=nearest.figure,
        pair=nearest.pair,
        verdict=judged.verdict,
        why=why,
        need=judged.need,
        reason=judged.why,
        floor=nearest.floor or None,
    )


def _named(entry: Entry, pair: Pair) -> str:
    """The pair that decides, where the claim compares several."""
    against = f"against {pair.other.codec}"
    return f"{pair.one.codec} {against}" if pair.one != entry.row else against


def _judged(entry: Entry, pair: Pair, run: RunCells) -> _Compared:
    direction, band = entry.claim.direction, band_of(entry, pair)
    if entry.kind is Kind.MEMORY:
        difference = _difference(entry, pair, run)
        whole: Band | None = band if all(_is_whole(side, run) for side in (pair.one, pair.other)) else None
        judged = verdict_of_difference(difference, whole, LEAST_KB)
        return _Compared(pair, difference, judged, floor=0.0, distance=difference.point)
    factor = _factor(entry, pair, run)
    floor = _floor(entry, factor, run, pair.one, pair.other)
    judged = verdict_of_factor(direction, factor, band, floor)
    distance = -abs(math.log(factor.point)) if direction == "equal" else factor.point
    return _Compared(pair, factor, judged, floor, distance)


def _floor(entry: Entry, figure: Estimate, run: RunCells, *sides: Side) -> float:
    """The noise floor of a figure of these cells, the largest of their scenarios'; 0 for what is no time.

    Where some codecs met clearly calmer moments, it is at least what canaries let pass.
    """
    if entry.kind.is_size or entry.kind is Kind.MEMORY:
        return 0.0
    codecs = [side.codec for side in sides]
    return max(
        raised_floor(held_in(run, scenario), floor_for(figure, noise_of(run, scenario, *codecs)))
        for scenario in {side.scenario for side in sides}
    )


# figures


def _factor(entry: Entry, pair: Pair, run: RunCells) -> Estimate:
    """The measured factor of two sides, above 1 where the claim is true. Raises UnknownError if the run cannot tell."""
    one, other = pair.one, pair.other
    if entry.kind.is_size:
        ratio = exact(_size(one, run) / _size(other, run))
    else:
        measured = ratio_estimate(series_of(one, run), series_of(other, run))
        if measured is None:
            raise UnknownError(f"the two cells share no round, or {TOO_FEW_CALM}")
        ratio = measured.scaled(other.items / one.items)
        if entry.kind is Kind.THROUGHPUT:
            ratio = ratio.inverse().scaled(_size(one, run) / _size(other, run))
    return ratio.inverse() if entry.claim.direction == "less" else ratio


def _figure(entry: Entry, run: RunCells) -> Estimate:
    """The single figure of a claim without a second row, in the unit of the CSV."""
    side = entry.row
    if entry.kind is Kind.SIZE:
        return exact(_size(side, run) / scale(side.value))
    series = series_of(side, run)
    if entry.kind is Kind.MEMORY:
        if not _is_whole(side, run):
            raise UnknownError(_of_fewer_rows(series, _scenario(side, run)))
        return mean_estimate(np.array([*_memory_kb(series).values()]))
    time = time_estimate(series)
    if time is None:
        raise UnknownError(TOO_FEW_CALM)
    ns = time.scaled(1 / side.items)
    if entry.kind is Kind.THROUGHPUT:
        return ns.inverse().scaled(_size(side, run) * 1e9 / scale(side.value))
    return ns.scaled(1e-6 / scale(side.value))


def _memory_kb(series: Series) -> dict[int, float]:
    """Round → peak memory of the process minus that of the same process at 0 repetitions, in units of 1024 bytes."""
    more = (series.peak_memory_bytes - series.base_memory_bytes) / 1024
    known = {int(number): float(kb) for number, kb in zip(series.rounds, more, strict=True) if np.isfinite(kb)}
    if not known:
        raise UnknownError("no round in which the peak memory of both processes is known")
    return known


def _difference(entry: Entry, pair: Pair, run: RunCells) -> Estimate:
    """By how much more memory the one side takes, or less if that is claimed, in rounds that know both."""
    one, other = (_memory_kb(series_of(side, run)) for side in (pair.one, pair.other))
    shared = sorted(one.keys() & other.keys())
    if not shared:
        raise UnknownError("no round in which the peak memory of both cells is known")
    sign = -1 if entry.claim.direction == "less" else 1
    return mean_estimate(np.array([sign * (one[number] - other[number]) for number in shared]))


def _is_whole(side: Side, run: RunCells) -> bool:
    """Whether the run's file has as many rows as the published one; true of what is no file."""
    series, published = series_of(side, run), _scenario(side, run).scenario.published.repetitions
    return not series.cell.operation.is_file or series.repetitions >= published


def _of_fewer_rows(series: Series, cells: ScenarioCells) -> str:
    """Why peak memory of a smaller file than the published one is not compared with it."""
    share = series.repetitions / cells.scenario.published.repetitions
    hidden = (
        ", and the peak of preparing the rows, which is subtracted, hides part of that"
        if series.cell.operation is Operation.WRITE
        else ""
    )
    return (
        f"the run's file has {share:.3g} times as many rows as the published one: an index in memory that has an entry "
        f"for each row is as much smaller{hidden}"
    )


def _machine_limit(entry: Entry, run: RunCells) -> str | None:
    """Why an unreached rate says nothing about the codec: copying the same bytes does not reach it either."""
    claim, side = entry.claim, entry.row
    if entry.kind is not Kind.THROUGHPUT or claim.at_least is None:
        return None
    cells = _scenario(side, run)
    copies = controls_of(cells, side.codec, Operation(side.operation), ControlRole.COPY)
    rates = [
        cells.scenario.data_size_bytes * 1e9 / time.point / scale(side.value)
        for one in copies.values()
        if (time := time_estimate(one)) is not None
    ]
    if not rates or max(rates) >= claim.at_least:
        return None
    return f"beyond this machine: merely copying the same bytes reaches {max(rates):.3g} {side.value.unit}"


# cells


def _size(side: Side, run: RunCells) -> float:
    """Encoded bytes of a codec in a scenario."""
    cells = _scenario(side, run)
    size = encoded_bytes(cells, side.codec)
    if size is None:
        raise UnknownError(
            _why_none(side, [one for (cell, _), one in cells.series.items() if cell.codec == side.codec])
        )
    return size


def series_of(side: Side, run: RunCells) -> Series:
    """The cell of one side in a run, as the table shows it. Raises UnknownError if it has no value."""
    if run.run.plan.profile is Profile.QUICK:
        raise UnknownError("a quick run: its numbers mean nothing")
    if run.run.plan.profile is Profile.UNTIMED:
        raise UnknownError("an untimed run: it has sizes and counts, and no times")
    chosen = planned_of(side, run)
    if chosen is not None and chosen.measured:
        return chosen
    own = [
        one
        for (cell, _), one in _scenario(side, run).series.items()
        if (cell.codec, cell.operation) == (side.codec, side.operation)
    ]
    raise UnknownError(_why_none(side, own if chosen is None else [chosen]))


def planned_of(side: Side, run: RunCells) -> Series | None:
    """The cell of one side in a run of any profile, which an untimed one only counted. None if it has none.

    Raises UnknownError where the run lacks the scenario.
    """
    cells = _scenario(side, run)
    wanted = msgspec.structs.replace(cells.scenario.published.conditions, **applicable(side))
    of_codec = {operation.value: one for operation, one in choose(cells, wanted).get(side.codec, {}).items()}
    return of_codec.get(side.operation)


def applicable(side: Side) -> dict[str, str]:
    """The conditions of a side that are those of cells."""
    return {name: value for name, value in side.conditions.items() if name in Conditions.__struct_fields__}


def _scenario(side: Side, run: RunCells) -> ScenarioCells:
    for cells in run.scenarios:
        if cells.scenario.name == side.scenario:
            return cells
    raise UnknownError(f"no run of {side.scenario}")


def _why_none(side: Side, series: Sequence[Series]) -> str:
    reasons = [reason for one in series for reason in one.failures]
    if reasons:
        return f"{side.codec} failed: {reasons[0]}"
    if series:
        missed = f", not with{side.asked_for}" if side.asked_for else ""
        return f"{side.codec} was measured under other conditions only{missed}"
    return f"no cell {side.cell_name} in the run"
