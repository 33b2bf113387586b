"""MT19937-64, the 64-bit Mersenne Twister of the C++ standard library: `std::mt19937_64`.

Source: T. Nishimura, "Tables of 64-bit Mersenne Twisters", ACM TOMACS 10 (2000), 348–357; its constants as in
[rand.predef] of the C++ standard, which also says what the 10,000th output of the default seed is.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

N, M = 312, 156
MATRIX = np.uint64(0xB5026F5AA96619E9)
UPPER, LOWER = np.uint64(0xFFFFFFFF80000000), np.uint64(0x7FFFFFFF)
Words = NDArray[np.uint64]


def raw_outputs(seed: int, count: int) -> Words:
    """The first `count` outputs; shape (count,)."""
    state = _seeded(seed)
    blocks = []
    for _ in range(-(-count // N)):
        state = _twisted(state)
        blocks.append(state)
    return _tempered(np.concatenate(blocks) if blocks else state[:0])[:count]


def numbers(kind: str, seed: int, count: int) -> list[int] | list[float]:
    """`count` numbers of a type, as libc++'s uniform distributions over the whole range of the type draw them.

    Integers are the low bits of an output (libstdc++ takes the high ones), floats r / 2⁶⁴ · the largest of their type,
    computed in that type. An f32 is given as the f64 of its shortest decimal.
    """
    return DRAWN[kind](raw_outputs(seed, count))


def _seeded(seed: int) -> Words:
    state = [seed]
    for i in range(1, N):
        state.append((6364136223846793005 * (state[-1] ^ (state[-1] >> 62)) + i) & 0xFFFFFFFFFFFFFFFF)
    return np.array(state, dtype=np.uint64)


def _twisted(old: Words) -> Words:
    """The next state. Its second half is made from its first, and its last word also from its first word."""
    new = np.empty_like(old)
    new[:M] = old[M:] ^ _mixed(old[:M], old[1 : M + 1])
    new[M:-1] = new[: M - 1] ^ _mixed(old[M:-1], old[M + 1 :])
    new[-1:] = new[M - 1 : M] ^ _mixed(old[-1:], new[:1])
    return new


def _mixed(upper: Words, lower: Words) -> Words:
    joined = (upper & UPPER) | (lower & LOWER)
    return (joined >> np.uint64(1)) ^ ((joined & np.uint64(1)) * MATRIX)


def _tempered(state: Words) -> Words:
    state = state ^ ((state >> np.uint64(29)) & np.uint64(0x5555555555555555))
    state = state ^ ((state << np.uint64(17)) & np.uint64(0x71D67FFFEDA60000))
    state = state ^ ((state << np.uint64(37)) & np.uint64(0xFFF7EEE000000000))
    return state ^ (state >> np.uint64(43))


def _doubles(raw: Words) -> list[float]:
    scaled: list[float] = (raw.astype(np.float64) / np.float64(2**64) * np.finfo(np.float64).max).tolist()
    return scaled


def _floats(raw: Words) -> list[float]:
    scaled = raw.astype(np.float32) / np.float32(2**64) * np.finfo(np.float32).max
    return [float(text) for text in scaled.astype(str)]


def _low_bits(bits: int) -> Callable[[Words], list[int]]:
    def low(raw: Words) -> list[int]:
        integers: list[int] = (raw & np.uint64(2**bits - 1)).tolist()
        return integers

    return low


DRAWN: dict[str, Callable[[Words], list[int] | list[float]]] = {
    "f64": _doubles,
    "f32": _floats,
    "u64": _low_bits(64),
    "u32": _low_bits(32),
    "u16": _low_bits(16),
}
"""How numbers of a type are drawn from raw outputs."""
