"""The ledger: each claim with its published figure, the measured one and the verdict. No disk, no clock.

Every figure of a comparison is a *factor*, oriented so that the claim is true if it is above 1: a claim of `less`
counts how many times less, one of `greater` how many times more. The verdict follows from four things only: the
published factor with its printed range, the measured factor with its interval, the claim's tolerance, and by how
much a cell of the run differs from itself (A/A).
"""

import math
from collections.abc import Iterable, Sequence
from functools import cache

import msgspec
import numpy as np
from msgspec import Struct

from analysis.claims.bands import contradiction, published_band, scale
from analysis.claims.definitions import ANY_PLATFORM, ClaimSet, Entry, Side
from analysis.claims.verdicts import Verdict, verdict_of_factor, verdict_of_figure
from analysis.data.cells import RunCells, ScenarioCells, Series
from analysis.data.floors import floor_between
from analysis.data.inference import ratio_of, time_of
from analysis.data.publications import Kind
from analysis.data.select import choose, controls_of, encoded_bytes, runs_by_scenario
from analysis.statistics.intervals import Interval, median_interval, seed_of
from bench.model.cells import Conditions, Operation
from bench.model.description import ControlRole
from bench.model.plan import Profile


class Measurement(Struct, frozen=True):
    """One run's answer to one entry."""

    run: str
    figure: Interval | None
    """The factor, or the single figure in the unit of the CSV; None if the run cannot tell."""
    against: str | None
    """The row that comes nearest to refuting the claim, of several to compare with."""
    verdict: Verdict
    why: str


class LedgerEntry(Struct, frozen=True):
    """One line of the ledger."""

    id: str
    source: str
    platform: str
    says: str
    cell: str
    than: tuple[str, ...]
    metric: str
    unit: str
    """The unit of both figures: `x` for factors."""
    published: float
    published_low: float | None
    published_high: float | None
    at_least: float | None
    at_most: float | None
    measured: Interval | None
    verdict: Verdict
    why: str
    measurements: tuple[Measurement, ...]
    """One for every run that holds the scenario; the verdict is that of the first."""


class UnknownError(Exception):
    """A figure that a run does not have, and why."""

    def __init__(self, why: str, verdict: Verdict = Verdict.NOT_MEASURED) -> None:
        super().__init__(why)
        self.why, self.verdict = why, verdict


def ledger(claims: ClaimSet, runs: Sequence[RunCells]) -> tuple[LedgerEntry, ...]:
    """Judges every claim by the runs."""
    by_scenario = runs_by_scenario(runs)
    return tuple(_entry(entry, runs, by_scenario.get(entry.row.scenario, [])) for entry in claims.entries)


def system_of(run: RunCells) -> str:
    """The system of a run as published tables name it: linux, windows, macos."""
    return run.run.platform.partition("-")[0]


def of_platform(runs: Iterable[RunCells], platform: str) -> list[RunCells]:
    """The runs that can judge what was published for a platform."""
    return [run for run in runs if platform in (ANY_PLATFORM, system_of(run))]


def why_no_run(runs: Sequence[RunCells], platform: str, scenario: str) -> str:
    """Why nothing is measured: no run on the platform holds the scenario."""
    if not runs:
        return "no run"
    return f"no run of {scenario}" if of_platform(runs, platform) else f"no run on {platform}"


def _entry(entry: Entry, runs: Sequence[RunCells], holding: Sequence[tuple[RunCells, ScenarioCells]]) -> LedgerEntry:
    """Judges a claim by the runs that hold its scenario; the first of them that can tell decides."""
    claim = entry.claim
    published = published_band(entry)
    measurements = [measure(entry, run) for run in of_platform((run for run, _ in holding), entry.platform)]
    telling = [one for one in measurements if one.figure is not None]
    verdict, measured = Verdict.NOT_MEASURED, None
    why = why_no_run(runs, entry.platform, entry.row.scenario)
    if first := next(iter([*telling, *measurements]), None):
        verdict, why, measured = first.verdict, first.why, first.figure
        others = [f"{one.run} says {one.verdict}" for one in telling[1:] if one.verdict != first.verdict]
        why = "; ".join([why, *others])
    if doubt := contradiction(claim, published):
        why = f"{why}; {doubt}"
    return LedgerEntry(
        id=entry.id,
        source=entry.source,
        platform=entry.platform,
        says=claim.says,
        cell=_cell_name(entry.row),
        than=tuple(_cell_name(side) for side in entry.than),
        metric=claim.metric,
        unit="x" if entry.than else entry.row.value.unit,
        published=published.point,
        published_low=published.low_printed,
        published_high=published.high_printed,
        at_least=claim.at_least,
        at_most=claim.at_most,
        measured=measured,
        verdict=Verdict.NOT_MEASURABLE if claim.estimate else verdict,
        why=f"the published figure is an estimate: {claim.estimate}" if claim.estimate else why,
        measurements=(*telling, *(one for one in measurements if one.figure is None)),
    )


# what was measured


def measure(entry: Entry, run: RunCells) -> Measurement:
    """What one run says of one entry."""
    name = run.run.id
    try:
        if entry.than:
            return _compare(entry, run)
        figure = _figure(entry, run)
        verdict, why = verdict_of_figure(entry.claim.direction, figure, published_band(entry))
        if verdict is Verdict.REFUTED and (limit := _machine_limit(entry, run)) is not None:
            verdict, why = Verdict.NOT_MEASURABLE, limit
        return Measurement(name, figure, None, verdict, why)
    except UnknownError as unknown:
        return Measurement(name, None, None, unknown.verdict, unknown.why)


