"""Noise: outliers, the noise floor of a scenario, and whether all its cells met equally calm moments."""

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from analysis.statistics.intervals import CONFIDENCE, Vector, mad
from bench.statistics.calm import CALM_RATIO
from bench.statistics.student import student_quantile

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


class NoiseFloor(Struct, frozen=True):
    """What identical code says of one scenario: differences below this mean nothing."""

    share: float
    """What 95 % of differences between identical code stay below, as a share: 0.02 is a ratio of 1.02 or 1/1.02."""
    pairs: int
    """Pairs of cells with identical code."""
    largest: float
    """The largest difference of a pair, as a share."""


def noise_floor(ratios: Sequence[float]) -> NoiseFloor:
    """The noise floor from the ratios of m ≥ 1 pairs of cells with identical code.

    exp(t₀.₉₇₅,ₘ · √(mean d²)) − 1 of their logarithms d: a prediction interval around 0, where identical code must lie,
    so that no degree of freedom is spent on a mean.
    """
    logs = np.log(ratios)
    quantile = student_quantile((1 + CONFIDENCE) / 2, len(logs))
    share = float(np.expm1(quantile * np.sqrt(np.mean(logs**2))))
    return NoiseFloor(share, len(logs), float(np.expm1(np.max(np.abs(logs)))))


LEAST_PERSISTENCE = 0.35
"""Correlation of the two canaries around a loop. Beside a neighbour who begins and ends at random and works half of the
time, a sixth of the loops between calm canaries hide a burst then, which their median withstands."""
HIDDEN_SHIFT = 0.05
"""How much longer than calm ones canaries take on average where hidden bursts would matter: as they hit loops as often
as canaries, loops take that much longer too."""
SLOWEST_CANARY = 2.5
"""A hyperthread of the same core slows a canary to half; one that took longer lost the processor, which loops tell by
their context switches and CPU time, so that it is left out here."""


def hides_bursts(before: Vector, after: Vector) -> bool:
    """Whether loops were disturbed by bursts that begin and end between calm canaries.

    `before`, `after`: times of the canaries beside each loop over their reference, shape (n,). A neighbour who works
    for longer than a loop slows both of its canaries or none, so their times go together; one who works in shorter
    bursts slows them independently of each other, and a loop between two calm ones is as disturbed as any.
    """
    known = (before <= SLOWEST_CANARY) & (after <= SLOWEST_CANARY)
    one, other = before[known], after[known]
    both = np.concatenate([one, other])
    calm = both[both <= CALM_RATIO]
    if len(one) < 2 or not len(calm) or float(np.mean(both) / np.median(calm)) - 1 <= HIDDEN_SHIFT:
        return False
    deviations = float(np.std(one) * np.std(other))
    if deviations == 0:
        return False
    return float(np.mean(one * other) - np.mean(one) * np.mean(other)) / deviations < LEAST_PERSISTENCE


PERMUTATIONS = 999
CHANCE = 0.01
LEAST_EFFECT = 0.10
"""A difference between shares of calm canaries that can move a figure; smaller ones are left to the noise floor."""


class CalmSpread(Struct, frozen=True):
    """The least and the most calm of the codecs in a scenario, with the shares of their calm canaries."""

    least: tuple[str, float]
    most: tuple[str, float]


def uneven_calm(shares: Mapping[str, Vector]) -> CalmSpread | None:
    """The least and the most calm codec where shares of calm loops differ by more than chance; None where they do not.

    `shares`: codec → its share of calm canaries in each round, shape (k,) for all; `nan`: it has none. The order of
    codecs within a round is drawn, so under chance alone any codec could have had any share of its round: the largest
    difference of means is compared with those of 999 permutations within rounds (Fisher 1935, “The Design of
    Experiments”, §21). Canaries of a round share its neighbours, which a test of single ones would take for evidence.
    """
    names = sorted(shares)
    if len(names) < 2:
        return None
    table = np.stack([shares[name] for name in names], axis=1)
    table = table[~np.isnan(table).any(axis=1)]
    if not len(table):
        return None
    means = table.mean(axis=0)
    difference = float(np.ptp(means))
    if difference < LEAST_EFFECT:
        return None
    random = np.random.default_rng(len(names))
    drawn = np.array([np.ptp(random.permuted(table, axis=1).mean(axis=0)) for _ in range(PERMUTATIONS)])
    if (1 + np.sum(drawn >= difference - 1e-12)) / (1 + PERMUTATIONS) > CHANCE:
        return None
    least, most = int(np.argmin(means)), int(np.argmax(means))
    return CalmSpread((names[least], float(means[least])), (names[most], float(means[most])))
