"""What codecs give back for values that formats treat differently: asked of every runner that knows probes."""

from collections.abc import Iterable
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from bench.model import CodecName, Moment, Sha256, Text, Version
from bench.runners import Runner, RunnerError
from bench.supervision import side_by_side

FILE = "fidelity.json"
"""Beside run.json, where `lab fidelity --run` writes it."""


class Answer(Struct, frozen=True, forbid_unknown_fields=True):
    """What a runner's `fidelity --probe` prints."""

    probe: str
    outcome: Annotated[str, Meta(pattern="^(same|changed|refused|unreadable)$")]
    sent: str
    got: str | None = None
    error: str | None = None


ANSWER = msgspec.json.Decoder(Answer)


class Fact(Struct, frozen=True):
    """What became of one probe in one codec. `failed` is a runner that did not answer, as by a crash."""

    codec: CodecName
    probe: Text
    outcome: Annotated[str, Meta(pattern="^(same|changed|refused|unreadable|failed)$")]
    sent: Text | None = None
    got: Text | None = None
    error: Text | None = None


class Fidelity(Struct, frozen=True, forbid_unknown_fields=True):
    """fidelity.json: what became of every probe, and of which binaries that holds."""

    protocol: Version
    created: Moment
    binaries: dict[Text, Sha256]
    """Codec → SHA-256 of its runner."""
    facts: list[Fact]


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
