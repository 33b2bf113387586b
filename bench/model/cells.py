"""Cells: what is measured and compared."""

from enum import StrEnum
from typing import Annotated

from msgspec import Struct

from bench.model.fields import CodecName, ScenarioName, name_of


class Operation(StrEnum):
    """What a timed loop repeats."""

    SERIALIZE = "serialize"
    DESERIALIZE = "deserialize"
    ROUND_TRIP = "round-trip"
    BUILD = "build"
    """The library's own message from the language's plain struct."""
    BUILD_SERIALIZE = "build+serialize"
    DESERIALIZE_CONVERT = "deserialize+convert"
    """The library's own message from bytes, and the language's plain struct from that."""
    ACCESS = "access"
    """Fields are read once where they stand in the encoded message: every one, unless `fields` says which."""
    UPDATE = "update"
    """Fields of the encoded message are changed where they stand, as the scenario says; nothing is encoded anew."""
    WRITE = "write"
    READ = "read"
    FILTER = "filter"

    @property
    def is_file(self) -> bool:
        """Whether it operates on a file of rows."""
        return self in (Operation.WRITE, Operation.READ, Operation.FILTER)

    @property
    def is_extra(self) -> bool:
        """Whether few publications have figures of it: it is measured for a column of theirs, or on request."""
        return self in (
            Operation.BUILD,
            Operation.BUILD_SERIALIZE,
            Operation.DESERIALIZE_CONVERT,
            Operation.ACCESS,
        )

    @property
    def is_of_few(self) -> bool:
        """Whether few codecs have it: tables show it where it was measured, and their ranks ignore it."""
        return self.is_extra or self is Operation.UPDATE


class ControlRole(StrEnum):
    """What a control does instead of serializing."""

    COPY = "copy"
    """It copies the bytes of the value: no codec can be much faster."""
    CLONE = "clone"
    """It makes a deep copy of the value in memory."""
    NOTHING = "nothing"
    """It does no work: what remains is the cost of the loop."""


class Conditions(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What makes two cells comparable; a condition that does not apply to an operation is absent."""

    api: Annotated[str, name_of("serde|derive|generated|manual|dynamic")] | None = None
    buffer: Annotated[str, name_of("reused|fresh")] | None = None
    input: Annotated[str, name_of("models|dicts|native|array|list")] | None = None
    objects: Annotated[str, name_of("reused|fresh")] | None = None
    output: Annotated[str, name_of("owned|borrowed|view|existing|models|dicts|native|array|list")] | None = None
    drop: Annotated[str, name_of("inside|outside")] | None = None
    validation: Annotated[str, name_of("on|off")] | None = None
    gc: Annotated[str, name_of("on|off")] | None = None
    io: Annotated[str, name_of("as-published|buffered|memory")] | None = None
    cache: Annotated[str, name_of("warm|cold")] | None = None
    """Whether the system's cache may hold the file that is read; cold cells are measured only on request."""
    compiler: Annotated[str, name_of("zig|system")] | None = None
    """The compiler that built it, if the lab has a choice: the pinned one, or the system's."""
    build: Annotated[str, name_of("[a-z0-9._-]+")] | None = None
    """The CPU that it was compiled for: the architecture's `baseline`, `x86-64-v3`, `native` or another by name."""
    compression: Annotated[str, name_of("lz4|zstd-1|zstd-3")] | None = None
    """The kit's compression of each encoded message; absent if the bytes are the codec's own."""
    fields: Annotated[str, name_of("root|named")] | None = None
    """Which fields are accessed: none, so that the message is only found in its bytes, or those that the scenario
    names; absent if all are."""

    def items(self) -> list[tuple[str, str]]:
        """The conditions that apply, as (name, value), in the order of their declaration."""
        return [(name, value) for name in self.__struct_fields__ if (value := getattr(self, name)) is not None]

    def __str__(self) -> str:
        return " ".join(f"{name}={value}" for name, value in self.items())

    def __lt__(self, other: "Conditions") -> bool:
        return self.items() < other.items()


SAID_IF_SO = ("compression", "fields")
"""Conditions whose absence is a value: no compression, every field."""


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

    @property
    def language(self) -> str:
        """The language of its codec."""
        return self.codec.partition("/")[0]

    def __str__(self) -> str:
        return f"{self.name} {self.conditions}"


def is_published(conditions: Conditions, published: Conditions) -> bool:
    """Whether a cell has the conditions of the publication, as far as they apply to it.

    One that is SAID_IF_SO applies everywhere: a publication that does not mention it did not compress.
    """
    wanted = dict(published.items())
    same = all(getattr(conditions, name) == getattr(published, name) for name in SAID_IF_SO)
    return same and all(wanted.get(name, value) == value for name, value in conditions.items())
