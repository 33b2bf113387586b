"""Special values, as schemas/special.toml has them, and the set of types that the typed ones make."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct

from bench.base import errors
from bench.base.files import find_toml_line, read_text, read_toml
from bench.base.paths import SCHEMAS
from bench.model.fields import Positive, Text, Version
from bench.types.definitions import AttributeTable, Defined, Definitions, MistakeError, StructDefinition, define
from bench.types.expressions import Named, Type
from bench.types.schemaless import NotationError, parse
from bench.types.type_set import MessageType, TypeSet, Use
from bench.types.values import first_difference, parse_canonical

FILE = SCHEMAS / "special.toml"
SET = "special"
FIELD = "value"
"""The only field of a typed message, and the only key of one without a type."""


class Nested(Struct, frozen=True, forbid_unknown_fields=True):
    """Lists within each other."""

    lists: Positive


class SpecialFile(Struct, frozen=True, forbid_unknown_fields=True):
    """schemas/special.toml."""

    protocol: Version
    untyped: dict[Text, Text | Nested]
    typed: dict[Text, Annotated[dict[Text, Text], Meta(min_length=1)]]
    """Type → name → value."""
    attributes: AttributeTable = {}
    """Of the struct of every message."""


class Typed(Struct, frozen=True):
    """A message with a special value."""

    name: str
    """The type and the name."""
    scenario: str
    """As programs of the set know its type."""
    type: Type
    message: bytes
    """Canonical JSON."""


class Special(Struct, frozen=True):
    """All special values, with the types of those that have one."""

    untyped: Mapping[str, bytes]
    """Name → a map of FIELD and the value, as a line in the notation of values without a type."""
    typed: tuple[Typed, ...]
    defined: Defined

    @property
    def types(self) -> TypeSet:
        """What programs are compiled with; its scenarios are the types."""
        kinds = {one.scenario: one.type for one in self.typed}
        messages = [MessageType(kind, (Use(name, rows=False, measured=False),)) for name, kind in kinds.items()]
        return TypeSet(SET, self.defined.structs, self.defined.enums, messages)


def load_special(path: Path = FILE) -> Special:
    """The special values of a file. Raises LabError with file, line and name of a mistake."""
    file = read_toml(path, SpecialFile)
    names = {kind: f"Special{number}" for number, kind in enumerate(file.typed)}
    structs = {names[kind]: StructDefinition({FIELD: kind}, attributes=file.attributes) for kind in file.typed}
    try:
        defined = define(Definitions(structs, {}))
    except MistakeError as error:
        kind = next((kind for kind, name in names.items() if name in error.keys), "")
        line = find_toml_line(read_text(path), ["typed", kind])
        raise errors.bad_file(path, line, f"typed.{kind}", str(error)) from None
    special = Special(
        untyped={name: _line(path, name, one) for name, one in file.untyped.items()},
        typed=tuple(_typed(file, names)),
        defined=defined,
    )
    for one in special.typed:
        if problem := _problem(one, defined):
            raise errors.bad_file(path, None, one.name, problem)
    return special


def _line(path: Path, name: str, given: str | Nested) -> bytes:
    value = "[" * given.lists + "]" * given.lists if isinstance(given, Nested) else given
    line = f'{{"map":[["{FIELD}",{value}]]}}\n'.encode()
    try:
        parse(line)
    except NotationError as error:
        raise errors.bad_file(path, find_toml_line(read_text(path), ["untyped", name]), name, str(error)) from None
    return line


def _typed(file: SpecialFile, names: Mapping[str, str]) -> Iterator[Typed]:
    for kind, values in file.typed.items():
        for name, value in values.items():
            message = f'{{"{FIELD}":{value}}}'.encode()
            yield Typed(f"{kind}: {name}", names[kind].lower(), Named(names[kind]), message)


def _problem(one: Typed, defined: Defined) -> str | None:
    """Why a message is not of its type; None if it is."""
    try:
        (value,) = parse_canonical(one.message, rows=False)
    except (ValueError, json.JSONDecodeError) as error:
        return str(error)
    return first_difference(one.type, defined, value, value)
