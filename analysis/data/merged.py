"""merged.json: the summary that `lab merge` writes next to a data set's Parquet files."""

import math
from collections.abc import Mapping, Sequence
from typing import Annotated

import numpy as np
from msgspec import Meta, Struct
from msgspec.structs import replace

from analysis.data.summaries import figure_of
from analysis.statistics.estimates import Estimate, Unit
from analysis.statistics.intervals import Vector, large_median_intervals, mad, seed_of
from analysis.statistics.sides import Side, of_rounds, total
from bench.model.cells import Operation
from bench.model.fields import Count, Sha256, Version
from bench.model.plan import Profile

FILE = "merged.json"


class MergedRun(Struct, frozen=True, forbid_unknown_fields=True):
    """A run that went into the data set."""

    id: str
    platform: str
    machine: str
    """The name of its processor and platform, as that of its folder below results/."""
    created: str
    finished: str | None
    """None for a run that was not finished when it was merged; its whole rounds count."""
    profile: Profile
    samples: Count
    processes: Count
    run_sha256: Sha256
    """Of run.json, uncompressed."""
    samples_sha256: Sha256
    """Of the lines, uncompressed: the same whether the run is stored plain or compressed."""
    processes_sha256: Sha256


class Summary(Struct, frozen=True, forbid_unknown_fields=True):
    """A cell on one machine over the whole rounds of all its runs, or of those in profile `published` if there are any;
    ns of one repetition.
    """

    runs: Count
    rounds: Count
    median_ns: float
    """The cell's figure: the mean over runs of those from calm loops; without canaries the median of rounds."""
    low_ns: float
    high_ns: float
    """Its 95 % interval; the figure itself where one round or one layout says nothing of it."""
    min_ns: float
    max_ns: float
    mad_ns: float
    """Of the medians of rounds."""
    layouts: Count
    """Links of its runner that were measured."""
    calm_share: Annotated[float, Meta(ge=0, le=1)] | None
    """The share of its loops that were calm; None where there are no canaries."""
    is_figure: bool
    """False where too few loops were calm: then `median_ns` is the median of rounds, without an interval."""
    encoded_bytes: int | None


class MergedCell(Struct, frozen=True, forbid_unknown_fields=True):
    """A cell on every machine that measured it."""

    codec: str
    scenario: str
    operation: Operation
    conditions: dict[str, str]
    machines: dict[str, Summary]


class RatioRange(Struct, frozen=True, forbid_unknown_fields=True):
    """How the time of a table's row, over that of a reference, ranges over machines.

    Publications print such ranges over platforms. Machines differ, so it is no confidence interval; times themselves
    are never put into one range. Each machine has the libraries and compilers that its runs name.
    """

    scenario: str
    operation: Operation
    codec: str
    reference: str
    """Of the codecs that all of these machines measured, the fastest: that of the least geometric mean."""
    machines: Annotated[int, Meta(ge=2)]
    min_ratio: float
    max_ratio: float


class Merged(Struct, frozen=True, forbid_unknown_fields=True):
    """merged.json."""

    protocol: Version
    samples: Count
    rounds_whole: Annotated[
        dict[str, Count], Meta(description="Run and scenario → rounds in which every cell has a row")
    ]
    runs: list[MergedRun]
    cells: list[MergedCell]
    ratios: list[RatioRange]
    """Of cells at the published conditions that several machines measured."""


class CellOfRun(Struct, frozen=True, eq=False):
    """What one run says of a cell; times in ns of one repetition."""

    times: Vector
    """Median of each round, shape (k,), k ≥ 1."""
    side: Side | None
    """Its figure where it has canaries and enough calm loops."""
    range_ns: tuple[float, float]
    """Of all loops where it has canaries, else of rounds."""
    layouts: tuple[int, ...]
    loops: int
    calm_loops: int | None
    """None where it has no canaries."""
    encoded_bytes: int | None


def ratio_ranges(rows: Mapping[tuple[str, Operation, str], Mapping[str, Summary]]) -> list[RatioRange]:
    """The ranges of ratios; `rows`: (scenario, operation, codec) → machine → its summary."""
    tables: dict[tuple[str, Operation], dict[str, dict[str, float]]] = {}
    for (scenario, operation, codec), machines in rows.items():
        known = {machine: one.median_ns for machine, one in machines.items() if one.is_figure}
        tables.setdefault((scenario, operation), {})[codec] = known
    result = []
    for (scenario, operation), codecs in sorted(tables.items()):
        everywhere = {machine for known in codecs.values() for machine in known}
        shared = sorted(codec for codec, known in codecs.items() if known.keys() == everywhere)
        if len(everywhere) < 2 or not shared:
            continue
        reference = min(shared, key=lambda codec: (sum(map(math.log, codecs[codec].values())), codec))
        for codec, known in sorted(codecs.items()):
            ratios = [ns / codecs[reference][machine] for machine, ns in known.items()]
            if len(ratios) > 1:
                result.append(
                    RatioRange(
                        scenario=scenario,
                        operation=operation,
                        codec=codec,
                        reference=reference,
                        machines=len(ratios),
                        min_ratio=min(ratios),
                        max_ratio=max(ratios),
                    )
                )
    return result


def _mean_over_runs(sides: Sequence[Side]) -> Estimate:
    """The mean of the figures of runs of one program, at least one.

    Errors of rounds are independent, and their mean has a smaller one. Runs of one program measure the same layouts, so
    that no number of runs makes the error that comes from those smaller: the largest one of a run holds.
    """
    if all(side.kind is Unit.ROUNDS for side in sides):
        return total([(1 / len(sides), side) for side in sides])
    sides = [side for side in sides if math.isfinite(side.value.error)] or sides  # not what one layout alone says
    widest = max(sides, key=lambda side: side.value.error)
    mean = sum(side.value.log for side in sides) / len(sides)
    return total([(1.0, replace(widest, value=replace(widest.value, log=mean)))])


def summary_of(name: str, machine: str, runs: Sequence[CellOfRun]) -> Summary:
    """Summarizes a cell on one machine; rounds of all runs count alike."""
    times = np.concatenate([one.times for one in runs])
    sides = [one.side for one in runs if one.side is not None]
    calm = [one.calm_loops for one in runs if one.calm_loops is not None]
    figure = _mean_over_runs(sides) if sides else None
    if not calm:
        figure = of_rounds(large_median_intervals(times, seed_of(name, machine)), len(times))
    point, low, high = figure_of(figure, times)
    return Summary(
        runs=len(runs),
        rounds=len(times),
        median_ns=point,
        low_ns=low,
        high_ns=high,
        min_ns=min(one.range_ns[0] for one in runs),
        max_ns=max(one.range_ns[1] for one in runs),
        mad_ns=mad(times),
        layouts=len({number for one in runs for number in one.layouts}),
        calm_share=sum(calm) / sum(one.loops for one in runs if one.calm_loops is not None) if calm else None,
        is_figure=figure is not None,
        encoded_bytes=runs[0].encoded_bytes,
    )
