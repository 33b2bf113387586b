"""What lies in a folder of submitted runs and is none of theirs: nothing reads it, so nobody would see it."""

from collections.abc import Iterator
from pathlib import Path
from stat import S_ISREG

from analysis.base.anchors import scenario_file
from bench.base import errors
from bench.records.run_file import holds_run

PAGES = Path(scenario_file("any")).parent.name
"""The folder beside those of machines that holds pages."""


def strays(folder: Path) -> Iterator[Path]:
    """What is neither a page, nor a machine's folder, nor a run of one. Inside of runs nothing is looked at.

    `folder`: results/, or the folder of a machine. Raises LabError where it cannot be read.
    """
    for path in _held(folder):
        if path.name == PAGES and _is_folder(path):
            yield from (page for page in _held(path) if not _is_page(page))
        elif _is_folder(path) and not _is_run(path) and not path.name.startswith("."):
            yield from (run for run in _held(path) if not _is_run(run))
        elif not _is_run(path) and not _is_page(path):
            yield path


def bytes_below(folder: Path) -> int:
    """What all files below a folder take; links are not followed."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if not _is_folder(path))


def _held(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError as error:
        raise errors.unreadable(folder, error.strerror or str(error)) from None


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _is_run(path: Path) -> bool:
    """Whether readers of runs find it."""
    return _is_folder(path) and not path.name.startswith(".") and holds_run(path)


def _is_page(path: Path) -> bool:
    return path.suffix == ".md" and not path.name.startswith(".") and S_ISREG(path.lstat().st_mode)
