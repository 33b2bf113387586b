"""What is measured, how often and in which order: functions of plain values, without clock, disk or process."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from bench.base.errors import LabError
from bench.model.cells import Cell, Conditions
from bench.model.plan import Plan, PlannedCell, ProcessKind, Profile, Slot
from bench.model.scenario import Scenario

QUICK_DIVISOR = 1_000
"""`quick` repeats a thousandth of what was published: it proves that all works and measures nothing."""
STANDARD_ROUNDS = 20
STANDARD_LOOP_NS = 10_000_000
"""A loop of `standard` takes at least 10 ms: a million times what reading the clock costs."""
STANDARD_FILE_LOOP_NS = 100_000_000
"""Of a loop over files: long enough that it is not the opening of one."""
BASE_ROUNDS = 5
"""Rounds that also run the process at 0 repetitions, for start-up, base memory and the two-clock check."""
TWINS = 2
"""Codecs measured twice a round, of each scenario and operation."""
PROCESS_OVERHEAD_NS = 12_000_000
"""Starting hyperfine, the runner and the recording of one process; for estimates of time only."""


def rounds_of(profile: Profile, scenario: Scenario) -> int:
    """How many rounds a profile measures of a scenario."""
    published = scenario.published
    return {
        Profile.QUICK: 1,
        Profile.STANDARD: STANDARD_ROUNDS,
        Profile.PUBLISHED: published.rounds * published.split,
    }[profile]


def base_rounds_of(profile: Profile) -> int:
    """The first rounds that also run the process at 0 repetitions; `quick` measures nothing, not even start-up."""
    return 0 if profile is Profile.QUICK else BASE_ROUNDS


def processes_at_once(profile: Profile, threads: int) -> int:
    """How many processes run side by side: one where times count, one a hardware thread in `quick`, where none does."""
    return max(1, threads) if profile is Profile.QUICK else 1


def repetitions_of(profile: Profile, scenario: Scenario, estimate_ns: float) -> int:
    """Repetitions of a timed loop: the published ones over the split, a thousandth, or enough for the minimum.

    `estimate_ns` is what the pilot took for one repetition. `standard` rounds up to 1, 2 or 5 times a power of ten.
    """
    published = scenario.published.repetitions
    if profile is Profile.QUICK:
        return max(1, published // QUICK_DIVISOR)
    if profile is Profile.PUBLISHED:
        return published // scenario.published.split
    least = STANDARD_FILE_LOOP_NS if scenario.is_files else STANDARD_LOOP_NS
    return round_up_125(least / max(estimate_ns, 0.1))


def round_up_125(number: float) -> int:
    """The least of 1, 2, 5, 10, 20, 50 … that is not below `number`."""
    power = 1
    while True:
        for factor in (1, 2, 5):
            if factor * power >= number:
                return factor * power
        power *= 10


def is_published(conditions: Conditions, published: Conditions) -> bool:
    """Whether a cell has the conditions of the publication, as far as they apply to it.

    Compression applies to every encoded message, so that a publication that does not name it did not compress.
    """
    wanted = dict(published.items())
    return conditions.compression == published.compression and all(
        wanted.get(name, value) == value for name, value in conditions.items()
    )


def choose_twins(cells: Sequence[PlannedCell], scenarios: Mapping[str, Scenario], seed: int) -> list[Cell]:
    """Two codecs' cells for each scenario and operation, to be measured twice a round under two names (A/A)."""
    groups: dict[tuple[str, str], list[Cell]] = {}
    for planned in cells:
        cell = planned.cell
        if not planned.control and is_published(cell.conditions, scenarios[cell.scenario].published.conditions):
            groups.setdefault((cell.scenario, cell.operation), []).append(cell)
    drawn = [sorted(group, key=lambda c: _lot(seed, "twin", str(c)))[:TWINS] for _, group in sorted(groups.items())]
    return [cell for group in drawn for cell in group]


def slots(plan: Plan) -> Iterator[Slot]:
    """Every process of the plan in its order: scenario by scenario, round by round, shuffled within the round.

    The order is that of SHA-256 over seed, scenario, round and cell, so that any language can repeat it.
    """
    by_scenario: dict[str, list[PlannedCell]] = {}
    for planned in plan.cells:
        if planned.blocked is None:
            by_scenario.setdefault(planned.cell.scenario, []).append(planned)
    twins = set(plan.twins)
    for scenario, cells in sorted(by_scenario.items()):
        for round_ in range(plan.rounds[scenario]):
            entries = [(p.cell, False, ProcessKind.LOOP) for p in cells]
            entries += [(p.cell, True, ProcessKind.LOOP) for p in cells if p.cell in twins]
            if round_ < plan.base_rounds:
                entries += [(p.cell, False, ProcessKind.BASE) for p in cells]
            entries.sort(key=lambda e: _lot(plan.seed, scenario, round_, *e))
            for place, (cell, twin, kind) in enumerate(entries):
                yield Slot(scenario, round_, place, cell, twin, kind)


def shard(scenarios: Iterable[str], text: str) -> list[str]:
    """The scenarios of shard I of N (`I/N`, I from 1): whole scenarios, dealt out in the order of their names."""
    if not (part := shard_part(text)):
        raise LabError(f"--shard {text!r}: give I/N with 1 ≤ I ≤ N, such as 1/4.")
    return sorted(scenarios)[part[0] - 1 :: part[1]]


def shard_part(text: str) -> tuple[int, int] | None:
    """I and N of `I/N`; None where the text is no shard."""
    found = re.fullmatch(r"([1-9][0-9]{0,3})/([1-9][0-9]{0,3})", text)  # scenarios are some dozens
    return (int(found[1]), int(found[2])) if found and int(found[1]) <= int(found[2]) else None


def slot_estimate_ns(slot: Slot, planned: PlannedCell, plan: Plan) -> float:
    """How long a process of the plan will take, roughly."""
    if slot.kind is ProcessKind.BASE:
        return PROCESS_OVERHEAD_NS
    return PROCESS_OVERHEAD_NS + loop_estimate_ns(planned, plan)


def loop_estimate_ns(planned: PlannedCell, plan: Plan) -> float:
    """How long the timed loops of a process of this cell will take, roughly."""
    return (planned.repetitions or 1) * (planned.estimate_ns or 0.0) * (plan.samples + plan.warmup)


def plan_estimate_s(plan: Plan) -> float:
    """How long the whole plan will take, roughly, in seconds."""
    planned = {p.cell: p for p in plan.cells}
    return sum(slot_estimate_ns(slot, planned[slot.cell], plan) for slot in slots(plan)) / 1e9


def _lot(*parts: object) -> bytes:
    return hashlib.sha256(":".join(map(str, parts)).encode()).digest()
