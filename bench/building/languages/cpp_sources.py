"""Finds the source of a C++ library, below LAB_SOURCES or in a pinned archive, and the pinned compiler of its schemas.

CMake's FetchContent downloads, checks and unpacks an archive (runners/cpp/fetch.cmake). It does not know that an
unavailable library affects only its own codecs, that Debian's archive has a hash of its own, or what to record.
"""

import os
import re
import shutil
import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from bench.base.paths import RUNNERS, brief
from bench.base.programs import captured
from bench.building.languages import cpp_tools

PINS = RUNNERS / "cpp" / "sources.toml"
SOURCES_VARIABLE = "LAB_SOURCES"
"""A folder with one folder per library, a checkout or an unpacked archive; it takes precedence over other origins."""
UNREACHABLE: dict[str, str] = {}
"""Host → why this process could not reach it."""


class Archive(Struct, frozen=True, forbid_unknown_fields=True):
    """A published archive of a library; `include` is the folder of its headers."""

    version: str
    url: str
    sha256: str
    include: str = "include"


class Program(Struct, frozen=True, forbid_unknown_fields=True):
    """A program as its authors built it."""

    url: str
    sha256: str


class Pin(Archive, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A library in sources.toml: its authors' archive, and Debian's or a crate's if there is one."""

    file: str  # below the headers' folder; its presence proves that the library is complete
    says_version: bool = True  # the headers contain the version, so a runner can report it
    debian: Archive | None = None
    crate: Archive | None = None
    compiler: dict[str, Program] = {}
    """Of its schemas, of the library's version: system (as zig names it) → program."""

    @property
    def archives(self) -> list[Archive]:
        """The origins in the order in which they are asked."""
        return [one for one in (self, self.debian, self.crate) if one]


class Source(Struct, frozen=True):
    """The source of an available library."""

    tree: Path
    include: str
    version: str
    origin: str


class SourceError(Exception):
    """Why an origin has no source; the message is part of a codec's reason."""

    def __init__(self, said: str, advice: str = "") -> None:
        super().__init__(f"{said}. {advice}" if advice else said)
        self.said, self.advice = said, advice


def pins() -> dict[str, Pin]:
    """The pinned libraries by name."""
    return msgspec.convert(tomllib.loads(PINS.read_text(encoding="utf-8")), dict[str, Pin])


@cache
def search(name: str) -> Source | SourceError:
    """What `resolve` returns or raises; no origin is asked twice."""
    if (pin := pins().get(name)) is None:
        return SourceError(f"{name} is not in {brief(PINS)}; pin it there")
    refused = [f"{SOURCES_VARIABLE} ({os.environ.get(SOURCES_VARIABLE) or 'not set'}) has no {name}"]
    try:
        if folder := given_folders().get(name):
            return from_folder(folder, name, pin)
    except SourceError as error:
        return error
    for archive in pin.archives:
        try:
            return Source(fetched(name, archive, pin.file), archive.include, archive.version, archive.url)
        except SourceError as error:
            refused.append(str(error))
    advice = f"Put a checkout named {name} into a folder and set {SOURCES_VARIABLE} to that folder"
    return SourceError(f"{name} {pin.version} cannot be had: {'; '.join(refused)}", advice)


def resolve(name: str) -> Source:
    """A library's source. Raises SourceError with what every origin answered, and ToolError without CMake."""
    if isinstance(source := search(name), SourceError):
        raise source
    return source


def fetched(name: str, archive: Archive, file: str) -> Path:
    """The archive as FetchContent unpacks it. Raises SourceError; an unreachable host is not asked twice."""
    tree = cpp_tools.HOME / "sources" / f"{name}-{archive.sha256[:16]}"
    try:
        download(name, archive, [f"-DTREE={tree}"])
        if not (tree / archive.include / file).is_file():
            stored_as(archive).unlink()
            raise SourceError(f"{archive.url} gave no archive of {name} (it has no {file})")
    except SourceError:
        shutil.rmtree(tree, ignore_errors=True)
        raise
    return tree


@cache
def compiler_of(name: str) -> Path | SourceError | None:
    """The pinned compiler of a library's schemas, or why it cannot be had; None: none is pinned for this system."""
    if name not in pins() or (program := pins()[name].compiler.get(cpp_tools.triple())) is None:
        return None
    try:
        path = download(name, program)
        path.chmod(0o755)
    except SourceError as error:
        return error
    return path


def stored_as(file: Archive | Program) -> Path:
    """Where a download is kept."""
    return cpp_tools.HOME / "archives" / f"{file.sha256[:16]}-{Path(urlsplit(file.url).path).name}"


def download(name: str, file: Archive | Program, options: Sequence[str] = ()) -> Path:
    """The file with the pinned hash. Raises SourceError; an unreachable host is not asked twice."""
    host, stored = urlsplit(file.url).netloc, stored_as(file)
    if not stored.exists() and host in UNREACHABLE:
        raise SourceError(UNREACHABLE[host])
    words = [f"-DURL={file.url}", f"-DSHA256={file.sha256}", f"-DARCHIVE={stored}", *options]
    done = captured([str(cpp_tools.tool("cmake")), *words, "-P", str(PINS.with_name("fetch.cmake"))])
    if done.returncode == 0:
        return stored
    stored.unlink(missing_ok=True)
    answer = " ".join(done.stderr.split())
    status = re.search(r'status: \[(\d+);"(.*?)"\]', answer)
    if status and status[1] in ("5", "6", "7", "28", "35", "60"):  # of curl: it could not connect
        UNREACHABLE[host] = f"{host} cannot be reached ({status[2]})"
        raise SourceError(UNREACHABLE[host])
    if other := re.search(r'actual hash: "(\w+)"', answer):
        raise SourceError(f"{file.url} has SHA-256 {other[1]}, {brief(PINS)} pins {file.sha256}; it is removed")
    what = "archive" if isinstance(file, Archive) else "compiler"
    reason = status[2] if status else answer[-300:] or "CMake does not say why"
    raise SourceError(f"{file.url} gave no {what} of {name} ({reason})")


def given_folders() -> dict[str, Path]:
    """Library → its folder below LAB_SOURCES. Raises SourceError where there is no such folder."""
    if not (named := os.environ.get(SOURCES_VARIABLE)):
        return {}
    if not (home := Path(named).absolute()).is_dir():
        raise SourceError(f"{SOURCES_VARIABLE} names {named}, which is not a folder")
    return {name: (home / name).resolve() for name in pins() if (home / name).is_dir()}


def from_folder(folder: Path, name: str, pin: Pin) -> Source:
    """The user's folder as it is, with the version that git reports. Raises SourceError."""
    if not (folder / pin.include / pin.file).is_file():
        raise SourceError(f"{SOURCES_VARIABLE}/{name} has no {pin.file} below {pin.include}")
    command = ["git", "-C", str(folder), "describe", "--tags", "--always", "--dirty", "--match", f"*{pin.version}"]
    commit = captured(command).stdout.strip() if (folder / ".git").exists() and shutil.which("git") else ""
    is_known = pin.says_version or re.sub(r"^\D*", "", commit) == pin.version
    origin = f"{SOURCES_VARIABLE}/{name} at {commit}" if commit else f"{SOURCES_VARIABLE}/{name}, not a git checkout"
    return Source(folder, pin.include, pin.version if is_known else "unknown", origin)
