"""A run from its selection to its last sample, one scenario after the other.

    expect      which scenarios and cells, in which order, how long         stages/prospect.py, stages/draft.py
    build       the runners that the scenario needs and that are missing    stages/prepare.py
    prove       what each cell must produce, or why it is blocked           stages/prove.py
    pilot       how long a repetition takes, so how many a loop has         stages/pilot.py
    link        the layouts of the scenario's runners, each proved          rounds/links.py
    calibrate   how fast canaries are on this machine, once a kernel        machine/calibration.py
    measure     each process of the scenario, in shuffled rounds            order.py, run.py, request.py, hyperfine.py
    judge       after each block of rounds, whether that is enough          enough.py, rounds/evidence.py
    record      samples, or an error row                                    run.py, run_folder.py
    show        the scenario's table

Nothing else happens while a loop is timed. A run that was interrupted goes on where it stopped: with the builds of the
first scenario that is pending, or with the first process that is not recorded.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from bench.base.progress import Meter, Report, meter
from bench.building.build import provide_for
from bench.building.environment import load, second_level_bytes
from bench.building.lab import codecs_by_types, extended, types_named
from bench.building.tools import provide_hyperfine
from bench.measuring.beginning import begin, check_runners, check_scenarios, learned
from bench.measuring.enough import Known, by_scenario, is_complete, measure_scenario, unfit
from bench.measuring.order import in_order
from bench.measuring.remaining import Remaining
from bench.measuring.rounds.links import LanguageLinker, Linker, Links, Selected
from bench.measuring.run import Bench, Watch, record_blocked
from bench.measuring.run_folder import RunFolder
from bench.measuring.stages.pilot import check_room
from bench.measuring.stages.prepare import build_for, calibrated, descriptions, prepare, step, steps_of
from bench.measuring.stages.prospect import Awaited, Prospect, prospect_again
from bench.measuring.stages.prove import with_scenario
from bench.model.cells import Cell
from bench.model.record import Run
from bench.records.run_file import read_verification

Show = Callable[[str], None]
"""Shows the tables of a scenario."""


class Session:
    """A run that is open for measuring, new or resumed. To be closed."""

    def __init__(self, folder: RunFolder, run: Run, prospect: Prospect, linker: Linker | None = None) -> None:
        self.folder, self.prospect, self.linker = folder, prospect, linker or LanguageLinker()
        self.run = run
        """run.json as it is on disk."""
        self.lab = prospect.lab
        """What was built and asked so far."""

    @classmethod
    def new(cls, prospect: Prospect, path: Path, linker: Linker | None = None) -> "Session":
        """A run of which nothing is prepared. Raises LabError where the folder holds a run, or something else."""
        run = begin(prospect, path)
        return cls(RunFolder.create(path, run), run, prospect, linker)

    @classmethod
    def resumed(cls, path: Path, report: Report, linker: Linker | None = None) -> "Session":
        """An interrupted run; what its driver left running is ended first. Raises LabError where it cannot go on."""
        folder, run = RunFolder.resume(path)
        try:
            prospect = prospect_again(run.plan, run.pending, report)
            check_scenarios(run, prospect.lab)
        except BaseException:
            folder.close()
            raise
        return cls(folder, run, prospect, linker)

    def complete(self, report: Report, show: Show = lambda _: None) -> Run:
        """Everything that is not recorded yet, scenario by scenario; `show` is called with each as soon as it stands.

        Raises LabError where a runner is no longer the one that was measured.
        """
        known = by_scenario(self.folder, self.run.plan)
        with meter(self.steps(known)) as progress:
            self.provide(progress, report)
            self.reopen(progress, report)
            names = in_order(self.run.plan, self.run.plan.rounds)
            for number, name in enumerate(names, start=1):
                report(f"{name}, {number} of {len(names)}: {progress}")
                if awaited := self.prospect.scenarios.get(name):
                    self.prepare(awaited, progress, report)
                self.measure(name, known.get(name, Known()), progress, report)
                with progress.stopped():
                    show(name)
        if problem := unfit(self.run):
            report(problem)
        return self.finish()

    def steps(self, known: dict[str, Known]) -> dict[str, float]:
        """What is still to be done, each part with an estimate in seconds."""
        planned = [name for name in self.run.plan.rounds if name not in self.run.pending]
        left_s = {
            step("measuring", name): Remaining(self.run.plan, name, known.get(name, Known()).seconds).left_s
            for name in planned
            if not is_complete(self.folder, self.run, name)
        }
        pending = [self.prospect.scenarios[name] for name in self.run.pending]
        return left_s | {name: seconds for one in pending for name, seconds in steps_of(one).items()}

    def provide(self, progress: Meter, report: Report) -> None:
        """Downloads all that the builds of the whole run need, and has hyperfine: what is missing is named now."""
        progress.begin("providing", "downloading what is to be built")
        for types, codecs in self.prospect.builds_by_types().items():
            provide_for(codecs, report, types_named(types, self.lab.scenarios))
        provide_hyperfine(report)

    def reopen(self, progress: Meter, report: Report) -> None:
        """Has the runners of the scenarios that are planned already; a new run has none."""
        if not self.run.plan.cells:
            return
        progress.begin("reopening", "asking the runners that were measured")
        cells = [planned.cell for planned in self.run.plan.cells]
        for types, codecs in codecs_by_types(cells, self.lab.scenarios).items():
            self.lab = extended(self.lab, codecs, report, types=types)
        check_runners(self.run, self.lab)

    def prepare(self, awaited: Awaited, progress: Meter, report: Report) -> None:
        """Builds, proves, pilots and calibrates: the scenario becomes a part of the plan."""
        name, run = awaited.name, self.run
        self.lab = build_for(awaited, self.lab, progress, report)
        self.keep(msgspec.structs.replace(run, provenance=run.provenance | learned(self.lab)))
        prepared = prepare(name, self.lab, run.plan, progress, report)
        check_room(self.folder.path, prepared.stage)
        proved = with_scenario(read_verification(self.folder.path), name, prepared.verification)
        self.folder.write_verification(proved)
        run = calibrated(self.run, prepared.stage, self.lab, report)
        pending = [other for other in run.pending if other != name]
        self.keep(msgspec.structs.replace(run, plan=run.plan.with_stage(prepared.stage), pending=pending))

    def measure(self, name: str, known: Known, progress: Meter, report: Report) -> None:
        """Measures what is missing of a scenario that is planned."""
        record_blocked(self.folder, self.run.plan.of_scenario(name))
        if is_complete(self.folder, self.run, name):
            return
        plan, measuring = self.run.plan, step("measuring", name)
        remaining = Remaining(plan, name, known.seconds)
        progress.begin(measuring, f"measuring {name}", remaining.left_s, timed=True)
        cells = [cell for cell in plan.timed if cell.scenario == name]
        links = Links(self.selected(cells), self.linker)
        bench = Bench(self.folder, plan, self.lab, links, second_level_bytes=second_level_bytes())
        watch = Watch(progress, measuring, report, remaining)
        self.run = measure_scenario(bench, self.run, name, known, watch)
        progress.end(measuring)

    def selected(self, cells: list[Cell]) -> Selected:
        """The runners of some cells, and what their layouts are proved by."""
        runners = descriptions(self.lab.runner_of[cell] for cell in cells)
        return Selected(runners, cells, self.lab.scenarios)

    def finish(self) -> Run:
        """Marks the run as finished."""
        self.folder.release_reserve()
        finished = datetime.now(UTC).isoformat(timespec="seconds")
        self.keep(msgspec.structs.replace(self.run, finished=finished, load_after=load()))
        return self.run

    def keep(self, run: Run) -> None:
        """Writes run.json."""
        self.folder.write_run(run)
        self.run = run

    def close(self) -> None:
        """Ends what is running and lets the folder go."""
        self.folder.close()
