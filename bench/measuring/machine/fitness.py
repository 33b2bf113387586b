"""How fit this machine is for measuring at this moment, in words that say what to expect."""

import math
import os
import sys

import msgspec
import numpy as np

from bench.base.files import is_there
from bench.base.paths import RUNNERS, manifest
from bench.base.programs import captured
from bench.building.build import load_runners
from bench.building.doctor import Finding
from bench.building.runner import Runner, RunnerError
from bench.measuring.machine.calibration import Calmness, CanaryTimes, calmness, run_canaries
from bench.measuring.machine.processors import idle_processor
from bench.measuring.profiles import (
    BUDGET_S,
    CANARY_NS,
    CHAIN_LOOPS,
    LAYOUTS,
    LEAST_BLOCKS,
    LOOP_NS,
    MOST_ROUNDS,
    PROCESS_OVERHEAD_NS,
)
from bench.model.plan import Profile
from bench.statistics.calm import Vector
from bench.statistics.layouts import LEAST_CALM_LOOPS

NAME = "calm"
KIT = RUNNERS / "python" / "kit"
KIT_CANARY = "import sys; from wirelab_kit.commands.canary import canaries; print(canaries(float(sys.argv[1]), 0))"
GOOD_SHARE = 0.5
"""With fewer calm loops a run takes more than twice as long as on a calm machine."""
PROCESS_S = (PROCESS_OVERHEAD_NS + CHAIN_LOOPS * 1.5 * LOOP_NS + (CHAIN_LOOPS + 1) * CANARY_NS) / 1e9
"""Of a usual process, whose loops take between 1 and 2.5 times their least."""


def examine_calm(seconds: float) -> Finding:
    """Watches the machine for some seconds with the canaries of a built runner, or else of the Python kit."""
    try:
        return finding(calmness(watch(seconds)))
    except RunnerError as error:
        advice = "`./lab build` builds runners whose canaries tell how calm this machine is."
        return Finding(NAME, f"unknown: {error}", "advice", advice)


def watch(seconds: float) -> Vector:
    """Times of canaries, shape (n,), n ≥ 1. Raises RunnerError where none can be run."""
    runner = built_runner()
    return run_canaries(runner, seconds, cpu=idle_processor()) if runner else kit_canaries(seconds)


def built_runner() -> Runner | None:
    """A built runner with a canary, machine code before scripts; None where there is none."""
    if not is_there(manifest()):
        return None
    runners = sorted(load_runners(), key=lambda runner: (runner.program.suffix != "", runner.codec))
    return next((runner for runner in runners if has_canary(runner)), None)


def has_canary(runner: Runner) -> bool:
    """Whether a runner describes itself, and with a canary."""
    try:
        return runner.description.canary is not None
    except RunnerError:
        return False


def kit_canaries(seconds: float) -> Vector:
    """The same by the Python kit, in a process of its own. Raises RunnerError."""
    command = [sys.executable, "-c", KIT_CANARY, str(seconds)]
    done = captured(command, env=os.environ | {"PYTHONPATH": str(KIT)}, timeout=seconds + 60)
    try:
        return np.array(msgspec.json.decode(done.stdout, type=CanaryTimes).canary_ns, dtype=np.float64)
    except msgspec.MsgspecError:
        last = done.stderr.strip().splitlines()[-1:] or ["no message"]
        raise RunnerError(f"the Python kit runs no canaries: {last[0]}") from None


def finding(calm: Calmness) -> Finding:
    """A finding of `lab doctor`."""
    value = f"{100 * calm.calm_share:.0f} % of the time; the longest disturbance took {calm.longest_ms:.0f} ms"
    return Finding(NAME, value, "ok" if calm.calm_pairs >= GOOD_SHARE else "advice", expectation(calm))


def expectation(calm: Calmness) -> str:
    """What a run of the profile `standard` will be like on a machine as calm as this."""
    if not calm.calm_pairs:
        return "No loop would be calm: measure when this machine has less to do."
    layouts, budget_s = LAYOUTS[Profile.STANDARD], BUDGET_S[Profile.STANDARD]
    rounds = layouts * max(LEAST_BLOCKS, math.ceil(LEAST_CALM_LOOPS / (calm.calm_pairs * CHAIN_LOOPS)))
    share = f"About {100 * calm.calm_pairs:.0f} % of the loops will be calm"
    if rounds > MOST_ROUNDS[Profile.STANDARD] or rounds * PROCESS_S > budget_s:
        return (
            f"{share}: `lab bench` will spend its {budget_s:g} s a cell and leave cells without figures; wait for calm."
        )
    return f"{share}: `lab bench` will take {rounds * PROCESS_S:.1f} to {budget_s:g} s a cell."
