"""The verdict on a claim as a function of intervals, and of nothing else."""

from enum import StrEnum

from msgspec import Struct

from analysis.base.text import percent
from analysis.statistics.intervals import Interval


class Verdict(StrEnum):
    """The outcome of a claim."""

    REPRODUCED = "reproduced"
    SAME_DIRECTION = "same direction"
    REFUTED = "refuted"
    NOT_MEASURABLE = "not measurable"
    NOT_MEASURED = "not measured"


class Band(Struct, frozen=True):
    """A published figure and what counts as the same: from `low` to `high`, either of which may be infinite."""

    point: float
    low: float
    high: float

    def meets(self, interval: Interval) -> bool:
        """Whether the interval and the band overlap."""
        return interval.high >= self.low and interval.low <= self.high


def verdict_of_factor(direction: str, measured: Interval, band: Band, floor: float) -> tuple[Verdict, str]:
    """The verdict on a comparison.

    `measured`: the factor, oriented so that the claim is true above 1. `floor`: the share by which a cell of this run
    differs from itself; a factor whose interval is not further than that from 1 is a tie.
    """
    holds_band = measured.low < band.low and measured.high > band.high
    if direction == "equal":
        if band.meets(measured) and not holds_band:
            return Verdict.REPRODUCED, "as near as claimed"
        if holds_band:
            return Verdict.NOT_MEASURED, "too uncertain to tell: the interval is wider than what is claimed"
        return Verdict.REFUTED, "further apart than claimed" if measured.point > 1 else "the other way round"
    if measured.low > 1 + floor:
        if band.meets(measured):
            return Verdict.REPRODUCED, "the intervals meet or lie within the tolerance"
        return Verdict.SAME_DIRECTION, f"{'more' if measured.point > band.high else 'less'} than published"
    if measured.high < 1 / (1 + floor):
        unclear = "" if band.low > 1 else ", where range and tolerance of the published factor hold 1 as well"
        return Verdict.REFUTED, f"the other way round{unclear}"
    tie = f"a tie: the interval does not leave 1 by more than a cell here differs from itself ({percent(floor)})"
    if band.low <= 1 <= band.high and band.meets(measured):
        return Verdict.REPRODUCED, f"{tie}; the published factor is as near to 1, within range and tolerance"
    if band.meets(measured):
        return Verdict.NOT_MEASURED, "too uncertain to tell: the interval holds both a tie and what is published"
    return Verdict.REFUTED, tie


def verdict_of_figure(direction: str, measured: Interval, band: Band) -> tuple[Verdict, str]:
    """The verdict on one figure, in the unit of the CSV, compared with its limits or the published figure."""
    if band.meets(measured):
        return Verdict.REPRODUCED, "within what is claimed"
    return Verdict.REFUTED, "less than claimed" if measured.high < band.low else "more than claimed"
