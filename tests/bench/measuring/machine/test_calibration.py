"""Canaries of fakes, and what their times say of the machine."""

import numpy as np
import pytest

from bench.building.runner import Runner, RunnerError
from bench.measuring.machine.calibration import calibrate, calmness, disturbances, kernels, run_canaries
from bench.model.description import Description


def described(*runners: Runner) -> dict[Runner, Description]:
    return {runner: runner.description for runner in runners}


def test_one_runner_of_each_kernel_is_asked(fake):
    calm, other, foreign = fake("b", "calm"), fake("a", "half-calm"), fake("foreign")
    assert kernels(described(calm, other, foreign)) == {"fake/1": other}


def test_the_reference_is_the_second_percentile(fake):
    said: list[str] = []
    calibration = calibrate(described(fake("half", "half-calm")), said.append, cpu=None)
    reference = calibration["fake/1"]
    assert (reference.percentile_2_ns, reference.calm_share, reference.canaries) == (500_000, 0.5, 1000)
    assert reference.median_ns == 750_000
    assert said == ["calibrating: fake/1, 10 s"]


def test_a_runner_that_does_not_answer_leaves_the_run_s_own_canaries(fake):
    runner, said = fake("calm", "calm"), list[str]()
    known = described(runner)
    runner.entry.command[-1] = "encode-crash"  # which knows no `canary`
    assert calibrate(known, said.append, cpu=None) == {}
    assert "the run's own canaries stand in" in said[-1]
    with pytest.raises(RunnerError):
        run_canaries(runner, 1, cpu=None)


def test_how_calm_a_machine_was():
    times = np.array([100, 100, 300, 200, 100, 105, 111, 100, 100, 100.0])
    found = calmness(times)
    assert found.calm_share == 0.7
    assert found.calm_pairs == pytest.approx(4 / 9)
    assert found.longest_ms == pytest.approx(500e-6)


def test_of_one_canary_that_is_all_there_is_to_say():
    found = calmness(np.array([100.0]))
    assert (found.calm_share, found.calm_pairs, found.longest_ms) == (1, 1, 0)


def test_disturbances_are_rows_of_canaries_that_were_not_calm():
    assert disturbances([True, False, False, True, False]) == [(1, 3), (4, 5)]
