"""What registries and advisory databases say of libraries, as schemas/maintenance.toml quotes it."""

import re
from functools import cache
from pathlib import Path
from typing import Annotated

from msgspec import Struct

from bench.base.files import read_toml
from bench.base.paths import SCHEMAS
from bench.model.fields import LanguageName, LibraryName, LibraryVersion, Text, Version, name_of

LIBRARIES = SCHEMAS / "maintenance.toml"

Day = Annotated[str, name_of("[0-9]{4}-[0-9]{2}-[0-9]{2}")]


class Advisory(Struct, frozen=True, forbid_unknown_fields=True):
    """What an advisory database says of a library."""

    id: Annotated[str, name_of("[A-Z]+-[0-9]{4}-[0-9]+")]
    date: Day
    says: Text
    fixed_in: LibraryVersion | None = None
    """The first release with the fix; None where no release has it."""

    def concerns(self, version: str | None) -> bool:
        """Whether a version of the library lacks the fix; an unknown one is taken to lack what no release has."""
        if self.fixed_in is None or version is None:
            return self.fixed_in is None
        return _numbers(version) < _numbers(self.fixed_in)


class Maintained(Struct, frozen=True, forbid_unknown_fields=True):
    """A library: its last release, and all advisories."""

    release: LibraryVersion
    released: Day
    note: Text = ""
    """What the version and the date do not tell."""
    advisories: list[Advisory] = []

    def open_for(self, version: str | None) -> list[Advisory]:
        """The advisories that concern a version."""
        return [one for one in self.advisories if one.concerns(version)]


class Channel(Struct, frozen=True, forbid_unknown_fields=True):
    """Where the authors of a library want vulnerabilities to be reported."""

    source: Text
    """The file or page that says so, or that says nothing of it."""
    report_to: Text | None = None
    """The address; None where none is published."""
    note: Text = ""
    """What they ask for besides."""


class MaintenanceFile(Struct, frozen=True, forbid_unknown_fields=True):
    """The file."""

    protocol: Version
    releases_of: Day
    """When the releases were looked up."""
    advisories_of: Day
    """The day of the database's state; a later advisory is not in it."""
    libraries: dict[LanguageName, dict[LibraryName, Maintained]]
    security: dict[LanguageName, dict[LibraryName, Channel]] = {}

    def of(self, codec: str, library: str | None) -> Maintained | None:
        """What is known of a codec's library; None where it was not looked up. `name@2` is a version line of `name`."""
        return self.libraries.get(codec.partition("/")[0], {}).get(_name(library))

    def channel(self, codec: str, library: str | None) -> Channel | None:
        """Where a codec's library is reported; None where it was not looked up."""
        return self.security.get(codec.partition("/")[0], {}).get(_name(library))


@cache
def maintenance(path: Path = LIBRARIES) -> MaintenanceFile:
    """What the file says. Raises LabError naming file, line and field of a mistake."""
    return read_toml(path, MaintenanceFile)


def _name(library: str | None) -> str:
    return (library or "").rpartition("@")[0] or library or ""


def _numbers(version: str) -> tuple[int, ...]:
    """The release's numbers, without what tells previews and builds apart: `1.0.0-rc.2` as 1, 0, 0."""
    return tuple(int(number) for number in re.findall(r"[0-9]+", re.split(r"[-+~]", version)[0]))
