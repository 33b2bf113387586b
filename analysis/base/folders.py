"""Writes a folder whole or not at all, and never over something else."""

import secrets
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from analysis.base import problems as errors
from bench.base.files import replace


@contextmanager
def written_whole(folder: Path, marker: str, what: str, command: str, runs: Sequence[Path] = ()) -> Iterator[Path]:
    """A fresh folder that replaces `folder` if the block succeeds.

    `marker` is the file by which `command` recognizes `what` it wrote earlier. Raises LabError, before anything is
    touched, if `folder` holds something else or one of the input runs. The two temporary folders lie next to it under
    random names, so nothing that existed before is removed.
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
