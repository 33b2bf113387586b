"""`--filter` and `--not`: which cells a command is about."""

import re
from collections.abc import Iterable

from bench.base import errors
from bench.model.cells import Cell


class Selection:
    """Regular expressions that are searched in `codec scenario operation`, and in the same with the conditions."""

    def __init__(self, filters: Iterable[str] = (), excludes: Iterable[str] = ()) -> None:
        self.filters, self.excludes = list(filters), list(excludes)
        self._filters, self._excludes = [[_compile(p) for p in patterns] for patterns in (self.filters, self.excludes)]

    def takes(self, name: str, conditions: str = "") -> bool:
        """Whether no exclude matches, and any filter does or there is none."""
        texts = (name, f"{name} {conditions}")
        wanted = not self._filters or _matches(self._filters, texts)
        return wanted and not _matches(self._excludes, texts)

    def cells(self, cells: Iterable[Cell]) -> list[Cell]:
        """The cells that are taken."""
        return [cell for cell in cells if self.takes(cell.name, str(cell.conditions))]

    def with_controls(self, cells: Iterable[Cell], controls: set[str]) -> list[Cell]:
        """The cells that are taken, and of their scenarios and operations the controls of their languages."""
        everything = list(cells)
        selected = set(self.cells(everything))
        groups = {_group(cell) for cell in selected if cell.codec not in controls}
        unwanted = Selection((), self.excludes)
        return [
            cell
            for cell in everything
            if cell in selected
            or (cell.codec in controls and _group(cell) in groups and unwanted.takes(cell.name, str(cell.conditions)))
        ]


def _group(cell: Cell) -> tuple[str, str, str]:
    return cell.language, cell.scenario, cell.operation


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
