"""How types are written in Rust: the plain types of runners/rust/messages, and the conditions of filters."""

from collections.abc import Callable, Iterator
from typing import Any

from bench.types.expressions import ArrayOf, ListOf, MapOf, Named, OptionOf, Scalar, TupleOf, Type
from bench.types.names import Names, rust_literal
from bench.types.type_set import FieldType, FilterOf, MessageType, StructType, TypeSet

SEALED = ("crypt", "sealed")
"""`attributes.crypt.sealed = true` of a field: what is encrypted where a codec encrypts a part of each row."""


def plain_type(of: Type, names: Names, module: str = "plain") -> str:
    """A type as the plain types have it."""
    match of:
        case Scalar("string"):
            return "String"
        case Scalar("bytes"):
            return "Vec<u8>"
        case Scalar(name):
            return name
        case Named(name):
            return f"{module}::{names.type(name)}"
        case ListOf(item):
            return f"Vec<{plain_type(item, names, module)}>"
        case ArrayOf(item, length):
            return f"[{plain_type(item, names, module)}; {length}]"
        case MapOf(value):
            return f"BTreeMap<String, {plain_type(value, names, module)}>"
        case OptionOf(item):
            return f"Option<{plain_type(item, names, module)}>"
        case TupleOf(items):
            return f"({', '.join(plain_type(item, names, module) for item in items)})"


def is_octets(of: Type) -> bool:
    """Whether a type is a list or an array of bytes."""
    return isinstance(of, ListOf | ArrayOf) and of.item == Scalar("u8")


def scenarios(message: MessageType, *, files: bool = False) -> str:
    """The scenarios of one value or many messages that measure a type, as a slice of the kit's `Scenario`."""
    each = [f"Scenario::{'rows' if use.rows else 'single'}({rust_literal(use.scenario)})" for use in message.uses]
    chosen = [text for text, use in zip(each, message.uses, strict=True) if use.files == files]
    return f"&[{', '.join(chosen)}]"


def in_memory(types: TypeSet) -> list[MessageType]:
    """The messages that some scenario measures without files."""
    return [message for message in types.messages if any(not use.files for use in message.uses)]


def rows(types: TypeSet, *, encrypted: bool = False) -> list[MessageType]:
    """The structs that are rows of files in some scenario, encrypted or not."""
    return [
        message
        for message in types.messages
        if message.struct_name and any(use.files and use.encrypted == encrypted for use in message.uses)
    ]


def is_rows(message: MessageType) -> bool:
    """Whether a type's messages are rows of files in some scenario."""
    return bool(message.struct_name) and any(use.files for use in message.uses)


def secret(message: MessageType, names: Names) -> str:
    """The plain type of a message's encrypted rows."""
    return f"Encrypted<plain::{names.message(message)}>"


def filter_of(message: MessageType) -> FilterOf | None:
    """The rows that the scenarios of a type select: one type has one filter."""
    return next((use.filter for use in message.uses if use.filter), None)


def sealed_fields(struct: StructType, types: TypeSet) -> list[FieldType]:
    """The fields that are encrypted. Raises ValueError for what is not known, or no struct."""
    library, name = SEALED
    for field in struct.fields:
        said = field.attributes.get(library, {})
        if not said:
            continue
        where = f"struct {struct.name}, field {field.name!r:.80}"
        if said != {name: True}:
            raise ValueError(f"{where}: {library} = {dict(said)} is not known; a field may have `{name} = true`")
        if not types.struct(field.type):
            raise ValueError(f"{where}: {library}.{name} is for structs, not for {field.type}")
    return [field for field in struct.fields if field.attributes.get(library)]


Accessor = Callable[[str, StructType, FieldType], str]
"""An expression of a value, its struct and a field → the expression of the field's value."""


def conditions(
    message: MessageType, types: TypeSet, access: Accessor, literal: Callable[[Type, Any], str], value: str = "self"
) -> Iterator[tuple[FieldType, str]]:
    """The conditions of a message's filter, `equal` first: the field of the message that each is about, and its text.

    `literal` writes what a field is compared with. Raises ValueError for a path that leads to no field.
    """
    selected = filter_of(message) or FilterOf()
    for path, wanted in selected.equal.items():
        first, expression, of = _follow(message, types, access, path, value)
        yield first, f"{expression} == {literal(of, wanted)}"
    for path, text in selected.contains.items():
        first, expression, _ = _follow(message, types, access, path, value)
        yield first, f"{expression}.contains({rust_literal(text)})"


def _follow(
    message: MessageType, types: TypeSet, access: Accessor, path: tuple[str, ...], value: str
) -> tuple[FieldType, str, Type]:
    struct, first, of = types.struct(message.type), None, message.type
    for name in path:
        field = next((one for one in struct.fields if one.name == name), None) if struct else None
        if not struct or not field:
            raise ValueError(
                f"the filter of {message.struct_name} has the path {'.'.join(path)}, which leads to no field"
            )
        first = first or field
        value, of = access(value, struct, field), field.type
        struct = types.struct(of)
    assert first
    return first, value, of
