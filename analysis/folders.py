"""A folder written whole or not at all, and never over something else."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from analysis import errors
from bench.files import replace


@contextmanager
def written_whole(folder: Path, marker: str, what: str, command: str) -> Iterator[Path]:
    """A fresh folder that takes the place of `folder` when the block ends well.

    `marker` is the file by which `command` knows `what` it writes. Raises LabError, before anything is touched,
    where `folder` holds something else.
    """
    if folder.exists() and (not folder.is_dir() or (any(folder.iterdir()) and not (folder / marker).exists())):
        raise errors.not_its_own(folder, marker, what, command)
    fresh = folder.with_name(folder.name + ".new")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    try:
        yield fresh
        _replace(folder, fresh)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _replace(folder: Path, fresh: Path) -> None:
    old = folder.with_name(folder.name + ".old")
    shutil.rmtree(old, ignore_errors=True)
    if folder.exists():
        replace(folder, old)
    replace(fresh, folder)
    shutil.rmtree(old, ignore_errors=True)
