"""A folder written whole or not at all, and never over something else."""

import secrets
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from analysis.base import problems as errors
from bench.base.files import replace


@contextmanager
def written_whole(folder: Path, marker: str, what: str, command: str, runs: Sequence[Path] = ()) -> Iterator[Path]:
    """A fresh folder that takes the place of `folder` when the block ends well.

    `marker` is the file by which `command` knows `what` it writes. Raises LabError, before anything is touched,
    where `folder` holds something else, or one of the runs that are read. Both folders that are made for a while lie
    beside it under names that nothing has, so that nothing which was there before is removed.
    """
    folder = folder.resolve()
    if folder.exists() and (not folder.is_dir() or (any(folder.iterdir()) and not (folder / marker).is_file())):
        raise errors.not_its_own(folder, marker, what, command)
    if held := next((run for run in runs if folder.exists() and run.resolve().is_relative_to(folder)), None):
        raise errors.run_inside(held, folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    fresh, old = (folder.with_name(f".{secrets.token_hex(8)}.{ending}") for ending in ("new", "old"))
    fresh.mkdir()
    try:
        yield fresh
        _replace(folder, fresh, old)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _replace(folder: Path, fresh: Path, old: Path) -> None:
    if not folder.exists():
        replace(fresh, folder)
        return
    replace(folder, old)
    try:
        replace(fresh, folder)
    except BaseException:
        replace(old, folder)
        raise
    shutil.rmtree(old, ignore_errors=True)
