"""Which timed loops of a run were calm: its canaries, held against the references of their kernels.

The rule itself is `bench.statistics.calm`; here it meets the columns of a run.
"""

from collections.abc import Mapping

import numpy as np
import polars as pl
from msgspec import Struct
from numpy.typing import NDArray

from bench.model.record import Run
from bench.statistics import calm
from bench.statistics.calm import Reference, Vector

CANARIES = ["canary_before_ns", "canary_after_ns"]
COPIES = ["copy_before_ns", "copy_after_ns"]
JUDGED = [*CANARIES, *COPIES, "involuntary_switches"]
"""The columns of a sample that a loop is judged by, besides its own two times."""
UNNAMED = "portable/unnamed"
"""The kernel of a runner that has canaries without naming their kernel: compared within its own binary only."""
COARSE_CLOCK = "windows"
"""The system on which the clock of a thread ticks too coarsely."""


class Calmness(Struct, frozen=True, eq=False):
    """How calm the loops of a run were."""

    references: Mapping[str, Reference]
    """Canary → its reference, of those whose machine code is the same in all binaries."""
    loops: pl.DataFrame
    """The samples of cells with canaries, in their order, with `calm`, and with the times of the canaries over their
    reference: `before` and `after`; and their mean in ns: `canary_ns`."""


def calmness(run: Run, samples: pl.DataFrame, cells: pl.DataFrame) -> Calmness:
    """Judges the samples that have canaries; `cells` has a row a cell: codec, binary, scenario, canary."""
    loops = samples.filter(pl.col(CANARIES[0]).is_not_null().any().over("cell", "twin"))
    if loops.is_empty():
        return Calmness(
            {}, loops.with_columns(calm=pl.lit(False), before=pl.lit(1.0), after=pl.lit(1.0), canary_ns=pl.lit(1.0))
        )
    facts = loops.select("cell", "layout").join(cells, on="cell", how="left", maintain_order="left")
    columns = {name: _numbers(loops[name]) for name in ("wall_ns", "cpu_ns", *JUDGED)}
    canaries = np.stack([columns[name] for name in CANARIES], axis=1)
    kernels = facts["canary"].fill_null(UNNAMED).to_numpy()
    binaries = _joined(facts, "binary", "layout")
    references, expected = {}, np.full(len(loops), np.nan)
    for kernel in sorted(set(kernels)):
        own = kernels == kernel
        if calm.is_portable(kernel):
            for binary in set(binaries[own]):
                same = own & (binaries == binary)
                expected[same] = calm.reference(canaries[same], portable=True).ns
        else:
            calibrated = run.calibration.get(kernel)
            references[kernel] = calm.reference(canaries[own], calibrated.percentile_2_ns if calibrated else None)
            expected[own] = references[kernel].ns
    for of_cell in _by_cell(loops):
        if not calm.is_portable(kernels[of_cell[0]]):  # whose references are each binary's own already
            expected[of_cell] = calm.own_reference(canaries[of_cell], expected[of_cell[0]])
    judged = calm.is_calm(
        calm.Loops(**columns),
        expected,
        _copy_references(columns, _joined(facts, "scenario", "language")),
        coarse_clock=run.platform.startswith(COARSE_CLOCK),
    )
    with np.errstate(divide="ignore", invalid="ignore"):  # a damaged record may hold canaries of no time
        before, after = (pl.Series(columns[name] / expected) for name in CANARIES)
    mean = pl.Series(np.maximum(np.mean(canaries, axis=1), 1.0))  # at least a nanosecond: times are divided by it
    return Calmness(references, loops.with_columns(calm=pl.Series(judged), before=before, after=after, canary_ns=mean))


def _copy_references(columns: Mapping[str, Vector], groups: NDArray[np.str_]) -> Vector:
    """The run's own 2nd percentile of the copies of each loop's scenario and language; nan where there are none."""
    copies = np.stack([columns[name] for name in COPIES], axis=1)
    expected = np.full(len(groups), np.nan)
    if not np.isnan(copies).all():
        for group in set(groups):
            expected[groups == group] = calm.percentile_2(copies[groups == group])
    return expected


def _by_cell(loops: pl.DataFrame) -> list[NDArray[np.int64]]:
    """The indexes of each cell's loops, and of each second name's."""
    numbers = loops["cell"].to_physical().to_numpy().astype(np.int64) * 2 + loops["twin"].to_numpy()
    order = np.argsort(numbers, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(numbers[order])) + 1)


def _joined(facts: pl.DataFrame, *names: str) -> NDArray[np.str_]:
    joined = pl.concat_str([pl.col(name).cast(pl.String) for name in names], separator=" ")
    return facts.select(joined).to_series().to_numpy()


def _numbers(column: pl.Series) -> Vector:
    return column.cast(pl.Float64).fill_null(float("nan")).to_numpy()
