"""What codecs make of the suites of their formats, as `lab conformance` records it."""

from enum import StrEnum

from msgspec import Struct

from bench.model.fields import CodecName, Count, LibraryName, LibraryVersion, Moment, Sha256, Text, Version
from bench.model.proof.suite import SuiteName

FILE = "conformance.json"
"""The file beside run.json that `lab conformance --run` writes."""


class Verdict(StrEnum):
    """What came of a case, the worst first."""

    CRASH = "crash"
    """The program ended in another way than by a value or a refusal, or took memory out of proportion."""
    HANG = "hang"
    """It did not end."""
    ANOTHER = "another value"
    """It accepts the input, and gives another value than the suite's."""
    ACCEPTED = "wrongly accepted"
    """It accepts what the suite has refused."""
    REFUSED = "wrongly refused"
    """It refuses what the suite has accepted."""
    RIGHT = "right"


class Deviation(Struct, frozen=True, forbid_unknown_fields=True):
    """A case in which a codec differs from its suite."""

    case: Text
    verdict: Verdict
    input_bytes: Count
    input_hex: Text
    """The input, or its beginning where it is long."""
    came: Text
    """The value in the notation of schemaless values, or what the codec said."""


class Conformed(Struct, frozen=True, forbid_unknown_fields=True):
    """One codec and one suite."""

    codec: CodecName
    suite: SuiteName
    library: LibraryName | None
    version: LibraryVersion | None
    verdicts: dict[Verdict, Count]
    """How many cases came out so; of those that the suite leaves open only crashes and hangs."""
    open_accepted: Count
    open_refused: Count
    deviations: list[Deviation]
    skipped: Count = 0
    """Cases that its library has no code for, such as schemas in a language that it does not compile."""
    recommended: list[Deviation] = []
    """Cases that came out in another way than the suite recommends, and does not require: no verdict counts them. Older
    results have them among the deviations."""
    testee_sha256: Sha256 | None = None
    """The program that answered for it, where that is not the codec's own."""


class SuiteUsed(Struct, frozen=True, forbid_unknown_fields=True):
    """A suite as it was read."""

    title: Text
    edition: Text
    origin: Text
    cases: Count


class Conformance(Struct, frozen=True, forbid_unknown_fields=True):
    """conformance.json: every codec and every suite of its format."""

    protocol: Version
    created: Moment
    suites: dict[SuiteName, SuiteUsed]
    unavailable: dict[SuiteName, Text]
    """Suite → why it could not be had."""
    binaries: dict[Text, Sha256]
    """Codec → SHA-256 of its program."""
    results: list[Conformed]
    not_offered: dict[CodecName, list[SuiteName]]
    """Codec → suites of its format, which it could not be asked: it reads no values without a type, checks no messages,
    or has no program for a suite that judges itself."""
    failures: dict[Text, Text]
    """Codec → why it could not be asked."""
