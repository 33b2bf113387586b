"""The types of single values, such as names, counts, times and hashes, with their constraints."""

from typing import Annotated

from msgspec import Meta

from bench.base import limits
from bench.base.protocol import PROTOCOL

Sha256 = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]


Crc32 = Annotated[str, Meta(pattern="^crc32:[0-9a-f]{8}$")]


Count = Annotated[int, Meta(ge=0, le=limits.NUMBER)]


Positive = Annotated[int, Meta(ge=1, le=limits.NUMBER)]


Rounds = Annotated[int, Meta(ge=1, le=limits.ROUNDS)]


Round = Annotated[int, Meta(ge=0, le=limits.ROUNDS)]


Nanoseconds = Annotated[int, Meta(ge=0, le=limits.NANOSECONDS)]


Repetitions = Annotated[int, Meta(ge=1, le=limits.REPETITIONS)]


Place = Annotated[int, Meta(ge=0, le=2 * limits.CELLS)]


Load = Annotated[list[Annotated[float, Meta(ge=0, le=1e9)]], Meta(max_length=3)]


Seconds = Annotated[float, Meta(ge=0, le=limits.SECONDS)]


Version = Annotated[int, Meta(ge=PROTOCOL, le=PROTOCOL)]


def name_of(pattern: str, length: int = limits.NAME) -> Meta:
    """Constraint on a name used in files, columns, anchors or commands. `$` alone would allow a trailing newline."""
    return Meta(pattern=f"^(?:{pattern})$(?!\\n)", max_length=length)


Text = Annotated[str, Meta(max_length=limits.TEXT)]


CodecName = Annotated[str, name_of("[a-z]+/[a-z0-9][a-z0-9.-]*")]


LanguageName = Annotated[str, name_of("[a-z]+")]


ScenarioName = Annotated[str, name_of("[a-z0-9][a-z0-9-]*")]


FormatName = Annotated[str, name_of("[A-Za-z0-9][A-Za-z0-9 '._+-]*")]


LibraryName = Annotated[str, name_of("[A-Za-z0-9@][A-Za-z0-9@/._+-]*")]


LibraryVersion = Annotated[str, name_of("[A-Za-z0-9][A-Za-z0-9._+~:-]*")]


VariantName = Annotated[str, name_of("[A-Za-z0-9 ._=+-]*")]


TypeName = Annotated[str, Meta(min_length=1, max_length=1000)]
"""A type in the notation of bench/types/expressions.py."""


PlatformName = Annotated[str, name_of("[a-z0-9][a-z0-9._-]*")]


RunId = Annotated[str, name_of("[A-Za-z0-9][A-Za-z0-9._-]*")]


Moment = Annotated[
    str,
    name_of(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,6})?(Z|[+-][0-9]{2}:[0-9]{2})"),
]
"""A time as ISO 8601 writes it, with its zone."""


CellText = Annotated[str, Meta(max_length=1000)]
"""A cell as `Cell.__str__` writes it."""
