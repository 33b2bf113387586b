"""What the templates of the plain structs and of their canonical JSON call."""

from collections.abc import Callable
from typing import Any

from bench.types.definitions import Defined
from bench.types.expressions import ArrayOf, Scalar, TupleOf, Type
from bench.types.features import features
from bench.types.generation import shared
from bench.types.names import Names
from bench.types.type_set import EnumType, MessageType, TypeSet

cpp_types = shared("cpp_types")


def begins_as(of: Type, types: TypeSet) -> str:
    """What follows the name of a member whose type would begin with any value at all."""
    if isinstance(of, Scalar):
        return "" if of.name in ("string", "bytes") else "{}"
    return "{}" if isinstance(of, ArrayOf | TupleOf) or types.enum(of) else ""


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
        "begins_as": lambda of: begins_as(of, types),
        "features": lambda message: message_features(message, types),
        "value_text": value_text,
        "scenarios": lambda message: [use for use in message.uses if not use.files],
    }
