"""Malformed input: seeded mutations of what a codec wrote, and what its runner does with each.

A runner has to refuse (exit code 65, a line on standard error, nothing on standard output) or to decode to canonical
JSON; whatever else it does is a finding, and a crash or a hang belongs to the one input that caused it.

A runner that offers `decode --batch` takes many cases in one process and answers each before it looks at the next. The
case without an answer ended the process; it is tried again alone, so that only what it does by itself is held
against it.
"""

import json
import os
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from bench.base.paths import ROOT
from bench.base.supervision import MEBIBYTE, Ended, output_limit
from bench.building.runner import Runner, RunnerError, exit_reason, key_words
from bench.model.cells import Operation
from bench.model.findings import Finding, Fuzzed
from bench.model.scenario import Scenario
from bench.scenarios.inputs import canonical_input
from bench.scenarios.keys import key_folder

FILE = "fuzz.json"
"""Beside run.json, where `lab fuzz --run` writes it."""
MALFORMED = 65
SEED_ITEMS = 8
"""Lists of the canonical value are cut to so many elements: mutations then meet structure, not bulk."""
BATCH = 250
"""Cases in a process, so that a crash costs little and memory that a library leaks does not add up."""
CASE_LIMIT_S = 20.0
"""What takes longer for a few hundred bytes hangs."""
CASE_MEMORY_BYTES = 1 << 30
"""A process that takes more for a few thousand bytes trusts a length that the input only claims."""
KINDS = 6


class Outcome(Struct, frozen=True):
    """What a runner did with one case: refused, accepted, or what is wrong with it."""

    code: int
    finding: str | None = None


def seed_value(value: Any) -> Any:
    """A value with all its lists cut short."""
    if isinstance(value, list):
        return [seed_value(item) for item in value[:SEED_ITEMS]]
    if isinstance(value, dict):
        return {name: seed_value(item) for name, item in value.items()}
    return value


def seed_bytes(runner: Runner, scenario: Scenario) -> bytes:
    """What the codec writes of the scenario's value, cut short. Raises RunnerError."""
    return runner.encode(scenario.name, seed_text(scenario), keys_of(scenario))


def seed_text(scenario: Scenario) -> bytes:
    """Canonical JSON of the scenario's value with its lists cut short; of rows in a file the first, whole."""
    lines = canonical_input(scenario).splitlines(keepends=True)
    if scenario.is_files:
        return b"".join(lines[:SEED_ITEMS])
    cut = json.dumps(seed_value(json.loads(lines[0])), ensure_ascii=False, separators=(",", ":"))
    return cut.encode() + b"\n"


def keys_of(scenario: Scenario) -> Path | None:
    """Where the keys of an encrypted scenario lie."""
    return key_folder(scenario.keys.bits) if scenario.keys else None


def mutations(whole: bytes, seed: str, count: int) -> Iterator[bytes]:
    """`count` inputs: truncations, flipped bits, claimed lengths, noise, repetitions, and parts put elsewhere."""
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
        kind, data, place = source.randrange(KINDS), bytearray(whole), source.randrange(max(1, len(whole)))
        if kind == 0:
            del data[place:]
        elif kind == 1:
            for _ in range(source.randint(1, 4)):
                data[source.randrange(len(data))] ^= 1 << source.randrange(8)
        elif kind == 2:
            width = source.choice((1, 2, 4, 8))
            data[place : place + width] = source.choice((b"\xff", b"\x7f", b"\x00", b"\x80")) * width
        elif kind == 3:
            data[place:] = source.randbytes(len(whole) - place)
        elif kind == 4:
            data[place:place] = data[place : place + source.randint(1, 16)] * source.choice((1, 2, 100, 2_000))
        else:
            end = min(len(data), place + source.randint(1, 16))
            part = data[place:end]
            del data[place:end]
            other = source.randrange(len(data) + 1)
            data[other:other] = part
        yield bytes(data)


def fuzz(runner: Runner, scenario: Scenario, count: int, seed: int) -> Fuzzed:
    """`count` cases on one codec and scenario. Raises RunnerError where the codec cannot even encode."""
    whole = seed_bytes(runner, scenario)
    cases = [seed_text(scenario), *mutations(whole, f"{seed}:{runner.codec}:{scenario.name}", count - 1)]
    outcomes = run_batches(runner, scenario, cases) if runner.description.batch else run_alone(runner, scenario, cases)
    findings, accepted, refused = [], 0, 0
    for number, (case, outcome) in enumerate(zip(cases, outcomes, strict=True)):
        if outcome.finding:
            findings.append(Finding(runner.codec, scenario.name, number, outcome.finding, case.hex()))
        elif outcome.code == 0:
            accepted += 1
        else:
            refused += 1
    said = runner.description
    return Fuzzed(
        runner.codec, scenario.name, said.library, said.version, seed, len(cases), refused, accepted, findings
    )


