"""Ranks codecs by the geometric mean of their times over the scenarios that all of them have."""

from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec
import numpy as np
from msgspec import Struct

from analysis.base import problems as errors
from analysis.base.groups import keys_by_value
from analysis.base.text import bounds, heading, percent, plural, significant
from analysis.data.cells import RunCells, ScenarioCells, Series
from analysis.data.comparable import check_mixable
from analysis.data.floors import calm_spread, floor_between
from analysis.data.inference import has_interval, paired_logs, ratio_of, sides_of
from analysis.data.select import candidates, runs_by_scenario
from analysis.statistics.estimates import Estimate
from analysis.statistics.intervals import seed_of
from analysis.statistics.ratios import geometric_mean_intervals, is_tie, ranks
from analysis.statistics.sides import of_rounds, total
from analysis.tables.layout import NOTHING, Column, Grid, Lines, Section, without_times
from analysis.tables.notes import machine
from bench.model.cells import SAID_IF_SO, Conditions, Operation
from bench.model.plan import Profile
from bench.model.record import Run
from bench.scenarios.selection import Selection

YES, NO = ("yes", "no")
CONDITIONS = Conditions.__struct_fields__
FLAGS: Mapping[str, Callable[[Series], bool]] = {
    "self-describing": lambda series: series.planned.self_describing,
    "zero-copy": lambda series: series.cell.conditions.output in ("borrowed", "view"),
}
"""Properties of a codec or a cell: `self-describing`, `self-describing=no`."""
TEXTS: Mapping[str, Callable[[Series], str]] = {
    "language": lambda series: series.cell.codec.partition("/")[0],
    "format": lambda series: series.planned.format,
}
KNOWN = (*(f"{name}=VALUE" for name in (*CONDITIONS, *TEXTS)), *FLAGS)


class Only(Struct, frozen=True):
    """One filter: `validation=on`, `self-describing`, `language=rust`."""

    name: str
    value: str


class RankedCodec(Struct, frozen=True):
    """One codec of a ranking."""

    codec: str
    rank: int
    tied: bool
    ratio: Estimate
    """Geometric mean, over the scenarios, of its time relative to that of the first codec."""
    size: float | None
    """The same for encoded sizes; None if one of the two encodes nothing."""
    scenarios: Mapping[str, float]
    """Scenario → ratio of its time to that of the first codec there."""


class Ranking(Struct, frozen=True):
    """A ranking and its basis."""

    operation: str
    only: tuple[str, ...]
    scenarios: tuple[str, ...]
    codecs: tuple[RankedCodec, ...]
    lacking: tuple[str, ...]
    """Why codecs and scenarios were left out: one text for all that have the same reason."""
    floor: float
    """The noise floor of the ratios: that of identical code whose ratio differs alike in all scenarios."""
    rounds: Mapping[str, int]


def parse_only(text: str) -> Only:
    """`NAME=VALUE`, or a flag alone. Raises LabError for an unknown name."""
    name, _, value = text.partition("=")
    if name in FLAGS:
        if value not in ("", YES, NO):
            raise errors.bad_condition(text, f"{name} is {YES} or {NO}", KNOWN)
        return Only(name, value or YES)
    if name not in (*CONDITIONS, *TEXTS):
        raise errors.bad_condition(text, f"{name!r} is not a condition", KNOWN)
    if not value:
        raise errors.bad_condition(text, f"give a value: {name}=VALUE", KNOWN)
    return Only(name, value)


def ranking(
    runs: Sequence[RunCells], only: Sequence[Only], selection: Selection, operation: Operation | None = None
) -> Ranking:
    """The ranking of an operation, by default the round trip or, where the runs lack it, one that they have.

    Where no scenario is common to all codecs, those are ranked that share the most. Raises LabError if runs cannot be
    mixed, or if no two scenarios' codecs can be compared at all.
    """
    check_mixable([run.run for run in runs])
    if all(run.run.plan.profile is Profile.UNTIMED for run in runs):
        raise errors.nothing_timed(runs[0].run.id)
    speaking = {name: holding[0][1] for name, holding in runs_by_scenario(runs).items()}
    wanted = operation or operation_of(speaking.values(), only, selection)
    measured = {name: _fitting(cells, wanted, only, selection) for name, cells in speaking.items()}
    fitting = {
        name: {codec: one for codec, one in held.items() if has_interval(one)} for name, held in measured.items()
    }
    uneven = {name: spread for name, cells in speaking.items() if (spread := calm_spread(cells)) and fitting[name]}
    chosen = {name: series for name, series in fitting.items() if series and name not in uneven}
    every = sorted({codec for series in chosen.values() for codec in series})
    codecs, common = _shared(every, chosen)
    restless = {
        codec: where
        for codec in sorted({codec for name in common for codec in measured[name]})
        if (where := [name for name in common if codec in measured[name] and codec not in chosen[name]])
    }
    reasons = {codec: f"too few of whose loops were calm in {', '.join(where)}" for codec, where in restless.items()}
    reasons |= {
        codec: f"not measured in {_absent_from(codec, common, chosen)}"
        for codec in every
        if codec not in codecs and codec not in restless
    }
    lacking = [f"{', '.join(alike)}, {reason}" for reason, alike in keys_by_value(reasons).items()]
    lacking += [
        f"{name} is missing from {', '.join(codec for codec in codecs if codec not in series)}"
        for name, series in chosen.items()
        if name not in common
    ]
    lacking += [f"{name}, since some codecs met calmer moments than others" for name in uneven]
    lacking += _without(wanted, measured, {name: _codecs(cells, only, selection) for name, cells in speaking.items()})
    if not common:
        asked = {name: str(_conditions(cells, only)) for name, cells in speaking.items()}
        raise errors.nothing_to_rank(lacking, asked)
    floor = _floor([floor_between(speaking[name], *codecs) for name in common])
    return Ranking(
        operation=wanted.value,
        only=tuple(f"{one.name}={one.value}" for one in only),
        scenarios=tuple(common),
        codecs=_ranked(codecs, {name: chosen[name] for name in common}, floor),
        lacking=tuple(lacking),
        floor=floor,
        rounds={name: speaking[name].rounds_whole for name in common},
    )


