"""What Glaze is told of structs: nothing, where its reflection sees the names of all fields."""

from collections.abc import Callable
from typing import Any

from bench.types.names import Names, cpp_literal
from bench.types.type_set import PUBLISHED, EnumType, MessageType, StructType, TypeSet

MOST_REFLECTED = 128
"""Members that Glaze's reflection of an aggregate can see (max_pure_reflection_count)."""

LONGEST = 255
"""Bytes of a name that JSON's reader finds: its hash has a name's length in one byte (unique_per_length)."""


def is_reflected(struct: StructType, names: Names) -> bool:
    """Whether the members' names are those of the fields."""
    return len(struct.fields) <= MOST_REFLECTED and all(
        names.field(struct, field) == field.name for field in struct.fields
    )


def as_it_is(text: str) -> str:
    """A name as formats without quotes have it."""
    return text


def in_json(text: str) -> str:
    """A name as it stands between quotes in JSON, itself without a quote: Glaze looks for the one that ends it."""
    return "".join(f"\\u{ord(one):04x}" if one < " " or one in '"\\' else one for one in text)


def has_names(enum: EnumType, written: Callable[[str], str] = as_it_is) -> bool:
    """Whether Glaze can be told the names of an enumeration: largest less least value fits into their type.

    It writes the number in place of an empty name, and refuses it where it reads names.
    """
    values = [variant.value for variant in enum.variants]
    if enum.repr in ("i32", "i64") and max(values) - min(values) >= 2 ** (int(enum.repr[1:]) - 1):
        return False
    names = [variant.name for variant in enum.variants]
    return all(names) and (written is not in_json or all(map(is_found, names)))


def is_found(name: str) -> bool:
    """Whether JSON's reader finds a name among others."""
    return len(in_json(name).encode("utf-8", "surrogatepass")) <= LONGEST


def is_read(message: MessageType, types: TypeSet) -> bool:
    """Whether JSON's reader finds the names of all fields of a message."""
    structs = [types.structs[name] for name in types.reachable(message.type) if name in types.structs]
    return all(is_found(field.name) for struct in structs for field in struct.fields)


def named(struct: StructType, names: Names, written: Callable[[str], str] = as_it_is) -> str:
    """The struct's `glz::meta`, with a literal for the name of each field."""
    fields = ",\n               ".join(
        f"{cpp_literal(written(field.name))}, &T::{names.field(struct, field)}" for field in struct.fields
    )
    return f"""
template <>
struct glz::meta<wirelab::types::{names.type(struct.name)}> {{
    using T = wirelab::types::{names.type(struct.name)};
    static constexpr auto value =
        object({fields});
}};
"""


def variants(enum: EnumType, names: Names, written: Callable[[str], str] = as_it_is) -> str:
    """The enumeration's `glz::meta`, with a literal for the name of each variant."""
    kind = f"wirelab::types::{names.type(enum.name)}"
    pairs = ", ".join(f"{cpp_literal(written(one.name))}, {names.variant(enum, one)}" for one in enum.variants)
    return f"""
template <>
struct glz::meta<{kind}> {{
    using enum {kind};
    static constexpr auto value = glz::enumerate({pairs});
}};
"""


def context(types: TypeSet, names: Names) -> dict[str, Any]:
    """What the templates call."""
    return {
        "has_names": has_names,
        "in_json": in_json,
        "is_published": types.name == PUBLISHED,
        "is_read": lambda message: is_read(message, types),
        "is_reflected": lambda struct: is_reflected(struct, names),
        "named": lambda struct, written=as_it_is: named(struct, names, written),
        "variants": lambda enum, written=as_it_is: variants(enum, names, written),
    }
