"""A runner as the driver sees it: a command line that describes, encodes, decodes and measures."""

import os
import subprocess
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path

import msgspec

from bench.files import sha256_of, split_validation_error
from bench.model import PROTOCOL, Cell, Description, RunnerEntry

DEADLINE_S = 60
"""For describe, encode and decode; measuring has a limit from its plan."""
DESCRIPTION = msgspec.json.Decoder(Description)
"""Made here because runners are asked side by side: of two threads that first decode a type at once, one may find what
msgspec knows of it half made, and crash (0.22.0). The same holds wherever threads decode.
"""


class RunnerError(Exception):
    """A runner that did not do what the protocol says; the message holds what it said instead."""


class Runner:
    """One codec's program."""

    def __init__(self, entry: RunnerEntry) -> None:
        self.entry = entry
        self.codec = entry.codec

        self.environment = os.environ | entry.environment
        self.program = Path(entry.program or entry.command[0])
        self._seen: tuple[tuple[int, int], str] | None = None

    def sha256(self) -> str | None:
        """SHA-256 of the program as it lies there now, or None where it is gone.

        Read again only where the file's time or size is another, so that it can be asked before every process.
        """
        try:
            status = self.program.stat()
            signature = (status.st_mtime_ns, status.st_size)
            if self._seen is None or self._seen[0] != signature:
                self._seen = (signature, sha256_of(self.program))
        except OSError:
            return None
        return self._seen[1]

    @cached_property
    def description(self) -> Description:
        """The answer to `describe`. Raises RunnerError where there is none that can be understood."""
        if self.entry.unavailable:
            raise RunnerError(self.entry.unavailable)
        answer = self.call(["describe"])
        try:
            raw = msgspec.json.decode(answer)
            protocol = raw.get("protocol") if isinstance(raw, dict) else None
            if protocol != PROTOCOL:
                raise RunnerError(f"describe: speaks protocol {protocol!r}, the driver {PROTOCOL}; build it again")
            return DESCRIPTION.decode(answer)
        except msgspec.ValidationError as error:
            problem, keys = split_validation_error(error)
            raise RunnerError(f"describe: {'.'.join(keys)}: {problem}") from None
        except msgspec.DecodeError:
            raise RunnerError(f"describe: no JSON but {answer[:80]!r}") from None

    def encode(self, scenario: str, canonical: bytes, keys: Path | None = None) -> bytes:
        """Canonical JSON → encoded bytes (rows: a file, or each framed by its length as u32 little-endian)."""
        return self.call(["encode", "--scenario", scenario, *key_words(keys)], canonical)

    def decode(self, scenario: str, encoded: bytes, keys: Path | None = None) -> bytes:
        """Encoded bytes → canonical JSON."""
        return self.call(["decode", "--scenario", scenario, *key_words(keys)], encoded)

    def compress(self, scenario: str, encoded: bytes, compression: str) -> bytes:
        """Encoded bytes → compressed, message by message."""
        return self.call(["compress", "--scenario", scenario, "--compression", compression], encoded)

    def decompress(self, scenario: str, compressed: bytes, compression: str) -> bytes:
        """Compressed → encoded bytes."""
        return self.call(["decompress", "--scenario", scenario, "--compression", compression], compressed)

    def filter(self, scenario: str, encoded: bytes, keys: Path | None = None) -> bytes:
        """The bytes of a file → canonical JSON Lines of the rows that the scenario's filter takes."""
        return self.call(["filter", "--scenario", scenario, *key_words(keys)], encoded)

    def measure_command(
        self, cell: Cell, *, input_file: Path, work: Path, repetitions: int, warmup: int, samples: int, out: Path,
        keys: Path | None = None,
    ) -> list[str]:  # fmt: skip
        """The command line that measures a cell. With 0 samples it makes the files that the loops would read."""
        conditions = [word for name, value in cell.conditions.items() for word in ("--condition", f"{name}={value}")]
        return [
            *self.entry.command,
            "measure",
            *("--scenario", cell.scenario, "--operation", cell.operation.value, *conditions),
            *("--input", str(input_file), "--work", str(work)),
            *("--repetitions", str(repetitions), "--warmup", str(warmup), "--samples", str(samples)),
            *("--out", str(out)),
            *key_words(keys),
        ]

    def call(self, arguments: list[str], stdin: bytes = b"") -> bytes:
        """Runs the program to its end and gives what it printed. Raises RunnerError for every other outcome."""
        what = arguments[0]
        try:
            done = subprocess.run(
                [*self.entry.command, *arguments],
                input=stdin,
                env=self.environment,
                capture_output=True,
                timeout=DEADLINE_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise RunnerError(f"{what}: no end within {DEADLINE_S} s") from None
        except OSError as error:
            raise RunnerError(f"{what}: {self.entry.command[0]} does not start: {error.strerror}") from None
        if done.returncode != 0:
            said = done.stderr.decode(errors="replace").strip() or "and said nothing"
            raise RunnerError(f"{what}: {exit_reason(done.returncode)}: {said[-500:]}")
        return done.stdout


def key_words(keys: Path | None) -> list[str]:
    """The words of a command line that say where keys lie, for scenarios that have some."""
    return ["--keys", str(keys)] if keys else []


def exit_reason(code: int) -> str:
    """An exit code in words."""
    return f"killed by signal {-code}" if code < 0 else f"exit code {code}"


def describe_all(runners: Iterable[Runner]) -> dict[Runner, Description | RunnerError]:
    """Every runner's description, or why there is none; the programs run side by side."""

    def ask(runner: Runner) -> Description | RunnerError:
        try:
            return runner.description
        except RunnerError as error:
            return error

    everyone = list(runners)
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        return dict(zip(everyone, pool.map(ask, everyone), strict=True))
