"""What is left of a run: the estimates of its steps, and what a timed step shows of their worth."""

import pytest

from bench.base.progress import Meter


class Hidden:
    """A display that nobody looks at."""

    def show(self, meter: Meter, text: str) -> None:
        pass

    def live(self, moving: bool) -> None:
        pass

    def stop(self) -> None:
        pass


class Clock:
    """A clock that is set by hand, in seconds."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def measuring(part_takes_s: float, parts: int, *, timed: bool = True) -> Meter:
    """A meter after some of the 600 parts of a step, each estimated to take a second; a minute passed before them."""
    clock = Clock()
    meter = Meter({"measuring": 600.0, "later": 100.0}, Hidden(), clock)
    meter.begin("measuring", "measuring", timed=timed)
    clock.now += 60.0
    for _ in range(parts):
        clock.now += part_takes_s
        meter.advance("measuring", 1.0, "a process")
    return meter


def test_what_is_left_is_what_was_estimated_while_the_estimates_hold():
    assert measuring(1.0, parts=200).left_s == pytest.approx(400 + 100)


def test_a_timed_step_that_takes_twice_its_estimate_has_nearly_twice_as_much_left():
    assert measuring(2.0, parts=1).left_s == pytest.approx(599 + 100)
    assert 1.7 * 400 + 100 < measuring(2.0, parts=200).left_s < 2 * 400 + 100


def test_a_timed_step_that_takes_half_its_estimate_has_less_left():
    assert 0.5 * 400 + 100 < measuring(0.5, parts=200).left_s < 0.65 * 400 + 100


def test_what_came_before_the_first_part_is_no_part():
    """Programs are linked there, which says nothing about the processes."""
    assert measuring(1.0, parts=2).left_s == pytest.approx(598 + 100)


def test_the_parts_of_other_steps_differ_too_much_to_tell_the_rest():
    assert measuring(2.0, parts=200, timed=False).left_s == pytest.approx(400 + 100)


def test_a_step_that_ended_leaves_the_others():
    meter = measuring(2.0, parts=200)
    meter.end("measuring")
    assert meter.left_s == pytest.approx(100)
    assert "about 1 min 40 s left" in str(meter)
