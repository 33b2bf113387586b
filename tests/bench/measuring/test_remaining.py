"""What is left of a scenario that is being measured: its estimates, its budget, and what its processes took."""

import msgspec
import pytest

from bench.measuring.remaining import Remaining
from bench.model.plan import Plan
from tests.bench.measuring.test_plan import CELLS, plan_of

PLAN = plan_of(CELLS, rounds=1000)
ALL_S = Remaining(PLAN, "point", {}).left_s


class Clock:
    """A clock that is set by hand, in seconds."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def after(share: float, *, pace: float = 1.0, plan: Plan = PLAN, parts: int = 100) -> Remaining:
    """What is left after linking, and after processes that took `pace` times their share of all rounds."""
    clock = Clock()
    remaining = Remaining(plan, "point", {}, clock)
    clock.now += 60.0
    for _ in range(parts):
        estimate_s = share * ALL_S / parts
        clock.now += pace * estimate_s
        remaining.done(estimate_s, pace * estimate_s)
    return remaining


def limited(budget: float, least_rounds: int = 0) -> Plan:
    """The plan with a share of its time as its budget."""
    every = PLAN.rounds
    return msgspec.structs.replace(
        PLAN, budget_s=dict.fromkeys(every, budget * ALL_S), least_rounds=dict.fromkeys(every, least_rounds)
    )


def test_the_plan_takes_long_enough_to_learn_something():
    """Or the tests below would see little but the estimates."""
    assert ALL_S > 40


def test_while_the_estimates_hold_they_are_what_is_left():
    assert after(0.25).left_s == pytest.approx(0.75 * ALL_S, rel=0.01)


def test_processes_that_take_longer_than_thought_leave_more():
    assert 1.3 * 0.5 * ALL_S < after(0.5, pace=2.0).left_s < 2.0 * 0.5 * ALL_S


def test_processes_that_take_less_than_thought_leave_less():
    assert 0.5 * 0.5 * ALL_S < after(0.5, pace=0.5).left_s < 0.8 * 0.5 * ALL_S


def test_the_first_process_says_nothing_yet():
    """Programs are linked before it."""
    assert after(0.01, pace=50.0, parts=1).left_s == pytest.approx(0.99 * ALL_S)


def test_what_is_left_of_a_budget_is_what_was_not_spent_of_it():
    assert after(0.1, pace=2.0, plan=limited(0.5)).left_s == pytest.approx(0.3 * ALL_S)


def test_the_least_rounds_are_left_even_where_the_budget_is_spent():
    slow = after(0.2, pace=3.0, plan=limited(0.5, least_rounds=500))
    assert 0.3 * ALL_S < slow.left_s < 3.0 * 0.3 * ALL_S


def test_a_budget_of_more_than_all_rounds_leaves_these():
    assert after(0.25, plan=limited(9.0)).left_s == pytest.approx(0.75 * ALL_S, rel=0.01)


def test_nothing_is_left_after_all_rounds():
    assert after(1.0, pace=2.0).left_s == pytest.approx(0.0, abs=1e-6)


def test_what_is_recorded_is_not_left_and_says_how_long_the_others_take():
    def resumed(pace: float, plan: Plan = PLAN) -> float:
        rounds = PLAN.rounds["point"]
        return Remaining(plan, "point", dict.fromkeys(range(rounds // 2), pace * ALL_S / rounds)).left_s

    assert resumed(1.0) == pytest.approx(0.5 * ALL_S, rel=0.05)
    assert 1.3 * 0.5 * ALL_S < resumed(2.0) < 2.0 * 0.5 * ALL_S
    assert resumed(2.0, limited(0.8)) == 0.0


def test_a_part_of_a_round_that_is_recorded_is_no_whole_one():
    """Or a run that is interrupted at once would seem to be fast."""
    assert Remaining(PLAN, "point", {0: 0.001}).left_s == pytest.approx(ALL_S, rel=0.01)
    long = plan_of(CELLS, rounds=3)
    all_s = Remaining(long, "point", {}).left_s
    assert Remaining(long, "point", {0: 0.1 * all_s / 3}).left_s == pytest.approx((1 - 0.1 / 3) * all_s, rel=0.01)
