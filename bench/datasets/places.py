"""Where a trial writes: looked at before anything is built, and told as the command that goes on with it."""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench.base import errors, paths

OPTIONS = {"types": "--type", "proto": "--proto", "message": "--message", "out": "-o"}
"""Those with a value that a resumed run needs again, by the names of their values."""
FLAGS = {"full": "--full", "counted": "--count"}


def check_places(run: Path | None, page: Path | None) -> None:
    """Raises LabError where a new run, or the page, could not be written in the end."""
    from bench.measuring.run_folder import check_new

    if run is not None:
        check_new(run, "--run")
    if page is None:
        return
    own = page.is_dir() and ((page / paths.PAGE_MARKER).is_file() or not any(page.iterdir()))
    if page.exists() and not own:
        raise errors.no_page_folder(page)
    if run is not None and run.resolve().is_relative_to(page.resolve()):
        raise errors.run_in_page(run, page)


def resuming(data: Path, folder: Path, given: Mapping[str, Any]) -> str:
    """The command that completes a run from the current folder: with the same types, read and shown in the same way."""
    words = ["./lab" if Path.cwd() == paths.ROOT else str(paths.ROOT / "lab"), "try", from_here(data)]
    for name, option in OPTIONS.items():
        if value := given.get(name):
            words += [option, from_here(value) if isinstance(value, Path) else str(value)]
    words += [flag for name, flag in FLAGS.items() if given.get(name)]
    return shlex.join([*words, "--resume", from_here(folder)])


def from_here(path: Path) -> str:
    """A path as it is given in the current folder: relative where it lies below it."""
    whole, here = path.resolve(), Path.cwd().resolve()
    return str(whole.relative_to(here) if whole.is_relative_to(here) else whole)
