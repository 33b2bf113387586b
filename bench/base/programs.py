"""Runs a tool and keeps what it prints."""

import subprocess
from typing import Any


def captured(command: list[str], **options: Any) -> "subprocess.CompletedProcess[str]":
    """The finished process of a tool, with its exit code and its output as text; undecodable bytes are replaced.

    `options` are those of `subprocess.run`. Raises OSError where the tool does not start, and TimeoutExpired.
    """
    return subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", check=False, **options)