def operation_of(cells: Iterable[ScenarioCells], only: Sequence[Only], selection: Selection) -> Operation:
    """The round trip where any selected codec has it, since that says most; else the operation with the most cells."""
    held = list(cells)
    numbers = {one: sum(len(_fitting(each, one, only, selection)) for each in held) for one in Operation}
    return Operation.ROUND_TRIP if numbers[Operation.ROUND_TRIP] else max(numbers, key=lambda one: numbers[one])


def _shared(codecs: list[str], chosen: Mapping[str, Mapping[str, Series]]) -> tuple[list[str], list[str]]:
    """Codecs and scenarios of which each has each: all codecs where these share a scenario, else the most cells."""
    common = [name for name, series in chosen.items() if len(series) == len(codecs)]
    if common or not codecs:
        return codecs, common
    groups = []
    for codec in codecs:  # the scenarios of a codec, and the codecs that have all of them
        names = [name for name, series in chosen.items() if codec in series]
        for own in (names, *([name] for name in names)):
            sharing = [other for other in codecs if all(other in chosen[name] for name in own)]
            groups.append((sharing, [name for name, series in chosen.items() if all(one in series for one in sharing)]))
    best = max(groups, key=lambda group: (len(group[0]) > 1, len(group[0]) * len(group[1])))
    return best if len(best[0]) > 1 else (codecs, [])


def _codecs(cells: ScenarioCells, only: Sequence[Only], selection: Selection) -> set[str]:
    """The codecs of a scenario that pass the filters with any operation."""
    return {codec for operation in Operation for codec in _fitting(cells, operation, only, selection)}


def _without(
    operation: Operation, measured: Mapping[str, Mapping[str, Series]], selected: Mapping[str, set[str]]
) -> list[str]:
    """The selected codecs and scenarios that have no measured cell of an operation."""
    having = {codec for held in measured.values() for codec in held}
    codecs = sorted({codec for some in selected.values() for codec in some} - having)
    scenarios = [name for name, codecs_of in selected.items() if codecs_of and not measured[name]]
    named = [", ".join(some) for some in (codecs, scenarios) if some]
    return [f"{names}, without a measured {operation.value}" for names in named]


def _absent_from(codec: str, common: Sequence[str], chosen: Mapping[str, Mapping[str, Series]]) -> str:
    return ", ".join(name for name in common if codec not in chosen[name])


def _fitting(
    cells: ScenarioCells, operation: Operation, only: Sequence[Only], selection: Selection
) -> dict[str, Series]:
    """Codec → its measured cell of an operation that passes the filters, at the published conditions but those
    filtered by.
    """
    result: dict[str, Series] = {}
    for series in candidates(cells, _conditions(cells, only)):
        cell = series.cell
        fits = not series.planned.control and cell.operation == operation
        if fits and selection.takes(cell.name, str(cell.conditions)) and all(passes(series, one) for one in only):
            result.setdefault(cell.codec, series)
    return {codec: series for codec, series in result.items() if series.measured}


def _conditions(cells: ScenarioCells, only: Sequence[Only]) -> Conditions:
    """The published conditions of a scenario but those filtered by, which `passes` asks for."""
    asked = {one.name: one.value if one.name in SAID_IF_SO else None for one in only if one.name in CONDITIONS}
    if any(one.name == "zero-copy" for one in only):
        asked["output"] = None
    return msgspec.structs.replace(cells.scenario.published.conditions, **asked)


