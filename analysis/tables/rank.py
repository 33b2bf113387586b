"""Codecs by the geometric mean of their times over the scenarios that all of them have."""

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from msgspec import Struct

from analysis.base import problems as errors
from analysis.data.cells import RunCells, ScenarioCells, Series, paired
from analysis.data.comparable import check_mixable
from analysis.statistics.intervals import Interval, Vector, median, seed_of
from analysis.statistics.ratios import geometric_mean_interval, is_tie, log_ratios, ranks
from bench.model.cells import Conditions, Operation, is_published
from bench.scenarios.selection import Selection

YES, NO = ("yes", "no")
CONDITIONS = Conditions.__struct_fields__
FLAGS: Mapping[str, Callable[[Series], bool]] = {
    "self-describing": lambda series: series.planned.self_describing,
    "zero-copy": lambda series: series.cell.conditions.output in ("borrowed", "view"),
}
"""What a codec or a cell is or is not: `self-describing`, `self-describing=no`."""
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
    ratio: Interval
    """Geometric mean over the scenarios of its time over that of the first codec."""
    size: float | None
    """The same of the encoded sizes; None where a side encodes nothing."""
    scenarios: Mapping[str, float]
    """Scenario → ratio of its time to that of the first codec there."""


class Standing(Struct, frozen=True):
    """A ranking with what it rests on."""

    operation: str
    only: tuple[str, ...]
    scenarios: tuple[str, ...]
    codecs: tuple[RankedCodec, ...]
    lacking: tuple[str, ...]
    """Scenarios that were left out, and which codecs lack them."""
    rounds: Mapping[str, int]


def parse_only(text: str) -> Only:
    """`NAME=VALUE`, or a flag alone. Raises LabError for a name that nothing has."""
    name, _, value = text.partition("=")
    if name in FLAGS:
        if value not in ("", YES, NO):
            raise errors.bad_condition(text, f"{name} is {YES} or {NO}", KNOWN)
        return Only(name, value or YES)
    if name not in (*CONDITIONS, *TEXTS):
        raise errors.bad_condition(text, f"{name!r} is no condition", KNOWN)
    if not value:
        raise errors.bad_condition(text, f"give a value: {name}=VALUE", KNOWN)
    return Only(name, value)


def standing(
    runs: Sequence[RunCells], only: Sequence[Only], selection: Selection, operation: Operation | None = None
) -> Standing:
    """The ranking of an operation, by default each scenario's own: the round trip where it has one.

    Raises LabError where runs cannot be mixed, and where no scenario is common to all selected codecs.
    """
    check_mixable([run.run for run in runs])
    wanted = operation or Operation.ROUND_TRIP
    scenarios = _scenarios(runs)
    found = {name: chosen for name, cells in scenarios.items() if (chosen := _chosen(cells, wanted, only, selection))}
    codecs = sorted({codec for chosen in found.values() for codec in chosen})
    common = [name for name, chosen in found.items() if len(chosen) == len(codecs)]
    lacking = [
        f"{name} is lacked by {', '.join(codec for codec in codecs if codec not in chosen)}"
        for name, chosen in found.items()
        if len(chosen) < len(codecs)
    ]
    if not common:
        raise errors.nothing_to_rank(lacking)
    return Standing(
        operation=wanted.value,
        only=tuple(f"{one.name}={one.value}" for one in only),
        scenarios=tuple(common),
        codecs=_ranked(codecs, {name: found[name] for name in common}),
        lacking=tuple(lacking),
        rounds={name: scenarios[name].rounds_whole for name in common},
    )


def _scenarios(runs: Sequence[RunCells]) -> dict[str, ScenarioCells]:
    """Each scenario from the one run that has most whole rounds of it: cells are paired only within a run."""
    result: dict[str, ScenarioCells] = {}
    for run in sorted(runs, key=lambda one: one.run.created, reverse=True):
        for cells in run.scenarios:
            known = result.get(cells.scenario.name)
            if known is None or cells.rounds_whole > known.rounds_whole:
                result[cells.scenario.name] = cells
    return dict(sorted(result.items()))


def _chosen(
    cells: ScenarioCells, operation: Operation, only: Sequence[Only], selection: Selection
) -> dict[str, Series]:
    """Codec → its cell of an operation that passes the filters, at the published conditions but for those asked for."""
    asked = {one.name: one.value for one in only if one.name in CONDITIONS}
    if any(one.name == "zero-copy" for one in only):
        asked.setdefault("output", "")
    published = dict(cells.scenario.published.conditions.items())
    wanted = Conditions(**{name: value for name, value in published.items() if name not in asked})
    result: dict[str, Series] = {}
    for (cell, twin), series in sorted(cells.series.items(), key=lambda item: item[0]):
        fits = not twin and series.measured and not series.planned.control and cell.operation == operation
        fits = fits and is_published(cell.conditions, wanted) and selection.takes(cell.name, str(cell.conditions))
        if fits and all(passes(series, one) for one in only):
            result.setdefault(cell.codec, series)
    return result


def passes(series: Series, only: Only) -> bool:
    """Whether a cell is of what a filter asks for; a condition that does not apply to its operation is no obstacle."""
    if only.name in FLAGS:
        return FLAGS[only.name](series) is (only.value == YES)
    if only.name in TEXTS:
        return TEXTS[only.name](series).lower() == only.value.lower()
    return getattr(series.cell.conditions, only.name) in (None, only.value)


def _ranked(codecs: Sequence[str], scenarios: Mapping[str, Mapping[str, Series]]) -> tuple[RankedCodec, ...]:
    def ratios(codec: str, reference: str) -> list[Vector]:
        return [log_ratios(*paired(chosen[codec], chosen[reference])) for chosen in scenarios.values()]

    def mean(codec: str, reference: str) -> Interval:
        return geometric_mean_interval(ratios(codec, reference), seed_of(codec, reference))

    first = next(iter(codecs))
    for _ in codecs:  # medians of ratios are not quite transitive: who is first shows against the first alone
        best = min(codecs, key=lambda codec: (mean(codec, first).point, codec))
        if best == first:
            break
        first = best
    ordered = sorted(codecs, key=lambda codec: (codec != first, mean(codec, first).point, codec))
    places = ranks(ordered, lambda codec, first: is_tie(mean(codec, first)))
    return tuple(
        RankedCodec(
            codec=codec,
            rank=place,
            tied=places.count(place) > 1,
            ratio=mean(codec, ordered[0]),
            size=_size_ratio(codec, ordered[0], scenarios.values()),
            scenarios={
                name: float(np.exp(median(log_ratios(*paired(chosen[codec], chosen[ordered[0]])))))
                for name, chosen in scenarios.items()
            },
        )
        for codec, place in zip(ordered, places, strict=True)
    )


def _size_ratio(codec: str, reference: str, scenarios: Iterable[Mapping[str, Series]]) -> float | None:
    pairs = [(chosen[codec].encoded_bytes, chosen[reference].encoded_bytes) for chosen in scenarios]
    logs = [np.log(one / other) for one, other in pairs if one and other]
    return float(np.exp(np.mean(logs))) if len(logs) == len(pairs) else None
