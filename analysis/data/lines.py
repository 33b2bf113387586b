"""Reads JSON Lines into columns, chunk by chunk, so memory stays bounded however long the file is.

What a line may hold is declared once, by the struct of `bench.model.record` that decodes it: an unknown or missing
field, a number beyond its limit or a value of another type is an error that names file, line and field. The types of
the columns, in memory and in Parquet, come from the same annotations.
"""

import hashlib
from collections.abc import Iterator, Sequence
from functools import cache
from io import BytesIO
from operator import attrgetter
from pathlib import Path

import msgspec
import polars as pl
from msgspec import Struct, inspect

from bench.base.errors import bad_json
from bench.base.files import bad_line, is_there, next_line
from bench.model.record import Process, Sample
from bench.records.stored_files import open_stored

CHUNK_BYTES = 4 * 2**20
"""Small enough that decoded lines are still in the processor's cache when they become columns."""
DECODE_ERRORS = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
SMALL = 2**32 - 1
"""The largest number that a 32-bit column holds."""


@cache
def columns_of(kind: type[Struct]) -> dict[str, pl.DataType]:
    """Field → type of its column. Raises TypeError for a field that no column can hold."""
    info = inspect.type_info(kind)
    assert isinstance(info, inspect.StructType)
    return {field.encode_name: _column_type(field.type) for field in info.fields}


def _column_type(kind: inspect.Type) -> pl.DataType:
    match kind:
        case inspect.UnionType(types=types):
            (kind,) = (one for one in types if not isinstance(one, inspect.NoneType))
            return _column_type(kind)
        case inspect.IntType(ge=0 | 1, le=int(largest)):
            return pl.UInt32() if largest <= SMALL else pl.UInt64()
        case inspect.FloatType():
            return pl.Float64()
        case inspect.BoolType():
            return pl.Boolean()
        case inspect.StrType() | inspect.EnumType():
            return pl.String()
    raise TypeError(f"no type of a column for {kind}")


def frame_of(rows: Sequence[Struct], kind: type[Struct]) -> pl.DataFrame:
    """Values of a struct as a frame with a column for each of its fields; what is absent is null."""
    columns = columns_of(kind).items()
    return pl.DataFrame([pl.Series(name, [*map(attrgetter(name), rows)], dtype) for name, dtype in columns])


class Chunk(Struct, frozen=True, eq=False):
    """Some lines of a file as columns."""

    first_line: int
    """The number of its first line in the file, counted from 1."""
    frame: pl.DataFrame


class LineFile:
    """A JSON Lines file of samples or processes, read once from its beginning to its end."""

    def __init__(self, path: Path, kind: type[Sample] | type[Process], *, allow_torn_end: bool) -> None:
        self.path, self.kind, self.allow_torn_end = path, kind, allow_torn_end
        self.lines = 0
        self._decoder = msgspec.json.Decoder(kind)
        self._digest = hashlib.sha256()

    @property
    def sha256(self) -> str:
        """The hash of the lines that were read so far, uncompressed: storing a run compressed does not change it."""
        return self._digest.hexdigest()

    def chunks(self) -> Iterator[Chunk]:
        """The file in chunks of whole lines. Raises LabError naming file, line and field of what cannot be read."""
        if not is_there(self.path):
            return
        with open_stored(self.path) as file:
            while text := file.read(CHUNK_BYTES):
                lines = text.count(b"\n")
                rest = next_line(file, self.path, self.lines + lines + 1)
                if rest or not text.endswith(b"\n"):
                    text, lines = text + rest, lines + 1
                if not text.endswith(b"\n") and self.allow_torn_end:
                    text, lines = text[: text.rfind(b"\n") + 1], lines - 1
                if text:
                    yield self._chunk(text, lines)

    def _chunk(self, text: bytes, lines: int) -> Chunk:
        self._digest.update(text)
        first = self.lines + 1
        self.lines += lines
        try:
            rows = self._decoder.decode_lines(text)
        except DECODE_ERRORS as error:
            raise self._blame(text, first, str(error)) from None
        if len(rows) != lines:
            raise self._blame(text, first, "a line is empty, or holds two values")
        return Chunk(first, frame_of(rows, self.kind))

    def _blame(self, text: bytes, first: int, problem: str) -> Exception:
        """The error found by reading line by line; `problem` if every line is valid by itself."""
        for number, line in enumerate(BytesIO(text), start=first):
            try:
                self._decoder.decode(line)
            except DECODE_ERRORS as error:
                return bad_line(self.path, number, line, error)
        return bad_json(self.path, first, "", f"cannot be read from here on: {problem}")
