"""Scenarios, as schemas/scenarios/*.toml describes them."""

import re
from typing import Annotated, Any

from msgspec import Meta, Struct

from bench.model.cells import Cell, Conditions, Operation
from bench.model.fields import (
    Count,
    FormatName,
    LanguageName,
    Positive,
    Repetitions,
    Rounds,
    ScenarioName,
    Sha256,
    Text,
    TypeName,
    Version,
    name_of,
)


class Network(Struct, frozen=True, forbid_unknown_fields=True):
    """A network for which a publication has round-trip times."""

    rate_mbit_s: Positive
    table: Text
    """FILE#TABLE below analysis/published."""


class Column(Struct, frozen=True, forbid_unknown_fields=True):
    """A column of a published table besides those of the usual operations: other cells of its rows."""

    operation: Operation
    conditions: Conditions = Conditions()
    """Those that differ from the publication's."""

    def takes(self, cell: Cell) -> bool:
        """Whether a cell may stand in it."""
        return cell.operation is self.operation and set(self.conditions.items()) <= set(cell.conditions.items())


class PublishedTable(Struct, frozen=True, forbid_unknown_fields=True):
    """The publication that a scenario reproduces."""

    repetitions: Repetitions
    rounds: Rounds
    conditions: Conditions
    """The conditions of the publication; cells with others are variants and never replace it."""
    split: Rounds = 1
    """How many processes the profile `published` divides a loop into: this multiplies the rounds and divides the
    repetitions. On a shared machine the median of many short loops repeats where that of few long ones does not."""
    rows: dict[Text, Text] = {}
    """Codec → name of its row in the published table."""
    compared_with: list[Text] = []
    """Codecs without a row of their own that columns of the table compare with: they are measured with the rows."""
    columns: list[Column] = []
    """Columns of the table that few of its rows have, such as `access`, or reading without copying."""
    table: Text | None = None
    """FILE#TABLE below analysis/published; FILE's .toml says how such a table looks."""
    times_of: Repetitions | None = None
    """The number of repetitions in a published time, if not the whole loop's: 1 for a mean over calls."""

    networks: list[Network] = []
    """The networks whose transfer time the publication adds to the round trip."""
    estimates: dict[Text, Text] = {}
    """Codec → why its published round trip over a network is not a measurement."""

    @property
    def timed_repetitions(self) -> int:
        """The number of repetitions in a published time."""
        return self.times_of or self.repetitions


class Filter(Struct, frozen=True, forbid_unknown_fields=True):
    """The rows that `filter` selects: those that meet every condition. Fields are paths such as `payload.name`."""

    rows: Count
    """How many canonical rows it selects; the driver counts them before anything is measured."""
    equal: dict[Text, Any] = {}
    contains: dict[Text, Text] = {}


class Update(Struct, frozen=True, forbid_unknown_fields=True):
    """What `update` makes of fields of an encoded message. Fields are paths such as `logs[].code`."""

    values: Annotated[dict[Text, Any], Meta(max_length=100)] = {}
    """Field → its new value, as canonical JSON has it."""
    factors: Annotated[dict[Text, Any], Meta(max_length=100)] = {}
    """Field → the integer that it is multiplied by, again in each repetition. Beyond its type it wraps."""


class Keys(Struct, frozen=True, forbid_unknown_fields=True):
    """An RSA key pair, made by the lab on this machine, that an encrypted scenario is written and read with."""

    bits: Annotated[int, Meta(ge=1024, le=16384)]


class KnownRefusal(Struct, frozen=True, forbid_unknown_fields=True):
    """Codecs that do not read what others of their format write: a finding about libraries, not a mistake."""

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
    """Rules from which the canonical rows are drawn; see `bench.scenarios.inputs`."""

    seed: Count
    rows: Positive
    fields: dict[str, Any]


class StructDraws(Struct, frozen=True, forbid_unknown_fields=True, rename={"given": "with"}):
    """How the fields of a struct are drawn; see `bench.scenarios.draws.rules`."""

    fields: dict[str, Any] = {}
    """Field → rule; fields without one are drawn over the whole range of their types."""
    order: list[str] = []
    """The fields in the order in which they are drawn, if that is not the struct's."""
    function: Annotated[str, name_of("[a-z][a-z0-9-]*")] | None = None
    """What draws the struct as a whole, where fields depend on each other."""
    given: dict[str, Any] = {}
    """What the function is given, in its own form."""


