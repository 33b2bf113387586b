"""Runs a tool and keeps what it prints."""

import subprocess
from typing import Any


def captured(command: list[str], **options: Any) -> "subprocess.CompletedProcess[str]":
    """A tool that has ended, with its exit code, whatever it is, and its output, whatever the console's code page.

    `options` are those of `subprocess.run`. Raises OSError where the tool does not start, and TimeoutExpired.
    """
    return subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", check=False, **options)
