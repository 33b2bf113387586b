"""Everything that is done for a cell before the clock starts."""

import gc
from collections.abc import Callable
from typing import Any, NamedTuple

from wirelab_kit.base import canonical, frames
from wirelab_kit.measuring.cells import Cell
from wirelab_kit.measuring.timing import BATCH, Lap, repeat_fresh, repeat_reused, repeat_rows
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
    plains = [kind.plain(canonical.read(value)) for value in canonical.inputs(text, kind.rows)]
    control = offer.codec.control
    if control:
        ready = _of_control(control, kind, cell, plains)
    elif cell.operation in ("build", "build+serialize"):
        ready = _of_build(kind, cell, plains)
    else:
        ready = _of_codec(kind, cell, plains, text)
    del plains, kind
    gc.collect()
    if cell.conditions.get("gc") == "off":
        gc.disable()
    return ready


def _of_codec(kind: Kind, cell: Cell, plains: list[Any], text: bytes) -> Prepared:
    source = kind.sources[cell.conditions.get("input") or next(iter(kind.sources))]
    values = [source.build(plain) for plain in plains]
    encoded = [bytes(source.encode(value)) for value in values]
    size = sum(map(len, encoded))
    if cell.operation == "serialize":
        if cell.conditions["objects"] == "fresh":
            value = values[0]  # fresh objects are made of one message, not of rows
            make = _again(source.again, value) if source.again else _anew(kind, source.build, text)
            batch = max(1, min(BATCH, FRESH_BYTES // kind.data_bytes(plains[0])))
            return Prepared(
                lambda n: repeat_fresh(source.encode, make, batch, n),
                lambda: bytes(source.encode(make(None))),
                size,
            )
        return _ready(kind, source.encode, values, bytes, size)
    sink = kind.sinks[cell.conditions["output"]]
    written = _writer(kind, sink.plain, plains, text)
    if cell.operation == "deserialize":
        return _ready(kind, sink.decode, encoded, written, size, is_json=True)
    if name := cell.conditions.get("compression"):
        compressed = compression.named(name)
        call = compression.round_trip(source.encode, compressed, sink.decode)
        size = sum(len(compressed.compress(message)) for message in encoded)
        return _ready(kind, call, values, written, size, is_json=True)
    return _ready(kind, then(source.encode, sink.decode), values, written, size, is_json=True)


def _writer(kind: Kind, plain_of: Call, plains: list[Any], text: bytes) -> Call:
    """The call that writes a decoded value as canonical JSON."""
    expected = kind.bits(plains[0]) if kind.bits else None

    def written(decoded: Any) -> bytes:
        result = kind.plain(plain_of(decoded))
        # A million floats take a second to write. If the result is the value of `text`, its canonical JSON is `text`.
        return text if kind.bits and kind.bits(result) == expected else canonical.write(kind.canonical(result))

    return written


def _of_build(kind: Kind, cell: Cell, plains: list[Any]) -> Prepared:
    assert kind.build is not None, "the cell is offered only of a kind with `build`"
    _, build, encode, plain, _ = kind.build
    models = [kind.build.models(one) for one in plains]
    call = then(build, encode)
    size = sum(len(call(one)) for one in models)
    if cell.operation == "build+serialize":
        return _ready(kind, call, models, bytes, size)
    return _ready(kind, build, models, _writer(kind, plain, plains, b""), size, is_json=True)


def _again(again: Call, value: Any) -> Call:
    return lambda _: again(value)


def _anew(kind: Kind, build: Call, text: bytes) -> Call:
    if kind.exact:
        return lambda _: build(canonical.read(text))
    return lambda _: build(kind.plain(canonical.read(text)))


def _of_control(control: Control, kind: Kind, cell: Cell, plains: list[Any]) -> Prepared:
    buffers: list[Any] = [blank(kind.data_bytes(plain)) for plain in plains]
    size = sum(map(len, buffers)) if control.produces else 0
    product: Call = bytes if control.produces else lambda _: b""
    if cell.operation == "serialize":
        return _ready(kind, control.serialize, buffers, product, size)
    if cell.operation == "deserialize":
        return _ready(kind, control.deserialize, list(map(bytes, buffers)), product, size)
    call = then(control.serialize, control.deserialize) if control.produces else control.serialize
    return _ready(kind, call, buffers, product, size)


def blank(size: int) -> bytearray:
    """A buffer of a data size, for controls. Every page of it is written."""
    return bytearray(b"wirelab " * (size // 8 + 1))[:size]


def _ready(
    kind: Kind, call: Call, values: list[Any], finish: Call, encoded_bytes: int, *, is_json: bool = False
) -> Prepared:
    """A loop over one value, or over rows, whose products are framed unless they are lines of JSON."""
    if kind.rows:
        one: Call = finish if is_json else then(finish, frames.framed)
        return Prepared(
            lambda n: repeat_rows(call, values, n),
            lambda: b"".join(one(call(value)) for value in values),
            encoded_bytes,
        )
    (value,) = values
    return Prepared(lambda n: repeat_reused(call, value, n), lambda: finish(call(value)), encoded_bytes)
