"""Reads and writes the lab's files. Each is decoded once, and every error names file, line and field."""

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
from filelock import FileLock, Timeout
from msgspec import Struct

from bench.base import errors, limits
from bench.base.errors import LabError
from bench.base.protocol import PROTOCOL
from bench.base.visible import safe_json

T = TypeVar("T")
NO_ROOM = tuple(getattr(errno, name) for name in ("ENOSPC", "EDQUOT", "EFBIG") if hasattr(errno, name))
"""Errors by which a system reports a full disk or an exhausted quota."""
LOCK = ".lock"
"""The file by which a process holds a folder. It stays; what counts is whether a process has locked it."""
UNFINISHED = ".tmp"
"""How the name of a file ends that was still being written."""
REPLACE_ATTEMPTS = 11
REPLACE_WAIT_S = 0.05


def _flags(names: str) -> int:
    return reduce(or_, (getattr(os, name, 0) for name in names.split()))  # no system has them all


OPEN_FLAGS = _flags("O_RDONLY O_NOFOLLOW O_NONBLOCK O_NOCTTY O_CLOEXEC O_BINARY O_NOINHERIT")
NEW_FLAGS = _flags("O_WRONLY O_CREAT O_EXCL O_NOFOLLOW O_CLOEXEC O_BINARY O_NOINHERIT")


def is_there(path: Path) -> bool:
    """Whether something has this name, even a broken link."""
    return os.path.lexists(path)


def open_regular(path: Path, limit: int = limits.LINES_BYTES) -> BufferedReader:
    """A file of at most `limit` bytes, open for reading. Files in a run folder are opened only by this function.

    A link, pipe, device, socket or folder under that name is refused before anything is opened: it could lead out of
    the folder, block for ever, or have the side effects of opening a device. Raises LabError for these, and for every
    system error.
    """
    try:
        _check_regular(path, before := path.lstat(), limit)
        descriptor = os.open(path, OPEN_FLAGS)
    except OSError as error:
        raise errors.unreadable(path, error.strerror or str(error)) from None
    except ValueError as error:  # a path that no system accepts
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


def _check_regular(path: Path, status: os.stat_result, limit: int) -> None:
    link = stat.S_ISLNK(status.st_mode) or getattr(status, "st_reparse_tag", 0) == getattr(
        stat, "IO_REPARSE_TAG_MOUNT_POINT", -1
    )
    if link or not stat.S_ISREG(status.st_mode):
        raise errors.not_regular(path, "link" if link else KINDS.get(stat.S_IFMT(status.st_mode), "special file"))
    if status.st_size > limit:
        raise errors.too_large(path, status.st_size, limit)


KINDS = {
    stat.S_IFDIR: "folder",
    stat.S_IFIFO: "pipe",
    stat.S_IFSOCK: "socket",
    stat.S_IFCHR: "device",
    stat.S_IFBLK: "device",
}
"""The types of files other than regular ones, by name."""


def open_own(path: Path, mode: str) -> BinaryIO:
    """A file of a run, open for unbuffered writing; `mode` is "ab", "wb" or "r+b". The first two create it.

    Raises LabError where the name leads to anything but a regular file without a second name.
    """
    kind = {"ab": "O_WRONLY O_APPEND O_CREAT", "wb": "O_WRONLY O_CREAT", "r+b": "O_RDWR"}[mode]
    flags = _flags(f"{kind} O_NOFOLLOW O_NONBLOCK O_NOCTTY O_CLOEXEC O_BINARY O_NOINHERIT")
    try:
        descriptor = os.open(path, flags, 0o666)
    except OSError as error:
        if error.errno in NO_ROOM:
            raise
        raise errors.unwritable(path, error.strerror or str(error)) from None
    try:
        status = os.fstat(descriptor)
        _check_regular(path, status, limits.LINES_BYTES)
        if status.st_nlink > 1:
            raise errors.hard_link(path)
        if mode == "wb":
            os.ftruncate(descriptor, 0)
        return cast(BinaryIO, os.fdopen(descriptor, mode, buffering=0))
    except BaseException:
        os.close(descriptor)
        raise


def read_bytes(
    path: Path, limit: int = limits.DOCUMENT_BYTES, *, opened: Callable[[Path], BufferedReader] | None = None
) -> bytes:
    """The content of a regular file of at most `limit` bytes. Raises LabError as `open_regular` does."""
    with opened(path) if opened else open_regular(path, limit) as file:
        try:
            content = file.read(limit + 1)
        except OSError as error:
            raise errors.unreadable(path, error.strerror or str(error)) from None
    if len(content) > limit:
        raise errors.too_large(path, len(content), limit)
    return content


def read_text(
    path: Path,
    limit: int = limits.DOCUMENT_BYTES,
    *,
    links: bool = True,
    opened: Callable[[Path], BufferedReader] | None = None,
) -> str:
    """The text of a file. Raises LabError, with the line, where it cannot be read.

    `links`: the lab's own files may be links, as package managers create them; those of a run may not. `opened` as in
    `read_json`.
    """
    content = read_bytes(_followed(path) if links else path, limit, opened=opened)
    return _utf8(path, content).replace("\r\n", "\n")


