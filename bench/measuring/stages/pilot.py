"""From a proof to its stage: a short process of each cell tells how long a repetition takes."""

import math
import os
import shutil
from collections.abc import Callable
from pathlib import Path

from bench.base import errors, paths
from bench.building.lab import Lab
from bench.building.runner import RunnerError
from bench.measuring.hyperfine import rehearse
from bench.measuring.profiles import LIMIT_FLOOR_S, loops_of, pilot_repetitions, repetitions_of
from bench.measuring.request import MeasureError, Request, file_bytes
from bench.model.plan import (
    Blocked,
    Draft,
    DraftedCell,
    Encoded,
    PlannedCell,
    Profile,
    Proof,
    Proved,
    Stage,
    Timed,
    Unproved,
)
from bench.scenarios.inputs import input_file
from bench.scenarios.keys import keys_of

PILOT_SAMPLES = 3
PILOT_NS = 100_000
"""The shortest loop that tells a repetition's time: reading the clock, some 30 ns, is then no matter."""
LEAST_GROWTH, MOST_GROWTH = 10, 1_000
"""A loop that is shorter is tried again with so many times the repetitions."""
MOST_REPETITIONS = 10**8
"""The most that are tried: a codec that gives no time even then gets none."""


def settle(draft: Draft, proof: Proof, lab: Lab, profile: Profile, *, done: Callable[[], None] = lambda: None) -> Stage:
    """The stage: each cell with its repetitions, or blocked where its proof or its pilot failed.

    `quick` has no pilot: its repetitions are known, and a process that fails gets its error row when it is measured.
    `done` is called after each cell.
    """
    cells: list[PlannedCell] = []
    for drafted in draft.cells:
        result = proof.results[drafted.cell]
        if isinstance(result, Unproved):
            cells.append(drafted.as_blocked(result.reason, known=result.known))
        elif not profile.is_timed:
            cells.append(drafted.as_timed(result, pilot_repetitions(lab.scenarios[draft.scenario]), 0.0))
        else:
            cells.append(pilot(drafted, result, lab, profile))
        done()
    return Stage.of(draft, cells)


def pilot(drafted: DraftedCell, proved: Proved, lab: Lab, profile: Profile) -> Timed | Blocked:
    """A cell with its estimate, the shortest of a few loops, and the repetitions that follow from it."""
    scenario = lab.scenarios[drafted.cell.scenario]
    repetitions = pilot_repetitions(scenario)
    try:
        shortest_ns = shortest_loop_ns(drafted, proved, lab, repetitions)
        while shortest_ns < PILOT_NS and repetitions < MOST_REPETITIONS:
            growth = math.ceil(PILOT_NS / max(shortest_ns, 1))
            repetitions = min(repetitions * min(max(growth, LEAST_GROWTH), MOST_GROWTH), MOST_REPETITIONS)
            shortest_ns = shortest_loop_ns(drafted, proved, lab, repetitions)
    except (RunnerError, MeasureError) as error:
        return drafted.as_blocked(f"pilot: {without_paths(error)}")
    estimate_ns = shortest_ns / repetitions
    repetitions = repetitions_of(profile, scenario, estimate_ns)
    loops = loops_of(profile, scenario, repetitions, estimate_ns)
    return drafted.as_timed(proved, repetitions, round(estimate_ns, 3), loops=loops)


def shortest_loop_ns(drafted: DraftedCell, proved: Proved, lab: Lab, repetitions: int) -> int:
    """The shortest of a few loops of one process. Raises RunnerError or MeasureError where that fails."""
    scenario = lab.scenarios[drafted.cell.scenario]
    request = Request(
        cell=drafted.cell,
        proved=proved,
        input_file=input_file(scenario),
        repetitions=repetitions,
        warmup=0,
        samples=PILOT_SAMPLES,
        limit_s=LIMIT_FLOOR_S,
        keys=keys_of(scenario),
        file_bytes=file_bytes(drafted.cell, proved, scenario, repetitions),
    )
    return min(sample.wall_ns for sample in rehearse(lab.runner_of[drafted.cell], request))


def without_paths(error: Exception) -> str:
    """A message without the folder that this checkout happens to lie in."""
    return str(error).replace(f"{paths.ROOT}{os.sep}", "")


def check_room(folder: Path, stage: Stage) -> None:
    """Raises LabError where the disk has no room for the largest file of a stage; there is one at a time."""
    free = shutil.disk_usage(folder).free
    for timed in stage.cells:
        if timed.blocked is not None:
            continue
        if isinstance(timed.proved, Encoded) and timed.cell.conditions.io in ("as-published", "buffered"):
            needed = timed.proved.encoded_bytes * (timed.repetitions + 1)
            if needed > free:
                raise errors.no_room_for_files(folder, str(timed.cell), needed, free)
