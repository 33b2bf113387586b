"""A set of message types: what a program is compiled with. Generators read it, and templates see nothing else."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from bench.model.description import PUBLISHED_TYPES
from bench.types.expressions import Named, OptionOf, Type, named_in, parse_type

Attributes = Mapping[str, Mapping[str, Any]]
"""Library or format → what its generator reads of a type or field, such as `{"tag": 8}`."""

PUBLISHED = PUBLISHED_TYPES
"""The set of the types in schemas/types, which every runner has."""


class FieldType(Struct, frozen=True):
    """A field of a struct."""

    name: str
    """As canonical JSON has it: any text at all. Generators print it as an escaped literal, never as it is."""
    type: Type
    index: int
    """Its place in the struct, from 0."""
    default: Any = None
    """What a format may leave out; None if the type file names none."""
    attributes: Attributes = {}
    about: str = ""

    @property
    def is_option(self) -> bool:
        """Whether it may be missing."""
        return isinstance(self.type, OptionOf)

    def type_in(self, library: str) -> Type:
        """The type, or the one of the same canonical form that its attribute `type` of a library names in its place."""
        named = self.attributes.get(library, {}).get("type")
        return parse_type(named) if named else self.type


class StructType(Struct, frozen=True):
    """Named fields in their order, which is a part of the type: some formats encode nothing else."""

    name: str
    fields: tuple[FieldType, ...]
    attributes: Attributes = {}
    about: str = ""


class Variant(Struct, frozen=True):
    """A name of an enumeration."""

    name: str
    """As canonical JSON has it: any text at all."""
    value: int
    attributes: Attributes = {}


class EnumType(Struct, frozen=True):
    """A closed set of names over an integer type."""

    name: str
    repr: str
    """An integer type of at most 64 bits."""
    variants: tuple[Variant, ...]
    """By ascending place in the file; the first is the default of formats that have one."""
    attributes: Attributes = {}
    about: str = ""


class FilterOf(Struct, frozen=True):
    """Which rows `filter` selects: paths of field names → the value that a field equals, or the text that it holds."""

    equal: Mapping[tuple[str, ...], Any] = {}
    contains: Mapping[tuple[str, ...], str] = {}


class Use(Struct, frozen=True):
    """A scenario whose values are of a message type."""

    scenario: str
    rows: bool
    """Whether its input is many messages; else it is one."""
    files: bool = False
    """Whether the messages are rows of files: write, read, filter."""
    filter: FilterOf | None = None
    encrypted: bool = False
    """Whether it has keys."""
    languages: tuple[str, ...] = ()
    """The languages that it is measured in; all if there are none."""
    every_condition: bool = False
    """Whether codecs are measured under every condition that they have."""
    named: Mapping[str, Any] = {}
    """The fields that `access` also reads alone: field → those within it, nothing for all of it. Lists have those of
    their items."""
    changes: Mapping[str, Any] = {}
    """What `update` makes of some fields: field → a `Change`, or those within it. Lists have those of their items."""
    measured: bool = True
    """Whether operations are timed; else messages are encoded and decoded, and programs are compiled faster."""

    def is_in(self, language: str) -> bool:
        """Whether it is measured in a language."""
        return not self.languages or language in self.languages


class MessageType(Struct, frozen=True):
    """A type that scenarios measure: a struct, or a list."""

    type: Type
    uses: tuple[Use, ...]

    @property
    def struct_name(self) -> str | None:
        """The struct that it is; None for a list."""
        return self.type.name if isinstance(self.type, Named) else None

    @property
    def named(self) -> Mapping[str, Any]:
        """The fields that scenarios name. Raises ValueError where scenarios of one type differ."""
        return self._only("name other fields of", [use.named for use in self.uses if use.named])

    @property
    def changes(self) -> Mapping[str, Any]:
        """What scenarios update. Raises ValueError where scenarios of one type differ."""
        return self._only("make other updates of", [use.changes for use in self.uses if use.changes])

    def _only(self, differ: str, given: list[Mapping[str, Any]]) -> Mapping[str, Any]:
        if any(one != given[0] for one in given):
            raise ValueError(f"scenarios {differ} {self.type}; give one a type of its own")
        return given[0] if given else {}


class TypeSet(Struct, frozen=True):
    """Types that are compiled into one program."""

    name: str
    """`published`, the name of a scenario that has types of its own, or that of a user's data."""
    structs: Mapping[str, StructType]
    """By name; each after those that it is made of."""
    enums: Mapping[str, EnumType]
    messages: Sequence[MessageType]

    def enum(self, of: Type) -> EnumType | None:
        """The enumeration that a type is, if it is one."""
        return self.enums.get(of.name) if isinstance(of, Named) else None

    def struct(self, of: Type) -> StructType | None:
        """The struct that a type is, if it is one."""
        return self.structs.get(of.name) if isinstance(of, Named) else None

    def of_language(self, language: str) -> "TypeSet":
        """What a language is compiled with: the messages that scenarios measure in it, and what these are made of."""
        messages = []
        for message in self.messages:
            uses = tuple(use for use in message.uses if use.is_in(language))
            if uses or not message.uses:
                messages.append(MessageType(message.type, uses))
        return self._of(messages) if self.messages else self

    def _of(self, messages: "Sequence[MessageType]") -> "TypeSet":
        names = {name for message in messages for name in self.reachable(message.type)}
        structs = {name: struct for name, struct in self.structs.items() if name in names}
        return TypeSet(self.name, structs, {n: enum for n, enum in self.enums.items() if n in names}, messages)

    def in_memory(self, language: str) -> "TypeSet":
        """What a language has that measures no files: its messages, and the structs and enumerations of these."""
        if not self.messages:
            return self
        messages = [
            message
            for message in self.messages
            if not message.uses
            or any(use.is_in(language) and not use.files and not use.encrypted for use in message.uses)
        ]
        return self._of(messages)

    def reachable(self, of: Type) -> list[str]:
        """The names of structs and enumerations that a type is made of, each once, parts first."""
        names: dict[str, None] = {}

        def visit(one: Type) -> None:
            for name in named_in(one):
                if name in names:
                    continue
                for field in self.structs[name].fields if name in self.structs else ():
                    visit(field.type)
                names[name] = None

        visit(of)
        return list(names)

    @staticmethod
    def parse(text: str) -> Type:
        """The type that a text denotes; see `expressions`."""
        return parse_type(text)
