"""What a run must be before others rely on it, and what a folder of submitted runs must hold."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from stat import S_ISREG

from analysis.base.problems import SHOWN
from analysis.data.cells import RunCells, run_cells
from analysis.data.comparable import check_mixable, system_of
from analysis.data.frame import read_frame
from analysis.data.machines.endings import untrue_endings
from analysis.data.machines.packed import (
    DOCUMENTS,
    FILE,
    LINE_FILES,
    MACHINE_BYTES,
    PACKED,
    PLAIN,
    REMARKS,
    TRANSFERS,
    Submission,
    bytes_of,
    hashes_of,
)
from analysis.data.machines.plausible import implausible, sizes_of
from analysis.data.machines.privacy import names_in, strings_of, told_names
from analysis.data.machines.proved import contradictions
from analysis.data.machines.run_paths import machine_name, runs_below
from analysis.data.machines.strays import bytes_below, strays
from bench.base.errors import LabError, shortened
from bench.base.files import is_there, read_bytes, read_json, read_json_lines
from bench.base.limits import FINDINGS_BYTES
from bench.base.paths import brief
from bench.model.counts import FOOTPRINT, Footprints
from bench.model.findings import Fidelity
from bench.model.plan import Encoded, Profile
from bench.model.proof import conformance, evolved
from bench.model.record import Run, Transfer
from bench.proof import fidelity
from bench.records.run_file import holds_run, read_fuzzing, read_run, read_run_file, read_verification
from bench.records.stored_files import open_stored, read_stored, stored_path

COMMIT = re.compile("[0-9a-f]{40}")
OPTIMIZED = re.compile(r"(?:opt-level=|\s-O)(\w*)")
"""The level of optimization among the flags that a runner's description states, as rustc or a C++ compiler takes it."""
FULLY = "3"


def unfit(cells: RunCells) -> Iterator[str]:
    """Why a run is none that others should rely on, whatever its numbers are."""
    run = cells.run
    if run.finished is None or run.pending:
        yield f"it is not finished: `./lab bench --resume {brief(cells.path)}` continues it"
    if run.plan.profile is Profile.QUICK:
        yield "its profile is `quick`, whose numbers mean nothing: record it with `--profile published`"
    commit = run.provenance.get("git_commit")
    if not isinstance(commit, str) or not COMMIT.fullmatch(commit):
        yield "it does not say its commit: record it in a checkout of git"
    elif run.provenance.get("git_dirty") is not False:
        yield "files were changed since its commit: commit or stash them, and record it again"
    for codec, flags in sorted(run.provenance.get("compilers", {}).items()):
        if (level := OPTIMIZED.search(flags)) and level[1] != FULLY:
            yield (
                f"{codec} was compiled with optimization {level[0].strip()}, not {FULLY}: unset "
                "CARGO_PROFILE_RELEASE_OPT_LEVEL and WIRELAB_CPP_OPT_LEVEL, and record it again"
            )
    yield from _unproved(cells)


def _unproved(cells: RunCells) -> Iterator[str]:
    verification = read_verification(cells.path)
    for check in verification.failures:
        if check.known is None:
            yield f"{check.codec} failed the check {check.check}: {shortened(check.message)}"
    proved = {(one.codec, one.scenario, one.variant) for one in verification.verified}
    for planned in cells.run.plan.cells:
        if planned.blocked is not None:
            continue
        owed = isinstance(planned.proved, Encoded)
        if not owed and not planned.control:
            yield f"{planned.cell} was measured without a proof"
        if owed and (planned.cell.codec, planned.cell.scenario, planned.variant) not in proved:
            yield f"{planned.cell} was measured, but verify.json does not say that it was proved"


def check_submitted(
    paths: Sequence[Path], names: Mapping[str, str] | None = None, against: Path | None = None
) -> dict[Path, list[str]]:
    """Every submitted run below the folders, and whatever else lies there → what is wrong with it, each problem a
    sentence.

    `names`: users and computers that must not be named; home folders never may. `against`: a folder of runs that must
    all be among them, unchanged. Raises LabError where there is no run.
    """
    found: dict[Path, list[str]] = {}
    held: dict[Path, RunCells] = {}
    now = datetime.now(UTC)
    for path in runs_below(paths):
        try:
            problems = [*_stored(path)]
            frame = read_frame(path)
            cells = run_cells(frame)
            problems += contradictions(frame, cells, read_verification(path))
            if frame.run.endings:
                problems += untrue_endings(read_run(path))
            problems += [*_named(cells, names or {}), *_transfers(cells), *unfit(cells)]
        except LabError as error:
            found[path] = [str(error)]
            continue
        except (ArithmeticError, TypeError, ValueError) as error:  # numbers that no run has
            found[path] = [f"its numbers cannot be computed with: {error}"]
            continue
        held[path] = cells
        found[path] = problems
    for path, cells in held.items():
        others = [one for other, one in held.items() if other.parent != path.parent]
        found[path] += implausible(cells, sizes_of(others), now)
    of_all = [*_mixed(held), *_too_large(held), *_same_ids(held), *_strays(paths)]
    for path, problem in [*of_all, *(_changed(held, against) if against else ())]:
        found.setdefault(path, []).append(problem)
    return {path: _short(problems) for path, problems in found.items()}


def _short(problems: Sequence[str]) -> list[str]:
    more = len(problems) - SHOWN
    return [*problems[:SHOWN], *([f"and {more} more problems"] if more > 0 else [])]


