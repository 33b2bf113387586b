"""Runs programs for the driver, one at a time, and ends each with all its descendants.

A separate process, started by `bench.base.supervision`, never by hand:

    python -I supervisor.py FOLDER

FOLDER is an empty folder for temporary files; a marker file in it names this process. Requests arrive as JSON lines on
standard input, answers are JSON lines on standard output. The driver holds standard input open, so end of file means
that the driver has ended, even by SIGKILL. Then the supervisor ends what is running, removes the folder, and ends too.

Linux: this process adopts orphans (PR_SET_CHILD_SUBREAPER), so no descendant escapes, not even into a session of its
own. Windows: all are in one job object. Elsewhere: the process group, and descendants whose parents still run.

Only the standard library is imported at the start: a supervisor takes some 20 ms.
"""

import ctypes
import errno
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import SimpleQueue
from typing import Any

MARK = ".wirelab-scratch.json"
"""A file in every folder that a supervisor may remove; it names the supervisor."""
LEADER = "leader.json"
"""A file beside it that names the running process, the leader of its group."""
BUSY_S = 1.0
"""How long a program is waited for that somebody else has open for writing."""
PROGRAM_FD = 100
"""The descriptor through which a program is executed, so that the file that was checked is the one that runs."""
PROGRAM_PATH = f"/proc/self/fd/{PROGRAM_FD}"
BY_DESCRIPTOR = sys.platform == "linux" and Path("/proc/self/fd").is_dir()
PR_SET_CHILD_SUBREAPER = 36  # <linux/prctl.h>
CREATE_NEW_PROCESS_GROUP = 0x200
"""A constant of the Windows API; `subprocess` defines it only there."""
WATCH_S = 0.25
LONG_S = 3600.0
"""Longer than any limit that matters; system calls accept at most a few weeks."""
POLL_S = 0.05
END_LIMIT_S = 10.0
"""A process that survives SIGKILL for this long is waiting for a disk or a network, and is left to the system."""

Signature = list[int]
"""Device, inode, ctime in ns and size of a file: they change when its content does."""


def signature_of(status: os.stat_result) -> Signature:
    """The signature of a file. On Windows ctime never changes; there the time of the last write stands in."""
    changed = status.st_mtime_ns if sys.platform == "win32" else status.st_ctime_ns
    return [status.st_dev, status.st_ino, changed, status.st_size]


def place_of(folder: Path) -> list[int]:
    """Device and inode of a folder: a copy of it, or what an archive holds of it, has others."""
    status = folder.stat()
    return [status.st_dev, status.st_ino]


def own_group(platform: str = sys.platform) -> dict[str, Any]:
    """Options of Popen that keep Ctrl-C from reaching a child directly: only the driver gets it."""
    return {"creationflags": CREATE_NEW_PROCESS_GROUP} if platform == "win32" else {"start_new_session": True}


def identity_of(pid: int) -> dict[str, Any] | None:
    """Identifies a process among all that ever have its number; None if it has ended.

    `where` names the boot and the namespace of process numbers, `started` is the start time as the system counts it.
    """
    if sys.platform == "linux":
        try:
            fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
            boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
            where = f"{boot} {Path('/proc/self/ns/pid').readlink()}"
        except OSError:
            return None
        return None if fields[0] in "ZX" else {"pid": pid, "where": where, "started": fields[19]}
    import psutil

    try:
        return {"pid": pid, "where": repr(psutil.boot_time()), "started": repr(psutil.Process(pid).create_time())}
    except psutil.Error:
        return None


