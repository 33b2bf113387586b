"""How the crate rand 0.8.5 draws from a generator of 32-bit outputs: `Standard`, `gen_range`, `gen_bool`.

Source: its modules `distributions::{integer, float, uniform, bernoulli}` and `seq`; a draw takes as many outputs as
there, so that what follows it is the same too.
"""

import math
import struct
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TypeVar

import numpy as np

from bench.types.values import read_alike_f32

T = TypeVar("T")

SINGLE = struct.Struct("<f")
INTEGER_BITS = {f"{sign}{bits}": bits for sign in "ui" for bits in (8, 16, 32, 64)}


def single(value: float) -> float:
    """The f32 that is nearest to a number. Raises OverflowError beyond the largest."""
    rounded: float = SINGLE.unpack(SINGLE.pack(value))[0]
    return rounded


def decimal(value: float) -> float:
    """An f32 as canonical JSON has it: the f64 of its shortest decimal, which every reader takes for that f32."""
    return read_alike_f32(float(str(np.float32(value))))


class Rand:
    """Draws from the outputs of a generator, integers of 32 bits."""

    def __init__(self, outputs: Iterator[int]) -> None:
        self.u32 = outputs.__next__

    def u64(self) -> int:
        """Two outputs, the first of them the low half."""
        return self.u32() | self.u32() << 32

    def chance(self, probability: float) -> bool:
        """`gen_bool`: an integer of 64 bits against the probability in 2⁶⁴ parts. It is below 1."""
        return self.u64() < int(probability * 2.0**64)

    def any(self, kind: str) -> int | float | bool:
        """A value of the whole range of a type; floats in 0 to 1, 1 excluded; a bool is `gen_bool(0.5)`."""
        if kind == "bool":
            return self.chance(0.5)
        if kind == "f32":
            return (self.u32() >> 8) * 2.0**-24
        if kind == "f64":
            return (self.u64() >> 11) * 2.0**-53
        bits = INTEGER_BITS[kind]
        drawn = (self.u64() if bits == 64 else self.u32()) & (1 << bits) - 1
        return drawn - (1 << bits) if kind[0] == "i" and drawn >> (bits - 1) else drawn

    def within(self, kind: str, low: int, high: int) -> int:
        """An integer of a type from a range, its end excluded: `gen_range` multiplies, and redraws what is uneven."""
        bits = INTEGER_BITS[kind]
        count = high - low
        zone = _zone(bits, count)
        draw, width = (self.u64, 64) if bits == 64 else (self.u32, 32)
        mask = (1 << width) - 1
        while True:
            product = draw() * count
            if product & mask <= zone:
                return low + (product >> width)

    def between(self, kind: str, low: float, high: float) -> float:
        """A float of a type from a range, its end excluded. Bounds are floats of that type."""
        while True:
            if kind == "f32":
                drawn = single(single((self.u32() >> 9) * 2.0**-23 * single(high - low)) + low)
            else:
                drawn = (self.u64() >> 12) * 2.0**-52 * (high - low) + low
            if drawn < high:
                return drawn

    def index(self, length: int) -> int:
        """An index into a list of a length; it is a usize."""
        return self.within("u64", 0, length)

    def choice(self, options: Sequence[T]) -> T:
        """One of them, by an index that is drawn as a usize."""
        return options[self.index(len(options))]

    def weighted(self, weights: Sequence[float]) -> int:
        """`WeightedIndex` of f32: the first whose running sum exceeds a share of the total."""
        sums = _running_sums(tuple(weights))
        drawn = single((self.u32() >> 9) * 2.0**-23 * sums[-1])
        return next(index for index, total in enumerate(sums) if total > drawn)


@cache
def _zone(bits: int, count: int) -> int:
    """The largest low half of a product that is taken. Small types divide exactly, large ones shift."""
    if bits <= 16:
        return 2**32 - 1 - (2**32 - count) % count
    width = 64 if bits == 64 else 32
    return (count << (width - count.bit_length())) - 1


@cache
def _running_sums(weights: tuple[float, ...]) -> list[float]:
    sums = [0.0]
    for weight in weights:
        sums.append(single(sums[-1] + single(weight)))
    assert math.isfinite(sums[-1])
    return sums[1:]