def _stored(path: Path) -> Iterator[str]:
    """What differs from what `lab submit` writes. Raises LabError for files that cannot be read."""
    for entry in sorted(path.iterdir()):
        if entry.name not in PACKED:
            yield f"{brief(entry)}: no file of a submitted run"
        elif not S_ISREG(entry.lstat().st_mode):
            yield f"{brief(entry)}: not a regular file"
    _read_findings(path)
    submission, run = read_json(path / FILE, Submission), read_run_file(path)
    for field, said, is_so in (
        ("run", submission.run, run.id),
        ("machine", submission.machine, machine_name(run)),
        ("bytes", submission.bytes, bytes_of(path)),
    ):
        if said != is_so:
            yield f"{FILE}: {field} is {said!r}, but {is_so!r} of the run beside it"
    actual = hashes_of(path)
    for name in sorted(submission.sha256.keys() | actual.keys()):
        if submission.sha256.get(name) != actual.get(name):
            yield f"{name}: its content does not have the SHA-256 that {FILE} says"


def _read_findings(path: Path) -> None:
    """Raises LabError for a file that only the site reads and that it could not read."""
    read_stored(path, fidelity.FILE, Fidelity)
    read_stored(path, evolved.FILE, evolved.Evolution)
    read_stored(path, conformance.FILE, conformance.Conformance)
    read_stored(path, FOOTPRINT, Footprints)
    read_fuzzing(path)
    read_json_lines(path / TRANSFERS, Transfer)


def _transfers(cells: RunCells) -> Iterator[str]:
    """Transfers of what the run did not measure."""
    known = {(planned.cell.codec, planned.cell.scenario) for planned in cells.run.plan.cells}
    for number, one in enumerate(read_json_lines(cells.path / TRANSFERS, Transfer), start=1):
        if (one.codec, one.scenario) not in known:
            yield f"{TRANSFERS}: line {number} is of {one.codec} {one.scenario}, which this run has not"


def _named(cells: RunCells, names: Mapping[str, str]) -> Iterator[str]:
    """Where the folder lies, and whom the files name."""
    run, path = cells.run, cells.path.resolve()
    if (path.parent.name, path.name) != (machine_name(run), run.id):
        yield f"it lies in {path.parent.name}/{path.name} and belongs into {machine_name(run)}/{run.id}"
    told = told_names(run, names)
    files = {name: cells.path / name for name in (FILE, *PLAIN)}
    files |= {name: stored_path(cells.path, name) for name in DOCUMENTS}
    for name, file in files.items():
        if is_there(file):
            text = read_bytes(file, FINDINGS_BYTES, opened=open_stored).decode(errors="replace")
            texts = [text] if name == REMARKS else [*strings_of(text)]
            yield from (f"{name} names somebody: {shortened(repr(one))}" for one in names_in(texts, told))
    for name, mark in LINE_FILES.items():
        file = stored_path(cells.path, name)
        if mark is None or not is_there(file):
            continue
        with open_stored(file) as lines:
            marked = (line.decode(errors="replace") for line in lines if mark in line)
            for one in names_in((text for line in marked for text in strings_of(line)), told):
                yield f"{name} names somebody: {shortened(repr(one))}"


def _mixed(held: Mapping[Path, RunCells]) -> Iterator[tuple[Path, str]]:
    """Runs of one machine, system and commit that no column can show together."""
    groups: dict[tuple[object, ...], list[tuple[Path, Run]]] = {}
    for path, cells in held.items():
        kind = path.parent, cells.run.provenance.get("git_commit"), *system_of(cells.run)
        groups.setdefault(kind, []).append((path, cells.run))
    for group in groups.values():
        try:
            check_mixable([run for _, run in group])
        except LabError as error:
            yield group[-1][0], str(error)


def _too_large(held: Mapping[Path, RunCells]) -> Iterator[tuple[Path, str]]:
    last = {path.parent: path for path in held}
    for machine, path in last.items():
        if (size := bytes_below(machine)) > MACHINE_BYTES:
            yield path, f"the runs of its machine take {size:,} bytes; at most {MACHINE_BYTES:,} may"


def _same_ids(held: Mapping[Path, RunCells]) -> Iterator[tuple[Path, str]]:
    first: dict[str, Path] = {}
    for path, cells in held.items():
        if (other := first.setdefault(cells.run.id, path)) != path:
            yield path, f"{brief(other)} is run {cells.run.id} too"


def _strays(paths: Sequence[Path]) -> Iterator[tuple[Path, str]]:
    for path in paths:
        if not holds_run(path):
            for stray in strays(path):
                yield stray, "is neither a page that `lab results` writes nor a run: remove it"


def _changed(held: Mapping[Path, RunCells], against: Path) -> Iterator[tuple[Path, str]]:
    """Recorded runs that are gone, or are others now: what once stood in a table can always be looked up."""
    now = {cells.run.id: path for path, cells in held.items()}
    for path in runs_below([against]):
        recorded = read_json(path / FILE, Submission)
        if recorded.run not in now:
            yield path, f"run {recorded.run} is recorded there, and is missing or unreadable now: restore it"
        elif read_json(now[recorded.run] / FILE, Submission) != recorded:
            yield now[recorded.run], f"it is not what {brief(path)} holds: restore it, and submit a changed run anew"
