"""What a codec offers of one kind of value: the sources that it encodes and the sinks that it decodes into."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from wirelab_kit.model.codec import Call, Codec


class Source(NamedTuple):
    """A value for `input=NAME`, and the call that encodes it."""

    build: Call
    """The plain value → the value to encode, outside the clock."""
    encode: Call
    api: str
    again: Call | None = None
    """The value → an equal fresh one, if there is a cheaper call than reading and building it anew."""


class Sink(NamedTuple):
    """The call that decodes for `output=NAME`."""

    decode: Call
    plain: Call
    """The decoded value → the plain value of the scenario's type. Raises MalformedError."""
    api: str


class Build(NamedTuple):
    """What `build` and `build+serialize` do: the library's objects from models, and these to bytes."""

    models: Call
    """The plain value → models, outside the clock."""
    build: Call
    """Models → the library's objects."""
    encode: Call
    plain: Call
    """The library's objects → the plain value of the scenario's type. Raises MalformedError."""
    api: str


class Kind(NamedTuple):
    """A codec's sources and sinks for one type; `encode` and `decode` use the first of each."""

    sources: Mapping[str, Source]
    sinks: Mapping[str, Sink]
    plain: Call
    """The value read from JSON → the plain value of the scenario's type. Raises MalformedError."""
    canonical: Call
    """The plain value → the value that JSON writes: 128-bit integers and bytes are text there."""
    data_bytes: Call
    """The plain value → its size by the definition of data_size_bytes."""
    serialize: tuple[tuple[str, str, str], ...]
    """The (input, objects, gc) of the cells."""
    deserialize: tuple[tuple[str, str], ...]
    """The (output, gc) of the cells."""
    round_trip: tuple[tuple[str, str], ...]
    """The (input, output) of the cells. The first is the published one, which is offered with each compression too."""
    exact: bool = False
    """Whether every valid value read from JSON is a plain value as it is."""
    rows: bool = False
    """Whether the scenario's input is many messages; else it is one."""
    build: Build | None = None
    bits: Call | None = None
    """The plain value → its bits, if comparing them is much cheaper than writing canonical JSON."""


Scenarios = Mapping[str, Callable[[Codec], Kind | None]]
"""The kind of value of each scenario, for a codec; None if the codec offers nothing there."""


class Offer(NamedTuple):
    """A codec with the scenarios that it may serve."""

    codec: Codec
    scenarios: Scenarios

    def kind(self, scenario: str) -> Kind | None:
        """The codec's sources and sinks for a scenario; None if it offers nothing there."""
        kind = self.scenarios.get(scenario)
        return kind and kind(self.codec)


def then(first: Call, second: Call) -> Call:
    """Both calls in sequence, as a user would write them."""

    def both(value: Any) -> Any:
        return second(first(value))

    return both
