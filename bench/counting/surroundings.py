"""Surroundings in which a program's counts depend on nothing but its key.

The environment, the arguments and the paths that a process sees lie on its stack or heap, and their lengths move what
comes after them; so each process is started from a folder whose path always has the same length, by arguments that are
relative to it, in an environment that holds only what its runner asks for. Valgrind itself turns address space layout
randomization off: it places program, heap and stack by itself.
"""

import hashlib
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from bench.base.scratch import remove_tree
from bench.building.runner import Runner
from bench.counting.programs.elf import Elf
from bench.counting.valgrind import (
    CannotCountError,
    Guest,
    Valgrind,
    guest_of,
    is_libc,
    libc_of,
    libraries_of,
)
from bench.model.cells import Cell
from bench.model.counts import Key

PATH_LENGTH = 240
"""Of the working folder's path: interpreters keep absolute paths of their modules."""
LONGEST_NAME = 200
PROGRAM, ENVIRONMENT, INPUT, KEYS, FILES, SAMPLES = "program", "env", "input.json", "keys", "files", "samples.jsonl"
"""Names in the working folder."""


class Started(Struct, frozen=True):
    """How a runner is started in a working folder."""

    words: list[str]
    copied: Path
    """The file that becomes PROGRAM."""
    linked: Path | None
    """The folder that ENVIRONMENT leads to, for a script: that of its interpreter's environment."""
    executed: Path
    """The file that the system executes: the program, or its interpreter."""


def started(runner: Runner) -> Started:
    """The command of a runner, with paths of the working folder. Raises CannotCountError."""
    first, *rest = runner.entry.command
    executed = Path(first)
    if runner.program == executed:
        return Started([f"./{PROGRAM}", *rest], executed, None, executed)
    if not executed.is_absolute() or len(executed.parts) < 3:
        raise CannotCountError(f"its interpreter {first} is not named by a path")
    # Not resolved: an interpreter finds its libraries beside the link by which it is started.
    home = executed.parent.parent
    words = [f"{ENVIRONMENT}/{executed.relative_to(home).as_posix()}"]
    words += [PROGRAM if word == str(runner.program) else word for word in rest]
    return Started(words, runner.program, home, executed)


def environment_of(runner: Runner, tunables: str) -> dict[str, str]:
    """All that a process sees of the environment; an empty variable counts as not set."""
    own = {name: value for name, value in runner.entry.environment.items() if value}
    return own | ({"GLIBC_TUNABLES": tunables} if tunables else {})


def folder_below(parent: Path) -> Path:
    """A folder below another whose path has always the same length. Raises CannotCountError where that is too long."""
    missing = PATH_LENGTH - len(os.fsencode(str(parent))) - 1
    if not 1 <= missing <= LONGEST_NAME + 1 + LONGEST_NAME:
        raise CannotCountError(f"{parent} is too long a path for counting; use one of at most {PATH_LENGTH - 2} bytes")
    if missing <= LONGEST_NAME:
        return parent / ("w" * missing)
    return parent / ("w" * (missing - LONGEST_NAME)) / ("w" * (LONGEST_NAME - 1))


def furnish(folder: Path, start: Started, sha256: str | None, input_file: Path, keys: Path | None) -> None:
    """Puts all that a cell needs into a working folder. Raises CannotCountError if the program is another one."""
    remove_tree(folder)
    (folder / FILES).mkdir(parents=True)
    shutil.copyfile(start.copied, folder / PROGRAM)
    if hashlib.sha256((folder / PROGRAM).read_bytes()).hexdigest() != sha256:
        raise CannotCountError("the runner is not the file that was built (its SHA-256 differs): run `./lab build`")
    (folder / PROGRAM).chmod(0o700)
    if start.linked:
        (folder / ENVIRONMENT).symlink_to(start.linked)
    shutil.copyfile(input_file, folder / INPUT)
    if keys:
        shutil.copytree(keys, folder / KEYS)


def empty_files(folder: Path) -> None:
    """Removes what an earlier process wrote."""
    remove_tree(folder / FILES)
    (folder / FILES).mkdir()
    (folder / SAMPLES).unlink(missing_ok=True)


def measure_words(start: Started, cell: Cell, repetitions: int, *, counted: bool, has_keys: bool) -> list[str]:
    """The command that measures a cell with paths of the working folder.

    A counted process repeats in its warm-up and takes no sample: a sample has digits of times, and the instructions
    that write them differ from process to process.
    """
    conditions = [word for name, value in cell.conditions.items() for word in ("--condition", f"{name}={value}")]
    samples, warmup = (0, repetitions) if counted else (1, 0)
    return [
        *start.words,
        "measure",
        *("--scenario", cell.scenario, "--operation", cell.operation.value, *conditions),
        *("--input", INPUT, "--work", FILES),
        *("--repetitions", str(repetitions), "--warmup", str(warmup), "--samples", str(samples)),
        *("--out", SAMPLES),
        *(("--keys", KEYS) if has_keys else ()),
    ]


def key_of(runner: Runner, start: Started, valgrind: Valgrind, tunables: str, keys: Path | None) -> tuple[Key, Guest]:
    """What the counts of a runner depend on. Raises CannotCountError."""
    try:
        loader = Elf.read(start.executed).loader
    except (OSError, ValueError) as error:
        raise CannotCountError(f"{start.executed.name} is not a program that can be counted: {error}") from None
    if loader is None:
        raise CannotCountError(f"{start.executed.name} is linked statically, so its C library cannot be told")
    libraries = libraries_of(start.executed, loader)
    guest = guest_of(valgrind, loader, tunables)
    assert runner.entry.sha256  # it was proved before
    more_than_libc = any(not is_libc(name) for name in libraries)
    key = Key(
        sha256=runner.entry.sha256,
        libc=libc_of(libraries),
        valgrind=valgrind.version,
        features=guest.sha256,
        tunables=tunables,
        interpreter=sha256_of_all({"": start.executed} | libraries) if start.linked else None,
        libraries=sha256_of_all(libraries) if more_than_libc and not start.linked else None,
        keys=sha256_of_all({path.name: path for path in sorted(keys.glob("*.pem"))}) if keys else None,
    )
    return key, guest


def sha256_of_all(files: Mapping[str, Path]) -> str:
    """One hash of several files; the C library, which has a key of its own, is left out."""
    total = hashlib.sha256()
    for name, path in sorted(files.items()):
        if not is_libc(name):
            total.update(f"{name} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return total.hexdigest()
