"""A runner as the driver calls it: a program that describes, encodes, decodes and measures."""

import hashlib
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path

import msgspec

from bench.base import errors
from bench.base.files import split_validation_error
from bench.base.paths import SCRATCH, brief
from bench.base.protocol import PROTOCOL
from bench.base.supervision import (
    MEBIBYTE,
    MESSAGE_BYTES,
    POOL,
    Command,
    Ended,
    GoneError,
    Program,
    output_limit,
    side_by_side,
)
from bench.base.supervisor import BY_DESCRIPTOR, PROGRAM_PATH, signature_of
from bench.model.cells import Cell
from bench.model.description import Description, RunnerEntry

DEADLINE_S = 60
"""Time limit of describe, encode and decode; that of measuring follows from the plan."""
DESCRIPTION = msgspec.json.Decoder(Description)
"""Made once, before threads use it: msgspec 0.22.0 may crash when two threads decode a type for the first time at once.
The same applies wherever threads decode.
"""
RACY_NS = 2_000_000_000
"""A file changed more recently may change again with the same timestamp: clocks of file systems tick slowly."""
SHOWN = 2_000
"""Characters of a runner's output that a message repeats at most."""
PANICKED = 70
"""The exit code of a runner after a panic, or an exception that is no refusal."""
OVER_BUDGET = 71
"""The exit code of a runner that stopped before it took more memory than its input may claim."""
REASONS = {PANICKED: "panicked", OVER_BUDGET: "took more memory than the budget"}
READ_ATTEMPTS = 20
READ_WAIT_S = 0.05
SUPERVISOR_GONE = "the lab's supervisor was killed while the runner ran"


class RunnerError(Exception):
    """A runner violated the protocol; the message holds what it printed instead, shortened."""

    def __init__(self, message: str) -> None:
        super().__init__(message if len(message) <= SHOWN else f"{message[:SHOWN]}… ({len(message):,} characters)")


class Answer(msgspec.Struct, frozen=True):
    """The answer to one input of a batch."""

    code: int
    """The exit code of `decode`."""
    printed: bytes
    """What `decode` prints: its output with exit code 0, else the line on standard error."""