def _followed(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError):  # a link to itself
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
    except (RecursionError, ValueError):  # too deep, or a number with more digits than Python reads
        raise errors.bad_file(
            path, None, "", "not TOML that the lab reads: nested too deep, or with a huge number"
        ) from None
    if (version := raw.get("protocol")) != PROTOCOL:
        raise errors.other_version(path, version, PROTOCOL)
    try:
        return msgspec.convert(raw, kind)
    except msgspec.ValidationError as error:
        problem, keys = split_validation_error(error)
        raise errors.bad_file(path, find_toml_line(text, keys), ".".join(keys), problem) from None


class _Versioned(Struct, frozen=True):
    """Any of the lab's files: its version is checked first."""

    protocol: Any = None


def read_json(
    path: Path,
    kind: type[T],
    limit: int = limits.DOCUMENT_BYTES,
    *,
    links: bool = False,
    upgraded: Callable[[dict[str, Any]], dict[str, Any]] | None = None,
    opened: Callable[[Path], BufferedReader] | None = None,
) -> T:
    """A JSON file as a value of `kind`. Raises LabError with file and field. `links` as in `read_text`.

    `upgraded` converts what an older lab wrote to the current version; `opened` opens the file, decompressed where it
    may be, and then `limit` is of what comes out.
    """
    content = read_bytes(_followed(path) if links else path, limit, opened=opened)
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


def read_json_lines(
    path: Path,
    kind: type[T],
    *,
    allow_torn_end: bool = False,
    opened: Callable[[Path], BufferedReader] = open_regular,
) -> list[T]:
    """A JSON Lines file as values of `kind`; with `allow_torn_end` a last line that a kill cut off is left out.

    A missing file has no lines. `opened` opens it, decompressed where it may be. Raises LabError with file, line and
    field.
    """
    if not is_there(path):
        return []
    decoder = msgspec.json.Decoder(kind)
    values = []
    with opened(path) as file:
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
    """The next line of a file, empty at its end. Raises LabError for a line beyond the limit."""
    try:
        line = file.readline(limits.LINE_BYTES + 1)
    except OSError as error:
        raise errors.unreadable(path, error.strerror or str(error)) from None
    if len(line) > limits.LINE_BYTES:
        raise errors.long_line(path, number, limits.LINE_BYTES)
    return line


def bad_line(path: Path, number: int, line: bytes, error: Exception) -> LabError:
    """Why a line of JSON could not be decoded."""
    if isinstance(error, msgspec.ValidationError):
        problem, keys = split_validation_error(error)
        return errors.bad_json(path, number, ".".join(keys), problem)
    if isinstance(error, RecursionError):
        return errors.too_deep(path, "", number)
    if not line.endswith(b"\n"):
        torn = f"not JSON: {error}; the line is cut off: `lab bench --resume` repairs it"
        return errors.bad_file(path, number, "", torn)
    return errors.bad_json(path, number, "", f"not JSON: {error}")


def hold(folder: Path, in_use: Callable[[Path], errors.LabError] = errors.run_in_use) -> FileLock:
    """The lock of a folder, held until it is released or the process ends, however it ends.

    Raises LabError where another process holds it (`in_use` says it), or where its name leads to something else than
    a file.
    """
    path = folder / LOCK
    if is_there(path) and (path.is_symlink() or not path.is_file()):
        raise errors.foreign_entry(path)
    lock = FileLock(path)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        raise in_use(folder) from None
    return lock


def write_whole(path: Path, content: bytes) -> None:
    """Replaces a file: at every moment it is either the old or the new one, whole.

    The new one is first written under a random name in the same folder, so no existing link or file is followed or
    touched. Raises OSError if the system refuses.
    """
    temporary = path.with_name(f".{secrets.token_hex(8)}{UNFINISHED}")
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
    """Replaces a file by another. Windows refuses while a program reads it, such as a virus scanner: then this waits,
    up to half a second."""
    for _ in range(REPLACE_ATTEMPTS - 1):
        try:
            new.replace(path)
            return
        except PermissionError:
            time.sleep(REPLACE_WAIT_S)
    new.replace(path)


def write_json(path: Path, value: Any) -> None:
    """A value as indented JSON, written whole."""
    write_whole(path, written(value))


def written(value: Any) -> bytes:
    """The text of a JSON file that the lab writes."""
    return safe_json(msgspec.json.format(msgspec.json.encode(value), indent=1)) + b"\n"


def split_validation_error(error: msgspec.ValidationError) -> tuple[str, list[str]]:
    """msgspec's message as (problem, path of keys): 'Expected `int`, got `str` - at `$.published.rounds`'."""
    problem, _, location = str(error).partition(" - at `")
    keys = [name or index for name, index in re.findall(r"\.([^.\[\]`]+)|\[(\d+)\]", location)]
    if of_parent := re.search(r"(?:unknown|missing required) field `([^`]+)`", problem):
        keys.append(of_parent[1])
    return problem, keys


def find_toml_line(text: str, keys: list[str]) -> int | None:
    """The 1-based line of a key path or of its nearest parent; None where neither is in the text."""
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
    """SHA-256 of a file's content, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