class Draws(Struct, frozen=True, forbid_unknown_fields=True):
    """A value drawn by its type, as Rust's rand 0.8 draws from `Lcg64Xsh32::new(state, stream)`."""

    state: Count
    stream: Count
    structs: dict[Text, StructDraws] = {}


class ItemsOf(Struct, frozen=True, forbid_unknown_fields=True):
    """The items of a list in the value of another scenario, each a message of its own."""

    scenario: ScenarioName
    field: Text
    rows: Positive
    """How many items it has."""


class Input(Struct, frozen=True, forbid_unknown_fields=True):
    """The canonical input: one value, given or drawn, a generator of rows, another's items, or a file of either."""

    sha256: Sha256
    value: Any = None
    draws: Draws | None = None
    generator: Generator | None = None
    items_of: ItemsOf | None = None
    file: Annotated[str, name_of("[a-z0-9][a-z0-9-]*[.]jsonl?")] | None = None
    """A file beside the scenario's own, with the canonical input itself: NAME.json of a value, NAME.jsonl of rows."""
    file_rows: Positive | None = None
    """How many rows a file NAME.jsonl has."""


class Sweep(Struct, frozen=True, forbid_unknown_fields=True):
    """The scenario repeated with lists of other lengths, each a scenario of its own: a point of the sweep."""

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
    """Bytes of the value itself by the publication's definition, which a copying control copies."""
    input: Input
    published: PublishedTable
    sizes_bytes: dict[Text, Positive] = {}
    """Codec → encoded size that the publication printed, to the byte."""
    known_failures: dict[Text, Text] = {}
    """Codec → why its library fails verification here: it gets its error row, but the run still succeeds."""
    known_refusals: list[KnownRefusal] = []
    references: list[Reference] = []
    """What codecs of a format must read in addition to each other's bytes."""
    variant_of: ScenarioName | None = None
    sweep: Sweep | None = None
    point: bool = False
    """Whether it is a point of its original scenario's sweep; measured only on request."""
    filter: Filter | None = None
    named_fields: Annotated[list[Text], Meta(max_length=100)] = []
    """Fields that `access` also reads alone, as paths: `logs[].code` is that of each element of a list."""
    update: Update | None = None
    keys: Keys | None = None
    languages: Annotated[list[LanguageName], Meta(max_length=100)] = []
    """The languages that it is measured in, if not all that have its type."""
    types: dict[Text, Any] | None = None
    """Types of its own, in the notation of schemas/types: they make programs of their own, and change no other's."""
    every_condition: bool = False
    """Whether codecs are measured under every condition that they have for its type, not only the main ones."""

    @property
    def declared_by(self) -> str:
        """The scenario whose file declares this one: its own, or that of the sweep of which it is a point."""
        return self.variant_of if self.point and self.variant_of else self.name

    @property
    def is_files(self) -> bool:
        """Whether rows are stored in files; else each is a message of its own."""
        return any(operation.is_file for operation in self.operations)

    @property
    def values(self) -> int:
        """The number of values in a message: the length of a list, else 1."""
        numbers = re.fullmatch(r"\[[uif](8|16|32|64)\]", self.type)
        return self.data_size_bytes * 8 // int(numbers[1]) if numbers else 1

    @property
    def is_rows(self) -> bool:
        """Whether a repetition is a pass over many rows."""
        return self.rows is not None

    @property
    def rows(self) -> int | None:
        """The number of rows in the canonical input; None if it is one value."""
        of_rows = self.input.generator or self.input.items_of
        return of_rows.rows if of_rows else self.input.file_rows


LENGTH = re.compile(r"\b\d{1,3}(?:,\d{3}){1,4} ")
"""How many values the published list has: 10,000."""
LABEL = re.compile("([0-9]+)([A-Za-z]+)")
"""A size as a sweep is declared with it: 64KiB."""


def title_of_point(title: str) -> str:
    """The title of a point of a sweep, whose list has another length: “Array of 10,000 double: 64KiB” is an “Array of
    double, 64 KiB”. Another title stays as it is.
    """
    of, _, label = title.rpartition(": ")
    size = LABEL.fullmatch(label)
    return f"{LENGTH.sub('', of, count=1)}, {size[1]} {size[2]}" if size and of else title
