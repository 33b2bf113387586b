"""Canonical values by type: reads canonical JSON and compares two values as their type defines equality.

A number remains text until its type is known: -0 is not 0 as a float, 2^64-1 is not a float at all, and an f32 is
compared by the bits of an f32.
"""

import base64
import binascii
import gc
import json
import re
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

import msgspec

from bench.types.definitions import Defined
from bench.types.expressions import ArrayOf, ListOf, MapOf, Named, OptionOf, Scalar, TupleOf, Type, parts

F64, BITS = struct.Struct("<d"), struct.Struct("<Q")
LEAST_NORMAL_F32 = 2.0**-126
BEYOND_F32 = 2**29 - 1
"""The bits of an f64 that an f32 has no room for."""
MIDDLE_OF_F32 = 2**28
"""These bits in the middle between two f32."""


class Number(str):
    """A JSON number as it was written."""


def parse_canonical(text: bytes, *, rows: bool) -> list[Any]:
    """Canonical JSON (one value) or JSON Lines (rows) as values whose numbers remain text.

    Raises ValueError with the line that is not JSON.
    """
    # Not splitlines, which also splits at characters that may stand unescaped in JSON strings.
    lines = text.decode("utf-8").removesuffix("\n").split("\n") if rows else [text.decode("utf-8")]
    values = []
    with _uncollected():
        for number, line in enumerate(lines, start=1):
            try:
                values.append(json.loads(line, parse_int=Number, parse_float=Number, parse_constant=Number))
            except json.JSONDecodeError as error:
                raise ValueError(f"line {number}: not JSON ({error.msg} at column {error.colno})") from None
    return values