def run_alone(runner: Runner, scenario: Scenario, cases: Sequence[bytes]) -> list[Outcome]:
    """A process a case; where rows can be filtered, every other case is."""
    offered = {cell.operation for cell in runner.description.cells if cell.scenario == scenario.name}
    commands = ("decode", "filter") if Operation.FILTER in offered else ("decode",)
    return [decode_alone(runner, scenario, case, commands[n % len(commands)]) for n, case in enumerate(cases)]


def decode_alone(runner: Runner, scenario: Scenario, case: bytes, command: str = "decode") -> Outcome:
    """What `decode` or `filter` does with one case, by the protocol."""
    words = [command, "--scenario", scenario.name, *key_words(keys_of(scenario))]
    done = _run(runner, words, case, CASE_LIMIT_S)
    if done.printed_too_much:
        return Outcome(-1, f"{command}: printed more than {output_limit(case) // MEBIBYTE} MiB")
    if done.code is None:
        return Outcome(-1, f"{command}: no end within {CASE_LIMIT_S:.0f} s")
    if done.peak_memory_bytes is not None and done.peak_memory_bytes > CASE_MEMORY_BYTES:
        return Outcome(done.code, f"{command}: took {done.peak_memory_bytes >> 20} MiB of memory")
    if done.code == 0:
        return Outcome(0, _wrong_json(done.stdout, rows=scenario.is_rows))
    said = done.messages
    if done.code != MALFORMED:
        reason = " ".join(said.split())[:300] or "said nothing"
        return Outcome(done.code, f"{command}: {exit_reason(done.code)}: {reason}")
    if done.stdout:
        return Outcome(MALFORMED, f"{command}: refused, but printed {done.stdout[:40]!r}")
    if len(said.splitlines()) != 1:
        return Outcome(
            MALFORMED, f"{command}: refused with {len(said.splitlines())} lines on standard error: {said[:200]!r}"
        )
    return Outcome(MALFORMED)


def run_batches(runner: Runner, scenario: Scenario, cases: Sequence[bytes]) -> list[Outcome]:
    """Many cases a process; the case that ended one is tried alone, and the rest goes into the next process."""
    words = ["decode", "--batch", "--scenario", scenario.name]
    outcomes: list[Outcome] = []
    while len(outcomes) < len(cases):
        batch = cases[len(outcomes) : len(outcomes) + BATCH]
        frames = b"".join(len(case).to_bytes(4, "little") + case for case in batch)
        done = _run(runner, words, frames, CASE_LIMIT_S + 0.1 * len(batch))
        swells = done.peak_memory_bytes is not None and done.peak_memory_bytes > CASE_MEMORY_BYTES
        if swells or done.printed_too_much:
            outcomes += run_alone(runner, scenario, batch)  # to find whose it is
            continue
        answered = [_judged(code, text, scenario) for code, text in _answers(done.stdout)]
        outcomes += answered
        if len(answered) < len(batch):
            outcomes.append(decode_alone(runner, scenario, batch[len(answered)]))
    return outcomes


def _run(runner: Runner, words: list[str], data: bytes, limit_s: float) -> Ended:
    """What becomes of one process. Raises RunnerError where the program is not the one that was built."""
    done = runner.ended([*runner.command, *words], data, limit_s, output_limit(data))
    if done.not_started or done.changed:
        raise RunnerError(done.not_started or "the runner is not the one that was built; build it again")
    return done


def _answers(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The whole answers of a batch: exit code, and what would have been printed."""
    place = 0
    while place + 5 <= len(data):
        end = place + 5 + int.from_bytes(data[place + 1 : place + 5], "little")
        if end > len(data):
            return
        yield data[place], data[place + 5 : end]
        place = end


def _judged(code: int, text: bytes, scenario: Scenario) -> Outcome:
    if code == 0:
        return Outcome(0, _wrong_json(text, rows=scenario.is_rows))
    if code != MALFORMED:
        said = text.decode(errors="replace").replace(f"{ROOT}{os.sep}", "")
        return Outcome(code, f"{exit_reason(code)}: {said[:300]}")
    lines = text.decode(errors="replace").splitlines()
    return Outcome(code, None if len(lines) == 1 else f"refused with {len(lines)} lines: {text[:200]!r}")


def _wrong_json(printed: bytes, *, rows: bool) -> str | None:
    """Why what a runner printed is no canonical JSON."""
    try:
        for line in printed.splitlines() if rows else [printed]:
            json.loads(line)
    except UnicodeDecodeError as error:
        return f"accepted text that is not UTF-8: {printed[max(0, error.start - 20) : error.end + 20]!r}"
    except (ValueError, RecursionError) as error:
        return f"accepted, but printed no JSON ({error}): {printed[:80]!r}"
    return None
