"""One scenario from its runners to its stage of the plan: build → describe → draft → prove → pilot."""

from collections.abc import Iterable

import msgspec
from msgspec import Struct

from bench.base.progress import Meter, Report
from bench.building.lab import Lab, extended
from bench.building.runner import Runner
from bench.measuring.machine.calibration import calibrate
from bench.measuring.machine.processors import idle_processor
from bench.measuring.profiles import start_estimate_s
from bench.measuring.stages.draft import Options, choose, make_draft
from bench.measuring.stages.pilot import settle
from bench.measuring.stages.prospect import Awaited
from bench.measuring.stages.prove import proof_of, verify_draft
from bench.model.description import Description
from bench.model.plan import Design, Stage
from bench.model.record import Run
from bench.model.verification import Verification
from bench.scenarios.inputs import input_file
from bench.scenarios.sets import set_name


def step(kind: str, scenario: str) -> str:
    """The name of a part of a run for its meter: build, proof or measuring."""
    return f"{kind} {scenario}"


def steps_of(awaited: Awaited) -> dict[str, float]:
    """What a scenario that is still to be prepared takes, in seconds."""
    times_s = {"build": awaited.build_s, "proof": awaited.proof_s, "measuring": awaited.measure_s}
    return {step(kind, awaited.name): seconds for kind, seconds in times_s.items()}


class Prepared(Struct, frozen=True):
    """A scenario that is ready to be measured."""

    stage: Stage
    verification: Verification


def build_for(awaited: Awaited, lab: Lab, progress: Meter, report: Report) -> Lab:
    """The lab with the runners that a scenario needs."""
    name = step("build", awaited.name)
    progress.begin(name, f"building for {awaited.name}")

    def built(codec: str) -> None:
        progress.advance(name, awaited.builds.get(codec, 0.0), f"{codec} is built")

    lab = extended(lab, awaited.codecs, report, built, types=set_name(lab.scenarios[awaited.name]))
    progress.end(name)
    return lab


def prepare(name: str, lab: Lab, design: Design, progress: Meter, report: Report) -> Prepared:
    """Draft, proof and pilots of a scenario whose runners are built. A cell that fails gets its reason, no numbers."""
    scenario, proof = lab.scenarios[name], step("proof", name)
    progress.begin(proof, f"proving {name}")
    controls = {codec for codec, description in lab.descriptions.items() if description.control}
    offered = [cell for cell in lab.cells() if cell.scenario == name]
    draft = make_draft(name, choose(offered, lab.scenarios, controls, Options.again(design)), lab, design.seed)
    verification = verify_draft(draft, lab, report)
    input_file(scenario)  # so that no process waits for it
    if design.profile.is_timed:
        report(f"pilot: {len(draft.cells)} cells")

    def piloted() -> None:
        progress.advance(proof, start_estimate_s(scenario), f"{name}: pilot")

    stage = settle(draft, proof_of(draft, verification, lab.scenarios), lab, design.profile, done=piloted)
    progress.end(proof)
    return Prepared(stage, verification)


def calibrated(run: Run, stage: Stage, lab: Lab, report: Report) -> Run:
    """The run with the references of the kernels that appear in a stage for the first time."""
    if not run.plan.layouts:
        return run
    before = {planned.canary for planned in run.plan.cells}
    new = {lab.runner_of[one.cell] for one in stage.cells if one.canary not in before and one.blocked is None}
    references = calibrate(descriptions(new), report, cpu=idle_processor())
    return msgspec.structs.replace(run, calibration=run.calibration | references)


def descriptions(runners: Iterable[Runner]) -> dict[Runner, Description]:
    """Runners, each once, with what they say of themselves."""
    return {runner: runner.description for runner in dict.fromkeys(runners)}
