"""Everything that is done for a cell before the clock starts."""

import gc
from collections.abc import Callable
from typing import Any, NamedTuple

from wirelab_kit.base import canonical
from wirelab_kit.measuring.cells import Cell
from wirelab_kit.measuring.timing import BATCH, Lap, repeat_fresh, repeat_reused
from wirelab_kit.model import compression
from wirelab_kit.model.codec import Call, Control
from wirelab_kit.model.kind import Kind, Offer, then

FRESH_BYTES = 4 << 20
"""The most data in a batch of fresh inputs; a batch holds at least one."""


class Prepared(NamedTuple):
    """A cell that is ready to be measured."""

    repeat: Callable[[int], Lap]
    """The timed loop."""
    product: Callable[[], bytes]
    """What a repetition produces: makes one more call, untimed, on the same input."""
    encoded_bytes: int


def prepare(offer: Offer, cell: Cell, text: bytes) -> Prepared:
    """Prepares a cell from the canonical JSON of its scenario. Raises MalformedError."""
    kind = offer.kind(cell.scenario)
    assert kind is not None, "a cell is offered only of a scenario with a kind"
    plain = kind.plain(canonical.read(text))
    control = offer.codec.control
    ready = _of_control(control, kind, cell, plain) if control else _of_codec(kind, cell, plain, text)
    del plain, kind
    gc.collect()
    if cell.conditions.get("gc") == "off":
        gc.disable()
    return ready


def _of_codec(kind: Kind, cell: Cell, plain: Any, text: bytes) -> Prepared:
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
        result = kind.plain(sink.plain(decoded))
        # A million floats take a second to write. If the result is the value of `text`, its canonical JSON is `text`.
        return text if kind.bits and kind.bits(result) == expected else canonical.write(result)

    if cell.operation == "deserialize":
        return _ready(sink.decode, encoded, written, len(encoded))
    if name := cell.conditions.get("compression"):
        compressed = compression.named(name)
        call = compression.round_trip(source.encode, compressed, sink.decode)
        return _ready(call, value, written, len(compressed.compress(encoded)))
    return _ready(then(source.encode, sink.decode), value, written, len(encoded))


def _again(again: Call, value: Any) -> Call:
    return lambda _: again(value)


def _of_control(control: Control, kind: Kind, cell: Cell, plain: Any) -> Prepared:
    buffer = blank(kind.data_bytes(plain))
    size = len(buffer) if control.produces else 0
    product: Call = bytes if control.produces else lambda _: b""
    if cell.operation == "serialize":
        return _ready(control.serialize, buffer, product, size)
    if cell.operation == "deserialize":
        return _ready(control.deserialize, bytes(buffer), product, size)
    call = then(control.serialize, control.deserialize) if control.produces else control.serialize
    return _ready(call, buffer, product, size)


def blank(size: int) -> bytearray:
    """A buffer of a data size, for controls. Every page of it is written."""
    return bytearray(b"wirelab " * (size // 8 + 1))[:size]


def _ready(call: Call, value: Any, finish: Call, encoded_bytes: int) -> Prepared:
    return Prepared(lambda n: repeat_reused(call, value, n), lambda: finish(call(value)), encoded_bytes)
