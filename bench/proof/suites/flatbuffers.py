"""A message of FlatBuffers as its format says, written so that every offset, size and end in it is known by its place.

https://flatbuffers.dev/internals/: a table begins with the distance to its vtable, which has a 16-bit place for each
field; texts, lists and tables within it are found by 32-bit offsets from where these stand, and lie behind them here.
"""

import struct
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any

from msgspec import Struct

from bench.types.definitions import Defined
from bench.types.expressions import ArrayOf, ListOf, Named, Scalar, Type
from bench.types.values import Number

FORMS = {"bool": "<?", "u8": "<B", "i8": "<b", "u16": "<H", "i16": "<h", "u32": "<I", "i32": "<i", "u64": "<Q"} | {
    "i64": "<q",
    "f32": "<f",
    "f64": "<d",
}
"""Scalars that stand in place."""
OFFSET, VTABLE, ENTRY, LENGTH = "<I", "<i", "<H", "<I"
HEAD = 4
"""Bytes of a vtable before its entries."""


class Part(StrEnum):
    """What stands at a place."""

    OFFSET = "the offset"
    VTABLE = "the distance to the vtable"
    VTABLE_SIZE = "the size of the vtable"
    ENTRY = "the entry in the vtable"
    LENGTH = "the length"
    END = "the byte behind the text"


class Place(Struct, frozen=True):
    """Where a part of a message stands."""

    part: Part
    of: str
    """The path of the value that it belongs to."""
    at: int
    base: int = 0
    """Where what it measures begins: offsets, distances and entries from a place, lengths from the first element."""
    element_bytes: int = 1
    """Of a length: how long an element is."""
    scalar: bool = False
    """Of an entry: whether its field has a default."""


class Message(Struct, frozen=True):
    """The bytes of a message, and what stands where in them."""

    data: bytes
    places: tuple[Place, ...]


def message_of(of: Type, defined: Defined, value: Any, unknown_fields: int = 0) -> Message:
    """A message of a struct's value; every table has so many more fields than its type. Raises ValueError for a type
    that it cannot write."""
    writer = _Writer(defined, unknown_fields)
    writer.data += bytes(4)
    writer.offset("$", 0, writer.table(of, value, "$"))
    return Message(bytes(writer.data), tuple(writer.places))


