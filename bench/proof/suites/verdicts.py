"""What codecs make of the cases of a suite."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from msgspec import Struct

from bench.base.limits import TEXT
from bench.building.runner import Runner
from bench.model.proof.conformance import Conformed, Deviation, Verdict
from bench.model.proof.suite import Suite
from bench.proof.containment import MALFORMED, Answer, ask_each
from bench.proof.suites.readers import Case
from bench.scenarios.load import load_scenarios
from bench.scenarios.sets import types_of
from bench.types.expressions import parse_type
from bench.types.schemaless import parse, same
from bench.types.values import first_difference, parse_canonical

SHOWN_BYTES = 64
"""How much of an input a deviation keeps: its suite has the whole."""
SHOWN_CHARACTERS = 300


class Reading(Struct, frozen=True):
    """How a suite's inputs are read, and what came out is compared."""

    words: tuple[str, ...]
    """The command and its options."""
    parse: Callable[[bytes], Any]
    """Raises ValueError for what is no value."""
    same: Callable[[Any, Any], bool]


def reading(suite: Suite) -> Reading:
    """As messages of the suite's scenario, or without one as values without a type."""
    if not suite.scenario:
        alike = partial(same, integral_floats=suite.one_number)
        return Reading(("decode", "--type", "any"), parse, alike)
    scenario = load_scenarios()[suite.scenario]
    of, defined = parse_type(scenario.type), types_of(scenario)
    return Reading(
        ("decode", "--scenario", scenario.name),
        lambda printed: parse_canonical(printed, rows=False)[0],
        lambda one, other: first_difference(of, defined, one, other) is None,
    )


class Judged(Struct, frozen=True):
    """What came of a case."""

    verdict: Verdict
    came: str = ""
    accepted: bool = False


def conformed(runner: Runner, name: str, suite: Suite, cases: Sequence[Case]) -> Conformed:
    """What a codec makes of all cases of a suite. Raises RunnerError if its program does not start."""
    how = reading(suite)
    answers = ask_each(runner, how.words, [case.data for case in cases])
    verdicts: Counter[Verdict] = Counter()
    deviations, openly = list[Deviation](), Counter[bool]()
    for case, answer in zip(cases, answers, strict=True):
        judged = judge(case, answer, how)
        if case.must == "open" and judged.verdict is Verdict.RIGHT:
            openly[judged.accepted] += 1
            continue
        verdicts[judged.verdict] += 1
        if judged.verdict is not Verdict.RIGHT:
            shown = case.data[:SHOWN_BYTES].hex()
            deviations.append(Deviation(case.name[:TEXT], judged.verdict, len(case.data), shown, judged.came[:TEXT]))
    return Conformed(
        codec=runner.codec,
        suite=name,
        library=runner.description.library,
        version=runner.description.version,
        verdicts={verdict: verdicts[verdict] for verdict in Verdict},
        open_accepted=openly[True],
        open_refused=openly[False],
        deviations=deviations,
    )


def judge(case: Case, answer: Answer, how: Reading) -> Judged:
    """What came of a case, by the answer of a runner."""
    if answer.problem:
        return Judged(Verdict.HANG if answer.hung else Verdict.CRASH, shortened(answer.problem))
    if answer.code == MALFORMED:
        said = shortened(re.sub("^decode[^:]*: ", "", answer.printed.decode(errors="replace").strip()))
        return Judged(Verdict.REFUSED if case.must == "accept" else Verdict.RIGHT, said)
    printed = shortened(answer.printed.decode(errors="replace").strip())
    if case.must == "refuse":
        return Judged(Verdict.ACCEPTED, printed, accepted=True)
    try:
        value = how.parse(answer.printed)
    except ValueError as error:
        return Judged(Verdict.ANOTHER, f"what is no value ({error}): {printed}", accepted=True)
    if case.values and not any(how.same(value, one) for one in case.values):
        return Judged(Verdict.ANOTHER, printed, accepted=True)
    return Judged(Verdict.RIGHT, printed, accepted=True)


def shortened(text: str) -> str:
    """A text on one line, cut where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= SHOWN_CHARACTERS else f"{line[:SHOWN_CHARACTERS]}… ({len(text):,} characters)"
