"""schemas/malformed.toml: classes of malformed input, what each format's specification says of them, and inputs."""

from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct

from bench.model.fields import Count, FormatName, Positive, Text, Version, name_of

ClassName = Annotated[str, name_of("[a-z][a-z0-9-]*")]
"""A class of malformed input."""

RANDOM = "random"
"""The class of seeded mutations, which have no rule; findings of older labs are all of it."""
BAD_TEXT = "bad-utf8"
"""The class of text that is not UTF-8; its rule holds wherever a codec gives back text."""
ANY = "any"
"""In the place of a scenario: the input was decoded as a value of any type."""


class Must(StrEnum):
    """What a decoder must do with an input, as the format's specification says."""

    REFUSE = "refuse"
    ACCEPT = "accept"
    OPEN = "open"
    """The specification says nothing, or leaves it to the decoder."""


class Rule(Struct, frozen=True, forbid_unknown_fields=True):
    """What a specification says of a class."""

    must: Must
    section: Text
    """Where it says so; for what it leaves open, where one would expect it."""
    says: Text
    """In our words."""


class Part(Struct, frozen=True, forbid_unknown_fields=True):
    """A part of an input that plain bytes do not say; one of its fields is given."""

    hex: Text | None = None
    """Bytes, in a text format."""
    repeat: Text | None = None
    """What stands there as many `times`; hexadecimal, or text in a text format."""
    times: Positive = 1
    sized: Annotated[list["str | Part"], Meta(min_length=1)] | None = None
    """Parts behind their length in bytes, its own four and a last zero included (u32, little-endian); that zero
    follows them."""
    nest: Text | None = None
    """The head of an element whose value is what `sized` would make of the next such element, as many `times`."""
    message: bool = False
    """The codec's own encoding of a scenario's value, from byte `after` on, without the last `before` bytes."""
    after: Count = 0
    before: Count = 0


Input = Annotated[str, Meta(max_length=10_000)] | Annotated[list[str | Part], Meta(min_length=1)]
"""Hexadecimal digits, or text in a text format; several parts as a list."""


class Place(Struct, frozen=True, forbid_unknown_fields=True):
    """Where a case's input stands in a document."""

    before: Input = ""
    after: Input = ""


class Members(StrEnum):
    """How a format writes a map, so that it can be given one member more."""

    BRACES = "braces"
    """Between braces, with a colon and commas."""
    MARKED = "marked"
    """80 to 8f with the number of members, or de or df before it."""
    MAJOR_TYPE = "major-type"
    """The number of members in the five lowest bits or behind them; or none, and a break at the end."""
    SHIFTED = "shifted"
    """03, then the number of members above two bits that say in how many bytes it is."""
    SIZED = "sized"
    """Behind the number of all bytes, with a zero at the end; 03 is a member that is a map."""


class Document(Struct, frozen=True, forbid_unknown_fields=True):
    """An input, and what must be done with it."""

    name: Text
    """What it is, in a few words."""
    input: Input
    like: Input | None = None
    """An input that must read the same; None where nothing is compared."""
    must: Must | None = None
    """Where that differs from the rule of its class; then with its own section and words."""
    section: Text = ""
    says: Text = ""
    everywhere: bool = True
    """Whether it is also put into the format's places."""


class Grammar(Struct, frozen=True, forbid_unknown_fields=True):
    """A format: what its specification says, and what inputs are made of."""

    specification: Text
    """Its address."""
    text: bool = False
    """Whether inputs are written as text."""
    rules: dict[ClassName, Rule] = {}
    """By class; what is missing is left open."""
    documents: list[Input] = []
    """Well-formed documents, which are cut, flipped, spliced and followed by bytes."""
    trailing: list[Input] = []
    """What follows a document; random bytes and a copy of it follow in any case."""
    members: Members | None = None
    """How maps are written; None where messages are not given unknown members."""
    places: list[Place] = []
    """Where the inputs of cases stand, besides alone."""
    cases: dict[ClassName, list[Document]] = {}
    """By class."""


class MalformedFile(Struct, frozen=True, forbid_unknown_fields=True):
    """The file."""

    protocol: Version
    classes: dict[ClassName, Text]
    """Class → what it is; in the order of tables."""
    formats: dict[FormatName, Grammar]
