"""Reading and writing the lab's files: decoded once, at the edge, with file, line and field in every error."""

import errno
import hashlib
import os
import re
import secrets
import stat
import time
import tomllib
from collections.abc import Callable
from functools import reduce
from io import BufferedReader
from operator import or_
from pathlib import Path
from typing import Any, BinaryIO, TypeVar, cast

import msgspec
from msgspec import Struct

from bench.base import errors, limits
from bench.base.errors import LabError
from bench.base.protocol import PROTOCOL
from bench.base.visible import safe_json

T = TypeVar("T")
NO_ROOM = tuple(getattr(errno, name) for name in ("ENOSPC", "EDQUOT", "EFBIG") if hasattr(errno, name))
"""How a system says that a disk, or what is allowed of it, is full."""
REPLACE_ATTEMPTS = 11
REPLACE_WAIT_S = 0.05


def _flags(*names: str) -> int:
    return reduce(or_, (getattr(os, name, 0) for name in names))  # no system has them all


OPEN_FLAGS = _flags("O_RDONLY", "O_NOFOLLOW", "O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC", "O_BINARY", "O_NOINHERIT")
NEW_FLAGS = _flags("O_WRONLY", "O_CREAT", "O_EXCL", "O_NOFOLLOW", "O_CLOEXEC", "O_BINARY", "O_NOINHERIT")


def is_there(path: Path) -> bool:
    """Whether something has this name, be it a link that leads nowhere."""
    return os.path.lexists(path)


def open_regular(path: Path, limit: int = limits.LINES_BYTES) -> BufferedReader:
    """A file of at most `limit` bytes, open for reading. What lies in a run folder is opened by this alone.

    A link, pipe, device, socket or folder under that name is refused before anything is opened: it would lead out of
    the folder, wait for ever, or do what opening a device does. Raises LabError for these too, and for whatever the
    system says.
    """
    try:
        _check_regular(path, before := path.lstat(), limit)
        descriptor = os.open(path, OPEN_FLAGS)
    except OSError as error:
        raise errors.unreadable(path, error.strerror or str(error)) from None
    except ValueError as error:  # a path that no system takes
        raise errors.unreadable(path, str(error)) from None
    file = os.fdopen(descriptor, "rb")
    try:
        after = os.fstat(descriptor)
        _check_regular(path, after, limit)
        if (before.st_dev, before.st_ino) != (after.st_dev, after.st_ino):
            raise errors.unreadable(path, "it was replaced while it was opened")
    except BaseException:
        file.close()
        raise
    return file


def _check_regular(path: Path, found: os.stat_result, limit: int) -> None:
    link = stat.S_ISLNK(found.st_mode) or getattr(found, "st_reparse_tag", 0) == getattr(
        stat, "IO_REPARSE_TAG_MOUNT_POINT", -1
    )
    if link or not stat.S_ISREG(found.st_mode):
        raise errors.not_regular(path, "link" if link else KINDS.get(stat.S_IFMT(found.st_mode), "special file"))
    if found.st_size > limit:
        raise errors.too_large(path, found.st_size, limit)


KINDS = {
    stat.S_IFDIR: "folder",
    stat.S_IFIFO: "pipe",
    stat.S_IFSOCK: "socket",
    stat.S_IFCHR: "device",
    stat.S_IFBLK: "device",
}
"""What else than a file may have a name."""


def open_own(path: Path, mode: str) -> BinaryIO:
    """A file of a run, open for writing without a buffer; `mode` is "ab", "wb" or "r+b". The first two make it.

    Raises LabError where the name leads to anything but a file that has no other name.
    """
    kind = {"ab": ("O_WRONLY", "O_APPEND", "O_CREAT"), "wb": ("O_WRONLY", "O_CREAT"), "r+b": ("O_RDWR",)}[mode]
    flags = _flags(*kind, "O_NOFOLLOW", "O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC", "O_BINARY", "O_NOINHERIT")
    try:
        descriptor = os.open(path, flags, 0o666)
    except OSError as error:
        if error.errno in NO_ROOM:
            raise
        raise errors.unwritable(path, error.strerror or str(error)) from None
    try:
        found = os.fstat(descriptor)
        _check_regular(path, found, limits.LINES_BYTES)
        if found.st_nlink > 1:
            raise errors.hard_link(path)
        if mode == "wb":
            os.ftruncate(descriptor, 0)
        return cast(BinaryIO, os.fdopen(descriptor, mode, buffering=0))
    except BaseException:
        os.close(descriptor)
        raise


