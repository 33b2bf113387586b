"""Compressed sizes as publications count them: what their tools write, by the libraries behind these tools.

`gzip -9 --no-name` writes zlib's stream in a frame of 18 bytes; `lz4 -9` a frame with a checksum of the content and
without its size; `lzma -9` the old format, whose header is 13 bytes. `zstd-3-streamed` is a stream at zstd's default
level whose length is not known before it ends: a frame without the content's size and without a checksum.
`zlib-libflate` is what the crate of that name makes, an encoder of its own; `provide_libflate` builds the program.
"""

import gzip
import lzma
import subprocess
from collections.abc import Callable, Mapping

import lz4.frame
import zstandard

from bench.base import paths
from bench.building.tools import LIBFLATE_PROGRAM


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


def _zlib_libflate(content: bytes) -> bytes:
    return subprocess.run([paths.tool(LIBFLATE_PROGRAM)], input=content, capture_output=True, check=True).stdout


PACKERS: Mapping[str, Callable[[bytes], bytes]] = {
    "gzip-9": _gzip_9,
    "lz4-9": _lz4_9,
    "lzma-9": _lzma_9,
    "zstd-3-streamed": _zstd_3_streamed,
    LIBFLATE_PROGRAM: _zlib_libflate,
}
"""Compression, as publications' files name it → what packs so."""
