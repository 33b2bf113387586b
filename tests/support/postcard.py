"""postcard's encoding of a canonical value, from its specification: a second opinion that needs no runner.

Source: the postcard wire format, postcard.jamesmunns.com/wire-format.
"""

import struct
from typing import Any

from bench.types.definitions import Defined
from bench.types.expressions import ArrayOf, ListOf, Named, OptionOf, Scalar, TupleOf, Type


def encoded(of: Type, defined: Defined, value: Any) -> bytes:
    """The bytes of a value of a type without maps and without integers of 128 bits."""
    parts: list[bytes] = []
    _add(parts, of, defined, value)
    return b"".join(parts)


def _add(parts: list[bytes], of: Type, defined: Defined, value: Any) -> None:
    match of:
        case Scalar(name):
            parts.append(_scalar(name, value))
        case OptionOf(item):
            parts.append(b"\0" if value is None else b"\1")
            if value is not None:
                _add(parts, item, defined, value)
        case Named(name) if name in defined.structs:
            for field in defined.structs[name].fields:
                _add(parts, field.type, defined, value[field.name])
        case Named(name):
            parts.append(_varint([variant.name for variant in defined.enums[name].variants].index(value)))
        case ListOf(item):
            parts.append(_varint(len(value)))
            for one in value:
                _add(parts, item, defined, one)
        case ArrayOf(item, length):
            _add(parts, TupleOf((item,) * length), defined, value)
        case TupleOf(items):
            for kind, one in zip(items, value, strict=True):
                _add(parts, kind, defined, one)


def _scalar(name: str, value: Any) -> bytes:
    if name == "string":
        text = str(value).encode()
        return _varint(len(text)) + text
    if name in ("bool", "u8", "i8"):
        return bytes([value & 0xFF])
    if name in ("f32", "f64"):
        return struct.pack("<f" if name == "f32" else "<d", value)
    return _varint(value if name[0] == "u" else value * 2 if value >= 0 else -value * 2 - 1)


def _varint(value: int) -> bytes:
    groups = []
    while value > 0x7F:
        groups.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*groups, value])
