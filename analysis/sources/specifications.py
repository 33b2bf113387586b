"""What the specifications of formats say of them, as schemas/formats.toml quotes it: properties, never figures."""

from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct

from bench.base.files import read_toml
from bench.base.paths import SCHEMAS
from bench.model.fields import FormatName, Text, Version

FORMATS = SCHEMAS / "formats.toml"


class Evolves(StrEnum):
    """Whether a reader with an older or newer schema still reads a message."""

    YES = "yes"
    NO = "no"
    AS_MAPS = "as maps"
    """Where structs are written as maps with names, not as lists of values."""


class Specified(Struct, frozen=True, forbid_unknown_fields=True):
    """A property of a format, and the section that says so."""

    evolves: Evolves
    because: Text
    specification: Annotated[str, Meta(pattern="^https://[^ ]+$", max_length=200)]


class FormatsFile(Struct, frozen=True, forbid_unknown_fields=True):
    """The file."""

    protocol: Version
    formats: dict[FormatName, Specified]


@cache
def specified(path: Path = FORMATS) -> dict[str, Specified]:
    """Format → what its specification says. Raises LabError naming file, line and field of a mistake."""
    return read_toml(path, FormatsFile).formats
