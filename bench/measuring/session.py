"""A run from its selection to its last sample: choose → draft → prove → pilot → measure → record → finish.

    choose, draft  which cells, how many rounds, which seed              draft.py
    prove          what each cell must produce, or why it is blocked     prove.py
    pilot          how long a repetition takes, so how many a loop has   pilot.py
    link           the layouts of the selected runners, each proved      rounds/links.py
    calibrate      how fast canaries are on this machine                 machine/calibration.py
    measure        each process of the plan, in shuffled rounds          order.py, run.py, request.py, hyperfine.py
    judge          after each block of rounds, whether that is enough    enough.py, rounds/evidence.py
    record         samples, or an error row                              run.py, run_folder.py

A run that was interrupted goes on where it stopped: before its plan is final with the proof, else with the first
process that is not recorded.
"""

from datetime import UTC, datetime
from pathlib import Path

import msgspec
from msgspec import Struct

from bench.base.progress import Report, duration
from bench.building.environment import load, second_level_bytes
from bench.building.lab import Lab
from bench.building.runner import Runner
from bench.measuring.draft import Options, begin, check_resumable, make_draft
from bench.measuring.enough import measure_run, unfit
from bench.measuring.machine.calibration import calibrate
from bench.measuring.machine.processors import idle_processor
from bench.measuring.order import plan_estimate_s
from bench.measuring.pilot import check_room, make_plan
from bench.measuring.prove import proof_of, verify_draft, without_proof
from bench.measuring.rounds.links import LanguageLinker, Linker, Links, Selected
from bench.measuring.run import Bench, provide_inputs, record_blocked
from bench.measuring.run_folder import RunFolder
from bench.model.description import Description
from bench.model.plan import Draft, Plan
from bench.model.record import BegunRun, Run


class Session(Struct, frozen=True):
    """A run that is open for measuring, new or resumed. To be closed."""

    lab: Lab
    folder: RunFolder
    recorded: BegunRun | Run
    """run.json as it was when the run was opened."""
    linker: Linker = LanguageLinker()

    @classmethod
    def new(cls, lab: Lab, draft: Draft, path: Path) -> "Session":
        """A run of a draft. Raises LabError where the folder holds a run already, or something else."""
        begun = begin(lab, draft, path)
        return cls(lab, RunFolder.create(path, begun), begun)

    @classmethod
    def resumed(cls, lab: Lab, path: Path) -> "Session":
        """An interrupted run; what its driver left running is ended first. Raises LabError where it cannot go on."""
        folder, recorded = RunFolder.resume(path)
        try:
            check_resumable(recorded, lab)
        except BaseException:
            folder.close()
            raise
        return cls(lab, folder, recorded)

    def complete(self, report: Report) -> Run:
        """Everything from the draft to the last sample, as far as it is not recorded yet."""
        recorded = self.recorded
        run = self.prepare(recorded, report) if isinstance(recorded, BegunRun) else recorded
        plan = run.plan
        provide_inputs(plan, self.lab)
        longest = "at most " if plan.budget_s else ""
        report(f"measuring {len(plan.cells)} cells, seed {plan.seed}, {longest}about {duration(plan_estimate_s(plan))}")
        links = Links(Selected(self.descriptions(plan), list(plan.timed), self.lab.scenarios), self.linker)
        bench = Bench(self.folder, plan, self.lab, links, second_level_bytes=second_level_bytes())
        run = measure_run(bench, run, report)
        if problem := unfit(run):
            report(problem)
        return self.finish(run)

    def descriptions(self, plan: Plan) -> dict[Runner, Description]:
        """The runners of the plan's cells, with what they say of themselves."""
        runners = dict.fromkeys(self.lab.runner_of[cell] for cell in plan.timed)
        return {runner: runner.description for runner in runners}

    def prepare(self, begun: BegunRun, report: Report) -> Run:
        """Proof, pilot and calibration: the plan becomes final. A cell that fails gets an error row and no numbers."""
        verification = verify_draft(begun, self.lab, report)
        self.folder.write_verification(verification)
        proof = proof_of(begun.draft, verification, self.lab.scenarios)
        plan = make_plan(begun.draft, proof, self.lab, report)
        check_room(self.folder.path, plan)
        record_blocked(self.folder, plan)
        run = begun.planned(plan)
        if plan.layouts:
            calibration = calibrate(self.descriptions(plan), report, cpu=idle_processor())
            run = msgspec.structs.replace(run, calibration=calibration)
        self.folder.write_run(run)
        return run

    def finish(self, run: Run) -> Run:
        """Marks the run as finished."""
        done = msgspec.structs.replace(run, finished=datetime.now(UTC).isoformat(timespec="seconds"), load_after=load())
        self.folder.release_reserve()
        self.folder.write_run(done)
        return done

    def close(self) -> None:
        """Ends what is running and lets the folder go."""
        self.folder.close()


def rehearsed_plan(lab: Lab, options: Options, report: Report) -> Plan:
    """The plan with the pilot's estimates, for `--dry-run`: nothing is proved and nothing recorded."""
    draft = make_draft(lab, options)
    return make_plan(draft, without_proof(draft), lab, report)
