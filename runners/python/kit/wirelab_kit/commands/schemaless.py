"""`encode --type any` and `decode --type any`: the notation of a value to a codec's bytes and back, without a type."""

import sys

from wirelab_kit.base import memory
from wirelab_kit.base.failure import UsageError
from wirelab_kit.commands.transcode import answer_each, judging, read, refusing, write
from wirelab_kit.model import notation
from wirelab_kit.model.codec import Codec, Schemaless


def encode_any(codec: Codec) -> None:
    """A line of notation on standard input → encoded bytes on standard output."""
    schemaless, line = _schemaless(codec), read()
    with judging("encode any"):
        encoded = bytes(schemaless.encode(notation.read(line, schemaless.made)))
    write(sys.stdout.buffer, encoded)


def decode_any(codec: Codec) -> None:
    """Encoded bytes on standard input → a line of notation on standard output."""
    write(sys.stdout.buffer, _decoded(_schemaless(codec), read()))


def decode_any_batch(codec: Codec) -> None:
    """Many inputs, framed and answered as those of `decode --batch`."""
    schemaless = _schemaless(codec)
    answer_each(lambda data: _decoded(schemaless, data))


def _decoded(schemaless: Schemaless, data: bytes) -> bytes:
    with refusing("decode any", len(data)):
        limit = memory.budget_bytes(len(data)) // PART_BYTES
        return notation.written(schemaless.decode(data), schemaless.forms, limit)


PART_BYTES = 64
"""What a part of a line takes while it is written: a text of Python, and its place in a list."""


def _schemaless(codec: Codec) -> Schemaless:
    if codec.schemaless is None:
        raise UsageError("this codec has no values of type any; use --scenario")
    return codec.schemaless
