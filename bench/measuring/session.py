"""A run from its selection to its last sample: select → plan → verify → pilot → measure → record."""

import os
import secrets
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from bench.base import errors, paths
from bench.base.files import NO_ROOM
from bench.base.progress import Meter, Report, meter
from bench.base.protocol import PROTOCOL
from bench.base.supervision import OUTPUT_BYTES, GoneError, Supervisor, in_order
from bench.building.build import build, load_manifest
from bench.building.environment import environment, load, platform_name, provenance
from bench.building.runner import SUPERVISOR_GONE, Runner, RunnerError, describe_all
from bench.measuring.hyperfine import Measured, MeasureError, Request, check_samples, measure, rehearse
from bench.measuring.order import (
    base_rounds_of,
    choose_twins,
    loop_estimate_ns,
    processes_at_once,
    repetitions_of,
    rounds_of,
    shard,
    slot_estimate_ns,
    slots,
)
from bench.measuring.run_file import read_run
from bench.measuring.run_folder import NoRoomError, RunFolder, key_of
from bench.model.cells import Cell, Operation
from bench.model.description import Description
from bench.model.plan import Plan, PlannedCell, ProcessKind, Profile, Slot
from bench.model.record import Process, Run, RunnerSample, Sample
from bench.model.scenario import Scenario
from bench.model.verification import Check, Verification, Verified
from bench.proof.verify import verify, wanted_of
from bench.scenarios.inputs import input_file
from bench.scenarios.keys import key_folder
from bench.scenarios.load import load_scenarios
from bench.scenarios.selection import Selection, offered_cells

SAMPLES = 1
"""Timed loops in a process: one, so that every sample has a start (layout, heap) of its own."""
PILOT_SAMPLES = 3
LIMIT_FACTOR = 20
LIMIT_FLOOR_S = 60.0
"""A process may take twenty times its estimate and a minute more; what takes longer hangs."""


class Options(Struct, frozen=True):
    """What `lab bench` was asked for."""

    profile: Profile = Profile.STANDARD
    filters: list[str] = []
    excludes: list[str] = []
    shard: str | None = None
    seed: int | None = None
    rounds: int | None = None
    limit_s: float | None = None
    cold: bool = False
    """Whether reading files that the system's cache does not hold is measured too."""


class Lab(Struct, frozen=True, dict=True):
    """Everything that is there to be measured."""

    described: Mapping[Runner, Description | RunnerError]
    scenarios: Mapping[str, Scenario]

    @property
    def runners(self) -> dict[str, Runner]:
        """Runners by codec, each as every build of the lab makes it."""
        return {runner.codec: runner for runner in self.described if not runner.entry.variant}

    @cached_property
    def runner_of(self) -> dict[Cell, Runner]:
        """Runners by the cells that they offer. Raises LabError where two builds of a codec offer the same."""
        result: dict[Cell, Runner] = {}
        for runner, said in self.described.items():
            for cell in offered_cells(said, self.scenarios) if isinstance(said, Description) else ():
                if (other := result.setdefault(cell, runner)) is not runner:
                    raise errors.same_cell(str(cell), other.entry.name, runner.entry.name)
        return result

    @property
    def descriptions(self) -> dict[str, Description]:
        """Descriptions by codec, of those that gave one, as every build of the lab makes them."""
        return {codec: d for codec, r in self.runners.items() if isinstance(d := self.described[r], Description)}

    @property
    def unavailable(self) -> list[str]:
        """Codecs that gave no description, with the reason."""
        return [f"{r.entry.name} ({said})" for r, said in self.described.items() if isinstance(said, RunnerError)]

    def cells(self) -> list[Cell]:
        """Every cell of every codec, sorted."""
        return sorted(self.runner_of)

    def selected(self, filters: Iterable[str], excludes: Iterable[str]) -> list[Cell]:
        """The cells that `--filter` and `--not` take. Raises LabError where there are none."""
        selection = Selection(filters, excludes)
        if chosen := selection.cells(self.cells()):
            return chosen
        raise errors.nothing_selected(selection.filters, selection.excludes, self.unavailable)


