"""runners/catalogue.toml: what every codec's runner offers, so that commands can answer before anything is built."""

from enum import StrEnum

from msgspec import Struct

from bench.model.cells import ControlRole, Operation
from bench.model.fields import CodecName, FormatName, LibraryName, Text, Version

OfferName = Text
NO_OFFER = "none"
Lines = list[Text]
"""Conditions as `lab list` prints them. `drop=inside|outside` stands for two cells, `compression=none|lz4` for one
without this condition and one with it."""


class Feature(StrEnum):
    """What a type may have that not every library can take."""

    STRUCT = "struct"
    """Named fields. A codec that cannot take them takes lists of numbers alone."""
    STRUCT_LIST = "struct-list"
    """A list of structs."""
    LIST_MESSAGE = "list-message"
    """A message that is a list itself."""
    NESTED_LIST = "nested-list"
    """A list of lists."""
    BOOL_LIST = "bool-list"
    """A list of bools, which C++ packs into bits."""
    MAP = "map"
    """A map from strings to values."""
    TUPLE = "tuple"
    """Values of several types in one list."""
    LONG_TUPLE = "long-tuple"
    """A tuple of more than three elements: some libraries have implementations for shorter ones alone."""
    OPTION = "option"
    """A field that may be missing."""
    OPTION_IN_LIST = "option-in-list"
    """A list whose elements may be missing."""
    WIDE_ENUM = "wide-enum"
    """An enumeration with values that do not fit into 32 bits with a sign."""
    U64 = "u64"
    """Integers above 2^63-1. A u64 whose values stay below fits into an i64."""
    U128 = "u128"
    """Integers of 128 bits, with or without a sign."""


class MessageKind(StrEnum):
    """What a codec's offer for a scenario depends on: how the scenario uses its messages, and their shape."""

    STRUCT = "struct"
    """A message that is a struct."""
    STRUCT_OF_TEXT = "struct-of-text"
    """A struct that holds texts or bytes, at any depth: libraries may borrow them from the encoded message."""
    NAMED = "struct-with-named-fields"
    """A struct of which a scenario names some fields: a codec may offer to read these alone, in place."""
    NAMED_OF_TEXT = "struct-with-named-fields-of-text"
    """Such a struct that holds texts or bytes."""
    NUMBERS = "numbers"
    """A list of numbers."""
    LIST = "list"
    """Any other list."""
    LIST_OF_TEXT = "list-of-text"
    """Such a list that holds texts or bytes."""
    FILES = "files"
    """Rows in files."""
    ENCRYPTED = "encrypted"
    """Rows in files, encrypted with a scenario's keys."""

    @property
    def alternatives(self) -> tuple["MessageKind", ...]:
        """The kinds of which the first that has an offer gives it to this one: itself, then more general ones.

        A list of anything but numbers is to libraries what a struct is.
        """
        return ALTERNATIVES.get(self, (self,))


ALTERNATIVES = {
    MessageKind.STRUCT_OF_TEXT: (MessageKind.STRUCT_OF_TEXT, MessageKind.STRUCT),
    MessageKind.NAMED: (MessageKind.NAMED, MessageKind.STRUCT),
    MessageKind.NAMED_OF_TEXT: (
        MessageKind.NAMED_OF_TEXT,
        MessageKind.NAMED,
        MessageKind.STRUCT_OF_TEXT,
        MessageKind.STRUCT,
    ),
    MessageKind.LIST: (MessageKind.LIST, MessageKind.STRUCT),
    MessageKind.LIST_OF_TEXT: (
        MessageKind.LIST_OF_TEXT,
        MessageKind.LIST,
        MessageKind.STRUCT_OF_TEXT,
        MessageKind.STRUCT,
    ),
}


class AnyCommand(StrEnum):
    """A command that takes `--type any`."""

    DECODE = "decode"
    ENCODE = "encode"


class DefaultBuild(Struct, frozen=True, forbid_unknown_fields=True):
    """The build of a language's codecs that every lab has."""

    conditions: Text = ""
    as_published: bool = False
    """Whether `lab build --as-published` makes another one."""


class Offered(Struct, frozen=True, forbid_unknown_fields=True):
    """What a runner says of itself, and what it can do with which messages."""

    format: FormatName
    library: LibraryName | None = None
    self_describing: bool = False
    control: bool = False
    role: ControlRole | None = None
    any: list[AnyCommand] = []
    """The commands that take `--type any`."""
    probes: bool = False
    """Whether it answers probes of `lab fidelity`."""
    conditions: Text = ""
    """What its cells have in common; `validation` is of those alone that read."""
    offers: dict[MessageKind, OfferName] = {}
    """Kind of message → what it offers for all types without a feature that it cannot take; `none` if nothing."""
    exceptions: dict[Text, OfferName] = {}
    """Kind and type, such as `files LogText` → what it offers for this type alone; `none` if nothing."""
    cannot: dict[Feature, Text] = {}
    """What a type may not have, and why: types with it are not offered. A u64 is a matter of values: in a struct it may
    stand, since those of most structs fit."""
    instead: dict[Feature, Text] = {}
    """What a type may have only in another shape: what message code writes in its place."""


class CatalogueFile(Struct, frozen=True, forbid_unknown_fields=True):
    """The file."""

    protocol: Version
    builds: dict[Text, DefaultBuild]
    """By language."""
    offers: dict[OfferName, dict[Operation, Lines]]
    """Operations and conditions that go together."""
    every_condition: dict[OfferName, dict[Operation, Lines]]
    """What an offer has in addition in scenarios with `every_condition`."""
    codecs: dict[CodecName, Offered]
