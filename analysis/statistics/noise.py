"""Noise: outliers, the smallest detectable difference, and the noise floor of a scenario."""

import math
from collections.abc import Sequence
from functools import cache

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from analysis.statistics.intervals import CONFIDENCE, Interval, Vector, mad

POWER = 0.80
"""The usual power of a minimum detectable effect (Cohen 1988)."""


NORMAL_MAD = 1.4826
"""1 / Φ⁻¹(3/4): MAD times this estimates the standard deviation of normal data."""


MEDIAN_ERROR = 1.2533
"""√(π/2): standard error of a median over that of a mean, for normal data."""


OUTLIER_SCORE = 10.0
"""Modified z-score beyond which a sample is labelled an outlier; see `outliers`."""


def modified_z_scores(values: Vector) -> Vector:
    """M_i = 0.6745 (x_i − median) / MAD, shape (k,): deviations in estimated standard deviations; nan where MAD is 0.

    Iglewicz and Hoaglin 1993, “How to Detect and Handle Outliers”.
    """
    spread = mad(values)
    if spread == 0.0:
        return np.full(values.shape, np.nan)
    return np.asarray(0.6745 * (values - np.median(values)) / spread, dtype=np.float64)


def outliers(values: Vector) -> NDArray[np.bool_]:
    """Which samples of a vector, shape (k,), are labelled outliers. They stay in every median, minimum and maximum.

    |modified z-score| above 10, as in hyperfine (|x − median| / MAD > 14.826): the authors' 3.5 is meant for
    normal data, and benchmark times have a long right tail. Where MAD is 0 nothing is labelled.
    """
    return np.asarray(np.abs(modified_z_scores(values)) > OUTLIER_SCORE, dtype=np.bool_)


def minimum_detectable_effect(logs: Vector) -> float | None:
    """The smallest relative difference that k rounds with this spread would have detected 80 times in 100.

    `logs`: natural logarithms of per-round ratios, shape (k,). exp((t₀.₉₇₅ + t₀.₈₀) · SE) − 1 with k − 1 degrees of
    freedom (Bloom 1995, “Minimum Detectable Effects”), SE = 1.2533 · 1.4826 · MAD / √k, the robust standard error of a
    median. None for k < 3, where MAD says nothing.
    """
    count = len(logs)
    if count < 3:
        return None
    error = MEDIAN_ERROR * NORMAL_MAD * mad(logs) / np.sqrt(count)
    multiple = student_quantile((1 + CONFIDENCE) / 2, count - 1) + student_quantile(POWER, count - 1)
    return float(np.expm1(multiple * error))


@cache
def student_quantile(share: float, degrees: int) -> float:
    """The quantile of Student's t at a share of at least 1/2, for whole degrees of freedom ≥ 1.

    By bisection of the finite sums of Abramowitz and Stegun 1964, 26.7.3 and 26.7.4, in the angle atan(t / √degrees).
    SciPy has it too, but importing it would delay a table by a fifth of a second; a test compares the two.
    """
    low, high = 0.0, math.pi / 2
    while low < (angle := (low + high) / 2) < high:
        low, high = (angle, high) if (1 + _student_within(angle, degrees)) / 2 < share else (low, angle)
    return math.sqrt(degrees) * math.tan(angle)


def _student_within(angle: float, degrees: int) -> float:
    """The probability that |t| is at most √degrees · tan(angle)."""
    odd = degrees % 2
    term = math.sin(angle) * (math.cos(angle) if odd else 1.0)
    total = 0.0
    for step in range(1 + odd, degrees, 2):
        total += term
        term *= step / (step + 1) * math.cos(angle) ** 2
    return (angle + total) * 2 / math.pi if odd else total


class NoiseFloor(Struct, frozen=True):
    """What the A/A cells of one scenario say: the same code measured twice in every round differs by this much.

    `largest_shift`: the largest |median ratio − 1|. `widest_bound`: the largest |bound − 1| of any A/A interval; this
    is *the* noise floor of a table: by how much a cell seems to differ from itself. `detectable`: the
    largest minimum detectable effect, None where there are fewer than 3 rounds.
    """

    largest_shift: float
    widest_bound: float
    detectable: float | None


def noise_floor(ratios: Sequence[Interval], effects: Sequence[float | None]) -> NoiseFloor:
    """The noise floor of a scenario from the A/A ratios of its operations (at least one)."""
    known = [effect for effect in effects if effect is not None]
    return NoiseFloor(
        max(abs(ratio.point - 1) for ratio in ratios),
        max(abs(bound - 1) for ratio in ratios for bound in (ratio.low, ratio.high)),
        max(known) if known else None,
    )
