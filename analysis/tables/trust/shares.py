"""How many of a codec's answers to each of the lab's questions beyond speed are right."""

from collections import Counter
from collections.abc import Iterable, Mapping

from msgspec import Struct

from analysis.base.text import count, plural
from analysis.tables.choices.choice import Malformed
from analysis.tables.exchanges import Reading
from analysis.tables.layout import Lines
from bench.model.findings import Fact, Harm
from bench.model.proof.conformance import Conformed, Verdict
from bench.model.proof.evolved import Evolved, Outcome

OF_ANOTHER_FORM = "of another form"
"""Messages that a reader is known to refuse since their writer has another form for the same value."""


class Share(Struct, frozen=True):
    """How many of the cases came out as they should, and what is worst among the others."""

    right: int
    cases: int
    worst: Mapping[str, int] = {}
    """What a user notices last or minds most → in how many cases; without those that did not happen."""

    @property
    def lines(self) -> Lines:
        """`36 of 48`, and the worst below it."""
        told = [f"{count(number)} {name}" for name, number in self.worst.items()]
        return (f"{count(self.right)} of {count(self.cases)}", *told)


class Trust(Struct, frozen=True):
    """What is known of a codec; None where it was not asked."""

    conformance: Share | None = None
    evolution: Share | None = None
    malformed: Malformed | None = None
    fidelity: Share | None = None
    interop: Share | None = None
    library: str = ""
    """Its library with the version that was asked; empty where none is recorded."""


def malformed_lines(malformed: Malformed) -> Lines:
    """`2 findings`, in how many cases, and those of memory safety."""
    memory = malformed.findings.get(Harm.MEMORY, 0)
    told = [f"{count(memory)} {Harm.MEMORY}"] if memory else []
    return plural(malformed.total, "finding"), f"in {plural(malformed.cases, 'case')}", *told


def conformance_share(results: Iterable[Conformed]) -> Share:
    """Over all suites of a codec, and how many of their cases are advice that it does not follow, or was spared."""
    held = list(results)
    verdicts: Counter[Verdict] = Counter()
    for one in held:
        verdicts.update(one.verdicts)
    worst = {verdict.value: verdicts[verdict] for verdict in Verdict if verdict is not Verdict.RIGHT}
    worst["not as recommended"] = sum(len(one.recommended) for one in held)
    worst["skipped"] = sum(one.skipped for one in held)
    return Share(verdicts[Verdict.RIGHT], verdicts.total(), {name: number for name, number in worst.items() if number})


def evolution_share(results: Iterable[Evolved]) -> Share:
    """Over all changes, both ways; silently wrong values and crashes are the worst."""
    held = list(results)
    outcomes = Counter(one.outcome for one in held)
    worst = {"silently wrong": outcomes[Outcome.WRONG], Outcome.CRASH.value: outcomes[Outcome.CRASH]}
    return Share(sum(one.honest for one in held), len(held), {name: number for name, number in worst.items() if number})


def fidelity_share(facts: Iterable[Fact]) -> Share:
    """Over all special values."""
    outcomes = Counter(fact.outcome for fact in facts)
    worst = {name: outcomes[name] for name in ("changed", "unreadable", "failed") if outcomes[name]}
    return Share(outcomes["same"], outcomes.total(), worst)


def interop_shares(readings: Mapping[tuple[str, str], Reading]) -> dict[str, Share]:
    """Codec → of what peers of a codec's format wrote, how many messages it read.

    Where a format has several forms, scenarios know who refuses whose: these are no errors, and are counted apart.
    """
    read, refused, other = Counter[str](), Counter[str](), Counter[str]()
    for (_, reader), reading in readings.items():
        known = sum(one.known is not None for one in reading.refused)
        read[reader] += len(reading.read)
        refused[reader] += len(reading.refused) - known
        other[reader] += known
    return {
        codec: Share(read[codec], read[codec] + refused[codec], {OF_ANOTHER_FORM: other[codec]} if other[codec] else {})
        for codec in read
        if read[codec] + refused[codec] + other[codec]
    }
