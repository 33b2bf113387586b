"""Changes of a schema, as schemas/evolution.toml has them, and the set of types that all of them make."""

import json
import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from bench.base import errors
from bench.base.files import find_toml_line, read_text, read_toml
from bench.base.paths import SCHEMAS
from bench.model.fields import CodecName, FormatName, Text, Version, name_of
from bench.types.definitions import (
    AttributeTable,
    Defined,
    Definitions,
    EnumDefinition,
    FieldDefinition,
    MistakeError,
    define,
)
from bench.types.definitions import StructDefinition as Fields
from bench.types.expressions import ArrayOf, ListOf, Named, OptionOf, Type
from bench.types.type_set import MessageType, TypeSet, Use

FILE = SCHEMAS / "evolution.toml"
SET = "evolution"
"""The name of the set of types: programs of it know every schema of every change."""
MESSAGE = "Message"
"""The struct that a message is."""


class Direction(StrEnum):
    """Who reads what another wrote."""

    BACKWARD = "backward"
    """Old data, read with the new schema."""
    FORWARD = "forward"
    """New data, read with the old schema."""


class Exchanged(Struct, frozen=True, forbid_unknown_fields=True):
    """A message that is written with one schema, and what one should read with the other."""

    writes: dict[Text, Any]
    reads: dict[Text, Any] | None = None
    """None where no value is right."""


class Side(Struct, frozen=True, forbid_unknown_fields=True):
    """A schema: the struct Message, and what it is made of."""

    structs: dict[Text, Fields]
    enums: dict[Text, EnumDefinition] = {}


class Unasked(Struct, frozen=True, forbid_unknown_fields=True):
    """Codecs that a change is not tried with."""

    formats: Annotated[list[FormatName], Meta(min_length=1)]
    but: list[CodecName]
    """Codecs of these formats that it is tried with all the same."""
    because: Text


class Change(Struct, frozen=True, forbid_unknown_fields=True):
    """Two schemas of a message, and a message each way."""

    name: Annotated[str, name_of("[a-z][a-z0-9-]*")]
    title: Text
    old: Side
    new: Side
    backward: Exchanged
    forward: Exchanged
    unasked: Unasked | None = None

    def asks(self, codec: str, wire_format: str) -> bool:
        """Whether a codec is tried with the change."""
        return self.unasked is None or wire_format not in self.unasked.formats or codec in self.unasked.but

    def exchanged(self, direction: Direction) -> Exchanged:
        """The message that is written, and what should be read."""
        return self.backward if direction is Direction.BACKWARD else self.forward

    def writer(self, direction: Direction) -> str:
        """The name of the schema that writes, as programs of the set know it."""
        return f"{self.name}-{'old' if direction is Direction.BACKWARD else 'new'}"

    def reader(self, direction: Direction) -> str:
        """The name of the schema that reads."""
        return f"{self.name}-{'new' if direction is Direction.BACKWARD else 'old'}"


class ChangesFile(Struct, frozen=True, forbid_unknown_fields=True):
    """schemas/evolution.toml."""

    protocol: Version
    changes: Annotated[list[Change], Meta(min_length=1)]
    attributes: AttributeTable = {}
    """Of the struct of every message."""


class Changes(Struct, frozen=True):
    """All changes, with their types."""

    all: tuple[Change, ...]
    prefixes: Mapping[str, str]
    """Schema, such as `rename-old` → how the names of its types begin. Schemas that are the same have the same."""
    defined: Defined

    def type_of(self, schema: str) -> Type:
        """The type of a message of a schema."""
        return Named(self.prefixes[schema] + MESSAGE)

    @property
    def types(self) -> TypeSet:
        """What programs are compiled with; its scenarios are the schemas."""
        uses: dict[Type, list[Use]] = {}
        for schema in sorted(self.prefixes):
            uses.setdefault(self.type_of(schema), []).append(Use(schema, rows=False, measured=False))
        messages = [MessageType(kind, tuple(own)) for kind, own in uses.items()]
        return TypeSet(SET, self.defined.structs, self.defined.enums, messages)

    def canonical(self, schema: str, value: Mapping[str, Any]) -> bytes:
        """A message of a schema as canonical JSON; fields that it leaves out are null."""
        return json.dumps(self._whole(self.type_of(schema), value), ensure_ascii=False, separators=(",", ":")).encode()

    def _whole(self, of: Type, value: Any) -> Any:
        match of:
            case Named(name) if name in self.defined.structs:
                fields = self.defined.structs[name].fields
                return {field.name: self._whole(field.type, value.get(field.name)) for field in fields}
            case OptionOf(item) if value is not None:
                return self._whole(item, value)
            case ListOf(item) | ArrayOf(item, _):
                return [self._whole(item, one) for one in value]
        return value


def load_changes(path: Path = FILE) -> Changes:
    """The changes of a file. Raises LabError with file, line and field of a mistake."""
    file = read_toml(path, ChangesFile)
    names = [change.name for change in file.changes]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise errors.bad_file(path, None, f"changes.{twice}", "there are two changes of this name")
    definitions = Definitions({}, {})
    first: dict[bytes, str] = {}
    prefixes: dict[str, str] = {}
    for schema, side in _sides(file.changes):
        if MESSAGE not in side.structs:
            raise errors.bad_file(path, None, schema, f"it has no struct {MESSAGE}, which a message is")
        prefixes[schema] = first.setdefault(msgspec.json.encode(side), _prefix(schema))
        if prefixes[schema] == _prefix(schema):
            own = {name: prefixes[schema] + name for name in (*side.structs, *side.enums)}
            definitions.structs.update({own[name]: _renamed(one, own) for name, one in side.structs.items()})
            definitions.enums.update({own[name]: one for name, one in side.enums.items()})
            message = definitions.structs[own[MESSAGE]]
            whole = msgspec.structs.replace(message, attributes=file.attributes | message.attributes)
            definitions.structs[own[MESSAGE]] = whole
    try:
        return Changes(tuple(file.changes), prefixes, define(definitions))
    except MistakeError as error:
        line = find_toml_line(read_text(path), error.keys[2:])
        raise errors.bad_file(path, line, ".".join(error.keys), str(error)) from None


def _sides(changes: list[Change]) -> Iterator[tuple[str, Side]]:
    for change in changes:
        yield f"{change.name}-old", change.old
        yield f"{change.name}-new", change.new


def _prefix(schema: str) -> str:
    return "".join(word.capitalize() for word in schema.split("-"))


def _renamed(struct: Fields, names: Mapping[str, str]) -> Fields:
    """A struct whose fields name the types of its own schema."""
    pattern = re.compile(rf"\b({'|'.join(map(re.escape, names))})\b")

    def kind(text: str) -> str:
        return pattern.sub(lambda match: names[match[1]], text)

    def field(one: str | FieldDefinition) -> str | FieldDefinition:
        return kind(one) if isinstance(one, str) else msgspec.structs.replace(one, kind=kind(one.kind))

    return msgspec.structs.replace(struct, fields={name: field(one) for name, one in struct.fields.items()})
