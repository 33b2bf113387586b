"""Compression of encoded messages: the same over every codec's bytes, and the same formats as in every language.

Both libraries are the reference implementations in C, as in the kits of other languages:

- `lz4`: the length as a little-endian u32, then one LZ4 block, compressed by default (acceleration 1);
- `zstd-N`: one Zstandard frame (RFC 8878) of level N, with its content's size and without a checksum.
"""

from typing import NamedTuple

from wirelab_kit.codec import Call
from wirelab_kit.failure import MalformedError, one_line

NAMES = ("lz4", "zstd-1", "zstd-3")
"""The values of the condition `compression`; without it, bytes stay as they are."""


class Compression(NamedTuple):
    """Calls that compress and decompress a message, with what the library lets callers reuse."""

    compress: Call
    decompress: Call
    claimed: Call
    """A compressed message → how many bytes it claims to hold; -1 where it does not say."""


def named(name: str) -> Compression:
    """The compression of a name of `NAMES`; its library is imported here, for those alone who compress."""
    if name == "lz4":
        import lz4.block

        return Compression(lz4.block.compress, lz4.block.decompress, lambda data: int.from_bytes(data[:4], "little"))
    import zstandard

    level = int(name.removeprefix("zstd-"))
    compress = zstandard.ZstdCompressor(level=level).compress
    return Compression(compress, zstandard.ZstdDecompressor().decompress, zstandard.frame_content_size)


def round_trip(encode: Call, compression: Compression, decode: Call) -> Call:
    """All four calls one after the other, as a user would write them."""
    compress, decompress, _ = compression

    def whole(value: object) -> object:
        return decode(decompress(compress(encode(value))))

    return whole


def decompress_outside(compression: Compression, data: bytes) -> bytes:
    """Decompresses bytes from outside, on a budget. Raises MalformedError where they are malformed or claim more."""
    from wirelab_kit import memory

    try:
        claimed = compression.claimed(data)
        if claimed > memory.budget_bytes(len(data)):
            raise MalformedError(f"{claimed} bytes are claimed by a compressed message of {len(data)}")
        with memory.budget(len(data)):
            plain: bytes = compression.decompress(data)
    except MalformedError:
        raise
    except Exception as error:
        raise MalformedError(one_line(error)) from None
    if len(plain) != claimed:
        raise MalformedError(f"{claimed} bytes are claimed, {len(plain)} are there")
    return plain
