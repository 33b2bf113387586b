"""How well a published order and the measured one agree: rank correlation, and the swapped pairs."""

import math
from collections.abc import Mapping, Sequence
from itertools import combinations, groupby

import numpy as np
from msgspec import Struct

from analysis.claims.bands import scale
from analysis.claims.cell_estimates import is_uneven, noise_of, ratio_estimate, time_estimate
from analysis.claims.definitions import ClaimSet, LoadedTable
from analysis.claims.ledger import of_platform, why_no_run
from analysis.claims.measurements import TOO_FEW_CALM, UnknownError, series_of
from analysis.data.cells import RunCells, Series
from analysis.data.select import runs_by_scenario
from analysis.sources.published_tables import PublishedValue
from analysis.statistics.estimates import Estimate
from analysis.statistics.ratios import is_tie, ranks


class Swap(Struct, frozen=True):
    """Two rows whose measured order is the reverse of the published one."""

    faster: str
    """The row that is faster in the publication."""
    slower: str
    published: float
    """Published time of the slower row over that of the faster; above 1."""
    measured: Estimate
    """The measured ratio of the same two rows; below 1."""


class ColumnOrder(Struct, frozen=True):
    """The order of a published table's column compared with a run."""

    table: str
    platform: str
    operation: str
    rows: int
    """Rows with a published time."""
    compared: int
    """The number of these rows that were measured."""
    tau: float | None
    """Kendall's τ-b of the published times and the measured ranks, with ties; None for fewer than two rows."""
    pairs: int
    tied: int
    """Pairs that are tied here."""
    swaps: tuple[Swap, ...]
    run: str | None
    why: str


def column_orders(book: ClaimSet, runs: Sequence[RunCells]) -> tuple[ColumnOrder, ...]:
    """Every timed column of every published table, compared with the first run that has two of its rows."""
    result, by_scenario = [], runs_by_scenario(runs)
    for table in book.tables.values():
        scenario = table.definition.scenario
        holding = [run for run, _ in by_scenario.get(scenario, [])]
        for (platform, operation), times in published_times(table).items():
            if len(times) < 2:
                continue
            orders = [_order(table, platform, operation, times, run) for run in of_platform(holding, platform)]
            why = why_no_run(runs, platform, scenario)
            nothing = _empty(table, platform, operation, len(times), why)
            result.append(next((one for one in orders if one.run), next(iter(orders), nothing)))
    return tuple(result)


def published_times(table: LoadedTable) -> dict[tuple[str, str], dict[str, float]]:
    """(Platform, operation) → row → published time; a throughput counts as the size over it, in any one unit."""
    values = [value for value in table.rows.values if value.codec in table.codecs]
    sizes = {value.codec: value.value * scale(value) for value in values if value.metric == "size"}
    result: dict[tuple[str, str], dict[str, float]] = {}
    for value in values:
        if (time := _time(value, sizes)) is not None:
            result.setdefault((value.platform, value.operation), {})[value.codec] = time
    return result


def _time(value: PublishedValue, sizes: Mapping[str, float]) -> float | None:
    if value.metric == "time":
        return value.value * scale(value)
    if value.metric == "throughput" and value.codec in sizes:
        return sizes[value.codec] / (value.value * scale(value))
    return None


def _order(table: LoadedTable, platform: str, operation: str, times: Mapping[str, float], run: RunCells) -> ColumnOrder:
    measured, here_ns = dict[str, Series](), dict[str, float]()
    reasons = []
    for value in table.rows.values:
        if (value.platform, value.operation) == (platform, operation) and value.codec in times:
            try:
                series = series_of(table.side(value), run)
            except UnknownError as unknown:
                reasons.append(unknown.why)
                continue
            if (time := time_estimate(series)) is None:
                reasons.append(TOO_FEW_CALM)
                continue
            measured.setdefault(value.codec, series)
            here_ns.setdefault(value.codec, time.point)
    if len(measured) < 2:
        why = reasons[0] if reasons else "fewer than two rows"
        return _empty(table, platform, operation, len(times), why)
    if is_uneven(run, table.definition.scenario):
        return _empty(table, platform, operation, len(times), "no ranks: some codecs met calmer moments than others")
    rows = sorted(measured, key=lambda row: here_ns[row])

    def floor_of(one: str, other: str) -> float:
        return noise_of(run, table.definition.scenario, measured[one].cell.codec, measured[other].cell.codec)

    def tied_with(one: str, other: str) -> bool:
        ratio = ratio_estimate(measured[one], measured[other])
        return ratio is not None and is_tie(ratio, floor_of(one, other))

    ranked = ranks(rows, tied_with)
    here = dict(zip(rows, ranked, strict=True))
    tied, swaps = 0, []
    for one, other in combinations(sorted(rows, key=lambda row: times[row]), 2):
        ratio = ratio_estimate(measured[other], measured[one])
        if ratio is None:
            continue
        if is_tie(ratio, floor_of(one, other)):
            tied += 1
        elif ratio.point < 1 and times[one] < times[other]:
            swaps.append(Swap(one, other, times[other] / times[one], ratio))
    return ColumnOrder(
        table=table.name,
        platform=platform,
        operation=operation,
        rows=len(times),
        compared=len(rows),
        tau=kendall([times[row] for row in rows], [here[row] for row in rows]),
        pairs=math.comb(len(rows), 2),
        tied=tied,
        swaps=tuple(sorted(swaps, key=lambda swap: swap.measured.point)),
        run=run.run.id,
        why="; ".join(reason for reason, _ in groupby(sorted(reasons))),
    )


def kendall(published: Sequence[float], measured: Sequence[float]) -> float | None:
    """Kendall's τ-b (Kendall 1945, “The treatment of ties in ranking problems”) of two sequences, shape (r,), r ≥ 2.

    1 if every pair has the same order in both, −1 if every pair is reversed; a tie in only one of them lowers it.
    None if one of them is all ties.
    """
    first, second = (np.sign(np.subtract.outer(one, one)) for one in (np.asarray(published), np.asarray(measured)))
    untied = math.sqrt(np.sum(first**2) * np.sum(second**2))
    return float(np.sum(first * second) / untied) if untied else None


def _empty(table: LoadedTable, platform: str, operation: str, rows: int, why: str) -> ColumnOrder:
    return ColumnOrder(
        table=table.name,
        platform=platform,
        operation=operation,
        rows=rows,
        compared=0,
        tau=None,
        pairs=0,
        tied=0,
        swaps=(),
        run=None,
        why=why,
    )
