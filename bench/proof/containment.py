"""What a runner did with each of many inputs, whatever it did: it decodes, refuses, crashes or hangs.

A runner that offers `decode --batch` takes many cases in one process and answers each before it reads the next. The
first case without an answer ended the process; it is tried again alone, so that only its own effect counts. What does
not happen again alone is still told: memory that one case spoiled may end the process at another.
"""

import os
from collections.abc import Sequence

from msgspec import Struct

from bench.base.paths import ROOT
from bench.base.supervision import MEBIBYTE, Ended, output_limit
from bench.building.runner import OVER_BUDGET, Runner, RunnerError, reason_of
from bench.building.runner import answers as answers_in

MALFORMED = 65
"""The exit code of a refusal."""
BATCH = 250
"""Cases per process: few enough that a crash costs little and leaked memory does not add up."""
CASE_LIMIT_S = 20.0
"""A process that takes longer for a few hundred bytes hangs."""
CRASHES = {-11, -7, -4}
"""Exit codes of SIGSEGV, SIGBUS and SIGILL: such an end is a crash, however much memory the process took."""
CASE_MEMORY_BYTES = 1 << 30
"""A process that takes more for a few thousand bytes trusts a length that the input merely claims."""


class Answer(Struct, frozen=True):
    """What a runner did with one case."""

    code: int
    """0: decoded. MALFORMED: refused. Anything else is a problem, told in words; -1 where it was killed at a limit."""
    printed: bytes = b""
    """The value, or the line that says why it was refused."""
    problem: str | None = None
    """What is wrong with how it ended."""
    hung: bool = False


def ask(runner: Runner, words: Sequence[str], case: bytes) -> Answer:
    """The answer to one case by a process of its own. Raises RunnerError as `ask_in_batches` does.

    What has not ended is asked once more before it is called a hang: another program may have held the machine up.
    """
    command, done = words[0], _run(runner, words, case, CASE_LIMIT_S)
    if done.code is None and not done.printed_too_much:
        done = _run(runner, words, case, CASE_LIMIT_S)
    if done.printed_too_much:
        return Answer(-1, problem=f"{command}: printed more than {output_limit(case) // MEBIBYTE} MiB")
    if done.code is None:
        return Answer(-1, problem=f"{command}: no end within {CASE_LIMIT_S:.0f} s, twice", hung=True)
    if swells(done) and done.code not in CRASHES:
        return Answer(done.code, problem=f"{command}: took {(done.peak_memory_bytes or 0) >> 20} MiB of memory")
    if done.code == 0:
        return Answer(0, done.stdout)
    if done.code != MALFORMED:
        return Answer(done.code, problem=f"{command}: {reason_of(done.code)}: {_said(done)}")
    if done.stdout:
        return Answer(MALFORMED, problem=f"{command}: refused, but printed {done.stdout[:40]!r}")
    if (lines := len(done.messages.splitlines())) != 1:
        problem = f"{command}: refused with {lines} lines on standard error: {done.messages[:200]!r}"
        return Answer(MALFORMED, problem=problem)
    reason = done.messages.strip().removeprefix(f"{runner.codec}: ")
    return Answer(MALFORMED, reason.encode())


def ask_each(runner: Runner, words: Sequence[str], cases: Sequence[bytes]) -> list[Answer]:
    """The answers to all cases: many cases per process where the runner takes them so. Raises RunnerError.

    `words` is the command for one case, `decode` and its options.
    """
    if runner.description.batch:
        return ask_in_batches(runner, words, cases)
    return [ask(runner, words, case) for case in cases]


def ask_in_batches(runner: Runner, words: Sequence[str], cases: Sequence[bytes]) -> list[Answer]:
    """Many cases per process. A case that ended one is tried alone; the rest goes to the next process.

    Raises RunnerError where the program does not start, or is not the one that was built.
    """
    answers: list[Answer] = []
    while len(answers) < len(cases):
        batch = cases[len(answers) : len(answers) + BATCH]
        frames = b"".join(len(case).to_bytes(4, "little") + case for case in batch)
        done = _run(runner, [words[0], "--batch", *words[1:]], frames, CASE_LIMIT_S + 0.1 * len(batch))
        if swells(done) or done.printed_too_much:
            answers += [ask(runner, words, case) for case in batch]  # to find the case that did it
            continue
        answered = [_answer(one.code, one.printed) for one in answers_in(done.stdout)][: len(batch)]
        answers += answered
        if len(answered) < len(batch):
            alone = ask(runner, words, batch[len(answered)])
            answers.append(_of_batch(words[0], done, alone))
    return answers


def swells(done: Ended) -> bool:
    """Whether a process took memory out of proportion to its input."""
    return done.peak_memory_bytes is not None and done.peak_memory_bytes > CASE_MEMORY_BYTES


def _run(runner: Runner, words: Sequence[str], data: bytes, limit_s: float) -> Ended:
    """One finished process. Raises RunnerError if the program is not the one that was built."""
    done = runner.ended([*runner.command, *words], data, limit_s, output_limit(data))
    if done.not_started or done.changed:
        raise RunnerError(done.not_started or "the runner is not the one that was built; build it again")
    return done


def _said(done: Ended) -> str:
    return " ".join(done.messages.split())[:300] or "printed nothing"


def _of_batch(command: str, done: Ended, alone: Answer) -> Answer:
    """The answer to the case at which a batch ended: what it does alone, else how the batch ended.

    The time and the memory of a batch are those of many cases, so of these it says nothing.
    """
    if alone.problem or done.code is None or done.code == OVER_BUDGET:
        return alone
    return Answer(done.code, problem=f"{command}: {reason_of(done.code)} in a batch, not alone: {_said(done)}")


def _answer(code: int, text: bytes) -> Answer:
    if code == 0:
        return Answer(0, text)
    if code != MALFORMED:
        message = text.decode(errors="replace").replace(f"{ROOT}{os.sep}", "")
        return Answer(code, problem=f"{reason_of(code)}: {message[:300]}")
    lines = text.decode(errors="replace").splitlines()
    return Answer(code, text, None if len(lines) == 1 else f"refused with {len(lines)} lines: {text[:200]!r}")
