"""What a codec declares: the calls of its library for each kind of value that it encodes."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, NamedTuple, TypeVar

Call = Callable[[Any], Any]


class Objects(NamedTuple):
    """Structs as dicts, lists, and Python's own scalars."""

    encode: Call
    """A value → bytes."""
    decode: Call
    """bytes → a value."""
    encode_models: Call | None = None
    """Pydantic models → the same bytes; None if the library takes no models and needs `model_dump` first."""
    bytes_as_text: bool = False
    """Whether the library refuses `bytes`, so that base64 text stands in their place."""
    encode_row: Call | None = None
    """A value or models → bytes that do not depend on what was encoded before; None if those of `encode` do not."""


class Native(NamedTuple):
    """Objects of the library's own classes: generated messages, typed structs."""

    build: Call
    """The plain value → the library's objects, outside the clock."""
    encode: Call
    """The library's objects → the bytes that the plain value encodes to."""
    decode: Call
    """bytes → the library's objects."""
    plain: Call
    """The library's objects → the plain value, outside the clock."""
    api: str
    """How the library learns the type: `derive` or `generated`."""
    build_from_models: Call | None = None
    """Pydantic models → the library's objects, inside the clock of `build`; None without models."""


class Arrays(NamedTuple):
    """NumPy arrays of float64."""

    encode: Call
    """An array → bytes; a conversion that the library needs (`tolist`) is inside the clock."""
    decode: Call
    """bytes → a value of the form `gives`."""
    gives: str
    """`list`: of floats; `array`: with memory of its own; `view`: a read-only array over the encoded bytes."""
    probed: bool = True
    """Whether what comes back of other arrays tells of the library: not where the codec makes lists of them first, nor
    where a reader must know their dtype and shape."""


class Tag(NamedTuple):
    """A value with a number that says what it means."""

    number: int
    value: Any


class Ext(NamedTuple):
    """Bytes with a number that says what they are."""

    type: int
    data: bytes


class Simple(NamedTuple):
    """A value that is nothing but its number."""

    number: int


Forms = Mapping[type, Callable[[Any], Any]]
"""A library's own class → the value of Python or of this module that is written for it."""
Made = Mapping[str, Callable[[Any], Any]]
"""A key of the notation → what the library takes for its value."""


class Schemaless(NamedTuple):
    """Values of any type, from and to bytes alone: what `--type any` reads and writes."""

    encode: Call
    """A value of Python → bytes."""
    decode: Call
    """bytes → a value of Python."""
    forms: Forms = {}
    """The library's own class → a value of Python, or a `Tag`, `Ext` or `Simple`."""
    made: Made = {}
    """Key of the notation → a function that gives what `encode` takes, for what not every format has: `bytes`,
    `datetime`, `tag`, `ext`, `simple`. A value of a key that is missing here is refused."""


class Role(StrEnum):
    """What a control does in place of serializing."""

    COPY = "copy"
    """It copies the bytes of the value: no codec can be much faster."""
    NOTHING = "nothing"
    """It does no work: what remains is the cost of the loop and of a call."""


class Control(NamedTuple):
    """What a control does with a buffer of the scenario's data size in place of encoding and decoding."""

    serialize: Call
    deserialize: Call
    role: Role

    @property
    def produces(self) -> bool:
        """Whether the calls return a product: a copy of the buffer."""
        return self.role is Role.COPY


Calls = TypeVar("Calls", Objects, Native, Arrays)


class Codec(NamedTuple):
    """One library in one configuration; what it offers follows from the kinds of values that it takes."""

    format: str
    """The name of the wire format, as its specification writes it."""
    library: str | None
    """The measured distribution, as the lock file names it; `cpython` for the standard library, None for a control."""
    self_describing: bool
    """Whether encoded messages carry the names and the types of their fields."""
    api: str = "dynamic"
    """How the library learns the type: `dynamic` if it inspects each value, or `generated` code."""
    objects: Objects | Callable[[str], Objects | None] | None = None
    """The same calls for values of any type; or the name of a message type → its calls, None if there are none."""
    native: Callable[[str], Native | None] | None = None
    """The name of a message type → `Native`."""
    arrays: Arrays | Callable[[str], Arrays | None] | None = None
    schemaless: Schemaless | None = None
    """None where bytes are read by a type, hold no more than arrays, or are executed."""
    control: Control | None = None
    identical: Mapping[str, str] = {}
    """Operation → the codec whose calls for it are the same ones with the same bytes: their difference is noise."""
    cannot: Mapping[str, str] = {}
    """Feature of a type, as the driver names it → why the library can't take it: such types are not offered."""
    instead: Mapping[str, str] = {}
    """Feature of a type → what is written in its place."""

    def objects_of(self, message: str) -> Objects | None:
        """How it takes objects of a message type; None if it does not."""
        return self.objects if isinstance(self.objects, Objects) else _of(self.objects, message)

    def native_of(self, message: str) -> Native | None:
        """The library's own classes for a message type; None if there are none."""
        return _of(self.native, message)

    def arrays_of(self, message: str) -> Arrays | None:
        """How it takes arrays; None if it does not."""
        return self.arrays if isinstance(self.arrays, Arrays) else _of(self.arrays, message)


def _of(typed: Callable[[str], Calls | None] | None, message: str) -> Calls | None:
    return typed(message) if typed else None
