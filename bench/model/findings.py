"""The findings of `lab fidelity` and `lab fuzz`, as recorded in a run's folder."""

from typing import Annotated

from msgspec import Meta, Struct

from bench.model.fields import (
    CodecName,
    Count,
    LibraryName,
    LibraryVersion,
    Moment,
    ScenarioName,
    Sha256,
    Text,
    Version,
)


class Answer(Struct, frozen=True, forbid_unknown_fields=True):
    """What a runner's `fidelity --probe` prints."""

    probe: str
    outcome: Annotated[str, Meta(pattern="^(same|changed|refused|unreadable)$")]
    sent: str
    got: str | None = None
    error: str | None = None


class Fact(Struct, frozen=True):
    """The outcome of one probe in one codec; `failed` if the runner did not answer, for instance after a crash."""

    codec: CodecName
    probe: Text
    outcome: Annotated[str, Meta(pattern="^(same|changed|refused|unreadable|failed)$")]
    sent: Text | None = None
    got: Text | None = None
    error: Text | None = None


class Fidelity(Struct, frozen=True, forbid_unknown_fields=True):
    """fidelity.json: the outcome of every probe, with the binaries that were asked."""

    protocol: Version
    created: Moment
    binaries: dict[Text, Sha256]
    """Codec → SHA-256 of its runner."""
    facts: list[Fact]


class Finding(Struct, frozen=True):
    """A case that was neither refused nor decoded properly, with its input."""

    codec: CodecName
    scenario: ScenarioName
    case: Count
    problem: Text
    input_hex: str


class Fuzzed(Struct, frozen=True):
    """The result for one codec and scenario."""

    codec: CodecName
    scenario: ScenarioName
    library: LibraryName | None
    version: LibraryVersion | None
    seed: Count
    cases: Count
    refused: Count
    accepted: Count
    findings: list[Finding]


class Fuzzing(Struct, frozen=True, forbid_unknown_fields=True):
    """fuzz.json: what every codec did with malformed input, and with which binaries."""

    protocol: Version
    created: Moment
    cases: Count
    """Malformed inputs per codec, spread over the types of its scenarios."""
    seed: Count
    binaries: dict[Text, Sha256]
    """Codec → SHA-256 of its runner."""
    results: list[Fuzzed]
    failures: dict[Text, Text]
    """Codec and scenario → why the codec could not be asked."""
