"""The findings of `lab fidelity`, `lab fuzz` and `lab try`, as recorded in a run's folder."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct, field

from bench.model.fields import (
    CodecName,
    Count,
    LibraryName,
    LibraryVersion,
    Moment,
    Positive,
    ScenarioName,
    Sha256,
    Text,
    Version,
)
from bench.model.proof.malformed_rules import RANDOM, ClassName


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


class Harm(StrEnum):
    """What a finding can do to a program that reads input from strangers, the worst first."""

    MEMORY = "memory"
    """A crash, or what a sanitizer reports: memory may have been read or written that is not the codec's. Not where
    the system says that the stack overflowed: the page behind it has been hit, and nothing else."""
    WRONG_VALUE = "wrong value"
    """It accepts the input, and gives what no value of the type can be."""
    EXHAUSTION = "hang or memory use"
    """It does not end, or overflows its stack, or takes memory or prints out of proportion to the input."""
    SPECIFICATION = "against the specification"
    """It accepts what its format's specification excludes, or refuses what that asks for."""
    OTHER = "other"
    """It fails in another way than by a refusal: a panic, an exception, a refusal that also gives a value."""


_AGAINST = re.compile(r"(accepted what must be refused|refused what must be read)\b")
_ACCEPTED = re.compile(r"(accepted|read another value)\b")
_ENDLESS = re.compile(
    r"(\w+: )?(no end within|took \d+ MiB of memory|took more memory than the budget|(it )?printed more than|"
    r"killed by signal 9\b|took time or memory out of proportion)"
)
_NO_MEMORY = re.compile(
    r"memory allocation of \d+ bytes failed|allocation-size-too-big|bad_alloc|MemoryError|"
    r"has overflowed its stack|\bstack-overflow\b|exit code 3221225725\b"
)
"""Also of the stack, as Rust, AddressSanitizer and Windows (0xC00000FD) tell that the page behind it was hit; a
stack-buffer-overflow is another thing."""
_PANICKED = re.compile(r"(\w+: )?panicked\b")
_CRASHED = re.compile(
    r"(\w+: )?killed by |.*(runtime error: |Sanitizer)|(\w+: )?exit code (-\d+|32212\d{5})\b", re.DOTALL
)
"""32212…: from 0xC0000000 on, as Windows ends what made an exception of the processor."""


class Finding(Struct, frozen=True):
    """A case that was neither refused nor decoded properly, with its input."""

    codec: CodecName
    scenario: ScenarioName
    case: Count
    problem: Text
    input_hex: str
    """Empty where `recipe` says what the input is."""
    class_: ClassName = field(name="class", default=RANDOM)
    id: Text = ""
    """The same for the same codec, class, type and input, whatever else the lab tries; empty in older results."""
    recipe: Text | None = None
    """A Python expression that makes the input, where that is long."""
    specification: Text = ""
    """What the format's specification says of the input, and where."""

    @property
    def harm(self) -> Harm:
        """Of which kind it is."""
        return harm_of(self.problem)


def harm_of(problem: str) -> Harm:
    """What a problem can do, from the words in which bench/proof tells it: so older results have it too."""
    if _AGAINST.match(problem):
        return Harm.SPECIFICATION
    if _ACCEPTED.match(problem):
        return Harm.WRONG_VALUE
    if _ENDLESS.match(problem) or _NO_MEMORY.search(problem):
        return Harm.EXHAUSTION
    return Harm.OTHER if _PANICKED.match(problem) or not _CRASHED.match(problem) else Harm.MEMORY


def finding_id(codec: str, class_: str, scenario: str, data: bytes) -> str:
    """The name of a finding: codec, class, and eight digits of a hash of type and input."""
    digest = hashlib.sha256(f"{scenario}\0".encode() + data).hexdigest()
    return f"{codec}/{class_}/{digest[:8]}"


def by_harm(findings: Iterable[Finding]) -> dict[Harm, int]:
    """The number of findings of each kind, the worst first; 0 where there is none."""
    numbers = Counter(finding.harm for finding in findings)
    return {harm: numbers[harm] for harm in Harm}


