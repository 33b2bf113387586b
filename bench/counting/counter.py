"""Counts one cell: how many repetitions, then the two processes whose difference is recorded, twice or more."""

import signal
from pathlib import Path

import msgspec

from bench.base.errors import LabError
from bench.base.files import read_bytes
from bench.base.supervision import OUTPUT_BYTES, Command, Supervisor
from bench.building.runner import Runner, problem_of
from bench.counting.slope import BETWEEN, MOST_REPETITIONS, Difference, Span, choose_span, difference, span_of
from bench.counting.surroundings import (
    SAMPLES,
    Started,
    empty_files,
    environment_of,
    folder_below,
    furnish,
    key_of,
    measure_words,
    started,
)
from bench.counting.valgrind import OUT, CannotCountError, Totals, Valgrind, read_totals
from bench.model.cells import Cell, Operation
from bench.model.counts import COUNTINGS, Counted
from bench.model.record import RunnerSample

LIMIT_S = 600.0
"""Of one process: a program takes some fifty times as long under valgrind, and a cell has five or more of them."""
FILE_BYTES = 8 * 2**30
"""The largest file that a counted process may write."""
TWICE = 2
SAMPLE_BYTES = 16 * 1024
SAMPLE = msgspec.json.Decoder(RunnerSample)


class Counter:
    """Counts a cell in a supervisor's folder."""

    def __init__(self, cell: Cell, runner: Runner, supervisor: Supervisor, *, keys: Path | None, tunables: str) -> None:
        self.cell, self.runner, self.supervisor = cell, runner, supervisor
        self.keys, self.tunables = keys, tunables
        self.start: Started = started(runner)
        self.folder = folder_below(supervisor.folder)

    def count(self, valgrind: Valgrind | CannotCountError, input_file: Path) -> Counted:
        """The cell's counts; without instructions, and with the reason, where these cannot be counted.

        Raises CannotCountError where the runner does not even run.
        """
        furnish(self.folder, self.start, self.runner.entry.sha256, input_file, self.keys)
        sample = self.sample()
        known = Counted(
            cell=str(self.cell),
            encoded_bytes=sample.encoded_bytes,
            allocations=sample.allocations,
            allocated_bytes=sample.allocated_bytes,
        )
        try:
            if isinstance(valgrind, CannotCountError):
                raise valgrind
            key, _ = key_of(self.runner, self.start, valgrind, self.tunables, self.keys)
            span, differences = self.differences(valgrind)
        except CannotCountError as error:
            return msgspec.structs.replace(known, unavailable=str(error))
        return msgspec.structs.replace(
            known,
            key=key,
            base=span.base,
            repetitions=span.repetitions,
            instructions=[one.instructions for one in differences],
            mispredictions=[one.mispredictions for one in differences],
        )

    def sample(self) -> RunnerSample:
        """What the runner says of a repetition, without valgrind. Raises CannotCountError."""
        self.run(measure_words(self.start, self.cell, 1, counted=False, has_keys=self.keys is not None))
        try:
            return SAMPLE.decode(read_bytes(self.folder / SAMPLES, SAMPLE_BYTES))
        except (LabError, msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise CannotCountError(f"the runner wrote no sample: {error}") from None

    def differences(self, valgrind: Valgrind) -> tuple[Span, list[Difference]]:
        """The repetitions, and what each counting found. Raises CannotCountError."""

        counted: dict[int, Totals] = {}

        def totals(repetitions: int) -> Totals:
            counted[repetitions] = self.totals(valgrind, repetitions)
            return counted[repetitions]

        span = choose_span(totals)
        # A large message's shorter process has been counted already, and most of its time goes into its start.
        first = difference(counted.get(span.base) or totals(span.base), totals(span.top))
        while first.instructions < BETWEEN and span.repetitions < MOST_REPETITIONS:  # the second repetition cost more
            span = span_of(min(first.instructions // span.repetitions, BETWEEN // (2 * span.repetitions)))
            first = difference(totals(span.base), totals(span.top))
        found = [first]
        while len(found) < (TWICE if len(set(found)) == 1 else COUNTINGS):
            found.append(difference(totals(span.base), totals(span.top)))
        return span, found

    def totals(self, valgrind: Valgrind, repetitions: int) -> Totals:
        """The counts of a process of so many repetitions. Raises CannotCountError."""
        words = measure_words(self.start, self.cell, repetitions, counted=True, has_keys=self.keys is not None)
        empty_files(self.folder)
        if self.cell.operation in (Operation.READ, Operation.FILTER) and self.cell.conditions.io != "memory":
            # The file that is read is written by a process that is not counted.
            self.run(words_without_warmup(words))
        (self.folder / OUT).unlink(missing_ok=True)
        self.run(valgrind.command(words))
        return read_totals(self.folder / OUT)

    def run(self, words: list[str]) -> None:
        """Runs a command in the working folder. Raises CannotCountError unless it ends well."""
        ended = self.supervisor.run(
            Command(
                words,
                environment_of(self.runner, self.tunables),
                LIMIT_S,
                folder=self.folder,
                file_bytes=FILE_BYTES,
            )
        )
        if problem := unknown_instruction(ended.code) or problem_of(ended, LIMIT_S, OUTPUT_BYTES):
            raise CannotCountError(problem)


def unknown_instruction(code: int | None) -> str | None:
    """What to do where a program ended by SIGILL; None where it ended otherwise."""
    if code != -signal.SIGILL:
        return None
    return (
        "valgrind, or this processor, does not know an instruction of this build, such as one of AVX-512 in "
        "build=native. Count build=x86-64-v3 in its place: `./lab build --cpu x86-64-v3` compiles it"
    )


def words_without_warmup(words: list[str]) -> list[str]:
    """The same command, which then only writes the files that its loops would read."""
    index = words.index("--warmup") + 1
    return [*words[:index], "0", *words[index + 1 :]]
