"""The value that every codec must give back."""

from collections.abc import Callable
from functools import cached_property
from threading import Lock
from typing import Any

from bench.base import errors
from bench.base.paths import SCENARIOS
from bench.model.scenario import Filter, Scenario
from bench.scenarios.inputs import canonical_input
from bench.scenarios.keys import keys_of
from bench.scenarios.sets import changes_of, types_of
from bench.types.expressions import parse_type
from bench.types.fields.digest import digest, named_fields
from bench.types.fields.updates import updated
from bench.types.values import first_difference, normal, parse_canonical


class Expected:
    """A scenario's value, and the decoded texts that already proved equal to it."""

    def __init__(self, scenario: Scenario, canonical: bytes) -> None:
        self.scenario, self.canonical = scenario, canonical
        self._type, self._defined = parse_type(scenario.type), types_of(scenario)
        self._proved, self._proved_updated = [canonical], list[bytes]()
        self._comparing = Lock()
        self.keys = keys_of(scenario)
        self.hits = [row for row in self._value if takes(scenario.filter, row)] if scenario.filter else []
        if scenario.filter and len(self.hits) != scenario.filter.rows:
            raise errors.filter_changed(SCENARIOS / f"{scenario.name}.toml", scenario.filter.rows, len(self.hits))

    @cached_property
    def _value(self) -> list[Any]:
        return parse_canonical(self.canonical, rows=self.scenario.is_rows)

    @cached_property
    def _normal(self) -> bytes | None:
        return normal(self.canonical, rows=self.scenario.is_rows)

    def difference(self, decoded: bytes) -> str | None:
        """The first difference between a decoded text and the expected value, with both sides; else None."""
        return self._unless_proved(decoded, self._proved, self._difference_of_value)

    def _difference_of_value(self, decoded: bytes) -> str | None:
        if self._normal is not None and normal(decoded, rows=self.scenario.is_rows) == self._normal:
            return None
        return self._difference(self._value, decoded, "decode")

    def _unless_proved(self, text: bytes, proved: list[bytes], compare: Callable[[bytes], str | None]) -> str | None:
        """What a comparison finds. Codecs print few texts of a value: each is compared once, and then kept."""
        if text in proved:
            return None
        with self._comparing:
            if text in proved:
                return None
            problem = compare(text)
            if problem is None:
                proved.append(text)
            return problem

    @cached_property
    def updated(self) -> list[Any]:
        """The value after the scenario's update. Raises LabError for one that changes nothing: no proof."""
        changes = changes_of(self.scenario)
        values = [updated(self._type, self._defined, value, changes) for value in self._value]
        if values == self._value:
            raise errors.update_changes_nothing(SCENARIOS / f"{self.scenario.name}.toml")
        return values

    def difference_of_update(self, decoded: bytes) -> str | None:
        """The same for what a codec decodes of the bytes that it updated, against the driver's own update."""
        return self._unless_proved(
            decoded, self._proved_updated, lambda text: self._difference(self.updated, text, "decode")
        )

    def difference_of_hits(self, filtered: bytes) -> str | None:
        """The same for the rows that a codec's filter took, against those that the driver's own filter takes."""
        return self._difference(self.hits, filtered, "filter")

    def _difference(self, expected: list[Any], printed: bytes, command: str) -> str | None:
        try:
            actual = parse_canonical(printed, rows=self.scenario.is_rows) if printed or expected else []
        except (ValueError, RecursionError) as error:
            return f"{command} printed no canonical JSON: {error}: {printed[:80]!r}"
        if len(actual) != len(expected):
            return f"{len(expected)} rows against {len(actual)}"
        for number, (left, right) in enumerate(zip(expected, actual, strict=True)):
            path = f"row {number}" if self.scenario.is_rows else "$"
            if problem := first_difference(self._type, self._defined, left, right, path):
                return problem
        return None


def digests(scenario: Scenario, fields: str | None = None) -> bytes:
    """What `access` gives of a scenario's value or of each of its rows: a digest a line.

    `fields` is the condition: a root is proved by all that is read through it, once it was timed.
    """
    kind, defined = parse_type(scenario.type), types_of(scenario)
    named = named_fields(kind, defined, scenario.named_fields) if fields == "named" else None
    values = parse_canonical(canonical_input(scenario), rows=scenario.is_rows)
    return b"".join(b"%d\n" % digest(kind, defined, value, named) for value in values)


def takes(which: Filter, row: Any) -> bool:
    """Whether a filter takes a canonical row."""
    return all(_at(row, path) == value for path, value in which.equal.items()) and all(
        text in _at(row, path) for path, text in which.contains.items()
    )


def _at(row: Any, path: str) -> Any:
    for name in path.split("."):
        row = row[name]
    return row