OF_THE_C_LIBRARY = ("LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "MALLOC_", "GLIBC_TUNABLES")
"""How variables begin by which a user changes the allocator, or functions of the C library, of every program."""


def _undisturbed() -> dict[str, str]:
    """The environment without what gives a program another allocator or C library than the system's."""
    return {name: value for name, value in os.environ.items() if not name.startswith(OF_THE_C_LIBRARY)}


class Runner:
    """One codec's program."""

    def __init__(self, entry: RunnerEntry) -> None:
        self.entry = entry
        self.codec = entry.codec
        self.environment = _undisturbed() | entry.environment
        self.program = Path(entry.program or entry.command[0])
        self._hashed: Program | None = None

    @property
    def command(self) -> list[str]:
        """The command that starts it under a supervisor: a compiled program by its descriptor where supported.

        A script is opened by name, by its interpreter.
        """
        first, *rest = self.entry.command
        return [PROGRAM_PATH if BY_DESCRIPTOR and first == str(self.program) else first, *rest]

    def hashed(self) -> Program | None:
        """The program as it is now on disk, with its SHA-256; None if it is missing.

        It is read again only if inode, change time or size differ, so this can be called before every process; the
        supervisor compares the same three with those of the file that it executes.
        """
        try:
            signature = signature_of(self.program.stat())
            if self._hashed is None or self._hashed.signature != signature:
                self._hashed = None
                status, sha256 = read_program(self.program)
                program = Program(self.program, sha256, status)
                if time.time_ns() - status[2] < RACY_NS:
                    return program
                self._hashed = program
        except OSError:
            return None
        return self._hashed

    def proved(self) -> Program:
        """The program if it is still the one in the manifest. Raises RunnerError if it is not."""
        program = self.hashed()
        if program is None:
            raise RunnerError(f"{self.program} is gone: build it again with `./lab build`")
        if program.sha256 != self.entry.sha256:
            raise RunnerError(f"{self.program} is not the file that was built (its SHA-256 differs): run `./lab build`")
        return program

    @cached_property
    def description(self) -> Description:
        """The answer to `describe`. Raises RunnerError if there is no valid one."""
        if self.entry.unavailable:
            raise RunnerError(self.entry.unavailable)
        answer = self.call(["describe"], output_bytes=MESSAGE_BYTES)
        try:
            raw = msgspec.json.decode(answer)
            protocol = raw.get("protocol") if isinstance(raw, dict) else None
            if protocol != PROTOCOL:
                raise RunnerError(f"describe: it speaks protocol {protocol!r}, the driver {PROTOCOL}; build it again")
            description = DESCRIPTION.decode(answer)
        except msgspec.ValidationError as error:
            problem, keys = split_validation_error(error)
            raise RunnerError(f"describe: {'.'.join(keys)}: {problem}") from None
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise RunnerError(f"describe: not JSON: {answer[:80]!r}") from None
        if description.codec != self.codec:
            raise RunnerError(
                f"describe: it names itself {description.codec} but was built as {self.codec}; build it again"
            )
        return description

    def encode(self, scenario: str, canonical: bytes, keys: Path | None = None) -> bytes:
        """Canonical JSON → encoded bytes (rows: a file, or each framed by its length as u32 little-endian)."""
        return self.call(["encode", "--scenario", scenario, *key_words(keys)], canonical)

    def decode(self, scenario: str, encoded: bytes, keys: Path | None = None) -> bytes:
        """Encoded bytes → canonical JSON."""
        return self.call(["decode", "--scenario", scenario, *key_words(keys)], encoded)

    def encode_any(self, line: bytes) -> bytes:
        """A line of `bench.types.schemaless` → encoded bytes."""
        return self.call(["encode", "--type", "any"], line)

    def decode_any(self, encoded: bytes) -> bytes:
        """Encoded bytes → a line of `bench.types.schemaless`."""
        return self.call(["decode", "--type", "any"], encoded)

    def decode_any_batch(self, inputs: Sequence[bytes], limit_s: float = DEADLINE_S) -> tuple[list[Answer], Ended]:
        """What one process answers to each input, in order, and how it ended.

        There are fewer answers than inputs if it crashed, hung or printed too much: the first input without an answer
        did that. Raises RunnerError if the program is not the one that was built.
        """
        frames = b"".join(len(one).to_bytes(4, "little") + one for one in inputs)
        done = self.ended([*self.command, "decode", "--type", "any", "--batch"], frames, limit_s, output_limit(frames))
        if done.not_started or done.changed:
            raise RunnerError(problem_of(done, limit_s, output_limit(frames)) or "it did not start")
        return list(answers(done.stdout)), done

    def compress(self, scenario: str, encoded: bytes, compression: str) -> bytes:
        """Encoded bytes → compressed, message by message."""
        return self.call(["compress", "--scenario", scenario, "--compression", compression], encoded)

    def decompress(self, scenario: str, compressed: bytes, compression: str) -> bytes:
        """Compressed → encoded bytes."""
        return self.call(["decompress", "--scenario", scenario, "--compression", compression], compressed)

    def filter(self, scenario: str, encoded: bytes, keys: Path | None = None) -> bytes:
        """Bytes of a file → canonical JSON Lines of the rows that the scenario's filter selects."""
        return self.call(["filter", "--scenario", scenario, *key_words(keys)], encoded)

    def update(self, scenario: str, encoded: bytes) -> bytes:
        """Encoded bytes → the same with the scenario's update, made in place."""
        return self.call(["update", "--scenario", scenario], encoded)

    def measure_command(
        self,
        cell: Cell,
        *,
        input_file: Path,
        work: Path,
        repetitions: int,
        warmup: int,
        samples: int,
        out: Path,
        keys: Path | None = None,
        supervised: bool = False,
        offset_bytes: int = 0,
        copy_bytes: int = 0,
    ) -> list[str]:
        """The command line that measures a cell, for a user's shell or for a supervisor.

        With 0 samples it only writes the files that the loops would read. An offset of the heap and copies between the
        loops are asked for only where there are any: runners without canaries have no such options.
        """
        conditions = [word for name, value in cell.conditions.items() for word in ("--condition", f"{name}={value}")]
        return [
            *(self.command if supervised else self.entry.command),
            "measure",
            *("--scenario", cell.scenario, "--operation", cell.operation.value, *conditions),
            *("--input", str(input_file), "--work", str(work)),
            *("--repetitions", str(repetitions), "--warmup", str(warmup), "--samples", str(samples)),
            *("--out", str(out)),
            *key_words(keys),
            *(("--offset", str(offset_bytes)) if offset_bytes else ()),
            *(("--copy-canary", str(copy_bytes)) if copy_bytes else ()),
        ]

    def call(
        self, arguments: list[str], stdin: bytes = b"", *, output_bytes: int | None = None, cpu: int | None = None
    ) -> bytes:
        """Runs the program and returns its output. Raises RunnerError unless it exits with 0 within its limits."""
        subcommand, allowed = arguments[0], output_bytes or output_limit(stdin)
        done = self.ended([*self.command, *arguments], stdin, DEADLINE_S, allowed, cpu=cpu)
        if problem := problem_of(done, DEADLINE_S, allowed):
            raise RunnerError(f"{subcommand}: {problem}")
        return done.stdout

    def ended(
        self, command: list[str], stdin: bytes, limit_s: float, output_bytes: int, *, cpu: int | None = None
    ) -> Ended:
        """Runs a command of this program to its end.

        Raises RunnerError if the program was replaced, LabError if the lab may not write to its scratch folder.
        """
        program = self.proved()
        try:
            return POOL.run(
                Command(command, self.environment, limit_s, stdin, output_bytes=output_bytes, program=program, cpu=cpu)
            )
        except GoneError:
            raise RunnerError(SUPERVISOR_GONE) from None
        except PermissionError:
            raise errors.not_writable(str(SCRATCH)) from None
        except OSError as error:
            raise RunnerError(f"the lab cannot write into {brief(SCRATCH)}: {error.strerror or error}") from None


def answers(printed: bytes) -> Iterator[Answer]:
    """The complete answers of a batch."""
    start = 0
    while start + 5 <= len(printed):
        end = start + 5 + int.from_bytes(printed[start + 1 : start + 5], "little")
        if end > len(printed):
            return
        yield Answer(printed[start], printed[start + 5 : end])
        start = end


def problem_of(done: Ended, limit_s: float, output_bytes: int) -> str | None:
    """Why a program failed; None if it ended with exit code 0."""
    if done.not_started:
        return done.not_started
    if done.changed:
        return "the runner is not the one that was verified: was the lab built again in the meantime?"
    if done.printed_too_much:
        return f"it printed more than {output_bytes // MEBIBYTE} MiB; killed"
    if done.code is None:
        return f"no end within {limit_s:g} s; killed"
    if done.code != 0:
        return f"{reason_of(done.code)}: {done.messages.strip()[-500:] or 'no message'}"
    return None


def read_program(path: Path) -> tuple[list[int], str]:
    """Signature and SHA-256 of a file, read again if it changes meanwhile. Raises OSError."""
    if not path.is_file():
        raise OSError(f"{path} is not a file")
    for _ in range(READ_ATTEMPTS):
        with path.open("rb") as file:
            before = signature_of(os.fstat(file.fileno()))
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
            if signature_of(os.fstat(file.fileno())) == before:
                return before, sha256
        time.sleep(READ_WAIT_S)
    raise OSError(f"{path} keeps changing")


def key_words(keys: Path | None) -> list[str]:
    """The option that names the folder of the keys, for scenarios with keys."""
    return ["--keys", str(keys)] if keys else []


def exit_reason(code: int) -> str:
    """An exit code in words."""
    return f"killed by signal {-code}" if code < 0 else f"exit code {code}"


def reason_of(code: int) -> str:
    """The exit code of a runner that failed, in words."""
    return REASONS.get(code) or exit_reason(code)


def describe_all(runners: Iterable[Runner]) -> dict[Runner, Description | RunnerError]:
    """Every runner's description, or why it gave none; the programs run in parallel."""

    def ask(runner: Runner) -> Description | RunnerError:
        try:
            return runner.description
        except RunnerError as error:
            return error

    everyone = list(runners)
    return dict(zip(everyone, side_by_side(ask, everyone), strict=True))
