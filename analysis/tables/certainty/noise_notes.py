"""Sentences on how far a scenario's numbers can be trusted: its noise floor, its calm loops, its layouts."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from analysis.base.text import bounds, count, heading, percent, plural, significant
from analysis.data.cells import ScenarioCells, Series
from analysis.data.floors import UNKNOWN_FLOOR, Kind, SamePair, calm_spread, floor_of, kind_of, kinds_of, same_pairs
from analysis.data.inference import time_of
from analysis.statistics.estimates import Unit
from analysis.statistics.noise import LEAST_EFFECT, NoiseFloor
from bench.model.record import EndingRule, Run
from bench.statistics.layouts import SINGLE_LAYOUT_MARGIN

EXPECTED: Mapping[Kind, float] = {Kind.NATIVE: 0.03, Kind.INTERPRETED: 0.06}
"""Noise floors that a calm machine stays below; where one is higher, the table says why."""
BESIDE_TITLE = 0.05
"""A higher floor stands beside the title, since most differences that a reader would look for lie below it."""
OLD_RECORD = (
    "Recorded without canaries and with one layout: nothing tells a neighbour's work from a codec's, and codecs closer "
    f"than {percent(SINGLE_LAYOUT_MARGIN)} share a rank, since another link may move either of them by that much."
)
ENDINGS = {
    EndingRule.PRECISE: "until every interval was as narrow as asked for",
    EndingRule.BUDGET: "until the scenario's time was spent",
    EndingRule.ROUNDS: "for all rounds of the plan",
}


def beside_title(cells: ScenarioCells) -> str:
    """` – differences below 7.3 % mean nothing` where a reader must know it before the first number; else empty."""
    shares = {kind: floor.share for kind, floor in _floors(cells).items()}
    shares |= dict.fromkeys(_unknown(cells), UNKNOWN_FLOOR)
    high = [_share(cells, kind, shares[kind]) for kind in Kind if shares.get(kind, 0.0) > BESIDE_TITLE]
    return f" – differences below {' and '.join(high)} mean nothing" if high else ""


def withheld(cells: ScenarioCells) -> tuple[str, ...]:
    """Why a table has no ranks, if it has none."""
    spread = calm_spread(cells)
    if spread is None:
        return ()
    (least, low), (most, high) = spread.least, spread.most
    return (
        f"No ranks: {percent(high)} of the canaries of {most} were calm and {percent(low)} of those of {least}, more "
        "than chance would make them differ.",
    )


def certainty(cells: ScenarioCells, run: Run) -> tuple[str, ...]:
    """All sentences under a table: the floor, why it is high, calm loops and layouts, and how measuring ended."""
    series = [one for (_, twin), one in cells.series.items() if not twin and one.measured]
    canaried = [one for one in series if one.canaried]
    gated = [one for one in canaried if one.gated]
    notes = [noise(cells), *(why for kind in Kind if (why := why_high(cells, kind)))]
    if not canaried:
        return (*notes, *([OLD_RECORD] if series else []))
    told = [*([calm(gated)] if gated else []), layouts(series), *without_interval(series), *shifted(cells, run)]
    return (*notes, " ".join(told), *ended(cells))


def noise(cells: ScenarioCells) -> str:
    """The noise floors, with the pairs that they come from."""
    floors, unknown = _floors(cells), _unknown(cells)
    assumed = f"differences below {percent(UNKNOWN_FLOOR)} are taken for chance"
    if not floors:
        return f"Noise floor: unknown, since the run has no code twice (A/A) in this scenario; {assumed}."
    shares = ", ".join(
        f"{_share(cells, kind, floor.share)} "
        f"({plural(floor.pairs, 'pair')}, the furthest apart by {percent(floor.largest)})"
        for kind, floor in floors.items()
    )
    pairs = "; ".join(map(pair_numbers, same_pairs(cells)))
    rest = f" No {unknown[0]} code is in it twice: there {assumed}." if unknown else ""
    return f"Noise floor: {shares}, which 95 % of differences between identical code stay below (A/A: {pairs}).{rest}"


def pair_numbers(pair: SamePair) -> str:
    """`Ser. language/codec ×1.002 [0.9965–1.008]`, or `Ser. language/codec and language/other ×…`."""
    ratio = f"×{significant(pair.ratio.point, 4)} {bounds(pair.ratio.interval, 4)}".rstrip()
    return f"{heading(pair.cell.operation)} {pair.cell.codec}{f' and {pair.other}' if pair.other else ''} {ratio}"


def why_high(cells: ScenarioCells, kind: Kind) -> str | None:
    """Where a noise floor beyond what is expected comes from; None where it is not beyond."""
    floor = floor_of(cells, kind)
    if floor is None or floor.share <= EXPECTED[kind]:
        return None
    pairs = [pair for pair in same_pairs(cells) if kind_of(pair.cell.codec) is kind]
    own = [one for (cell, _), one in cells.series.items() if kind_of(cell.codec) is kind and one.canaried]
    beyond = f"The {kind} floor is above {percent(EXPECTED[kind])}"
    if not own:
        return f"{beyond}: without canaries and layouts this run cannot tell whether neighbours or layout make it so."
    reasons = [f"{percent(_calm_share(own))} of these runners' loops were calm"]
    several = [pair.ratio for pair in pairs if pair.ratio.kind is Unit.LAYOUTS]
    if several:
        between = 1 - float(np.mean([ratio.within_share for ratio in several]))
        reasons.append(f"{percent(between)} of the variance between identical code is between layouts")
    if any(not one.gated for one in own):
        reasons.append("canaries cannot judge file work and repetitions above 50 ms")
    return f"{beyond}: {', '.join(reasons)}."


def calm(canaried: Sequence[Series]) -> str:
    """The share of calm loops, and the codecs whose share clearly differs from it."""
    share = _calm_share(canaried)
    of_codecs: defaultdict[str, list[Series]] = defaultdict(list)
    for one in canaried:
        of_codecs[one.cell.codec].append(one)
    others = {
        codec: own for codec, series in of_codecs.items() if abs((own := _calm_share(series)) - share) >= LEAST_EFFECT
    }
    named = f" ({', '.join(f'{codec} {percent(own)}' for codec, own in sorted(others.items()))})" if others else ""
    return f"{percent(share)} of the loops were calm{named}; figures are of these alone."


def layouts(series: Iterable[Series]) -> str:
    """How many links of each runner the figures rest on."""
    numbers = sorted({len(one.layouts) for one in series})
    if numbers == [1]:
        return f"One layout of each runner: codecs closer than {percent(SINGLE_LAYOUT_MARGIN)} share a rank."
    single = " (codecs with one share a rank where they are closer than 10 %)" if numbers[0] == 1 else ""
    return f"Layouts of a runner: {numbers[0] if len(numbers) == 1 else f'{numbers[0]} to {numbers[-1]}'}{single}."


def without_interval(series: Iterable[Series]) -> list[str]:
    """How many cells have a figure but no interval, so that no rank can be told."""
    timed = [time for one in series if not one.planned.control and (time := time_of(one))]
    points = sum(not time.has_interval for time in timed)
    if not points:
        return []
    of = f"{count(points)} of {plural(len(timed), 'cell')}"
    return [f"Calm in one layout or process alone, so without an interval or a rank: {of}."]


def shifted(cells: ScenarioCells, run: Run) -> list[str]:
    """Where the run's own canaries replaced the calibration."""
    factors = {
        kernel: one.ns / run.calibration[kernel].percentile_2_ns
        for kernel, one in sorted(cells.references.items())
        if one.shifted
    }
    return [
        f"The canaries of this run ({kernel}) took ×{significant(factor)} of the time that its calibration found, so "
        "its loops are judged by the run's own."
        for kernel, factor in factors.items()
    ]


