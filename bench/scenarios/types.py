"""Canonical values by type: reads canonical JSON and compares two values as their type defines equality.

A number remains text until its type is known: -0 is not 0 as a float, 2^64-1 is not a float at all, and an f32 is
compared by the bits of an f32.
"""

import base64
import binascii
import json
import re
import struct
from functools import cache
from typing import Any

from msgspec import Struct

from bench.base.files import read_toml
from bench.base.paths import SCHEMAS
from bench.model.offers import Feature


class Enumeration(Struct, frozen=True, forbid_unknown_fields=True):
    """A closed set of names over an integer type."""

    repr: str
    variants: dict[str, int]


class Types(Struct, frozen=True, forbid_unknown_fields=True):
    """schemas/types.toml."""

    protocol: int
    structs: dict[str, dict[str, str]]
    enums: dict[str, Enumeration]


SCALARS = {"bool", "string", "bytes", "f32", "f64"} | {
    f"{sign}{bits}" for sign in "ui" for bits in (8, 16, 32, 64, 128)
}


class Number(str):
    """A JSON number as it was written."""


@cache
def load_types() -> Types:
    """The types of schemas/types.toml."""
    return read_toml(SCHEMAS / "types.toml", Types)


def is_known(kind: str) -> bool:
    """Whether `kind` is a scalar, a struct or an enumeration of schemas/types.toml, or a list of such."""
    if kind.startswith("[") and kind.endswith("]"):
        return is_known(kind[1:-1])
    return kind in SCALARS or kind in load_types().structs or kind in load_types().enums


def features(kind: str) -> set[Feature]:
    """What a type has that not every library can take. A u64 counts, whatever its values."""
    found = _features(kind)
    return found | {Feature.LIST_MESSAGE} if kind.startswith("[") else found


def _features(kind: str) -> set[Feature]:
    types = load_types()
    if kind.startswith("["):
        inner = kind[1:-1]
        own = {Feature.NESTED_LIST} if inner.startswith("[") else set()
        return own | ({Feature.STRUCT_LIST} if inner in types.structs else set()) | _features(inner)
    if kind.startswith("{"):
        return {Feature.MAP} | _features(kind[1:-1])
    if fields := types.structs.get(kind):
        return {Feature.STRUCT}.union(*map(_features, fields.values()))
    if kind in types.enums:
        wide = any(not -(2**31) <= value < 2**31 for value in types.enums[kind].variants.values())
        return {Feature.WIDE_ENUM} if wide else set()
    return {Feature.U64} if kind == "u64" else {Feature.U128} if kind in ("u128", "i128") else set()


def parse_canonical(text: bytes, *, rows: bool) -> list[Any]:
    """Canonical JSON (one value) or JSON Lines (rows) as values whose numbers remain text.

    Raises ValueError with the line that is not JSON.
    """
    # Not splitlines, which also splits at characters that may stand unescaped in JSON strings.
    lines = text.decode("utf-8").removesuffix("\n").split("\n") if rows else [text.decode("utf-8")]
    values = []
    for number, line in enumerate(lines, start=1):
        try:
            values.append(json.loads(line, parse_int=Number, parse_float=Number, parse_constant=Number))
        except json.JSONDecodeError as error:
            raise ValueError(f"line {number}: not JSON ({error.msg} at column {error.colno})") from None
    return values


def first_difference(kind: str, left: Any, right: Any, path: str = "$") -> str | None:
    """The first difference between two values of type `kind`, with both sides; None if they are equal."""
    types = load_types()
    if kind in types.structs:
        return _difference_of_structs(types.structs[kind], left, right, path)
    if kind.startswith("{"):
        return _difference_of_maps(kind[1:-1], left, right, path)
    if kind.startswith("["):
        if not (isinstance(left, list) and isinstance(right, list)):
            return _both(path, left, right)
        if len(left) != len(right):
            return f"{path}: {len(left)} elements against {len(right)}"
        pairs = enumerate(zip(left, right, strict=True))
        return next((d for i, (a, b) in pairs if (d := first_difference(kind[1:-1], a, b, f"{path}[{i}]"))), None)
    try:
        equal = _comparable(kind, left) == _comparable(kind, right)
    except (ValueError, TypeError, OverflowError, struct.error, binascii.Error) as error:
        return f"{_both(path, left, right)} ({error})"
    return None if equal else _both(path, left, right)


def _difference_of_structs(fields: dict[str, str], left: Any, right: Any, path: str) -> str | None:
    for side, value in (("left", left), ("right", right)):
        if not isinstance(value, dict):
            return f"{path}: the {side} side is not an object: {value!r:.80}"
        if value.keys() != fields.keys():
            return f"{path}: the {side} side has fields {', '.join(value)}; the type has {', '.join(fields)}"
    return next((d for n, t in fields.items() if (d := first_difference(t, left[n], right[n], f"{path}.{n}"))), None)


def _difference_of_maps(kind: str, left: Any, right: Any, path: str) -> str | None:
    if not (isinstance(left, dict) and isinstance(right, dict)):
        return _both(path, left, right)
    if left.keys() != right.keys():
        return f"{path}: {_both('keys', sorted(left), sorted(right))}"
    return next((d for n in left if (d := first_difference(kind, left[n], right[n], f"{path}[{n!r}]"))), None)


def _comparable(kind: str, value: Any) -> Any:
    """A scalar in a form whose equality is that of its type. Raises ValueError for a value of another type."""
    if kind in ("f32", "f64") and isinstance(value, Number):
        return struct.pack("<f" if kind == "f32" else "<d", float(value))
    if (integer := re.fullmatch(r"([ui])(8|16|32|64|128)", kind)) and isinstance(value, str):
        number, bits = int(value), int(integer[2])
        low, high = (0, 2**bits) if integer[1] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1))
        if low <= number < high and (bits == 128 or isinstance(value, Number)):
            return number
    elif kind == "bytes" and isinstance(value, str):
        return base64.b64decode(value, validate=True)
    elif kind in load_types().enums:
        if value in load_types().enums[kind].variants:
            return value
    elif isinstance(value, {"bool": bool, "string": str}.get(kind, ())) and not isinstance(value, Number):
        return value
    raise ValueError(f"{value!r:.80} is not a valid {kind}")


def _both(path: str, left: Any, right: Any) -> str:
    return f"{path}: {left!r:.80} against {right!r:.80}"
