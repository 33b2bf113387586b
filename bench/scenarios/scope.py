"""How much a command without a filter takes: what the publications printed, or everything."""

from collections.abc import Collection, Iterable, Mapping

from bench.model.cells import SAID_IF_SO, Cell, Conditions
from bench.model.plan import Scope
from bench.model.scenario import Scenario
from bench.scenarios.selection import Selection


def chosen_cells(
    cells: Iterable[Cell],
    scenarios: Mapping[str, Scenario],
    controls: Collection[str],
    selection: Selection,
    scope: Scope,
) -> list[Cell]:
    """The cells of a scope that the selection takes, and the controls of their scenarios and operations."""
    offered = list(cells)
    if scope is Scope.PUBLISHED:
        offered = published_cells(offered, scenarios, controls)
    return selection.with_controls(offered, set(controls))


def published_cells(cells: Iterable[Cell], scenarios: Mapping[str, Scenario], controls: Collection[str]) -> list[Cell]:
    """What the published tables show: a cell for each row, codec that it is compared with, and control, and operation.

    It is the cell under the published conditions, or the one that differs from them in the fewest; of a codec that
    several compilers built, one for each.
    """
    chosen: dict[tuple[str, str, str, str | None], Cell] = {}
    for cell in sorted(cells, key=lambda one: (_distance(one, scenarios[one.scenario]), one)):
        scenario = scenarios[cell.scenario]
        if _is_usual(cell, scenario) and _has_row(cell.codec, scenario, controls):
            chosen.setdefault((cell.codec, cell.scenario, cell.operation, cell.conditions.compiler), cell)
    return sorted(chosen.values())


def _is_usual(cell: Cell, scenario: Scenario) -> bool:
    """Whether a table has the operation: all that it names, where a scenario brings types that nobody published."""
    return not cell.operation.is_extra or bool(scenario.types)


def _has_row(codec: str, scenario: Scenario, controls: Collection[str]) -> bool:
    """Whether the publication printed a row of this codec, compares with it, or this control belongs to its rows."""
    rows = scenario.published.rows
    if codec not in controls:
        return codec in rows or codec in scenario.published.compared_with
    language = codec.partition("/")[0]
    return any(row.partition("/")[0] == language for row in rows)


def _distance(cell: Cell, scenario: Scenario) -> int:
    return conditions_apart(cell.conditions, scenario.published.conditions)


def conditions_apart(conditions: Conditions, published: Conditions) -> int:
    """In how many conditions a cell differs from the publication; compression that it does not mention is one."""
    wanted = dict.fromkeys(SAID_IF_SO) | dict(published.items())
    return sum(wanted.get(name, value) != value for name, value in conditions.items())
