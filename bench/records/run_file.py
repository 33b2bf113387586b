"""Reading run.json: every command that reads a run begins here, and gets one whose parts fit together."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from bench.base import errors, limits
from bench.base.files import is_there, read_json_lines, split_validation_error
from bench.base.protocol import PROTOCOL
from bench.model.fields import Load, Text
from bench.model.findings import Fuzzing
from bench.model.record import Process, Run, Sample
from bench.model.upgrade import upgraded
from bench.model.verification import Verification
from bench.proof import fuzz
from bench.records.stored_files import SUFFIX, is_stored, open_stored, read_stored, stored_path

RUN, VERIFICATION = "run.json", "verify.json"
SAMPLES = "samples.jsonl"
PROCESSES = "processes.jsonl"


class _Cpu(Struct, frozen=True):
    model: Text | None = None
    usable_threads: int | None = None
    threads: int | None = None


class _Disk(Struct, frozen=True):
    file_system: Text | None = None


class _Environment(Struct, frozen=True):
    """What tables say of `environment`; whatever else it holds is shown as it is."""

    cpu: _Cpu | None = None
    disk: _Disk = _Disk()
    os: Text | None = None
    governor: Text | None = None
    turbo: Text | None = None
    virtualization: Text | None = None
    load_before: Load | None = None


class _Provenance(Struct, frozen=True):
    """What tables say of `provenance`."""

    toolchain: Annotated[str, Meta(max_length=limits.NAME)] | None = None
    git_commit: Annotated[str, Meta(max_length=limits.NAME)] | None = None
    git_dirty: bool | None = None
    hyperfine: Annotated[str, Meta(max_length=limits.NAME)] | None = None
    compilers: dict[Text, Text] = {}
    unavailable: dict[Text, Text] = {}


def holds_run(folder: Path) -> bool:
    """Whether a folder holds a run: finished or not, submitted or not."""
    return is_stored(folder, RUN)


def is_submitted(folder: Path) -> bool:
    """Whether a run is stored as `lab submit` writes it, which is never changed."""
    return any(is_there(folder / f"{name}{SUFFIX}") for name in (RUN, SAMPLES, PROCESSES))


def check_takes_more(folder: Path) -> None:
    """Raises LabError where there is no run, or one that was submitted."""
    if not holds_run(folder):
        raise errors.not_a_run(folder)
    if is_submitted(folder):
        raise errors.submitted_run(folder)


def read_run_file(folder: Path) -> Run:
    """The run of a folder, finished or not. Raises LabError where there is none, or it is damaged."""
    run = read_stored(folder, RUN, Run, upgraded=upgraded)
    if run is None:
        raise errors.not_a_run(folder)
    path = stored_path(folder, RUN)
    for name, value, kind in (
        ("environment", run.environment, _Environment),
        ("provenance", run.provenance, _Provenance),
    ):
        try:
            msgspec.convert(value, kind)
        except msgspec.ValidationError as error:
            problem, keys = split_validation_error(error)
            raise errors.bad_run_field(path, ".".join([name, *keys]), problem) from None
        except RecursionError:
            raise errors.too_deep(path, name) from None
    for name, value in _free_parts(run):
        if _depth_exceeds(value, limits.DEPTH):
            raise errors.too_deep(path, name)
    _check_cells(path, run)
    _check_pending(path, run)
    return run


def _free_parts(run: Run) -> Iterator[tuple[str, Any]]:
    yield "environment", run.environment
    yield "provenance", run.provenance
    for scenario in run.scenarios:
        field = f"scenarios.{scenario.name}"
        yield f"{field}.input.value", scenario.input.value
        yield f"{field}.input.generator", scenario.input.generator.fields if scenario.input.generator else None
        for name, one in scenario.input.draws.structs.items() if scenario.input.draws else ():
            yield f"{field}.input.draws.structs.{name}", [one.fields, one.given]
        yield f"{field}.filter.equal", scenario.filter.equal if scenario.filter else None


def _depth_exceeds(value: Any, limit: int) -> bool:
    """Whether lists and tables are nested deeper; without recursion, which is what it guards."""
    level = [value]
    for _ in range(limit):
        level = [inner for one in level for inner in _inside(one)]
        if not level:
            return False
    return True


def _inside(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _check_cells(path: Path, run: Run) -> None:
    """Raises LabError where scenarios, cells, twins and rounds do not belong together."""
    plan = run.plan
    if repeated := _first_repeated(one.name for one in run.scenarios):
        raise errors.bad_run_field(path, "scenarios", f"{repeated!r} stands there twice")
    scenarios = {one.name for one in run.scenarios}
    if missing := sorted(scenarios - plan.rounds.keys()):
        raise errors.bad_run_field(path, "plan.rounds", f"the scenario {missing[0]!r} is missing")
    cells = [planned.cell for planned in plan.cells]
    for number, cell in enumerate(cells):
        if cell.scenario not in scenarios:
            field = f"plan.cells.{number}.cell.scenario"
            raise errors.bad_run_field(path, field, f"{cell.scenario!r} is not among the run's scenarios")
    if repeated := _first_repeated(map(str, cells)):
        raise errors.bad_run_field(path, "plan.cells", f"{repeated!r} stands there twice")
    known = set(cells)
    if unknown := next((twin for twin in plan.twins if twin not in known), None):
        raise errors.bad_run_field(path, "plan.twins", f"'{unknown}' is not among the cells")


def _check_pending(path: Path, run: Run) -> None:
    """Raises LabError where a pending scenario is none of the run's, stands there twice, or has cells already."""
    if repeated := _first_repeated(run.pending):
        raise errors.bad_run_field(path, "pending", f"{repeated!r} stands there twice")
    scenarios, planned = ({one.name for one in run.scenarios}, {one.cell.scenario for one in run.plan.cells})
    for name in run.pending:
        if name not in scenarios:
            raise errors.bad_run_field(path, "pending", f"{name!r} is not among the run's scenarios")
        if name in planned:
            raise errors.bad_run_field(path, "pending", f"{name!r} has cells in the plan already")


def _first_repeated(names: Iterable[str]) -> str | None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


class Recorded(Struct, frozen=True):
    """A run as its driver recorded it, line by line."""

    path: Path
    run: Run
    samples: list[Sample]
    processes: list[Process]
    verification: Verification


def read_run(path: Path) -> Recorded:
    """All of a run. Raises LabError naming file, line and field of what cannot be read.

    A torn last line is left out while the run may still be going on or waits for --resume.
    """
    run = read_run_file(path)
    torn = run.finished is None
    return Recorded(
        path,
        run,
        read_json_lines(stored_path(path, SAMPLES), Sample, allow_torn_end=torn, opened=open_stored),
        read_json_lines(stored_path(path, PROCESSES), Process, allow_torn_end=torn, opened=open_stored),
        read_verification(path),
    )


def read_verification(path: Path) -> Verification:
    """What was proved of a run's cells before they were measured. Raises LabError where that cannot be read."""
    return read_stored(path, VERIFICATION, Verification) or Verification(PROTOCOL)


def read_fuzzing(path: Path) -> Fuzzing | None:
    """What `lab fuzz` found, plain or packed; None where a run has no such file. Raises LabError if it is damaged."""
    return read_stored(path, fuzz.FILE, Fuzzing, limits.FINDINGS_BYTES)