def _compare(entry: Entry, run: RunCells) -> Measurement:
    """Judges a claim against each row that it compares with; the one nearest to refuting it decides."""
    claim, unknown = entry.claim, list[UnknownError]()
    factors: list[tuple[float, str, Interval]] = []
    for side in entry.than:
        try:
            factor = _factor(entry, side, run)
        except UnknownError as missing:
            unknown.append(missing)
            continue
        distance = -abs(math.log(factor.point)) if claim.direction == "equal" else factor.point
        factors.append((distance, side.codec, factor))
    if not factors:
        raise unknown[0]
    _, against, factor = min(factors, key=lambda one: one[:2])
    floor = 0.0 if entry.kind.is_size else noise_of(run, entry.row.scenario, entry.row.codec)
    verdict, why = verdict_of_factor(claim.direction, factor, published_band(entry), floor)
    if unknown and verdict is not Verdict.REFUTED:
        raise unknown[0]
    if len(entry.than) == 1:
        return Measurement(run.run.id, factor, None, verdict, why)
    return Measurement(run.run.id, factor, against, verdict, f"{why} (nearest: {against})")


def _factor(entry: Entry, than: Side, run: RunCells) -> Interval:
    """The measured factor of two sides, above 1 where the claim is true. Raises UnknownError if the run cannot tell."""
    claim, row = entry.claim, entry.row
    if entry.kind.is_size:
        point = _size(row, run) / _size(than, run)
        ratio = Interval(point, point, point)
    else:
        one, other = series_of(row, run), series_of(than, run)
        paired = ratio_of(one, other)
        if paired is None:
            raise UnknownError("the two cells share no round")
        ratio = paired.interval.scaled(than.items / row.items)
        if entry.kind is Kind.THROUGHPUT:
            ratio = inverse(ratio).scaled(_size(row, run) / _size(than, run))
    return inverse(ratio) if claim.direction == "less" else ratio


def _figure(entry: Entry, run: RunCells) -> Interval:
    """The single figure of a claim without a second row, in the unit of the CSV."""
    side = entry.row
    if entry.kind is Kind.SIZE:
        size = _size(side, run) / scale(side.value)
        return Interval(size, size, size)
    series = series_of(side, run)
    if entry.kind is Kind.MEMORY:
        return _memory(series, entry.claim.metric, _scenario(side, run).scenario.published.repetitions)
    time = time_of(series)
    if time is None:
        raise UnknownError("too few calm loops")
    ns = time.interval.scaled(1 / side.items)
    if entry.kind is Kind.THROUGHPUT:
        return inverse(ns).scaled(_size(side, run) * 1e9 / scale(side.value))
    return ns.scaled(1e-6 / scale(side.value))


def _memory(series: Series, metric: str, published_repetitions: int) -> Interval:
    """Peak memory of the process minus that of the same process at 0 repetitions, in units of 1024 bytes.

    Raises UnknownError if the files are smaller than the published ones: an index in memory grows with the file.
    """
    if series.cell.operation.is_file and series.repetitions < published_repetitions:
        raise UnknownError(
            f"the run's files hold {series.repetitions:,} passes over the rows, the published ones "
            f"{published_repetitions:,}, and what is kept of a file in memory grows with it"
        )
    more = series.peak_memory_bytes - series.base_memory_bytes
    known = more[np.isfinite(more)]
    if not len(known):
        raise UnknownError("no round in which the peak memory of both processes is known")
    return median_interval(known / 1024, seed_of(str(series.cell), metric))


def _machine_limit(entry: Entry, run: RunCells) -> str | None:
    """Why an unreached rate says nothing about the codec: copying the same bytes does not reach it either."""
    claim, side = entry.claim, entry.row
    if entry.kind is not Kind.THROUGHPUT or claim.at_least is None:
        return None
    cells = _scenario(side, run)
    copies = controls_of(cells, side.codec, Operation(side.operation), ControlRole.COPY)
    rates = [
        cells.scenario.data_size_bytes * 1e9 / float(np.median(one.repetition_ns)) / scale(side.value)
        for one in copies.values()
    ]
    if not rates or max(rates) >= claim.at_least:
        return None
    return f"beyond this machine: merely copying the same bytes reaches {max(rates):.3g} {side.value.unit}"


def inverse(interval: Interval) -> Interval:
    """1 over a positive interval."""
    return Interval(1 / interval.point, 1 / interval.high, 1 / interval.low)


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
    cells = _scenario(side, run)
    wanted = msgspec.structs.replace(cells.scenario.published.conditions, **_applicable(side))
    of_codec = {operation.value: one for operation, one in choose(cells, wanted).get(side.codec, {}).items()}
    chosen = of_codec.get(side.operation)
    if chosen is not None and chosen.measured:
        return chosen
    own = [
        one for (cell, _), one in cells.series.items() if (cell.codec, cell.operation) == (side.codec, side.operation)
    ]
    raise UnknownError(_why_none(side, own if chosen is None else [chosen]))


def _applicable(side: Side) -> dict[str, str]:
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
        return f"{side.codec} was measured under other conditions only"
    return f"no cell {side.codec} {side.scenario}{' ' + side.operation if side.operation != 'size' else ''} in the run"


@cache
def noise_of(run: RunCells, scenario: str, codec: str) -> float:
    """The noise floor of a scenario for a codec's kind of runner."""
    return floor_between(next(one for one in run.scenarios if one.scenario.name == scenario), codec)


def _cell_name(side: Side) -> str:
    conditions = "".join(f" {name}={value}" for name, value in side.conditions.items())
    operation = "" if side.operation == "size" else f" {side.operation}"
    return f"{side.codec} {side.scenario}{operation}{conditions}"