def harms(findings: Iterable[Finding]) -> str:
    """`2 memory, 1 wrong value`; empty without a finding."""
    return ", ".join(f"{number:,} {harm}" for harm, number in by_harm(findings).items() if number)


class ClassCounts(Struct, frozen=True):
    """What came of the cases of a class that are no findings."""

    cases: Count
    """With the findings."""
    refused: Count
    accepted: Count
    equal: Count = 0
    """Accepted, and read as what it was made of, as if nothing were wrong with it."""
    other: Count = 0
    """Accepted, and read as another value, where the specification leaves that open."""


class Fuzzed(Struct, frozen=True):
    """The result for one codec and scenario; `any` stands for values of any type."""

    codec: CodecName
    scenario: ScenarioName
    library: LibraryName | None
    version: LibraryVersion | None
    seed: Count
    cases: Count
    refused: Count
    accepted: Count
    findings: list[Finding]
    classes: dict[ClassName, ClassCounts] = {}
    """Empty in older results, whose cases were all random."""


class Fuzzing(Struct, frozen=True, forbid_unknown_fields=True):
    """fuzz.json: what every codec did with malformed input, and with which binaries."""

    protocol: Version
    created: Moment
    cases: Count
    """Random inputs drawn per codec, spread over the types of its scenarios; those of the other classes come besides.
    What was drawn twice was asked once."""
    seed: Count
    binaries: dict[Text, Sha256]
    """Codec → SHA-256 of its runner."""
    results: list[Fuzzed]
    failures: dict[Text, Text]
    """Codec and scenario → why the codec could not be asked."""
    classes: list[ClassName] = []
    """The classes that were asked; empty in older results, and those of all."""


DATA_FILE = "data.json"
"""The file beside run.json in which `lab try` records what it says of all messages."""
LEAST_FOR_DICTIONARY = 200
"""Messages of a sample, of which one half trains a dictionary and the other is compressed with it."""


class Sizes(Struct, frozen=True, forbid_unknown_fields=True):
    """Bytes of all messages, and of one: exact quantiles, by the nearest rank."""

    total_bytes: Count
    median_bytes: Count
    p95_bytes: Count
    p99_bytes: Count
    largest_bytes: Count


class Shortcoming(Struct, frozen=True, forbid_unknown_fields=True):
    """A field that a format has no form for, or only another."""

    path: Text
    feature: Text
    reason: Text


class CodecData(Struct, frozen=True, forbid_unknown_fields=True):
    """What a codec makes of all messages."""

    codec: CodecName
    sizes: Sizes | None = None
    """None where it failed, or cannot take the type."""
    zstd: Sizes | None = None
    """Each message compressed by itself."""
    dictionary: Sizes | None = None
    """Each message compressed with a dictionary; None where there is none.

    Quantiles are of the messages that it was not trained on; the total is scaled from them to all.
    """
    dictionary_bytes: Count = 0
    proved: Count = 0
    """Messages that came back as they were."""
    failure: Text | None = None
    """Why it has no sizes, or what did not come back."""
    cannot: list[Shortcoming] = []
    """Why it was not tried at all."""
    instead: list[Shortcoming] = []


class DataReport(Struct, frozen=True, forbid_unknown_fields=True):
    """data.json: all messages of a user's data, codec by codec."""

    protocol: Version
    created: Moment
    name: Text
    """Of the file, without its folder."""
    scenario: ScenarioName
    messages: Positive
    sampled: Positive
    """How many of them were measured."""
    to_prove: Positive
    """How many had to come back as they were: all, or the sample and a message of each size that is not in it."""
    json: Sizes
    """Of the canonical JSON."""
    zstd_level: Annotated[int, Meta(ge=1, le=22)]
    notes: list[Text]
    codecs: list[CodecData]
    given_bytes: Count = 0
    """Of the compact JSON of all messages as they were read; 0 in older results."""
    sampled_bytes: Count = 0
    """Of the canonical JSON of the sample; 0 in older results."""
    left_out: Count = 0
    """Messages of those orders of magnitude of which none is in the sample."""
    trained: Count = 0
    """Messages that dictionaries were trained on; 0 in older results, which trained them on the whole sample."""
