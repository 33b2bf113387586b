"""Which cell stands for a row, and which run for a scenario: every table, verdict, chart and export asks here."""

from collections.abc import Mapping

from msgspec import Struct

from analysis.data.cells import ScenarioCells, Series, paired, ratio_of
from analysis.statistics.intervals import Interval
from analysis.statistics.noise import minimum_detectable_effect
from analysis.statistics.ratios import log_ratios
from bench.model.cells import Cell, Operation, is_published


class Twin(Struct, frozen=True):
    """One A/A cell: second name over first, per round."""

    cell: Cell
    ratio: Interval
    detectable: float | None


Chosen = Mapping[str, Mapping[Operation, Series]]
"""Codec → operation → the cell that stands in the published table."""


def choose(cells: ScenarioCells) -> dict[str, dict[Operation, Series]]:
    """The cells at the published conditions; of a control its first cell where it has none at these."""
    wanted = cells.scenario.published.conditions
    result: dict[str, dict[Operation, Series]] = {}
    plain = [series for (_, twin), series in sorted(cells.series.items(), key=lambda item: item[0]) if not twin]
    # of several builds at the published conditions the one that every lab has
    for series in sorted(plain, key=lambda one: (not is_published(one.cell.conditions, wanted), one.planned.variant)):
        if series.planned.control or is_published(series.cell.conditions, wanted):
            result.setdefault(series.cell.codec, {}).setdefault(series.cell.operation, series)
    return result


def twins(cells: ScenarioCells) -> tuple[Twin, ...]:
    """The A/A cells of a scenario, by operation."""
    places = {operation: place for place, operation in reversed([*enumerate([*cells.scenario.operations, *Operation])])}
    result = []
    for (cell, twin), second in sorted(cells.series.items(), key=lambda item: (places[item[0][0].operation], item[0])):
        first = cells.series.get((cell, False))
        ratio = ratio_of(second, first) if twin and first else None
        if first and ratio:
            result.append(Twin(cell, ratio, minimum_detectable_effect(log_ratios(*paired(second, first)))))
    return tuple(result)


def nearest(cells: ScenarioCells) -> dict[str, dict[Operation, Series]]:
    """Of each codec and operation the cell at the published conditions, else the one that differs in fewest of them.

    A library that cannot decode into an existing value still has its place; what differs is said at its time. Of
    several builds it is the one that every lab has.
    """
    wanted = dict(cells.scenario.published.conditions.items())

    def distance(series: Series) -> tuple[int, str, str]:
        other = [1 for name, value in series.cell.conditions.items() if wanted.get(name, value) != value]
        return len(other), series.planned.variant, str(series.cell)

    result: dict[str, dict[Operation, Series]] = {}
    for series in sorted((s for (_, twin), s in cells.series.items() if not twin), key=distance):
        result.setdefault(series.cell.codec, {}).setdefault(series.cell.operation, series)
    return result


def limit_of(codec: str, controls: Mapping[str, Series], limit: str | None) -> Series | None:
    """The control that no codec can be faster than: of the codec's own language where that has one."""
    language = codec.partition("/")[0]
    named = [one for one in sorted(controls) if one.partition("/")[2] == limit]
    own = [one for one in named if one.startswith(f"{language}/")]
    return controls[(own or named)[0]] if named else None
