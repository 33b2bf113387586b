"""What crosses a boundary, as plain frozen values; schemas/*.schema.json are generated from here.

Units stand in the names: `_ns` nanoseconds, `_s` seconds, `_bytes` bytes. Files are decoded once, at the edge
(`bench.files`), with an error that names file, line and field.
"""

import re
from enum import StrEnum
from typing import Annotated, Any

from msgspec import Meta, Struct, field

from bench import limits

PROTOCOL = 1
"""Version of the runner protocol and of every file below; another version is refused, never guessed at."""

Sha256 = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
Crc32 = Annotated[str, Meta(pattern="^crc32:[0-9a-f]{8}$")]
Count = Annotated[int, Meta(ge=0, le=limits.NUMBER)]
Positive = Annotated[int, Meta(ge=1, le=limits.NUMBER)]
Rounds = Annotated[int, Meta(ge=1, le=limits.ROUNDS)]
Round = Annotated[int, Meta(ge=0, le=limits.ROUNDS)]
Nanoseconds = Annotated[int, Meta(ge=0, le=limits.NANOSECONDS)]
Repetitions = Annotated[int, Meta(ge=1, le=limits.REPETITIONS)]
Place = Annotated[int, Meta(ge=0, le=2 * limits.CELLS)]
Load = Annotated[list[Annotated[float, Meta(ge=0, le=1e9)]], Meta(max_length=3)]
Seconds = Annotated[float, Meta(ge=0, le=limits.SECONDS)]
Version = Annotated[int, Meta(ge=PROTOCOL, le=PROTOCOL)]


def _name(pattern: str, length: int = limits.NAME) -> Meta:
    """Of a name that becomes one of a file, column, anchor or command. `$` alone would take a line end after it."""
    return Meta(pattern=f"^(?:{pattern})$(?!\\n)", max_length=length)


Text = Annotated[str, Meta(max_length=limits.TEXT)]
CodecName = Annotated[str, _name("[a-z]+/[a-z0-9][a-z0-9.-]*")]
ScenarioName = Annotated[str, _name("[a-z0-9][a-z0-9-]*")]
FormatName = Annotated[str, _name("[A-Za-z0-9][A-Za-z0-9 ._+-]*")]
LibraryName = Annotated[str, _name("[A-Za-z0-9@][A-Za-z0-9@/._+-]*")]
LibraryVersion = Annotated[str, _name("[A-Za-z0-9][A-Za-z0-9._+~:-]*")]
VariantName = Annotated[str, _name("[A-Za-z0-9 ._=+-]*")]
TypeName = Annotated[str, _name(r"[A-Za-z0-9]+|\[[A-Za-z0-9]+\]")]
PlatformName = Annotated[str, _name("[a-z0-9][a-z0-9._-]*")]
RunId = Annotated[str, _name("[A-Za-z0-9][A-Za-z0-9._-]*")]
Moment = Annotated[
    str,
    _name(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,6})?(Z|[+-][0-9]{2}:[0-9]{2})"),
]
"""A time as ISO 8601 writes it, with its zone."""
CellText = Annotated[str, Meta(max_length=1000)]
"""A cell in the words of `Cell.__str__`."""


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


