"""From the lines of a recorded run to vectors a cell, one number a round; nothing is dropped but broken-off rounds.

A round of a scenario is *whole* when each of its timed processes left a row, be it samples or an error. Only whole
rounds are used, so that every cell of a scenario is compared over the same moments. A cell that failed in a round
has no value there; two cells are paired over the rounds that both have.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from analysis.base import problems as errors
from analysis.statistics.intervals import Interval, Vector, seed_of
from analysis.statistics.ratios import ratio_interval
from bench.measuring.run_folder import Recorded
from bench.model.cells import Cell
from bench.model.plan import PlannedCell, ProcessKind
from bench.model.record import Process, Run, Sample
from bench.model.scenario import Scenario

Name = tuple[Cell, bool]
"""A cell, and whether it is meant under its second name (A/A)."""
Place = tuple[str, int, bool]
"""Cell as text, round, twin."""
Key = tuple[Place, ProcessKind]


class Series(Struct, frozen=True, eq=False):
    """One cell over its rounds; all vectors have shape (k,), k ≥ 0, index i is round `rounds[i]`.

    A process with several timed loops counts with the median of them. What hyperfine or the runner could not tell
    is nan; `base_ns` and `base_memory_bytes` are nan in the rounds without a 0-repetition process.
    """

    planned: PlannedCell
    twin: bool
    rounds: NDArray[np.int64]
    loop_ns: Vector
    cpu_ns: Vector
    process_ns: Vector
    timed_ns: Vector
    """All timed loops of the process together: what the two-clock check takes off the process."""
    base_ns: Vector
    peak_memory_bytes: Vector
    base_memory_bytes: Vector
    repetitions: int
    encoded_bytes: int | None
    allocations: int | None
    allocated_bytes: int | None
    file_bytes: int | None
    """Of the file of one timed loop; None where there is none."""
    cached_bytes: int | None
    """The least of it that the system's cache held when a loop that reads it began; None where that is not known."""
    calls_a_row: float | None
    """How often a loop asked the system to read or to write, by the rows that it handled; None where nobody counted."""
    failures: tuple[str, ...]
    """Why it has no value: once for the whole cell, or once for each round in which a process failed."""

    @property
    def cell(self) -> Cell:
        """The cell that was measured."""
        return self.planned.cell

    @property
    def measured(self) -> bool:
        """Whether there is any value."""
        return len(self.rounds) > 0

    def ms(self, repetitions: int) -> Vector:
        """Milliseconds of the loop in each round, scaled to a number of repetitions; shape (k,)."""
        return np.asarray(self.loop_ns / self.repetitions * repetitions / 1e6, dtype=np.float64)


class ScenarioCells(Struct, frozen=True, eq=False):
    """All cells of one scenario of one run."""

    scenario: Scenario
    rounds_planned: int
    rounds_whole: int
    series: Mapping[Name, Series]


class RunCells(Struct, frozen=True, eq=False):
    """A run, scenario by scenario in the order of their names; scenarios without a whole round are named apart."""

    path: Path
    run: Run
    scenarios: tuple[ScenarioCells, ...]
    not_begun: tuple[str, ...]


def paired(one: Series, other: Series) -> tuple[Vector, Vector]:
    """Time of one repetition in ns of two series, in the rounds that both have; shape (r,) each, r ≥ 0."""
    _, left, right = np.intersect1d(one.rounds, other.rounds, assume_unique=True, return_indices=True)
    return one.loop_ns[left] / one.repetitions, other.loop_ns[right] / other.repetitions


def ratio_of(one: Series, other: Series) -> Interval | None:
    """Time a repetition of one cell over that of another, paired by round; None where they share no round.

    The seed follows from the two cells' names alone, so that neither order nor company changes an interval.
    """
    numerator, denominator = paired(one, other)
    if not len(numerator):
        return None
    return ratio_interval(numerator, denominator, seed_of(_identity(one), _identity(other)))


def run_cells(recorded: Recorded) -> RunCells:
    """The run as vectors. Raises LabError for lines that are not of its plan, and where there is nothing to show."""
    path, run = recorded.path, recorded.run
    plan = {str(planned.cell): planned for planned in run.plan.cells}
    samples = _samples(recorded, plan)
    processes = _processes(recorded, plan, samples)
    if not processes:
        raise errors.no_samples(path)
    begun: dict[tuple[str, bool], set[int]] = defaultdict(set)
    for (cell, number, twin), kind in processes:
        if kind is ProcessKind.LOOP:
            begun[cell, twin].add(number)
    scenarios, not_begun = [], []
    for scenario in sorted(run.scenarios, key=lambda one: one.name):
        cells = _scenario_cells(run, scenario, samples, processes, begun)
        if cells.rounds_whole:
            scenarios.append(cells)
        else:
            not_begun.append(scenario.name)
    if not scenarios:
        raise errors.no_whole_round(path)
    return RunCells(path, run, tuple(scenarios), tuple(not_begun))


def _samples(recorded: Recorded, plan: Mapping[str, PlannedCell]) -> dict[Place, list[Sample]]:
    path = recorded.path / "samples.jsonl"
    result: dict[Place, list[Sample]] = defaultdict(list)
    for line, sample in enumerate(recorded.samples, start=1):
        _check_place(path, line, sample, recorded.run, plan)
        expected = plan[sample.cell].repetitions
        if sample.repetitions != expected or not sample.repetitions:
            raise errors.foreign_line(path, line, "repetitions", f"{sample.repetitions}, the plan says {expected}")
        place = (sample.cell, sample.round, sample.twin)
        if any(other.index == sample.index for other in result[place]):
            raise errors.foreign_line(path, line, "index", f"sample {sample.index} of this process stands here twice")
        if sample.wall_ns == 0:
            raise errors.foreign_line(
                path, line, "wall_ns", "a timed loop of 0 ns; the clock of this runner does not run"
            )
        result[place].append(sample)
    return result


