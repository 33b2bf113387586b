"""What the samples of a scenario say so far: how calm the machine was, and how well each cell is known."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct

from bench.model.plan import Timed
from bench.model.record import CanaryReference, Sample
from bench.statistics.calm import (
    Loops,
    Mask,
    Vector,
    is_calm,
    is_gated,
    is_portable,
    own_reference,
    percentile_2,
    reference,
)
from bench.statistics.layouts import LEAST_CALM_LOOPS, LEAST_CALM_OF_PROCESS, process_spread, spread, unit_logs
from bench.statistics.stopping import Precision

Kernel = tuple[str, str]
"""A canary's kernel, and the runner whose binary it is compared within; empty where it compares across binaries."""


class Context(Struct, frozen=True):
    """What samples are judged by besides themselves."""

    timed: Mapping[str, Timed]
    """The scenario's cells by their text."""
    calibration: Mapping[str, CanaryReference]
    linked: Callable[[Timed], bool]
    """Whether a cell's runner has several layouts."""
    coarse_clock: bool = False


class Evidence(Struct, frozen=True):
    """What is known of a scenario."""

    precisions: list[Precision]
    """Of each gated cell that has samples."""
    loops: int
    """Loops between canaries, of all cells and their twins."""
    calm: int

    @property
    def calm_share(self) -> float:
        """The share of loops that were calm; 0 where there are no canaries."""
        return self.calm / self.loops if self.loops else 0.0


def judge(samples: Iterable[Sample], context: Context) -> Evidence:
    """The evidence of a scenario's samples. References are those of the calibration and of these samples alone."""
    by_cell: dict[tuple[str, bool], list[Sample]] = {}
    for sample in samples:
        if sample.canary_before_ns is not None and sample.repetitions:
            by_cell.setdefault((sample.cell, sample.twin), []).append(sample)
    references = references_of(by_cell, context)
    copies = copies_of(by_cell)
    precisions, loops, calm = [], 0, 0
    for (cell, twin), chosen in by_cell.items():
        timed = context.timed[cell]
        columns = loops_of(chosen)
        canaries = np.concatenate([columns.canary_before_ns, columns.canary_after_ns])
        expected = references[kernel_of(timed)]
        is_calm_loop = is_calm(
            columns,
            expected if is_portable(timed.canary or "") else own_reference(canaries, expected),
            copies.get(cell.partition("/")[0], np.nan),
            coarse_clock=context.coarse_clock,
        )
        loops += len(chosen)
        calm += int(np.sum(is_calm_loop))
        times = times_of(chosen)
        typical_ns = timed.estimate_ns or float(np.median(times))  # as the analysis will know it
        if not twin and is_gated(typical_ns, is_file=timed.cell.operation.is_file):
            precisions.append(precision_of(chosen, times, is_calm_loop, linked=context.linked(timed)))
    return Evidence(precisions, loops, calm)


def precision_of(samples: Sequence[Sample], times: Vector, calm: Mask, *, linked: bool) -> Precision:
    """How well a cell is known; where it has one layout only, its processes are the units."""
    rounds = np.array([sample.round for sample in samples])
    if not linked:
        parts = process_spread(unit_logs(times, rounds, calm, LEAST_CALM_OF_PROCESS).logs)
        return Precision(parts.within, parts.between, int(np.sum(calm)) >= LEAST_CALM_LOOPS, linked=False)
    layouts = np.array([sample.layout for sample in samples])
    parts = spread(times, layouts, rounds, calm)
    figures, measured = len(unit_logs(times, layouts, calm).units), len(np.unique(layouts))
    is_repeated = len(np.unique(rounds)) > measured  # each round is a process of one layout
    return Precision(parts.within, parts.between, figures == measured and is_repeated)


def kernel_of(timed: Timed) -> Kernel:
    """The kernel of a cell's runner."""
    kernel = timed.canary or ""
    return kernel, f"{timed.cell.codec} {timed.variant}" if is_portable(kernel) else ""


def references_of(by_cell: Mapping[tuple[str, bool], list[Sample]], context: Context) -> dict[Kernel, float]:
    """The time that the canaries of each kernel are held against."""
    canaries: dict[Kernel, list[Vector]] = {}
    for (cell, _), samples in by_cell.items():
        loops = loops_of(samples)
        canaries.setdefault(kernel_of(context.timed[cell]), []).extend([loops.canary_before_ns, loops.canary_after_ns])
    result = {}
    for kernel, vectors in canaries.items():
        calibrated = context.calibration.get(kernel[0])
        known = calibrated.percentile_2_ns if calibrated else None
        result[kernel] = reference(np.concatenate(vectors), known, portable=is_portable(kernel[0])).ns
    return result


def copies_of(by_cell: Mapping[tuple[str, bool], list[Sample]]) -> dict[str, float]:
    """The reference of the copies, by language."""
    copies: dict[str, list[Vector]] = {}
    for (cell, _), samples in by_cell.items():
        loops = loops_of(samples)
        copies.setdefault(cell.partition("/")[0], []).extend([loops.copy_before_ns, loops.copy_after_ns])
    return {language: percentile_2(np.concatenate(vectors)) for language, vectors in copies.items()}


def loops_of(samples: Sequence[Sample]) -> Loops:
    """Samples as columns."""
    return Loops(**{name: column(samples, name) for name in Loops.__struct_fields__})


def column(samples: Sequence[Sample], name: str) -> Vector:
    """A field of each sample, `nan` where it has none."""
    values: list[Any] = [getattr(sample, name) for sample in samples]
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def times_of(samples: Sequence[Sample]) -> Vector:
    """Nanoseconds of one repetition in each loop; a loop that the clock gives no time counts as a nanosecond."""
    return np.maximum(column(samples, "wall_ns"), 1.0) / column(samples, "repetitions")