def open_lab(report: Report, *, sweeps: bool = False) -> Lab:
    """Builds what is not built, and asks every runner for its description; with the points of sweeps on request."""
    return Lab(describe_all(Runner(entry) for entry in build(report).runners), load_scenarios(sweeps=sweeps))


def draft(lab: Lab, options: Options) -> Plan:
    """The plan before verification and pilot: which cells, how many rounds. Raises LabError where nothing is selected.

    A shard has no cells where there are more shards than scenarios.
    """
    selection = Selection(options.filters, options.excludes)
    controls = {codec for codec, said in lab.descriptions.items() if said.control}
    offered = [c for c in lab.cells() if options.cold or c.conditions.cache != "cold"]
    chosen = selection.with_controls(offered, controls)
    if not chosen:
        raise errors.nothing_selected(options.filters, options.excludes, lab.unavailable)
    if options.shard:
        names = shard({c.scenario for c in chosen}, options.shard)
        chosen = [c for c in chosen if c.scenario in names]
    seed = secrets.randbits(32) if options.seed is None else options.seed
    planned = [planned_cell(cell, lab) for cell in chosen]
    rounds = {
        name: options.rounds or rounds_of(options.profile, lab.scenarios[name]) for name in {c.scenario for c in chosen}
    }
    return Plan(
        profile=options.profile,
        seed=seed,
        rounds=dict(sorted(rounds.items())),
        base_rounds=base_rounds_of(options.profile),
        samples=SAMPLES,
        warmup=0,
        filters=options.filters,
        excludes=options.excludes,
        shard=options.shard,
        limit_s=options.limit_s,
        cells=planned,
        twins=choose_twins(planned, lab.scenarios, seed),
    )


def planned_cell(cell: Cell, lab: Lab) -> PlannedCell:
    """A cell with what its runner says of itself."""
    said, entry = lab.runner_of[cell].description, lab.runner_of[cell].entry
    return PlannedCell(
        cell,
        said.format,
        said.library,
        said.version,
        said.control,
        said.self_describing,
        entry.sha256,
        variant=entry.variant,
        role=said.role,
    )


def new_run(lab: Lab, plan: Plan, path: Path) -> Run:
    """What run.json holds before anything is measured."""
    now = datetime.now(UTC)
    return Run(
        protocol=PROTOCOL,
        id=f"{now:%Y%m%dT%H%M%SZ}-{platform_name()}-{secrets.token_hex(3)}",
        created=now.isoformat(timespec="seconds"),
        platform=platform_name(),
        command=command_line(sys.argv[1:]),
        environment=environment(path),
        provenance=provenance(load_manifest())
        | {
            "unavailable": {r.entry.name: str(e) for r, e in lab.described.items() if isinstance(e, RunnerError)},
            "compilers": {
                r.entry.name: f"{d.compiler}; {d.flags}" for r, d in lab.described.items() if isinstance(d, Description)
            },
            "sources": {r.entry.name: r.entry.source for r in lab.described if r.entry.source},
        },
        plan=plan,
        scenarios=[lab.scenarios[name] for name in plan.rounds],
    )


def command_line(arguments: list[str]) -> list[str]:
    """How the run was asked for, without where: a recorded run is read on other machines."""
    words = iter(arguments)
    kept = []
    for word in words:
        if word == "--out":
            next(words, None)
        elif not word.startswith("--out="):
            kept.append(word)
    return ["lab", *kept]


def default_folder() -> Path:
    """runs/<time>-<platform>."""
    return paths.RUNS / f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{platform_name()}"


def check_resumable(run: Run, lab: Lab) -> None:
    """Raises LabError where a runner or a scenario is no longer the one that the run began with."""
    for planned in run.plan.cells:
        runner = lab.runner_of.get(planned.cell)
        if runner is None or runner.entry.sha256 != planned.sha256:
            raise errors.runner_changed(planned.cell.codec)
    for scenario in run.scenarios:
        here = lab.scenarios.get(scenario.name)
        if here is None or here.input.sha256 != scenario.input.sha256:
            raise errors.scenario_changed(scenario.name)


