"""An estimate as verdicts and ranks take it: a point, its two intervals, and what they rest on. Pure values."""

import math
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from analysis.statistics.intervals import Interval


class Unit(StrEnum):
    """What the samples of an interval are: what it speaks of is another one of these."""

    LAYOUTS = "layouts"
    """Links of the program; the estimate speaks of other links too."""
    ROUNDS = "rounds"
    """Processes of one link; the estimate says nothing of another link."""
    EXACT = "exact"
    """No samples: the figure is counted, and is the same every time."""


class Estimate(Struct, frozen=True):
    """A positive figure, or a ratio of two, with its 95 % and 99 % intervals, all in the unit of the data.

    `low99` ≤ `low` ≤ `point` ≤ `high` ≤ `high99`.
    """

    point: float
    low: float
    high: float
    low99: float
    high99: float
    units: int
    """Layouts or rounds behind it, ≥ 1; of a ratio those of the side that has fewer."""
    kind: Unit
    within_share: float
    """The part of the squared standard error (of the logarithm) that comes from noise within units, 0–1: more rounds
    shrink this part alone, more units all of it. 1 where the units are rounds."""
    degrees: float
    """Degrees of freedom of the intervals (Welch–Satterthwaite); `units` − 1 where they are resampled."""
    rounds: int | None = None
    """Processes behind it, ≥ `units`, where they are not the units themselves; of a ratio those of the side that has
    fewer. None where that is unknown."""

    @property
    def interval(self) -> Interval:
        """The point with the 95 % interval."""
        return Interval(self.point, self.low, self.high)

    @property
    def interval99(self) -> Interval:
        """The point with the 99 % interval."""
        return Interval(self.point, self.low99, self.high99)

    @property
    def log_half_width(self) -> float:
        """Half the width of the 95 % interval, as a logarithm: 0.02 is about ± 2 %."""
        return math.log(self.high / self.low) / 2

    @property
    def has_interval(self) -> bool:
        """Whether more than the point is known: of one layout or process alone nothing says how far the next is."""
        return math.isfinite(self.high)

    @property
    def is_exact(self) -> bool:
        """Whether it is counted, not sampled."""
        return self.kind is Unit.EXACT

    def scaled(self, factor: float) -> "Estimate":
        """The estimate in another unit; `factor` is positive."""
        return replace(
            self,
            point=self.point * factor,
            low=self.low * factor,
            high=self.high * factor,
            low99=self.low99 * factor,
            high99=self.high99 * factor,
        )

    def inverse(self) -> "Estimate":
        """1 over the estimate, which is positive."""
        return replace(
            self,
            point=1 / self.point,
            low=1 / self.high,
            high=1 / self.low if self.low else math.inf,
            low99=1 / self.high99,
            high99=1 / self.low99 if self.low99 else math.inf,
        )


def exact(value: float) -> Estimate:
    """A counted figure: a size, a number of allocations."""
    return Estimate(
        point=value,
        low=value,
        high=value,
        low99=value,
        high99=value,
        units=1,
        kind=Unit.EXACT,
        within_share=0.0,
        degrees=math.inf,
    )
