"""Measures a scenario block by block until its figures are precise, its budget is spent, or all rounds are measured.

What follows a block is decided from the plan and from what is recorded of this scenario up to that block, by
`bench.statistics.stopping`. So `--resume` comes to the same decisions, and goes on where the run was interrupted.
"""

from collections.abc import Iterable, Sequence

import msgspec
from msgspec import Struct

from bench.base.files import read_json_lines
from bench.base.progress import duration
from bench.measuring.machine.processors import idle_processor, kept_off
from bench.measuring.order import block_slots, process_keys
from bench.measuring.rounds.blocks import Block, fixed_blocks, layouts_of, next_block
from bench.measuring.rounds.evidence import Context, Evidence, judge
from bench.measuring.run import Bench, Watch, measure_slots
from bench.measuring.run_folder import RunFolder
from bench.model.plan import Plan
from bench.model.record import Ending, EndingRule, Process, Run, Sample
from bench.statistics.stopping import Further, Progress, after_block, precise_share

RARELY_CALM = 0.10
"""Below this share of calm loops a run says that its machine was hardly fit for measuring."""
RULES = {
    EndingRule.PRECISE: "precise",
    EndingRule.BUDGET: "its budget is spent",
    EndingRule.ROUNDS: "all its rounds are measured",
}


class Known(Struct, frozen=True):
    """What is recorded of a scenario, by round."""

    samples: dict[int, list[Sample]] = {}
    seconds: dict[int, float] = {}

    def add(self, samples: Iterable[Sample], process: Process) -> None:
        """Takes in the lines of one process."""
        self.samples.setdefault(process.round, []).extend(samples)
        self.seconds[process.round] = self.seconds.get(process.round, 0.0) + (process.wall_s or 0.0)

    def seconds_before(self, end: int) -> float:
        """Wall time of the processes of the rounds before `end`."""
        return sum(seconds for round_, seconds in sorted(self.seconds.items()) if round_ < end)

    def samples_before(self, end: int) -> list[Sample]:
        """The samples of the rounds before `end`."""
        return [one for round_, samples in sorted(self.samples.items()) if round_ < end for one in samples]


def measure_scenario(bench: Bench, run: Run, scenario: str, known: Known, watch: Watch) -> Run:
    """Measures all that is missing of a scenario; returns the run with how it ended."""
    if bench.plan.layouts:
        return Measuring(bench, scenario, known, watch).complete(run)
    for block in fixed_blocks(bench.plan, scenario):
        measure_slots(bench, block_slots(bench.plan, scenario, block), watch)
    return run


def by_scenario(folder: RunFolder, plan: Plan) -> dict[str, Known]:
    """What the run's folder holds of each scenario."""
    processes, samples = read_json_lines(folder.processes_file, Process), read_json_lines(folder.samples_file, Sample)
    return known_of(plan, processes, samples)


def known_of(plan: Plan, processes: Iterable[Process], samples: Iterable[Sample]) -> dict[str, Known]:
    """What a run's lines say of each scenario; lines of cells that are not planned are left out."""
    scenario_of = {str(cell): cell.scenario for cell in plan.timed}
    known: dict[str, Known] = {}
    for process in processes:
        if scenario := scenario_of.get(process.cell):
            known.setdefault(scenario, Known()).add((), process)
    for sample in samples:
        if scenario := scenario_of.get(sample.cell):
            known.setdefault(scenario, Known()).samples.setdefault(sample.round, []).append(sample)
    return known


def ended(rule: EndingRule, rounds: int, layouts: int, known: Known, evidence: Evidence) -> Ending:
    """How a scenario ended; `evidence` is that of the samples of its rounds."""
    return Ending(
        rule=rule,
        rounds=rounds,
        layouts=layouts,
        seconds=round(known.seconds_before(rounds), 3),
        precise_share=round(precise_share(evidence.precisions), 4),
        calm_share=round(evidence.calm_share, 4),
    )


def is_complete(folder: RunFolder, run: Run, scenario: str) -> bool:
    """Whether every process of a planned scenario is recorded: of the rounds after which it ended, or of all."""
    plan = run.plan
    if plan.layouts and scenario not in run.endings:
        return not any(cell.scenario == scenario for cell in plan.timed)
    rounds = run.endings[scenario].rounds if plan.layouts else plan.rounds[scenario]
    return all(key in folder.recorded for key in process_keys(plan, scenario, rounds))