def prepare(folder: RunFolder, run: Run, lab: Lab, report: Report) -> Run:
    """Verification and pilot: the plan becomes final. What fails gets an error row and is not measured."""
    wanted = wanted_of(p.cell for p in run.plan.cells)
    verification = verify(lab.described, wanted, {s.name: s for s in run.scenarios}, report)
    folder.write_verification(verification)
    cells = with_verification(run.plan.cells, verification, lab.scenarios)
    plan = pilot_all(msgspec.structs.replace(run.plan, cells=cells), lab, report)
    check_room(folder.path, plan)
    for planned in plan.cells:
        if planned.blocked is not None:
            process = Process(
                str(planned.cell), 0, 0, ProcessKind.LOOP, error=planned.blocked, known_failure=planned.known_failure
            )
            if key_of(process) not in folder.recorded:
                folder.append([], process)
    ready = msgspec.structs.replace(run, plan=plan, ready=True)
    folder.write_run(ready)
    return ready


def product_of(operation: Operation, good: Verified) -> str | None:
    """The checksum of what an operation must produce; of a file that was written, that is what reading it gives."""
    if operation is Operation.SERIALIZE:
        return good.encoded_checksum
    return good.filtered_checksum if operation is Operation.FILTER else good.decoded_checksum


def rows_of(operation: Operation, scenario: Scenario) -> dict[str, object]:
    """How many rows one repetition of a file operation handles, and how many its filter takes."""
    rows = scenario.input.generator.rows if scenario.input.generator else 1
    hits = scenario.filter.rows if scenario.filter and operation is Operation.FILTER else None
    return {"rows": rows, "rows_matched": hits}


def with_verification(
    cells: list[PlannedCell], verification: Verification, scenarios: Mapping[str, Scenario]
) -> list[PlannedCell]:
    """The cells with what their operation must produce, or with the reason why they are not measured."""
    proved = {(v.codec, v.variant, v.scenario): v for v in verification.verified}
    failed: dict[tuple[str, str, str | None], Check] = {}
    for check in verification.failures:
        failed.setdefault((check.codec, check.variant, check.scenario), check)
    result = []
    for planned in cells:
        key = (planned.cell.codec, planned.variant, planned.cell.scenario)
        problem = failed.get((*key[:2], None)) or failed.get(key)
        changes: dict[str, object] = {}
        if problem:
            reason = problem.known or problem.message
            changes = {"blocked": f"{problem.check}: {reason}", "known_failure": problem.known is not None}
        elif not planned.control:
            good = proved[key]
            how = planned.cell.conditions.compression
            size = good.compressed_bytes[how] if how else good.encoded_bytes
            changes = {"encoded_bytes": size, "checksum": product_of(planned.cell.operation, good)}
            if planned.cell.operation.is_file:
                changes |= rows_of(planned.cell.operation, scenarios[planned.cell.scenario])
        result.append(msgspec.structs.replace(planned, **changes))
    return result


def check_room(folder: Path, plan: Plan) -> None:
    """Raises LabError where the disk has no room for the largest file of the plan; there is one at a time."""
    free = shutil.disk_usage(folder).free
    for planned in plan.cells:
        if planned.blocked is None and planned.cell.conditions.io in ("as-published", "buffered"):
            needed = (planned.encoded_bytes or 0) * ((planned.repetitions or 0) + 1)
            if needed > free:
                raise errors.no_room_for_files(folder, str(planned.cell), needed, free)


def keys_of(scenario: Scenario) -> Path | None:
    """Where the keys of a scenario lie, if it has some."""
    return key_folder(scenario.keys.bits) if scenario.keys else None


def pilot_all(plan: Plan, lab: Lab, report: Report) -> Plan:
    """The plan with estimates and final repetitions; twins of cells that fall out fall out with them.

    `quick` has no pilot: its repetitions are known, and a process that fails gets its error row when it is measured.
    """
    if plan.profile is Profile.QUICK:
        return msgspec.structs.replace(plan, cells=[_repeated(p, lab) for p in plan.cells])
    report(f"pilot: {len(plan.cells)} cells")
    cells = [p if p.blocked else pilot(p, lab, plan.profile) for p in plan.cells]
    sound = {p.cell for p in cells if p.blocked is None}
    return msgspec.structs.replace(plan, cells=cells, twins=[twin for twin in plan.twins if twin in sound])


