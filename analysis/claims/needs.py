"""How many more layouts or rounds would decide a claim: functions of numbers, and of nothing else."""

import math

from msgspec import Struct

from analysis.statistics.estimates import Estimate, Unit
from bench.statistics.student import student_quantile

MANY = 10_000
"""Beyond this number of units nothing is promised."""
LARGE = 200
"""Degrees of freedom beyond which Student's quantiles shrink by less than 1 %."""
ROUNDS_DOMINATE = 0.5
"""The share of the squared error within layouts from which more rounds are the cheaper way."""


class Need(Struct, frozen=True):
    """What would decide a claim if the measured figure stays where it is."""

    kind: Unit
    now: int
    units: int | None
    """How many of them would do, `now` included; None if more than 10,000."""

    def __str__(self) -> str:
        """`about 24 layouts (8 now)`."""
        number = f"about {self.units:,}" if self.units is not None else f"more than {MANY:,}"
        return f"{number} {self.kind} ({self.now:,} now)"


def units_needed(shrink: float, units: int, degrees: float, confidence: float) -> int | None:
    """The fewest units at which an interval is `shrink` times (0–1) as wide as that of `units` (≥ 2) units.

    Half-widths go with t / √units. Degrees of freedom grow in proportion to units − 1, as Welch's do where both sides
    gain units. None beyond 10,000.
    """

    def half_width(count: int) -> float:
        own = min(LARGE, max(1, math.floor(degrees * (count - 1) / (units - 1))))
        return student_quantile((1 + confidence) / 2, own) / math.sqrt(count)

    wanted = half_width(units) * shrink
    if shrink <= 0 or half_width(MANY) > wanted:
        return None
    low, high = units, MANY
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if half_width(middle) <= wanted else (middle + 1, high)
    return max(low, units + 1)


def need(shrink: float, measured: Estimate, confidence: float) -> Need:
    """What would make the interval of an estimate `shrink` times (0–1) as wide.

    Where most of the error lies within layouts, more rounds of the same layouts, as long as these alone suffice; else
    more of the units themselves.
    """
    between = 1 - measured.within_share
    if measured.kind is Unit.LAYOUTS and measured.rounds and measured.within_share > ROUNDS_DOMINATE:
        rest = shrink**2 - between
        if rest > 0:
            rounds = math.ceil(measured.rounds * measured.within_share / rest)
            return Need(Unit.ROUNDS, measured.rounds, rounds if rounds <= MANY else None)
    return Need(measured.kind, measured.units, units_needed(shrink, measured.units, measured.degrees, confidence))
