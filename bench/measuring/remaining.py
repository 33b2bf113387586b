"""How long measuring a scenario still takes: from its estimates, its budget, and what its processes took so far."""

import time
from collections.abc import Callable, Mapping

from bench.measuring.profiles import process_estimate_s
from bench.model.plan import Plan, ProcessKind

TRUSTED_S = 10.0
"""The estimates weigh as much as this many seconds of measuring."""


class Remaining:
    """What is left of a scenario that is being measured.

    If the processes so far took twice their estimates, so will the others; those of an interrupted run count as well.
    """

    def __init__(
        self,
        plan: Plan,
        scenario: str,
        recorded_s: Mapping[int, float],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`recorded_s`: by round, the wall time of its processes that are recorded already."""
        *whole, last_s = [recorded_s[number] for number in sorted(recorded_s)] or [0.0]
        numbers = (plan.rounds[scenario], plan.least_rounds.get(scenario, 0), len(whole))
        self._all_s, self._least_s, self._thought_s = _rounds_estimates_s(plan, scenario, *numbers)
        self._budget_s = plan.budget_s.get(scenario)
        self._before_s, self._took_s = sum(whole), 0.0
        self._spent_s = self._before_s + last_s
        self._done_s = self._thought_s + last_s / self._pace  # the last round may be a part of one
        self._clock = clock
        self._since: float | None = None

    def done(self, estimate_s: float, wall_s: float) -> None:
        """Takes in a process that is done: its estimate, and its wall time."""
        self._done_s += estimate_s
        self._spent_s += wall_s
        if self._since is None:  # the time before the first process is not its own: programs were linked
            self._since = self._clock()
            return
        self._thought_s += estimate_s
        self._took_s = self._clock() - self._since

    @property
    def _pace(self) -> float:
        """What processes take, by their estimates."""
        return (TRUSTED_S + self._before_s + self._took_s) / (TRUSTED_S + self._thought_s)

    @property
    def left_s(self) -> float:
        """Seconds left: of all rounds, or of the budget if that is less, but at least of the least rounds."""
        all_s, least_s = (max(0.0, seconds - self._done_s) * self._pace for seconds in (self._all_s, self._least_s))
        if self._budget_s is None:
            return all_s
        return min(all_s, max(self._budget_s - self._spent_s, least_s))


def _rounds_estimates_s(plan: Plan, scenario: str, *rounds: int) -> list[float]:
    """How long each of these numbers of rounds of a scenario will take, roughly."""
    cells = [timed for cell, timed in plan.timed.items() if cell.scenario == scenario]
    twins = set(plan.twins)
    base_s = sum(process_estimate_s(ProcessKind.BASE, timed, plan) for timed in cells)
    round_s = sum(process_estimate_s(ProcessKind.LOOP, t, plan) * (2 if t.cell in twins else 1) for t in cells)
    return [count * round_s + min(count, plan.base_rounds) * base_s for count in rounds]
