"""`encode`, `decode`, `compress` and `decompress`: canonical JSON to a codec's bytes and back."""

import faulthandler
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import BinaryIO

from wirelab_kit.base import canonical, frames, memory
from wirelab_kit.base.failure import (
    Failure,
    LibraryError,
    MalformedError,
    MemoryBudgetError,
    StreamError,
    UsageError,
    one_line,
)
from wirelab_kit.measuring.cells import cells_of
from wirelab_kit.measuring.prepare import blank
from wirelab_kit.model import compression
from wirelab_kit.model.kind import Kind, Offer

NO_FORMAT = "a control encodes no format; it can only be measured"


def encode(offer: Offer, scenario: str) -> None:
    """Canonical JSON on standard input → encoded bytes on standard output; rows are framed."""
    kind = _kind(offer, scenario)
    with judging(f"encode {scenario}"):
        encoded = [_encoded(offer, kind, text) for text in canonical.inputs(read(), kind.rows)]
    write(sys.stdout.buffer, _joined(kind, encoded))


def _encoded(offer: Offer, kind: Kind, text: bytes) -> bytes:
    plain = kind.plain(canonical.read(text))
    if offer.codec.control:
        return bytes(blank(kind.data_bytes(plain)))
    source = next(iter(kind.sources.values()))
    return bytes(source.encode(source.build(plain)))


def _joined(kind: Kind, messages: list[bytes]) -> bytes:
    """The output of a command: rows framed, or the one message."""
    return b"".join(map(frames.framed, messages)) if kind.rows else messages[0]


def _split(kind: Kind, data: bytes) -> list[bytes]:
    """The reverse of `_joined`. Raises MalformedError."""
    return list(frames.messages(data)) if kind.rows else [data]


def decode(offer: Offer, scenario: str) -> None:
    """Encoded bytes on standard input → canonical JSON on standard output."""
    kind = _kind(offer, scenario)
    if offer.codec.control:
        raise UsageError(NO_FORMAT)
    write(sys.stdout.buffer, _decoded(kind, scenario, read()))


def compress(offer: Offer, scenario: str, name: str) -> None:
    """Encoded bytes on standard input → compressed bytes, message by message, as a compressed cell makes them."""
    named, kind = _compression(offer, scenario, name), _kind(offer, scenario)
    write(sys.stdout.buffer, _joined(kind, [named.compress(message) for message in _split(kind, read())]))


def decompress(offer: Offer, scenario: str, name: str) -> None:
    """Compressed bytes on standard input → encoded bytes, which `decode` reads."""
    named, kind = _compression(offer, scenario, name), _kind(offer, scenario)
    try:
        encoded = [compression.decompress_outside(named, message) for message in _split(kind, read())]
    except MalformedError as error:
        raise MalformedError(f"decompress {scenario}: {error}") from None
    write(sys.stdout.buffer, _joined(kind, encoded))


def _compression(offer: Offer, scenario: str, name: str) -> compression.Compression:
    """The compression that a cell of the scenario is measured with. Raises UsageError if there is no such cell."""
    if not any(cell.conditions.get("compression") == name for cell in cells_of(offer, [scenario])):
        raise UsageError(f"no cell of {scenario} has compression={name}; `describe` lists those that have one")
    return compression.named(name)


def decode_batch(offer: Offer, scenario: str) -> None:
    """Inputs of `decode` on standard input, each behind its length (u32, little-endian), to answers in the same order.

    An answer is a byte, the exit code of `decode` for the input, then a length as above and as many bytes: canonical
    JSON, or the line for standard error. Each answer is flushed before the next input is read, so that the first
    input without an answer is the one that crashed the process.
    """
    kind = _kind(offer, scenario)
    if offer.codec.control:
        raise UsageError(NO_FORMAT)
    answer_each(lambda data: _decoded(kind, scenario, data))


def answer_each(decoded: Callable[[bytes], bytes]) -> None:
    """Answers each framed input with what `decoded` makes of it."""
    for data in frames.messages(read()):
        try:
            code, answer = 0, decoded(data)
        except Failure as error:
            code, answer = error.exit_code, str(error).encode(errors="replace")
        write(sys.stdout.buffer, bytes([code]) + frames.framed(answer))


def _decoded(kind: Kind, scenario: str, data: bytes) -> bytes:
    """The canonical JSON of an encoded message, or a line of it for each row."""
    sink = next(iter(kind.sinks.values()))
    with refusing(f"decode {scenario}", len(data)):
        values = (kind.plain(sink.plain(sink.decode(message))) for message in _split(kind, data))
        return b"".join(canonical.write(kind.canonical(value)) for value in values)


@contextmanager
def refusing(what: str, input_bytes: int) -> Iterator[None]:
    """Bounds a library's memory, and makes whatever it raises a Failure.

    A library that aborts the process instead, as many do without memory, has crashed; faulthandler prints where.
    """
    faulthandler.enable()
    with judging(what), memory.budget(input_bytes):
        yield


@contextmanager
def judging(what: str) -> Iterator[None]:
    """Makes whatever a library raises the Failure that it is."""
    try:
        yield
    except MalformedError as error:
        raise MalformedError(f"{what}: {error}") from None
    except (KeyboardInterrupt, SystemExit, Failure):
        raise
    except BaseException as error:
        raise failure_of(error)(f"{what}: {one_line(error)}") from None


def failure_of(error: BaseException) -> type[Failure]:
    """What an exception of a library is.

    A Rust panic comes as a BaseException of PyO3 that `except Exception` does not catch; SystemError is CPython's for a
    broken extension, and AssertionError what a program never expects. Nothing tells other exceptions from a refusal.
    RecursionError is one: the tests of CPython's json and of msgspec ask for it where values are nested too deeply.
    """
    if isinstance(error, MemoryError):
        return MemoryBudgetError
    if isinstance(error, SystemError | AssertionError) or not isinstance(error, Exception):
        return LibraryError
    return MalformedError


def _kind(offer: Offer, scenario: str) -> Kind:
    kind, control = offer.kind(scenario), offer.codec.control
    if control and not control.produces:
        raise UsageError(NO_FORMAT)
    if kind is None:
        offered = [name for name in offer.scenarios if offer.kind(name)]
        raise UsageError(f"no scenario {scenario}; use one of {', '.join(offered)}")
    return kind


def read() -> bytes:
    """All of standard input. Raises StreamError."""
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