class Supervisor:
    """The supervisor's side of the pipe."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ending = False
        self.spawning = threading.RLock()  # a second signal may come while the first is handled
        self.job = _own_job() if sys.platform == "win32" else None
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        mark = {"supervisor": identity_of(os.getpid()), "folder": place_of(folder)}
        (folder / MARK).write_text(json.dumps(mark), encoding="utf-8")

    def serve(self, questions: "SimpleQueue[dict[str, Any]]") -> None:
        """Answers requests, one after another."""
        while True:
            request = questions.get()
            try:
                answer = self.run(request)
            except Exception as error:  # without an answer the driver would wait for ever
                answer = {"error": reason_of(error)}
            say(answer)

    def run(self, request: dict[str, Any]) -> dict[str, Any]:
        """Runs one program to its end or its limit. Raises OSError if it does not start."""
        program = request.get("program")
        descriptor = None
        if program:
            if signature_of(Path(program["path"]).stat()) != program["signature"]:
                return {"changed": True}
            if BY_DESCRIPTOR:
                descriptor = _open_program(program["path"])
                if signature_of(os.fstat(descriptor)) != program["signature"]:
                    os.close(descriptor)
                    return {"changed": True}
        try:
            process = self.spawn(request, descriptor)
            if process is None:
                return {"error": [None, "the driver is gone"]}
            code, peak = self.wait(process, request)
        finally:
            if descriptor is not None:
                os.close(descriptor)
        (self.folder / LEADER).unlink(missing_ok=True)
        if program and not _still(program):
            return {"changed": True}
        return {"code": code, "peak_memory_bytes": peak}

    def spawn(self, request: dict[str, Any], descriptor: int | None) -> "subprocess.Popen[bytes] | None":
        """Starts a program in its own process group; None if the driver has ended in the meantime."""
        with (
            open_input(request["stdin"]) as stdin,
            Path(request["stdout"]).open("wb") as stdout,
            Path(request["stderr"]).open("ab") as stderr,
            self.spawning,
        ):
            if self.ending:
                return None
            with file_limit(request["file_limit_bytes"]), pinned_to(request.get("cpu")):
                process = started_when_closed(
                    request["command"],
                    stdin=stdin,
                    stdout=stdout,
                    stderr=stderr,
                    cwd=request["cwd"],
                    env=request["environment"],
                    pass_fds=() if descriptor is None else (descriptor,),
                    **own_group(),
                )
            with suppress(OSError):  # a full disk matters only if this process is killed too
                (self.folder / LEADER).write_text(json.dumps(identity_of(process.pid)), encoding="utf-8")
            return process

    def wait(self, process: "subprocess.Popen[bytes]", request: dict[str, Any]) -> tuple[int | None, int | None]:
        """Exit code (None if it was killed at its limit) and peak memory of a program. Its descendants end with it."""
        if sys.platform == "win32":
            ended = _wait_on_windows(process, request)
            self.end_family()
            return (process.wait() if ended else None), None
        import resource  # not available on Windows

        ended = False
        try:
            ended = self.ends_within_limits(process.pid, request)
        finally:
            kill_group(process.pid)  # the number of a group is not reused before its leader is reaped
            if not ended:
                self.kill_family()
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            self.end_family()
        own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # a forked child may start with it
        peak = max(0, used.ru_maxrss - own) * (1 if sys.platform == "darwin" else 1024)
        return (process.returncode if ended else None), peak

    def ends_within_limits(self, pid: int, request: dict[str, Any]) -> bool:
        """Whether a program ends before it exceeds its time or its output.

        The system limits the output unless files may become larger than it; then its size is polled.
        """
        watched = request["file_limit_bytes"] > request["output_limit_bytes"]
        deadline = time.monotonic() + request["limit_s"]
        while (left_s := deadline - time.monotonic()) > 0:
            if wait_without_reaping(pid, min(left_s, WATCH_S if watched else LONG_S)):
                return True
            if watched and printed_bytes(request) >= request["output_limit_bytes"]:
                return False
        return False

    def end_family(self) -> None:
        """Kills the remaining descendants and waits until none is left."""
        deadline = time.monotonic() + END_LIMIT_S
        while self.has_family() and time.monotonic() < deadline:
            self.kill_family()
            time.sleep(0.01)

    def has_family(self) -> bool:
        """Whether descendants are left; on Unix those that have ended are reaped."""
        if sys.platform == "win32":
            return len(_job_members(self.job)) > 0
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return False
        return True

    def kill_family(self) -> None:
        """Kills every descendant once."""
        import psutil

        if sys.platform == "win32":
            family = [psutil.Process(pid) for pid in _job_members(self.job) if psutil.pid_exists(pid)]
        else:
            family = psutil.Process().children(recursive=True)
        for process in family:
            try:
                process.kill()
            except psutil.Error:
                continue

    def end(self) -> None:
        """Called when the driver has ended: kills everything, removes the folder, and exits."""
        with self.spawning:
            self.ending = True
        self.end_family()
        shutil.rmtree(self.folder, ignore_errors=True)
        os._exit(0)  # the other thread may wait for a request or a process


def started_when_closed(command: list[str], **options: Any) -> "subprocess.Popen[bytes]":
    """Starts a program, and waits up to a second for those who still have its file open for writing (ETXTBSY).

    When the driver copies a program while another of its threads starts a process, that process holds the copy open
    from its fork until it executes. Raises OSError.
    """
    last = time.monotonic() + BUSY_S
    while True:
        try:
            return subprocess.Popen(command, **options)
        except OSError as error:
            if error.errno != errno.ETXTBSY or time.monotonic() > last:
                raise
            time.sleep(0.01)


def reason_of(error: Exception) -> list[Any]:
    """The system's number of an error, if it has one, and its text."""
    if isinstance(error, OSError):
        return [error.errno, error.strerror or str(error)]
    return [None, f"{type(error).__name__}: {error}"]