class Measuring(Struct, frozen=True):
    """The measuring of one scenario."""

    bench: Bench
    scenario: str
    known: Known
    watch: Watch

    def complete(self, run: Run) -> Run:
        """Measures what is missing, block by block; returns the run with the scenario's ending and its links."""
        bench, blocks, further = self.bench, list[Block](), Further.ROUNDS
        while block := next_block(blocks, bench.plan, self.scenario, more_layouts=further is Further.LAYOUTS):
            blocks.append(block)
            bench.links.provide(block.layouts, self.watch.report)
            run = self.written(bench.links.recorded(run), run)
            self.measure(block)
            evidence = self.evidence(block.end, run)
            decided = after_block(evidence.precisions, self.progress_after(blocks))
            if isinstance(decided, EndingRule):
                ending = ended(decided, block.end, layouts_of(blocks), self.known, evidence)
                self.watch.report(f"{self.scenario}: {sentence(ending, linked=self.is_linked())}")
                return self.written(msgspec.structs.replace(run, endings=run.endings | {self.scenario: ending}), run)
            further = decided
        return run

    def is_linked(self) -> bool:
        """Whether any of the scenario's runners has layouts: programs that are interpreted have none."""
        own = (cell for cell in self.bench.plan.timed if cell.scenario == self.scenario)
        return any(self.bench.links.is_linked(self.bench.lab.runner_of[cell]) for cell in own)

    def measure(self, block: Block) -> None:
        """Measures what is missing of a block, on the processor that now has least to do."""
        bench = self.bench
        missing = [slot for slot in block_slots(bench.plan, self.scenario, block) if bench.is_missing(slot)]
        if not missing:
            return
        cpu = idle_processor()
        with kept_off(cpu):
            pinned = msgspec.structs.replace(bench, cpu=cpu)
            measure_slots(pinned, missing, self.watch, took=self.known.add)

    def evidence(self, end: int, run: Run) -> Evidence:
        """What the rounds before `end` say."""
        bench = self.bench
        context = Context(
            timed=bench.by_text,
            calibration=run.calibration,
            linked=lambda timed: bench.links.is_linked(bench.lab.runner_of[timed.cell]),
            coarse_clock=run.platform.startswith("windows"),
        )
        return judge(self.known.samples_before(end), context)

    def progress_after(self, blocks: Sequence[Block]) -> Progress:
        """How far the scenario is after these blocks."""
        plan, name = self.bench.plan, self.scenario
        return Progress(
            rounds=blocks[-1].end,
            least_rounds=plan.least_rounds.get(name, 0),
            most_rounds=plan.rounds[name],
            layouts=layouts_of(blocks),
            most_layouts=plan.most_layouts,
            seconds=self.known.seconds_before(blocks[-1].end),
            budget_s=plan.budget_s.get(name),
        )

    def written(self, now: Run, before: Run) -> Run:
        """The run, on disk if it changed."""
        if now != before:
            self.bench.folder.write_run(now)
        return now


def sentence(ending: Ending, *, linked: bool) -> str:
    """How a scenario ended, in words; `linked`: whether any of its programs was linked in layouts."""
    calm, precise = (f"{100 * share:.0f} %" for share in (ending.calm_share, ending.precise_share))
    layouts = f" in {ending.layouts} layouts" if linked else ""
    return (
        f"{RULES[ending.rule]} after {ending.rounds} rounds{layouts}, {duration(ending.seconds)}; "
        f"{calm} of the loops were calm, {precise} of the cells precise"
    )


def unfit(run: Run) -> str | None:
    """A sentence about a machine that was hardly ever calm; None where it was often enough, or where nobody knows."""
    files = {scenario.name for scenario in run.scenarios if scenario.is_files}  # their loops are not gated
    asked = [ending for name, ending in run.endings.items() if name in run.plan.budget_s and name not in files]
    seconds = sum(ending.seconds for ending in asked)
    if not seconds:
        return None
    share = sum(ending.calm_share * ending.seconds for ending in asked) / seconds
    if share >= RARELY_CALM or not any(planned.canary for planned in run.plan.cells):
        return None
    return (
        f"only {100 * share:.0f} % of the loops were calm: this machine was hardly fit for measuring; measure again "
        "when it has less to do (`./lab doctor` shows how calm it is), or give it more time with --budget"
    )
