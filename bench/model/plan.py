"""What a run measures: its design, known from the start, and the cells of one scenario after the other.

Design  which scenarios, how many rounds, which seed: what `lab bench` was asked for
Draft   the cells of a scenario that were chosen
Proof   what verification says of each drafted cell: what it must produce, or why it is not measured
Stage   the same cells, each either Timed with all that measuring it takes, or Blocked with the reason
Plan    the design, with the stages that are settled so far
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, ClassVar

from msgspec import Meta, Struct
from msgspec.structs import replace

from bench.base import limits
from bench.model.cells import Cell, ControlRole
from bench.model.fields import (
    CodecName,
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
    UNTIMED = "untimed"
    """Sizes, proofs and all that is counted or asked beside a run: for machines whose times nobody should read."""
    STANDARD = "standard"
    PUBLISHED = "published"

    @property
    def is_timed(self) -> bool:
        """Whether the times of its runs mean anything."""
        return self in (Profile.STANDARD, Profile.PUBLISHED)


class Scope(StrEnum):
    """Which cells there are to choose from."""

    PUBLISHED = "published"
    """The publications' own rows under their conditions, with the controls of their languages."""
    ALL = "all"


class Unencoded(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="unencoded"):
    """A control: it encodes nothing, and its product is not checked."""


class Encoded(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="encoded"):
    """What a repetition of a codec's operation must produce."""

    encoded_bytes: Count
    """Bytes of the encoded messages or file; of the compressed ones if the cell compresses."""
    checksum: Crc32
    """Checksum of what the operation produces: encoded bytes, the decoded value, or the filtered rows."""


class EncodedRows(Encoded, frozen=True, forbid_unknown_fields=True, tag="encoded-rows"):
    """What a repetition over a file of rows must produce."""

    rows: Count
    """Rows that a repetition writes, reads, or scans."""


class FilteredRows(EncodedRows, frozen=True, forbid_unknown_fields=True, tag="filtered-rows"):
    """What a filter over a file of rows must produce."""

    rows_matched: Count


Proved = Unencoded | Encoded | EncodedRows | FilteredRows
"""What every sample of a cell is checked against."""


class Unproved(Struct, frozen=True):
    """Why a cell is not measured."""

    reason: str
    known: bool
    """Whether the scenario expects this failure."""