def _repeated(planned: PlannedCell, lab: Lab) -> PlannedCell:
    """A cell with the repetitions of `quick`."""
    repetitions = repetitions_of(Profile.QUICK, lab.scenarios[planned.cell.scenario], 0)
    return planned if planned.blocked else msgspec.structs.replace(planned, repetitions=repetitions)


def pilot(planned: PlannedCell, lab: Lab, profile: Profile) -> PlannedCell:
    """A short process of its own tells how long a repetition takes; the plan's repetitions and limits follow."""
    scenario = lab.scenarios[planned.cell.scenario]
    runner = lab.runner_of[planned.cell]
    repetitions = repetitions_of(Profile.QUICK, scenario, 0)
    request = Request(
        planned.cell,
        input_file(scenario),
        repetitions,
        0,
        PILOT_SAMPLES,
        LIMIT_FLOOR_S,
        keys_of(scenario),
        file_bytes=file_bytes(planned, scenario, repetitions),
    )
    try:
        samples = rehearse(runner, request)
        check_samples(samples, request, planned)
    except (RunnerError, MeasureError) as error:
        return msgspec.structs.replace(planned, blocked=f"pilot: {without_paths(error)}")
    estimate = min(sample.wall_ns for sample in samples) / repetitions
    final = repetitions_of(profile, scenario, estimate)
    return msgspec.structs.replace(planned, estimate_ns=round(estimate, 3), repetitions=final)


def measure_all(folder: RunFolder, run: Run, lab: Lab, report: Report) -> None:
    """Measures what is missing of the plan, process by process; what fails becomes an error row.

    In `quick` processes run side by side, each in a scratch folder of its own; they are recorded in their order.
    """
    for name in run.plan.rounds:
        input_file(lab.scenarios[name])
    planned = {p.cell: p for p in run.plan.cells}
    todo, done_s, total_s = [], 0.0, 0.0
    for slot in slots(run.plan):
        estimate_s = slot_estimate_ns(slot, planned[slot.cell], run.plan) / 1e9
        total_s += estimate_s
        if (str(slot.cell), slot.round, slot.kind, slot.twin) in folder.recorded:
            done_s += estimate_s
        else:
            todo.append(slot)
    with meter(total_s, done_s) as progress:
        for slot, outcome in zip(todo, _outcomes(folder, run, lab, todo), strict=True):
            _record(folder, slot, outcome, report)
            _advance(progress, slot, run.plan, planned[slot.cell])


def _outcomes(folder: RunFolder, run: Run, lab: Lab, todo: list[Slot]) -> Iterator[Measured | MeasureError]:
    """What became of each process, in the order of `todo`."""
    planned = {p.cell: p for p in run.plan.cells}

    def outcome(slot: Slot) -> Measured | MeasureError:
        try:
            with folder.supervisors.supervisor() as supervisor:
                return _run_slot(run, lab, slot, planned[slot.cell], supervisor)
        except MeasureError as error:
            return error
        except GoneError:
            return MeasureError(SUPERVISOR_GONE)
        except FileNotFoundError as error:
            return MeasureError(f"the runner removed a folder of the lab's: {error.filename} is gone")
        except OSError as error:
            if error.errno not in NO_ROOM:
                raise
            return MeasureError(f"no room on the disk of {paths.brief(folder.path)}", no_room=True)

    together = processes_at_once(run.plan.profile, os.cpu_count() or 1)
    if together == 1:
        yield from map(outcome, todo)
        return
    with ThreadPoolExecutor(max_workers=together) as pool:
        try:
            yield from in_order(pool, outcome, todo)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            folder.supervisors.close()
            raise


def _advance(progress: Meter, slot: Slot, plan: Plan, planned: PlannedCell) -> None:
    what = (
        f"{slot.scenario} round {slot.round + 1}/{plan.rounds[slot.scenario]}: {slot.cell.codec} {slot.cell.operation}"
    )
    progress.advance(what, slot_estimate_ns(slot, planned, plan) / 1e9)


