"""Kills a run at random moments and resumes it: nothing recorded is lost, changed or there twice.

    .lab/venv/bin/python tests/support/kills.py --moments 200 [--seed 20]

The tests kill at a few moments; this command does at as many as are asked for, and needs a hyperfine (`./lab bench`
builds one).
"""

import argparse
import random
import signal
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench.measuring.order import slots
from bench.model.plan import ProcessKind
from bench.model.record import Run
from bench.records.run_file import read_run
from tests.support.lab import Lab, fake_entry

QUICK = ("bench", "--all", "--profile", "quick", "--seed", "7")


def kill_and_resume(lab: Lab, run: Path, moments: int, seed: int) -> None:
    """A moment is a number of new samples and a delay: seconds alone would all lie in the start of a slow machine."""
    source, before = random.Random(seed), list[str]()
    arguments = (*QUICK, "--rounds", str(2 * moments), "-f", "point", "--out", str(run))
    samples = run / "samples.jsonl"
    for kill in range(moments):
        process = lab.start(*arguments)
        if kill % 5 == 4:
            time.sleep(source.uniform(0, 1))  # before anything is measured
        else:
            wanted = len(before) + source.randint(1, 8)
            wait_for(lambda: process.poll() is not None or len(whole_lines(samples)) >= wanted)  # noqa: B023
            time.sleep(source.uniform(0, 0.1))
        assert process.poll() is None, f"the run ended before kill {kill}: {process.communicate()}"
        process.send_signal(signal.SIGKILL)
        process.communicate()
        if (run / "run.json").exists():
            arguments = ("bench", "--resume", str(run))
        now = whole_lines(samples)
        assert now[: len(before)] == before, "a flushed sample was lost or changed"
        before = now
    lab("bench", "--resume", str(run))
    assert whole_lines(samples)[: len(before)] == before
    assert_complete(run)


def assert_complete(folder: Path) -> None:
    """Every process of the plan is there once, and every loop has its samples."""
    recorded = read_run(folder)
    assert recorded.run.finished
    assert recorded_keys(folder) == wanted_keys(recorded.run)
    samples = [(s.cell, s.round, s.twin, s.index) for s in recorded.samples]
    assert len(samples) == len(set(samples))
    chain = {str(cell): timed.loops for cell, timed in recorded.run.plan.timed.items()}
    loops = [
        (p.cell, p.round, p.twin, index)
        for p in recorded.processes
        if p.kind is ProcessKind.LOOP and not p.error
        for index in range(chain[p.cell])
    ]
    assert sorted(samples) == sorted(loops)


def wanted_keys(run: Run) -> list[tuple]:
    """Of all rounds that were to be measured: those of the plan, or fewer where the run says how it ended."""
    ended = {scenario: ending.rounds for scenario, ending in run.endings.items()}
    rounds = run.plan.rounds | ended
    return sorted((str(s.cell), s.round, s.kind, s.twin) for s in slots(run.plan) if s.round < rounds[s.scenario])


def recorded_keys(folder: Path) -> list[tuple]:
    return sorted((p.cell, p.round, p.kind, p.twin) for p in read_run(folder).processes)


def whole_lines(path: Path) -> list[str]:
    """The lines of a file that end; none where there is no file yet."""
    return path.read_text().split("\n")[:-1] if path.exists() else []


def wait_for(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--moments", type=int, default=200)
    parser.add_argument("--seed", type=int, default=20)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        fakes = [fake_entry("good"), fake_entry("still", "control"), fake_entry("other")]
        kill_and_resume(Lab(Path(folder), fakes), Path(folder) / "run", given.moments, given.seed)
    print(f"killed at {given.moments} moments, nothing lost, nothing twice")
