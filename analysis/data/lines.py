"""JSON Lines to columns, chunk by chunk: memory stays bounded however long the file is, and nothing is lost.

Polars reads; where it cannot, or a value is missing, the chunk is read again line by line as
`bench.base.files` does, so that the error names file, line and field.
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import msgspec
import polars as pl

from bench.base import limits
from bench.base.errors import bad_json
from bench.base.files import bad_line, is_there, next_line, open_regular
from bench.model.record import Process, Sample

CHUNK_BYTES = 64 * 1024 * 1024
SAMPLE_COLUMNS: dict[str, pl.DataType] = {
    "cell": pl.String(),
    "round": pl.UInt32(),
    "place": pl.UInt32(),
    "index": pl.UInt32(),
    "wall_ns": pl.UInt64(),
    "cpu_ns": pl.UInt64(),
    "repetitions": pl.UInt64(),
    "encoded_bytes": pl.UInt64(),
    "checksum": pl.String(),
    "twin": pl.Boolean(),
    "allocations": pl.UInt64(),
    "allocated_bytes": pl.UInt64(),
}
PROCESS_COLUMNS: dict[str, pl.DataType] = {
    "cell": pl.String(),
    "round": pl.UInt32(),
    "place": pl.UInt32(),
    "kind": pl.String(),
    "twin": pl.Boolean(),
    "wall_s": pl.Float64(),
    "user_s": pl.Float64(),
    "system_s": pl.Float64(),
    "peak_memory_bytes": pl.UInt64(),
    "loop_ns": pl.UInt64(),
    "error": pl.String(),
    "known_failure": pl.Boolean(),
}
REQUIRED = {
    Sample: ("cell", "round", "place", "index", "wall_ns", "cpu_ns", "repetitions", "encoded_bytes", "checksum"),
    Process: ("cell", "round", "place", "kind"),
}
DEFAULTS = ("twin", "known_failure")
LARGEST: dict[str, float] = {
    "round": limits.ROUNDS,
    "index": limits.ROUNDS,
    "wall_ns": limits.NANOSECONDS,
    "cpu_ns": limits.NANOSECONDS,
    "loop_ns": limits.NANOSECONDS,
    "repetitions": limits.REPETITIONS,
    "encoded_bytes": limits.NUMBER,
    "allocations": limits.NUMBER,
    "allocated_bytes": limits.NUMBER,
    "peak_memory_bytes": limits.NUMBER,
    "wall_s": limits.SECONDS,
    "user_s": limits.SECONDS,
    "system_s": limits.SECONDS,
}
"""Beyond which a value is none: the line is then read by itself, for the message."""


class Chunk(msgspec.Struct, frozen=True, eq=False):
    """Some lines of a file as columns."""

    first_line: int
    """Number of its first line in the file, counted from 1."""
    frame: pl.DataFrame


class LineFile:
    """A JSON Lines file of samples or processes, read once from its beginning to its end."""

    def __init__(self, path: Path, kind: type[Sample] | type[Process], *, allow_torn_end: bool) -> None:
        self.path, self.kind, self.allow_torn_end = path, kind, allow_torn_end
        self.columns = SAMPLE_COLUMNS if kind is Sample else PROCESS_COLUMNS
        self.lines = 0
        self._digest = hashlib.sha256()

    @property
    def sha256(self) -> str:
        """Of what was read."""
        return self._digest.hexdigest()

    def chunks(self) -> Iterator[Chunk]:
        """The file in chunks of whole lines. Raises LabError naming file, line and field of what cannot be read."""
        if not is_there(self.path):
            return
        with open_regular(self.path) as file:
            while text := file.read(CHUNK_BYTES):
                text += next_line(file, self.path, self.lines + text.count(b"\n") + 1)
                if not text.endswith(b"\n") and self.allow_torn_end:
                    text = text[: text.rfind(b"\n") + 1]
                if text:
                    yield self._chunk(text)

    def _chunk(self, text: bytes) -> Chunk:
        self._digest.update(text)
        first, lines = self.lines + 1, text.count(b"\n") + (not text.endswith(b"\n"))
        self.lines += lines
        try:
            frame = pl.read_ndjson(text, schema=self.columns)
        except pl.exceptions.PolarsError as error:
            raise self._blame(text, first, str(error)) from None
        missing = frame.select(pl.any_horizontal(pl.col(name).is_null().any() for name in REQUIRED[self.kind])).item()
        if missing or len(frame) != lines:
            raise self._blame(text, first, "a field that must be there is missing")
        numbers = [pl.col(name).is_between(0, LARGEST[name]).all() for name in self.columns if name in LARGEST]
        if not frame.select(pl.all_horizontal(numbers)).item():
            raise self._blame(text, first, "a number is beyond its limit")
        defaults = [pl.col(name).fill_null(value=False) for name in DEFAULTS if name in self.columns]
        return Chunk(first, frame.with_columns(defaults))

    def _blame(self, text: bytes, first: int, problem: str) -> Exception:
        """The error that reading line by line gives; `problem` where every line is well by itself."""
        decoder = msgspec.json.Decoder(self.kind)
        for number, line in enumerate(text.removesuffix(b"\n").split(b"\n"), start=first):
            try:
                decoder.decode(line)
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
                return bad_line(self.path, number, line + b"\n", error)
        return bad_json(self.path, first, "", f"cannot be read from here on: {problem}")