def _record(folder: RunFolder, slot: Slot, outcome: Measured | MeasureError, report: Report) -> None:
    """One process, recorded as samples or as an error row."""
    try:
        if isinstance(outcome, MeasureError):
            raise outcome
        samples = [_sample(slot, index, sample) for index, sample in enumerate(outcome.samples)]
        process = _process(
            slot,
            wall_s=outcome.wall_s,
            user_s=outcome.user_s,
            system_s=outcome.system_s,
            peak_memory_bytes=outcome.peak_memory_bytes,
            loop_ns=sum(sample.wall_ns for sample in outcome.samples),
        )
        folder.append(samples if slot.kind is ProcessKind.LOOP else [], process)
    except (MeasureError, NoRoomError) as error:
        report(f"{slot.cell}: {error}")
        no_room = isinstance(error, NoRoomError) or error.no_room
        _record_error(folder, _process(slot, error=without_paths(error), no_room=no_room), report)


def without_paths(error: Exception) -> str:
    """A message without the folder that this checkout happens to lie in."""
    return str(error).replace(f"{paths.ROOT}{os.sep}", "")


def _sample(slot: Slot, index: int, sample: RunnerSample) -> Sample:
    return Sample(
        cell=str(slot.cell),
        round=slot.round,
        place=slot.place,
        twin=slot.twin,
        index=index,
        **msgspec.structs.asdict(sample),
    )


def _process(slot: Slot, **outcome: Any) -> Process:
    return Process(cell=str(slot.cell), round=slot.round, place=slot.place, twin=slot.twin, kind=slot.kind, **outcome)


def _record_error(folder: RunFolder, process: Process, report: Report) -> None:
    for attempt in (1, 2):
        try:
            folder.append([], process)
            return
        except NoRoomError:
            if attempt == 1:
                folder.release_reserve()
    report("not even the error row finds room; free some space, then `--resume` measures this cell again")


def _run_slot(run: Run, lab: Lab, slot: Slot, planned: PlannedCell, supervisor: Supervisor) -> Measured:
    runner = lab.runner_of[slot.cell]
    program = runner.hashed()
    if program is None or program.sha256 != planned.sha256:
        what = "the runner is not the one that was verified" if program else f"{runner.program} is gone"
        raise MeasureError(f"{what}: was the lab built again during the run?")
    scenario = lab.scenarios[slot.scenario]
    repetitions = 0 if slot.kind is ProcessKind.BASE else planned.repetitions or 0
    request = Request(
        slot.cell,
        input_file(scenario),
        repetitions,
        run.plan.warmup,
        run.plan.samples,
        run.plan.limit_s or LIMIT_FLOOR_S + LIMIT_FACTOR * loop_estimate_ns(planned, run.plan) / 1e9,
        keys_of(scenario),
        file_bytes(planned, scenario, planned.repetitions or 0),
    )
    measured = measure(paths.hyperfine(), runner, program, request, supervisor)
    check_samples(measured.samples, request, planned)
    return measured


def file_bytes(planned: PlannedCell, scenario: Scenario, repetitions: int) -> int:
    """How large a file the process of a cell may write: twice what was proved (of controls, the value itself) a
    repetition, and what it may write besides.
    """
    if not planned.cell.operation.is_file:
        return 0
    return 2 * (planned.encoded_bytes or scenario.data_size_bytes) * max(1, repetitions) + OUTPUT_BYTES


def finish(folder: RunFolder, run: Run) -> Run:
    """Marks the run as finished."""
    done = msgspec.structs.replace(run, finished=datetime.now(UTC).isoformat(timespec="seconds"), load_after=load())
    folder.release_reserve()
    folder.write_run(done)
    return done


def error_rows(path: Path) -> int:
    """How many processes of a run ended without a number, those that their scenario expects left aside."""
    return sum(process.error is not None and not process.known_failure for process in read_run(path).processes)


def rows_without_room(path: Path) -> int:
    """How many of them did because a disk was full."""
    return sum(process.no_room for process in read_run(path).processes)


def resume(path: Path, lab: Lab) -> tuple[RunFolder, Run]:
    """Opens an interrupted run; what its driver left running has ended then."""
    folder, run = RunFolder.resume(path)
    try:
        check_resumable(run, lab)
    except BaseException:
        folder.close()
        raise
    return folder, run
