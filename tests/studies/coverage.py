"""Simulates whole measurements: blocks of rounds, the rule that ends them, and whether the final interval holds the truth.

    .lab/venv/bin/python -m tests.studies.coverage [--runs 1000]

Two cells whose true ratio is 1 are measured until the rule of `bench.statistics.stopping` ends it. Noise of processes
is 2 %, that of loops 1 %; layouts differ by `between`, normally or with a long tail (exponential); a share of the loops
is disturbed, and known to be. Optional stopping alone would make intervals too narrow; the least rounds guard them.
"""

import argparse
import itertools
import math

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from bench.model.record import EndingRule
from bench.statistics.layouts import Estimate, cell_estimate, ratio_estimate, spread, unit_logs
from bench.statistics.stopping import Further, Precision, Progress, after_block

PROCESS_NOISE, LOOP_NOISE, CHAIN, CALM = 0.02, 0.01, 8, 0.6
MOST_ROUNDS, BUDGET_ROUNDS = 96, 48


class Cell:
    """A simulated cell: its layouts, drawn once, and its loops so far."""

    def __init__(self, random: Generator, between: float, *, skewed: bool) -> None:
        self.random = random
        drawn = random.exponential(1, 1000) - 1 if skewed else random.normal(0, 1, 1000)
        self.effects: NDArray[np.float64] = between * drawn
        self.logs: list[NDArray[np.float64]] = []
        self.layouts: list[int] = []
        self.calm: list[NDArray[np.bool_]] = []

    def measure(self, layout: int) -> None:
        """One process."""
        middle = self.effects[layout] + self.random.normal(0, PROCESS_NOISE)
        self.logs.append(middle + self.random.normal(0, LOOP_NOISE, CHAIN))
        self.calm.append(self.random.random(CHAIN) < CALM)
        self.layouts.append(layout)

    def columns(self) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
        """Times, layouts, processes and calmness of all loops."""
        processes = np.repeat(np.arange(len(self.layouts)), CHAIN)
        layouts = np.repeat(self.layouts, CHAIN)
        return np.exp(np.concatenate(self.logs)), layouts, processes, np.concatenate(self.calm)

    def precision(self) -> Precision:
        """As the driver judges it."""
        times, layouts, processes, calm = self.columns()
        parts = spread(times, layouts, processes, calm)
        enough = len(unit_logs(times, layouts, calm).units) == len(set(self.layouts))
        return Precision(parts.within, parts.between, enough)

    def units(self) -> NDArray[np.float64]:
        """The logarithms of its layouts."""
        times, layouts, _, calm = self.columns()
        return unit_logs(times, layouts, calm).logs


def measured(random: Generator, layouts: int, most: int, between: float, *, skewed: bool) -> tuple[Cell, Cell]:
    """Two cells, measured until the rule ends it."""
    cells = (Cell(random, between, skewed=skewed), Cell(random, between, skewed=skewed))
    sets, chosen, rounds = 1, 0, 0
    counted = {0: 0}
    while True:
        for cell in cells:
            for layout in random.permutation(layouts):
                cell.measure(chosen * layouts + int(layout))
        rounds += layouts
        counted[chosen] += 1
        progress = Progress(
            rounds=rounds,
            least_rounds=2 * layouts,
            most_rounds=MOST_ROUNDS,
            layouts=sets * layouts,
            most_layouts=most,
            seconds=rounds,
            budget_s=BUDGET_ROUNDS,
        )
        decided = after_block([cell.precision() for cell in cells], progress)
        if isinstance(decided, EndingRule):
            return cells
        if decided is Further.LAYOUTS:
            chosen, sets = sets, sets + 1
            counted[chosen] = 0
        else:
            chosen = min(counted, key=counted.__getitem__)


def coverage(
    layouts: int, most: int, between: float, *, skewed: bool, runs: int, seed: int = 15
) -> tuple[float, float]:
    """The shares of runs whose interval of the ratio, and of a cell, holds the truth."""
    ratio, single = 0, 0
    for run in range(runs):
        one, other = measured(np.random.default_rng([seed, run]), layouts, most, between, skewed=skewed)
        ratio += holds(ratio_estimate(one.units(), other.units()))
        single += holds(cell_estimate(one.units()))
    return ratio / runs, single / runs


def holds(estimate: Estimate | None) -> bool:
    """Whether the interval holds the truth, a logarithm of 0; one that there is not holds nothing."""
    return estimate is not None and estimate.half_width() < math.inf and abs(estimate.log) <= estimate.half_width()


def main() -> None:
    """Prints the coverage of every case."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=1000)
    runs = parser.parse_args().runs
    print("layouts  at most  between  form     ratio  cell")
    for layouts, between, skewed in itertools.product((4, 8, 16), (0.0, 0.02, 0.05), (False, True)):
        most = 4 if layouts == 4 else 24
        ratio, single = coverage(layouts, most, between, skewed=skewed, runs=runs)
        form = "skewed" if skewed else "normal"
        print(f"{layouts:7}  {most:7}  {between:7.0%}  {form}  {ratio:6.1%}  {single:5.1%}", flush=True)


if __name__ == "__main__":
    main()
