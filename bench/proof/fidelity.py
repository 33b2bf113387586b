"""Asks every codec what it gives back for values that formats and libraries treat differently.

Python's runners know values of their language; codecs of other languages whose bytes say what they hold are asked with
values without a type; and all are asked with messages of types that hold special values.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import msgspec

from bench.base.supervision import side_by_side
from bench.building.runner import DEADLINE_S, Runner, RunnerError, problem_of
from bench.model.findings import Answer, Fact
from bench.model.offers import AnyCommand
from bench.proof.containment import MALFORMED
from bench.proof.special import Special, Typed
from bench.types.definitions import Defined
from bench.types.schemaless import parse, same
from bench.types.values import first_difference, parse_canonical

FILE = "fidelity.json"
"""The file beside run.json that `lab fidelity --run` writes."""
PRINTED_BYTES = 1 << 20
SHOWN = 200
"""Characters of a value that a fact quotes."""

ANSWER = msgspec.json.Decoder(Answer)


def examine(runners: Iterable[Runner], special: Special | None, workers: int) -> list[Fact]:
    """Every value that applies to each codec, each in processes of its own; in the order of codecs and values.

    Without `special` only the values that runners know themselves.
    """
    questions = [question for runner in runners for question in _questions(runner, special)]
    return side_by_side(lambda question: question(), questions, workers)


def _questions(runner: Runner, special: Special | None) -> Iterator[Callable[[], Fact]]:
    described = runner.description
    for probe in described.probes:
        yield partial(ask, runner, probe)
    if special is None:
        return
    if not described.probes and set(AnyCommand) <= set(described.any):
        for name, line in special.untyped.items():
            yield partial(ask_untyped, runner, name, line)
    known = {cell.scenario for cell in described.cells}
    for one in special.typed:
        if one.scenario in known:
            yield partial(ask_typed, runner, one, special.defined)


def ask(runner: Runner, probe: str) -> Fact:
    """One value that a runner knows itself."""
    try:
        answer = ANSWER.decode(runner.call(["fidelity", f"--probe={probe}"]))
    except RunnerError as error:
        return Fact(runner.codec, probe, "failed", error=" ".join(str(error).split()))
    except msgspec.MsgspecError as error:
        return Fact(runner.codec, probe, "failed", error=f"the answer does not match its schema: {error}")
    return Fact(
        codec=runner.codec,
        probe=probe,
        outcome=answer.outcome,
        sent=answer.sent,
        got=answer.got,
        error=answer.error,
    )


def ask_untyped(runner: Runner, name: str, line: bytes) -> Fact:
    """One value without a type."""
    return _returned(runner, name, line, ["--type", "any"], lambda got: same(parse(line), parse(got)))


def ask_typed(runner: Runner, value: Typed, defined: Defined) -> Fact:
    """One message of a type."""

    def equal(got: bytes) -> bool:
        return first_difference(value.type, defined, _read(value.message), _read(got)) is None

    return _returned(runner, value.name, value.message, ["--scenario", value.scenario], equal)


def _read(canonical: bytes) -> Any:
    return parse_canonical(canonical, rows=False)[0]


def _returned(runner: Runner, name: str, sent: bytes, of: list[str], equal: Callable[[bytes], bool]) -> Fact:
    """What comes back of a value: written by one process, read by another."""
    fact = Fact(runner.codec, name, "failed", sent=shown(sent))
    change = msgspec.structs.replace
    encoded, problem, refused = _answer(runner, ["encode", *of], sent)
    if problem:
        return change(fact, outcome="refused" if refused else "failed", error=problem)
    got, problem, refused = _answer(runner, ["decode", *of], encoded)
    if problem:
        return change(fact, outcome="unreadable" if refused else "failed", error=problem)
    try:
        returned = equal(got)
    except (ValueError, RecursionError) as error:  # NotationError is a ValueError
        return change(fact, got=shown(got), error=f"it printed no value: {error}")
    return change(fact, outcome="same" if returned else "changed", got=shown(got))


def _answer(runner: Runner, words: list[str], given: bytes) -> tuple[bytes, str | None, bool]:
    """What a command printed, or why it did not, and whether that is a refusal."""
    done = runner.ended([*runner.command, *words], given, DEADLINE_S, PRINTED_BYTES)
    refused = done.code == MALFORMED
    problem = done.messages if refused else problem_of(done, DEADLINE_S, PRINTED_BYTES)
    return done.stdout, " ".join(problem.split())[:SHOWN] if problem else None, refused


def shown(value: bytes) -> str:
    """A value as a fact quotes it: cut where it is long."""
    text = value.decode(errors="replace").strip()
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}… ({len(text):,} characters)"
