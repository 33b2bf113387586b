"""Types as a file of schemas/types has them: what `lab try --print-type` and `lab schema` print, and --type reads."""

import re
import tomllib
from collections.abc import Iterable
from typing import Any

from bench.base.protocol import PROTOCOL
from bench.base.visible import visible
from bench.types.definitions import Definitions, EnumDefinition, FieldDefinition, StructDefinition
from bench.types.type_set import EnumType, FieldType, StructType, TypeSet

BARE = re.compile(r"[A-Za-z0-9_-]+")


def types_text(definitions: Definitions, comments: Iterable[str] = ()) -> str:
    """A file of types that reads back equal. Comments stand at its head."""
    lines = [f"# {visible(line)}".rstrip() for comment in comments for line in comment.split("\n")]
    lines += [f"protocol = {PROTOCOL}", ""]
    for name, struct in definitions.structs.items():
        lines += _struct(name, struct)
    for name, enum in definitions.enums.items():
        lines += _enum(name, enum)
    return "\n".join(lines).rstrip() + "\n"


def definitions_of_set(types: TypeSet) -> Definitions:
    """The definitions that a set was made of, without what they say to single libraries."""
    structs = {name: _struct_definition(struct) for name, struct in types.structs.items()}
    return Definitions(structs, {name: _enum_definition(enum) for name, enum in types.enums.items()})


def _struct_definition(struct: StructType) -> StructDefinition:
    return StructDefinition({field.name: _field_definition(field) for field in struct.fields}, struct.about)


def _field_definition(field: FieldType) -> str | FieldDefinition:
    if field.default is None and not field.about:
        return str(field.type)
    return FieldDefinition(str(field.type), field.default, field.about)


def _enum_definition(enum: EnumType) -> EnumDefinition:
    return EnumDefinition(enum.repr, {variant.name: variant.value for variant in enum.variants}, enum.about)


def table_of(definitions: Definitions) -> dict[str, Any]:
    """Types as the table [types] of a scenario."""
    table = tomllib.loads(types_text(definitions))
    return {name: table[name] for name in ("structs", "enums") if name in table}


def _struct(name: str, struct: StructDefinition) -> list[str]:
    about = _about(struct.about, struct.attributes)
    head = [f"[structs.{name}]", *about, ""] if about else []
    fields = [f"{toml_key(key)} = {_field(field)}" for key, field in struct.fields.items()]
    return [*head, f"[structs.{name}.fields]", *fields, ""]


def _enum(name: str, enum: EnumDefinition) -> list[str]:
    variants = [f"{toml_key(key)} = {value}" for key, value in enum.variants.items()]
    head = [f"[enums.{name}]", *_about(enum.about, enum.attributes), f"repr = {toml_value(enum.repr)}", ""]
    return [*head, f"[enums.{name}.variants]", *variants, ""]


def _about(about: str, attributes: Any) -> list[str]:
    lines = [f"about = {toml_value(about)}"] if about else []
    lines += [f"attributes = {toml_value(attributes)}"] if attributes else []
    return lines


def _field(field: str | FieldDefinition) -> str:
    if isinstance(field, str):
        return toml_value(field)
    parts = {"type": field.kind, "default": field.default, "about": field.about or None}
    parts |= {"attributes": field.attributes or None}
    return toml_value({name: value for name, value in parts.items() if value is not None})


def toml_key(key: str) -> str:
    """A key of any characters."""
    return key if BARE.fullmatch(key) else toml_value(key)


def toml_value(value: Any) -> str:
    """A value on one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return '"' + "".join(map(_escaped, value)) + '"'
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml_value, value))}]"
    return f"{{ {', '.join(f'{toml_key(key)} = {toml_value(one)}' for key, one in value.items())} }}"


def _escaped(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    if character.isprintable() and visible(character) == character:
        return character
    return f"\\u{ord(character):04x}" if ord(character) < 0x10000 else f"\\U{ord(character):08x}"
