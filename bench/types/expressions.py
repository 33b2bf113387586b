"""The notation of a type: `u32`, `[f64]`, `[u8; 100]`, `{string}`, `Level?`, `(f64, f64)`, `User`.

bool u8 … u128 i8 … i128 f32 f64 string bytes     scalars
[T]        a list                                  [T; 3]     an array of three
{T}        a map from strings to T                 T?         an option: a T, or nothing
(T, U)     a tuple                                 Name       a struct or an enumeration
"""

import re
from collections.abc import Iterator

from msgspec import Struct

INTEGERS = tuple(f"{sign}{bits}" for sign in "ui" for bits in (8, 16, 32, 64, 128))
FLOATS = ("f32", "f64")
SCALARS = frozenset({"bool", "string", "bytes", *INTEGERS, *FLOATS})
LONGEST_ARRAY = 65_536
LONGEST_TUPLE = 12
"""Beyond it Rust's own traits end."""
DEEPEST = 16
"""How deep a type may be nested in brackets."""


class Scalar(Struct, frozen=True, tag=True):
    """A value without parts."""

    name: str

    def __str__(self) -> str:
        return self.name


class Named(Struct, frozen=True, tag=True):
    """A struct or an enumeration, by its name."""

    name: str

    def __str__(self) -> str:
        return self.name


class ListOf(Struct, frozen=True, tag=True):
    """Any number of values of one type."""

    item: "Type"

    def __str__(self) -> str:
        return f"[{self.item}]"


class ArrayOf(Struct, frozen=True, tag=True):
    """A fixed number of values of one type."""

    item: "Type"
    length: int

    def __str__(self) -> str:
        return f"[{self.item}; {self.length}]"


class MapOf(Struct, frozen=True, tag=True):
    """A map from strings."""

    value: "Type"

    def __str__(self) -> str:
        return f"{{{self.value}}}"


class OptionOf(Struct, frozen=True, tag=True):
    """A value, or nothing: null in canonical JSON, where the name of the field stands all the same."""

    item: "Type"

    def __str__(self) -> str:
        return f"{self.item}?"


class TupleOf(Struct, frozen=True, tag=True):
    """Values of several types, in their order; a list in canonical JSON."""

    items: tuple["Type", ...]

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.items))})"


Type = Scalar | Named | ListOf | ArrayOf | MapOf | OptionOf | TupleOf

TOKEN = re.compile(r"\s*([\[\](){}?;,]|[0-9]+|[A-Za-z_][A-Za-z0-9_]*)")


def parse_type(text: str) -> Type:
    """The type that a text denotes. Raises ValueError that says what is wrong, and where."""
    return _Parser(text).whole()


class _Parser:
    """Reads a type from left to right, one token ahead."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = list(self._split())
        self._next = 0
        self._depth = 0

    def whole(self) -> Type:
        parsed = self._type()
        if self._peek():
            self._refuse("nothing more")
        return parsed

    def _split(self) -> Iterator[str]:
        position, end = 0, len(self._text.rstrip())
        while position < end:
            match = TOKEN.match(self._text, position)
            if not match:
                raise ValueError(f"{self._text!r} is not a type: {self._text[position:].lstrip()[:1]!r} has no meaning")
            yield match[1]
            position = match.end()

    def _peek(self) -> str:
        return self._tokens[self._next] if self._next < len(self._tokens) else ""

    def _take(self, wanted: str) -> None:
        if self._peek() != wanted:
            self._refuse(f"`{wanted}`")
        self._next += 1

    def _refuse(self, wanted: str) -> None:
        token = self._peek()
        read = f"`{token}`" if token else "its end"
        raise ValueError(f"{self._text!r} is not a type: {wanted} was expected where {read} stands")

    def _type(self) -> Type:
        self._depth += 1
        if self._depth > DEEPEST:
            raise ValueError(
                f"{self._text!r:.80} is not a type: it is nested deeper than {DEEPEST}; name a struct within"
            )
        parsed = self._without_option()
        self._depth -= 1
        if self._peek() == "?":
            self._next += 1
            parsed = OptionOf(parsed)
            if self._peek() == "?":
                self._refuse("one `?` alone")
        return parsed

    def _without_option(self) -> Type:
        token = self._peek()
        if token == "[":
            return self._list()
        if token == "{":
            self._next += 1
            value = self._type()
            self._take("}")
            return MapOf(value)
        if token == "(":
            return self._tuple()
        if not re.match(r"[A-Za-z_]", token):
            self._refuse("a type")
        self._next += 1
        return Scalar(token) if token in SCALARS else Named(token)

    def _list(self) -> Type:
        self._next += 1
        item = self._type()
        if self._peek() != ";":
            self._take("]")
            return ListOf(item)
        self._next += 1
        length = self._peek()
        if not length.isdigit() or not 1 <= int(length) <= LONGEST_ARRAY:
            self._refuse(f"a length from 1 to {LONGEST_ARRAY:,}")
        self._next += 1
        self._take("]")
        return ArrayOf(item, int(length))

    def _tuple(self) -> Type:
        self._next += 1
        items = [self._type()]
        while self._peek() == ",":
            self._next += 1
            items.append(self._type())
        self._take(")")
        if len(items) < 2:
            raise ValueError(f"{self._text!r} is not a type: a tuple has two types or more")
        if len(items) > LONGEST_TUPLE:
            raise ValueError(
                f"{self._text!r:.80} is not a type: a tuple has at most {LONGEST_TUPLE} types; use a struct"
            )
        return TupleOf(tuple(items))


def parts(of: Type) -> tuple[Type, ...]:
    """The types that a type is made of, itself aside; none of those within structs."""
    match of:
        case ListOf(item) | ArrayOf(item, _) | OptionOf(item) | MapOf(item):
            return (item,)
        case TupleOf(items):
            return items
        case _:
            return ()


def named_in(of: Type) -> Iterator[str]:
    """The names of structs and enumerations within a type, in their order."""
    if isinstance(of, Named):
        yield of.name
    for part in parts(of):
        yield from named_in(part)
