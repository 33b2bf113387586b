"""How much a profile measures, and how long that takes: functions of plain values."""

from bench.model.plan import Plan, ProcessKind, Profile, Slot, Timed
from bench.model.scenario import Scenario

QUICK_DIVISOR = 1_000
"""`quick` repeats a thousandth of what was published: it proves that all works and measures nothing."""
STANDARD_ROUNDS = 20
STANDARD_LOOP_NS = 10_000_000
"""A loop of `standard` takes at least 10 ms: a million times what reading the clock costs."""
STANDARD_FILE_LOOP_NS = 100_000_000
"""A loop over files takes longer, so that opening the file does not count."""
BASE_ROUNDS = 5
"""Rounds that also run the process at 0 repetitions, for start-up, base memory and the two-clock check."""
PROCESS_OVERHEAD_NS = 12_000_000
"""Starting hyperfine and the runner and recording one process; for estimates of time only."""
LIMIT_FACTOR = 20
LIMIT_FLOOR_S = 60.0
"""A process may take twenty times its estimate and a minute more; what takes longer hangs."""


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
    """How many processes run side by side: one where times count; in `quick`, where none do, one a hardware thread."""
    return max(1, threads) if profile is Profile.QUICK else 1


def pilot_repetitions(scenario: Scenario) -> int:
    """Repetitions of the pilot's loops, and of those of `quick`: a thousandth of the published ones."""
    return max(1, scenario.published.repetitions // QUICK_DIVISOR)


def repetitions_of(profile: Profile, scenario: Scenario, estimate_ns: float) -> int:
    """Repetitions of a timed loop, given what the pilot took for one of them.

    `published` repeats what was published, divided by the split; `standard` as often as its shortest loop needs,
    rounded up to 1, 2 or 5 times a power of ten.
    """
    if profile is Profile.QUICK:
        return pilot_repetitions(scenario)
    if profile is Profile.PUBLISHED:
        return scenario.published.repetitions // scenario.published.split
    shortest_ns = STANDARD_FILE_LOOP_NS if scenario.is_files else STANDARD_LOOP_NS
    return round_up_125(shortest_ns / max(estimate_ns, 0.1))


def round_up_125(number: float) -> int:
    """The least of 1, 2, 5, 10, 20, 50 … that is not below `number`."""
    power = 1
    while True:
        for factor in (1, 2, 5):
            if factor * power >= number:
                return factor * power
        power *= 10


def limit_s(timed: Timed, plan: Plan) -> float:
    """How long a process of a cell may take before it is killed."""
    return plan.limit_s or LIMIT_FLOOR_S + LIMIT_FACTOR * loop_estimate_ns(timed, plan) / 1e9


def loop_estimate_ns(timed: Timed, plan: Plan) -> float:
    """How long the timed loops of a process of this cell will take, roughly."""
    return timed.repetitions * timed.estimate_ns * (timed.loops + plan.warmup)


def slot_estimate_ns(slot: Slot, timed: Timed, plan: Plan) -> float:
    """How long a process of the plan will take, roughly."""
    return PROCESS_OVERHEAD_NS + (0 if slot.kind is ProcessKind.BASE else loop_estimate_ns(timed, plan))
