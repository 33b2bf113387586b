"""Turns the frame of a recorded run into vectors, one number per round; only incomplete rounds are dropped.

A cell that failed in a round has no value there, and no cell of an untimed run has one. Figures with intervals are made
of a series by `analysis.data.inference`.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from msgspec import Struct
from numpy.typing import NDArray

from analysis.base import problems as errors
from analysis.data.frame import COUNTS, NAME, Measured, RunFrame, measured, read_frame
from analysis.statistics.intervals import Vector
from analysis.statistics.noise import hides_bursts
from bench.counting.counts_folder import has_counts, read_counts
from bench.model.cells import Cell
from bench.model.counts import Counted
from bench.model.plan import PlannedCell, Profile
from bench.model.proof.document_sizes import FILE, DocumentSizes
from bench.model.record import Ending, Run
from bench.model.scenario import Scenario
from bench.records.stored_files import read_stored
from bench.statistics.calm import Mask, Reference, is_gated
from bench.statistics.layouts import Labels

Name = tuple[Cell, bool]
"""A cell, and whether its second name (A/A) is meant."""
VECTORS = ("loop_ns", "cpu_ns", "process_ns", "timed_ns", "base_ns", "peak_memory_bytes", "base_memory_bytes")


class LoopTimes(Struct, frozen=True, eq=False):
    """The timed loops of a cell that has canaries, by round; shape (n,) each, n ≥ 0."""

    rounds: Labels
    layouts: Labels
    """The link of the runner: 0 is the one that its build tool made."""
    ns: Vector
    """Time of one repetition."""
    before: Vector
    """Time of the canary before the loop over its reference; nan where it is unknown."""
    after: Vector
    canary_ns: Vector
    """Mean time of the two canaries beside the loop."""
    calm: Mask


class Series(Struct, frozen=True, eq=False):
    """One cell over its rounds; all vectors have shape (k,), k ≥ 0, index i is round `rounds[i]`.

    A process with several timed loops counts with their median. What hyperfine or the runner could not report
    is nan; `base_ns` and `base_memory_bytes` are nan in the rounds without a 0-repetition process.
    """

    planned: PlannedCell
    twin: bool
    rounds: NDArray[np.int64]
    loop_ns: Vector
    cpu_ns: Vector
    process_ns: Vector
    timed_ns: Vector
    """All timed loops of the process together: what the two-clock check subtracts from the process."""
    base_ns: Vector
    peak_memory_bytes: Vector
    base_memory_bytes: Vector
    repetitions: int
    encoded_bytes: int | None
    allocations: int | None
    allocated_bytes: int | None
    file_bytes: int | None
    """Size of the file of one timed loop; None where there is no file."""
    cached_bytes: int | None
    """The smallest part of it in the system's cache when a loop began to read it; None where that is unknown."""
    calls_a_row: float | None
    """Read and write calls of a loop per row that it handled; None where they were not counted."""
    failures: tuple[str, ...]
    """Why values are missing: one reason for the whole cell, or one for each round in which a process failed."""
    loops: LoopTimes
    """Its loops with their canaries; none where its runner has no canary, as in records before version 3."""
    gated: bool
    """Whether its calm loops alone make its figures; else it is a file operation, or takes long, or has no canary."""
    counted: Counted | None = None
    """What `lab count` found; None where the cell was not counted."""

    @property
    def cell(self) -> Cell:
        """The cell that was measured."""
        return self.planned.cell

    @property
    def measured(self) -> bool:
        """Whether there is any value."""
        return len(self.rounds) > 0

    @property
    def canaried(self) -> bool:
        """Whether there are canaries beside its loops."""
        return len(self.loops.ns) > 0

    @property
    def restless(self) -> bool:
        """Whether something disturbed its loops in bursts shorter than they, which canaries beside them cannot show."""
        return self.gated and hides_bursts(self.loops.before, self.loops.after)

    @property
    def calm_share(self) -> float | None:
        """The share of its loops that were calm; None where that is unknown."""
        return float(np.mean(self.loops.calm)) if self.canaried else None

    @property
    def layouts(self) -> tuple[int, ...]:
        """The links of its runner that were measured; only 0 where there are no others."""
        return tuple(int(number) for number in np.unique(self.loops.layouts)) if self.canaried else (0,)

    @property
    def repetition_ns(self) -> Vector:
        """Nanoseconds of one repetition in each round; shape (k,)."""
        return np.asarray(self.loop_ns / self.repetitions, dtype=np.float64)

    def ms(self, repetitions: int) -> Vector:
        """Milliseconds of the loop in each round, scaled to a number of repetitions; shape (k,)."""
        return np.asarray(self.repetition_ns * repetitions / 1e6, dtype=np.float64)


