"""What crosses a boundary, as plain frozen values; schemas/*.schema.json are generated from here.

Units stand in the names: `_ns` nanoseconds, `_s` seconds, `_bytes` bytes. Files are decoded once, at the edge
(`bench.files`), with an error that names file, line and field.
"""

from enum import StrEnum
from typing import Annotated, Any

from msgspec import Meta, Struct, field

PROTOCOL = 1
"""Version of the runner protocol and of every file below; another version is refused, never guessed at."""

Sha256 = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
Crc32 = Annotated[str, Meta(pattern="^crc32:[0-9a-f]{8}$")]
Count = Annotated[int, Meta(ge=0)]
Positive = Annotated[int, Meta(ge=1)]
Version = Annotated[int, Meta(ge=PROTOCOL, le=PROTOCOL)]


class Operation(StrEnum):
    """What a timed loop repeats."""

    SERIALIZE = "serialize"
    DESERIALIZE = "deserialize"
    ROUND_TRIP = "round-trip"
    WRITE = "write"
    READ = "read"
    FILTER = "filter"

    @property
    def is_file(self) -> bool:
        """Whether it works on a file of rows."""
        return self in (Operation.WRITE, Operation.READ, Operation.FILTER)


class Conditions(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, order=True):
    """What makes two cells comparable; a condition that does not apply to an operation is absent."""

    api: Annotated[str, Meta(pattern="^(serde|derive|generated|manual|dynamic)$")] | None = None
    buffer: Annotated[str, Meta(pattern="^(reused|fresh)$")] | None = None
    input: Annotated[str, Meta(pattern="^(models|dicts|native|array|list)$")] | None = None
    objects: Annotated[str, Meta(pattern="^(reused|fresh)$")] | None = None
    output: Annotated[str, Meta(pattern="^(owned|borrowed|view|existing|models|dicts|native|array|list)$")] | None = (
        None
    )
    drop: Annotated[str, Meta(pattern="^(inside|outside)$")] | None = None
    validation: Annotated[str, Meta(pattern="^(on|off)$")] | None = None
    gc: Annotated[str, Meta(pattern="^(on|off)$")] | None = None
    io: Annotated[str, Meta(pattern="^(as-published|buffered|memory)$")] | None = None
    cache: Annotated[str, Meta(pattern="^(warm|cold)$")] | None = None
    """Whether the system's cache may hold the file that is read; cold cells are measured only where they are wanted."""
    build: Annotated[str, Meta(pattern="^(release|lto|native)$")] | None = None

    def items(self) -> list[tuple[str, str]]:
        """The conditions that apply, as (name, value), in the order of their declaration."""
        return [(name, value) for name in self.__struct_fields__ if (value := getattr(self, name)) is not None]

    def __str__(self) -> str:
        return " ".join(f"{name}={value}" for name, value in self.items())


class Cell(Struct, frozen=True, order=True):
    """Codec × scenario × operation × conditions: the unit that is measured and compared."""

    codec: str
    scenario: str
    operation: Operation
    conditions: Conditions

    @property
    def name(self) -> str:
        """Codec, scenario and operation: what `--filter` matches first."""
        return f"{self.codec} {self.scenario} {self.operation}"

    def __str__(self) -> str:
        return f"{self.name} {self.conditions}"


class OfferedCell(Struct, frozen=True, forbid_unknown_fields=True):
    """A cell as its runner declares it."""

    scenario: str
    operation: Operation
    conditions: Conditions


class Description(Struct, frozen=True, forbid_unknown_fields=True):
    """The answer to `describe`."""

    protocol: Version
    codec: Annotated[str, Meta(pattern="^[a-z]+/[a-z0-9.-]+$")]
    format: str
    library: str | None
    version: str | None
    language: str
    compiler: str
    flags: str
    control: bool
    self_describing: bool
    cells: list[OfferedCell]
    batch: bool = False
    """Whether `decode --batch` takes many messages in one process."""
    probes: list[str] = []
    """What `fidelity --probe` can be asked about."""


class RunnerEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """One runner in the manifest of a build: what was built from what, or why it could not be."""

    codec: str
    command: list[str]
    library: str | None
    version: str | None
    """The version that the lock file pins; a runner that says another is refused."""
    sha256: Sha256 | None
    unavailable: str | None = None
    program: str | None = None
    """The file that sha256 is of, where it is not the first word of the command."""
    environment: dict[str, str] = {}
    """Variables that the runner must see; an empty one counts as not set."""
    identity: dict[str, str] = {}
    """Where it was built elsewhere, what tells its build from others: a store path, a hash of all its files."""


