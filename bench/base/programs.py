"""Runs a tool and keeps what it prints."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


def captured(command: list[str], **options: Any) -> "subprocess.CompletedProcess[str]":
    """The finished process of a tool, with its exit code and its output as text; undecodable bytes are replaced.

    `options` are those of `subprocess.run`. Raises OSError where the tool does not start, and TimeoutExpired.
    """
    return subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", check=False, **options)


@contextmanager
def streamed(command: list[str], **options: Any) -> Iterator[Iterator[str]]:
    """The lines that a tool prints, while it runs; what it says on standard error is dropped, and so is its exit code.

    A tool that is still running when nobody reads on is terminated. `options` are those of `subprocess.Popen`. Raises
    OSError where the tool does not start.
    """
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "stdin": subprocess.DEVNULL}
    with subprocess.Popen(command, **pipes, encoding="utf-8", errors="replace", **options) as process:
        try:
            yield iter(process.stdout or ())
        finally:
            process.terminate()  # nothing happens where it has ended
