"""Message types, as generated code declares them: what a plain value is, its size, and its form in JSON.

A plain value is made of dicts, lists, tuples and Python's own scalars. A codec that looks at values alone gets it as it
is; whatever a codec gives back is checked against the type, since it may return anything.
"""

import base64
import binascii
import struct
from array import array
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from wirelab_kit.base.failure import MalformedError

SHOWN = 60
"""Characters of a wrong value that a message repeats."""


class Mismatch(Exception):  # noqa: N818 (it never leaves this module: `Message.plain` makes a MalformedError of it)
    """A value is not of its type. Each container around it adds a part of the path."""

    def __init__(self, value: Any, wanted: str) -> None:
        super().__init__(f"{_short(value)} is no {wanted}")
        self.path: list[str] = []

    def within(self, part: str) -> "Mismatch":
        """The same mismatch, seen from the container of the value."""
        self.path.append(part)
        return self


def _short(value: Any) -> str:
    return ascii(value if isinstance(value, str | bytes | int | float | None) else type(value).__name__)[:SHOWN]


class Type:
    """What the checks of all types have."""

    exact = True
    """Whether every valid value read from JSON is a plain value as it is."""
    has_text_form = False
    """Whether JSON has no form for parts of a value, so that text stands in their place."""
    has_bytes = False
    width: int | None = None
    """Bytes of data, if every value has as many."""

    def plain(self, value: Any) -> Any:
        """A value that a codec or JSON gave, as a plain value. Raises Mismatch."""
        raise NotImplementedError

    def all_plain(self, values: list[Any]) -> list[Any] | None:
        """Values that are plain already, checked at once; None if they have to be checked one by one."""
        return None

    def written(self, value: Any, wide: bool) -> Any:
        """A plain value with base64 text in place of bytes; with `wide`, decimals in place of integers of 128 bits."""
        return value

    def data_bytes(self, value: Any) -> int:
        """The size of the data: numbers at their width, strings and lists with the shortest length prefix."""
        assert self.width is not None
        return self.width


class Scalar(Type):
    """A value without parts, of one class of Python."""

    def __init__(self, of: type, width: int | None) -> None:
        self.of, self.width = of, width

    def plain(self, value: Any) -> Any:
        """The value itself."""
        if type(value) is not self.of:
            raise Mismatch(value, self.of.__name__)
        return value

    def all_plain(self, values: list[Any]) -> list[Any] | None:
        """The list itself, if all are of the class."""
        return values if set(map(type, values)) <= {self.of} else None


class Text(Scalar):
    """A string."""

    def __init__(self) -> None:
        super().__init__(str, None)

    def data_bytes(self, value: Any) -> int:
        """Its UTF-8."""
        length = len(value.encode())
        return prefixed(length, length)


class Bytes(Type):
    """Bytes; codecs that have none give base64 text back, as JSON has it."""

    exact, has_text_form, has_bytes = False, True, True

    def plain(self, value: Any) -> Any:
        """Bytes themselves, or what text stands for."""
        if type(value) is str:
            try:
                return base64.b64decode(value, validate=True)
            except (ValueError, binascii.Error):
                raise Mismatch(value, "base64 text") from None
        if type(value) is not bytes:
            raise Mismatch(value, "bytes")
        return value

    def written(self, value: Any, wide: bool) -> Any:
        """Base64 text."""
        return base64.b64encode(value).decode()

    def data_bytes(self, value: Any) -> int:
        """With their length."""
        return prefixed(len(value), len(value))


class Integer(Type):
    """An integer of some bits; those of 128 are text in JSON."""

    def __init__(self, name: str) -> None:
        bits = int(name[1:])
        self.name, self.width = name, bits // 8
        self.low: int = 0 if name[0] == "u" else -(2 ** (bits - 1))
        self.high: int = self.low + 2**bits - 1
        self.has_text_form = bits == 128
        self.exact = not self.has_text_form

    def plain(self, value: Any) -> Any:
        """The integer, if it fits."""
        if self.has_text_form and type(value) is str and value.removeprefix("-").isdecimal() and len(value) <= 40:
            value = int(value)
        if type(value) is not int or not self.low <= value <= self.high:
            raise Mismatch(value, self.name)
        return value

    def all_plain(self, values: list[Any]) -> list[Any] | None:
        """The list itself, if all are integers that fit."""
        if not values or (set(map(type, values)) == {int} and self.low <= min(values) and max(values) <= self.high):
            return values
        return None

    def written(self, value: Any, wide: bool) -> Any:
        """Decimal digits, if it is wide."""
        return str(value) if wide and self.has_text_form else value


class Double(Type):
    """A float. Integers are converted, since JSON has one type for both."""

    width = 8

    def plain(self, value: Any) -> Any:
        """The float."""
        if type(value) is float:
            return value
        if type(value) is not int:
            raise Mismatch(value, "number")
        try:
            return float(value)
        except OverflowError:
            raise Mismatch(value, "float: it is too large") from None

    def all_plain(self, values: list[Any]) -> list[Any] | None:
        """The list itself, if all are floats; else a list of floats."""
        types = set(map(type, values))
        if types <= {float}:
            return values
        try:
            return [float(number) for number in values] if types <= {float, int} else None
        except OverflowError:
            return None


