"""`encode`, `decode`, `compress` and `decompress`: canonical JSON to a codec's bytes and back."""

import faulthandler
import sys
from collections.abc import Iterator
from typing import BinaryIO

from wirelab_kit.base import canonical, memory
from wirelab_kit.base.failure import MalformedError, StreamError, UsageError, one_line
from wirelab_kit.measuring.cells import cells_of
from wirelab_kit.measuring.prepare import blank
from wirelab_kit.model import compression
from wirelab_kit.model.kind import Kind, Offer

NO_FORMAT = "a control encodes no format; it can only be measured"


def encode(offer: Offer, scenario: str) -> None:
    """Canonical JSON on standard input → encoded bytes on standard output."""
    kind = _kind(offer, scenario)
    try:
        plain = kind.plain(canonical.read(_read()))
        if offer.codec.control:
            encoded = bytes(blank(kind.data_bytes(plain)))
        else:
            source = next(iter(kind.sources.values()))
            encoded = bytes(source.encode(source.build(plain)))
    except MalformedError as error:
        raise MalformedError(f"encode {scenario}: {error}") from None
    except Exception as error:
        raise MalformedError(f"encode {scenario}: {one_line(error)}") from error
    write(sys.stdout.buffer, encoded)


def decode(offer: Offer, scenario: str) -> None:
    """Encoded bytes on standard input → canonical JSON on standard output."""
    kind = _kind(offer, scenario)
    if offer.codec.control:
        raise UsageError(NO_FORMAT)
    write(sys.stdout.buffer, _decoded(kind, scenario, _read()))


def compress(offer: Offer, scenario: str, name: str) -> None:
    """Encoded bytes on standard input → compressed bytes, as a compressed cell makes them."""
    write(sys.stdout.buffer, _compression(offer, scenario, name).compress(_read()))


def decompress(offer: Offer, scenario: str, name: str) -> None:
    """Compressed bytes on standard input → encoded bytes, which `decode` reads."""
    named = _compression(offer, scenario, name)
    try:
        encoded = compression.decompress_outside(named, _read())
    except MalformedError as error:
        raise MalformedError(f"decompress {scenario}: {error}") from None
    write(sys.stdout.buffer, encoded)


def _compression(offer: Offer, scenario: str, name: str) -> compression.Compression:
    """The compression that a cell of the scenario is measured with. Raises UsageError if there is no such cell."""
    if not any(cell.conditions.get("compression") == name for cell in cells_of(offer, [scenario])):
        raise UsageError(f"no cell of {scenario} has compression={name}; `describe` lists those that have one")
    return compression.named(name)


def decode_batch(offer: Offer, scenario: str) -> None:
    """Messages on standard input, each behind its length (u32, little-endian), to answers in the same order.

    An answer is a byte, the exit code of `decode` for the message, then a length as above and as many bytes: canonical
    JSON, or the line for standard error. Each answer is flushed before the next message is read, so that the first
    message without an answer is the one that crashed the process.
    """
    kind = _kind(offer, scenario)
    if offer.codec.control:
        raise UsageError(NO_FORMAT)
    for message in _messages(_read()):
        try:
            code, answer = 0, _decoded(kind, scenario, message)
        except MalformedError as error:
            code, answer = error.exit_code, str(error).encode(errors="replace")
        write(sys.stdout.buffer, bytes([code]) + len(answer).to_bytes(4, "little") + answer)


def _decoded(kind: Kind, scenario: str, data: bytes) -> bytes:
    """The canonical JSON of an encoded message.

    Whatever the library raises means malformed input: a panic too, which is not an `Exception`. A library that aborts
    the process instead, as many do without memory, has crashed; faulthandler prints where.
    """
    sink = next(iter(kind.sinks.values()))
    faulthandler.enable()
    try:
        with memory.budget(len(data)):
            value = sink.decode(data)
            return canonical.write(kind.plain(sink.plain(value)))
    except (KeyboardInterrupt, SystemExit):
        raise
    except MalformedError as error:
        raise MalformedError(f"decode {scenario}: {error}") from None
    except BaseException as error:
        raise MalformedError(f"decode {scenario}: {one_line(error)}") from None


def _messages(data: bytes) -> Iterator[bytes]:
    start = 0
    while start < len(data):
        end = start + 4 + int.from_bytes(data[start : start + 4], "little")
        if end > len(data):
            raise MalformedError(f"decode --batch: the message at byte {start} ends after the input")
        yield data[start + 4 : end]
        start = end


def _kind(offer: Offer, scenario: str) -> Kind:
    kind, control = offer.kind(scenario), offer.codec.control
    if control and not control.produces:
        raise UsageError(NO_FORMAT)
    if kind is None:
        offered = [name for name in offer.scenarios if offer.kind(name)]
        raise UsageError(f"no scenario {scenario}; use one of {', '.join(offered)}")
    return kind


def _read() -> bytes:
    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        raise StreamError(f"cannot read standard input: {error.strerror}") from None


def write(stream: BinaryIO, data: bytes) -> None:
    """Writes and flushes. Raises StreamError."""
    try:
        stream.write(data)
        stream.flush()
    except OSError as error:
        raise StreamError(f"cannot write to standard output: {error.strerror}; is its reader gone?") from None
