"""The driver's side of its supervisors: runs a program within limits and returns how it ended.

A supervisor (`bench.base.supervisor`) outlives a killed driver just long enough to end what it was running. Whatever a
killed supervisor leaves running, the next driver ends (`bench.base.scratch`).
"""

import atexit
import json
import os
import select
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, LifoQueue
from threading import Lock
from typing import IO, Any, TypeVar

from msgspec import Struct

from bench.base import paths, supervisor
from bench.base.errors import LabError
from bench.base.files import open_regular, read_bytes
from bench.base.scratch import CLEARING_LIMIT_S, PREFIX, clear_abandoned, end_left_over, remove_tree
from bench.base.supervisor import PROGRAM_PATH, Signature, own_group

Item = TypeVar("Item")
Result = TypeVar("Result")
MEBIBYTE = 1 << 20
MESSAGE_BYTES = MEBIBYTE
"""The longest answer to `describe`; no codec's description is a tenth as long."""
OUTPUT_BYTES = 64 * MEBIBYTE
"""How much a runner may print, or write in addition to the files of its cell; more if its input is large."""
OUTPUT_FACTOR = 16
"""How many times larger than its input an output may be: one byte may become `"name":0`."""
TAIL_BYTES = 64 * 1024
"""How much of the end of standard error is kept for messages."""
WAKE_S = 0.5
"""The longest single wait: a signal that arrives just before a wait begins is handled only after it."""


class GoneError(Exception):
    """The supervisor has ended, and with it the program that it ran."""


class Program(Struct, frozen=True):
    """A file that may be executed only as it was hashed."""

    path: Path
    sha256: str
    signature: Signature


class Command(Struct, frozen=True):
    """A program to run, with its limits."""

    words: Sequence[str]
    environment: Mapping[str, str]
    limit_s: float
    stdin: bytes = b""
    folder: Path | None = None
    """Its working folder; by default one of its own."""
    output_bytes: int = OUTPUT_BYTES
    """How much it may print."""
    file_bytes: int = 0
    """How large a file it may write, if that is more than it may print."""
    program: Program | None = None
    """The program's file, if that was hashed."""
    cpu: int | None = None
    """The processor that it is pinned to, where the system allows it."""


class Ended(Struct, frozen=True):
    """How a program ended."""

    code: int | None = None
    """Exit code, negative for a signal; None if it was killed at its limit or never ran."""
    stdout: bytes = b""
    messages: str = ""
    """The end of what it printed on standard error."""
    peak_memory_bytes: int | None = None
    """Peak memory beyond the supervisor's own; None if the system does not report it."""
    printed_too_much: bool = False
    changed: bool = False
    """Whether its file was not the one that was hashed, when it started or when it ended."""
    not_started: str | None = None
    """Why it did not start; None if it did."""


def output_limit(given: bytes) -> int:
    """How many bytes a program may print, given its input."""
    return max(OUTPUT_BYTES, OUTPUT_FACTOR * len(given))


class Supervisor:
    """One supervisor and its folder. Not thread-safe."""

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
        """Whether it waits for a command and still has its folder."""
        return not self._busy and self._process.poll() is None and self.folder.is_dir()

    def run(self, command: Command) -> Ended:
        """Runs a program to its end, or to one of its limits. Raises GoneError, OSError."""
        stdin, stdout, stderr = (self.folder / name for name in ("stdin", "stdout", "stderr"))
        for path, content in ((stdin, command.stdin), (stdout, b""), (stderr, b"")):
            path.unlink(missing_ok=True)  # an earlier program may have replaced it
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
            "cpu": command.cpu,
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
        """Ends everything and removes the folder. A thread waiting for an answer gets GoneError."""
        assert self._process.stdin
        with suppress(OSError):
            self._process.stdin.close()

    def close(self) -> None:
        """Stops the supervisor and waits until it has ended."""
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
    """Reusable supervisors for calls from any thread; each handles one call at a time."""

    def __init__(self, parent: Path, *, shared: bool = False) -> None:
        self._parent = parent
        self._shared = shared
        """Whether other drivers use `parent` too: folders that they abandoned are removed before the first start."""
        self._idle: LifoQueue[Supervisor] = LifoQueue()
        self._started: list[Supervisor] = []
        self._registered = False
        self._closed = False
        self._starting = Lock()

    @contextmanager
    def supervisor(self) -> Iterator[Supervisor]:
        """A supervisor for one call. It is reused unless its call was interrupted. Raises GoneError."""
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
        """Ends all supervisors and what they run. From now on asking for one raises GoneError."""
        with self._starting:
            self._closed = True
            started, self._started = self._started, []
            self._idle = LifoQueue()
        for one in started:
            one.hang_up()
        for one in started:
            one.close()

    @property
    def is_closed(self) -> bool:
        """Whether it was closed, as an interruption does, and not opened again."""
        return self._closed

    def reopen(self) -> None:
        """Allows supervisors to be started again."""
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
"""The driver's own pool, for calls that belong to no run."""


@contextmanager
def calling_threads(workers: int | None = None) -> Iterator[ThreadPoolExecutor]:
    """Threads for calls. An interruption such as Ctrl-C ends everything that the calls run at once."""
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
    """Like the executor's `map`, but Ctrl-C interrupts it at any moment."""
    futures = deque(threads.submit(function, item) for item in items)
    while futures:
        future = futures.popleft()
        while not wait([future], WAKE_S).done:
            continue
        yield future.result()


def side_by_side(function: Callable[[Item], Result], items: Iterable[Item], workers: int | None = None) -> list[Result]:
    """Calls a function for all items in parallel; results are in the order of the items."""
    with calling_threads(workers) as threads:
        return list(in_order(threads, function, items))


def wait_readable(pipe: IO[bytes]) -> None:
    """Waits until there is something to read, or the other end is closed."""
    if sys.platform != "win32":
        poll = select.poll()
        poll.register(pipe, select.POLLIN)
        while not poll.poll(WAKE_S * 1e3):
            continue


def tail_of(path: Path) -> str:
    """The end of a program's output. Raises LabError if that is no longer a regular file."""
    with open_regular(path) as file:
        file.seek(max(0, os.fstat(file.fileno()).st_size - TAIL_BYTES))
        return file.read(TAIL_BYTES).decode(errors="replace")