class ScenarioCells(Struct, frozen=True, eq=False):
    """All cells of one scenario of one run."""

    scenario: Scenario
    rounds_planned: int
    rounds_whole: int
    series: Mapping[Name, Series]
    references: Mapping[str, Reference]
    """Kernel of a canary → its reference in this run."""
    ending: Ending | None
    """How its measuring ended; None in records before version 3."""


class RunCells(Struct, frozen=True, eq=False):
    """A run by scenario, sorted by name; scenarios without a whole round are listed in `not_begun`."""

    path: Path
    run: Run
    scenarios: tuple[ScenarioCells, ...]
    not_begun: tuple[str, ...]
    document_sizes: DocumentSizes | None = None
    """What `lab sizes` recorded beside it."""


def read_cells(path: Path) -> RunCells:
    """The run in a folder as vectors. Raises LabError as `read_frame` and `run_cells` do."""
    return run_cells(read_frame(path))


def run_cells(frame: RunFrame) -> RunCells:
    """The run as vectors. Raises LabError for duplicate lines, and if there is nothing to show."""
    if frame.processes.is_empty():
        raise errors.no_samples(frame.path)
    run, of_run = frame.run, measured(frame)
    whole = {str(name): count for name, count in of_run.rounds.group_by("scenario").len().iter_rows()}
    if not whole:
        raise errors.no_whole_round(frame.path)
    counted = read_counts(frame.path, run)[1] if has_counts(frame.path) else {}
    series = _all_series(run, of_run, counted)
    scenarios, not_begun = [], []
    for scenario in sorted(run.scenarios, key=lambda one: one.name):
        if count := whole.get(scenario.name):
            own = {name: one for name, one in series.items() if name[0].scenario == scenario.name}
            scenarios.append(
                ScenarioCells(
                    scenario=scenario,
                    rounds_planned=run.plan.rounds.get(scenario.name, 0),
                    rounds_whole=count,
                    series=own,
                    references=of_run.calmness.references,
                    ending=run.endings.get(scenario.name),
                )
            )
        else:
            not_begun.append(scenario.name)
    return RunCells(frame.path, run, tuple(scenarios), tuple(not_begun), read_document_sizes(frame.path))


def read_document_sizes(path: Path) -> DocumentSizes | None:
    """The sizes of documents beside a run; None where there are none. Raises LabError for a damaged file."""
    return read_stored(path, FILE, DocumentSizes)