class Conditions(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What makes two cells comparable; a condition that does not apply to an operation is absent."""

    api: Annotated[str, _name("serde|derive|generated|manual|dynamic")] | None = None
    buffer: Annotated[str, _name("reused|fresh")] | None = None
    input: Annotated[str, _name("models|dicts|native|array|list")] | None = None
    objects: Annotated[str, _name("reused|fresh")] | None = None
    output: Annotated[str, _name("owned|borrowed|view|existing|models|dicts|native|array|list")] | None = None
    drop: Annotated[str, _name("inside|outside")] | None = None
    validation: Annotated[str, _name("on|off")] | None = None
    gc: Annotated[str, _name("on|off")] | None = None
    io: Annotated[str, _name("as-published|buffered|memory")] | None = None
    cache: Annotated[str, _name("warm|cold")] | None = None
    """Whether the system's cache may hold the file that is read; cold cells are measured only where they are wanted."""
    compiler: Annotated[str, _name("zig|system")] | None = None
    """Which compiler built it, where the lab has a choice: the pinned one, or the system's."""
    build: Annotated[str, _name("[a-z0-9._-]+")] | None = None
    """The CPU that a compiler wrote for: `baseline` of its architecture, `x86-64-v3`, `native` or another by name."""
    compression: Annotated[str, _name("lz4|zstd-1|zstd-3")] | None = None
    """Of each encoded message by the kit; absent where the bytes are the codec's own."""

    def items(self) -> list[tuple[str, str]]:
        """The conditions that apply, as (name, value), in the order of their declaration."""
        return [(name, value) for name in self.__struct_fields__ if (value := getattr(self, name)) is not None]

    def __str__(self) -> str:
        return " ".join(f"{name}={value}" for name, value in self.items())

    def __lt__(self, other: "Conditions") -> bool:
        return self.items() < other.items()


class Cell(Struct, frozen=True, order=True):
    """Codec × scenario × operation × conditions: the unit that is measured and compared."""

    codec: CodecName
    scenario: ScenarioName
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
    codec: CodecName
    format: FormatName
    library: LibraryName | None
    version: LibraryVersion | None
    language: Text
    compiler: Text
    flags: Text
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
    command: Annotated[list[str], Meta(min_length=1)]
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
    variant: str = ""
    """Which of a codec's builds it is; empty for the one that every build of the lab makes."""
    source: str | None = None
    """Where the source of the measured library came from, where a lock file does not say it."""

    @property
    def name(self) -> str:
        """The codec, and which build of it where it is not the one that every lab has."""
        return f"{self.codec} ({self.variant})" if self.variant else self.codec


class Wanted(Struct, frozen=True, forbid_unknown_fields=True):
    """What every codec is built for, where its language has the choice."""

    cpus: Annotated[list[Annotated[str, Meta(pattern="^[a-z0-9._-]+$")]], Meta(min_length=1)] = field(
        default_factory=lambda: ["baseline"]
    )
    """Values of the condition `build`."""
    compilers: Annotated[list[Annotated[str, Meta(pattern="^(zig|system)$")]], Meta(min_length=1)] = field(
        default_factory=lambda: ["zig"]
    )
    """Values of the condition `compiler`."""


class Manifest(Struct, frozen=True, forbid_unknown_fields=True):
    """All runners of a build."""

    protocol: Version
    toolchain: Annotated[str, Meta(pattern="^(host|nix|image)$")]
    fingerprint: str
    """SHA-256 over sources, lock files, toolchain and flags: a build is repeated when it changes."""
    runners: list[RunnerEntry]
    """Sorted by codec and variant."""
    wanted: Wanted = Wanted()


class TableForm(Struct, frozen=True, forbid_unknown_fields=True):
    """What a published table shows beside sizes and times."""

    relative_to: list[Text] = []
    """Codecs to whose times those of the others are ratios, a column each."""
    smaller_than: Text | None = None
    """The codec below whose size that of the others is shown in per cent."""
    items: Positive | None = None
    """How many things a repetition handles: times are also shown for one of them."""
    item: Text = "object"
    items_table: Text | None = None
    """FILE#TABLE with the published time of one, where that is another table than the scenario's."""


class Network(Struct, frozen=True, forbid_unknown_fields=True):
    """A network over which a publication says what a round trip takes."""

    rate_mbit_s: Positive
    table: Text
    """FILE#TABLE below analysis/published."""


class ThroughputForm(Struct, frozen=True, forbid_unknown_fields=True):
    """What a published table shows that tells bytes a second and time a value, an operation a section."""

    relative_to: list[Text] = []
    """Codecs that others are compared with: the first of them that was measured; else the fastest published one."""
    limit: Text | None = None
    """The control, without its language, whose share is shown: what no codec can be faster than."""


class PublishedTable(Struct, frozen=True, forbid_unknown_fields=True):
    """The publication that a scenario reproduces."""

    repetitions: Repetitions
    rounds: Rounds
    conditions: Conditions
    """The conditions of the publication; a cell with others stands beside it, never in its place."""
    split: Rounds = 1
    """Into how many processes the profile `published` divides a loop: so many times the rounds, of so many times fewer
    repetitions. On a shared machine the median of many short loops repeats where that of few long ones does not."""
    rows: dict[Text, Text] = {}
    """Codec → name of its row in the published table."""
    table: Text | None = None
    """FILE#TABLE below analysis/published."""
    times_of: Repetitions | None = None
    """How many repetitions a published time is of, where it is not the whole loop: a mean over calls is of 1."""

    networks: list[Network] = []
    """Where the publication adds the time on a network to the round trip."""
    estimates: dict[Text, Text] = {}
    """Codec → why its published round trip over a network was no measurement."""
    form: TableForm | None = None
    """What its table shows beside sizes and times; None for those of the lab's usual form."""
    throughput: ThroughputForm | None = None
    """What its table shows where that tells bytes a second; None for others."""
    operations: dict[Text, Operation] = {}
    """Operations by the publication's names, where those are others."""

    @property
    def timed_repetitions(self) -> int:
        """How many repetitions a published time is of."""
        return self.times_of or self.repetitions


class Filter(Struct, frozen=True, forbid_unknown_fields=True):
    """Which rows `filter` takes: those where every condition holds. Fields are paths such as `payload.name`."""

    rows: Count
    """How many of the canonical rows it takes; counted anew by the driver before anything is measured."""
    equal: dict[Text, Any] = {}
    contains: dict[Text, Text] = {}


class Keys(Struct, frozen=True, forbid_unknown_fields=True):
    """An RSA key pair, made by the lab on this machine, that an encrypted scenario is written and read with."""

    bits: Annotated[int, Meta(ge=1024, le=16384)]


class KnownRefusal(Struct, frozen=True, forbid_unknown_fields=True):
    """Codecs that do not read what others of their format write: a finding about libraries, and no mistake."""

    writers: Annotated[list[Text], Meta(min_length=1)]
    readers: Annotated[list[Text], Meta(min_length=1)]
    because: Text


class Reference(Struct, frozen=True, forbid_unknown_fields=True):
    """The scenario's list of numbers as its format may have it: a head, then all numbers, little-endian."""

    title: Text
    format: FormatName
    head: Annotated[str, Meta(pattern="^([0-9a-f]{2} ?)+$", max_length=1000)]
    """In hexadecimal."""


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


class Sweep(Struct, frozen=True, forbid_unknown_fields=True):
    """A scenario over again with lists of other lengths, each a scenario of its own: a point of the sweep."""

    sha256: Annotated[dict[str, Sha256], Meta(min_length=1)]
    """Bytes of the list's numbers, such as `16B` or `64MiB`, → SHA-256 of the canonical input."""


class Scenario(Struct, frozen=True, forbid_unknown_fields=True):
    """A workload as schemas/scenarios/*.toml describes it."""

    protocol: Version
    name: ScenarioName
    title: Text
    source: Text
    type: TypeName
    operations: Annotated[list[Operation], Meta(min_length=1, max_length=len(Operation))]
    data_size_bytes: Positive
    """Bytes of the value itself by the publication's definition; what the `memcpy` control copies."""
    input: Input
    published: PublishedTable
    sizes_bytes: dict[Text, Positive] = {}
    """Codec → encoded size that the publication printed, to the byte."""
    known_failures: dict[Text, Text] = {}
    """Codec → why its library fails verification here: it gets its error row, but a run counts as well all the same."""
    known_refusals: list[KnownRefusal] = []
    references: list[Reference] = []
    """What codecs of a format are given to read besides each other's bytes."""
    variant_of: ScenarioName | None = None
    sweep: Sweep | None = None
    point: bool = False
    """Whether it is a point of the sweep of the scenario that it is a variant of; measured on request only."""
    filter: Filter | None = None
    keys: Keys | None = None

    @property
    def is_files(self) -> bool:
        """Whether rows are kept in files; else each is a message of its own."""
        return any(operation.is_file for operation in self.operations)

    @property
    def values(self) -> int:
        """How many values a message is: the numbers of a list, else one."""
        found = re.fullmatch(r"\[[uif](8|16|32|64)\]", self.type)
        return self.data_size_bytes * 8 // int(found[1]) if found else 1

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


class Run(Struct, frozen=True, forbid_unknown_fields=True):
    """run.json: environment, provenance and plan."""

    protocol: Version
    id: RunId
    created: Moment
    platform: PlatformName
    command: Annotated[list[Text], Meta(max_length=limits.ITEMS)]
    environment: dict[str, Any]
    provenance: dict[str, Any]
    plan: Plan
    scenarios: Annotated[list[Scenario], Meta(max_length=limits.ITEMS)]
    ready: bool = False
    """Whether verification and pilot are done and the plan is final."""
    finished: Moment | None = None
    load_after: Load | None = None


class RunnerSample(Struct, frozen=True, forbid_unknown_fields=True):
    """One line of a runner's `measure --out`: one timed loop."""

    wall_ns: Nanoseconds
    cpu_ns: Nanoseconds
    repetitions: Annotated[int, Meta(ge=0, le=limits.REPETITIONS)]
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


class Transfer(Struct, frozen=True, forbid_unknown_fields=True):
    """network.jsonl: one message over a shaped TCP connection, from the first byte sent to the receiver's answer."""

    codec: CodecName
    scenario: ScenarioName
    compression: Annotated[str, _name("[a-z0-9-]+")] | None
    rate_mbit_s: Positive
    index: Count
    message_bytes: Count
    transfer_ns: Annotated[int, Meta(ge=1, le=limits.NANOSECONDS)]


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

    cell: CellText
    round: Round
    place: Place
    index: Round
    wall_ns: Nanoseconds
    cpu_ns: Nanoseconds
    repetitions: Annotated[int, Meta(ge=0, le=limits.REPETITIONS)]
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
    """Whether a full disk is the error: `--resume` measures this process again."""


class Check(Struct, frozen=True, forbid_unknown_fields=True):
    """One failed check of `lab verify`, with both sides."""

    check: Annotated[str, Meta(pattern="^(describe|version|encode|decode|value|filter|size|interop|compression)$")]
    codec: CodecName
    message: Text
    scenario: ScenarioName | None = None
    peer: Text | None = None
    known: Text | None = None
    """What the scenario says of this failure, where it expects it."""
    variant: VariantName = ""


class Verified(Struct, frozen=True, forbid_unknown_fields=True):
    """What a codec produced of a scenario's canonical input, after it was checked."""

    codec: CodecName
    scenario: ScenarioName
    encoded_bytes: Count
    encoded_checksum: Crc32
    decoded_checksum: Crc32
    filtered_checksum: Crc32 | None = None
    """Of the rows that the scenario's filter took."""
    peers: list[Text] = []
    """Codecs of the same format that read these bytes as the same value."""
    compressed_bytes: dict[Text, Count] = {}
    """Compression → bytes of the compressed messages, for those that were asked for."""
    variant: VariantName = ""


class Exchange(Struct, frozen=True, forbid_unknown_fields=True):
    """Whether one codec reads what another codec of its format, or a reference of the scenario, wrote."""

    scenario: ScenarioName
    format: FormatName
    writer: Text
    reader: Text
    reads: bool
    same_bytes: bool
    """Whether the reader would have written the same bytes."""
    problem: Text | None = None
    """What the reader said, or where the value that it read differs."""
    known: Text | None = None
    """What the scenario says of this refusal, where it knows of it."""


class Verification(Struct, frozen=True, forbid_unknown_fields=True):
    """verify.json."""

    protocol: Version
    verified: list[Verified] = field(default_factory=list)
    failures: list[Check] = field(default_factory=list)
    exchanges: list[Exchange] = field(default_factory=list)