class Single(Double):
    """A float of 32 bits, rounded to them: codecs that know floats of 64 bits alone give the same one back."""

    width, exact = 4, False

    def plain(self, value: Any) -> Any:
        """The rounded float."""
        number = super().plain(value)
        try:
            (rounded,) = struct.unpack("<f", struct.pack("<f", number))
        except OverflowError:
            raise Mismatch(value, "float of 32 bits: it is too large") from None
        return rounded

    def all_plain(self, values: list[Any]) -> list[Any] | None:
        """All of them rounded at once."""
        numbers = super().all_plain(values)
        try:
            return None if numbers is None else list(struct.unpack(f"<{len(numbers)}f", array_f32(numbers)))
        except OverflowError:
            return None


class Enum(Type):
    """The name of a variant: always the same object, as in models, since what pickle writes depends on that."""

    exact = False

    def __init__(self, name: str, width: int, variants: Iterable[str]) -> None:
        self.name, self.width, self.variants = name, width, {variant: variant for variant in variants}

    def plain(self, value: Any) -> Any:
        """The name."""
        if type(value) is not str or value not in self.variants:
            raise Mismatch(value, f"variant of {self.name}")
        return self.variants[value]


class List(Type):
    """Any number of values of one type, or as many as `length` says."""

    def __init__(self, item: Type, length: int | None = None) -> None:
        self.item, self.length, self.exact = item, length, item.exact
        self.has_text_form, self.has_bytes = item.has_text_form, item.has_bytes

    def plain(self, value: Any) -> Any:
        """The list with plain items."""
        if type(value) is not list:
            raise Mismatch(value, "list")
        if self.length not in (None, len(value)):
            raise Mismatch(value, f"list of {self.length}: it has {len(value)} items")
        if (checked := self.item.all_plain(value)) is not None:
            return checked
        plain, result = self.item.plain, []
        try:
            for item in value:
                result.append(plain(item))  # noqa: PERF401 (its length tells where an item is wrong)
        except Mismatch as mismatch:
            raise mismatch.within(f"[{len(result)}]") from None
        return result

    def written(self, value: Any, wide: bool) -> Any:
        """The same of each item."""
        return [self.item.written(item, wide) for item in value] if self.has_text_form else value

    def data_bytes(self, value: Any) -> int:
        """The items, behind their number if the type does not say it."""
        size = self.items_bytes(value)
        return size if self.length is not None else prefixed(size, len(value))

    def items_bytes(self, value: Any) -> int:
        """The items alone."""
        return self.item.width * len(value) if self.item.width else sum(map(self.item.data_bytes, value))


class Map(Type):
    """A dict from strings; its keys are in order, as canonical JSON has them."""

    exact = False

    def __init__(self, value: Type) -> None:
        self.value = value
        self.has_text_form, self.has_bytes = value.has_text_form, value.has_bytes

    def plain(self, value: Any) -> Any:
        """The dict with plain values, sorted by key."""
        if type(value) is not dict or not set(map(type, value)) <= {str}:
            raise Mismatch(value, "map from strings")
        plain = self.value.plain
        try:
            return {key: plain(value[key]) for key in sorted(value)}
        except Mismatch as mismatch:
            raise mismatch.within(f"[{self._wrong(value)}]") from None

    def _wrong(self, value: dict[str, Any]) -> str:
        """The key of the first value that is wrong."""
        for key in sorted(value):
            try:
                self.value.plain(value[key])
            except Mismatch:
                return _short(key)
        return "?"

    def written(self, value: Any, wide: bool) -> Any:
        """The same of each value."""
        return {key: self.value.written(one, wide) for key, one in value.items()} if self.has_text_form else value

    def data_bytes(self, value: Any) -> int:
        """Keys and values, behind their number."""
        keys = sum(STRING.data_bytes(key) for key in value)
        return prefixed(keys + sum(map(self.value.data_bytes, value.values())), len(value))


class Option(Type):
    """A value, or None."""

    def __init__(self, item: Type) -> None:
        self.item, self.exact = item, item.exact
        self.has_text_form, self.has_bytes = item.has_text_form, item.has_bytes

    def plain(self, value: Any) -> Any:
        """None, or the plain value."""
        return None if value is None else self.item.plain(value)

    def written(self, value: Any, wide: bool) -> Any:
        """The same of the value, if there is one."""
        return None if value is None else self.item.written(value, wide)

    def data_bytes(self, value: Any) -> int:
        """A byte that says whether there is a value, and the value."""
        return 1 if value is None else 1 + self.item.data_bytes(value)


