"""Lcg64Xsh32, the 32-bit generator of the crate rand_pcg 0.3.1; its author calls it PCG32, `pcg_xsh_rr_64_32`.

Source: M. E. O'Neill, "PCG: A Family of Simple Fast Space-Efficient Statistically Good Algorithms for Random Number
Generation", HMC-CS-2014-0905 (2014), section 6.3.1; how state and stream set the first state is rand_pcg's own.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

MULTIPLIER = 6364136223846793005
LOW = 2**64 - 1
BLOCK = 4096
"""Outputs that are computed at once."""

Words = NDArray[np.uint64]


def outputs(state: int, stream: int) -> Iterator[int]:
    """The outputs of `Lcg64Xsh32::new(state, stream)` one after the other: integers of 32 bits, without end."""
    increment = (stream << 1 | 1) & LOW
    current = (state + increment) * MULTIPLIER + increment & LOW
    factors, summands = _steps(increment, BLOCK)
    while True:
        states = factors[:-1] * np.uint64(current) + summands[:-1]
        yield from _permuted(states).tolist()
        current = int(factors[-1]) * current + int(summands[-1]) & LOW


def _steps(increment: int, count: int) -> tuple[Words, Words]:
    """Factors and summands that lead from a state to those that follow it: 0 to `count` steps; shape (count + 1,)."""
    factor, summand, factors, summands = 1, 0, [], []
    for _ in range(count + 1):
        factors.append(factor)
        summands.append(summand)
        factor, summand = factor * MULTIPLIER & LOW, summand * MULTIPLIER + increment & LOW
    return np.array(factors, dtype=np.uint64), np.array(summands, dtype=np.uint64)


def _permuted(states: Words) -> NDArray[np.uint32]:
    """The output of each state: its high bits folded onto its low ones, rotated by its topmost five."""
    folded = (((states >> np.uint64(18)) ^ states) >> np.uint64(27)).astype(np.uint32)
    turns = (states >> np.uint64(59)).astype(np.uint32)
    return (folded >> turns) | (folded << (-turns & np.uint32(31)))
