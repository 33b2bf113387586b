"""Runs a tool and keeps what it prints, or reads it while it runs."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any


class StoppedError(Exception):
    """A tool was stopped while somebody waited for what it prints."""


_running: set["subprocess.Popen[str]"] = set()


@contextmanager
def _stoppable(process: "subprocess.Popen[str]") -> Iterator[None]:
    _running.add(process)
    try:
        yield
        if process not in _running:
            raise StoppedError
    finally:
        _running.discard(process)


def captured(command: list[str], **options: Any) -> "subprocess.CompletedProcess[str]":
    """The finished process of a tool, with its exit code and its output as text; undecodable bytes are replaced.

    `options` are those of `subprocess.run`. Raises OSError where the tool does not start, TimeoutExpired, and
    StoppedError where `stop_tools` ended it.
    """
    limit_s, given = options.pop("timeout", None), options.pop("input", None)
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    pipes |= {"stdin": subprocess.PIPE} if given is not None else {}
    with (
        subprocess.Popen(command, **pipes, encoding="utf-8", errors="replace", **options) as process,
        _stoppable(process),
    ):
        try:
            said = process.communicate(given, timeout=limit_s)
        except BaseException:
            process.kill()
            raise
    return subprocess.CompletedProcess(command, process.returncode, *said)


@contextmanager
def streamed(command: list[str], **options: Any) -> Iterator[Iterator[str]]:
    """The lines that a tool prints, while it runs; what it says on standard error is dropped, and so is its exit code.

    A tool that is still running when nobody reads on is terminated, with what it started. `options` are those of
    `subprocess.Popen`. Raises OSError where the tool does not start, and StoppedError where `stop_tools` ended it.
    """
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "stdin": subprocess.DEVNULL}
    with subprocess.Popen(command, **pipes, encoding="utf-8", errors="replace", **options) as process:
        try:
            with _stoppable(process):
                yield iter(process.stdout or ())
        finally:
            _terminate(process)


def stop_tools() -> None:
    """Ends every tool that is waited for, in any thread."""
    while _running:
        _terminate(_running.pop())


def _terminate(process: "subprocess.Popen[str]") -> None:
    """Ends a tool and what it started, which would hold the pipe open; nothing happens where it has ended."""
    import psutil  # here, since a derivation that generates types runs tools and has no psutil

    with suppress(psutil.NoSuchProcess):
        started = psutil.Process(process.pid).children(recursive=True) if process.poll() is None else []
        process.terminate()  # first, or it would start others for those that end
        for one in started:
            with suppress(psutil.NoSuchProcess):
                one.terminate()
