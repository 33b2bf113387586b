"""Values of any type: what `encode --type any` and `decode --type any` of a runner read and write, a line of JSON each.

A value is None, a bool, an int, a float, a str (which may hold lone surrogates), bytes, a list, or a struct below.
Nothing here recurses: a value may be nested as deeply as memory allows.
"""

import datetime
import hashlib
import json
import math
import re
import struct
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from msgspec import Struct

NAN = "7ff8000000000000"
"""The bits of every NaN: few libraries tell which one it was."""
F64 = struct.Struct(">d")
DATE_TEXT, EPOCH, BIG, BIG_NEGATIVE = 0, 1, 2, 3
"""Tags of RFC 8949, section 3.4."""
TIMESTAMP = -1
"""The type of an extension that is a time."""


class Map(Struct, frozen=True):
    """Keys of any type and their values, in the order of the message; a key may stand twice."""

    pairs: tuple[tuple[Any, Any], ...]


class Tag(Struct, frozen=True):
    """A value with a number that says what it means."""

    number: int
    value: Any


class Ext(Struct, frozen=True):
    """Bytes with a number that says what they are."""

    type: int
    data: bytes


class Simple(Struct, frozen=True):
    """A value that is nothing but its number."""

    number: int


class Datetime(Struct, frozen=True):
    """A date, a time or both, as RFC 3339 writes them."""

    text: str


class BadText(Struct, frozen=True):
    """A text that is not UTF-8."""

    data: bytes


class Other(Struct, frozen=True):
    """A value of a type of the library's own."""

    type: str
    text: str


class NotationError(ValueError):
    """A line is not the notation of a value."""


# writing


class _Written(Struct, frozen=True):
    """A part of the line that stands."""

    text: str


def line_of(value: Any) -> bytes:
    """The line of a value, with its end."""
    parts: list[str] = []
    todo = [value]
    while todo:
        one = todo.pop()
        if isinstance(one, _Written):
            parts.append(one.text)
        elif writer := _SCALARS.get(type(one)):
            parts.append(writer(one))
        else:
            todo += reversed(list(_COMPOSED[type(one)](one)))
    return "".join(parts).encode() + b"\n"


def _object(key: str, content: object) -> str:
    return json.dumps({key: content}, ensure_ascii=False, separators=(",", ":"))


