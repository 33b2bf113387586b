"""Which cells there are, and which of them a command is about."""

import re
from collections.abc import Iterable, Mapping

from msgspec import Struct

from bench.base import errors
from bench.building.runner import Runner, RunnerError
from bench.model.cells import Cell, Operation
from bench.model.description import Description
from bench.model.scenario import Scenario


class Listed(Struct, frozen=True):
    """A cell with its codec, or a codec that is unavailable with the reason; a row of `lab list`."""

    codec: str
    format: str | None
    library: str | None
    version: str | None
    language: str
    scenario: str | None
    operation: Operation | None
    conditions: dict[str, str]
    control: bool
    available: bool
    reason: str | None


def offered_cells(description: Description, scenarios: Mapping[str, Scenario]) -> list[Cell]:
    """The cells that a runner offers of the scenarios that there are."""
    return [
        Cell(description.codec, o.scenario, o.operation, o.conditions)
        for o in description.cells
        if o.scenario in scenarios and o.operation in scenarios[o.scenario].operations
    ]


def listed(described: Mapping[Runner, Description | RunnerError], scenarios: Mapping[str, Scenario]) -> list[Listed]:
    """Every cell of every codec; a codec without a description is one row with the reason."""
    rows = []
    for runner, answer in described.items():
        entry = runner.entry
        language = runner.codec.split("/")[0]
        if isinstance(answer, RunnerError):
            rows.append(
                Listed(
                    runner.codec,
                    None,
                    entry.library,
                    entry.version,
                    language,
                    None,
                    None,
                    {},
                    False,
                    False,
                    str(answer),
                )
            )
            continue
        for cell in offered_cells(answer, scenarios):
            rows.append(
                Listed(
                    cell.codec,
                    answer.format,
                    answer.library,
                    answer.version,
                    answer.language,
                    cell.scenario,
                    cell.operation,
                    dict(cell.conditions.items()),
                    answer.control,
                    True,
                    None,
                )
            )
    return rows


class Selection:
    """`--filter` and `--not`: regular expressions over `codec scenario operation`, then over the conditions too."""

    def __init__(self, filters: Iterable[str] = (), excludes: Iterable[str] = ()) -> None:
        self.filters, self.excludes = list(filters), list(excludes)
        self._filters, self._excludes = [[_compile(p) for p in patterns] for patterns in (self.filters, self.excludes)]

    def takes(self, name: str, conditions: str = "") -> bool:
        """Whether any filter (if there are some) and no exclude matches."""
        texts = (name, f"{name} {conditions}")
        wanted = not self._filters or _matches(self._filters, texts)
        return wanted and not _matches(self._excludes, texts)

    def cells(self, cells: Iterable[Cell]) -> list[Cell]:
        """The cells that are taken."""
        return [cell for cell in cells if self.takes(cell.name, str(cell.conditions))]

    def with_controls(self, cells: Iterable[Cell], controls: set[str]) -> list[Cell]:
        """The cells that are taken, and the controls of the scenarios and operations that they belong to."""
        everything = list(cells)
        taken = set(self.cells(everything))
        groups = {(cell.scenario, cell.operation) for cell in taken}
        unwanted = Selection((), self.excludes)
        return [
            cell
            for cell in everything
            if cell in taken
            or (
                cell.codec in controls
                and (cell.scenario, cell.operation) in groups
                and unwanted.takes(cell.name, str(cell.conditions))
            )
        ]


def _compile(pattern: str) -> re.Pattern[str]:
    try:
        pattern.encode()
        return re.compile(pattern)
    except UnicodeEncodeError:
        raise errors.bad_pattern(pattern, "it is not UTF-8") from None
    except (re.error, RecursionError, OverflowError) as error:
        raise errors.bad_pattern(pattern, str(error)) from None


def _matches(patterns: list[re.Pattern[str]], texts: Iterable[str]) -> bool:
    return any(pattern.search(text) for pattern in patterns for text in texts)
