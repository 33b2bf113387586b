"""When enough was measured of a scenario, and whether rounds or layouts come next: the rule, over plain values."""

from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct

from bench.model.record import EndingRule

PRECISE = 0.01
"""The part of the half-width of a cell's interval that further rounds would make smaller may be 1 %. Two cells that are
measured so are told apart from 1.4 % on, which is below what layouts alone make of most codecs."""


class Precision(Struct, frozen=True):
    """How well a gated cell is known after a block of rounds."""

    within: float
    """The part of its half-width that is noise within layouts, in logarithms."""
    between: float
    """The part that its layouts make."""
    enough: bool
    """Whether every layout that it was measured in has enough calm loops for a figure, and one of them two processes:
    a single process does not show how far the next would differ."""
    linked: bool = True
    """Whether it can have further layouts."""

    @property
    def is_precise(self) -> bool:
        """Whether further rounds are of no use to it."""
        return self.enough and self.within <= PRECISE

    @property
    def wants_layouts(self) -> bool:
        """Whether its layouts dominate what is unknown of it."""
        return self.linked and self.enough and self.between > max(self.within, PRECISE)


class Progress(Struct, frozen=True, kw_only=True):
    """How far a scenario is, and how far it may go."""

    rounds: int
    least_rounds: int
    most_rounds: int
    layouts: int
    most_layouts: int
    seconds: float
    budget_s: float | None
    """None where the number of rounds is fixed: then all of them are measured, with the layouts that there are."""


class Further(StrEnum):
    """What the next block is for."""

    ROUNDS = "rounds"
    LAYOUTS = "layouts"


def after_block(cells: Sequence[Precision], progress: Progress) -> EndingRule | Further:
    """How a scenario goes on, given its gated cells.

    It ends with the last round; once its budget is spent; or when all cells are precise and none wants layouts that
    there may be. It never ends before the least number of rounds, nor as precise where no cell is gated. Where a cell
    wants layouts, all cells get more: a block with new layouts has as many loops as one with the old.
    """
    if progress.rounds >= progress.most_rounds:
        return EndingRule.ROUNDS
    if progress.budget_s is None or progress.rounds < progress.least_rounds:
        return Further.ROUNDS
    more = progress.layouts < progress.most_layouts and any(cell.wants_layouts for cell in cells)
    if cells and not more and all(cell.is_precise for cell in cells):
        return EndingRule.PRECISE
    if progress.seconds >= progress.budget_s:
        return EndingRule.BUDGET
    return Further.LAYOUTS if more else Further.ROUNDS


def precise_share(cells: Sequence[Precision]) -> float:
    """The share of gated cells that are precise; 0 where none is gated."""
    return sum(cell.is_precise for cell in cells) / len(cells) if cells else 0.0