def ended(cells: ScenarioCells) -> tuple[str, ...]:
    """By which rule measuring ended."""
    ending = cells.ending
    if ending is None:
        return ()
    links = f", {plural(ending.layouts, 'layout')}" if ending.layouts else ""
    done = f"{plural(ending.rounds, 'round')}{links}, {count(ending.seconds)} s"
    share = percent(ending.precise_share)
    rest = "" if ending.precise_share == 1 else f"; {share} of the cells are as precise as asked for"
    return (f"Measured {ENDINGS[ending.rule]}: {done}{rest}.",)


def _floors(cells: ScenarioCells) -> dict[Kind, NoiseFloor]:
    return {kind: floor for kind in Kind if (floor := floor_of(cells, kind))}


def _unknown(cells: ScenarioCells) -> list[Kind]:
    """The kinds of runners, controls apart, of which no code was measured twice."""
    held = {kind_of(s.cell.codec) for s in cells.series.values() if s.measured and not s.planned.control}
    return [kind for kind in Kind if kind in held and floor_of(cells, kind) is None]


def _share(cells: ScenarioCells, kind: Kind, share: float) -> str:
    """A floor, with its kind where the scenario has several."""
    return f"{percent(share)}{f' {kind}' if len(kinds_of(cells)) > 1 else ''}"


def _calm_share(series: Sequence[Series]) -> float:
    return float(np.mean(np.concatenate([one.loops.calm for one in series])))
