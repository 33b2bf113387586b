"""Codecs that another compiler affects differently from their peers, where a run has builds of several compilers.

All codecs of a language may be faster with one compiler; that says nothing about any of them. A codec is marked if its
own factor, with its whole 95 % interval, differs from the median factor by more than MARKED. The median includes the
codec itself: of only two peers, one that is unusual would make up half of a median without it.
"""

from collections.abc import Mapping

import numpy as np
from msgspec import Struct

from analysis.data.cells import ScenarioCells, Series
from analysis.data.inference import ratio_of
from analysis.statistics.estimates import Estimate
from bench.model.cells import Cell, Conditions, Operation

MARKED = 1.2
"""A factor of 1.2 in either direction: 20 %."""
LEAST_CODECS = 3
"""Among fewer, none can be called unusual."""


class CompilerEffect(Struct, frozen=True):
    """A codec's time with another compiler over that of the cell in the table, and its peers' factor."""

    compiler: str
    own: Estimate
    peers: float
    """Median over the codecs of the same language and operation that have both; without controls."""

    @property
    def marked(self) -> bool:
        """Whether the compiler clearly changes the codec's ratio to its peers by more than 20 %."""
        return self.own.high * MARKED < self.peers or self.own.low > self.peers * MARKED


Key = tuple[str, Operation, str]
"""Language, operation, the other compiler."""


def compiler_effects(
    cells: ScenarioCells, chosen: Mapping[str, Mapping[Operation, Series]]
) -> dict[Cell, CompilerEffect]:
    """Cell of the table → the effect of another compiler, only where it is marked."""
    factors: dict[Key, dict[Cell, Estimate]] = {}
    for (cell, twin), series in cells.series.items():
        base = chosen.get(cell.codec, {}).get(cell.operation)
        if twin or base is None or series.planned.control or not _differ_by_compiler(cell, base.cell):
            continue
        if factor := ratio_of(series, base):
            key = (cell.codec.split("/")[0], cell.operation, str(cell.conditions.compiler))
            factors.setdefault(key, {})[base.cell] = factor
    effects: dict[Cell, CompilerEffect] = {}
    for (_, _, compiler), own in sorted(factors.items()):
        if len(own) < LEAST_CODECS:
            continue
        middle = float(np.median([factor.point for factor in own.values()]))
        for cell, factor in own.items():
            effect = CompilerEffect(compiler, factor, middle)
            if effect.marked:
                effects.setdefault(cell, effect)
    return effects


def _differ_by_compiler(cell: Cell, base: Cell) -> bool:
    def rest(conditions: Conditions) -> list[tuple[str, str]]:
        return [(name, value) for name, value in conditions.items() if name != "compiler"]

    one, other = cell.conditions, base.conditions
    return one.compiler not in (None, other.compiler) and rest(one) == rest(other)
