"""All that is done for a cell before the clock starts."""

import gc
from collections.abc import Callable
from typing import Any, NamedTuple

from wirelab_kit import canonical, compression
from wirelab_kit.cells import Cell
from wirelab_kit.codec import Call, Codec, Copy
from wirelab_kit.kind import Kind, then
from wirelab_kit.scenarios import kind_of
from wirelab_kit.timing import BATCH, Lap, repeat_fresh, repeat_reused

FRESH_BYTES = 4 << 20
"""A batch of fresh inputs holds at most so many bytes of data, but at least one input."""


class Prepared(NamedTuple):
    """A cell that is ready to be measured."""

    repeat: Callable[[int], Lap]
    """The timed loop."""
    product: Callable[[], bytes]
    """What a repetition produces: one more, untimed, of the same call on the same input."""
    encoded_bytes: int


def prepare(codec: Codec, cell: Cell, text: bytes) -> Prepared:
    """Makes a cell ready from the canonical JSON of its scenario. Raises MalformedError."""
    kind = kind_of(codec, cell.scenario)
    assert kind is not None, "a cell is offered only where there is a kind"
    plain = kind.plain(canonical.read(text))
    ready = _copy(codec.copy, kind, cell, plain) if codec.copy else _codec(kind, cell, plain, text)
    del plain, kind
    gc.collect()
    if cell.conditions.get("gc") == "off":
        gc.disable()
    return ready


def _codec(kind: Kind, cell: Cell, plain: Any, text: bytes) -> Prepared:
    source = kind.sources[cell.conditions.get("input") or next(iter(kind.sources))]
    value = source.build(plain)
    encoded = bytes(source.encode(value))
    if cell.operation == "serialize":
        if cell.conditions["objects"] == "fresh":
            make = _again(source.again, value) if source.again else lambda _: source.build(canonical.read(text))
            batch = max(1, min(BATCH, FRESH_BYTES // kind.data_bytes(plain)))
            return Prepared(
                lambda n: repeat_fresh(source.encode, make, batch, n),
                lambda: bytes(source.encode(make(None))),
                len(encoded),
            )
        return _ready(source.encode, value, bytes, len(encoded))
    sink = kind.sinks[cell.conditions["output"]]

    expected = kind.bits(plain) if kind.bits else None

    def written(decoded: Any) -> bytes:
        found = kind.plain(sink.plain(decoded))
        # A million floats take a second to write; of the very value that `text` holds, `text` is the canonical JSON.
        return text if expected is not None and kind.bits(found) == expected else canonical.write(found)

    if cell.operation == "deserialize":
        return _ready(sink.decode, encoded, written, len(encoded))
    if how := cell.conditions.get("compression"):
        between = compression.named(how)
        whole = compression.round_trip(source.encode, between, sink.decode)
        return _ready(whole, value, written, len(between.compress(encoded)))
    return _ready(then(source.encode, sink.decode), value, written, len(encoded))


def _again(again: Call, value: Any) -> Call:
    return lambda _: again(value)


def _copy(copy: Copy, kind: Kind, cell: Cell, plain: Any) -> Prepared:
    buffer = blank(kind.data_bytes(plain))
    size = len(buffer) if copy.produces else 0
    product = bytes if copy.produces else lambda _: b""
    if cell.operation == "serialize":
        return _ready(copy.serialize, buffer, product, size)
    if cell.operation == "deserialize":
        return _ready(copy.deserialize, bytes(buffer), product, size)
    call = then(copy.serialize, copy.deserialize) if copy.produces else copy.serialize
    return _ready(call, buffer, product, size)


def blank(size: int) -> bytearray:
    """A buffer of a data size for controls; every page of it is written to."""
    return bytearray(b"wirelab " * (size // 8 + 1))[:size]


def _ready(call: Call, value: Any, finish: Call, encoded_bytes: int) -> Prepared:
    return Prepared(lambda n: repeat_reused(call, value, n), lambda: finish(call(value)), encoded_bytes)
