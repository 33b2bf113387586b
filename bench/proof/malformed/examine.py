"""Gives a codec malformed input by class, and judges what it does by what its format's specification says."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from bench.building.runner import Runner, RunnerError
from bench.model.findings import ClassCounts, Finding, Fuzzed, finding_id
from bench.model.offers import AnyCommand
from bench.model.proof.malformed_rules import ANY, Grammar, Must
from bench.model.scenario import Scenario
from bench.proof.formats.grammars import grammars
from bench.proof.fuzz import Outcome, commands_of, outcomes_of, seed_bytes, seed_text
from bench.proof.malformed.case import Case
from bench.proof.malformed.cases import format_cases, grammar_cases, in_rows, message_cases

SHOWN = 120
"""Bytes of a value or a message that a finding quotes."""


def examined(
    runner: Runner, scenario: Scenario | None, classes: Collection[str], seed: int, peers: Mapping[str, bytes]
) -> Fuzzed:
    """What came of the cases of some classes, for a scenario's type or, without a scenario, for values of any type.

    `peers`: other codecs → their messages of the scenario's value. Raises RunnerError where it cannot even encode.
    """
    cases = distinct(case for case in _cases(runner, scenario, seed, peers) if case.class_ in classes)
    commands = commands_of(runner, scenario)
    read = [_references(runner, scenario, cases, command) for command in commands]
    counted: dict[str, list[str]] = {}
    findings: list[Finding] = []
    outcomes = outcomes_of(runner, scenario, [case.data for case in cases])
    for number, (case, outcome) in enumerate(zip(cases, outcomes, strict=True)):
        references = read[number % len(commands)]
        problem = outcome.finding or _against(case, outcome, references)
        if problem:
            findings.append(_finding(runner, scenario, case, number, problem))
        counted.setdefault(case.class_, []).append("finding" if problem else _came(case, outcome, references))
    counts = {class_: _counts(came) for class_, came in counted.items()}
    return Fuzzed(
        codec=runner.codec,
        scenario=scenario.name if scenario else ANY,
        library=runner.description.library,
        version=runner.description.version,
        seed=seed,
        cases=len(cases),
        refused=sum(one.refused for one in counts.values()),
        accepted=sum(one.accepted for one in counts.values()),
        findings=findings,
        classes=counts,
    )


def _cases(runner: Runner, scenario: Scenario | None, seed: int, peers: Mapping[str, bytes]) -> list[Case]:
    format_name = runner.description.format
    grammar, drawn = grammars().formats.get(format_name), f"{seed}:{format_name}"
    if scenario is None:
        return list(grammar_cases(grammar, drawn)) if grammar else []
    whole, text = seed_bytes(runner, scenario), seed_text(scenario)
    value = [json.loads(line) for line in text.splitlines()] if scenario.is_rows else json.loads(text)
    drawn = f"{drawn}:{scenario.name}"
    if not scenario.is_rows or scenario.is_files:
        own = _Own(whole, value, dict(peers))
        return _of_message(runner, None if scenario.is_files else grammar, own, drawn)
    first, *others = rows_of(whole)
    own = _Own(first, value[:1], {name: rows[0] for name, message in peers.items() if (rows := rows_of(message))})
    return [in_rows(case, others) for case in _of_message(runner, grammar, own, drawn)]


class _Own(Struct, frozen=True):
    """A codec's own message."""

    message: bytes
    value: Any
    """What it holds, as JSON."""
    peers: dict[str, bytes]
    """Other codecs' messages of the same value."""


def _of_message(runner: Runner, grammar: Grammar | None, own: _Own, seed: str) -> list[Case]:
    cases = list(message_cases(grammar, own.message, own.value, own.peers, seed))
    if grammar:
        takes_any = AnyCommand.DECODE in runner.description.any
        cases += format_cases(runner.description.format, grammar, own.message, takes_any=takes_any)
    return cases