class Manifest(Struct, frozen=True, forbid_unknown_fields=True):
    """All runners of a build."""

    protocol: Version
    toolchain: Annotated[str, Meta(pattern="^(host|nix|image)$")]
    fingerprint: str
    """SHA-256 over sources, lock files, toolchain and flags: a build is repeated when it changes."""
    runners: list[RunnerEntry]


class PublishedTable(Struct, frozen=True, forbid_unknown_fields=True):
    """The publication that a scenario reproduces."""

    repetitions: Positive
    rounds: Positive
    conditions: Conditions
    """The conditions of the publication; a cell with others stands beside it, never in its place."""
    split: Positive = 1
    """Into how many processes the profile `published` divides a loop: so many times the rounds, of so many times fewer
    repetitions. On a shared machine the median of many short loops repeats where that of few long ones does not."""
    rows: dict[str, str] = {}
    """Codec → name of its row in the published table."""
    table: str | None = None
    """FILE#TABLE below analysis/published."""
    times_of: Positive | None = None
    """How many repetitions a published time is of, where it is not the whole loop: a mean over calls is of 1."""

    @property
    def timed_repetitions(self) -> int:
        """How many repetitions a published time is of."""
        return self.times_of or self.repetitions


class Filter(Struct, frozen=True, forbid_unknown_fields=True):
    """Which rows `filter` takes: those where every condition holds. Fields are paths such as `payload.name`."""

    rows: Count
    """How many of the canonical rows it takes; counted anew by the driver before anything is measured."""
    equal: dict[str, Any] = {}
    contains: dict[str, str] = {}


class Keys(Struct, frozen=True, forbid_unknown_fields=True):
    """An RSA key pair, made by the lab on this machine, that an encrypted scenario is written and read with."""

    bits: Annotated[int, Meta(ge=1024)]


class Generator(Struct, frozen=True, forbid_unknown_fields=True):
    """Rules from which the canonical rows are drawn; see `bench.inputs`."""

    seed: Count
    rows: Positive
    fields: dict[str, Any]


class Input(Struct, frozen=True, forbid_unknown_fields=True):
    """The canonical input: either one value, or a generator of rows."""

    sha256: Sha256
    value: Any = None
    generator: Generator | None = None


class Scenario(Struct, frozen=True, forbid_unknown_fields=True):
    """A workload as schemas/scenarios/*.toml describes it."""

    protocol: Version
    name: Annotated[str, Meta(pattern="^[a-z0-9-]+$")]
    title: str
    source: str
    type: str
    operations: Annotated[list[Operation], Meta(min_length=1)]
    data_size_bytes: Positive
    """Bytes of the value itself by the publication's definition; what the `memcpy` control copies."""
    input: Input
    published: PublishedTable
    sizes_bytes: dict[str, Positive] = {}
    """Codec → encoded size that the publication printed, to the byte."""
    known_failures: dict[str, str] = {}
    """Codec → why its library fails verification here: it gets its error row, but a run counts as well all the same."""
    variant_of: str | None = None
    filter: Filter | None = None
    keys: Keys | None = None

    @property
    def is_files(self) -> bool:
        """Whether rows are kept in files; else each is a message of its own."""
        return any(operation.is_file for operation in self.operations)

    @property
    def is_rows(self) -> bool:
        """Whether a repetition is a pass over many rows."""
        return self.input.generator is not None


class Profile(StrEnum):
    """How much is measured."""

    QUICK = "quick"
    STANDARD = "standard"
    PUBLISHED = "published"


class PlannedCell(Struct, frozen=True, forbid_unknown_fields=True):
    """A cell of a run, with all that is needed to measure and to check it."""

    cell: Cell
    format: str
    library: str | None
    version: str | None
    control: bool
    self_describing: bool
    sha256: Sha256 | None
    """Of the runner's binary."""
    repetitions: Positive | None = None
    estimate_ns: float | None = None
    """Of one repetition, from the pilot; for the time limit and the remaining time only."""
    encoded_bytes: Count | None = None
    checksum: Crc32 | None = None
    """Of what the operation must produce; None for controls."""
    blocked: str | None = None
    """Why this cell gets an error row and no number."""
    known_failure: bool = False
    """Whether the scenario expects that."""
    rows: Count | None = None
    """Of one repetition, where rows are kept in files."""
    rows_matched: Count | None = None
    """Of one repetition, where they are filtered."""