def read_bytes(path: Path, limit: int = limits.DOCUMENT_BYTES) -> bytes:
    """The content of a regular file of at most `limit` bytes. Raises LabError as `open_regular` does."""
    with open_regular(path, limit) as file:
        try:
            content = file.read(limit + 1)
        except OSError as error:
            raise errors.unreadable(path, error.strerror or str(error)) from None
    if len(content) > limit:
        raise errors.too_large(path, len(content), limit)
    return content


def read_text(path: Path, limit: int = limits.DOCUMENT_BYTES, *, links: bool = True) -> str:
    """The text of a file. Raises LabError, with the line, where it cannot be read.

    `links`: the lab's own files may be reached by links, as a package manager makes them; those of a run may not.
    """
    content = read_bytes(_followed(path) if links else path, limit)
    return _utf8(path, content).replace("\r\n", "\n")


def _followed(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError):  # a link that leads to itself
        return path


def _utf8(path: Path, content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise errors.bad_file(path, line, "", "cannot be read: not UTF-8. Restore the file") from None


def read_toml(path: Path, kind: type[T]) -> T:
    """A TOML file as a value of `kind`. Raises LabError with file, line and field."""
    text = read_text(path)
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"at line (\d+)", str(error))
        raise errors.bad_file(path, int(line[1]) if line else None, "", f"not TOML: {error}") from None
    except (RecursionError, ValueError):  # too deep; a number with more digits than Python takes
        raise errors.bad_file(
            path, None, "", "not TOML that the lab reads: nested too deep, or a huge number"
        ) from None
    if (found := raw.get("protocol")) != PROTOCOL:
        raise errors.other_version(path, found, PROTOCOL)
    try:
        return msgspec.convert(raw, kind)
    except msgspec.ValidationError as error:
        problem, keys = split_validation_error(error)
        raise errors.bad_file(path, find_toml_line(text, keys), ".".join(keys), problem) from None


class _Versioned(Struct, frozen=True):
    """Any of the lab's files, to look at its version before all else."""

    protocol: Any = None


def read_json(
    path: Path,
    kind: type[T],
    limit: int = limits.DOCUMENT_BYTES,
    *,
    links: bool = False,
    upgraded: Callable[[dict[str, Any]], dict[str, Any]] | None = None,
) -> T:
    """A JSON file as a value of `kind`. Raises LabError with file and field. `links` as in `read_text`.

    `upgraded` turns what an older lab wrote into what this one reads.
    """
    content = read_bytes(_followed(path) if links else path, limit)
    _utf8(path, content)
    head = _decode(path, content, _Versioned)
    if head.protocol != PROTOCOL or isinstance(head.protocol, bool):
        raise errors.other_version(path, head.protocol, PROTOCOL)
    if upgraded is None:
        return _decode(path, content, kind)
    try:
        return msgspec.convert(upgraded(_decode(path, content, dict[str, Any])), kind)
    except msgspec.ValidationError as error:
        problem, keys = split_validation_error(error)
        raise errors.bad_json(path, None, ".".join(keys), problem) from None
    except RecursionError:
        raise errors.too_deep(path, "") from None


