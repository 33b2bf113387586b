"""Malformed input: seeded mutations of a codec's own output, and what its runner does with each.

A runner must either refuse (exit code 65, one line on standard error, nothing on standard output) or decode to
canonical JSON, whose text is UTF-8 where the format's specification has other text refused. Anything else is a
finding; a crash or a hang is attributed to the one input that caused it.
"""

import json
import random
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from bench.building.runner import Runner, key_words
from bench.model.cells import Operation
from bench.model.findings import ClassCounts, Finding, Fuzzed, finding_id
from bench.model.proof.malformed_rules import ANY, RANDOM
from bench.model.scenario import Scenario
from bench.proof.containment import Answer, ask, ask_in_batches
from bench.proof.formats.grammars import leaves_text_open
from bench.scenarios.inputs import canonical_input
from bench.scenarios.keys import keys_of

DECODE, FILTER = "decode", "filter"
FILE = "fuzz.json"
"""The file beside run.json that `lab fuzz --run` writes."""
SEED_ITEMS = 8
"""How many elements the canonical value's lists keep: mutations should hit structure, not bulk."""
KINDS = 6
PRINTED_BYTES = 1 << 16
"""How much of what a runner printed is kept, to be compared."""


class Outcome(Struct, frozen=True):
    """What a runner did with one case: its exit code, and what is wrong with that, if anything."""

    code: int
    finding: str | None = None
    printed: bytes | None = None
    """The value or the message; None where there is none, or a value longer than PRINTED_BYTES."""


def seed_value(value: Any) -> Any:
    """A value whose lists are cut to SEED_ITEMS elements."""
    if isinstance(value, list):
        return [seed_value(item) for item in value[:SEED_ITEMS]]
    if isinstance(value, dict):
        return {name: seed_value(item) for name, item in value.items()}
    return value


def seed_bytes(runner: Runner, scenario: Scenario) -> bytes:
    """The codec's encoding of the scenario's shortened value. Raises RunnerError."""
    return runner.encode(scenario.name, seed_text(scenario), keys_of(scenario))


def seed_text(scenario: Scenario) -> bytes:
    """Canonical JSON of the scenario's shortened value; for files the first rows, whole."""
    lines = canonical_input(scenario).splitlines(keepends=True)
    if scenario.is_files:
        return b"".join(lines[:SEED_ITEMS])
    cut = json.dumps(seed_value(json.loads(lines[0])), ensure_ascii=False, separators=(",", ":"))
    return cut.encode() + b"\n"


