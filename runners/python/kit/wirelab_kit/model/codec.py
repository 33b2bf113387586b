"""What a codec declares: the calls of its library for each kind of value that it encodes."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

Call = Callable[[Any], Any]


class Objects(NamedTuple):
    """Lists and dicts of Python's own scalars."""

    encode: Call
    """A value → bytes."""
    decode: Call
    """bytes → a value."""
    encode_models: Call | None = None
    """A list of Pydantic models → the same bytes; None if the library takes no models and needs `model_dump` first."""
    schema: bool = False
    """Whether only values of the scenario's type can be encoded, so that fidelity probes do not apply."""


class Native(NamedTuple):
    """Objects of the library's own classes: generated messages, typed structs."""

    build: Call
    """A list of users as dicts → the library's objects, outside the clock."""
    encode: Call
    """The library's objects → the bytes that the same dicts encode to."""
    decode: Call
    """bytes → the library's objects."""
    plain: Call
    """The library's objects → a list of users as dicts, outside the clock."""
    api: str
    """How the library learns the type: `derive` or `generated`."""


class Arrays(NamedTuple):
    """NumPy arrays of float64."""

    encode: Call
    """An array → bytes; a conversion that the library needs (`tolist`) is inside the clock."""
    decode: Call
    """bytes → a value of the form `gives`."""
    gives: str
    """`list`: of floats; `array`: with memory of its own; `view`: a read-only array over the encoded bytes."""
    free: bool = True
    """Whether arrays of other types and shapes can be encoded, so that fidelity probes apply."""


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
    objects: Objects | None = None
    native: Native | None = None
    arrays: Arrays | None = None
    control: Control | None = None
    identical: Mapping[str, str] = {}
    """Operation → the codec whose calls for it are the same ones with the same bytes: their difference is noise."""
