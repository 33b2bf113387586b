"""A network between two namespaces of this machine: a pair of virtual Ethernet devices, shaped to a rate. Linux, root.

Nothing of it outlives its processes: an unnamed namespace exists as long as a process is in it, and the two processes
die with the one that started them (PR_SET_PDEATHSIG), however that ends.
"""

import json
import shutil
import subprocess
import sys
from contextlib import suppress
from typing import Any

from bench.base.paths import ROOT

TOOLS = ("ip", "tc")
IPROUTE = "Install iproute2 (`apt-get install iproute2`, or your distribution's equivalent)."


class LinkError(Exception):
    """Why there can be no such network here, and what would help."""


class Link:
    """The sending end, a context manager. Raises LinkError where there can be no such network."""

    def __init__(self) -> None:
        if sys.platform != "linux":
            raise LinkError("network namespaces exist only on Linux; here only the formula can be shown")
        for tool in TOOLS:
            if not shutil.which(tool):
                raise LinkError(f"{tool} was not found. {IPROUTE}")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bench.network.link_ends"], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        try:
            self._answer()
        except LinkError:
            self._end()
            raise

    def __enter__(self) -> "Link":
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def set_rate(self, rate_mbit_s: int) -> None:
        """Limits the rate of what is sent from now on. Raises LinkError."""
        self._ask({"rate_mbit_s": rate_mbit_s})

    def transfer(self, message: bytes, repetitions: int) -> list[int]:
        """Sends a message once to warm up the connection, then `repetitions` times; ns of each. Raises LinkError."""
        transfer_ns: list[int] = self._ask({"bytes": len(message), "repetitions": repetitions}, message)["transfer_ns"]
        return transfer_ns

    def _ask(self, question: dict[str, Any], data: bytes = b"") -> dict[str, Any]:
        assert self._process.stdin
        try:
            self._process.stdin.write(json.dumps(question).encode() + b"\n" + data)
            self._process.stdin.flush()
        except BrokenPipeError:
            raise LinkError("the process that holds the network is gone") from None
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            raise LinkError(f"the process that holds the network ended with exit code {self._process.wait()}")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise LinkError(answer["error"])
        return answer

    def _end(self) -> None:
        assert self._process.stdin
        assert self._process.stdout
        with suppress(OSError):  # what the dead process never read
            self._process.stdin.close()
        self._process.stdout.close()
        self._process.kill()
        self._process.wait()