class DraftedCell(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A chosen cell, with its runner's description."""

    cell: Cell
    format: FormatName
    library: LibraryName | None
    version: LibraryVersion | None
    control: bool
    self_describing: bool
    sha256: Sha256 | None
    """Hash of the runner's binary."""
    variant: VariantName = ""
    """The runner's build, if a codec has several."""
    role: ControlRole | None = None
    """A control's role, if its runner reports it; runs before 2026-11-22 lack it."""
    canary: Text | None = None
    """The kernel of its runner's canary; runs before record version 3 lack it."""
    identical: CodecName | None = None
    """The codec whose code for this operation is the same, call by call, if its runner names one."""

    def as_blocked(self, reason: str, *, known: bool = False) -> "Blocked":
        """This cell as blocked, with the reason."""
        return Blocked(**_fields(self), blocked=reason, known_failure=known)

    def as_timed(self, proved: Proved, repetitions: int, estimate_ns: float, *, loops: int = 1) -> "Timed":
        """This cell as one to be measured."""
        return Timed(**_fields(self), proved=proved, repetitions=repetitions, estimate_ns=estimate_ns, loops=loops)


def _fields(drafted: DraftedCell) -> dict[str, Any]:
    return {name: getattr(drafted, name) for name in DraftedCell.__struct_fields__}


class Blocked(DraftedCell, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="state", tag="blocked"):
    """A planned cell that gets an error row and no number."""

    blocked: Text
    """The reason: a failed check of verification, or what went wrong in the pilot."""
    known_failure: bool
    """Whether the scenario expects this failure."""
    repetitions: ClassVar[None] = None
    encoded_bytes: ClassVar[None] = None


class Timed(DraftedCell, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="state", tag="timed"):
    """A planned cell that is measured."""

    proved: Proved
    repetitions: Repetitions
    """Repetitions of one timed loop."""
    estimate_ns: Annotated[float, Meta(ge=0, le=limits.NANOSECONDS)]
    """The pilot's time of one repetition, for time limits and the remaining time; 0 in `quick`, which has no pilot."""
    loops: Annotated[int, Meta(ge=1, le=limits.LOOPS)] = 1
    """Timed loops of a process, with a canary before, between and after them."""
    blocked: ClassVar[None] = None

    @property
    def encoded_bytes(self) -> int | None:
        """The proved size; None for controls, which have none."""
        return self.proved.encoded_bytes if isinstance(self.proved, Encoded) else None


PlannedCell = Timed | Blocked
"""`blocked is None` tells them apart, for type checkers too."""


class Design(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How a run measures; the order of its processes follows from seed, scenario and round alone.

    All of it is fixed before the first scenario is prepared, so that an interrupted run goes on as it would have.
    """

    profile: Profile
    seed: Count
    rounds: dict[ScenarioName, Rounds]
    """Scenario → the most rounds that are measured; fewer where the figures are precise or the budget is spent."""
    base_rounds: Round
    """How many of the first rounds also measure the process at 0 repetitions."""
    warmup: Count
    filters: list[Text]
    excludes: list[Text]
    shard: Text | None
    limit_s: Seconds | None
    """Time limit of one process, if the user set one; else it follows from the estimate."""
    layouts: Annotated[int, Meta(ge=0, le=limits.LAYOUTS)] = 0
    """How many links of each runner are drawn from at first; 0: only the one that its build tool made."""
    most_layouts: Annotated[int, Meta(ge=0, le=limits.LAYOUTS)] = 0
    """How many there may be at last, where layouts dominate the intervals."""
    budget_s: dict[ScenarioName, Seconds] = {}
    """Scenario → seconds after which no further block of rounds begins, counted as the wall time of its processes, so
    that the record alone tells where it ended; absent: all rounds are measured."""
    least_rounds: dict[ScenarioName, Rounds] = {}
    """Scenario → rounds that are measured in any case; in `published` they hold what was published in all."""
    order: Annotated[list[ScenarioName], Meta(max_length=limits.ITEMS)] = []
    """The scenarios in the order in which they are measured; those that are absent follow by name, as all did before
    record version 4."""
    scope: Scope = Scope.ALL
    cold: bool = False
    """Whether reading files that are not in the system's cache is measured too."""
    sweeps: bool = False
    """Whether the points of sweeps are measured too."""
    total_budget_s: Seconds | None = None
    """What the user gave for measuring all scenarios; `budget_s` holds the share of each."""


class Draft(Struct, frozen=True):
    """The chosen cells of a scenario, before anything of them is proved or tried."""

    scenario: str
    cells: list[DraftedCell]
    twins: list[Cell]
    """Cells measured once more under a second name in every round: the A/A noise floor."""


class Proof(Struct, frozen=True):
    """The result of verification for each cell of a draft."""

    results: Mapping[Cell, Proved | Unproved]


class Stage(Struct, frozen=True):
    """The settled cells of a scenario: final, before its first sample."""

    scenario: str
    cells: list[PlannedCell]
    twins: list[Cell]

    @classmethod
    def of(cls, draft: Draft, cells: list[PlannedCell]) -> "Stage":
        """The stage of a draft whose cells are settled; twins of blocked cells are dropped."""
        timed = {planned.cell for planned in cells if planned.blocked is None}
        return cls(draft.scenario, cells, [twin for twin in draft.twins if twin in timed])


class Plan(Design, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a run measures: its design, and the cells of the scenarios that were prepared so far."""

    cells: Annotated[list[PlannedCell], Meta(max_length=limits.CELLS)] = []
    twins: Annotated[list[Cell], Meta(max_length=limits.CELLS)] = []
    """Cells measured once more under a second name in every round: the A/A noise floor."""

    @classmethod
    def of(cls, design: Design) -> "Plan":
        """The plan before its first stage."""
        return cls(**{name: getattr(design, name) for name in Design.__struct_fields__})

    def with_stage(self, stage: Stage) -> "Plan":
        """The plan with the cells of one more scenario."""
        return replace(self, cells=[*self.cells, *stage.cells], twins=[*self.twins, *stage.twins])

    def of_scenario(self, scenario: str) -> list[PlannedCell]:
        """The cells of a scenario."""
        return [planned for planned in self.cells if planned.cell.scenario == scenario]

    @property
    def timed(self) -> dict[Cell, Timed]:
        """The cells that are measured."""
        return {planned.cell: planned for planned in self.cells if planned.blocked is None}


class ProcessKind(StrEnum):
    """Which of the two processes of the two-clock check it is."""

    LOOP = "loop"
    BASE = "base"


class Slot(Struct, frozen=True, order=True):
    """One process of the plan, and its place in the order."""

    scenario: str
    round: Count
    place: Count
    cell: Cell
    twin: bool
    kind: ProcessKind
    layout: Count = 0
    """The link of its runner: 0 is the one that the build tool made."""
    offset_bytes: Count = 0
    """By how much its heap is moved."""
