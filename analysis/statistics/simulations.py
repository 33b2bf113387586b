"""How often intervals hold the truth and noise floors hold identical code, simulated: the tables of METHODOLOGY.md.

`python -m analysis.statistics.simulations` prints them; tests run the same functions with fewer repetitions.
"""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from analysis.statistics.estimates import Estimate, Unit
from analysis.statistics.intervals import Vector
from analysis.statistics.noise import noise_floor
from analysis.statistics.sides import of_units, total

Draw = Callable[[np.random.Generator, float, int], Vector]

RUNS = 4_000
SEED = 15
WITHIN = 0.005
"""Standard deviation of a layout's calm median around its true one: what 1 % of noise leaves of some loops."""
TRUTH = 1.1
"""The ratio that the intervals are to hold."""
SPREADS = (0.0, 0.02, 0.05)
"""Standard deviations between layouts."""
LAYOUTS = (4, 8, 16)
SHAPES: Mapping[str, Draw] = {
    "equal": lambda random, spread, count: random.normal(0, spread, count),
    "skewed": lambda random, spread, count: random.exponential(1, count) * spread - spread,
}
"""Most layouts alike with a few much slower, beside a bell; both have the mean 0."""


def sides_of(random: np.random.Generator, shape: str, spread: float, layouts: int) -> tuple[Vector, Vector]:
    """Logarithms of the layouts of two cells, of which the first has the spread and the second, if skewed, none.

    Where both were skewed alike, their difference would not be.
    """
    one, other = (
        SHAPES[shape](random, of, layouts) + random.normal(0, WITHIN, layouts)
        for of in (spread, spread if shape == "equal" else 0.0)
    )
    return one + np.log(TRUTH), other


def ratio(one: Vector, other: Vector) -> Estimate:
    """The ratio of two cells from the logarithms of their layouts, as tables have it."""
    sides = [side for logs in (one, other) if (side := of_units(logs, Unit.LAYOUTS, len(logs)))]
    return total(list(zip((1.0, -1.0), sides, strict=True)))


def coverage(shape: str, spread: float, layouts: int, runs: int = RUNS) -> tuple[float, float]:
    """The shares of simulated runs in which the 95 % and the 99 % interval of a ratio hold the truth."""
    random = np.random.default_rng(SEED)
    held: NDArray[np.bool_] = np.zeros((runs, 2), dtype=np.bool_)
    for run in range(runs):
        found = ratio(*sides_of(random, shape, spread, layouts))
        held[run] = found.interval.holds(TRUTH), found.interval99.holds(TRUTH)
    low, high = held.mean(axis=0)
    return float(low), float(high)


def floor_coverage(spread: float, layouts: int, pairs: int, runs: int = RUNS) -> float:
    """The share of simulated scenarios in which a further pair of identical code stays below the noise floor."""
    random, below = np.random.default_rng(SEED), 0
    for _ in range(runs):
        noise = random.normal(0, spread, (pairs + 1, 2, layouts)) + random.normal(0, WITHIN, (pairs + 1, 2, layouts))
        means = noise.mean(axis=2)
        *known, further = np.exp(means[:, 0] - means[:, 1])
        below += abs(np.log(further)) <= np.log1p(noise_floor(known).share)
    return below / runs


def main() -> None:
    """Prints the tables as Markdown."""
    print(f"Coverage of the interval of a ratio, {RUNS:,} simulated runs each (95 % / 99 %):\n")
    print(
        f"| layouts' spread | shape | {' | '.join(f'K = {count}' for count in LAYOUTS)} |\n| --: | :-- |{' --: |' * 3}"
    )
    for spread in SPREADS:
        for shape in SHAPES:
            cells = (coverage(shape, spread, count) for count in LAYOUTS)
            text = " | ".join(f"{low:.1%} / {high:.1%}" for low, high in cells)
            print(f"| {spread:.0%} | {shape} | {text} |")
    print("\nShare of further pairs of identical code below the noise floor:\n")
    print("| layouts' spread | layouts | 2 pairs | 6 pairs | 12 pairs |\n| --: | --: | --: | --: | --: |")
    for spread in SPREADS:
        for layouts in (4, 8):
            text = " | ".join(f"{floor_coverage(spread, layouts, pairs):.1%}" for pairs in (2, 6, 12))
            print(f"| {spread:.0%} | {layouts} | {text} |")


if __name__ == "__main__":
    main()
