"""What the templates of the plain structs and of their canonical JSON call."""

from collections.abc import Callable
from typing import Any

from bench.types.definitions import Defined
from bench.types.expressions import ArrayOf, OptionOf, Scalar, TupleOf
from bench.types.features import features
from bench.types.generation import shared
from bench.types.names import Names, cpp_literal
from bench.types.type_set import EnumType, FieldType, MessageType, TypeSet

cpp_types = shared("cpp_types")


def begins_as(field: FieldType, types: TypeSet, names: Names) -> str:
    """What follows the name of a member with a default, or whose type would begin with any value at all."""
    of = field.type
    if field.default is not None:
        return f"{{{default_value(field, types, names)}}}"
    if isinstance(of, Scalar):
        return "" if of.name in ("string", "bytes") else "{}"
    return "{}" if isinstance(of, ArrayOf | TupleOf) or types.enum(of) else ""


def default_value(field: FieldType, types: TypeSet, names: Names) -> str:
    """A field's default as an expression."""
    of = field.type.item if isinstance(field.type, OptionOf) else field.type
    if enum := types.enum(of):
        variant = next(one for one in enum.variants if one.name == field.default)
        return f"{names.type(enum.name)}::{names.variant(enum, variant)}"
    if isinstance(field.default, str):
        return cpp_literal(field.default)
    return f"{field.default!r}F" if of == Scalar("f32") else str(field.default).lower()


def message_features(message: MessageType, types: TypeSet) -> list[str]:
    """What not every library can take, sorted."""
    return sorted(features(message.type, Defined(types.structs, types.enums)))


def value_text(enum: EnumType, value: int) -> str:
    """A variant's number; the least number of 64 bits has no literal."""
    if value == -(2**63):
        return "INT64_MIN"
    return f"{value}u" if enum.repr == "u64" else str(value)


def context(types: TypeSet, names: Names) -> dict[str, Callable[..., Any]]:
    """What the templates call."""
    return {
        "plain": lambda of: cpp_types.plain(of, names),
        "shape": lambda of: cpp_types.shape(of, names, "types::"),
        "begins_as": lambda field: begins_as(field, types, names),
        "features": lambda message: message_features(message, types),
        "value_text": value_text,
        "scenarios": lambda message: [use for use in message.uses if not use.files],
    }
