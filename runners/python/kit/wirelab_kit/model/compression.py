"""Compression of encoded messages: the same for every codec, and the same formats in every language.

Both libraries are the reference implementations in C, as in the kits of the other languages:

- `lz4`: the length as a little-endian u32, then one LZ4 block, compressed by default (acceleration 1);
- `zstd-N`: one Zstandard frame (RFC 8878) of level N, with its content's size and without a checksum.
"""

from typing import NamedTuple

from wirelab_kit.base.failure import MalformedError, one_line
from wirelab_kit.model.codec import Call

NAMES = ("lz4", "zstd-1", "zstd-3")
"""The values of the condition `compression`; cells without it leave the bytes as they are."""


class Compression(NamedTuple):
    """Calls that compress and decompress a message. They hold the contexts that the library lets callers reuse."""

    compress: Call
    decompress: Call
    claimed: Call
    """A compressed message → the size that it claims to hold, in bytes; -1 if it claims none."""


def named(name: str) -> Compression:
    """The compression of a name of `NAMES`. Imports its library, which only compressed cells need."""
    if name == "lz4":
        import lz4.block

        return Compression(lz4.block.compress, lz4.block.decompress, lambda data: int.from_bytes(data[:4], "little"))
    import zstandard

    level = int(name.removeprefix("zstd-"))
    compress = zstandard.ZstdCompressor(level=level).compress
    return Compression(compress, zstandard.ZstdDecompressor().decompress, zstandard.frame_content_size)


def round_trip(encode: Call, compression: Compression, decode: Call) -> Call:
    """All four calls in sequence, as a user would write them."""
    compress, decompress, _ = compression

    def whole(value: object) -> object:
        return decode(decompress(compress(encode(value))))

    return whole


def decompress_outside(compression: Compression, data: bytes) -> bytes:
    """Decompresses bytes from outside within the budget. Raises MalformedError if they are malformed or claim more."""
    from wirelab_kit.base import memory

    try:
        claimed = compression.claimed(data)
        if claimed > memory.budget_bytes(len(data)):
            raise MalformedError(f"a compressed message of {len(data)} bytes claims to hold {claimed}")
        with memory.budget(len(data)):
            plain: bytes = compression.decompress(data)
    except MalformedError:
        raise
    except Exception as error:
        raise MalformedError(one_line(error)) from None
    if len(plain) != claimed:
        raise MalformedError(f"the message claims {claimed} bytes and holds {len(plain)}")
    return plain
