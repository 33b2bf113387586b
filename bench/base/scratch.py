"""Scratch folders: finds those that killed supervisors abandoned, and ends their processes.

The next driver ends what a killed supervisor left running: by process number and start time, never by the text of a
command line. It ends nothing that a copied folder, or another user's, names: those processes belong to somebody else.
"""

import os
import shutil
import stat
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import msgspec
import psutil
from msgspec import Meta, Struct

from bench.base.errors import LabError
from bench.base.files import read_bytes
from bench.base.supervisor import LEADER, MARK, identity_of, place_of

PREFIX = "work-"
CLEARING_LIMIT_S = 15.0
"""How long a supervisor whose driver is gone may take to end."""
RECORD_BYTES = 4096


def remove_tree(folder: Path) -> None:
    """Removes a folder as far as the system permits, even one without access rights. Of a link, only the link goes."""
    if not _is_folder(folder):
        with suppress(OSError):
            folder.unlink()
        return

    def once_more(function: Callable[[str], object], path: str, _: object) -> None:
        with suppress(OSError):
            for entry in (Path(path).parent, Path(path)):
                if entry.is_relative_to(folder) and not entry.is_symlink():
                    entry.chmod(0o700)
            function(path)

    with suppress(OSError, RecursionError):  # nested deeper than Python recurses
        folder.chmod(0o700)
        shutil.rmtree(folder, onerror=once_more)
    if _is_folder(folder):  # the rest, now that access rights are set
        with suppress(RecursionError):
            shutil.rmtree(folder, ignore_errors=True)


def scratch_folders(parent: Path) -> list[Path]:
    """The folders in `parent` that supervisors made: real folders (not links) that hold the mark."""
    if not parent.is_dir():
        return []
    candidates = [Path(entry) for entry in os.scandir(parent) if entry.name.startswith(PREFIX)]
    return sorted(path for path in candidates if _is_folder(path) and _is_file(path / MARK))


def clear_abandoned(parent: Path) -> None:
    """Removes folders whose drivers and supervisors were killed; folders of running drivers are left alone."""
    for folder in scratch_folders(parent):
        supervisor = _supervisor_of(folder)
        if supervisor and _is_of_here(supervisor) and not is_running(supervisor):
            end_left_over(folder)


def wait_for_clearing(parent: Path) -> None:
    """Waits for supervisors of a folder's earlier drivers to end, and ends what they leave running."""
    deadline = time.monotonic() + CLEARING_LIMIT_S
    for folder in scratch_folders(parent):
        while is_running(_supervisor_of(folder)) and time.monotonic() < deadline:
            time.sleep(0.02)
        end_left_over(folder)


def end_left_over(folder: Path) -> None:
    """Ends what a dead or stuck supervisor left running, and removes its folder."""
    if not _is_folder(folder) or not _is_file(folder / MARK):
        return
    for process in (_leader_of(folder), _supervisor_of(folder)):
        if process:
            _kill_tree(process)
    remove_tree(folder)


def is_running(process: Mapping[str, Any] | None) -> bool:
    """Whether a recorded process still runs, and is not another one with the same number."""
    return process is not None and identity_of(process["pid"]) == process


def _is_of_here(process: Mapping[str, Any]) -> bool:
    """Whether a recorded process ran in this boot and container, so that it would be visible if it still ran."""
    here = identity_of(os.getpid())
    return here is not None and here["where"] == process["where"]


def _supervisor_of(folder: Path) -> dict[str, Any] | None:
    return _recorded(folder / MARK, "supervisor") if _is_own(folder) else None


def _is_own(folder: Path) -> bool:
    """Whether this user's supervisor made the folder here, and neither a copy nor somebody else did."""
    try:
        value = msgspec.json.decode(read_bytes(folder / MARK, RECORD_BYTES))
        owners = {one.lstat().st_uid for one in (folder, folder / MARK)}
        return value["folder"] == place_of(folder) and (os.name == "nt" or owners == {os.getuid()})
    except (OSError, LabError, KeyError, TypeError, RecursionError, msgspec.MsgspecError):
        return False


def _leader_of(folder: Path) -> dict[str, Any] | None:
    return _recorded(folder / LEADER) if _is_own(folder) else None


def _recorded(path: Path, key: str | None = None) -> dict[str, Any] | None:
    """A process as recorded in a scratch folder; None if the record is missing or damaged."""
    try:
        value = msgspec.json.decode(read_bytes(path, RECORD_BYTES))
        return msgspec.structs.asdict(msgspec.convert(value[key] if key else value, _Process))
    except (LabError, KeyError, TypeError, RecursionError, msgspec.MsgspecError):
        return None


class _Process(Struct, forbid_unknown_fields=True):
    pid: Annotated[int, Meta(gt=0, lt=1 << 31)]
    where: str
    started: str


def _is_folder(path: Path) -> bool:
    return _has_kind(path, stat.S_ISDIR)


def _is_file(path: Path) -> bool:
    return _has_kind(path, stat.S_ISREG)


def _has_kind(path: Path, kind: Callable[[int], bool]) -> bool:
    """Whether a name exists and has a given type; links are not followed, errors count as no."""
    try:
        return kind(path.lstat().st_mode)
    except OSError:
        return False


def _kill_tree(process: Mapping[str, Any]) -> None:
    """Kills a recorded process, if it is still the same one, and all its descendants."""
    try:
        parent = psutil.Process(process["pid"])
        if not is_running(process):
            return
        family = [*parent.children(recursive=True), parent]
    except psutil.NoSuchProcess:
        return
    for one in family:
        with suppress(psutil.NoSuchProcess):
            one.kill()  # psutil first checks that the number still belongs to the same process
    psutil.wait_procs(family, timeout=10)
