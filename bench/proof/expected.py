"""The value that every codec must give back."""

from typing import Any

from bench.base import errors
from bench.base.paths import SCENARIOS
from bench.model.scenario import Filter, Scenario
from bench.scenarios.keys import key_folder
from bench.scenarios.types import first_difference, parse_canonical


class Expected:
    """The value that every codec must give back, and the texts that were already seen to be it."""

    def __init__(self, scenario: Scenario, canonical: bytes) -> None:
        self.scenario, self.canonical = scenario, canonical
        self._value = parse_canonical(canonical, rows=scenario.is_rows)
        self._proved = {canonical}
        self.keys = key_folder(scenario.keys.bits) if scenario.keys else None
        self.hits = [row for row in self._value if takes(scenario.filter, row)] if scenario.filter else []
        if scenario.filter and len(self.hits) != scenario.filter.rows:
            raise errors.filter_changed(SCENARIOS / f"{scenario.name}.toml", scenario.filter.rows, len(self.hits))

    def difference(self, decoded: bytes) -> str | None:
        """Where a decoded text differs from the expected value, with both sides; None where it is that value."""
        if decoded in self._proved:
            return None
        if problem := self._difference(self._value, decoded, "decode"):
            return problem
        self._proved.add(decoded)
        return None

    def difference_of_hits(self, filtered: bytes) -> str | None:
        """Where the rows that a codec's filter took differ from those that the driver finds."""
        return self._difference(self.hits, filtered, "filter")

    def _difference(self, expected: list[Any], printed: bytes, command: str) -> str | None:
        try:
            found = parse_canonical(printed, rows=self.scenario.is_rows) if printed or expected else []
        except (ValueError, RecursionError) as error:
            return f"{command} printed no canonical JSON: {error}: {printed[:80]!r}"
        if len(found) != len(expected):
            return f"{len(expected)} rows against {len(found)}"
        for number, (left, right) in enumerate(zip(expected, found, strict=True)):
            place = f"row {number}" if self.scenario.is_rows else "$"
            if problem := first_difference(self.scenario.type, left, right, place):
                return problem
        return None


def takes(which: Filter, row: Any) -> bool:
    """Whether a filter takes a canonical row."""
    return all(_at(row, path) == value for path, value in which.equal.items()) and all(
        text in _at(row, path) for path, text in which.contains.items()
    )


def _at(row: Any, path: str) -> Any:
    for name in path.split("."):
        row = row[name]
    return row
