"""Whether a run's scenarios ended as run.json says: computed again from its lines, by the driver's own rule.

How precise a run is decides whether it or another one represents a scenario.
"""

from collections.abc import Iterator, Mapping

from msgspec import Struct

from bench.measuring.rounds.evidence import Context, judge
from bench.measuring.run_file import Recorded
from bench.model.description import runner_name
from bench.model.plan import Timed
from bench.model.record import Process, Run, Sample
from bench.scenarios.sets import set_name
from bench.statistics.stopping import precise_share

TOLERANCES = {"precise_share": 1e-4, "calm_share": 1e-4, "seconds": 0.01}
"""run.json has shares with four decimals, seconds with three."""


class Judged(Struct, frozen=True):
    """What the lines of a scenario say of its end: the fields of `Ending` that are not decisions."""

    precise_share: float
    calm_share: float
    seconds: float


def untrue_endings(recorded: Recorded) -> Iterator[str]:
    """What run.json says of the end of a scenario and its samples and processes do not, one sentence each."""
    endings, by_lines = recorded.run.endings, judged_endings(recorded)
    for name, ending in endings.items():
        for field, tolerance in TOLERANCES.items():
            said, is_so = getattr(ending, field), getattr(by_lines[name], field)
            if abs(said - is_so) > tolerance:
                yield f"{name}: {field} is {said:g} under `endings` in run.json, and {is_so:.4g} by its lines"


def judged_endings(recorded: Recorded) -> dict[str, Judged]:
    """Scenario that ended → what its lines up to its last round say of it."""
    run = recorded.run
    timed = {str(cell): planned for cell, planned in run.plan.timed.items()}
    samples: dict[str, list[Sample]] = {name: [] for name in run.endings}
    seconds = dict.fromkeys(run.endings, 0.0)

    def scenario_of(line: Sample | Process) -> str | None:
        planned = timed.get(line.cell)
        ending = run.endings.get(planned.cell.scenario) if planned else None
        return planned.cell.scenario if planned and ending and line.round < ending.rounds else None

    for sample in recorded.samples:
        if name := scenario_of(sample):
            samples[name].append(sample)
    for process in recorded.processes:
        if name := scenario_of(process):
            seconds[name] += process.wall_s or 0.0
    evidence = {name: judge(own, _context(run, timed)) for name, own in samples.items()}
    return {
        name: Judged(precise_share(one.precisions), one.calm_share, seconds[name]) for name, one in evidence.items()
    }


def _context(run: Run, timed: Mapping[str, Timed]) -> Context:
    scenarios = {one.name: one for one in run.scenarios}

    def is_linked(planned: Timed) -> bool:
        runner = runner_name(planned.cell.codec, planned.variant, set_name(scenarios[planned.cell.scenario]))
        return bool(run.layouts.get(runner))

    return Context(timed, run.calibration, is_linked, coarse_clock=run.platform.startswith("windows"))