def _all_series(run: Run, of_run: Measured, counted: Mapping[str, Counted]) -> dict[Name, Series]:
    """Every planned cell, then the second names, in the order of the plan."""
    names = [(one, False) for one in run.plan.cells]
    twins = set(run.plan.twins)
    names += [(one, True) for one in run.plan.cells if one.cell in twins and one.blocked is None]
    failures = _failures(of_run.processes)
    well = of_run.processes.filter(pl.col("error").is_null())
    with_canaries = of_run.calmness.loops
    if run.plan.profile is Profile.UNTIMED:
        well, with_canaries = well.clear(), with_canaries.clear()
    columns = {name: well[name].to_numpy() for name in ("round", *VECTORS)}
    counts = {(row["cell"], row["twin"]): row for row in of_run.counts.iter_rows(named=True)}
    parts, begin = {}, 0
    for cell, twin, rounds in well.group_by(NAME, maintain_order=True).len().iter_rows():
        parts[cell, twin] = {name: values[begin : begin + rounds] for name, values in columns.items()}
        begin += rounds
    nothing = {name: values[:0] for name, values in columns.items()}
    loops = _loops(with_canaries)
    no_loops = {name: values[:0] for name, values in _vectors(with_canaries).items()}
    return {
        (one.cell, twin): _series(
            one,
            twin,
            parts.get(key, nothing) | loops.get(key, no_loops),
            counts.get(key, {}) | {"counted": counted.get(key[0])},
            failures.get(key, []) if one.blocked is None else [one.blocked],
        )
        for one, twin in names
        if (key := (str(one.cell), twin))
    }


def _series(
    planned: PlannedCell, twin: bool, vectors: Mapping[str, Any], counts: Mapping[str, Any], failures: list[str]
) -> Series:
    times: dict[str, Any] = {name: vectors[name].astype(np.float64) for name in VECTORS}
    sums: dict[str, Any] = {name: counts.get(name) for name in (*COUNTS, "cached_bytes", "calls_a_row")}
    repetitions = planned.repetitions if planned.blocked is None else 1  # of no round: nothing is divided by it
    times_ns = vectors["loop"] / repetitions
    return Series(
        planned=planned,
        twin=twin,
        rounds=vectors["round"].astype(np.int64),
        repetitions=repetitions,
        failures=tuple(failures),
        loops=LoopTimes(ns=times_ns, **{name: vectors[f"loop_{name}"] for name in LOOP_COLUMNS}),
        gated=len(times_ns) > 0 and is_gated(_typical_ns(planned, times_ns), is_file=planned.cell.operation.is_file),
        counted=counts["counted"],
        **times,
        **sums,
    )


LOOP_COLUMNS: Mapping[str, tuple[str, Any]] = {
    "rounds": ("round", pl.Int64),
    "layouts": ("layout", pl.Int64),
    "before": ("before", pl.Float64),
    "canary_ns": ("canary_ns", pl.Float64),
    "after": ("after", pl.Float64),
    "calm": ("calm", pl.Boolean),
}
"""Vector of `LoopTimes` → its column and type."""


def _loops(loops: pl.DataFrame) -> dict[tuple[str, bool], dict[str, Any]]:
    """(Cell, whether second name) → its loops with canaries, by round."""
    columns = _vectors(loops)
    parts, begin = {}, 0
    for cell, twin, count in loops.group_by(NAME, maintain_order=True).len().iter_rows():
        parts[cell, twin] = {name: values[begin : begin + count] for name, values in columns.items()}
        begin += count
    return parts


def _vectors(loops: pl.DataFrame) -> dict[str, Any]:
    own = {f"loop_{name}": loops[column].cast(kind).to_numpy() for name, (column, kind) in LOOP_COLUMNS.items()}
    return own | {"loop": loops["wall_ns"].cast(pl.Float64).to_numpy()}


def _typical_ns(planned: PlannedCell, times_ns: Vector) -> float:
    """Time of a repetition as the driver knew it when it decided; `quick` has no pilot, so its median stands in."""
    estimate = planned.estimate_ns if planned.blocked is None else 0.0
    return estimate or float(np.median(times_ns))


def _failures(processes: pl.DataFrame) -> dict[tuple[str, bool], list[str]]:
    """(Cell, whether second name) → why it has no value in a round, in the order of rounds."""
    result: dict[tuple[str, bool], list[str]] = {}
    failed = processes.filter(pl.col("error").is_not_null() | pl.col("base_error").is_not_null())
    for cell, twin, base_error, error in failed.select(*NAME, "base_error", "error").iter_rows():
        known = [f"at 0 repetitions: {base_error}" if base_error is not None else None, error]
        result.setdefault((cell, twin), []).extend(reason for reason in known if reason is not None)
    return result
