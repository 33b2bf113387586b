"""The driver's side of its supervisors: who runs a program for it, within which limits, and what came out.

A supervisor (`bench.base.supervisor`) outlives a killed driver just long enough to end what it was running. What a
killed supervisor left, the next driver ends: by process number and start time, never by the text of a command line.
"""

import atexit
import json
import os
import select
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, LifoQueue
from threading import Lock
from typing import IO, Annotated, Any, TypeVar

import msgspec
import psutil
from msgspec import Meta, Struct

from bench.base import paths, supervisor
from bench.base.errors import LabError
from bench.base.files import open_regular, read_bytes
from bench.base.supervisor import LEADER, MARK, PROGRAM_PATH, Signature, identity_of, own_group

Item = TypeVar("Item")
Result = TypeVar("Result")
PREFIX = "work-"
MEBIBYTE = 1 << 20
MESSAGE_BYTES = MEBIBYTE
"""What a runner may say of itself (`describe`); no codec's description has a tenth of it."""
OUTPUT_BYTES = 64 * MEBIBYTE
"""What a runner may print or write besides the files that its cell asks for, unless it was given much itself."""
OUTPUT_FACTOR = 16
"""A product may be so many times larger than what it was made from: one byte may become `"name":0`."""
TAIL_BYTES = 64 * 1024
"""So much of the end of what was printed on standard error is kept for messages."""
RECORD_BYTES = 4096
WAKE_S = 0.5
"""No wait is longer: a signal that comes just before a wait begins would be heeded only when it ends."""
CLEARING_LIMIT_S = 15.0
"""So long a supervisor whose driver is gone is waited for."""


class GoneError(Exception):
    """The supervisor has ended, and with it what it ran."""


class Program(Struct, frozen=True):
    """A file that is to be executed as it was hashed."""

    path: Path
    sha256: str
    signature: Signature


class Command(Struct, frozen=True):
    """A program to run, and within which limits."""

    words: Sequence[str]
    environment: Mapping[str, str]
    limit_s: float
    stdin: bytes = b""
    folder: Path | None = None
    """Where it runs; by default a folder of its own."""
    output_bytes: int = OUTPUT_BYTES
    """So much it may print."""
    file_bytes: int = 0
    """So large a file may be that it writes, where that is more than it may print."""
    program: Program | None = None
    """Its file, where that was hashed."""


class Ended(Struct, frozen=True):
    """What became of a program."""

    code: int | None = None
    """Exit code, negative for a signal; None where it was killed at its limit, or never ran."""
    stdout: bytes = b""
    messages: str = ""
    """The end of what it printed on standard error."""
    peak_memory_bytes: int | None = None
    """Beyond the supervisor's own; None where the system does not tell."""
    printed_too_much: bool = False
    changed: bool = False
    """Whether its file was not the one that was hashed, when it started or when it ended."""
    not_started: str | None = None
    """That it did not start, and why."""


def output_limit(given: bytes) -> int:
    """How many bytes a program may print that was given some."""
    return max(OUTPUT_BYTES, OUTPUT_FACTOR * len(given))


