"""The files of a recorded run, plain or compressed: `samples.jsonl`, or `samples.jsonl.zst` once submitted.

A compressed file is one Zstandard frame with a checksum. It is read as a stream: memory is bounded by the frame's
window, and what comes out by `EXPANSION`, however little the file says about itself.
"""

import hashlib
from collections.abc import Callable
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

import zstandard

from bench.base import errors, limits
from bench.base.files import is_there, open_regular, read_json

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

T = TypeVar("T")
SUFFIX = ".zst"
LEVEL = 19
WINDOW_BYTES = 2**23
"""The window of level 19; a frame that asks for a larger one is refused."""
EXPANSION = 100
"""A file may hold so many times its own size: recorded samples compress to a twenty-fifth, plans to a seventieth."""
SMALL_BYTES = 2**24
"""What any file may hold, however well it compresses: a short run repeats itself."""
INPUT_BYTES = 2**10
"""Read at a time: of so little input no more than 32 MiB can come, as a block of four bytes holds at most 128 KiB."""
BUFFER_BYTES = 2**17


def stored_path(folder: Path, name: str) -> Path:
    """A file of a run, plain or compressed. Raises LabError if both are there."""
    plain, packed = folder / name, folder / f"{name}{SUFFIX}"
    if not is_there(packed):
        return plain
    if is_there(plain):
        raise errors.plain_and_compressed(plain, packed)
    return packed


def is_stored(folder: Path, name: str) -> bool:
    """Whether a run has a file, plain or compressed."""
    return is_there(folder / name) or is_there(folder / f"{name}{SUFFIX}")


def read_stored(
    folder: Path,
    name: str,
    kind: type[T],
    limit: int = limits.DOCUMENT_BYTES,
    *,
    upgraded: Callable[[dict[str, Any]], dict[str, Any]] | None = None,
) -> T | None:
    """A JSON file of a run as a value of `kind`, with `limit` bytes of text at most; None where the run has none.

    `upgraded` as in `read_json`. Raises LabError if it is damaged.
    """
    path = stored_path(folder, name)
    if not is_there(path):
        return None
    return read_json(path, kind, limit, upgraded=upgraded, opened=open_stored if path.suffix == SUFFIX else None)


def open_stored(path: Path) -> BufferedReader:
    """A file of a run open for reading, decompressed if its name ends in `.zst`.

    Raises LabError as `open_regular` does; reading raises it for a damaged frame, naming the file.
    """
    file = open_regular(path)
    if path.suffix != SUFFIX:
        return file
    return BufferedReader(_Frame(file, path), BUFFER_BYTES)


def sha256_of_stored(path: Path) -> str:
    """SHA-256 of what a file of a run holds, uncompressed: compressing it does not change this."""
    digest = hashlib.sha256()
    with open_stored(path) as file:
        while piece := file.read(2**20):
            digest.update(piece)
    return digest.hexdigest()


def compressed(source: BinaryIO, write: Callable[[bytes], object]) -> None:
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
