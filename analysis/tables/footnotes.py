"""Marks at unusual times, and the notes under the table that explain them."""

from collections.abc import Callable, Iterable

from msgspec import Struct

from analysis.base.text import percent, plural, significant
from analysis.tables.timings import Timing


class Footnote(Struct, frozen=True):
    """A mark, when a cell gets it, and what the note under the table says about the cell."""

    mark: str
    meaning: str
    applies: Callable[[Timing], bool]
    numbers: Callable[[Timing], str]


def clock_numbers(timing: Timing) -> str:
    """By how much the two clocks disagree."""
    check = timing.clocks
    assert check is not None
    return (
        f"{check.difference_ns / 1e6:+.1f} ms for a loop of {significant(check.loop_ns / 1e6)} ms "
        f"({check.difference_ns / check.loop_ns:+.0%}, {plural(check.rounds, 'round')})"
    )


def outlier_numbers(timing: Timing) -> str:
    """The outlier rounds, counted from 1."""
    return f"round {', '.join(str(number + 1) for number in timing.outlier_rounds)}"


def factor_numbers(timing: Timing) -> str:
    """The factor of the codec and that of its peers."""
    effect = timing.compiler
    assert effect is not None
    return f"×{significant(effect.own.point)} by compiler={effect.compiler}, its peers ×{significant(effect.peers)}"


def calm_numbers(timing: Timing) -> str:
    """The share of loops that were calm, or that nobody can tell."""
    if timing.is_restless:
        return "disturbed in bursts shorter than its loops"
    return f"{percent(timing.calm_share or 0)} of its loops calm"


NOT_CALM = Footnote(
    "¤",
    "not calm: the median of all loops; too few calm ones (five a layout) for a figure, a rank or a verdict",
    lambda t: not t.is_figure,
    calm_numbers,
)
QUARTILE = Footnote(
    "¼",
    "the lower quartile of all loops, since canaries cannot judge file work and repetitions above 50 ms",
    lambda t: t.is_quartile,
    lambda t: "",
)
OTHER_CONDITIONS = Footnote(
    "§", "not the published conditions", lambda t: bool(t.other_conditions), lambda t: t.other_conditions
)
FOOTNOTES = (
    NOT_CALM,
    QUARTILE,
    Footnote(
        "†", "suspect: process minus start-up minus timed loop should be 0, but is", lambda t: t.suspect, clock_numbers
    ),
    Footnote(
        "‡", "pre-empted, CPU time is well below wall time", lambda t: t.preempted, lambda t: percent(t.cpu_share)
    ),
    Footnote("°", "outliers, labelled and kept", lambda t: bool(t.outlier_rounds), outlier_numbers),
    Footnote(
        "¶",
        "another compiler changes it over 20 % more or less than its peers",
        lambda t: t.compiler is not None,
        factor_numbers,
    ),
    OTHER_CONDITIONS,
)
CLOCK_FOOTNOTES = FOOTNOTES[2:4]
"""The footnotes that matter for a ratio."""


def marks(timing: Timing, footnotes: tuple[Footnote, ...] = FOOTNOTES) -> str:
    """The marks of a time."""
    marked = "".join(footnote.mark for footnote in footnotes if footnote.applies(timing))
    return f" {marked}" if marked else ""


def explained(footnote: Footnote, bearers: Iterable[tuple[str, Timing]]) -> tuple[str, ...]:
    """A mark's meaning, and the cells that bear it with their numbers; empty if there is no such cell."""
    marked = [f"{name} {footnote.numbers(timing)}".rstrip() for name, timing in bearers if footnote.applies(timing)]
    cells = "; ".join(marked)
    return (f"{footnote.mark} {footnote.meaning}: {cells}.",) if cells else ()
