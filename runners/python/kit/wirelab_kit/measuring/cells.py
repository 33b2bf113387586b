"""The cells that a runner offers, and how one is selected."""

from collections.abc import Iterable
from typing import NamedTuple

from wirelab_kit.base.failure import UsageError
from wirelab_kit.model.compression import NAMES
from wirelab_kit.model.kind import Kind, Offer


class Cell(NamedTuple):
    """One thing that can be measured."""

    scenario: str
    operation: str
    conditions: dict[str, str]

    @property
    def options(self) -> str:
        """The options that select this cell."""
        conditions = "".join(f" --condition {name}={value}" for name, value in self.conditions.items())
        return f"--scenario {self.scenario} --operation {self.operation}{conditions}"


def cells_of(offer: Offer, scenarios: Iterable[str] | None = None) -> list[Cell]:
    """The cells that a codec offers of some scenarios, or of all."""
    cells = []
    for scenario in offer.scenarios if scenarios is None else scenarios:
        if kind := offer.kind(scenario):
            offered = _of_control() if offer.codec.control else _of_codec(kind)
            cells += [Cell(scenario, operation, conditions) for operation, conditions in offered]
    return cells


def _of_codec(kind: Kind) -> list[tuple[str, dict[str, str]]]:
    cells = []
    for name, objects, gc in kind.serialize:
        if (source := kind.sources.get(name)) and not (kind.rows and objects == "fresh"):
            values = {"input": name, "objects": objects}
            cells.append(("serialize", {"api": source.api, "buffer": "fresh", **values, "gc": gc}))
    for name, gc in kind.deserialize:
        if sink := kind.sinks.get(name):
            cells.append(("deserialize", {"api": sink.api, "output": name, "drop": "inside", "gc": gc}))
    for name, output in kind.round_trip:
        source, sink = kind.sources.get(name), kind.sinks.get(output)
        if source and sink:
            values = {"input": name, "objects": "reused", "output": output, "drop": "inside"}
            conditions = {"api": source.api, "buffer": "fresh", **values, "gc": "on"}
            cells.append(("round-trip", conditions))
            if (name, output) == kind.round_trip[0]:
                cells += [("round-trip", {**conditions, "compression": compression}) for compression in NAMES]
    if kind.build:
        values = {"input": "models", "objects": "reused"}
        cells.append(("build", {"api": kind.build.api, **values, "output": "native", "drop": "inside", "gc": "on"}))
        cells.append(("build+serialize", {"api": kind.build.api, "buffer": "fresh", **values, "gc": "on"}))
    return cells


def _of_control() -> list[tuple[str, dict[str, str]]]:
    api, gc = {"api": "manual"}, {"gc": "on"}
    return [
        ("serialize", {**api, "buffer": "fresh", "objects": "reused", **gc}),
        ("deserialize", {**api, "drop": "inside", **gc}),
        ("round-trip", {**api, "buffer": "fresh", "objects": "reused", "drop": "inside", **gc}),
    ]


def select(offer: Offer, scenario: str, operation: str, conditions: dict[str, str]) -> Cell:
    """The one cell that the arguments describe; conditions that do not tell cells apart may be omitted.

    A compressed cell matches only if the conditions name its compression.

    Raises UsageError, with the cells to choose from, if no cell or more than one matches.
    """
    candidates = [cell for cell in cells_of(offer, [scenario]) if cell.operation == operation]
    if not candidates:
        raise UsageError(
            f"no cell has --scenario {scenario} --operation {operation}; use one of:{_list(cells_of(offer))}"
        )
    plain = [cell for cell in candidates if ("compression" in cell.conditions) == ("compression" in conditions)]
    selected = [cell for cell in plain if conditions.items() <= cell.conditions.items()]
    if not selected:
        raise UsageError(f"no cell has all of the conditions; use those of one of:{_list(candidates)}")
    if len(selected) > 1:
        raise UsageError(
            f"{len(selected)} cells have all of the conditions; add conditions until one is left of:{_list(selected)}"
        )
    return selected[0]


def _list(cells: list[Cell]) -> str:
    return "".join(f"\n  {cell.options}" for cell in cells)
