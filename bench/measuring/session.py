"""A run from its selection to its last sample: choose → draft → prove → pilot → measure → record → finish.

    choose, draft  which cells, how many rounds, which seed              draft.py
    prove          what each cell must produce, or why it is blocked     prove.py
    pilot          how long a repetition takes, so how many a loop has   pilot.py
    measure        each process of the plan, in shuffled rounds          order.py, run.py, request.py, hyperfine.py
    record         samples, or an error row                              run.py, run_folder.py

A run that was interrupted goes on where it stopped: before its plan is final with the proof, else with the first
process that is not recorded.
"""

from datetime import UTC, datetime
from pathlib import Path

import msgspec
from msgspec import Struct

from bench.base.progress import Report, duration
from bench.building.environment import load
from bench.building.lab import Lab
from bench.measuring.draft import Options, begin, check_resumable, make_draft
from bench.measuring.order import plan_estimate_s
from bench.measuring.pilot import check_room, make_plan
from bench.measuring.prove import proof_of, verify_draft, without_proof
from bench.measuring.run import measure_missing, record_blocked
from bench.measuring.run_folder import RunFolder
from bench.model.plan import Draft, Plan
from bench.model.record import BegunRun, Run


class Session(Struct, frozen=True):
    """A run that is open for measuring, new or resumed. To be closed."""

    lab: Lab
    folder: RunFolder
    recorded: BegunRun | Run
    """run.json as it was when the run was opened."""

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
        report(f"measuring {len(plan.cells)} cells, seed {plan.seed}, about {duration(plan_estimate_s(plan))}")
        measure_missing(self.folder, plan, self.lab, report)
        return self.finish(run)

    def prepare(self, begun: BegunRun, report: Report) -> Run:
        """Proof and pilot: the plan becomes final. A cell that fails gets an error row and is not measured."""
        verification = verify_draft(begun, self.lab, report)
        self.folder.write_verification(verification)
        proof = proof_of(begun.draft, verification, self.lab.scenarios)
        plan = make_plan(begun.draft, proof, self.lab, report)
        check_room(self.folder.path, plan)
        record_blocked(self.folder, plan)
        run = begun.planned(plan)
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
