"""Reading and writing the lab's files: decoded once, at the edge, with file, line and field in every error."""

import hashlib
import json
import os
import re
import time
import tomllib
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from bench import errors
from bench.errors import LabError
from bench.model import PROTOCOL
from bench.paths import brief

T = TypeVar("T")
REPLACE_ATTEMPTS = 11
REPLACE_WAIT_S = 0.05


def read_toml(path: Path, kind: type[T]) -> T:
    """A TOML file as a value of `kind`. Raises LabError with file, line and field."""
    text = read_text(path)
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"at line (\d+)", str(error))
        raise errors.bad_file(path, int(line[1]) if line else None, "", f"not TOML: {error}") from None
    if (found := raw.get("protocol")) != PROTOCOL:
        raise errors.other_version(path, found, PROTOCOL)
    try:
        return msgspec.convert(raw, kind)
    except msgspec.ValidationError as error:
        problem, keys = split_validation_error(error)
        raise errors.bad_file(path, find_toml_line(text, keys), ".".join(keys), problem) from None


def read_json(path: Path, kind: type[T]) -> T:
    """A JSON file as a value of `kind`. Raises LabError with file and field."""
    text = read_text(path)
    try:
        raw = json.loads(text)
    except json.JSONDecodeError as error:
        raise errors.bad_file(path, error.lineno, "", f"not JSON: {error.msg}") from None
    if isinstance(raw, dict) and (found := raw.get("protocol")) != PROTOCOL:
        raise errors.other_version(path, found, PROTOCOL)
    try:
        return msgspec.convert(raw, kind)
    except msgspec.ValidationError as error:
        problem, keys = split_validation_error(error)
        raise errors.bad_file(path, None, ".".join(keys), problem) from None


def read_json_lines(path: Path, kind: type[T], *, allow_torn_end: bool = False) -> list[T]:
    """A JSON Lines file as values of `kind`; a last line that a kill tore is left out where that is allowed."""
    if not path.exists():
        return []
    decoder = msgspec.json.Decoder(kind)
    values = []
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.endswith(b"\n") and allow_torn_end:
                break
            try:
                values.append(decoder.decode(line))
            except msgspec.ValidationError as error:
                problem, keys = split_validation_error(error)
                raise errors.bad_file(path, number, ".".join(keys), problem) from None
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                advice = "; the line is torn: `lab bench --resume` mends it" if not line.endswith(b"\n") else ""
                raise errors.bad_file(path, number, "", f"not JSON: {error}{advice}") from None
    return values


def write_whole(path: Path, content: bytes) -> None:
    """The file is either the old one or the new one, whole, at every moment."""
    temporary = path.with_name(path.name + ".tmp")
    with temporary.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    replace(temporary, path)


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
    write_whole(path, msgspec.json.format(msgspec.json.encode(value), indent=1) + b"\n")


def read_text(path: Path) -> str:
    """The text of a file. Raises LabError where it cannot be read."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise LabError(f"{brief(path)}: cannot be read: {reason}.") from None


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
