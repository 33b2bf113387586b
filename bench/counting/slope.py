"""How many repetitions two processes have whose difference is counted. Pure functions."""

from collections.abc import Callable

from msgspec import Struct

from bench.counting.valgrind import Totals

BETWEEN = 10_000_000
"""Instructions that must at least lie between the two processes."""
MOST_REPETITIONS = BETWEEN
"""A control that does nothing has hardly an instruction a repetition."""
FIRST, SECOND = 1, 2
"""The repetitions of the two processes that show what a repetition costs."""


class Span(Struct, frozen=True):
    """The repetitions of the two processes."""

    base: int
    repetitions: int
    """How many more the longer one has."""

    @property
    def top(self) -> int:
        """Repetitions of the longer process."""
        return self.base + self.repetitions


class Difference(Struct, frozen=True):
    """What the longer process executes more."""

    instructions: int
    mispredictions: int


def span_of(each: int) -> Span:
    """The repetitions for a cell of so many instructions a repetition.

    Both numbers have the same number of digits, so that the two processes read arguments of the same length. The
    shorter process has at least a ninth of the difference: until then allocators have filled their caches, buffers
    have grown, and interpreters have specialized their code.
    """
    repetitions = max(SECOND, min(MOST_REPETITIONS, -(-BETWEEN // max(1, each))))
    base = SECOND
    while len(str(base)) != len(str(base + repetitions)):
        base = 10 ** len(str(base))
    return Span(base, repetitions)


def difference(low: Totals, high: Totals) -> Difference:
    """The longer process less the shorter one.

    Never negative: the simulated predictor may by chance fare better in the longer process, where a repetition has no
    misprediction.
    """
    return Difference(max(0, high.instructions - low.instructions), max(0, high.mispredictions - low.mispredictions))


def choose_span(count: Callable[[int], Totals]) -> Span:
    """The repetitions for a cell, by the instructions of its second repetition; `count` counts a process."""
    return span_of(difference(count(FIRST), count(SECOND)).instructions)
