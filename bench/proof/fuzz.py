"""Malformed input: seeded mutations of a codec's own output, and what its runner does with each.

A runner must either refuse (exit code 65, one line on standard error, nothing on standard output) or decode to
canonical JSON. Anything else is a finding; a crash or a hang is attributed to the one input that caused it.

A runner that offers `decode --batch` takes many cases in one process and answers each before it reads the next. The
first case without an answer ended the process; it is tried again alone, so that only its own effect counts.
"""

import json
import os
import random
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from bench.base.paths import ROOT
from bench.base.supervision import MEBIBYTE, Ended, output_limit
from bench.building.runner import Runner, RunnerError, exit_reason, key_words
from bench.model.cells import Operation
from bench.model.findings import ClassCounts, Finding, Fuzzed, finding_id
from bench.model.judging.malformed import ANY, RANDOM
from bench.model.scenario import Scenario
from bench.scenarios.inputs import canonical_input
from bench.scenarios.keys import keys_of

FILE = "fuzz.json"
"""The file beside run.json that `lab fuzz --run` writes."""
MALFORMED = 65
SEED_ITEMS = 8
"""How many elements the canonical value's lists keep: mutations should hit structure, not bulk."""
BATCH = 250
"""Cases per process: few enough that a crash costs little and leaked memory does not add up."""
CASE_LIMIT_S = 20.0
"""A process that takes longer for a few hundred bytes hangs."""
CASE_MEMORY_BYTES = 1 << 30
"""A process that takes more for a few thousand bytes trusts a length that the input merely claims."""
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
            for _ in range(source.randint(1, 4)):
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
    """`count` random cases on one codec and scenario. Raises RunnerError where the codec cannot even encode."""
    whole = seed_bytes(runner, scenario)
    cases = [seed_text(scenario), *mutations(whole, f"{seed}:{runner.codec}:{scenario.name}", count - 1)]
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


def outcomes_of(runner: Runner, scenario: Scenario | None, cases: Sequence[bytes]) -> list[Outcome]:
    """What the codec did with each case: as a value of the scenario's type, or without a scenario of any type."""
    return (run_batches if runner.description.batch else run_alone)(runner, scenario, cases)


def run_alone(runner: Runner, scenario: Scenario | None, cases: Sequence[bytes]) -> list[Outcome]:
    """One process per case; where rows can be filtered, every other case goes to the filter."""
    offered = {cell.operation for cell in runner.description.cells if scenario and cell.scenario == scenario.name}
    commands = ("decode", "filter") if Operation.FILTER in offered else ("decode",)
    return [decode_alone(runner, scenario, case, commands[n % len(commands)]) for n, case in enumerate(cases)]


def type_words(scenario: Scenario | None) -> list[str]:
    """The options that say of which type a value is."""
    return ["--scenario", scenario.name] if scenario else ["--type", ANY]


def decode_alone(runner: Runner, scenario: Scenario | None, case: bytes, command: str = "decode") -> Outcome:
    """The outcome of `decode` or `filter` for one case."""
    words = [command, *type_words(scenario), *key_words(keys_of(scenario) if scenario else None)]
    done = _run(runner, words, case, CASE_LIMIT_S)
    if done.printed_too_much:
        return Outcome(-1, f"{command}: printed more than {output_limit(case) // MEBIBYTE} MiB")
    if done.code is None:
        return Outcome(-1, f"{command}: no end within {CASE_LIMIT_S:.0f} s")
    if done.peak_memory_bytes is not None and done.peak_memory_bytes > CASE_MEMORY_BYTES:
        return Outcome(done.code, f"{command}: took {done.peak_memory_bytes >> 20} MiB of memory")
    if done.code == 0:
        return _accepted(done.stdout, scenario)
    messages = done.messages
    if done.code != MALFORMED:
        reason = " ".join(messages.split())[:300] or "printed nothing"
        return Outcome(done.code, f"{command}: {exit_reason(done.code)}: {reason}")
    if done.stdout:
        return Outcome(MALFORMED, f"{command}: refused, but printed {done.stdout[:40]!r}")
    if (lines := len(messages.splitlines())) != 1:
        return Outcome(MALFORMED, f"{command}: refused with {lines} lines on standard error: {messages[:200]!r}")
    return Outcome(MALFORMED, printed=messages.encode())


def run_batches(runner: Runner, scenario: Scenario | None, cases: Sequence[bytes]) -> list[Outcome]:
    """Many cases per process. A case that ended one is tried alone; the rest goes to the next process."""
    words = ["decode", "--batch", *type_words(scenario)]
    outcomes: list[Outcome] = []
    while len(outcomes) < len(cases):
        batch = cases[len(outcomes) : len(outcomes) + BATCH]
        frames = b"".join(len(case).to_bytes(4, "little") + case for case in batch)
        done = _run(runner, words, frames, CASE_LIMIT_S + 0.1 * len(batch))
        swells = done.peak_memory_bytes is not None and done.peak_memory_bytes > CASE_MEMORY_BYTES
        if swells or done.printed_too_much:
            outcomes += run_alone(runner, scenario, batch)  # to find the case that did it
            continue
        answered = [_judged(code, text, scenario) for code, text in _answers(done.stdout)]
        outcomes += answered
        if len(answered) < len(batch):
            outcomes.append(decode_alone(runner, scenario, batch[len(answered)]))
    return outcomes


def _run(runner: Runner, words: list[str], data: bytes, limit_s: float) -> Ended:
    """One finished process. Raises RunnerError if the program is not the one that was built."""
    done = runner.ended([*runner.command, *words], data, limit_s, output_limit(data))
    if done.not_started or done.changed:
        raise RunnerError(done.not_started or "the runner is not the one that was built; build it again")
    return done


def _answers(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The complete answers of a batch: exit code and output of each."""
    start = 0
    while start + 5 <= len(data):
        end = start + 5 + int.from_bytes(data[start + 1 : start + 5], "little")
        if end > len(data):
            return
        yield data[start], data[start + 5 : end]
        start = end


def _accepted(text: bytes, scenario: Scenario | None) -> Outcome:
    problem = _wrong_json(text, rows=scenario is not None and scenario.is_rows)
    return Outcome(0, problem, text if len(text) <= PRINTED_BYTES else None)


def _judged(code: int, text: bytes, scenario: Scenario | None) -> Outcome:
    if code == 0:
        return _accepted(text, scenario)
    if code != MALFORMED:
        message = text.decode(errors="replace").replace(f"{ROOT}{os.sep}", "")
        return Outcome(code, f"{exit_reason(code)}: {message[:300]}")
    lines = text.decode(errors="replace").splitlines()
    return Outcome(code, None if len(lines) == 1 else f"refused with {len(lines)} lines: {text[:200]!r}", text)


def _wrong_json(printed: bytes, *, rows: bool) -> str | None:
    """Why a runner's output is not canonical JSON; None if it is."""
    try:
        for line in printed.splitlines() if rows else [printed]:
            json.loads(line)
    except UnicodeDecodeError as error:
        return f"accepted text that is not UTF-8: {printed[max(0, error.start - 20) : error.end + 20]!r}"
    except RecursionError:
        return None  # deeper than the driver reads, as is what the codec was given
    except ValueError as error:
        return f"accepted, but printed no JSON ({error}): {printed[:80]!r}"
    return None
