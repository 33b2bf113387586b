"""Frames around messages: many of them in one stream, each behind its length as a u32, little-endian."""

from collections.abc import Iterator

from wirelab_kit.base.failure import MalformedError

LENGTH = 4
"""Bytes of a length."""


def framed(message: bytes) -> bytes:
    """A message behind its length."""
    return len(message).to_bytes(LENGTH, "little") + message


def messages(stream: bytes) -> Iterator[bytes]:
    """The messages of a stream. Raises MalformedError for one that ends after the stream."""
    start = 0
    while start < len(stream):
        end = start + LENGTH + int.from_bytes(stream[start : start + LENGTH], "little")
        if end > len(stream) or start + LENGTH > len(stream):
            raise MalformedError(f"the message at byte {start} ends after the input")
        yield stream[start + LENGTH : end]
        start = end