def mutations(whole: bytes, seed: str, count: int) -> Iterator[bytes]:
    """`count` inputs: truncations, flipped bits, false lengths, noise, repeated and moved parts."""
    source = random.Random(seed)
    fixed = [
        b"",
        whole[:1],
        whole[: len(whole) // 2],
        whole[:-1],
        b"\0" * len(whole),
        b"\xff" * 64,
        b"\xff" * len(whole),
        b"\xff\xff\xff\xff" + whole[4:],
    ]
    yield from fixed[:count]
    for _ in range(count - len(fixed)):
        kind, data, start = source.randrange(KINDS), bytearray(whole), source.randrange(max(1, len(whole)))
        if kind == 0:
            del data[start:]
        elif kind == 1:
            for _ in range(source.randint(1, 4) if data else 0):
                data[source.randrange(len(data))] ^= 1 << source.randrange(8)
        elif kind == 2:
            width = source.choice((1, 2, 4, 8))
            data[start : start + width] = source.choice((b"\xff", b"\x7f", b"\x00", b"\x80")) * width
        elif kind == 3:
            data[start:] = source.randbytes(len(whole) - start)
        elif kind == 4:
            data[start:start] = data[start : start + source.randint(1, 16)] * source.choice((1, 2, 100, 2_000))
        else:
            end = min(len(data), start + source.randint(1, 16))
            part = data[start:end]
            del data[start:end]
            other = source.randrange(len(data) + 1)
            data[other:other] = part
        yield bytes(data)


def fuzz(runner: Runner, scenario: Scenario, count: int, seed: int) -> Fuzzed:
    """`count` random cases on one codec and scenario, without those that were drawn before.

    What is drawn follows from the format, not from the codec: codecs that write the same bytes get the same cases.
    Raises RunnerError where the codec cannot even encode.
    """
    whole, drawn = seed_bytes(runner, scenario), f"{seed}:{runner.description.format}:{scenario.name}"
    cases = list(dict.fromkeys([seed_text(scenario), *mutations(whole, drawn, count - 1)]))
    findings, accepted, refused = [], 0, 0
    for number, (case, outcome) in enumerate(zip(cases, outcomes_of(runner, scenario, cases), strict=True)):
        if outcome.finding:
            own = finding_id(runner.codec, RANDOM, scenario.name, case)
            findings.append(Finding(runner.codec, scenario.name, number, outcome.finding, case.hex(), id=own))
        elif outcome.code == 0:
            accepted += 1
        else:
            refused += 1
    return Fuzzed(
        codec=runner.codec,
        scenario=scenario.name,
        library=runner.description.library,
        version=runner.description.version,
        seed=seed,
        cases=len(cases),
        refused=refused,
        accepted=accepted,
        findings=findings,
        classes={RANDOM: ClassCounts(len(cases), refused, accepted)},
    )


def outcomes_of(
    runner: Runner, scenario: Scenario | None, cases: Sequence[bytes], commands: Sequence[str] = ()
) -> list[Outcome]:
    """What the codec did with each case: as a value of the scenario's type, or without a scenario of any type.

    `commands` take turns; all that the codec has, unless they are given.
    """
    own = commands_of(runner, scenario)
    if runner.description.batch and own == (DECODE,):
        return run_batches(runner, scenario, cases)
    asked = commands or own
    return [decode_alone(runner, scenario, case, asked[n % len(asked)]) for n, case in enumerate(cases)]


def commands_of(runner: Runner, scenario: Scenario | None) -> tuple[str, ...]:
    """The commands that read a case: where rows can be filtered, every other case goes to the filter."""
    filters = scenario is not None and any(
        cell.scenario == scenario.name and cell.operation is Operation.FILTER for cell in runner.description.cells
    )
    return (DECODE, FILTER) if filters else (DECODE,)


def type_words(scenario: Scenario | None) -> list[str]:
    """The options that say of which type a value is."""
    return ["--scenario", scenario.name] if scenario else ["--type", ANY]


def decode_alone(runner: Runner, scenario: Scenario | None, case: bytes, command: str = DECODE) -> Outcome:
    """The outcome of `decode` or `filter` for one case."""
    words = [command, *type_words(scenario), *key_words(keys_of(scenario) if scenario else None)]
    return _judged(runner, ask(runner, words, case), scenario)


def run_batches(runner: Runner, scenario: Scenario | None, cases: Sequence[bytes]) -> list[Outcome]:
    """Many cases per process; a crash belongs to its own input."""
    answers = ask_in_batches(runner, [DECODE, *type_words(scenario)], cases)
    return [_judged(runner, answer, scenario) for answer in answers]


def _judged(runner: Runner, answer: Answer, scenario: Scenario | None) -> Outcome:
    if answer.problem:
        return Outcome(answer.code, answer.problem)
    printed = answer.printed if len(answer.printed) <= PRINTED_BYTES else None
    if answer.code != 0:
        return Outcome(answer.code, None, printed)
    rows, any_text = scenario is not None and scenario.is_rows, leaves_text_open(runner.description.format)
    return Outcome(0, _wrong_json(answer.printed, rows=rows, any_text=any_text), printed)


def _wrong_json(printed: bytes, *, rows: bool, any_text: bool) -> str | None:
    """Why a runner's output is not canonical JSON; None if it is. With `any_text` a text may be other than UTF-8."""
    try:
        for line in printed.splitlines() if rows else [printed]:
            # Of bytes json would take encoded surrogates.
            json.loads(line.decode(errors="replace" if any_text else "strict"))
    except UnicodeDecodeError as error:
        return f"accepted text that is not UTF-8: {printed[max(0, error.start - 20) : error.end + 20]!r}"
    except RecursionError:
        return None  # deeper than the driver reads, as is what the codec was given
    except ValueError as error:
        return f"accepted, but printed no JSON ({error}): {printed[:80]!r}"
    return None
