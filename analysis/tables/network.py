"""A round trip over a network, codec by codec: what a formula says, what was measured, what was published.

The formula is the publications' own: what serializing and deserializing take, and bytes × 8 / rate; no latency, no
frames. Functions of values; `analysis.commands.network` measures and prints.
"""

from collections.abc import Iterable, Mapping, Sequence

import msgspec
import numpy as np
from msgspec import Struct

from analysis.data.cells import ScenarioCells, Series
from analysis.data.published_tables import PublishedRows
from bench.model.cells import Conditions, Operation, is_published
from bench.model.record import Transfer
from bench.model.scenario import Scenario

RATES_MBIT_S = (100, 1_000, 10_000)
"""Where no publication says otherwise."""


class Way(Struct, frozen=True, order=True):
    """A codec with what compresses its bytes."""

    codec: str
    compression: str


class NetworkRow(Struct, frozen=True):
    """A codec at one rate; times in ms for one repetition."""

    way: Way
    published_name: str | None
    message_bytes: int
    codec_ms: float
    """Serialize, compress, decompress and deserialize."""
    wire_ms: float
    """bytes × 8 / rate."""
    measured_wire_ms: float | None
    """Median over the transfers."""
    transfers: int
    published_ms: float | None
    estimate: str | None
    """Why the published figure is no measurement, where it is none."""
    speedup: float | None
    """Time of the reference by the formula over that of this row."""
    published_speedup: float | None

    @property
    def formula_ms(self) -> float:
        """The whole round trip by the formula."""
        return self.codec_ms + self.wire_ms

    @property
    def measured_ms(self) -> float | None:
        """The whole round trip with the measured transfer."""
        return None if self.measured_wire_ms is None else self.codec_ms + self.measured_wire_ms


class RateSection(Struct, frozen=True):
    """All codecs at one rate, the quickest first."""

    rate_mbit_s: int
    rows: tuple[NetworkRow, ...]


def ways(cells: ScenarioCells) -> dict[Way, tuple[float, int]]:
    """Each codec and compression at the published conditions → (ms of its round trip, bytes of its message).

    Where a codec has no round trip, its serialize and its deserialize stand for it. Controls have no message.
    """
    found: dict[Way, tuple[float, int]] = {}
    halves: dict[Way, dict[Operation, Series]] = {}
    for (cell, twin), series in sorted(cells.series.items(), key=lambda item: item[0]):
        conditions = msgspec.structs.replace(cell.conditions, compression=None)
        if twin or series.planned.control or not series.measured or not series.encoded_bytes:
            continue
        if not is_published(conditions, _uncompressed(cells.scenario)):
            continue
        way = Way(cell.codec, cell.conditions.compression or "")
        if cell.operation is Operation.ROUND_TRIP:
            found.setdefault(way, (_ms(series), series.encoded_bytes))
        else:
            halves.setdefault(way, {}).setdefault(cell.operation, series)
    for way, series_of in halves.items():
        both = [series_of.get(Operation.SERIALIZE), series_of.get(Operation.DESERIALIZE)]
        if way not in found and all(both):
            known = [series for series in both if series]
            found[way] = (sum(map(_ms, known)), known[0].encoded_bytes or 0)
    return found


def _uncompressed(scenario: Scenario) -> Conditions:
    return msgspec.structs.replace(scenario.published.conditions, compression=None)


def _ms(series: Series) -> float:
    return float(np.median(series.ms(1)))


def wire_ms(message_bytes: int, rate_mbit_s: int) -> float:
    """What the formula gives for the transfer."""
    return message_bytes * 8 / (rate_mbit_s * 1e3)


def rates(scenario: Scenario) -> list[int]:
    """The rates of the publication, or the usual ones."""
    return [network.rate_mbit_s for network in scenario.published.networks] or list(RATES_MBIT_S)


def sections(
    cells: ScenarioCells,
    transfers: Iterable[Transfer],
    published: Mapping[int, tuple[PublishedRows, str]],
    reference: str | None,
) -> tuple[RateSection, ...]:
    """The scenario at each rate. `published` holds for a rate the table and the platform to look at; speedups relate
    to the codec `reference`.
    """
    measured: dict[tuple[Way, int], list[float]] = {}
    for one in transfers:
        if one.scenario == cells.scenario.name:
            way = Way(one.codec, one.compression or "")
            measured.setdefault((way, one.rate_mbit_s), []).append(one.transfer_ns / 1e6)
    found = ways(cells)
    return tuple(
        _section(cells.scenario, rate, found, measured, published=published.get(rate), reference=reference)
        for rate in rates(cells.scenario)
    )


def _section(
    scenario: Scenario,
    rate: int,
    found: Mapping[Way, tuple[float, int]],
    measured: Mapping[tuple[Way, int], Sequence[float]],
    *,
    published: tuple[PublishedRows, str] | None,
    reference: str | None,
) -> RateSection:
    figures = {name: ms for (name, op), ms in published[0].times_ms(published[1]).items()} if published else {}
    base = found.get(Way(reference, "")) if reference else None
    names = scenario.published.rows
    base_published = figures.get(names.get(reference or "", ""))

    def row(way: Way) -> NetworkRow:
        codec_ms, size = found[way]
        taken = measured.get((way, rate), ())
        name = names.get(way.codec) if not way.compression else None
        ms = figures.get(name) if name else None
        total = codec_ms + wire_ms(size, rate)
        return NetworkRow(
            way=way,
            published_name=name if ms is not None else None,
            message_bytes=size,
            codec_ms=codec_ms,
            wire_ms=wire_ms(size, rate),
            measured_wire_ms=float(np.median(taken)) if taken else None,
            transfers=len(taken),
            published_ms=ms,
            estimate=scenario.published.estimates.get(way.codec) if ms is not None else None,
            speedup=(base[0] + wire_ms(base[1], rate)) / total if base else None,
            published_speedup=base_published / ms if base_published and ms else None,
        )

    rows = sorted(map(row, found), key=lambda one: (one.formula_ms, one.way))
    return RateSection(rate, tuple(rows))
