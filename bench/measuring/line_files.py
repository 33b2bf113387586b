"""The files of lines of a recorded run, plain or compressed: `samples.jsonl`, or `samples.jsonl.zst` once submitted.

A compressed file is one Zstandard frame with a checksum. It is read as a stream: memory is bounded by the frame's
window, and what comes out by `EXPANSION`, however little the file says about itself.
"""

import hashlib
from collections.abc import Callable
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import TYPE_CHECKING

import zstandard

from bench.base import errors, limits
from bench.base.files import is_there, open_regular

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

SUFFIX = ".zst"
LEVEL = 19
WINDOW_BYTES = 2**23
"""The window of level 19; a frame that asks for a larger one is refused."""
EXPANSION = 100
"""A file may hold so many times its own size: recorded samples compress to a twenty-fifth, processes to a
fourteenth."""
SMALL_BYTES = 2**24
"""What any file may hold, however well it compresses: a short run repeats itself."""
INPUT_BYTES = 2**10
"""Read at a time: of so little input no more than 32 MiB can come, as a block of four bytes holds at most 128 KiB."""
BUFFER_BYTES = 2**17


def lines_path(folder: Path, name: str) -> Path:
    """The file of a run that holds its samples or processes, plain or compressed. Raises LabError if both are there."""
    plain, packed = folder / name, folder / f"{name}{SUFFIX}"
    if not is_there(packed):
        return plain
    if is_there(plain):
        raise errors.plain_and_compressed(plain, packed)
    return packed


def open_lines(path: Path) -> BufferedReader:
    """A file of lines open for reading, decompressed if its name ends in `.zst`.

    Raises LabError as `open_regular` does; reading raises it for a damaged frame, naming the file.
    """
    file = open_regular(path)
    if path.suffix != SUFFIX:
        return file
    return BufferedReader(_Frame(file, path), BUFFER_BYTES)


def sha256_of_lines(path: Path) -> str:
    """SHA-256 of what a file of a run holds, uncompressed: compressing it does not change this."""
    digest = hashlib.sha256()
    with open_lines(path) as file:
        while piece := file.read(2**20):
            digest.update(piece)
    return digest.hexdigest()


def compressed(source: BufferedReader, write: Callable[[bytes], object]) -> None:
    """Writes a stream as one frame: the same bytes give the same frame."""
    packer = zstandard.ZstdCompressor(level=LEVEL, write_checksum=True).compressobj()
    while piece := source.read(2**20):
        write(packer.compress(piece))
    write(packer.flush())


class _Frame(RawIOBase):
    """What a file of one frame holds, piece by piece."""

    def __init__(self, file: BufferedReader, path: Path) -> None:
        self._file, self._path = file, path
        self._limit = max(SMALL_BYTES, EXPANSION * path.lstat().st_size)
        self._frame = zstandard.ZstdDecompressor(max_window_size=WINDOW_BYTES).decompressobj()
        self._rest = memoryview(b"")
        self._lines = self._bytes = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        target = memoryview(buffer).cast("B")
        while not self._rest and (piece := self._file.read(INPUT_BYTES)):
            self._rest = memoryview(self._decompressed(piece))
        if not self._rest and not self._frame.eof:
            raise self._damaged("it ends within its frame")
        count = min(len(target), len(self._rest))
        target[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count

    def close(self) -> None:
        self._file.close()
        super().close()

    def _decompressed(self, piece: bytes) -> bytes:
        if self._frame.eof:
            raise self._damaged("something follows its frame")
        try:
            text = self._frame.decompress(piece)
        except zstandard.ZstdError as error:
            raise self._damaged(str(error)) from None
        if self._frame.unused_data:
            raise self._damaged("something follows its frame")
        self._bytes += len(text)
        self._lines += text.count(b"\n")
        if self._bytes > min(self._limit, limits.LINES_BYTES):
            raise errors.expands_too_far(self._path, self._limit)
        return text

    def _damaged(self, problem: str) -> Exception:
        return errors.damaged_frame(self._path, self._lines, problem)
