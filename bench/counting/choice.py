"""Which cells are counted."""

from collections import Counter
from collections.abc import Iterable

from bench.base import errors
from bench.building.lab import Lab
from bench.model.cells import Cell
from bench.model.record import Run
from bench.scenarios.scope import published_cells
from bench.scenarios.selection import Selection

OUTSIDE = {"drop": "outside", "objects": "fresh"}
"""Conditions under which a loop does something outside the clock, which a count of the process would include."""


def chosen_cells(
    lab: Lab, filters: Iterable[str], excludes: Iterable[str], *, published: bool
) -> tuple[list[Cell], dict[str, int]]:
    """The cells that a selection takes and that can be counted, and why how many others are left out.

    `published`: only those that the publications' tables show. Raises LabError where nothing is selected.
    """
    selection = Selection(filters, excludes)
    cells = selection.cells(lab.cells())
    if published:
        cells = published_cells(cells, lab.scenarios, controls=())
    reasons = [reason for cell in cells if (reason := uncountable(cell))]
    counted = [cell for cell in cells if not uncountable(cell)]
    if not counted:
        raise lab.nothing_selected(selection)
    return counted, dict(Counter(reasons))


def uncountable(cell: Cell) -> str | None:
    """Why a count of a cell's process would say something else than its loop."""
    if cell.conditions.cache == "cold":
        return "with cache=cold the instructions are those of cache=warm"
    for name, value in OUTSIDE.items():
        if getattr(cell.conditions, name) == value:
            return f"with {name}={value} the loop also works outside the clock, which a count cannot leave out"
    return None


def cells_of_run(lab: Lab, run: Run, chosen: Iterable[Cell]) -> list[Cell]:
    """The chosen cells that a run measured. Raises LabError if there are none, or if a runner is another one now."""
    measured = {planned.cell: planned for planned in run.plan.cells if planned.blocked is None}
    cells = [cell for cell in chosen if cell in measured]
    for cell in cells:
        if lab.runner_of[cell].entry.sha256 != measured[cell].sha256:
            raise errors.other_runner_than_run(cell.codec, run.id)
    if not cells:
        raise errors.nothing_of_run(run.id)
    return cells
