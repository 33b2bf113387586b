"""What the scenarios of one kind of value give the commands: where values come from and where they go to."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from wirelab_kit.codec import Call


class Source(NamedTuple):
    """A value for `input=NAME`, and the call that encodes it."""

    build: Call
    """The plain value → what is encoded, outside the clock."""
    encode: Call
    api: str
    again: Call | None = None
    """A cheaper way to an equal fresh value than reading and building it anew."""


class Sink(NamedTuple):
    """What decoding gives for `output=NAME`, and the call that does it."""

    decode: Call
    plain: Call
    """What was decoded → the plain value, of the scenario's type. Raises MalformedError."""
    api: str


class Kind(NamedTuple):
    """A codec's sources and sinks for one type; the first of each is what `encode` and `decode` use."""

    sources: Mapping[str, Source]
    sinks: Mapping[str, Sink]
    plain: Call
    """What was read from JSON → the plain value, of the scenario's type. Raises MalformedError."""
    data_bytes: Call
    """The plain value → its size by the definition of data_size_bytes."""
    serialize: tuple[tuple[str, str, str], ...]
    """The (input, objects, gc) to offer."""
    deserialize: tuple[tuple[str, str], ...]
    """The (output, gc) to offer."""
    round_trip: tuple[tuple[str, str], ...]
    """The (input, output) to offer, the published ones first; these also with each compression."""
    bits: Call | None = None
    """The plain value → its bits, where comparing them is much cheaper than writing canonical JSON."""


def then(first: Call, second: Call) -> Call:
    """Both calls one after the other, as a user would write them."""

    def both(value: Any) -> Any:
        return second(first(value))

    return both
