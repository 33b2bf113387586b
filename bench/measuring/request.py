"""What one process is asked to do, and whether the samples that it wrote are the answer."""

from pathlib import Path

import msgspec
from msgspec import Struct

from bench.base.errors import LabError
from bench.base.files import read_bytes, split_validation_error
from bench.base.supervision import OUTPUT_BYTES
from bench.building.runner import Runner
from bench.model.cells import Cell, Operation
from bench.model.plan import Encoded, EncodedRows, FilteredRows, Proved
from bench.model.record import RunnerSample
from bench.model.scenario import Scenario

SAMPLE_BYTES = 16 * 1024
"""A sample is a line of some 300 bytes."""
MOST_COPIED_BYTES = 64 * 2**20
"""Copying this takes some 10 ms."""
FILES, SAMPLES = "files", "samples.jsonl"
"""In the folder where a process runs: paths of the checkout or the run never reach its command line."""
RUNNER_SAMPLE = msgspec.json.Decoder(RunnerSample)


class MeasureError(Exception):
    """Why a process gives no sample; the message becomes the cell's error row."""

    def __init__(self, message: str, *, no_room: bool = False) -> None:
        super().__init__(message)
        self.no_room = no_room
        """Whether a full disk is the reason, so that it is worth another try."""


class Request(Struct, frozen=True, kw_only=True):
    """What one process has to do."""

    cell: Cell
    proved: Proved
    """What its samples must show."""
    input_file: Path
    repetitions: int
    warmup: int
    samples: int
    limit_s: float
    keys: Path | None
    file_bytes: int
    """The largest file that it may write."""
    offset_bytes: int = 0
    """By how much it moves its heap."""
    copy_bytes: int = 0
    """How much the copies between its loops copy; 0: there are none."""

    @property
    def reads_a_file(self) -> bool:
        """Whether there must be a file before, which is written by a process of its own."""
        return self.cell.operation in (Operation.READ, Operation.FILTER) and self.cell.conditions.io != "memory"

    def command(self, runner: Runner, samples: int | None = None) -> list[str]:
        """The command line for it, with another number of samples where one is given."""
        return runner.measure_command(
            self.cell,
            input_file=self.input_file,
            work=Path(FILES),
            repetitions=self.repetitions,
            warmup=self.warmup,
            samples=self.samples if samples is None else samples,
            out=Path(SAMPLES),
            keys=self.keys,
            supervised=True,
            offset_bytes=self.offset_bytes,
            copy_bytes=self.copy_bytes,
        )


def file_bytes(cell: Cell, proved: Proved, scenario: Scenario, repetitions: int) -> int:
    """The largest file that a process of a cell may write.

    For each repetition twice the proved size (for controls, that of the value), and what any runner may write besides.
    """
    if not cell.operation.is_file:
        return 0
    size = proved.encoded_bytes if isinstance(proved, Encoded) else scenario.data_size_bytes
    return 2 * size * max(1, repetitions) + OUTPUT_BYTES


def copy_bytes(cell: Cell, scenario: Scenario, second_level_bytes: int) -> int:
    """How much the canary that copies memory copies: the value, where that is larger than the second-level cache.

    At most MOST_COPIED_BYTES: beyond the third-level cache more bytes show no more of it. Files have none.
    """
    if cell.operation.is_file or scenario.data_size_bytes <= second_level_bytes:
        return 0
    return min(scenario.data_size_bytes, MOST_COPIED_BYTES)


def read_samples(path: Path, expected: int) -> list[RunnerSample]:
    """The lines that a runner wrote. Raises MeasureError where a line is no sample, or where there is too much."""
    if not path.is_file() or path.is_symlink():
        raise MeasureError("the runner ended well but wrote no samples")
    try:
        content = read_bytes(path, SAMPLE_BYTES * (expected + 1))
    except LabError:
        raise MeasureError(
            f"the runner wrote more than {SAMPLE_BYTES} bytes a sample; {expected} samples were asked for"
        ) from None
    samples = []
    for number, line in enumerate(content.splitlines(), start=1):
        try:
            samples.append(RUNNER_SAMPLE.decode(line))
        except msgspec.ValidationError as error:
            problem, keys = split_validation_error(error)
            raise MeasureError(f"line {number} of its samples: {'.'.join(keys)}: {problem}") from None
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise MeasureError(f"line {number} of its samples is no JSON: {line[:80]!r}") from None
    return samples


def check_samples(samples: list[RunnerSample], request: Request) -> None:
    """Raises MeasureError unless there are as many samples as asked for and each shows what was proved of the cell."""
    if len(samples) != request.samples:
        raise MeasureError(f"{len(samples)} samples written, {request.samples} asked for")
    for field, expected in expectations(request.proved, request.repetitions).items():
        for sample in samples:
            if (measured := getattr(sample, field)) != expected:
                raise MeasureError(
                    f"{field.replace('_', ' ')}: {measured} measured, {expected} verified; "
                    "the measured code does something else"
                )


def expectations(proved: Proved, repetitions: int) -> dict[str, object]:
    """Fields of a sample, each with the value that it must have."""
    fields = dict[str, object](repetitions=repetitions)
    if isinstance(proved, Encoded):
        fields |= {"encoded_bytes": proved.encoded_bytes, "checksum": proved.checksum}
    if isinstance(proved, EncodedRows):
        fields["rows"] = proved.rows * repetitions
    if isinstance(proved, FilteredRows):
        fields["rows_matched"] = proved.rows_matched * repetitions
    return fields
