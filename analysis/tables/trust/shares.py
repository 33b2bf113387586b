"""How a codec answered each of the lab's questions beyond speed; of several runs the newest that asked it counts."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from analysis.base.text import count, plural
from analysis.data.judged.extras import Extras, newest_of_each
from analysis.tables.choices.choice import Malformed, malformed_of
from analysis.tables.exchanges import Reading
from analysis.tables.layout import Lines
from bench.model.findings import Fact, Harm
from bench.model.proof.conformance import Conformed, Verdict
from bench.model.proof.evolved import Evolved, Outcome


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


def trust_of(extras: Iterable[Extras], readings: Mapping[tuple[str, str], Reading]) -> dict[str, Trust]:
    """Codec → what is known of it, in the order of names. `readings` maps (writer, reader) to how it was read."""
    held = list(extras)
    conformed = {codec: conformance_share(own) for codec, own in conformed_of(held).items()}
    changed = {codec: evolution_share(own) for codec, own in evolved_of(held).items()}
    malformed = malformed_of(one.fuzzing for one in held)
    special, peers = _fidelity(held), _interop(readings)
    codecs = sorted({*conformed, *changed, *malformed, *special, *peers})
    return {
        codec: Trust(
            conformed.get(codec), changed.get(codec), malformed.get(codec), special.get(codec), interop=peers.get(codec)
        )
        for codec in codecs
    }


def malformed_lines(malformed: Malformed) -> Lines:
    """`2 findings`, in how many cases, and those of memory safety."""
    memory = malformed.findings.get(Harm.MEMORY, 0)
    told = [f"{count(memory)} {Harm.MEMORY}"] if memory else []
    return plural(malformed.total, "finding"), f"in {plural(malformed.cases, 'case')}", *told


def conformed_of(extras: Iterable[Extras]) -> dict[str, list[Conformed]]:
    """Codec → what it made of each suite."""
    return newest_of_each((one.created, one.results) for extra in extras if (one := extra.conformance))


def evolved_of(extras: Iterable[Extras]) -> dict[str, list[Evolved]]:
    """Codec → what it read after each change of a schema."""
    return newest_of_each((one.created, one.results) for extra in extras if (one := extra.evolution))


def conformance_share(results: Iterable[Conformed]) -> Share:
    """Over all suites of a codec."""
    verdicts: Counter[Verdict] = Counter()
    for one in results:
        verdicts.update(one.verdicts)
    worst = {verdict.value: verdicts[verdict] for verdict in Verdict if verdict is not Verdict.RIGHT}
    return Share(verdicts[Verdict.RIGHT], verdicts.total(), {name: number for name, number in worst.items() if number})


def evolution_share(results: Iterable[Evolved]) -> Share:
    """Over all changes, both ways; silently wrong values and crashes are the worst."""
    held = list(results)
    outcomes = Counter(one.outcome for one in held)
    worst = {"silently wrong": outcomes[Outcome.WRONG], Outcome.CRASH.value: outcomes[Outcome.CRASH]}
    return Share(sum(one.honest for one in held), len(held), {name: number for name, number in worst.items() if number})


def _fidelity(extras: Iterable[Extras]) -> dict[str, Share]:
    facts = newest_of_each((one.created, one.facts) for extra in extras if (one := extra.fidelity))
    return {codec: _fidelity_share(own) for codec, own in facts.items()}


def _fidelity_share(facts: Sequence[Fact]) -> Share:
    outcomes = Counter(fact.outcome for fact in facts)
    worst = {name: outcomes[name] for name in ("changed", "unreadable", "failed") if outcomes[name]}
    return Share(outcomes["same"], outcomes.total(), worst)


def _interop(readings: Mapping[tuple[str, str], Reading]) -> dict[str, Share]:
    """Of what peers of a codec's format wrote, how many messages it read."""
    read: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for (_, reader), reading in readings.items():
        read[reader] += len(reading.read)
        total[reader] += len(reading.read) + len(reading.refused)
    return {codec: Share(read[codec], number) for codec, number in total.items() if number}