def _decode(path: Path, content: bytes, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(content, type=kind)
    except msgspec.ValidationError as error:
        problem, keys = split_validation_error(error)
        raise errors.bad_json(path, None, ".".join(keys), problem) from None
    except msgspec.DecodeError as error:
        byte = re.search(r"\(byte (\d+)\)$", str(error))
        line = content.count(b"\n", 0, int(byte[1]) if byte else len(content)) + 1
        raise errors.bad_json(path, line, "", f"not JSON: {error}") from None
    except RecursionError:
        raise errors.too_deep(path, "") from None


def read_json_lines(path: Path, kind: type[T], *, allow_torn_end: bool = False) -> list[T]:
    """A JSON Lines file as values of `kind`; a last line that a kill tore is left out where that is allowed.

    A file that is not there has no lines. Raises LabError with file, line and field.
    """
    if not is_there(path):
        return []
    decoder = msgspec.json.Decoder(kind)
    values = []
    with open_regular(path) as file:
        number = 0
        while line := next_line(file, path, number + 1):
            number += 1
            if not line.endswith(b"\n") and allow_torn_end:
                break
            try:
                values.append(decoder.decode(line))
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
                raise bad_line(path, number, line, error) from None
    return values


def next_line(file: BufferedReader, path: Path, number: int) -> bytes:
    """The rest of the line at which a file stands, empty at its end. Raises LabError where it has no end in sight."""
    try:
        line = file.readline(limits.LINE_BYTES + 1)
    except OSError as error:
        raise errors.unreadable(path, error.strerror or str(error)) from None
    if len(line) > limits.LINE_BYTES:
        raise errors.long_line(path, number, limits.LINE_BYTES)
    return line


def bad_line(path: Path, number: int, line: bytes, error: Exception) -> LabError:
    """What is wrong with a line of JSON that could not be decoded."""
    if isinstance(error, msgspec.ValidationError):
        problem, keys = split_validation_error(error)
        return errors.bad_json(path, number, ".".join(keys), problem)
    if isinstance(error, RecursionError):
        return errors.too_deep(path, "", number)
    if not line.endswith(b"\n"):
        torn = f"not JSON: {error}; the line is torn: `lab bench --resume` mends it"
        return errors.bad_file(path, number, "", torn)
    return errors.bad_json(path, number, "", f"not JSON: {error}")


def write_whole(path: Path, content: bytes) -> None:
    """The file is either the old one or the new one, whole, at every moment.

    It is written beside its place under a name that nothing else has: a link or file that somebody put there is
    neither followed nor touched. Raises OSError where the system refuses.
    """
    temporary = path.with_name(f".{secrets.token_hex(8)}.tmp")
    descriptor = os.open(temporary, NEW_FLAGS, 0o666)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def replace(new: Path, path: Path) -> None:
    """Puts a file in the place of another. Windows refuses while somebody reads it, a virus scanner for one: then the
    driver waits, up to half a second."""
    for _ in range(REPLACE_ATTEMPTS - 1):
        try:
            new.replace(path)
            return
        except PermissionError:
            time.sleep(REPLACE_WAIT_S)
    new.replace(path)


def write_json(path: Path, value: Any) -> None:
    """A value as indented JSON, written whole."""
    write_whole(path, safe_json(msgspec.json.format(msgspec.json.encode(value), indent=1)) + b"\n")


def split_validation_error(error: msgspec.ValidationError) -> tuple[str, list[str]]:
    """msgspec's message as (problem, path of keys): 'Expected `int`, got `str` - at `$.published.rounds`'."""
    problem, _, place = str(error).partition(" - at `")
    keys = [name or index for name, index in re.findall(r"\.([^.\[\]`]+)|\[(\d+)\]", place)]
    if of_parent := re.search(r"(?:unknown|missing required) field `([^`]+)`", problem):
        keys.append(of_parent[1])
    return problem, keys


def find_toml_line(text: str, keys: list[str]) -> int | None:
    """The 1-based line where the key path stands, or the nearest of its parents; None where nothing of it does."""
    table: list[str] = []
    best: tuple[int, int] | None = None  # (depth that matched, line)
    for number, line in enumerate(text.splitlines(), start=1):
        if header := re.match(r"\s*\[\[?([^\[\]]+)\]\]?\s*(#.*)?$", line):
            table = [part.strip().strip("\"'") for part in header[1].split(".")]
            path = table
        elif entry := re.match(r"""\s*("[^"]*"|'[^']*'|[\w-]+)\s*=""", line):
            path = [*table, entry[1].strip("\"'")]
        else:
            continue
        if path == keys[: len(path)] and (best is None or len(path) > best[0]):
            best = (len(path), number)
    return best[1] if best else None


def sha256_of(path: Path) -> str:
    """SHA-256 of a file's content."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sha256_of_regular(path: Path) -> str:
    """The same of a file of a run, opened as `open_regular` does."""
    with open_regular(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
