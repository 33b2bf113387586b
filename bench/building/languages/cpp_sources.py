"""Where the source of a C++ library comes from: a folder below LAB_SOURCES, else one of the pinned archives.

CMake's FetchContent downloads an archive, holds it against its SHA-256 and unpacks it (runners/cpp/fetch.cmake), and takes
the folder that it is told of (FETCHCONTENT_SOURCE_DIR_NAME). Here is what it does not do: it ends the whole configuration
where one library cannot be had, which must cost that library's codecs alone; it knows one hash for all addresses of an
archive, and Debian's archives are others than the authors'; and it keeps no record of where a source came from.
"""

import hashlib
import os
import re
import shutil
import subprocess
import tomllib
from functools import cache
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from bench.base.paths import RUNNERS, brief
from bench.base.programs import captured
from bench.building.languages import cpp_tools

PINS = RUNNERS / "cpp" / "sources.toml"
FETCH = RUNNERS / "cpp" / "fetch.cmake"
SOURCES_VARIABLE = "LAB_SOURCES"
"""A folder with a folder a library, a checkout or an unpacked archive; it comes before every other origin."""
UNKNOWN = "unknown"
"""The version of a folder that is no checkout of the pinned tag and whose headers do not say theirs."""
UNREACHABLE: dict[str, str] = {}
"""Host → why it cannot be reached, as this process learnt."""


class Archive(Struct, frozen=True, forbid_unknown_fields=True):
    """A published archive of a library."""

    version: str
    url: str
    sha256: str
    include: str = "include"
    """Where the headers lie in what it unpacks to."""


class Pin(Archive, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What sources.toml says of a library: its authors' archive, and Debian's where it has one."""

    file: str
    """What lies below the headers' folder, and proves that the library is there."""
    says_version: bool = True
    """Whether the headers hold the version, so that a runner can be asked for it."""
    debian: Archive | None = None


class Source(Struct, frozen=True):
    """A library that can be built with."""

    tree: Path
    include: str
    version: str
    origin: str


class SourceError(Exception):
    """Why an origin has no source; the message is part of a codec's reason."""


def pins() -> dict[str, Pin]:
    """The pinned libraries by name."""
    return msgspec.convert(tomllib.loads(PINS.read_text(encoding="utf-8")), dict[str, Pin])


def resolve(name: str) -> Source:
    """A library's source. Raises SourceError with what every origin answered, and ToolError without CMake."""
    source = search(name)
    if isinstance(source, SourceError):
        raise source
    return source


@cache
def search(name: str) -> Source | SourceError:
    """What `resolve` gives or raises; no origin is asked twice."""
    if (pin := pins().get(name)) is None:
        return SourceError(f"{name} is not in {brief(PINS)}; pin it there")
    try:
        if name in (folders := given_folders()):
            return from_folder(folders[name], name, pin)
    except SourceError as error:
        return error
    home = os.environ.get(SOURCES_VARIABLE)
    refused = [f"{SOURCES_VARIABLE} ({home}) has no {name}" if home else f"{SOURCES_VARIABLE} is not set"]
    for archive in filter(None, (pin, pin.debian)):
        try:
            return checked(pin, Source(fetched(name, archive), archive.include, archive.version, archive.url))
        except SourceError as error:
            refused.append(str(error))
    refused += [] if pin.debian else [f"Debian has no {name}"]
    return SourceError(
        f"{name} {pin.version} cannot be had: {'; '.join(refused)}. "
        f"A checkout called {name} in a folder that {SOURCES_VARIABLE} names would do"
    )


def checked(pin: Pin, source: Source) -> Source:
    """The source, if the library's header is where it is said to be. Raises SourceError."""
    if not (source.tree / source.include / pin.file).is_file():
        raise SourceError(f"{source.origin} has no {(PurePosixPath(source.include) / pin.file).as_posix()}")
    return source


def fetched(name: str, archive: Archive) -> Path:
    """The unpacked archive, as FetchContent made it just now. Raises SourceError; asks no unreachable host twice."""
    host = urlsplit(archive.url).hostname or ""
    stored = cpp_tools.HOME / "archives" / f"{archive.sha256[:16]}-{PurePosixPath(archive.url).name}"
    tree = cpp_tools.HOME / "sources" / f"{name}-{archive.sha256[:16]}"
    if not stored.exists() and host in UNREACHABLE:
        raise SourceError(UNREACHABLE[host])
    settings = {"URL": archive.url, "SHA256": archive.sha256, "ARCHIVE": stored, "TREE": tree}
    options = [f"-D{key}={value}" for key, value in settings.items()]
    done = captured([str(cpp_tools.tool("cmake")), *options, "-P", str(FETCH)])
    if done.returncode == 0:
        return tree
    stored.unlink(missing_ok=True)
    shutil.rmtree(tree, ignore_errors=True)
    said = " ".join(done.stderr.split())
    if status := re.search(r'status: \[(\d+);"(.*?)"\]', said):
        if status[1] in {"5", "6", "7", "28", "35", "60"}:  # curl's: no connection was made
            UNREACHABLE[host] = f"{host} cannot be reached ({status[2]})"
            raise SourceError(UNREACHABLE[host])
        raise SourceError(f"{archive.url} cannot be downloaded ({status[2]})")
    if found := re.search(r'actual hash: "(\w+)"', said):
        raise SourceError(
            f"{archive.url} has SHA-256 {found[1]}, {brief(PINS)} pins {archive.sha256}; it was thrown away"
        )
    raise SourceError(f"{archive.url} cannot be unpacked: {said[-300:]}")


def given_folders() -> dict[str, Path]:
    """Library → its folder below LAB_SOURCES. Raises SourceError where there is no such folder."""
    if not (named := os.environ.get(SOURCES_VARIABLE)):
        return {}
    home = Path(named).absolute()
    if not home.is_dir():
        raise SourceError(f"{SOURCES_VARIABLE} names {named}, which is no folder")
    return {name: (home / name).resolve() for name in pins() if (home / name).is_dir()}


def from_folder(folder: Path, name: str, pin: Pin) -> Source:
    """The folder of the user as it is, called what git says of it."""
    command = ["git", "-C", str(folder), "describe", "--tags", "--always", "--dirty", "--match", f"*{pin.version}"]
    try:
        done = captured(command) if (folder / ".git").exists() else None
    except (OSError, subprocess.SubprocessError):
        done = None
    commit = done.stdout.strip() if done and done.returncode == 0 else ""
    is_pinned = re.sub(r"^\D*", "", commit) == pin.version
    origin = f"{SOURCES_VARIABLE}/{name} at {commit}" if commit else f"{SOURCES_VARIABLE}/{name}, no checkout of git"
    return checked(pin, Source(folder, pin.include, pin.version if is_pinned or pin.says_version else UNKNOWN, origin))


def fingerprint(folder: Path) -> str:
    """Tells one state of a folder's files from another."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and ".git" not in path.relative_to(folder).parts:
            content = path.read_bytes()
            digest.update(f"{path.relative_to(folder).as_posix()}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()