class Plan(Struct, frozen=True, forbid_unknown_fields=True):
    """What a run measures, and in which order; the order follows from seed, scenario and round alone."""

    profile: Profile
    seed: Count
    rounds: dict[str, Positive]
    """Scenario → number of rounds."""
    base_rounds: Positive
    """The first rounds that also measure the process at 0 repetitions."""
    samples: Positive
    warmup: Count
    filters: list[str]
    excludes: list[str]
    shard: str | None
    limit_s: float | None
    """Of one process, where the user set one; else it follows from the estimate."""
    cells: list[PlannedCell]
    twins: list[Cell]
    """Cells measured once more under a second name in every round: the A/A noise floor."""


class Run(Struct, frozen=True, forbid_unknown_fields=True):
    """run.json: environment, provenance and plan."""

    protocol: Version
    id: str
    created: str
    platform: str
    command: list[str]
    environment: dict[str, Any]
    provenance: dict[str, Any]
    plan: Plan
    scenarios: list[Scenario]
    ready: bool = False
    """Whether verification and pilot are done and the plan is final."""
    finished: str | None = None
    load_after: list[float] | None = None


class RunnerSample(Struct, frozen=True, forbid_unknown_fields=True):
    """One line of a runner's `measure --out`: one timed loop."""

    wall_ns: Count
    cpu_ns: Count
    repetitions: Count
    encoded_bytes: Count
    checksum: Crc32
    allocations: Count | None = None
    """Of one repetition in steady state; None where the language cannot count."""
    allocated_bytes: Count | None = None
    rows: Count | None = None
    """Rows written, read, or scanned by a filter, in this loop; None where it has nothing to do with files."""
    rows_matched: Count | None = None
    file_bytes: Count | None = None
    cached_bytes: Count | None = None
    """Of the file that is read, in the system's cache when the loop began; None where the system does not tell."""
    read_calls: Count | None = None
    """Read calls that the system counted in this loop; None where it counts none."""
    write_calls: Count | None = None


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


class Sample(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """samples.jsonl: what one timed loop of N repetitions took, and its place in the run."""

    cell: str
    round: Count
    place: Count
    index: Count
    wall_ns: Count
    cpu_ns: Count
    repetitions: Count
    encoded_bytes: Count
    checksum: Crc32
    twin: bool = False
    allocations: Count | None = None
    allocated_bytes: Count | None = None
    rows: Count | None = None
    """Rows written, read, or scanned by a filter, in this loop; None where it has nothing to do with files."""
    rows_matched: Count | None = None
    file_bytes: Count | None = None
    cached_bytes: Count | None = None
    """Of the file that is read, in the system's cache when the loop began; None where the system does not tell."""
    read_calls: Count | None = None
    """Read calls that the system counted in this loop; None where it counts none."""
    write_calls: Count | None = None


class Process(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """processes.jsonl: what hyperfine saw of one process, or why there is nothing to see."""

    cell: str
    round: Count
    place: Count
    kind: ProcessKind
    twin: bool = False
    wall_s: float | None = None
    user_s: float | None = None
    system_s: float | None = None
    peak_memory_bytes: Count | None = None
    loop_ns: Count | None = None
    """Wall time inside the timed loops of this process."""
    error: str | None = None
    known_failure: bool = False


class Check(Struct, frozen=True, forbid_unknown_fields=True):
    """One failed check of `lab verify`, with both sides."""

    check: Annotated[str, Meta(pattern="^(describe|version|encode|decode|value|filter|size|interop)$")]
    codec: str
    message: str
    scenario: str | None = None
    peer: str | None = None
    known: str | None = None
    """What the scenario says of this failure, where it expects it."""


class Verified(Struct, frozen=True, forbid_unknown_fields=True):
    """What a codec produced of a scenario's canonical input, after it was checked."""

    codec: str
    scenario: str
    encoded_bytes: Count
    encoded_checksum: Crc32
    decoded_checksum: Crc32
    filtered_checksum: Crc32 | None = None
    """Of the rows that the scenario's filter took."""
    peers: list[str] = []
    """Codecs of the same format that read these bytes as the same value."""


class Verification(Struct, frozen=True, forbid_unknown_fields=True):
    """verify.json."""

    protocol: Version
    verified: list[Verified] = field(default_factory=list)
    failures: list[Check] = field(default_factory=list)
