"""The processes of a plan in their order, its twins and its shards: functions of plain values."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from bench.base.errors import LabError
from bench.measuring.profiles import TWINS
from bench.measuring.rounds.blocks import Block, fixed_blocks
from bench.model.cells import Cell, is_published
from bench.model.plan import Design, DraftedCell, Plan, ProcessKind, Slot
from bench.model.scenario import Scenario

OFFSETS = 256
OFFSET_STEP_BYTES = 16
"""Heaps are moved by 0 to 255 times the alignment of allocated memory: over all the ways in which data may lie in a
page (Mytkowicz et al. 2009, “Producing Wrong Data Without Doing Anything Obviously Wrong!”)."""


def slots(plan: Plan) -> Iterator[Slot]:
    """Every process of the plan in its order, if all its rounds are measured in the layouts that it begins with."""
    for scenario in scenarios_of(plan):
        for block in fixed_blocks(plan, scenario):
            yield from block_slots(plan, scenario, block)


def scenarios_of(plan: Plan) -> list[str]:
    """The scenarios with cells to measure, in their order."""
    return in_order(plan, {cell.scenario for cell in plan.timed})


def in_order(design: Design, names: Iterable[str]) -> list[str]:
    """Scenarios in the order in which they are measured."""
    places = {name: place for place, name in enumerate(design.order)}
    return sorted(names, key=lambda name: (places.get(name, len(places)), name))


def block_slots(plan: Plan, scenario: str, block: Block) -> Iterator[Slot]:
    """The processes of a block of rounds: round by round, shuffled within the round.

    The order is that of SHA-256 over seed, scenario, round and cell, so that any language can repeat it. So are layout
    and offset: a cell takes the block's layouts in the order of SHA-256 over seed, "layout", scenario, the block's
    number, cell, twin and layout; its offset is 16 times the first byte of SHA-256 over seed, "offset", scenario,
    round, cell and twin. The process at 0 repetitions has those of its loops.
    """
    cells = [cell for cell in plan.timed if cell.scenario == scenario]
    measured = [(cell, False) for cell in cells]
    twins = set(plan.twins)
    measured += [(cell, True) for cell in cells if cell in twins]
    layouts = {(cell, twin): drawn_layouts(plan, scenario, block, cell, twin=twin) for cell, twin in measured}
    for index in range(block.rounds):
        round_ = block.first_round + index
        entries = [(cell, twin, ProcessKind.LOOP) for cell, twin in measured]
        if round_ < plan.base_rounds:
            entries += [(cell, False, ProcessKind.BASE) for cell in cells]
        entries.sort(key=lambda entry: shuffle_key(plan.seed, scenario, round_, *entry))  # noqa: B023
        for place, (cell, twin, kind) in enumerate(entries):
            yield Slot(
                scenario,
                round_,
                place,
                cell=cell,
                twin=twin,
                kind=kind,
                layout=layouts[cell, twin][index % len(block.layouts)],
                offset_bytes=offset_bytes(plan, scenario, round_, cell, twin=twin),
            )


def process_keys(plan: Plan, scenario: str, rounds: int) -> Iterator[tuple[str, int, ProcessKind, bool]]:
    """What identifies each process of a scenario's first rounds: cell, round, kind, whether it is a twin."""
    cells = [cell for cell in plan.timed if cell.scenario == scenario]
    twins = [cell for cell in plan.twins if cell.scenario == scenario]
    for round_ in range(rounds):
        yield from ((str(cell), round_, ProcessKind.LOOP, False) for cell in cells)
        yield from ((str(cell), round_, ProcessKind.LOOP, True) for cell in twins)
        if round_ < plan.base_rounds:
            yield from ((str(cell), round_, ProcessKind.BASE, False) for cell in cells)


def drawn_layouts(plan: Plan, scenario: str, block: Block, cell: Cell, *, twin: bool) -> list[int]:
    """The layouts of a block in the order in which a cell takes them."""
    draw = (plan.seed, "layout", scenario, block.number, cell, twin)
    return sorted(block.layouts, key=lambda layout: shuffle_key(*draw, layout))


def offset_bytes(plan: Plan, scenario: str, round_: int, cell: Cell, *, twin: bool) -> int:
    """By how much a process moves its heap; 0 in runs without layouts."""
    if not plan.layouts:
        return 0
    draw = (plan.seed, "offset", scenario, round_, cell, twin)
    return OFFSET_STEP_BYTES * (shuffle_key(*draw)[0] % OFFSETS)


def scenario_order(
    builds: Mapping[str, Mapping[Any, float]],
    measuring_s: Mapping[str, float],
    sources: Mapping[str, str],
) -> list[str]:
    """The scenarios in the order in which they are measured, given what building their programs takes, in seconds.

    As long as runners are to be built, next is the scenario whose table stands soonest, its builds included: so there
    is something to read early. Once everything is built any order takes equally long, and tables come publication by
    publication, as their readers know them.
    """
    left, ready, order = set(builds), set[Any](), list[str]()

    def soonest(name: str) -> tuple[float, str]:
        return sum(s for program, s in builds[name].items() if program not in ready) + measuring_s[name], name

    while any(seconds for name in left for one, seconds in builds[name].items() if one not in ready):
        chosen = min(left, key=soonest)
        order.append(chosen)
        left.remove(chosen)
        ready |= builds[chosen].keys()
    return [*order, *sorted(left, key=lambda name: (sources[name], name))]


def choose_twins(cells: Sequence[DraftedCell], scenarios: Mapping[str, Scenario], seed: int) -> list[Cell]:
    """Two codecs' cells for each scenario and operation, to be measured twice a round under two names (A/A).

    Only cells at the published conditions, if any of them is chosen. Each language that the two are not of adds one:
    its noise may differ.
    """
    published: dict[tuple[str, str], list[Cell]] = {}
    others: dict[tuple[str, str], list[Cell]] = {}
    for drafted in cells:
        cell = drafted.cell
        if not drafted.control:
            is_usual = is_published(cell.conditions, scenarios[cell.scenario].published.conditions)
            (published if is_usual else others).setdefault((cell.scenario, cell.operation), []).append(cell)
    result = list[Cell]()
    for _, group in sorted((others | published).items()):
        drawn = sorted(group, key=lambda cell: shuffle_key(seed, "twin", str(cell)))
        of_language: dict[str, Cell] = {}
        for cell in drawn:
            of_language.setdefault(cell.language, cell)
        result += dict.fromkeys([*drawn[:TWINS], *of_language.values()])
    return result


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
