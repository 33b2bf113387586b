"""How much a command without a filter takes: what the publications printed, or everything."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import partial

from msgspec.structs import replace

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
    """What the published tables show: a cell for each row, codec that it is compared with, and control, and column.

    It is the cell under the column's conditions, or the one that differs from them in the fewest; of a codec that
    several compilers built, one for each.
    """
    shown: dict[tuple[Conditions, str, str, str, str | None], list[Cell]] = defaultdict(list)
    for cell in cells:
        scenario = scenarios[cell.scenario]
        if _has_row(cell.codec, scenario, controls):
            for wanted in _columns(cell, scenario):
                shown[wanted, cell.codec, cell.scenario, cell.operation, cell.conditions.compiler].append(cell)
    nearest = {min(same, key=partial(_distance, wanted=key[0])) for key, same in shown.items()}
    return sorted(nearest)


def _columns(cell: Cell, scenario: Scenario) -> Iterator[Conditions]:
    """The conditions of each column that the cell may stand in: its operation's, and those that the table names.

    Where a scenario brings types that nobody published, its table has all operations that it names.
    """
    published = scenario.published
    if not cell.operation.is_extra or scenario.types:
        yield published.conditions
    for column in published.columns:
        if column.takes(cell):
            yield replace(published.conditions, **dict(column.conditions.items()))


def _has_row(codec: str, scenario: Scenario, controls: Collection[str]) -> bool:
    """Whether the publication printed a row of this codec, compares with it, or this control belongs to its rows."""
    rows = scenario.published.rows
    if codec not in controls:
        return codec in rows or codec in scenario.published.compared_with
    language = codec.partition("/")[0]
    return any(row.partition("/")[0] == language for row in rows)


def _distance(cell: Cell, wanted: Conditions) -> tuple[int, Cell]:
    return conditions_apart(cell.conditions, wanted), cell


def conditions_apart(conditions: Conditions, published: Conditions) -> int:
    """In how many conditions a cell differs from the publication; compression that it does not mention is one."""
    wanted = dict.fromkeys(SAID_IF_SO) | dict(published.items())
    return sum(wanted.get(name, value) != value for name, value in conditions.items())
