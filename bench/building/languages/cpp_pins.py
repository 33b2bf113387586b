"""Which C++ libraries are pinned, and what is known of one that was found."""

import tomllib
from pathlib import Path

import msgspec
from msgspec import Struct

from bench.base.paths import RUNNERS, STATE

PINS = RUNNERS / "cpp" / "sources.toml"
HOME = STATE / "cpp"


class Package(Struct, frozen=True, forbid_unknown_fields=True):
    """What the distribution has of a library."""

    name: str
    version: str
    revision: str
    """The version with the distribution's own number behind it, as apt wants it."""
    suite: str
    sha256: dict[str, str]
    """Architecture (`all` for any) → SHA-256 of the package."""
    source: str | None = None
    """The file that is taken of a source package; else it is a package of headers."""
    include: str = "usr/include"
    """Where the headers lie in what is unpacked."""


class Pin(Struct, frozen=True, forbid_unknown_fields=True):
    """What sources.toml says of a library."""

    version: str
    file: str
    """What lies below the headers' folder, and proves that the library is there."""
    url: str
    hash: str
    """Of the unpacked tree, as `nix hash path` prints it."""
    include: str = "include"
    """Where the headers lie in the tree."""
    says_version: bool = True
    """Whether the headers hold the version, so that a runner can be asked for it."""
    package: Package | None = None


class Source(Struct, frozen=True):
    """A library that was found."""

    include: Path
    version: str
    origin: str


class SourceError(Exception):
    """Why an origin has no source; the message is part of a codec's reason."""


def pins() -> dict[str, Pin]:
    """The pinned libraries by name."""
    return msgspec.convert(tomllib.loads(PINS.read_text(encoding="utf-8")), dict[str, Pin])
