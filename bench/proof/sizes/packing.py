"""Compressed sizes as publications count them: what their tools write, by the libraries behind these tools.

`gzip -9 --no-name` writes zlib's stream in a frame of 18 bytes; `lz4 -9` a frame with a checksum of the content and
without its size; `lzma -9` the old format, whose header is 13 bytes. `zstd-3-streamed` is a stream at zstd's default
level whose length is not known before it ends: a frame without the content's size and without a checksum.
"""

import gzip
import lzma
from collections.abc import Callable, Mapping

import lz4.frame
import zstandard


def _gzip_9(content: bytes) -> bytes:
    return gzip.compress(content, 9, mtime=0)


def _lz4_9(content: bytes) -> bytes:
    packed: bytes = lz4.frame.compress(content, compression_level=9, content_checksum=True, store_size=False)
    return packed


def _lzma_9(content: bytes) -> bytes:
    return lzma.compress(content, format=lzma.FORMAT_ALONE, preset=9)


def _zstd_3_streamed(content: bytes) -> bytes:
    stream = zstandard.ZstdCompressor(level=3, write_checksum=False).compressobj()
    return stream.compress(content) + stream.flush()


PACKERS: Mapping[str, Callable[[bytes], bytes]] = {
    "gzip-9": _gzip_9,
    "lz4-9": _lz4_9,
    "lzma-9": _lzma_9,
    "zstd-3-streamed": _zstd_3_streamed,
}
"""Compression, as publications' files name it → what packs so."""
