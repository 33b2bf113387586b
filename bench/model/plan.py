"""The plan of a run: its cells, rounds and order."""

from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct

from bench.base import limits
from bench.model.cells import Cell
from bench.model.description import ControlRole
from bench.model.fields import (
    Count,
    Crc32,
    FormatName,
    LibraryName,
    LibraryVersion,
    Repetitions,
    Round,
    Rounds,
    ScenarioName,
    Seconds,
    Sha256,
    Text,
    VariantName,
)


class Profile(StrEnum):
    """How much is measured."""

    QUICK = "quick"
    STANDARD = "standard"
    PUBLISHED = "published"


class PlannedCell(Struct, frozen=True, forbid_unknown_fields=True):
    """A cell of a run, with all that is needed to measure and to check it."""

    cell: Cell
    format: FormatName
    library: LibraryName | None
    version: LibraryVersion | None
    control: bool
    self_describing: bool
    sha256: Sha256 | None
    """Of the runner's binary."""
    repetitions: Repetitions | None = None
    estimate_ns: Annotated[float, Meta(ge=0, le=limits.NANOSECONDS)] | None = None
    """Of one repetition, from the pilot; for the time limit and the remaining time only."""
    encoded_bytes: Count | None = None
    checksum: Crc32 | None = None
    """Of what the operation must produce; None for controls."""
    blocked: Text | None = None
    """Why this cell gets an error row and no number."""
    known_failure: bool = False
    """Whether the scenario expects that."""
    rows: Count | None = None
    """Of one repetition, where rows are kept in files."""
    rows_matched: Count | None = None
    """Of one repetition, where they are filtered."""
    variant: VariantName = ""
    """Of the runner, where a codec is built in several ways."""
    role: ControlRole | None = None
    """Of a control, where its runner says it; runs before 2026-11-22 do not hold it."""


class Plan(Struct, frozen=True, forbid_unknown_fields=True):
    """What a run measures, and in which order; the order follows from seed, scenario and round alone."""

    profile: Profile
    seed: Count
    rounds: dict[ScenarioName, Rounds]
    """Scenario → number of rounds."""
    base_rounds: Round
    """The first rounds that also measure the process at 0 repetitions."""
    samples: Annotated[int, Meta(ge=1, le=limits.SAMPLES)]
    warmup: Count
    filters: list[Text]
    excludes: list[Text]
    shard: Text | None
    limit_s: Seconds | None
    """Of one process, where the user set one; else it follows from the estimate."""
    cells: Annotated[list[PlannedCell], Meta(max_length=limits.CELLS)]
    twins: Annotated[list[Cell], Meta(max_length=limits.CELLS)]
    """Cells measured once more under a second name in every round: the A/A noise floor."""


class ProcessKind(StrEnum):
    """Which of the two clocks' processes it was."""

    LOOP = "loop"
    BASE = "base"


class Slot(Struct, frozen=True, order=True):
    """A place in the plan: one process."""

    scenario: str
    round: Count
    place: Count
    cell: Cell
    twin: bool
    kind: ProcessKind
