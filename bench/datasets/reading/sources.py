"""Which kind of file a user gave, and its messages, one after the other."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import Struct

from bench.base import errors
from bench.datasets.reading.exact_json import NotExactError
from bench.datasets.reading.json_sources import read_document, read_lines, stands_in_lines
from bench.datasets.reading.protobuf_source import ProtobufType, read_protobuf
from bench.datasets.reading.table_sources import read_csv, read_parquet

LARGEST_FILE_BYTES = 1 << 30
MOST_MESSAGE_BYTES = 64 << 20
"""A message is held in memory several times over."""
MOST_SPOOLED_BYTES = 8 << 30
"""All messages with every key of their type, on the disk: a small file of a table may hold very many."""
HEAD_BYTES = 1 << 16


class Message(NamedTuple):
    """A message of a user's data."""

    at: int
    """Its line, row or number in the file, from 1."""
    value: Any


class Source(Struct, frozen=True):
    """A file of messages that can be read as often as needed."""

    path: Path
    unit: str
    """What `Message.at` counts: line, row or message."""
    read: Callable[[], Iterator[tuple[int, Any]]]
    """Raises NotExactError, from the iteration, for what is no message."""
    notes: list[str] = []
    """What a reader has to say of the whole file, after all of it was read."""

    def messages(self) -> Iterator[Message]:
        """All messages. Raises LabError with file and line for what cannot be read."""
        at = 0
        try:
            for at, value in self.read():
                yield Message(at, value)
        except NotExactError as error:
            raise self.mistake(getattr(error, "at", at + 1), "", str(error)) from None
        except OSError as error:
            raise errors.unreadable(self.path, error.strerror or str(error)) from None

    def mistake(self, at: int, path: str, problem: str) -> errors.LabError:
        """An error that names file, line and field."""
        if self.unit == "line":
            return errors.bad_file(self.path, at, path, problem)
        return errors.bad_file(self.path, None, f"{self.unit} {at}{f': {path}' if path else ''}", problem)

    def where(self, at: int) -> str:
        """A message in words: `line 3`."""
        return f"{self.unit} {at:,}"


def open_source(path: Path, protobuf: ProtobufType | None = None) -> Source:
    """The messages of a file. Raises LabError for a file that is missing, too large, empty or of no known kind."""
    try:
        size = path.stat().st_size
        if not path.is_file():
            raise errors.not_regular(path, "folder" if path.is_dir() else "special file")
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES)
    except OSError as error:
        raise errors.unreadable(path, error.strerror or str(error)) from None
    if size > LARGEST_FILE_BYTES:
        raise errors.too_large_data(path, size, LARGEST_FILE_BYTES)
    if not head.strip():
        raise errors.no_messages(path)
    if protobuf is not None:
        notes: list[str] = []
        return Source(path, "message", partial(read_protobuf, path, protobuf, notes), notes)
    return _by_content(path, head)


def _by_content(path: Path, head: bytes) -> Source:
    suffix, text = path.suffix.lower(), head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if head.startswith(b"PAR1"):
        return Source(path, "row", partial(read_parquet, path))
    if suffix in (".csv", ".tsv"):
        return Source(path, "line", partial(read_csv, path, "\t" if suffix == ".tsv" else ","))
    if suffix in (".jsonl", ".ndjson") or (text[:1] == b"{" and stands_in_lines(path)):
        return Source(path, "line", partial(read_lines, path, MOST_MESSAGE_BYTES))
    if text[:1] in (b"{", b"["):
        return Source(path, "line", partial(read_document, path, MOST_MESSAGE_BYTES))
    raise errors.unknown_data(path)
