"""Noise: outliers, the smallest detectable difference, and the noise floor of a scenario."""

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from analysis.statistics.intervals import CONFIDENCE, Interval, Vector, mad
from bench.statistics.student import student_quantile

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
