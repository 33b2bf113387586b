"""Whether a run's scenarios ended as run.json says: computed again from its lines, by the driver's own rule.

How precise a run is decides whether it or another one represents a scenario.
"""

from collections.abc import Iterator

from bench.measuring.enough import Known, ended, known_of
from bench.measuring.rounds.evidence import Context, judge
from bench.model.description import runner_name
from bench.model.plan import Timed
from bench.model.record import Ending, Run
from bench.records.run_file import Recorded
from bench.scenarios.sets import set_name

FIELDS = ("precise_share", "calm_share", "seconds")
"""What is computed of an ending; the rest of it are decisions."""


def untrue_endings(recorded: Recorded) -> Iterator[str]:
    """What run.json says of the end of a scenario and its samples and processes do not, one sentence each."""
    by_lines = endings_by_lines(recorded)
    for name, ending in recorded.run.endings.items():
        for field in FIELDS:
            said, is_so = getattr(ending, field), getattr(by_lines[name], field)
            if said != is_so:
                yield f"{name}: {field} is {said:.10g} under `endings` in run.json, and {is_so:.10g} by its lines"


def endings_by_lines(recorded: Recorded) -> dict[str, Ending]:
    """Scenario that ended → its ending as its lines have it."""
    run, context = recorded.run, _context(recorded.run)
    known = known_of(run.plan, recorded.processes, recorded.samples)

    def by_lines(own: Known, ending: Ending) -> Ending:
        return ended(ending.rule, ending.rounds, ending.layouts, own, judge(own.samples_before(ending.rounds), context))

    return {name: by_lines(known.get(name, Known()), ending) for name, ending in run.endings.items()}


def _context(run: Run) -> Context:
    timed = {str(cell): planned for cell, planned in run.plan.timed.items()}
    scenarios = {one.name: one for one in run.scenarios}

    def is_linked(planned: Timed) -> bool:
        runner = runner_name(planned.cell.codec, planned.variant, set_name(scenarios[planned.cell.scenario]))
        return bool(run.layouts.get(runner))

    return Context(timed, run.calibration, is_linked, coarse_clock=run.platform.startswith("windows"))
