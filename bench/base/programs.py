"""Runs a tool and keeps what it prints, or reads it while it runs."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any


def captured(command: list[str], **options: Any) -> "subprocess.CompletedProcess[str]":
    """The finished process of a tool, with its exit code and its output as text; undecodable bytes are replaced.

    `options` are those of `subprocess.run`. Raises OSError where the tool does not start, and TimeoutExpired.
    """
    return subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", check=False, **options)


class StoppedError(Exception):
    """A tool was stopped while somebody read what it prints."""


_read: set["subprocess.Popen[str]"] = set()


@contextmanager
def streamed(command: list[str], **options: Any) -> Iterator[Iterator[str]]:
    """The lines that a tool prints, while it runs; what it says on standard error is dropped, and so is its exit code.

    A tool that is still running when nobody reads on is terminated, with what it started. `options` are those of
    `subprocess.Popen`. Raises OSError where the tool does not start, and StoppedError where `stop_streams` ended it.
    """
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "stdin": subprocess.DEVNULL}
    with subprocess.Popen(command, **pipes, encoding="utf-8", errors="replace", **options) as process:
        _read.add(process)
        try:
            yield iter(process.stdout or ())
            if process not in _read:
                raise StoppedError
        finally:
            _read.discard(process)
            _terminate(process)


def stop_streams() -> None:
    """Ends every tool that is being read, in any thread."""
    while _read:
        _terminate(_read.pop())


def _terminate(process: "subprocess.Popen[str]") -> None:
    """Ends a tool and what it started, which would hold the pipe open; nothing happens where it has ended."""
    import psutil  # here, since a derivation that generates types runs tools and has no psutil

    with suppress(psutil.NoSuchProcess):
        started = psutil.Process(process.pid).children(recursive=True) if process.poll() is None else []
        process.terminate()  # first, or it would start others for those that end
        for one in started:
            with suppress(psutil.NoSuchProcess):
                one.terminate()
