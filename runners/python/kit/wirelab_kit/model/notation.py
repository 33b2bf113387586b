"""The notation of schemaless values: how values of any type enter and leave a runner, one line of JSON each.

Texts, lists, null and booleans are those of JSON; all else is an object of one key that names its type. A value may be
nested more deeply than Python's own recursion goes: it is written without any.
"""

import datetime
import json
import math
import struct
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from json.encoder import encode_basestring
from typing import Any, NamedTuple

from wirelab_kit.base.failure import MalformedError
from wirelab_kit.model.codec import Ext, Forms, Made, Simple, Tag

NAN = "7ff8000000000000"
"""Every NaN: which one it was, few libraries tell."""
READ_DEPTH = 5_000
"""Levels of JSON that are read: maps, with three levels each, nest as deeply as any encoder of Python takes them."""


class _Written(NamedTuple):
    """A part of the line that stands."""

    text: str


def written(value: Any, forms: Forms, limit: int) -> bytes:
    """The line of a value. Raises MalformedError for one that refers to itself, or has more than `limit` parts."""
    with _unlimited_digits():
        return "".join(_parts(value, forms, limit)).encode() + b"\n"


def _parts(value: Any, forms: Forms, limit: int) -> list[str]:
    parts: list[str] = []
    todo: list[Any] = [value]
    while todo:
        one = todo.pop()
        if type(one) in forms:
            one = forms[type(one)](one)
        if isinstance(one, _Written):
            parts.append(one.text)
        elif simple := WRITERS.get(type(one)):
            parts.append(simple(one))
        elif composed := COMPOSED.get(type(one)):
            todo += reversed(list(composed(one)))
        else:
            parts.append(_object("other", [type(one).__name__, str(one)]))
        if len(parts) > limit:
            raise MalformedError(f"the value has more than {limit} parts, or refers to itself")
    return parts


@contextmanager
def _unlimited_digits() -> Iterator[None]:
    """Integers are read and written however many digits they have."""
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        yield
    finally:
        sys.set_int_max_str_digits(before)


def _object(key: str, content: Any) -> str:
    return json.dumps({key: content}, separators=(",", ":"))


def _text(value: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError:
        return _object("surrogates", value.encode("utf-16-be", "surrogatepass").hex())
    return encode_basestring(value)


def _float(value: float) -> str:
    return _object("float", NAN if math.isnan(value) else struct.pack(">d", value).hex())


WRITERS: Mapping[type, Callable[[Any], str]] = {
    str: _text,
    type(None): lambda _: "null",
    bool: lambda value: "true" if value else "false",
    int: lambda value: _object("int", str(value)),
    float: _float,
    bytes: lambda value: _object("bytes", value.hex()),
    bytearray: lambda value: _object("bytes", value.hex()),
    datetime.datetime: lambda value: _object("datetime", value.isoformat().replace("+00:00", "Z")),
    Ext: lambda value: _object("ext", [value.type, bytes(value.data).hex()]),
    Simple: lambda value: _object("simple", value.number),
}


def _list(values: Any) -> Iterator[Any]:
    yield _Written("[")
    for number, value in enumerate(values):
        if number:
            yield _Written(",")
        yield value
    yield _Written("]")


def _map(value: dict[Any, Any]) -> Iterator[Any]:
    yield _Written('{"map":[')
    for number, (key, content) in enumerate(value.items()):
        yield _Written(",[" if number else "[")
        yield key
        yield _Written(",")
        yield content
        yield _Written("]")
    yield _Written("]}")


def _tag(tag: Tag) -> Iterator[Any]:
    yield _Written(f'{{"tag":[{tag.number},')
    yield tag.value
    yield _Written("]}")


COMPOSED: Mapping[type, Callable[[Any], Iterator[Any]]] = {list: _list, tuple: _list, dict: _map, Tag: _tag}


def read(line: bytes, made: Made) -> Any:
    """The value of a line. Raises MalformedError for what is no notation, and where codec or Python have no form."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(READ_DEPTH)
    try:
        with _unlimited_digits():
            return json.loads(line, object_pairs_hook=lambda pairs: _read_object(pairs, made))
    except RecursionError:
        raise MalformedError(f"the notation is nested more than {READ_DEPTH} levels deep") from None
    except (ValueError, TypeError) as error:
        raise MalformedError(f"the input is not the notation of a value: {error}") from None
    finally:
        sys.setrecursionlimit(before)


def _read_object(pairs: list[tuple[str, Any]], made: Made) -> Any:
    """What an object of one key stands for; all within it was read before."""
    if len(pairs) != 1:
        raise MalformedError(f"an object of the notation has one key, not {len(pairs)}")
    ((key, content),) = pairs
    if key in READERS:
        return READERS[key](content)
    if key not in made:
        raise MalformedError(f"this codec has no form for {key}")
    return made[key](PREPARED.get(key, lambda content: content)(content))


def _read_map(pairs: list[list[Any]]) -> dict[Any, Any]:
    value = {_key(key): content for key, content in pairs}
    if len(value) != len(pairs):
        raise MalformedError("two keys of a map are the same to Python, whose dict would lose one")
    return value


def _key(key: Any) -> Any:
    """A key as Python's dict takes it: a list as a tuple."""
    if isinstance(key, list):
        return tuple(map(_key, key))
    if isinstance(key, dict):
        raise MalformedError("a map is the key of a map, which Python's dict does not take")
    return key


def _read_tag(content: list[Any]) -> Tag:
    number, value = content
    return Tag(int(number), value)


def _read_ext(content: list[Any]) -> Ext:
    kind, data = content
    return Ext(int(kind), bytes.fromhex(data))


READERS: Mapping[str, Callable[[Any], Any]] = {
    "int": int,
    "float": lambda bits: struct.unpack(">d", bytes.fromhex(bits))[0],
    "map": _read_map,
    "surrogates": lambda units: bytes.fromhex(units).decode("utf-16-be", "surrogatepass"),
}
"""What Python itself has."""
PREPARED: Mapping[str, Callable[[Any], Any]] = {
    "bytes": bytes.fromhex,
    "datetime": datetime.datetime.fromisoformat,
    "tag": _read_tag,
    "ext": _read_ext,
    "simple": Simple,
}
"""What a codec's function of that key is given."""
