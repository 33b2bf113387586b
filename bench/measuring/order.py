"""The processes of a plan in their order, its twins and its shards: functions of plain values."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from bench.base.errors import LabError
from bench.measuring.profiles import slot_estimate_ns
from bench.model.cells import Cell, is_published
from bench.model.plan import DraftedCell, Plan, ProcessKind, Slot
from bench.model.scenario import Scenario

TWINS = 2
"""Codecs measured twice a round, of each scenario and operation."""


def slots(plan: Plan) -> Iterator[Slot]:
    """Every process of the plan in its order: scenario by scenario, round by round, shuffled within the round.

    The order is that of SHA-256 over seed, scenario, round and cell, so that any language can repeat it.
    """
    by_scenario: dict[str, list[Cell]] = {}
    for cell in plan.timed:
        by_scenario.setdefault(cell.scenario, []).append(cell)
    twins = set(plan.twins)
    for scenario, cells in sorted(by_scenario.items()):
        for round_ in range(plan.rounds[scenario]):
            entries = [(cell, False, ProcessKind.LOOP) for cell in cells]
            entries += [(cell, True, ProcessKind.LOOP) for cell in cells if cell in twins]
            if round_ < plan.base_rounds:
                entries += [(cell, False, ProcessKind.BASE) for cell in cells]
            entries.sort(key=lambda entry: shuffle_key(plan.seed, scenario, round_, *entry))
            for place, (cell, twin, kind) in enumerate(entries):
                yield Slot(scenario, round_, place, cell=cell, twin=twin, kind=kind)


def plan_estimate_s(plan: Plan) -> float:
    """How long the whole plan will take, roughly, in seconds."""
    timed = plan.timed
    return sum(slot_estimate_ns(slot, timed[slot.cell], plan) for slot in slots(plan)) / 1e9


def choose_twins(cells: Sequence[DraftedCell], scenarios: Mapping[str, Scenario], seed: int) -> list[Cell]:
    """Two codecs' cells for each scenario and operation, to be measured twice a round under two names (A/A)."""
    groups: dict[tuple[str, str], list[Cell]] = {}
    for drafted in cells:
        cell = drafted.cell
        if not drafted.control and is_published(cell.conditions, scenarios[cell.scenario].published.conditions):
            groups.setdefault((cell.scenario, cell.operation), []).append(cell)
    drawn = [
        sorted(group, key=lambda cell: shuffle_key(seed, "twin", str(cell)))[:TWINS]
        for _, group in sorted(groups.items())
    ]
    return [cell for group in drawn for cell in group]


def shuffle_key(*parts: object) -> bytes:
    """What a shuffle sorts by: SHA-256 of the parts as text, separated by colons."""
    return hashlib.sha256(":".join(map(str, parts)).encode()).digest()


def shard(scenarios: Iterable[str], text: str) -> list[str]:
    """The scenarios of shard I of N (`I/N`, I from 1): whole scenarios, dealt out in the order of their names."""
    if not (part := shard_part(text)):
        raise LabError(f"--shard {text!r}: give I/N with 1 ≤ I ≤ N, such as 1/4.")
    return sorted(scenarios)[part[0] - 1 :: part[1]]


def shard_part(text: str) -> tuple[int, int] | None:
    """I and N of `I/N`; None where the text is no shard."""
    match = re.fullmatch(r"([1-9][0-9]{0,3})/([1-9][0-9]{0,3})", text)  # scenarios are some dozens
    return (int(match[1]), int(match[2])) if match and int(match[1]) <= int(match[2]) else None
