"""What a codec says of itself: its library's calls, one for each kind of value that it takes."""

from collections.abc import Callable
from typing import Any, NamedTuple

Call = Callable[[Any], Any]


class Objects(NamedTuple):
    """Lists and dicts of Python's own scalars."""

    encode: Call
    """A value → bytes."""
    decode: Call
    """bytes → a value."""
    encode_models: Call | None = None
    """A list of Pydantic models → the same bytes, where the library takes models; else `model_dump` goes before."""
    schema: bool = False
    """Whether only values of the scenario's type can be encoded, so that there is no fidelity to ask about."""


class Native(NamedTuple):
    """Objects of the library's own making: generated messages, typed structs."""

    build: Call
    """A list of users as dicts → the library's objects, outside the clock."""
    encode: Call
    """The library's objects → the same bytes as of dicts."""
    decode: Call
    """bytes → the library's objects."""
    plain: Call
    """The library's objects → a list of users as dicts, outside the clock."""
    api: str
    """How the library learns of the type: `derive` or `generated`."""


class Arrays(NamedTuple):
    """NumPy arrays of float64."""

    encode: Call
    """An array → bytes; what a library needs before (`tolist`) is inside the clock."""
    decode: Call
    """bytes → what `gives` says."""
    gives: str
    """`list`: of floats; `array`: with memory of its own; `view`: a read-only array over the encoded bytes."""
    free: bool = True
    """Whether arrays of other types and shapes can be encoded, so that there is fidelity to ask about."""


class Copy(NamedTuple):
    """What a control does with a buffer of the scenario's data size instead of encoding and decoding."""

    serialize: Call
    deserialize: Call
    produces: bool
    """Whether there is a product: a copy of the buffer."""


class Codec(NamedTuple):
    """One library in one configuration; what it offers follows from the kinds of values that it takes."""

    format: str
    """The name of the wire format, as its specification writes it."""
    library: str | None
    """The measured distribution, as the lock file names it; `cpython` for the standard library. A control has none."""
    self_describing: bool
    """Whether encoded messages carry the names and the types of their fields."""
    api: str = "dynamic"
    """How the library learns of the type: `dynamic` where it looks at each value, `generated` code."""
    objects: Objects | None = None
    native: Native | None = None
    arrays: Arrays | None = None
    copy: Copy | None = None