class Tuple(Type):
    """Values of several types: a tuple, where codecs and JSON give lists."""

    exact = False

    def __init__(self, *items: Type) -> None:
        self.items = items
        self.has_text_form = any(item.has_text_form for item in items)
        self.has_bytes = any(item.has_bytes for item in items)

    def plain(self, value: Any) -> Any:
        """The tuple of plain items."""
        if type(value) not in (list, tuple) or len(value) != len(self.items):
            raise Mismatch(value, f"tuple of {len(self.items)}")
        result: list[Any] = []
        try:
            for item, one in zip(self.items, value, strict=True):
                result.append(item.plain(one))  # noqa: PERF401 (its length tells where an item is wrong)
        except Mismatch as mismatch:
            raise mismatch.within(f"[{len(result)}]") from None
        return tuple(result)

    def written(self, value: Any, wide: bool) -> Any:
        """The same of each item."""
        return [item.written(one, wide) for item, one in zip(self.items, value, strict=True)]

    def data_bytes(self, value: Any) -> int:
        """All items."""
        return sum(item.data_bytes(one) for item, one in zip(self.items, value, strict=True))


class Struct(Type):
    """A dict with the fields of a struct, in their order."""

    def __init__(self, name: str, fields: Mapping[str, Type]) -> None:
        self.name, self.fields, self.exact = name, fields, all(field.exact for field in fields.values())
        self.has_text_form = any(field.has_text_form for field in fields.values())
        self.has_bytes = any(field.has_bytes for field in fields.values())

    def plain(self, value: Any) -> Any:
        """The dict with plain values."""
        if type(value) is not dict or value.keys() != self.fields.keys():
            raise Mismatch(value, f"{self.name}{self._difference(value)}")
        result, name = {}, ""
        try:
            for name, field in self.fields.items():
                result[name] = field.plain(value[name])
        except Mismatch as mismatch:
            is_plain = name.isidentifier() and name.isascii()
            raise mismatch.within(f".{name}" if is_plain else f"[{_short(name)}]") from None
        return result

    def _difference(self, value: Any) -> str:
        if type(value) is not dict:
            return ""
        lacks = [name for name in self.fields if name not in value]
        return f": it lacks {_short(lacks[0])}" if lacks else f": it has {len(value)} fields, not {len(self.fields)}"

    def written(self, value: Any, wide: bool) -> Any:
        """The same of each field."""
        if not self.has_text_form:
            return value
        return {name: field.written(value[name], wide) for name, field in self.fields.items()}

    def data_bytes(self, value: Any) -> int:
        """All fields."""
        return sum(field.data_bytes(value[name]) for name, field in self.fields.items())


def prefixed(size: int, count: int) -> int:
    """A size plus that of the length prefix of a string or list of `count` elements."""
    return size + (1 if count < 255 else 2 if count < 65_535 else 4 if count < 2**32 - 1 else 8)


def array_f32(numbers: list[Any]) -> bytes:
    """The numbers in 32 bits each, little-endian. Raises OverflowError."""
    return struct.pack(f"<{len(numbers)}f", *numbers)


BOOL, STRING, BYTES = Scalar(bool, 1), Text(), Bytes()
U8, U16, U32, U64, U128 = (Integer(f"u{bits}") for bits in (8, 16, 32, 64, 128))
I8, I16, I32, I64, I128 = (Integer(f"i{bits}") for bits in (8, 16, 32, 64, 128))
F32, F64 = Single(), Double()


class Message(NamedTuple):
    """A type that scenarios measure."""

    name: str
    """The identifier by which generated code of all libraries knows it."""
    type: Type
    features: frozenset[str] = frozenset()
    """What the type has that not every library can take."""
    models: bool = False
    """Whether structs are a part of it, so that there are models."""
    aliases: bool = False
    """Whether a field has another identifier in models than its name."""

    def plain(self, value: Any) -> Any:
        """A value that a codec or JSON gave, as a plain value. Raises MalformedError that names the path."""
        try:
            return self.type.plain(value)
        except Mismatch as mismatch:
            path = "".join(reversed(mismatch.path))
            raise MalformedError(f"${path}: {mismatch}") from None

    def canonical(self, value: Any) -> Any:
        """A plain value as JSON writes it."""
        return self.type.written(value, wide=True)

    def data_bytes(self, value: Any) -> int:
        """The size of the data; a message that is a list of numbers needs no length prefix."""
        if isinstance(self.type, List) and self.type.item.width:
            return self.type.items_bytes(value)
        return self.type.data_bytes(value)

    @property
    def is_vector(self) -> bool:
        """Whether it is a list of float64, which NumPy holds."""
        return isinstance(self.type, List) and self.type.item is F64 and self.type.length is None

    @property
    def is_list_of_structs(self) -> bool:
        """Whether it is a list of structs."""
        return isinstance(self.type, List) and isinstance(self.type.item, Struct)


class Use(NamedTuple):
    """A scenario's values."""

    message: Message
    rows: bool = False
    """Whether its input is many messages."""
    every_condition: bool = False
    """Whether codecs are measured under every condition that they have, so that the effect of each is known."""


def bits(numbers: list[float]) -> bytes:
    """The bits of floats."""
    return array("d", numbers).tobytes()
