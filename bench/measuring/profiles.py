"""How much a profile measures, and how long that takes: functions of plain values."""

import math

from bench.model.plan import Plan, ProcessKind, Profile, Timed
from bench.model.scenario import Scenario

QUICK_DIVISOR = 1_000
"""`quick` repeats a thousandth of what was published: it proves that all works and measures nothing."""
LOOP_NS = 5_000_000
"""A loop takes at least 5 ms, at most 12.5, or one repetition."""
CHAIN_LOOPS = 10
"""Loops of a process, with a canary beside each. Chosen with `tests/studies/chain_lengths.py`, 16 rounds on a virtual
machine of 4 processors. At a load of 7, with 73 % of the loops calm, in 15 cells, loops of 4 ms gave the narrowest
interval a second of measuring in chains of 5; chains of 10 gave one 1.1 times as wide, of 15 1.3 times, and 10 loops of
9 ms 1.5 times. At a load of 45, in 5 cells, chains of 15 loops of 7 ms were best; chains of 10 gave 1.2 times, of 5 1.4
times, and loops of 14 ms, of which a third as many were calm, 1.75 times or more. Ten is never far from the best."""
CHAIN_NS = 100_000_000
"""Where loops take longer there are fewer: further processes say more than further loops of one."""
FILE_LOOP_NS = 100_000_000
"""A loop over files takes longer, so that opening the file does not count."""
FILE_ROUNDS = 20
"""The most of `standard` over files, which are not gated: no precision ends them, only the budget does."""
MOST_ROUNDS = {Profile.STANDARD: 40, Profile.PUBLISHED: 96}
"""Where neither precision nor the budget ends it before: 10 rounds a layout, and 4 of 24 layouts."""
LEAST_BLOCKS = 2
"""A layout is measured twice before anything is judged: one process says nothing of the next."""
LAYOUTS = {Profile.QUICK: 0, Profile.UNTIMED: 0, Profile.STANDARD: 4, Profile.PUBLISHED: 8}
"""Links of each runner that a run begins with; where no time counts, the build tool's."""
MOST_LAYOUTS = {Profile.QUICK: 0, Profile.UNTIMED: 0, Profile.STANDARD: 4, Profile.PUBLISHED: 24}
BUDGET_S = {Profile.STANDARD: 1.6, Profile.PUBLISHED: 20.0}
"""Seconds a cell. A process takes about 0.1 s, so that on a calm machine the least of `standard`, 8 rounds, takes 1 s,
and a cell gets 16 rounds; 24 layouts of `published`, each measured twice, take 5, and all 96 rounds 10. The rest is for
disturbed machines, and for long chains."""
TWINS = 2
"""Codecs measured twice a round, for each scenario and operation; each further language adds one."""
BASE_ROUNDS = 5
"""Rounds that also run the process at 0 repetitions, for start-up, base memory and the two-clock check."""
PROCESS_OVERHEAD_NS = 12_000_000
"""Starting hyperfine and the runner and recording one process; for estimates of time only."""
CANARY_NS = 500_000
"""About what a canary takes, likewise."""
PROCESS_S = 0.05
"""What a process takes besides its loops, interpreters included; this and the next four before anything is tried."""
INPUT_BYTES_A_SECOND = 15e6
"""How fast a runner reads its canonical input, by the bytes of the value."""
BYTES_A_SECOND = 300e6
"""What a usual codec handles."""
PROOF_S = 0.1
"""What proving a codec takes at least: several processes, some of them side by side."""
PROVED_BYTES_A_SECOND = 4e6
"""Canonical JSON is read, compared and written by the driver itself."""
LIMIT_FACTOR = 20
LIMIT_FLOOR_S = 60.0
"""A process may take twenty times its estimate and a minute more; what takes longer hangs."""


def rounds_of(profile: Profile, scenario: Scenario) -> int:
    """How many rounds a profile measures of a scenario at most; over files in `published`, exactly."""
    if not profile.is_timed:
        return 1
    if not scenario.is_files:
        return MOST_ROUNDS[profile]
    return FILE_ROUNDS if profile is Profile.STANDARD else scenario.published.rounds * scenario.published.split


def least_rounds_of(profile: Profile, scenario: Scenario) -> int:
    """How many rounds a profile measures of a scenario in any case."""
    if not is_limited(profile, scenario):
        return rounds_of(profile, scenario)
    return LEAST_BLOCKS * LAYOUTS[profile]


