"""What codecs answered to the lab's questions beyond speed; of several runs the newest that asked a codec counts."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from analysis.base.text import count, plural
from analysis.data.judged.extras import Extras, newest_fuzzed, newest_of_each
from analysis.tables.trust.shares import conformance_share
from bench.model.findings import Fact, Fuzzed, harms
from bench.model.proof.conformance import Conformed
from bench.model.proof.evolved import Evolved, Outcome
from bench.model.proof.malformed_rules import RANDOM
from bench.proof.upstream import Issue, upstream

CONFORMANCE, EVOLUTION, MALFORMED = "Conformance", "Schema evolution", "Malformed input"
FIDELITY, INTEROP = "Fidelity", "Interoperability"


class Answers(Struct, frozen=True):
    """Codec → its answers to a question, by name."""

    conformance: Mapping[str, Sequence[Conformed]] = {}
    evolution: Mapping[str, Sequence[Evolved]] = {}
    malformed: Mapping[str, Sequence[Fuzzed]] = {}
    fidelity: Mapping[str, Sequence[Fact]] = {}
    evolved_with: Mapping[str, str] = {}
    """Codec → its library and version, as `lab evolution` asked it."""

    def library(self, codec: str) -> str:
        """A codec's library with its version; several where questions were asked at different times, empty where none
        is recorded."""
        held = [(one.library, one.version) for one in self.conformance.get(codec, ())]
        held += [(one.library, one.version) for one in self.malformed.get(codec, ())]
        told = [*(_library(*one) for one in held), self.evolved_with.get(codec, "")]
        return ", ".join(dict.fromkeys(filter(None, told)))

    def words(self, codec: str) -> dict[str, str]:
        """Question → a sentence on a codec's answers; without the questions that it was not asked."""
        told = {
            CONFORMANCE: _conformance(self.conformance.get(codec, ())),
            EVOLUTION: _evolution(self.evolution.get(codec, ())),
            MALFORMED: _malformed(self.malformed.get(codec, ())),
            FIDELITY: _fidelity(self.fidelity.get(codec, ())),
        }
        return {question: sentence for question, sentence in told.items() if sentence}

    def issues(self, codec: str) -> list[Issue]:
        """The issues of its library in public that tell of what came out wrong."""
        suites, malformed = self.conformance.get(codec, ()), self.malformed.get(codec, ())
        libraries = [*(one.library for one in suites), *(one.library for one in malformed)]
        library = next(filter(None, libraries), None)
        wrong = [one.suite for one in suites if one.deviations]
        wrong += [fact.probe for fact in self.fidelity.get(codec, ()) if fact.outcome != "same"]
        known = upstream()
        told = {*known.about(codec, library, wrong)}
        for one in malformed:
            told.update(issue for finding in one.findings for issue in known.of_finding(finding, one.library))
        return [one for one in known.issues if one in told]


def answers_of(extras: Iterable[Extras]) -> Answers:
    """The answers in the files beside runs."""
    held = list(extras)
    asked = sorted((one.evolution for one in held if one.evolution), key=lambda one: one.created)
    return Answers(
        conformance=newest_of_each((suites.created, suites.results) for one in held if (suites := one.conformance)),
        evolution=newest_of_each((changes.created, changes.results) for one in held if (changes := one.evolution)),
        malformed=newest_fuzzed((fuzzed.created, fuzzed.results) for one in held if (fuzzed := one.fuzzing)),
        fidelity=newest_of_each((values.created, values.facts) for one in held if (values := one.fidelity)),
        evolved_with={codec: _library(*named) for one in asked for codec, named in one.versions.items()},
    )


def _library(name: str | None, version: str | None) -> str:
    return " ".join(filter(None, (name, version)))


def _conformance(own: Sequence[Conformed]) -> str:
    told = [f"{one.suite} {', '.join(conformance_share([one]).lines)}" for one in own]
    return f"{CONFORMANCE}: {'; '.join(told)}." if told else ""


def _evolution(own: Sequence[Evolved]) -> str:
    if not own:
        return ""
    honest, wrong = sum(one.honest for one in own), [one for one in own if one.outcome is Outcome.WRONG]
    names = sorted({f"{one.change} ({one.direction})" for one in wrong})
    rest = f"; silently wrong: {', '.join(names)}" if names else "; none silently wrong"
    return f"{EVOLUTION}: {honest} of {plural(len(own), 'exchange')} came out as they should{rest}."


def _malformed(own: Sequence[Fuzzed]) -> str:
    if not own:
        return ""
    cases, findings = sum(one.cases for one in own), [finding for one in own for finding in one.findings]
    kinds = f": {harms(findings)}" if findings else ""
    return f"{MALFORMED}: {plural(len(findings), 'finding')} in {plural(cases, 'case')}, {_drawn(own)}{kinds}."


def _drawn(own: Sequence[Fuzzed]) -> str:
    """How many of the cases are random mutations, and of which seed: all in older results, which know no classes."""
    of_each = [one.classes[RANDOM].cases if RANDOM in one.classes else 0 if one.classes else one.cases for one in own]
    seeds = sorted({one.seed for one, number in zip(own, of_each, strict=True) if number})
    return f"{count(sum(of_each))} of them random" + (f" (seed {', '.join(map(str, seeds))})" if seeds else "")


def _fidelity(own: Sequence[Fact]) -> str:
    if not own:
        return ""
    other = [f"{fact.probe} ({fact.outcome})" for fact in own if fact.outcome != "same"]
    unchanged = f"{len(own) - len(other)} of {plural(len(own), 'special value')} come back as they were"
    return f"{FIDELITY}: {unchanged}{'; not so: ' + ', '.join(other) if other else ''}."