def _processes(
    recorded: Recorded, plan: Mapping[str, PlannedCell], samples: Mapping[Place, list[Sample]]
) -> dict[Key, Process]:
    path = recorded.path / "processes.jsonl"
    result: dict[Key, Process] = {}
    for line, process in enumerate(recorded.processes, start=1):
        _check_place(path, line, process, recorded.run, plan)
        place = (process.cell, process.round, process.twin)
        if (place, process.kind) in result:
            raise errors.foreign_line(path, line, "cell", "this process stands here twice")
        if process.kind is ProcessKind.LOOP and process.error is None:
            found, expected = len(samples.get(place, ())), recorded.run.plan.samples
            if found != expected:
                raise errors.missing_samples(path, line, found, expected)
        result[place, process.kind] = process
    return result


def _check_place(path: Path, line: int, row: Sample | Process, run: Run, plan: Mapping[str, PlannedCell]) -> None:
    planned = plan.get(row.cell)
    if planned is None:
        raise errors.foreign_line(path, line, "cell", f"{row.cell!r} is not in the plan of run.json")
    rounds = run.plan.rounds.get(planned.cell.scenario, 0)
    if row.round >= rounds:
        raise errors.foreign_line(path, line, "round", f"round {row.round}, the plan has {rounds}, counted from 0")
    if row.twin and planned.cell not in run.plan.twins:
        raise errors.foreign_line(path, line, "twin", f"{row.cell!r} has no twin in the plan of run.json")


def _scenario_cells(
    run: Run,
    scenario: Scenario,
    samples: Mapping[Place, list[Sample]],
    processes: Mapping[Key, Process],
    begun: Mapping[tuple[str, bool], set[int]],
) -> ScenarioCells:
    """`begun` holds the rounds in which a cell, or its second name, left a row."""
    planned = [one for one in run.plan.cells if one.cell.scenario == scenario.name]
    names = [(one, False) for one in planned]
    names += [(one, True) for one in planned if one.cell in run.plan.twins and one.blocked is None]
    rounds = run.plan.rounds.get(scenario.name, 0)
    timed = [(one, twin) for one, twin in names if one.blocked is None]
    whole: Sequence[int] = range(rounds)  # where nothing is timed; else those of which every process left a row
    if timed:
        found = (begun.get((str(one.cell), twin), set()) for one, twin in timed)
        whole = sorted(set.intersection(*found))
    series = {(one.cell, twin): _series(one, twin, whole, samples, processes) for one, twin in names}
    return ScenarioCells(scenario, rounds, len(whole), series)


def _series(
    planned: PlannedCell,
    twin: bool,
    whole: Iterable[int],
    samples: Mapping[Place, list[Sample]],
    processes: Mapping[Key, Process],
) -> Series:
    name = str(planned.cell)
    failures = [planned.blocked] if planned.blocked is not None else []
    rounds, loops, bases = [], [], []
    for number in whole if planned.blocked is None else ():
        place = (name, number, twin)
        loop, base = processes[place, ProcessKind.LOOP], processes.get((place, ProcessKind.BASE))
        if base and base.error is not None:
            failures.append(f"at 0 repetitions: {base.error}")
        if loop.error is not None:
            failures.append(loop.error)
            continue
        rounds.append(number)
        loops.append(loop)
        bases.append(base)
    taken = [samples[name, number, twin] for number in rounds]
    return Series(
        planned=planned,
        twin=twin,
        rounds=np.array(rounds, dtype=np.int64),
        loop_ns=_vector(np.median([sample.wall_ns for sample in group]) for group in taken),
        cpu_ns=_vector(np.median([sample.cpu_ns for sample in group]) for group in taken),
        process_ns=_vector(_nanoseconds(process) for process in loops),
        timed_ns=_vector(sum(sample.wall_ns for sample in group) for group in taken),
        base_ns=_vector(_nanoseconds(process) for process in bases),
        peak_memory_bytes=_vector(_or_nan(process.peak_memory_bytes) for process in loops),
        base_memory_bytes=_vector(_or_nan(process.peak_memory_bytes if process else None) for process in bases),
        repetitions=planned.repetitions or 1,
        encoded_bytes=_most_common(sample.encoded_bytes for group in taken for sample in group),
        allocations=_most_common(sample.allocations for group in taken for sample in group),
        allocated_bytes=_most_common(sample.allocated_bytes for group in taken for sample in group),
        file_bytes=_most_common(sample.file_bytes for group in taken for sample in group),
        cached_bytes=min(
            (s.cached_bytes for group in taken for s in group if s.cached_bytes is not None), default=None
        ),
        calls_a_row=_calls_a_row([sample for group in taken for sample in group]),
        failures=tuple(failures),
    )


def _vector(values: Iterable[Any]) -> Vector:
    return np.array(list(values), dtype=np.float64)


def _nanoseconds(process: Process | None) -> float:
    return np.nan if process is None or process.wall_s is None else process.wall_s * 1e9


def _or_nan(value: float | None) -> float:
    return np.nan if value is None else float(value)


def _calls_a_row(samples: list[Sample]) -> float | None:
    found = [
        (sample.read_calls + sample.write_calls) / sample.rows
        for sample in samples
        if sample.rows and sample.read_calls is not None and sample.write_calls is not None
    ]
    return float(np.median(found)) if found else None


def _most_common(values: Iterable[int | None]) -> int | None:
    return next((value for value, _ in Counter(values).most_common(1)), None)


def _identity(series: Series) -> str:
    return f"{series.cell}{' (A/A)' if series.twin else ''}"