def is_limited(profile: Profile, scenario: Scenario) -> bool:
    """Whether a budget may end a scenario, unless the user fixes the rounds.

    `published` repeats what was published over files exactly, and `quick` measures one round.
    """
    return profile is Profile.STANDARD or (profile is Profile.PUBLISHED and not scenario.is_files)


def base_rounds_of(profile: Profile) -> int:
    """The first rounds that also run the process at 0 repetitions; none where no time counts, not even start-up."""
    return BASE_ROUNDS if profile.is_timed else 0


def processes_at_once(profile: Profile, threads: int) -> int:
    """How many processes run side by side: one where times count, else one a hardware thread."""
    return 1 if profile.is_timed else max(1, threads)


def pilot_repetitions(scenario: Scenario) -> int:
    """Repetitions of the pilot's loops, and of those of `quick`: a thousandth of the published ones."""
    return max(1, scenario.published.repetitions // QUICK_DIVISOR)


def repetitions_of(profile: Profile, scenario: Scenario, estimate_ns: float) -> int:
    """Repetitions of a timed loop, given what the pilot took for one of them.

    As often as the shortest loop needs, rounded up to 1, 2 or 5 times a power of ten. Over files `published` repeats
    what was published, divided by the split.
    """
    if not profile.is_timed:
        return pilot_repetitions(scenario)
    if scenario.is_files and profile is Profile.PUBLISHED:
        return scenario.published.repetitions // scenario.published.split
    shortest_ns = FILE_LOOP_NS if scenario.is_files else LOOP_NS
    return round_up_125(shortest_ns / max(estimate_ns, 0.1))


def loops_of(profile: Profile, scenario: Scenario, repetitions: int, estimate_ns: float) -> int:
    """Timed loops of a process: a chain of some 100 ms, or one loop over files and where no time counts.

    In `published` the least rounds together repeat at least as often as the publication did in all.
    """
    if not profile.is_timed or scenario.is_files:
        return 1
    fitting = round(CHAIN_NS / max(repetitions * estimate_ns, 1.0))
    loops = min(CHAIN_LOOPS, max(1, fitting))
    if profile is Profile.STANDARD:
        return loops
    published = scenario.published
    total = published.repetitions * published.rounds
    return max(loops, math.ceil(total / (repetitions * least_rounds_of(profile, scenario))))


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


def rounds_estimate_s(scenario: Scenario, profile: Profile, rounds: int, cells: int) -> float:
    """How long a fixed number of rounds will take before anything is known of the cells, very roughly."""
    if not profile.is_timed:
        loop_s = pilot_repetitions(scenario) * scenario.data_size_bytes / BYTES_A_SECOND
    elif scenario.is_files and profile is Profile.PUBLISHED:
        passes = scenario.published.repetitions / scenario.published.split
        loop_s = passes * scenario.data_size_bytes / BYTES_A_SECOND
    else:
        loop_s = CHAIN_NS / 1e9
    start_s = start_estimate_s(scenario)
    measured = cells + min(cells, TWINS * len(scenario.operations))
    return rounds * measured * (start_s + loop_s) + min(rounds, base_rounds_of(profile)) * cells * start_s


def proof_estimate_s(scenario: Scenario, codecs: int, cells: int, layouts: int) -> float:
    """How long proving a scenario's codecs and their layouts, and the pilots of its cells, will take, very roughly."""
    proofs = codecs * (1 + layouts)
    compared_s = PROOF_S + scenario.data_size_bytes / PROVED_BYTES_A_SECOND
    return proofs * compared_s + (cells * start_estimate_s(scenario) if layouts else 0.0)


def start_estimate_s(scenario: Scenario) -> float:
    """How long a process takes to start and to read the scenario's input, very roughly."""
    return PROCESS_S + scenario.data_size_bytes / INPUT_BYTES_A_SECOND


def process_estimate_s(kind: ProcessKind, timed: Timed, plan: Plan) -> float:
    """How long a process of the plan will take, roughly."""
    canaries_ns = (timed.loops + 1) * CANARY_NS if timed.canary else 0
    loops_ns = 0 if kind is ProcessKind.BASE else loop_estimate_ns(timed, plan)
    read_s = (timed.encoded_bytes or 0) / INPUT_BYTES_A_SECOND
    return read_s + (PROCESS_OVERHEAD_NS + canaries_ns + loops_ns) / 1e9