def rows_of(framed: bytes) -> list[bytes]:
    """Messages that stand behind their lengths each."""
    rows = []
    while len(framed) >= 4:
        end = 4 + int.from_bytes(framed[:4], "little")
        rows.append(framed[4:end])
        framed = framed[end:]
    return rows


def distinct(cases: Iterable[Case]) -> list[Case]:
    """The cases without those of the same class and bytes; of these one stays whose rule binds, if any does."""
    kept: dict[tuple[str, bytes], Case] = {}
    for case in cases:
        known = kept.setdefault((case.class_, case.data), case)
        if known.rule.must is Must.OPEN and case.rule.must is not Must.OPEN:
            kept[case.class_, case.data] = case
    return list(kept.values())


def _references(runner: Runner, scenario: Scenario | None, cases: Sequence[Case], command: str) -> dict[bytes, Any]:
    """What a command gives of each input that a case is compared with; those that it does not take are missing."""
    inputs = list(dict.fromkeys(case.like for case in cases if case.like is not None))
    outcomes = outcomes_of(runner, scenario, inputs, (command,))
    return {
        given: value
        for given, outcome in zip(inputs, outcomes, strict=True)
        if outcome.code == 0 and not outcome.finding and (value := _value(outcome)) is not None
    }


def _value(outcome: Outcome) -> Any:
    """What was printed, as a list of values whose numbers are text; None where that cannot be compared."""
    try:
        lines = (outcome.printed or b"").splitlines()
        return [json.loads(line, parse_int=str, parse_float=str, parse_constant=str) for line in lines] or None
    except (ValueError, RecursionError):
        return None


def _against(case: Case, outcome: Outcome, references: Mapping[bytes, Any]) -> str | None:
    """Why an outcome is not what the specification says; None where it is, or the specification leaves it open."""
    told = (outcome.printed or b"").decode(errors="replace").strip()[:SHOWN]
    match case.rule.must:
        case Must.REFUSE if outcome.code == 0:
            return f"accepted what must be refused ({case.name}): {told}"
        case Must.ACCEPT if outcome.code != 0:
            if case.like is not None and case.like not in references:
                return None  # it has no such values at all
            return f"refused what must be read ({case.name}): {told}"
        case Must.ACCEPT if _came(case, outcome, references) == "other":
            meant = json.dumps(references[case.like or b""], ensure_ascii=False)[1:-1]
            return f"read another value ({case.name}): {told} instead of {meant[:SHOWN]}"
    return None


def _came(case: Case, outcome: Outcome, references: Mapping[bytes, Any]) -> str:
    """What came of a case that is no finding."""
    if outcome.code != 0:
        return "refused"
    value = _value(outcome)
    if case.like is None or case.like not in references or value is None:
        return "accepted"
    return "equal" if value == references[case.like] else "other"


def _counts(came: Sequence[str]) -> ClassCounts:
    equal, other = came.count("equal"), came.count("other")
    return ClassCounts(len(came), came.count("refused"), came.count("accepted") + equal + other, equal, other)


def _finding(runner: Runner, scenario: Scenario | None, case: Case, number: int, problem: str) -> Finding:
    name, rule = scenario.name if scenario else ANY, case.rule
    grammar = grammars().formats.get(runner.description.format)
    said = f"{grammar.specification}, section {rule.section}: {rule.says}" if grammar and rule.section else ""
    return Finding(
        runner.codec,
        name,
        number,
        problem,
        "" if case.recipe else case.data.hex(),
        class_=case.class_,
        id=finding_id(runner.codec, case.class_, name, case.data),
        recipe=case.recipe,
        specification=said,
    )


def messages_of(runners: Collection[Runner], scenario: Scenario) -> dict[str, bytes]:
    """Codecs → their messages of a scenario's value; without those that cannot encode it."""
    messages = {}
    for runner in runners:
        try:
            messages[runner.codec] = seed_bytes(runner, scenario)
        except RunnerError:
            continue  # it is told where that codec's own turn comes
    return messages