def say(answer: dict[str, Any]) -> None:
    """Sends one answer. If the driver is gone nobody reads it; then standard input ends, which ends this process."""
    with suppress(OSError):
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def printed_bytes(request: dict[str, Any]) -> int:
    """The size of the larger of a program's two outputs."""
    return max(Path(request[name]).lstat().st_size for name in ("stdout", "stderr"))


def open_input(path: str | None) -> Any:
    """What a program reads as standard input: a file, or nothing."""
    return Path(path or os.devnull).open("rb")


@contextmanager
def file_limit(size_bytes: int) -> Iterator[None]:
    """Limits the size of files that programs started within the block may write. Windows has no such limit."""
    if sys.platform == "win32":
        yield
        return
    import resource

    before = soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    allowed = [one for one in (size_bytes, soft, hard) if one != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_FSIZE, (min(allowed), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@contextmanager
def pinned_to(cpu: int | None) -> Iterator[None]:
    """Pins this thread to a processor, so that programs started within the block inherit it. Linux only."""
    if sys.platform != "linux" or cpu is None:
        yield
        return
    before = os.sched_getaffinity(0)  # of this thread alone
    with suppress(OSError):  # a container may forbid it; the program then runs anywhere
        os.sched_setaffinity(0, {cpu})
    try:
        yield
    finally:
        with suppress(OSError):
            os.sched_setaffinity(0, before)


def _open_program(path: str) -> int:
    opened = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.dup2(opened, PROGRAM_FD, inheritable=True)
    finally:
        os.close(opened)


def _still(program: dict[str, Any]) -> bool:
    try:
        expected: Signature = program["signature"]
        return signature_of(Path(program["path"]).stat()) == expected
    except OSError:
        return False


def wait_without_reaping(pid: int, limit_s: float) -> bool:
    """Whether a child ends within the limit; it stays a zombie, so its number is not reused."""
    if sys.platform == "linux":
        descriptor = os.pidfd_open(pid)
        try:
            return len(select.select([descriptor], [], [], limit_s)[0]) > 0
        finally:
            os.close(descriptor)
    elif sys.platform != "win32":  # macOS and the BSDs
        queue = select.kqueue()
        try:
            event = select.kevent(pid, select.KQ_FILTER_PROC, select.KQ_EV_ADD, select.KQ_NOTE_EXIT)
            return len(queue.control([event], 1, limit_s)) > 0
        except ProcessLookupError:
            return True  # it has ended already
        finally:
            queue.close()
    raise NotImplementedError


def kill_group(leader: int) -> None:
    """Kills what remains of a process group."""
    with suppress(ProcessLookupError, PermissionError):  # the group is empty, or only a zombie
        os.killpg(leader, signal.SIGKILL)


def _wait_on_windows(process: "subprocess.Popen[bytes]", request: dict[str, Any]) -> bool:
    """Whether a program ends within its limits of time and output."""
    deadline = time.monotonic() + request["limit_s"]
    while time.monotonic() < deadline:
        try:
            process.wait(POLL_S)
        except subprocess.TimeoutExpired:
            if printed_bytes(request) >= request["output_limit_bytes"]:
                return False
        else:
            return True
    return False


def _own_job() -> Any:
    """A job object of this process and all its descendants, which ends with this process."""
    import win32api
    import win32job

    job = win32job.CreateJobObject(None, "")
    kind = win32job.JobObjectExtendedLimitInformation
    limits = win32job.QueryInformationJobObject(job, kind)
    limits["BasicLimitInformation"]["LimitFlags"] |= win32job.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
    win32job.SetInformationJobObject(job, kind, limits)
    win32job.AssignProcessToJobObject(job, win32api.GetCurrentProcess())
    return job


def _job_members(job: Any) -> list[int]:
    """The other processes of this process's job."""
    import win32job

    members = win32job.QueryInformationJobObject(job, win32job.JobObjectBasicProcessIdList)
    return [pid for pid in members if pid != os.getpid()]


def main() -> None:
    """Serves the driver until it ends."""
    try:
        supervisor = Supervisor(Path(sys.argv[1]))
    except OSError as error:
        say({"error": reason_of(error)})
        return
    # A signal to the whole session ends this process as the end of the driver does.
    for name in ("SIGTERM", "SIGHUP", "SIGINT", "SIGBREAK"):
        if number := getattr(signal, name, None):
            signal.signal(number, lambda *_: supervisor.end())
    say({})
    questions: SimpleQueue[dict[str, Any]] = SimpleQueue()
    threading.Thread(target=supervisor.serve, args=(questions,), daemon=True).start()
    try:
        for line in sys.stdin.buffer:
            questions.put(json.loads(line))
    finally:
        supervisor.end()


if __name__ == "__main__":
    main()
