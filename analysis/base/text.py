"""Formats numbers, the same everywhere."""

import math

from analysis.statistics.estimates import Estimate
from analysis.statistics.intervals import Interval
from bench.model.cells import Operation

HEADINGS = {
    Operation.SERIALIZE: "Ser.",
    Operation.DESERIALIZE: "Deser.",
    Operation.ROUND_TRIP: "Ser+Deser.",
    Operation.BUILD: "Build",
    Operation.BUILD_SERIALIZE: "Build+Ser.",
    Operation.DESERIALIZE_CONVERT: "Deser.+Convert",
    Operation.ACCESS: "Access",
    Operation.UPDATE: "Update",
}


def heading(operation: Operation) -> str:
    """An operation as the publications' tables head it."""
    return HEADINGS.get(operation, str(operation))


def ms(value: float, like: float | None = None) -> str:
    """Milliseconds with two decimals, as published; tiny ones with as many as they, or `like`, need."""
    scale = value if like is None else like
    if scale == 0 or scale >= 0.0995:
        return f"{value:,.2f}"
    return f"{value:.{2 - math.floor(math.log10(scale))}f}"


def significant(value: float, digits: int = 3) -> str:
    """A number with `digits` significant digits and no exponent: 0.0123, 1.00, 12.3, 1,230."""
    if value == 0:
        return "0"
    rounded = float(f"{value:.{digits - 1}e}")
    return f"{rounded:,.{max(0, digits - 1 - math.floor(math.log10(abs(rounded))))}f}"


def bounds(interval: Interval | Estimate, digits: int = 3) -> str:
    """`[1.31–1.37]`; empty where one round, or one layout, says nothing of the interval."""
    if interval.low == interval.high or math.isinf(interval.high):
        return ""
    return f"[{significant(interval.low, digits)}–{significant(interval.high, digits)}]"


def percent(share: float) -> str:
    """A share in per cent, below 100 with two significant digits: 0.0123 → `1.2 %`, 1.174 → `117 %`.

    What is nearly all is not said to be all: 0.9975 → `99.7 %`.
    """
    if 0.995 <= abs(share) < 1:
        return f"{math.copysign(math.floor(abs(share) * 1000) / 10, share):.1f} %"
    return f"{significant(share * 100, 2)} %" if abs(share) < 1 else f"{share * 100:,.0f} %"


def short(codec: str) -> str:
    """A codec's name without its language, for headings."""
    return codec.partition("/")[2] or codec


def size(size_bytes: float) -> str:
    """Bytes in the largest binary unit in which the number is at least 1."""
    for unit, factor in (("GiB", 1024**3), ("MiB", 1024**2), ("KiB", 1024)):
        if size_bytes >= factor:
            return f"{significant(size_bytes / factor)} {unit}"
    return f"{size_bytes:.0f} B"


def count(number: float) -> str:
    """A whole number with thousands separated: 100,000."""
    return f"{number:,.0f}"


def one_line(text: str) -> str:
    """Any text on one line."""
    return " ".join(text.split())


def plural(number: int, noun: str, many: str | None = None) -> str:
    """`1 round`, `2 rounds`."""
    return f"{count(number)} {noun if number == 1 else many or noun + 's'}"


def duration_ns(ns: float) -> str:
    """A duration in the largest unit in which the number is at least 1: 12.3 µs."""
    unit, factor = unit_of(ns)
    return f"{significant(ns / factor)} {unit}"


def figure_ns(point: float, low: float, high: float) -> str:
    """A duration with its interval in the same unit: `19.8 µs [19.4–21.4]`; without it where nothing is known of it."""
    unit, factor = unit_of(point)
    interval = f" [{significant(low / factor)}–{significant(high / factor)}]" if low < high else ""
    return f"{significant(point / factor)} {unit}{interval}"


def unit_of(ns: float) -> tuple[str, float]:
    """The largest unit in which a duration is at least 1, and how many ns it has."""
    units = (("s", 1e9), ("ms", 1e6), ("µs", 1e3))
    return next(((unit, factor) for unit, factor in units if ns >= factor), ("ns", 1.0))
