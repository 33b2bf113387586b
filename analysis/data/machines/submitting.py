"""Packs runs into results/MACHINE/RUN, whole or not at all."""

import secrets
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from analysis.base import problems as errors
from analysis.data.cells import read_cells
from analysis.data.comparable import check_mixable
from analysis.data.machines.checks import check_submitted, unfit
from analysis.data.machines.packed import FILE, Submission, pack
from analysis.data.machines.privacy import kept_names, own_names
from analysis.data.machines.run_paths import machine_name, runs_below
from bench.base.files import is_there, read_json, replace
from bench.base.paths import brief
from bench.base.progress import Report


class Packed(Struct, frozen=True):
    """A run that was packed."""

    path: Path
    bytes: int
    fresh: bool
    """False where the same bytes were there already."""
    kept_names: tuple[str, ...]
    """Names of this user or computer that it holds, since they are also words of what was measured."""


def submitted(
    paths: Sequence[Path], results: Path, report: Report = lambda _: None, *, workflow: str | None = None
) -> list[Packed]:
    """Packs the runs, in the order given. Nothing of a run stays behind that is refused.

    `workflow`: the repository whose workflow recorded them, if one did.

    Raises LabError for a run that is damaged or unfit, that cannot be mixed with the others, or whose folder holds
    another run already.
    """
    cells = [read_cells(path) for path in runs_below(paths)]
    for one in cells:
        if problems := [*unfit(one)]:
            raise errors.unfit_run(one.path, problems)
    check_mixable([one.run for one in cells], machine_name)
    packed = []
    for one in cells:
        report(f"packing {brief(one.path)}; a large run takes some minutes")
        packed.append(_packed(one.path, results, workflow))
    return packed


def _packed(source: Path, results: Path, workflow: str | None) -> Packed:
    run = read_cells(source).run
    machine = results.resolve() / machine_name(run)
    target, names = machine / run.id, own_names()
    kept = tuple(kept_names(run, names))
    with _fresh(results) as scratch:
        fresh = scratch / machine.name / run.id
        fresh.mkdir(parents=True)
        submission = pack(source, run, fresh, names, workflow)
        if problems := check_submitted([fresh], names)[fresh]:
            raise errors.unfit_run(source, problems)
        if is_there(target):
            known = read_json(target / FILE, Submission) if is_there(target / FILE) else None
            if known != submission:
                raise errors.other_run_there(target, source)
            return Packed(target, submission.bytes, fresh=False, kept_names=kept)
        machine.mkdir(parents=True, exist_ok=True)
        replace(fresh, target)
    return Packed(target, submission.bytes, fresh=True, kept_names=kept)


@contextmanager
def _fresh(results: Path) -> Iterator[Path]:
    """A hidden folder beside the machines', removed afterwards; readers of runs do not look into it."""
    scratch = results.resolve() / f".{secrets.token_hex(8)}.new"
    scratch.mkdir(parents=True)
    try:
        yield scratch
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