class _Writer:
    """Writes parts one behind the other."""

    def __init__(self, defined: Defined, unknown_fields: int) -> None:
        self.defined, self.unknown_fields = defined, unknown_fields
        self.data, self.places = bytearray(), list[Place]()

    def align(self, to: int, then: int = 0) -> int:
        """Fills up until what follows `then` more bytes stands at a multiple of `to`."""
        self.data += bytes(-(len(self.data) + then) % to)
        return len(self.data)

    def offset(self, path: str, at: int, to: int) -> None:
        struct.pack_into(OFFSET, self.data, at, to - at)
        self.places.append(Place(Part.OFFSET, path, at, at))

    def table(self, of: Type, value: Mapping[str, Any], path: str) -> int:
        """A vtable, the table behind it, and what that points to. The place of the table."""
        fields = [(field.name, field.type) for field in self.defined.structs[str(of)].fields]
        fields += [(f"unknown{number}", Scalar("u64")) for number in range(self.unknown_fields)]
        vtable = self.align(2)
        self.data += struct.pack("<HH", HEAD + 2 * len(fields), 0) + bytes(2 * len(fields))
        start = self.align(8)
        self.data += struct.pack(VTABLE, start - vtable)
        self.places += [Place(Part.VTABLE, path, start, start), Place(Part.VTABLE_SIZE, path, vtable, vtable)]
        pointing: list[tuple[str, Type, int]] = []
        for number, (name, kind) in enumerate(fields):
            form = FORMS.get(str(kind))
            at = self.align(struct.calcsize(form) if form else 4)
            self.data += struct.pack(form, _number(kind, value.get(name, "7"))) if form else bytes(4)
            entry = vtable + HEAD + 2 * number
            struct.pack_into(ENTRY, self.data, entry, at - start)
            if name in value:
                self.places.append(Place(Part.ENTRY, f"{path}.{name}", entry, start, scalar=form is not None))
            if not form:
                pointing.append((name, kind, at))
        struct.pack_into("<H", self.data, vtable + 2, len(self.data) - start)
        for name, kind, at in pointing:
            self.offset(f"{path}.{name}", at, self.pointed(kind, value[name], f"{path}.{name}"))
        return start

    def pointed(self, of: Type, value: Any, path: str) -> int:
        """What an offset leads to. Its place."""
        match of:
            case Named(name) if name in self.defined.structs:
                return self.table(of, value, path)
            case Scalar("string"):
                return self.text(value, path)
            case ListOf(Scalar(name) as number) if name in FORMS:
                return self.numbers(FORMS[name], [_number(number, one) for one in value], 1, path)
            case ListOf(ArrayOf(Scalar(name) as number, length)) if name in FORMS:
                flat = [_number(number, one) for item in value for one in item]
                return self.numbers(FORMS[name], flat, length, path)
            case ListOf(item):
                return self.list(item, value, path)
        raise ValueError(f"{path}: {of} is not written here")

    def text(self, value: str, path: str) -> int:
        content, at = value.encode(), self.align(4)
        self.data += struct.pack(LENGTH, len(content)) + content + b"\0"
        self.places += [Place(Part.LENGTH, path, at, at + 4), Place(Part.END, path, len(self.data) - 1)]
        return at

    def numbers(self, form: str, flat: list[Any], length: int, path: str) -> int:
        """A list of numbers, or of structs of so many numbers."""
        width = struct.calcsize(form)
        at = self.align(max(4, width), then=4)
        self.data += struct.pack(LENGTH, len(flat) // length) + b"".join(struct.pack(form, one) for one in flat)
        self.places.append(Place(Part.LENGTH, path, at, at + 4, element_bytes=width * length))
        return at

    def list(self, item: Type, values: list[Any], path: str) -> int:
        at = self.align(4)
        self.data += struct.pack(LENGTH, len(values)) + bytes(4 * len(values))
        self.places.append(Place(Part.LENGTH, path, at, at + 4, element_bytes=4))
        for number, value in enumerate(values):
            own = f"{path}[{number}]"
            self.offset(own, at + 4 + 4 * number, self.pointed(item, value, own))
        return at


def _number(of: Type, written: Any) -> Any:
    """A number that canonical JSON has as text."""
    kind = str(of)
    if kind == "bool":
        return bool(written)
    return float(written) if kind.startswith("f") else int(written)


def damaged(message: Message) -> Iterator[tuple[str, bytes]]:
    """The message with each of its parts leading out of it or missing, one at a time, and cut before each of them."""
    for place in message.places:
        for name, form, number in _damages(place, len(message.data)):
            yield f"{place.part} of {place.of} {name}", _changed(message, place, form, number)
    for place in message.places:
        yield f"cut before {place.part} of {place.of}", message.data[: place.at]


def with_defaults(message: Message, value: Any) -> Iterator[tuple[str, bytes, Any]]:
    """The message without one of its scalars, each in turn, and the value that it then is."""
    for place in message.places:
        if place.part is Part.ENTRY and place.scalar:
            yield f"without {place.of}", _changed(message, place, ENTRY, 0), _zeroed(value, place.of.split(".")[1:])


def _zeroed(value: Any, path: Sequence[str]) -> Any:
    """A value with zero, or false, in a place."""
    if path:
        return {**value, path[0]: _zeroed(value[path[0]], path[1:])}
    return False if isinstance(value, bool) else Number("0")


def _changed(message: Message, place: Place, form: str, number: int) -> bytes:
    data = bytearray(message.data)
    struct.pack_into(form, data, place.at, number)
    return bytes(data)


def _damages(place: Place, end: int) -> list[tuple[str, str, int]]:
    """What is written in a place, and how it is told."""
    match place.part:
        case Part.OFFSET:
            return [("leads to the end of the message", OFFSET, end - place.base)] + [
                (f"is {name}", OFFSET, number) for name, number in (("2^31 - 1", 2**31 - 1), ("2^32 - 1", 2**32 - 1))
            ]
        case Part.VTABLE:
            return [
                ("leads before the message", VTABLE, place.base + 4),
                ("leads to the end of the message", VTABLE, place.base - end),
                ("is 2^31 - 1", VTABLE, 2**31 - 1),
                ("is -2^31", VTABLE, -(2**31)),
            ]
        case Part.VTABLE_SIZE:
            return [("is 2^16 - 2", ENTRY, 2**16 - 2)]
        case Part.ENTRY:
            return [("leads out of the message", ENTRY, 2**16 - 8)] + (
                [] if place.scalar else [("is 0: the required field is missing", ENTRY, 0)]
            )
        case Part.LENGTH:
            beyond = (end - place.base) // place.element_bytes + 1
            return [
                ("reaches one element beyond the message", LENGTH, beyond),
                ("is 2^31 - 1", LENGTH, 2**31 - 1),
                ("is 2^32 - 1", LENGTH, 2**32 - 1),
            ]
        case Part.END:
            return [("is not zero", "<B", 1)]
