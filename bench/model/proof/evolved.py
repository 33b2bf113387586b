"""What a codec reads of a message that was written with another schema, as `lab evolution` records it."""

from enum import StrEnum

from msgspec import Struct

from bench.model.fields import CodecName, Count, LibraryName, LibraryVersion, Moment, Sha256, Text, Version

FILE = "evolution.json"
"""The file beside run.json that `lab evolution --run` writes."""
WRITER_FAILED = "the writer failed: "
"""How a problem begins that is not the reader's."""


class Outcome(StrEnum):
    """What came of it, the worst first."""

    WRONG = "wrong"
    """Another value than the one that was written, without an error."""
    CRASH = "crash"
    """The program ended, or did not end."""
    DROPPED = "dropped"
    """The right value, only since the codec does not look at what follows it: any other bytes would do."""
    DEFAULT = "default"
    """What was written, and zero, empty or nothing in a field that was not: another value is right there, or none."""
    REFUSED = "refused"
    """An error. Where no value is right, this is."""
    RIGHT = "right"
    """The value that was written."""


class Evolved(Struct, frozen=True, forbid_unknown_fields=True):
    """One codec, one change of a schema, one direction."""

    codec: CodecName
    change: Text
    direction: Text
    outcome: Outcome
    honest: bool
    """Whether a user has what they can ask for: the right value, or an error where no value is right."""
    wrote: Text
    """Canonical JSON."""
    read: Text | None = None
    """Canonical JSON; None where it gave no value."""
    problem: Text | None = None
    """What the codec said, or what differs."""


class Evolution(Struct, frozen=True, forbid_unknown_fields=True):
    """evolution.json: every codec, change and direction."""

    protocol: Version
    created: Moment
    binaries: dict[Text, Sha256]
    """Codec → SHA-256 of its program."""
    versions: dict[CodecName, tuple[LibraryName | None, LibraryVersion | None]]
    results: list[Evolved]
    not_offered: dict[CodecName, Count]
    """Codec → how many schemas it has no form for."""
    failures: dict[CodecName, Text]
    """Codec → why it could not be asked."""
