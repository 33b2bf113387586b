"""The noise floor of a scenario: by how much identical code seems to differ, for native and for interpreted runners.

Identical code stands in a run twice over: cells measured under a second name, and cells of two codecs of which one says
that its code for the operation is the other's, call by call. The second kind has other machine code around it, so it
shows what layout does.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import lru_cache

import msgspec
import numpy as np
from msgspec import Struct

from analysis.data.cells import ScenarioCells, Series
from analysis.data.inference import has_interval, ratio_of, time_of
from analysis.statistics.estimates import Estimate
from analysis.statistics.intervals import Vector
from analysis.statistics.noise import CalmSpread, NoiseFloor, noise_floor, uneven_calm
from analysis.statistics.ratios import is_tie, ranks
from bench.model.cells import Cell, Operation
from bench.statistics.calm import CALM_RATIO

INTERPRETED = {"python"}
"""Languages whose runners have no machine code of their own."""


class Kind(StrEnum):
    """A kind of runner: their noise differs."""

    NATIVE = "native"
    INTERPRETED = "interpreted"


class SamePair(Struct, frozen=True):
    """Two cells with identical code."""

    cell: Cell
    other: str | None
    """The codec whose code is the same; None where the cell itself was measured under a second name."""
    ratio: Estimate
    """Time of the second name over that of the first, or of the cell over that of the other codec."""


def kind_of(codec: str) -> Kind:
    """The kind of a codec's runner."""
    return Kind.INTERPRETED if codec.partition("/")[0] in INTERPRETED else Kind.NATIVE


@lru_cache(maxsize=1_000)
def same_pairs(cells: ScenarioCells) -> tuple[SamePair, ...]:
    """All pairs of a scenario with figures, by operation."""
    order = [*dict.fromkeys([*cells.scenario.operations, *Operation])]
    result = []
    for (cell, twin), series in sorted(
        cells.series.items(), key=lambda item: (order.index(item[0][0].operation), item[0])
    ):
        codec = cell.codec if twin else series.planned.identical
        same = codec and cells.series.get((msgspec.structs.replace(cell, codec=codec), False))
        ratio = ratio_of(series, same) if same else None
        if ratio is not None:
            result.append(SamePair(cell, None if twin else codec, ratio))
    return tuple(result)


@lru_cache(maxsize=1_000)
def floor_of(cells: ScenarioCells, kind: Kind) -> NoiseFloor | None:
    """The noise floor of a scenario for a kind of runner; None if no code of the kind is in it twice."""
    ratios = [pair.ratio.point for pair in same_pairs(cells) if kind_of(pair.cell.codec) is kind]
    return noise_floor(ratios) if ratios else None


def kinds_of(cells: ScenarioCells) -> tuple[Kind, ...]:
    """The kinds of runners that were measured in a scenario."""
    held = {kind_of(series.cell.codec) for series in cells.series.values() if series.measured}
    return tuple(kind for kind in Kind if kind in held)


def floor_between(cells: ScenarioCells, *codecs: str) -> float:
    """The share by which a comparison of codecs must exceed 1 to mean anything: the largest floor of their kinds.

    It is `UNKNOWN_FLOOR` for a kind of which no code was measured twice.
    """
    floors = [floor_of(cells, kind) for kind in {kind_of(codec) for codec in codecs}]
    return max((floor.share if floor else UNKNOWN_FLOOR for floor in floors), default=0.0)


UNKNOWN_FLOOR = 0.1
"""What a difference must exceed where no code was measured twice: by as much the layout of a program changes times."""
UNEVEN_FLOOR = CALM_RATIO - 1
"""What canaries let pass: by as much codecs may differ that met unequal moments."""


def raised_floor(cells: ScenarioCells, floor: float) -> float:
    """A noise floor, which is at least `UNEVEN_FLOOR` where some codecs met clearly calmer moments than others."""
    return max(floor, UNEVEN_FLOOR) if calm_spread(cells) else floor


def floor_of_comparison(cells: ScenarioCells, *codecs: str) -> float:
    """By which share codecs must differ to be told apart: the noise floor between them, raised where that applies."""
    return raised_floor(cells, floor_between(cells, *codecs))


@lru_cache(maxsize=1_000)
def calm_spread(cells: ScenarioCells) -> CalmSpread | None:
    """The least and the most calm codec where they differ by more than chance, so that no rank can be given."""
    gated = [one for (_, twin), one in cells.series.items() if not twin and one.gated]
    rounds = np.unique(np.concatenate([one.loops.rounds for one in gated])) if gated else np.array([])
    codecs = sorted({one.cell.codec for one in gated if not one.planned.control})
    return uneven_calm({codec: _shares((one for one in gated if one.cell.codec == codec), rounds) for codec in codecs})


def ranks_of(cells: ScenarioCells, ordered: Mapping[str, Series]) -> dict[str, int]:
    """Codec → rank by time, of one cell a codec, given from the shortest time on: 1, 1, 3, … (competition ranking).

    A codec shares the rank of the first of its group if their ratio is a tie. One whose time has no interval takes a
    place but gets no rank, since it would share any. None has a rank where some codecs met calmer moments than others.
    """
    if calm_spread(cells):
        return {}
    places = {codec: place for place, codec in enumerate(ordered, 1)}
    ranked = [codec for codec, series in ordered.items() if has_interval(series)]

    def tied(codec: str, first: str) -> bool:
        ratio = ratio_of(ordered[codec], ordered[first])
        return ratio is None or is_tie(ratio, floor_between(cells, codec, first))

    return {codec: places[ranked[rank - 1]] for codec, rank in zip(ranked, ranks(ranked, tied), strict=True)}


def is_hardly_calm(cells: ScenarioCells) -> bool:
    """Whether most cells of codecs have no figure, for want of calm loops: nobody can be called the fastest then."""
    own = [one for (_, twin), one in cells.series.items() if not twin and not one.planned.control and one.measured]
    return 2 * sum(time_of(one) is None for one in own) > len(own)


def _shares(series: Iterable[Series], rounds: Vector) -> Vector:
    """The share of a codec's canaries that were calm in each round, shape (k,); nan where it has none.

    Of canaries, which all take the same time: a longer loop is less often calm than a shorter one in the same moments.
    """
    canaries, calm = np.zeros(len(rounds)), np.zeros(len(rounds))
    for one in series:
        places = np.searchsorted(rounds, one.loops.rounds)
        for times in (one.loops.before, one.loops.after):
            np.add.at(canaries, places, 1)
            np.add.at(calm, places, times <= CALM_RATIO)
    with np.errstate(invalid="ignore"):
        return np.asarray(calm / canaries, dtype=np.float64)