def passes(series: Series, only: Only) -> bool:
    """Whether a cell passes a filter; a condition that does not apply to its operation does not exclude it."""
    if only.name in FLAGS:
        return FLAGS[only.name](series) is (only.value == YES)
    if only.name in TEXTS:
        return TEXTS[only.name](series).lower() == only.value.lower()
    return getattr(series.cell.conditions, only.name) in (None, only.value)


def _floor(floors: Sequence[float]) -> float:
    """The floor of a geometric mean: the mean of all, as if identical code differed alike in all scenarios."""
    return float(np.expm1(np.mean(np.log1p(floors))))


Scenarios = Mapping[str, Mapping[str, Series]]
"""Scenario → codec → its cell."""


def _mean(scenarios: Scenarios, codec: str, reference: str) -> Estimate:
    """Geometric mean over scenarios of the ratio of two codecs' times."""
    pairs = [(chosen[codec], chosen[reference]) for chosen in scenarios.values()]
    if not any(one.canaried for pair in pairs for one in pair):
        logs = [paired_logs(*pair) for pair in pairs]
        return of_rounds(geometric_mean_intervals(logs, seed_of(codec, reference)), min(map(len, logs)))
    share = 1 / len(pairs)
    terms = [(weight, side) for pair in pairs for weight, side in zip((share, -share), sides_of(*pair), strict=True)]
    return total([(weight, side) for weight, side in terms if side is not None])


def _ranked(codecs: Sequence[str], scenarios: Scenarios, floor: float) -> tuple[RankedCodec, ...]:
    def mean(codec: str, reference: str) -> Estimate:
        return _mean(scenarios, codec, reference)

    first = next(iter(codecs))
    for _ in codecs:  # medians of ratios are not quite transitive: the first is known only by ratios to itself
        best = min(codecs, key=lambda codec: (mean(codec, first).point, codec))
        if best == first:
            break
        first = best
    ordered = sorted(codecs, key=lambda codec: (codec != first, mean(codec, first).point, codec))
    ranked = ranks(ordered, lambda codec, first: is_tie(mean(codec, first), floor))
    return tuple(
        RankedCodec(
            codec=codec,
            rank=rank,
            tied=ranked.count(rank) > 1,
            ratio=mean(codec, ordered[0]),
            size=_size_ratio(codec, ordered[0], scenarios.values()),
            scenarios={
                name: ratio.point
                for name, chosen in scenarios.items()
                if (ratio := ratio_of(chosen[codec], chosen[ordered[0]]))
            },
        )
        for codec, rank in zip(ordered, ranked, strict=True)
    )


def _size_ratio(codec: str, reference: str, scenarios: Iterable[Mapping[str, Series]]) -> float | None:
    pairs = [(chosen[codec].encoded_bytes, chosen[reference].encoded_bytes) for chosen in scenarios]
    logs = [np.log(one / other) for one, other in pairs if one and other]
    return float(np.exp(np.mean(logs))) if len(logs) == len(pairs) else None


# as text


def ranking_grid(ranking: Ranking, runs: Sequence[Run]) -> Grid:
    """One row per codec, the fastest first, with its ratio in every scenario."""
    filters = f", only {', '.join(ranking.only)}" if ranking.only else ""
    of = f": {', '.join(dict.fromkeys(run.id for run in runs))}"
    return Grid(
        title=f"{heading(Operation(ranking.operation))} over {plural(len(ranking.scenarios), 'scenario')}{filters}{of}",
        columns=(
            Column(("#",)),
            Column(("Codec",), right=False),
            Column(("Time", "[95 %]")),
            Column(("Size",)),
            *(Column((name,)) for name in ranking.scenarios),
        ),
        sections=(Section(tuple(_row(row) for row in ranking.codecs)),),
        warnings=tuple(without_times(runs)),
        notes=(
            f"Ranked by {ranking.operation}; --operation ranks by another one.",
            "Time: geometric mean, over the scenarios, of the time relative to the first codec. Size: the same for "
            "encoded bytes. A rank with = is shared: the interval of the ratio to its first does not leave 1 by more "
            f"than the noise floor, {percent(ranking.floor)}.",
            f"Rounds: {', '.join(f'{name} {number}' for name, number in ranking.rounds.items())}. "
            f"{'; '.join(dict.fromkeys(machine(run) for run in runs))}.",
            *(f"Left out: {text}." for text in ranking.lacking),
        ),
    )


def _row(row: RankedCodec) -> tuple[Lines, ...]:
    time = (f"×{significant(row.ratio.point)}", bounds(row.ratio))
    return (
        (f"{row.rank}{'=' if row.tied else ''}",),
        (row.codec,),
        time if time[1] else time[:1],
        (NOTHING if row.size is None else f"×{significant(row.size)}",),
        *((f"×{significant(ratio)}",) for ratio in row.scenarios.values()),
    )
