"""How long measuring a scenario still takes: from its estimates, its budget, and what its processes took so far."""

import time
from collections.abc import Callable

from bench.measuring.profiles import process_estimate_s
from bench.model.plan import Plan, ProcessKind

TRUSTED_S = 10.0
"""Estimates are believed for this long; then more and more what was seen."""


class Remaining:
    """What is left of a scenario that is being measured.

    Its processes are alike: how long those that are done took against their estimates tells how long the others will.
    """

    def __init__(
        self, plan: Plan, scenario: str, known_s: float = 0.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`known_s`: the wall time of what is recorded already."""
        self._all_s = _rounds_s(plan, scenario, plan.rounds[scenario])
        self._least_s = _rounds_s(plan, scenario, plan.least_rounds.get(scenario, 0))
        self._budget_s = plan.budget_s.get(scenario)
        self._done_s = self._spent_s = known_s
        self._clock = clock
        self._since: float | None = None
        self._took_s = self._thought_s = 0.0

    def done(self, estimate_s: float, wall_s: float) -> None:
        """A process is done: what it was thought to take, and what it took."""
        self._done_s += estimate_s
        self._spent_s += wall_s
        if self._since is None:  # what came before it is no process: its program was linked, perhaps
            self._since = self._clock()
            return
        self._thought_s += estimate_s
        self._took_s = self._clock() - self._since

    @property
    def left_s(self) -> float:
        """What is left: all rounds, or as many as the budget allows, but never less than the least."""
        pace = (TRUSTED_S + self._took_s) / (TRUSTED_S + self._thought_s)
        all_s, least_s = (max(0.0, seconds - self._done_s) * pace for seconds in (self._all_s, self._least_s))
        if self._budget_s is None:
            return all_s
        return min(all_s, max(self._budget_s - self._spent_s, least_s))


def _rounds_s(plan: Plan, scenario: str, rounds: int) -> float:
    """What so many rounds of a scenario are thought to take."""
    cells = [timed for cell, timed in plan.timed.items() if cell.scenario == scenario]
    twins = set(plan.twins)
    base_s = sum(process_estimate_s(ProcessKind.BASE, timed, plan) for timed in cells)
    round_s = sum(process_estimate_s(ProcessKind.LOOP, t, plan) * (2 if t.cell in twins else 1) for t in cells)
    return rounds * round_s + min(rounds, plan.base_rounds) * base_s
