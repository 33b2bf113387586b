"""What reading each field of a message once must give: the product of `access`, from canonical values.

It is a sum modulo 2^64: a runner's clock measures the reading and little else, and any order of reading gives it.

    a number             itself; a float its bits; one of 128 bits its halves, combined by XOR
    a text, bytes        the number of bytes, and the first of them; so do [u8] and [u8; N]
    a list, a map        the number of elements, and each of them; of maps also each key
    an option            0, or 1 and what it holds
    an enumeration       the number of its variant
    a struct, a tuple    what they are made of
"""

import base64
import struct
from collections.abc import Iterable, Mapping
from typing import Any

from bench.types.expressions import ArrayOf, ListOf, MapOf, Named, OptionOf, TupleOf, Type
from bench.types.fields.field_paths import Known, add_path

MASK = 2**64 - 1


Fields = Mapping[str, Any]
"""Some of a value's fields: field → those within it, nothing for all of it. Lists have those of their items."""


def digest(of: Type, known: Known, value: Any, named: Fields | None = None) -> int:
    """The digest of a value whose numbers are numbers, or text as `parse_canonical` leaves them.

    Of some of its fields it is their digest, and the lengths of the lists that hold them.
    """
    return (_sum_of(of, known, value, named) if named else _sum(of, known, value)) & MASK


def named_fields(of: Type, known: Known, paths: Iterable[str]) -> Fields:
    """The fields at paths such as `logs[].code`. Raises ValueError for a path that leads to no field."""
    result: dict[str, Any] = {}
    for path in paths:
        add_path(result, of, known, path, {})
    return result


def _sum_of(of: Type, known: Known, value: Any, named: Fields) -> int:
    if not named:
        return _sum(of, known, value)
    if isinstance(of, ListOf | ArrayOf):
        return len(value) + sum(_sum_of(of.item, known, one, named) for one in value)
    assert isinstance(of, Named)  # as `named_fields` made them
    kinds = {field.name: field.type for field in known.structs[of.name].fields}
    return sum(_sum_of(kinds[name], known, value[name], within) for name, within in named.items())


def _sum(of: Type, known: Known, value: Any) -> int:
    match of:
        case OptionOf(item):
            return 0 if value is None else 1 + _sum(item, known, value)
        case ListOf(item) | ArrayOf(item, _) if str(item) == "u8":
            return len(value) + (int(value[0]) if value else 0)
        case ListOf(item) | ArrayOf(item, _):
            return len(value) + sum(_sum(item, known, one) for one in value)
        case MapOf(item):
            return len(value) + sum(_of_bytes(key.encode()) + _sum(item, known, one) for key, one in value.items())
        case TupleOf(items):
            return sum(_sum(item, known, one) for item, one in zip(items, value, strict=True))
        case Named(name) if name in known.structs:
            return sum(_sum(field.type, known, value[field.name]) for field in known.structs[name].fields)
        case Named(name):
            return next(variant.value for variant in known.enums[name].variants if variant.name == value)
    return _of_scalar(of.name, value)


def _of_scalar(kind: str, value: Any) -> int:
    match kind:
        case "bool":
            return int(value)
        case "string":
            return _of_bytes(value.encode())
        case "bytes":
            return _of_bytes(base64.b64decode(value))
        case "f32":
            return int.from_bytes(struct.pack("<f", float(value)), "little")
        case "f64":
            return int.from_bytes(struct.pack("<d", float(value)), "little")
        case "u128" | "i128":
            return (int(value) ^ int(value) >> 64) & MASK
    return int(value)


def _of_bytes(data: bytes) -> int:
    return len(data) + (data[0] if data else 0)
