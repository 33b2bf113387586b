"""What codecs give back for values that formats treat differently: asked of every runner that knows probes."""

from collections.abc import Iterable

import msgspec

from bench.base.supervision import side_by_side
from bench.building.runner import Runner, RunnerError
from bench.model.findings import Answer, Fact

FILE = "fidelity.json"
"""Beside run.json, where `lab fidelity --run` writes it."""


ANSWER = msgspec.json.Decoder(Answer)


def examine(runners: Iterable[Runner], workers: int) -> list[Fact]:
    """Every probe of every runner, a process each; in the order of codecs and of their probes."""
    questions = [(runner, probe) for runner in runners for probe in runner.description.probes]
    return side_by_side(lambda question: ask(*question), questions, workers)


def ask(runner: Runner, probe: str) -> Fact:
    """One probe of one runner."""
    try:
        answer = ANSWER.decode(runner.call(["fidelity", f"--probe={probe}"]))
    except RunnerError as error:
        return Fact(runner.codec, probe, "failed", error=" ".join(str(error).split()))
    except msgspec.MsgspecError as error:
        return Fact(runner.codec, probe, "failed", error=f"no answer that can be understood: {error}")
    return Fact(runner.codec, probe, answer.outcome, answer.sent, answer.got, answer.error)
