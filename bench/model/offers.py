"""runners/catalogue.toml: what every codec's runner offers, so that commands can answer before anything is built."""

from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct

from bench.model.cells import Operation
from bench.model.description import ControlRole
from bench.model.fields import CodecName, FormatName, LibraryName, Text, TypeName, Version

OfferName = Text
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
    MAP = "map"
    """A map from strings to values."""
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


class DefaultBuild(Struct, frozen=True, forbid_unknown_fields=True):
    """The build of a language's codecs that every lab has."""

    conditions: Text = ""
    as_published: bool = False
    """Whether `lab build --as-published` makes another one."""


class Offered(Struct, frozen=True, forbid_unknown_fields=True):
    """What a runner says of itself, and what it can do with the types that it has message code for."""

    format: FormatName
    library: LibraryName | None = None
    self_describing: bool = False
    control: bool = False
    role: ControlRole | None = None
    probes: bool = False
    """Whether it answers probes of `lab fidelity`."""
    conditions: Text = ""
    """What its cells have in common; `validation` is of those alone that read."""
    types: dict[OfferName, list[TypeName]] = {}
    """Offer → the types that the runner has it for."""
    encrypted: dict[OfferName, list[TypeName]] = {}
    """The same in scenarios with keys."""
    cannot: dict[Feature, Text] = {}
    """What a type may not have, and why; of the library, whatever message code the runner has today."""
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


class Limit(Struct, frozen=True, forbid_unknown_fields=True):
    """Features that libraries cannot take, with the reason, or only in another shape."""

    features: Annotated[list[Feature], Meta(min_length=1)]
    codecs: Annotated[list[CodecName], Meta(min_length=1)]
    because: Text | None = None
    instead: Text | None = None

    def __post_init__(self) -> None:
        if (self.because is None) == (self.instead is None):
            raise ValueError("give either `because` or `instead`")


class Limits(Struct, frozen=True, forbid_unknown_fields=True):
    """runners/limits.toml, written by hand: the catalogue repeats it codec by codec."""

    protocol: Version
    limit: list[Limit] = []
