"""Where the spread of a cell's loops comes from: loops, processes, layouts."""

import math
from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from analysis.statistics.intervals import Vector
from bench.statistics.layouts import Labels


class Components(Struct, frozen=True):
    """Standard deviations of logarithms, so about relative ones; None where nothing in the data tells it apart."""

    loop: float | None
    """Of loops within a process."""
    process: float | None
    """Of processes within a layout; where a process has one loop, of loops and processes together."""
    layout: float | None


def components(logs: Vector, layouts: Labels, processes: Labels) -> Components:
    """The components of one cell; `logs`: logarithm of each loop, `layouts` and `processes` its own; shape (n,) each.

    Nested analysis of variance of unequal groups by the method of moments; a component that comes out negative is 0
    (Searle, Casella and McCulloch 1992, “Variance Components”, §5.2 and table F.2). A process belongs to one layout.
    """
    count = len(logs)
    _, first, process_of = np.unique(processes, return_index=True, return_inverse=True)
    sizes = np.bincount(process_of).astype(np.float64)
    means = np.bincount(process_of, logs) / sizes
    layout_of = np.unique(layouts[first], return_inverse=True)[1]
    of_layouts = np.bincount(layout_of, sizes)
    layout_means = np.bincount(layout_of, means * sizes) / of_layouts
    squares = float(np.sum(np.bincount(layout_of, sizes**2) / of_layouts))
    loop = _mean_square(float(np.sum((logs - means[process_of]) ** 2)), count - len(sizes))
    within = loop or 0.0
    process = layout = None
    if inner := len(sizes) - len(of_layouts):
        mean_square = float(np.sum(sizes * (means - layout_means[layout_of]) ** 2)) / inner
        process = max(0.0, (mean_square - within) * inner / (count - squares))
    if len(of_layouts) > 1:
        degrees = len(of_layouts) - 1
        mean_square = float(np.sum(of_layouts * (layout_means - np.mean(logs)) ** 2)) / degrees
        of_process = (squares - float(np.sum(sizes**2)) / count) / degrees
        of_layout = (count - float(np.sum(of_layouts**2)) / count) / degrees
        layout = max(0.0, (mean_square - within - of_process * (process or 0.0)) / of_layout)
    return Components(_root(loop), _root(process), _root(layout))


def typical(cells: Sequence[Components]) -> Components:
    """The root mean square of each component over the cells that know it."""
    return Components(*(_typical([getattr(one, name) for one in cells]) for name in Components.__struct_fields__))


def _typical(deviations: Sequence[float | None]) -> float | None:
    known = [deviation**2 for deviation in deviations if deviation is not None]
    return math.sqrt(sum(known) / len(known)) if known else None


def _mean_square(sum_of_squares: float, degrees: int) -> float | None:
    return sum_of_squares / degrees if degrees else None


def _root(variance: float | None) -> float | None:
    return None if variance is None else math.sqrt(variance)