@contextmanager
def _uncollected() -> Iterator[None]:
    """Values hold no cycles: looking for some among millions of them takes as long as reading."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


NEGATIVE_ZERO = re.compile(rb"-0(?![0-9.eE])")


def normal(text: bytes, *, rows: bool) -> bytes | None:
    """Canonical JSON or JSON Lines as msgspec writes it; None for text that it does not read as it stands.

    Texts that are equal so hold equal values, whatever their type. Others may: `first_difference` tells.
    """
    if NEGATIVE_ZERO.search(text):
        return None  # an integer to msgspec, which has one zero
    lines = text.removesuffix(b"\n").split(b"\n") if rows else [text]
    try:
        with _uncollected():
            return msgspec.json.encode([msgspec.json.decode(line) for line in lines])
    except (ValueError, RecursionError):
        return None


def read_alike(of: Type, defined: Defined, value: Any) -> Any:
    """A decoded value of a type in which the text of each f32 denotes the same one to every reader.

    Close to the middle between two f32, text that is read as an f64 and rounded again may become the other one.
    """
    if value is None or not _holds_f32(of, defined):
        return value
    match of:
        case OptionOf(item):
            return read_alike(item, defined, value)
        case Named(name):
            types = {field.name: field.type for field in defined.structs[name].fields}
            return {key: read_alike(types[key], defined, one) for key, one in value.items()}
        case MapOf(inner):
            return {key: read_alike(inner, defined, one) for key, one in value.items()}
        case ListOf(item) | ArrayOf(item, _):
            return [read_alike(item, defined, one) for one in value]
        case TupleOf(items):
            return [read_alike(item, defined, one) for item, one in zip(items, value, strict=True)]
    return read_alike_f32(value)


def read_alike_f32(value: float) -> float:
    """A number of the range of an f32; see `read_alike`."""
    if abs(value) >= LEAST_NORMAL_F32 and BITS.unpack(F64.pack(value))[0] & BEYOND_F32 != MIDDLE_OF_F32:
        return value
    import numpy as np  # its import takes a tenth of a second, and few types have an f32

    single = np.float32(value)
    beyond = np.nextafter(single, np.float32(np.copysign(np.inf, value - float(single))))
    middle, text = Decimal(value), Decimal(repr(value))
    if value - float(single) != float(beyond) - value or text == middle:
        return value
    return float(str(single)) if (text < middle) == (beyond < single) else value


def _holds_f32(of: Type, defined: Defined) -> bool:
    if isinstance(of, Named) and of.name in defined.structs:
        return any(_holds_f32(field.type, defined) for field in defined.structs[of.name].fields)
    return of == Scalar("f32") or any(_holds_f32(part, defined) for part in parts(of))


def first_difference(of: Type, defined: Defined, left: Any, right: Any, path: str = "$") -> str | None:
    """The first difference between two values of a type, with both sides; None if they are equal."""
    match of:
        case OptionOf(item):
            if left is None and right is None:
                return None
            return first_difference(item, defined, left, right, path)
        case Named(name) if name in defined.structs:
            fields = {field.name: field.type for field in defined.structs[name].fields}
            return _difference_of_structs(fields, defined, left, right, path)
        case MapOf(value):
            return _difference_of_maps(value, defined, left, right, path)
        case ListOf(item):
            return _difference_of_lists([item] * _length(left, right), defined, left, right, path)
        case ArrayOf(item, length):
            return _difference_of_lists([item] * length, defined, left, right, path)
        case TupleOf(items):
            return _difference_of_lists(list(items), defined, left, right, path)
    try:
        equal = _comparable(of, defined, left) == _comparable(of, defined, right)
    except (ValueError, TypeError, OverflowError, struct.error, binascii.Error) as error:
        return f"{_both(path, left, right)} ({error})"
    return None if equal else _both(path, left, right)


def _length(left: Any, right: Any) -> int:
    return max((len(side) for side in (left, right) if isinstance(side, list)), default=0)


def _difference_of_lists(items: list[Type], defined: Defined, left: Any, right: Any, path: str) -> str | None:
    if not (isinstance(left, list) and isinstance(right, list)):
        return _both(path, left, right)
    if not len(left) == len(right) == len(items):
        return f"{path}: {len(left)} elements against {len(right)}" + (
            f"; the type has {len(items)}" if len(left) == len(right) else ""
        )
    each = enumerate(zip(items, left, right, strict=True))
    return next((d for i, (t, a, b) in each if (d := first_difference(t, defined, a, b, f"{path}[{i}]"))), None)


def _difference_of_structs(fields: dict[str, Type], defined: Defined, left: Any, right: Any, path: str) -> str | None:
    for side, value in (("left", left), ("right", right)):
        if not isinstance(value, dict):
            return f"{path}: the {side} side is not an object: {value!r:.80}"
        if value.keys() != fields.keys():
            return f"{path}: the {side} side has fields {', '.join(value)}; the type has {', '.join(fields)}"
    each = fields.items()
    return next((d for n, t in each if (d := first_difference(t, defined, left[n], right[n], f"{path}.{n}"))), None)


def _difference_of_maps(value: Type, defined: Defined, left: Any, right: Any, path: str) -> str | None:
    if not (isinstance(left, dict) and isinstance(right, dict)):
        return _both(path, left, right)
    if left.keys() != right.keys():
        return f"{path}: {_both('keys', sorted(left), sorted(right))}"
    return next((d for n in left if (d := first_difference(value, defined, left[n], right[n], f"{path}[{n!r}]"))), None)


def _comparable(of: Type, defined: Defined, value: Any) -> Any:
    """A scalar or a variant in a form whose equality is that of its type. Raises ValueError for one of another type."""
    kind = str(of)
    if kind in ("f32", "f64") and isinstance(value, Number):
        return struct.pack("<f" if kind == "f32" else "<d", float(value))
    if (integer := re.fullmatch(r"([ui])(8|16|32|64|128)", kind)) and isinstance(value, str):
        number, bits = int(value), int(integer[2])
        low, high = (0, 2**bits) if integer[1] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1))
        if low <= number < high and (bits == 128 or isinstance(value, Number)):
            return number
    elif kind == "bytes" and isinstance(value, str):
        return base64.b64decode(value, validate=True)
    elif kind in defined.enums:
        if value in {variant.name for variant in defined.enums[kind].variants}:
            return value
    elif isinstance(value, {"bool": bool, "string": str}.get(kind, ())) and not isinstance(value, Number):
        return value
    raise ValueError(f"{value!r:.80} is not a valid {kind}")


def _both(path: str, left: Any, right: Any) -> str:
    return f"{path}: {left!r:.80} against {right!r:.80}"
