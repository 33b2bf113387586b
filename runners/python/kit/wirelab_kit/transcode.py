"""`encode` and `decode`: canonical JSON to a codec's bytes and back, of one message or of a batch."""

import faulthandler
import sys
from collections.abc import Iterator
from typing import BinaryIO

from wirelab_kit import canonical, compression, memory
from wirelab_kit.cells import cells_of
from wirelab_kit.codec import Codec
from wirelab_kit.failure import MalformedError, StreamError, UsageError, one_line
from wirelab_kit.kind import Kind
from wirelab_kit.prepare import blank
from wirelab_kit.scenarios import SCENARIOS, kind_of


def encode(codec: Codec, scenario: str) -> None:
    """Canonical JSON on standard input → encoded bytes on standard output."""
    kind = _kind(codec, scenario)
    try:
        plain = kind.plain(canonical.read(_read()))
        if codec.copy:
            encoded: bytes = blank(kind.data_bytes(plain))
        else:
            source = next(iter(kind.sources.values()))
            encoded = source.encode(source.build(plain))
    except MalformedError as error:
        raise MalformedError(f"encode {scenario}: {error}") from None
    except Exception as error:
        raise MalformedError(f"encode {scenario}: {one_line(error)}") from error
    write(sys.stdout.buffer, bytes(encoded))


def decode(codec: Codec, scenario: str) -> None:
    """Encoded bytes on standard input → canonical JSON on standard output."""
    kind = _kind(codec, scenario)
    if codec.copy:
        raise UsageError("a control has nothing to decode; only measure it")
    write(sys.stdout.buffer, _decoded(kind, scenario, _read()))


def compress(codec: Codec, scenario: str, name: str) -> None:
    """Encoded bytes on standard input → compressed: `encode … | compress …` is what a compressed cell makes."""
    write(sys.stdout.buffer, _compression(codec, scenario, name).compress(_read()))


def decompress(codec: Codec, scenario: str, name: str) -> None:
    """Compressed bytes on standard input → encoded bytes, for `decode`."""
    how = _compression(codec, scenario, name)
    try:
        encoded = compression.decompress_outside(how, _read())
    except MalformedError as error:
        raise MalformedError(f"decompress {scenario}: {error}") from None
    write(sys.stdout.buffer, encoded)


def _compression(codec: Codec, scenario: str, name: str) -> compression.Compression:
    """The compression that a cell of the scenario is measured with. Raises UsageError where there is no such cell."""
    if not any(cell.conditions.get("compression") == name for cell in cells_of(codec, [scenario])):
        raise UsageError(f"no cell of {scenario} has compression={name}; `describe` lists those that have one")
    return compression.named(name)


def decode_batch(codec: Codec, scenario: str) -> None:
    """Messages on standard input, each behind its length (u32, little-endian), to answers in the same order.

    An answer is a byte (what the exit code would have been), a length as above, and so many bytes: canonical JSON, or
    the line for standard error. Each answer is flushed before the next message is looked at, so that the message that
    ended the process is the first without an answer.
    """
    kind = _kind(codec, scenario)
    if codec.copy:
        raise UsageError("a control has nothing to decode; only measure it")
    for message in _messages(_read()):
        try:
            code, answer = 0, _decoded(kind, scenario, message)
        except MalformedError as error:
            code, answer = error.exit_code, str(error).encode(errors="replace")
        write(sys.stdout.buffer, bytes([code]) + len(answer).to_bytes(4, "little") + answer)


def _decoded(kind: Kind, scenario: str, data: bytes) -> bytes:
    """Whatever the library raises says that the input is malformed: a panic too, which is no `Exception`.

    A library that ends the process instead, as many do that get no memory, is a crash; it says where.
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
    place = 0
    while place < len(data):
        end = place + 4 + int.from_bytes(data[place : place + 4], "little")
        if end > len(data):
            raise MalformedError(f"decode --batch: the message at byte {place} ends after the input")
        yield data[place + 4 : end]
        place = end


def _kind(codec: Codec, scenario: str) -> Kind:
    kind = kind_of(codec, scenario)
    if kind is None or (codec.copy and not codec.copy.produces):
        offered = [name for name in SCENARIOS if kind_of(codec, name)]
        raise UsageError(f"nothing to encode or decode for {scenario}; the scenarios are {', '.join(offered)}")
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
