"""What `lab doctor` says of machines that are calm, restless, or have no canary."""

import json

import pytest
from msgspec.structs import replace

from bench.building.runner import RunnerError
from bench.measuring.machine import fitness
from bench.measuring.machine.calibration import Calmness
from bench.measuring.machine.fitness import examine_calm, expectation, finding

CALM = Calmness(calm_share=0.97, calm_pairs=0.95, longest_ms=12.4)


def test_a_calm_machine_is_told_how_long_a_cell_takes():
    found = finding(CALM)
    assert (found.name, found.state) == ("calm", "ok")
    assert found.value == "97 % of the time; the longest disturbance took 12 ms"
    assert "About 95 % of the loops will be calm: `lab bench` will take" in found.advice


def test_the_less_calm_the_longer_it_takes():
    assert finding(replace(CALM, calm_pairs=0.2)).state == "advice"
    seconds = [float(expectation(replace(CALM, calm_pairs=share)).split()[-6]) for share in (0.9, 0.2)]
    assert seconds[0] < seconds[1]


@pytest.mark.parametrize("share", [0.01, 0.0])
def test_a_machine_that_is_never_calm_is_told_to_wait(share):
    assert "wait" in expectation(replace(CALM, calm_pairs=share)) or "less to do" in expectation(
        replace(CALM, calm_pairs=share)
    )
    assert finding(replace(CALM, calm_pairs=share)).state == "advice"


def test_a_built_runner_s_canaries_are_watched(fake_lab, monkeypatch):
    monkeypatch.setenv("LAB_RUNNERS", str(fake_lab(half="half-calm").manifest))
    found = examine_calm(0.1)
    assert found.value == "50 % of the time; the longest disturbance took 2 ms"
    assert found.state == "advice"


def test_without_built_runners_the_python_kit_s_are(tmp_path, monkeypatch):
    monkeypatch.setattr(fitness, "manifest", lambda: tmp_path / "none.json")
    assert examine_calm(0.1).name == "calm"
    assert len(fitness.watch(0.1)) > 1


def test_without_any_it_says_what_to_build(tmp_path, monkeypatch):
    monkeypatch.setattr(fitness, "manifest", lambda: tmp_path / "none.json")
    monkeypatch.setattr(fitness, "KIT", tmp_path)
    with pytest.raises(RunnerError, match="the Python kit runs no canaries"):
        fitness.kit_canaries(0.1)
    found = examine_calm(0.1)
    assert (found.state, "lab build" in found.advice) == ("advice", True)


def test_doctor_prints_it(fake_lab):
    done = fake_lab(calm="calm")("doctor", "--json", "--seconds", "0.1", code=None)
    assert "calm" in {one["name"] for one in json.loads(done.stdout)}