def _text(value: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError:
        return _object("surrogates", value.encode("utf-16-be", "surrogatepass").hex())
    return json.dumps(value, ensure_ascii=False)


def _digits(value: int) -> str:
    """Decimal digits, of which `str` gives a few thousand at most."""
    return str(value) if value.bit_length() < 10_000 else format(Decimal(value), "f")


_SCALARS: Mapping[type, Callable[[Any], str]] = {
    type(None): lambda _: "null",
    bool: lambda value: "true" if value else "false",
    str: _text,
    int: lambda value: _object("int", _digits(value)),
    float: lambda value: _object("float", NAN if math.isnan(value) else F64.pack(value).hex()),
    bytes: lambda value: _object("bytes", value.hex()),
    Ext: lambda value: _object("ext", [value.type, value.data.hex()]),
    Simple: lambda value: _object("simple", value.number),
    Datetime: lambda value: _object("datetime", value.text),
    BadText: lambda value: _object("badtext", value.data.hex()),
    Other: lambda value: _object("other", [value.type, value.text]),
}


def _list(values: list[Any]) -> Iterator[Any]:
    yield _Written("[")
    for number, value in enumerate(values):
        if number:
            yield _Written(",")
        yield value
    yield _Written("]")


def _map(value: Map) -> Iterator[Any]:
    yield _Written('{"map":[')
    for number, (key, content) in enumerate(value.pairs):
        yield from (_Written(",[" if number else "["), key, _Written(","), content, _Written("]"))
    yield _Written("]}")


def _tag(tag: Tag) -> Iterator[Any]:
    yield from (_Written(f'{{"tag":[{tag.number},'), tag.value, _Written("]}"))


_COMPOSED: Mapping[type, Callable[[Any], Iterator[Any]]] = {list: _list, Map: _map, Tag: _tag}


# reading

TOKEN = re.compile(
    r"[ \t\r\n]*(?:([\[\]{}:,])"
    r'|("(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")'
    r"|(null|true|false)|(-?[0-9]{1,20}))"
)
_WORDS = {"null": None, "true": True, "false": False}


class _Number(int):
    """A number of JSON itself: a type or a number within an object, never a value."""


class _Open:
    """A list or an object that has not ended yet, or the line itself."""

    def __init__(self, bracket: str) -> None:
        self.bracket = bracket
        self.items: list[Any] = []
        self.expects = "key" if bracket == "{" else "first"

    def add(self, item: Any) -> None:
        if self.expects not in ("first", "value", "key") or (self.expects == "key" and not isinstance(item, str)):
            raise NotationError("a comma or a colon is missing")
        self.items.append(item)
        self.expects = "colon" if self.expects == "key" else "end"

    def go_on(self, mark: str) -> None:
        """Takes a comma or a colon."""
        wanted = {("[", "end"): ",", ("{", "colon"): ":"}.get((self.bracket, self.expects))
        if mark != wanted:
            raise NotationError(f"{mark!r} is not expected here")
        self.expects = "value"

    def closed(self, bracket: str) -> Any:
        """What it holds, now that it ends."""
        if self.bracket + bracket not in ("[]", "{}") or self.expects not in ("end", "first"):
            raise NotationError(f"{bracket!r} is not expected here")
        if bracket == "]":
            return self.items
        key, content = self.items
        try:
            return _READERS[key](content)
        except (KeyError, ValueError, TypeError, struct.error):
            raise NotationError(f"an object with the key {key!r} and {str(content)[:80]!r} is no value") from None


def parse(line: bytes) -> Any:
    """The value of a line. Raises NotationError."""
    try:
        text = line.decode().rstrip()
    except UnicodeDecodeError as error:
        raise NotationError(f"the line is not UTF-8: {error}") from None
    position, opened = 0, [_Open("")]
    while position < len(text):
        token = TOKEN.match(text, position)
        if token is None:
            raise NotationError(f"character {position}: no value begins with {text[position : position + 20]!r}")
        position = token.end()
        try:
            _take(token, opened)
        except NotationError as error:
            raise NotationError(f"character {position}: {error}") from None
    if len(opened) != 1 or len(opened[0].items) != 1 or isinstance(opened[0].items[0], _Number):
        raise NotationError("the line is not one whole value")
    return opened[0].items[0]


def _take(token: "re.Match[str]", opened: list[_Open]) -> None:
    mark, quoted, word, number = token.groups()
    if mark in ("[", "{"):
        opened.append(_Open(mark))
    elif mark in (",", ":"):
        opened[-1].go_on(mark)
    elif mark:
        value = opened.pop().closed(mark)
        if not opened:
            raise NotationError(f"{mark!r} closes nothing")
        if isinstance(value, list) and opened[-1].bracket != "{" and any(isinstance(one, _Number) for one in value):
            raise NotationError('a number stands without its type: it is {"int":"…"}')
        opened[-1].add(value)
    elif quoted:
        opened[-1].add(json.loads(quoted))
    else:
        opened[-1].add(_Number(number) if number else _WORDS[word])


def _pairs(content: Any) -> Map:
    return Map(tuple((key, value) for key, value in (_checked(pair, list) for pair in _checked(content, list))))


def _checked(content: Any, kind: type) -> Any:
    """What an object holds, if it is of the type that its key says."""
    if not isinstance(content, kind):
        raise TypeError
    return content


def _numbered(make: Callable[[int, Any], Any]) -> Callable[[Any], Any]:
    def read(content: Any) -> Any:
        number, value = _checked(content, list)
        if isinstance(value, _Number):
            raise TypeError
        return make(int(_checked(number, _Number)), value)

    return read


def _named(content: Any) -> Other:
    name, text = _checked(content, list)
    return Other(_checked(name, str), _checked(text, str))


def _exact(digits: str) -> int:
    """An integer of any length. Raises ValueError."""
    if not re.fullmatch("-?[0-9]+", digits):
        raise ValueError
    return int(digits) if len(digits) < 4_000 else int(Decimal(digits))


_READERS: Mapping[str, Callable[[Any], Any]] = {
    "int": _exact,
    "float": lambda bits: F64.unpack(bytes.fromhex(bits))[0],
    "bytes": bytes.fromhex,
    "map": _pairs,
    "tag": _numbered(Tag),
    "ext": _numbered(lambda number, data: Ext(number, bytes.fromhex(data))),
    "simple": lambda number: Simple(int(_checked(number, _Number))),
    "datetime": lambda text: Datetime(_checked(text, str)),
    "surrogates": lambda units: bytes.fromhex(units).decode("utf-16-be", "surrogatepass"),
    "badtext": lambda data: BadText(bytes.fromhex(data)),
    "other": _named,
}


# JSON documents


def from_json(document: bytes | str, *, integral_floats: bool = False) -> Any:
    """The value of a JSON text: numbers with a point or an exponent are floats, others ints of any length.

    With `integral_floats` a float without a fraction is an int, as in JavaScript: 1.0 is 1. Raises NotationError.
    """

    def number(text: str) -> int | float:
        value = float(text)
        return int(value) if integral_floats and value.is_integer() else value

    def pairs(items: list[tuple[str, Any]]) -> Map:
        return Map(tuple(items))

    try:
        return json.loads(
            document, parse_int=_exact, parse_float=number, parse_constant=_exact, object_pairs_hook=pairs
        )
    except RecursionError:
        raise NotationError("the document is nested too deeply") from None
    except ValueError as error:
        raise NotationError(f"not JSON: {error}") from None


# comparison


def same(one: Any, other: Any, *, integral_floats: bool = False) -> bool:
    """Whether two values are equal; pairs of a map in any order, but values of the same key in theirs.

    A time is the same as tag and text or number, as extension, and as `Datetime`; a large integer as tag and bytes.
    With `integral_floats` 1.0 is 1 and -0.0 is 0.
    """
    return _digest(one, integral_floats) == _digest(other, integral_floats)


class _Closing(Struct, frozen=True):
    """A list, a map or a tag, whose `count` parts have digests by now."""

    value: Any
    count: int


def _digest(value: Any, integral_floats: bool) -> bytes:
    """A hash of a value: equal values have the same."""
    todo: list[Any] = [value]
    done: list[bytes] = []
    while todo:
        one = todo.pop()
        if isinstance(one, _Closing):
            parts = done[len(done) - one.count :]
            del done[len(done) - one.count :]
            done.append(_combined(one.value, parts))
            continue
        one = _plain(one, integral_floats)
        if isinstance(one, list | Map | Tag):
            parts = _parts(one)
            todo += [_Closing(one, len(parts)), *reversed(parts)]
        else:
            done.append(_hash(_SCALARS[type(one)](one).encode()))
    return done[0]


def _parts(value: "list[Any] | Map | Tag") -> list[Any]:
    match value:
        case Map(pairs):
            return [part for pair in pairs for part in pair]
        case Tag(_, inner):
            return [inner]
        case _:
            return value


def _combined(value: "list[Any] | Map | Tag", parts: list[bytes]) -> bytes:
    match value:
        case Map():
            pairs = sorted(zip(parts[::2], parts[1::2], strict=True), key=lambda pair: pair[0])
            return _hash(b"map", *(part for pair in pairs for part in pair))
        case Tag(number):
            return _hash(f"tag {number}".encode(), *parts)
        case _:
            return _hash(b"list", *parts)


def _hash(*parts: bytes) -> bytes:
    return hashlib.blake2b(b"\0".join(parts), digest_size=16).digest()


def _plain(value: Any, integral_floats: bool) -> Any:
    """The one form of what has several."""
    match value:
        case float() if integral_floats and value.is_integer():
            return int(value)
        case Tag(2 | 3 as number, bytes(data)):
            magnitude = int.from_bytes(data)
            return magnitude if number == BIG else -1 - magnitude
        case Tag(0, str(text)) | Datetime(text):
            return Datetime(_moment(text))
        case Tag(1, int() | float() as seconds) if math.isfinite(seconds):
            return _instant(Fraction(seconds)) or value
        case Ext(type, data) if type == TIMESTAMP:
            return _timestamp(data) or value
        case _:
            return value


def _moment(text: str) -> str:
    """A date and time with T and Z, with seconds, and a fraction without zeros at its end."""
    text = re.sub("([0-9])[Tt ]([0-9])", r"\1T\2", text)
    text = re.sub("(?:[zZ]|[+-]00:00)$", "Z", text)
    text = re.sub("^((?:.*T)?[0-9]{2}:[0-9]{2})(?=$|[-+Z])", r"\1:00", text)
    return re.sub(r"\.([0-9]*?)0*(?![0-9])", lambda found: f".{found[1]}" if found[1] else "", text)


def _instant(seconds: Fraction) -> Datetime | None:
    """Seconds since 1970, to the nanosecond; None beyond the years that have four digits."""
    whole, nanoseconds = divmod(round(seconds * 10**9), 10**9)
    try:
        moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=whole)
    except OverflowError:
        return None
    return Datetime(_moment(f"{moment.isoformat()}.{nanoseconds:09}Z"))


def _timestamp(data: bytes) -> Datetime | None:
    """The time that an extension of 4, 8 or 12 bytes holds; None for others."""
    match len(data):
        case 4:
            return _instant(Fraction(int.from_bytes(data)))
        case 8:
            whole = int.from_bytes(data)
            return _instant(Fraction(whole & (1 << 34) - 1) + Fraction(whole >> 34, 10**9))
        case 12:
            seconds = int.from_bytes(data[4:], signed=True)
            return _instant(Fraction(seconds) + Fraction(int.from_bytes(data[:4]), 10**9))
        case _:
            return None
