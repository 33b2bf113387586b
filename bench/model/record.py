"""What a run records: run.json, and the lines of its files."""

from enum import StrEnum
from typing import Annotated, Any

from msgspec import Meta, Struct

from bench.base import limits
from bench.base.protocol import RECORD
from bench.model.fields import (
    CellText,
    CodecName,
    Count,
    Crc32,
    Load,
    Moment,
    Nanoseconds,
    Place,
    PlatformName,
    Positive,
    Round,
    RunId,
    ScenarioName,
    Seconds,
    Sha256,
    Text,
    Version,
    name_of,
)
from bench.model.plan import Plan, ProcessKind
from bench.model.scenario import Scenario


class CanaryReference(Struct, frozen=True, forbid_unknown_fields=True):
    """What a calibration measured of one canary: the reference that loops are judged by."""

    percentile_2_ns: Annotated[int, Meta(ge=1, le=limits.NANOSECONDS)]
    median_ns: Nanoseconds
    calm_share: Annotated[float, Meta(ge=0, le=1)]
    """Share of the calibration's canaries within 10 % of the 2nd percentile."""
    canaries: Count


class EndingRule(StrEnum):
    """Why no further round of a scenario was measured."""

    PRECISE = "precise"
    """Every cell's interval is as narrow as asked for."""
    BUDGET = "budget"
    ROUNDS = "rounds"
    """The most rounds of the plan were measured."""


class Ending(Struct, frozen=True, forbid_unknown_fields=True):
    """How the measuring of a scenario ended."""

    rule: EndingRule
    rounds: Count
    layouts: Count
    seconds: Seconds
    precise_share: Annotated[float, Meta(ge=0, le=1)]
    """Share of the cells whose interval is as narrow as asked for."""
    calm_share: Annotated[float, Meta(ge=0, le=1)]


class Run(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """run.json: where, when and from what a run is made, and what it measures, as far as that is settled.

    Tables, claims and exports are made from the scenarios that are planned; `--resume` goes on with the pending ones.
    """

    protocol: Version
    id: RunId
    created: Moment
    platform: PlatformName
    command: Annotated[list[Text], Meta(max_length=limits.ITEMS)]
    environment: dict[str, Any]
    provenance: dict[str, Any]
    scenarios: Annotated[list[Scenario], Meta(max_length=limits.ITEMS)]
    record: Annotated[int, Meta(ge=RECORD, le=RECORD)] = RECORD
    """Version of this file and those beside it; absent in the first."""
    calibration: dict[Text, CanaryReference] = {}
    """Canary's kernel → its reference on this machine; empty in `quick` and in runs before record version 3."""
    plan: Plan
    pending: Annotated[list[ScenarioName], Meta(max_length=limits.ITEMS)] = []
    """The scenarios of which no cell is planned yet, in the order in which they are to be measured."""
    finished: Moment | None = None
    load_after: Load | None = None
    layouts: dict[Text, Annotated[list[Sha256], Meta(max_length=limits.LAYOUTS)]] = {}
    """Runner, with its variant → SHA-256 of its links: of layout 1, 2, …"""
    endings: dict[ScenarioName, Ending] = {}


class RunnerSample(Struct, frozen=True, forbid_unknown_fields=True):
    """One line of a runner's `measure --out`: one timed loop."""

    wall_ns: Nanoseconds
    cpu_ns: Nanoseconds
    repetitions: Annotated[int, Meta(ge=0, le=limits.REPETITIONS)]
    encoded_bytes: Count
    checksum: Crc32
    allocations: Count | None = None
    """Allocations of one repetition in steady state; None if the language cannot count them."""
    allocated_bytes: Count | None = None
    rows: Count | None = None
    """Rows written, read, or scanned by a filter, in this loop; None if it does not use files."""
    rows_matched: Count | None = None
    file_bytes: Count | None = None
    cached_bytes: Count | None = None
    """Bytes of the file to read that were in the system's cache when the loop began; None if unknown."""
    read_calls: Count | None = None
    """Read calls that the system counted in this loop; None if it does not count them."""
    write_calls: Count | None = None
    canary_before_ns: Nanoseconds | None = None
    """Time of the canary directly before the loop; None of a runner without one."""
    canary_after_ns: Nanoseconds | None = None
    copy_before_ns: Nanoseconds | None = None
    """Time of the canary that copies memory; None where a scenario's data fits into the second-level cache."""
    copy_after_ns: Nanoseconds | None = None
    involuntary_switches: Count | None = None
    """How often the system took the processor from this thread during the loop; None where it does not tell."""


class Transfer(Struct, frozen=True, forbid_unknown_fields=True):
    """network.jsonl: one message over a shaped TCP connection, from the first byte sent to the receiver's answer."""

    codec: CodecName
    scenario: ScenarioName
    compression: Annotated[str, name_of("[a-z0-9-]+")] | None
    rate_mbit_s: Positive
    index: Count
    message_bytes: Count
    transfer_ns: Annotated[int, Meta(ge=1, le=limits.NANOSECONDS)]


class Sample(RunnerSample, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """samples.jsonl: what a runner reported of one timed loop of N repetitions, and its position in the run."""

    cell: CellText
    round: Round
    place: Place
    index: Round
    """Index of the loop within its process."""
    twin: bool = False
    layout: Count = 0
    """The link of the runner: 0 is the one that its build tool made."""
    offset_bytes: Count = 0
    """By how much the process moved its heap."""


class Process(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """processes.jsonl: what hyperfine measured of one process, or the error."""

    cell: CellText
    round: Round
    place: Place
    kind: ProcessKind
    twin: bool = False
    wall_s: Seconds | None = None
    user_s: Seconds | None = None
    system_s: Seconds | None = None
    peak_memory_bytes: Count | None = None
    loop_ns: Nanoseconds | None = None
    """Wall time inside the timed loops of this process."""
    error: Text | None = None
    known_failure: bool = False
    no_room: bool = False
    """Whether the error is a full disk; `--resume` measures such a process again."""
    layout: Count = 0
    cpu: Count | None = None
    """The processor that the process was pinned to; None where the system does not allow it."""
    stolen_ms: Count | None = None
    """Time that the hypervisor took from that processor meanwhile, as far as it tells."""
    frequency_khz: Count | None = None
    """That processor's frequency at the end, where it can be read."""
