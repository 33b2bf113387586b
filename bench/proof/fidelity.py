"""Asks every runner that knows probes what it gives back for values that formats treat differently."""

from collections.abc import Iterable

import msgspec

from bench.base.supervision import side_by_side
from bench.building.runner import Runner, RunnerError
from bench.model.findings import Answer, Fact

FILE = "fidelity.json"
"""The file beside run.json that `lab fidelity --run` writes."""


ANSWER = msgspec.json.Decoder(Answer)


def examine(runners: Iterable[Runner], workers: int) -> list[Fact]:
    """Every probe of every runner, each in its own process; in the order of codecs and of their probes."""
    questions = [(runner, probe) for runner in runners for probe in runner.description.probes]
    return side_by_side(lambda question: ask(*question), questions, workers)


def ask(runner: Runner, probe: str) -> Fact:
    """One probe of one runner."""
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
