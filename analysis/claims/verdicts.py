"""The verdict on a claim as a function of intervals, and of nothing else.

`floor`: the share by which identical code differs in the run. What lies within the floor of an edge is not beyond it,
however narrow the interval is. For sizes, which are counted, it is 0.
"""

import math
from enum import StrEnum

from msgspec import Struct

from analysis.base.text import percent, plural
from analysis.claims.needs import Need, need
from analysis.statistics.estimates import Estimate, Unit
from analysis.statistics.intervals import LEAST_ROUNDS, SURE
from bench.statistics.layouts import SINGLE_LAYOUT_MARGIN

USUAL = 0.95
LEAST_LAYOUTS = 2
LEAST_OF_MEAN = 3
"""Values of which Student's interval is taken: two have one degree of freedom, which tells nothing."""
LAYOUTS_OF_A_VERDICT = 8
"""As many as the profile `published` links."""
EXACTLY = 1e-9
"""Relative error of a quotient of whole numbers, computed in two orders."""


class Verdict(StrEnum):
    """The outcome of a claim."""

    REPRODUCED = "reproduced"
    SAME_DIRECTION = "same direction"
    REFUTED = "refuted"
    UNDECIDED = "undecided"
    NOT_MEASURABLE = "not measurable"
    NOT_MEASURED = "not measured"


HOLDS = (Verdict.REPRODUCED, Verdict.SAME_DIRECTION)
"""The verdicts of a claim that holds."""


class Band(Struct, frozen=True):
    """A published figure and what counts as the same: from `low` to `high`, either of which may be infinite."""

    point: float
    low: float
    high: float
    stated: bool = False
    """Whether the statement itself names these limits; else they follow from the printed range and the tolerance."""


class Judgement(Struct, frozen=True):
    """A verdict and what decides it."""

    verdict: Verdict
    why: str
    need: Need | None = None
    """What would decide an undecided claim, where anything measured would."""


def verdict_of_factor(direction: str, measured: Estimate, band: Band, floor: float) -> Judgement:
    """The verdict on a comparison of two rows; `measured` is oriented so that the claim is true above 1."""
    if measured.is_exact and direction != "equal" and measured.point < 1:
        return Judgement(Verdict.REFUTED, "the other way round; a size is exact")
    if direction == "equal" or measured.is_exact:
        return verdict_of_figure(measured, band, floor)
    if (few := _too_few(measured)) is not None:
        return few
    edge = 1 + floor
    if measured.high99 < 1 / edge:
        return Judgement(Verdict.REFUTED, f"the other way round, at 99 %{_beyond(floor, measured)}")
    if band.stated and (outside := _outside(measured, band, floor)):
        return Judgement(Verdict.REFUTED, f"{outside} the stated limit, at 99 %{_beyond(floor, measured)}")
    if band.stated and (measured.high < band.low or measured.low > band.high):
        return _undecided_band(measured, band, floor)
    if measured.low > edge:
        if band.low <= measured.low and measured.high <= band.high:
            return Judgement(Verdict.REPRODUCED, _lies_in(band))
        return Judgement(Verdict.SAME_DIRECTION, _how_it_differs(measured, band))
    return _undecided_direction(measured, floor)


def verdict_of_figure(measured: Estimate, band: Band, floor: float, least_rounds: int = LEAST_ROUNDS) -> Judgement:
    """The verdict on a figure, or on a factor that is claimed to be as large as published: inside its band or outside.

    What is counted is inside or outside; what is sampled can also be undecided. `least_rounds`: the fewest that have an
    interval.
    """
    if measured.is_exact:
        return _verdict_of_count(measured, band)
    if (few := _too_few(measured, least_rounds)) is not None:
        return few
    if band.low <= measured.low and measured.high <= band.high:
        return Judgement(Verdict.REPRODUCED, _lies_in(band))
    if outside := _outside(measured, band, floor):
        return Judgement(Verdict.REFUTED, f"{outside} {_named(band)}, at 99 %{_beyond(floor, measured)}")
    return _undecided_band(measured, band, floor)


def verdict_of_difference(measured: Estimate, band: Band | None, least: float) -> Judgement:
    """The verdict on a difference of two figures, oriented so that the claim is true above 0.

    `band`: None where the published difference is of a larger file, so that only its sign can be told. `least`: the
    difference below which nothing is meant.
    """
    if (few := _too_few(measured, LEAST_OF_MEAN)) is not None:
        return few
    if measured.high99 < -least:
        return Judgement(Verdict.REFUTED, "the other way round, at 99 %")
    if measured.low > least:
        if band is not None and band.low <= measured.low and measured.high <= band.high:
            return Judgement(Verdict.REPRODUCED, _lies_in(band))
        of_less = "of a smaller file than the published one, so only the direction can be told"
        return Judgement(Verdict.SAME_DIRECTION, of_less if band is None else _how_it_differs(measured, band))
    if abs(measured.point) <= least:
        return Judgement(Verdict.UNDECIDED, "a difference smaller than what processes that keep nothing differ by")
    # No number of rounds is named: the memory of a process that does nothing is taken in the first rounds alone.
    holds = "0" if measured.low * measured.high <= 0 else f"a difference of less than {least:.0f}, which means nothing"
    return Judgement(Verdict.UNDECIDED, f"the interval holds {holds}")