class Supervisor:
    """One supervisor and its folder. Not for two threads at once."""

    def __init__(self, parent: Path) -> None:
        parent.mkdir(parents=True, exist_ok=True)
        self.folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent.absolute()))
        self._busy = False
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", supervisor.__file__, str(self.folder)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                **own_group(),
            )
            if error := self._answer().get("error"):
                raise OSError(*error)
        except (GoneError, OSError):
            remove_tree(self.folder)
            raise

    @property
    def is_ready(self) -> bool:
        """Whether it waits for a command, and has its folder."""
        return not self._busy and self._process.poll() is None and self.folder.is_dir()

    def run(self, command: Command) -> Ended:
        """Runs a program to its end, or to one of its limits. Raises GoneError, OSError."""
        stdin, stdout, stderr = (self.folder / name for name in ("stdin", "stdout", "stderr"))
        for path, content in ((stdin, command.stdin), (stdout, b""), (stderr, b"")):
            path.unlink(missing_ok=True)  # what a program before may have put there
            path.write_bytes(content)
        question = {
            "command": list(command.words),
            "environment": dict(command.environment),
            "cwd": str(command.folder or self.folder),
            "limit_s": command.limit_s,
            "output_limit_bytes": command.output_bytes,
            "file_limit_bytes": max(command.output_bytes, command.file_bytes),
            "stdin": str(stdin),
            "stdout": str(stdout),
            "stderr": str(stderr),
            "program": command.program and {"path": str(command.program.path), "signature": command.program.signature},
        }
        self._busy = True
        self._ask(question)
        answer = self._answer()
        self._busy = False
        if answer.get("changed"):
            return Ended(changed=True)
        if error := answer.get("error"):
            named = command.program.path if command.program and command.words[0] == PROGRAM_PATH else command.words[0]
            return Ended(not_started=f"{named} does not start: {error[1]}")
        if max(path.lstat().st_size for path in (stdout, stderr)) >= command.output_bytes:
            return Ended(printed_too_much=True)
        try:
            printed, messages = read_bytes(stdout, command.output_bytes), tail_of(stderr)
        except LabError as error:
            return Ended(not_started=f"what it printed was replaced: {error}")
        return Ended(answer["code"], printed, messages, answer["peak_memory_bytes"])

    def hang_up(self) -> None:
        """Has everything ended and the folder removed. A thread that waits for an answer gets none."""
        assert self._process.stdin
        with suppress(OSError):
            self._process.stdin.close()

    def close(self) -> None:
        """Has everything ended and the folder removed, and waits until it is."""
        self.hang_up()
        try:
            self._process.wait(CLEARING_LIMIT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        assert self._process.stdout
        self._process.stdout.close()
        end_left_over(self.folder)

    def _ask(self, question: dict[str, Any]) -> None:
        assert self._process.stdin
        try:
            self._process.stdin.write(json.dumps(question).encode() + b"\n")
            self._process.stdin.flush()
        except (OSError, ValueError):
            raise GoneError from None

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout
        try:
            wait_readable(self._process.stdout)
            line = self._process.stdout.readline()
        except (OSError, ValueError):
            line = b""
        if not line:
            raise GoneError
        answer: dict[str, Any] = json.loads(line)
        return answer


class Pool:
    """Supervisors for calls from any thread; each serves one call at a time and is used again."""

    def __init__(self, parent: Path, *, shared: bool = False) -> None:
        self._parent = parent
        self._shared = shared
        """Whether other drivers have folders in `parent` too: what they abandoned goes before the first start."""
        self._idle: LifoQueue[Supervisor] = LifoQueue()
        self._started: list[Supervisor] = []
        self._registered = False
        self._closed = False
        self._starting = Lock()

    @contextmanager
    def supervisor(self) -> Iterator[Supervisor]:
        """A supervisor for one call. One whose call did not come to its end is not used again. Raises GoneError."""
        one = self._ready()
        try:
            yield one
        finally:
            if one.is_ready:
                self._idle.put(one)
            else:
                self._drop(one)

    def run(self, command: Command) -> Ended:
        """Runs a program under one of them. Raises GoneError."""
        with self.supervisor() as one:
            return one.run(command)

    def close(self) -> None:
        """Ends them, and what they run. Whoever asks for one from now on gets GoneError."""
        with self._starting:
            self._closed = True
            started, self._started = self._started, []
            self._idle = LifoQueue()
        for one in started:
            one.hang_up()
        for one in started:
            one.close()

    def reopen(self) -> None:
        """Starts supervisors again for whoever asks."""
        self._closed = False

    def _ready(self) -> Supervisor:
        with suppress(Empty):
            while True:
                if (one := self._idle.get_nowait()).is_ready:
                    return one
                self._drop(one)
        return self._start()

    def _drop(self, one: Supervisor) -> None:
        with self._starting:
            if one in self._started:
                self._started.remove(one)
        one.close()

    def _start(self) -> Supervisor:
        with self._starting:
            if self._closed:
                raise GoneError
            if not self._registered:
                self._registered = True
                atexit.register(self.close)
                if self._shared:
                    clear_abandoned(self._parent)
            one = Supervisor(self._parent)
            self._started.append(one)
            return one


POOL = Pool(paths.SCRATCH, shared=True)
"""The driver's own, for calls that belong to no run."""


@contextmanager
def calling_threads(workers: int | None = None) -> Iterator[ThreadPoolExecutor]:
    """Threads for calls. What interrupts them, such as Ctrl-C, ends at once all that the calls run."""
    try:
        with ThreadPoolExecutor(max_workers=workers or os.cpu_count()) as threads:
            try:
                yield threads
            except BaseException:
                threads.shutdown(wait=False, cancel_futures=True)
                POOL.close()
                raise
    finally:
        POOL.reopen()


def in_order(
    threads: ThreadPoolExecutor, function: Callable[[Item], Result], items: Iterable[Item]
) -> Iterator[Result]:
    """The results of calls in the order of the items, as `map` of the executor gives them, and Ctrl-C at any moment."""
    futures = deque(threads.submit(function, item) for item in items)
    while futures:
        future = futures.popleft()
        while not wait([future], WAKE_S).done:
            continue
        yield future.result()


def side_by_side(function: Callable[[Item], Result], items: Iterable[Item], workers: int | None = None) -> list[Result]:
    """The results of calls that run side by side, in the order of the items."""
    with calling_threads(workers) as threads:
        return list(in_order(threads, function, items))


def wait_readable(pipe: IO[bytes]) -> None:
    """Waits until there is something to read, or nobody is left who could write it."""
    if sys.platform != "win32":
        poll = select.poll()
        poll.register(pipe, select.POLLIN)
        while not poll.poll(WAKE_S * 1e3):
            continue


def tail_of(path: Path) -> str:
    """The end of what a program printed. Raises LabError where that is no file any more."""
    with open_regular(path) as file:
        file.seek(max(0, os.fstat(file.fileno()).st_size - TAIL_BYTES))
        return file.read(TAIL_BYTES).decode(errors="replace")


def remove_tree(folder: Path) -> None:
    """Removes a folder as far as the system lets us, also one without rights; of a link in its place the link."""
    if not _is_folder(folder):
        with suppress(OSError):
            folder.unlink()
        return

    def once_more(function: Callable[[str], object], path: str, _: object) -> None:
        with suppress(OSError):
            for place in (Path(path).parent, Path(path)):
                if place.is_relative_to(folder) and not place.is_symlink():
                    place.chmod(0o700)
            function(path)

    with suppress(OSError, RecursionError):  # nested deeper than Python goes
        folder.chmod(0o700)
        shutil.rmtree(folder, onerror=once_more)
    if _is_folder(folder):  # what was opened up on the way
        with suppress(RecursionError):
            shutil.rmtree(folder, ignore_errors=True)


def scratch_folders(parent: Path) -> list[Path]:
    """The folders in `parent` that a supervisor made for itself. Links are none, nor is a folder without the mark."""
    if not parent.is_dir():
        return []
    found = [Path(entry) for entry in os.scandir(parent) if entry.name.startswith(PREFIX)]
    return sorted(path for path in found if _is_folder(path) and _is_file(path / MARK))


def clear_abandoned(parent: Path) -> None:
    """Removes what drivers left whose supervisors were killed with them; those of other drivers are left alone."""
    for folder in scratch_folders(parent):
        supervisor = _supervisor_of(folder)
        if supervisor and _is_of_here(supervisor) and not is_running(supervisor):
            end_left_over(folder)


def wait_for_clearing(parent: Path) -> None:
    """Ends what the drivers before left in a folder that no driver holds any more: their supervisors are at it."""
    deadline = time.monotonic() + CLEARING_LIMIT_S
    for folder in scratch_folders(parent):
        while is_running(_supervisor_of(folder)) and time.monotonic() < deadline:
            time.sleep(0.02)
        end_left_over(folder)


def end_left_over(folder: Path) -> None:
    """Ends what a supervisor that is gone, or does not come to its end, left running, and removes its folder."""
    if not _is_folder(folder) or not _is_file(folder / MARK):
        return
    for process in (_leader_of(folder), _supervisor_of(folder)):
        if process:
            _kill_tree(process)
    remove_tree(folder)


def is_running(process: Mapping[str, Any] | None) -> bool:
    """Whether a process is still the one that was recorded, and has not ended."""
    return process is not None and identity_of(process["pid"]) == process


def _is_of_here(process: Mapping[str, Any]) -> bool:
    """Whether a recorded process was one of this system and container since it started, so that we would see it run."""
    here = identity_of(os.getpid())
    return here is not None and here["where"] == process["where"]


def _supervisor_of(folder: Path) -> dict[str, Any] | None:
    return _recorded(folder / MARK, "supervisor")


def _leader_of(folder: Path) -> dict[str, Any] | None:
    return _recorded(folder / LEADER)


def _recorded(path: Path, key: str | None = None) -> dict[str, Any] | None:
    """A process as a scratch folder names it; None where it does not, or not so that one could be sure."""
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
    """Whether something is there and of a kind; what cannot be looked at is not, nor is a link."""
    try:
        return kind(path.lstat().st_mode)
    except OSError:
        return False


def _kill_tree(process: Mapping[str, Any]) -> None:
    """Kills a recorded process, if it is still the same, and all its descendants."""
    try:
        parent = psutil.Process(process["pid"])
        if not is_running(process):
            return
        family = [*parent.children(recursive=True), parent]
    except psutil.NoSuchProcess:
        return
    for one in family:
        with suppress(psutil.NoSuchProcess):
            one.kill()  # psutil looks first whether the number is still of the same process
    psutil.wait_procs(family, timeout=10)