def _verdict_of_count(measured: Estimate, band: Band) -> Judgement:
    slack = EXACTLY * abs(measured.point)
    if band.low - slack <= measured.point <= band.high + slack:
        exact = not band.stated and abs(measured.point - band.point) <= slack
        return Judgement(
            Verdict.REPRODUCED, "the published figure exactly" if exact else _lies_in(band, "the exact figure")
        )
    side = "below" if measured.point < band.low else "above"
    return Judgement(Verdict.REFUTED, f"{side} {_named(band)}; a size is exact")


# what decides


def _too_few(measured: Estimate, least_rounds: int = LEAST_ROUNDS) -> Judgement | None:
    """The judgement where there are too few units for any interval."""
    least = LEAST_LAYOUTS if measured.kind is Unit.LAYOUTS else least_rounds
    if measured.units >= least and measured.has_interval:
        return None
    why = f"{plural(measured.units, str(measured.kind)[:-1])} alone: an interval needs at least {least}"
    return Judgement(Verdict.UNDECIDED, why, Need(measured.kind, measured.units, max(least, measured.units + 1)))


def _outside(measured: Estimate, band: Band, floor: float) -> str:
    """`above` or `below` if the 99 % interval lies outside the band by more than the floor; else empty."""
    if measured.low99 > band.high * (1 + floor):
        return "above"
    return "below" if measured.high99 < band.low / (1 + floor) else ""


def _undecided_direction(measured: Estimate, floor: float) -> Judgement:
    """Neither side of 1 is left: by how much narrower would the interval have to be?"""
    point, edge = math.log(measured.point), math.log1p(floor)
    if abs(point) <= edge:
        return _within_floor(measured, floor, "1")
    if point > 0:
        shrink, confidence = (point - edge) / math.log(measured.point / measured.low), USUAL
        holds = f"a difference within the noise floor ({percent(floor)})" if measured.low > 1 else "1"
        return _wider(f"the interval holds {holds}", shrink, measured, confidence)
    shrink = (-point - edge) / math.log(measured.high99 / measured.point)
    return _wider("the other way round, but at 99 % not beyond the noise floor", shrink, measured, SURE)


def _undecided_band(measured: Estimate, band: Band, floor: float) -> Judgement:
    """Neither wholly inside the band nor wholly outside: by how much narrower would the interval have to be?"""
    if band.low <= measured.point <= band.high:
        shrinks = [
            _logs(bound, measured.point) / _logs(reach, measured.point)
            for bound, reach in ((band.low, measured.low), (band.high, measured.high))
            if reach != measured.point and math.isfinite(bound) and bound > 0
        ]
        why = f"the interval reaches beyond {_named(band)}"
        return _wider(why, min(shrinks), measured, USUAL) if shrinks else Judgement(Verdict.UNDECIDED, why)
    above = measured.point > band.high
    edge = band.high * (1 + floor) if above else band.low / (1 + floor)
    if (measured.point <= edge) if above else (measured.point >= edge):
        return _within_floor(measured, floor, f"the edge of {_named(band)}")
    reach = measured.low99 if above else measured.high99
    shrink = _logs(edge, measured.point) / _logs(reach, measured.point)
    return _wider(f"the 99 % interval reaches into {_named(band)}, or its noise floor", shrink, measured, SURE)


def _wider(why: str, shrink: float, measured: Estimate, confidence: float) -> Judgement:
    needed = need(min(shrink, 1.0), measured, confidence)
    return Judgement(Verdict.UNDECIDED, f"{why}; {needed} would decide it", needed)


def _within_floor(measured: Estimate, floor: float, edge: str) -> Judgement:
    """No number of units of this kind decides what lies within the floor."""
    if measured.kind is Unit.ROUNDS and floor <= SINGLE_LAYOUT_MARGIN:
        why = f"nearer to {edge} than another layout may move it ({percent(floor)}), and only one was measured"
        needed = Need(Unit.LAYOUTS, 1, LAYOUTS_OF_A_VERDICT)
        return Judgement(Verdict.UNDECIDED, f"{why}; {needed} may decide it", needed)
    why = (
        f"nearer to {edge} than identical code may differ here ({percent(floor)}); only a lower noise floor decides it"
    )
    return Judgement(Verdict.UNDECIDED, why)


def _logs(one: float, other: float) -> float:
    return abs(math.log(one / other)) if one > 0 and other > 0 else math.inf


# words


def _named(band: Band) -> str:
    return "the stated limits" if band.stated else "the published band"


def _lies_in(band: Band, subject: str = "the whole interval") -> str:
    return f"{subject} lies in {_named(band)}"


def _beyond(floor: float, measured: Estimate) -> str:
    if not floor:
        return ""
    single = measured.kind is Unit.ROUNDS and floor <= SINGLE_LAYOUT_MARGIN
    return f", by more than {'another layout may move it' if single else 'the noise floor'} ({percent(floor)})"


def _how_it_differs(measured: Estimate, band: Band) -> str:
    if measured.low > band.high:
        return "a larger factor than published"
    if measured.high < band.low:
        return "a smaller factor than published"
    return f"the interval lies on the claim's side of 1, and reaches beyond {_named(band)}"
