"""Round trips over a network, codec by codec: by a formula, as measured, and as published.

The formula is the publications' own: the time to serialize and deserialize, plus bytes × 8 / rate; no latency, no
frames. Functions of values; `analysis.commands.network` measures and prints.
"""

from collections.abc import Iterable, Mapping, Sequence

import msgspec
import numpy as np
from msgspec import Struct

from analysis.base.text import count, plural, short, significant
from analysis.data.cells import ScenarioCells, Series
from analysis.data.inference import time_of
from analysis.data.select import choose
from analysis.sources.published_tables import PublishedRows
from analysis.tables import notes
from analysis.tables.footnotes import NOT_CALM
from analysis.tables.layout import NOTHING, Column, Grid, Lines, Section, titled
from analysis.tables.timings import typical_ns
from bench.model.cells import Conditions, Operation
from bench.model.plan import Profile
from bench.model.record import Run, Transfer
from bench.model.scenario import Scenario

RATES_MBIT_S = (100, 1_000, 10_000)
"""The default where no publication names rates."""
ESTIMATE = "≈"
"""Marks a published figure that was not measured."""


class Transport(Struct, frozen=True, order=True):
    """A codec and what compresses its bytes."""

    codec: str
    compression: str


class Sent(Struct, frozen=True):
    """What a codec and its compression send of one repetition."""

    ms: float
    """Serialize, compress, decompress and deserialize."""
    message_bytes: int
    is_figure: bool
    """Whether the time is of calm loops, or of too few of them: then it is the median of all."""


class NetworkRow(Struct, frozen=True):
    """A codec at one rate; times in ms for one repetition."""

    transport: Transport
    published_name: str | None
    message_bytes: int
    codec_ms: float
    """Serialize, compress, decompress and deserialize."""
    is_figure: bool
    """Whether that is of calm loops."""
    wire_ms: float
    """bytes × 8 / rate."""
    measured_wire_ms: float | None
    """Median over the transfers."""
    transfers: int
    published_ms: float | None
    estimate: str | None
    """Why the published figure is not a measurement, if it is not."""
    speedup: float | None
    """Time of the reference over that of this row, both by the formula."""
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
    """All codecs at one rate, the fastest first."""

    rate_mbit_s: int
    rows: tuple[NetworkRow, ...]


def transports(cells: ScenarioCells, **conditions: str) -> dict[Transport, Sent]:
    """Each codec and compression at the published conditions, or at others → its round trip and its message.

    If a codec has no round trip, its serialize and deserialize times are added. Controls have no message.
    """
    whole, halves = dict[Transport, Sent](), dict[Transport, Sent]()
    compressions = {cell.conditions.compression for cell, _ in cells.series}
    for transport, operations in sorted(
        (Transport(codec, compression or ""), operations)
        for compression in compressions
        for codec, operations in choose(cells, _compressed(cells.scenario, compression, **conditions)).items()
    ):
        sent = {name: one for name, one in operations.items() if one.measured and one.encoded_bytes}
        if any(one.planned.control for one in sent.values()):
            continue
        if both := sent.get(Operation.ROUND_TRIP):
            whole[transport] = _sent(both)
        elif (one := sent.get(Operation.SERIALIZE)) and (other := sent.get(Operation.DESERIALIZE)):
            halves[transport] = _sent(one, other)
    return whole | halves


def _compressed(scenario: Scenario, compression: str | None, **conditions: str) -> Conditions:
    return msgspec.structs.replace(scenario.published.conditions, compression=compression, **conditions)


def _sent(*series: Series) -> Sent:
    return Sent(
        ms=sum(map(typical_ns, series)) / 1e6,
        message_bytes=series[0].encoded_bytes or 0,
        is_figure=all(time_of(one) is not None for one in series),
    )


def wire_ms(message_bytes: int, rate_mbit_s: int) -> float:
    """Time of the transfer by the formula."""
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
    """The scenario at each rate. `published` maps a rate to its table and platform; speedups are relative to the codec
    `reference`.

    A row that was published, and measured there, stands at the conditions of that table.
    """
    measured: dict[tuple[Transport, int], list[float]] = {}
    for one in transfers:
        if one.scenario == cells.scenario.name:
            transport = Transport(one.codec, one.compression or "")
            measured.setdefault((transport, one.rate_mbit_s), []).append(one.transfer_ns / 1e6)
    sent = transports(cells)
    return tuple(
        _section(
            cells.scenario,
            rate,
            sent,
            measured,
            as_published=_as_published(cells, published.get(rate)),
            reference=reference,
        )
        for rate in rates(cells.scenario)
    )


class _AsPublished(Struct, frozen=True):
    """The rows of a published table of round trips over a network."""

    figures: Mapping[str, float]
    """Codec → published time in ms."""
    sent: Mapping[Transport, Sent]
    """What was measured of them at the table's own conditions."""


def _as_published(cells: ScenarioCells, published: tuple[PublishedRows, str] | None) -> _AsPublished:
    """The figures of the rows that were measured at the table's own conditions, and of those that it estimates."""
    if published is None:
        return _AsPublished({}, {})
    rows, platform = published
    figures = {name: ms for (name, _), ms in rows.times_ms(platform).items()}
    of_codec = {codec: figures[name] for codec, name in cells.scenario.published.rows.items() if name in figures}
    sent = {
        transport: one
        for transport, one in transports(cells, **rows.conditions).items()
        if not transport.compression
        and transport.codec in of_codec
        and transport.codec not in cells.scenario.published.estimates
    }
    told = {transport.codec for transport in sent} | set(cells.scenario.published.estimates)
    return _AsPublished({codec: ms for codec, ms in of_codec.items() if codec in told}, sent)


def _section(
    scenario: Scenario,
    rate: int,
    sent: Mapping[Transport, Sent],
    measured: Mapping[tuple[Transport, int], Sequence[float]],
    *,
    as_published: _AsPublished,
    reference: str | None,
) -> RateSection:
    figures, names = as_published.figures, scenario.published.rows
    shown = {**sent, **as_published.sent}
    base = shown.get(Transport(reference, "")) if reference else None
    base_published = figures.get(reference or "")

    def row(transport: Transport) -> NetworkRow:
        codec_ms, size = shown[transport].ms, shown[transport].message_bytes
        transfers = measured.get((transport, rate), ())
        ms = None if transport.compression else figures.get(transport.codec)
        total = codec_ms + wire_ms(size, rate)
        return NetworkRow(
            transport=transport,
            published_name=names[transport.codec] if ms is not None else None,
            message_bytes=size,
            codec_ms=codec_ms,
            is_figure=shown[transport].is_figure,
            wire_ms=wire_ms(size, rate),
            measured_wire_ms=float(np.median(transfers)) if transfers else None,
            transfers=len(transfers),
            published_ms=ms,
            estimate=scenario.published.estimates.get(transport.codec) if ms is not None else None,
            speedup=(base.ms + wire_ms(base.message_bytes, rate)) / total if base else None,
            published_speedup=base_published / ms if base_published and ms else None,
        )

    rows = sorted(map(row, shown), key=lambda one: (one.formula_ms, one.transport))
    return RateSection(rate, tuple(rows))


# as text


def network_grid(
    sections: tuple[RateSection, ...],
    scenario: Scenario,
    run: Run,
    why_unmeasured: str | None,
    *,
    reference: str | None,
    conditions: Mapping[str, str],
) -> Grid:
    """A scenario at each rate: the formula's figure, under it the measured one, under that the published one.

    `conditions`: those of the published tables, where they differ from the scenario's.
    """
    columns = [
        Column(("Codec", "published as"), right=False),
        Column(("compression",), right=False),
        Column(("Bytes",)),
        Column(("Codec", "(ms)")),
        Column(("Wire (ms)", "measured")),
        Column(("Round trip (ms)", "measured", "published")),
        *([Column(("times as fast", f"as {short(reference)}", "published"))] if reference else []),
    ]

    def cells(row: NetworkRow) -> tuple[Lines, ...]:
        return (
            (row.transport.codec, f"“{row.published_name}”") if row.published_name else (row.transport.codec,),
            (row.transport.compression or NOTHING,),
            (count(row.message_bytes),),
            (significant(row.codec_ms) + f" {NOT_CALM.mark}" * (not row.is_figure),),
            _lines(significant(row.wire_ms), _measured(row.measured_wire_ms)),
            _lines(significant(row.formula_ms), _measured(row.measured_ms), _published(row, row.published_ms)),
            *([_lines(_or_nothing(row.speedup), _published(row, row.published_speedup))] if reference else []),
        )

    return Grid(
        title=titled(f"Over a network: {scenario.title} ({scenario.name})", run),
        columns=tuple(columns),
        sections=tuple(
            Section(tuple(map(cells, one.rows)), f"{count(one.rate_mbit_s)} Mbit/s") for one in sections if one.rows
        ),
        warnings=warnings(run),
        notes=under_network(sections, scenario, run, why_unmeasured, conditions),
    )


def warnings(run: Run) -> tuple[str, ...]:
    """What a reader must know first."""
    if run.plan.profile is Profile.QUICK:
        return ("This is a quick run: it proves that everything works. Its numbers mean nothing.",)
    return ()


def under_network(
    sections: tuple[RateSection, ...],
    scenario: Scenario,
    run: Run,
    why_unmeasured: str | None,
    conditions: Mapping[str, str],
) -> tuple[str, ...]:
    """How to read the table, which figures are estimates, and why there is no measurement if there is none."""
    rows = [row for one in sections for row in one.rows]
    estimates = {row.published_name: row.estimate for row in rows if row.estimate}
    transfers = sorted({row.transfers for row in rows if row.transfers})
    return (
        "By the formula, as published: codec + bytes × 8 / rate, without latency and frames. Codec: the "
        "measured round trip at the published conditions, with compression and decompression where the row has one.",
        *(
            [
                "Published figures without an estimate stand beside rows that were measured at the conditions of that "
                f"table: {' '.join(f'{name}={value}' for name, value in conditions.items())}."
            ]
            if conditions
            else []
        ),
        *(
            [
                f"Measured: codec + the median of {plural(transfers[0], 'transfer')}"
                f"{' or more' if len(transfers) > 1 else ''} of the same bytes over one warm TCP "
                "connection between two network namespaces, shaped by tc's token "
                "bucket with frames counted, from the first byte sent to the receiver's answer."
            ]
            if transfers
            else []
        ),
        *([] if all(row.is_figure for row in rows) else [f"{NOT_CALM.mark} {NOT_CALM.meaning}."]),
        *([f"Not measured: {why_unmeasured}."] if why_unmeasured else []),
        *(f"{ESTIMATE} “{name}” was an estimate in the publication: {why}." for name, why in estimates.items()),
        *([f"Published: {scenario.source}."] if scenario.published.networks else []),
        f"{notes.machine(run)}, {run.created[:10]}.",
    )


def _lines(first: str, *others: str | None) -> Lines:
    return (first, *(other for other in others if other))


def _measured(ms: float | None) -> str | None:
    return None if ms is None else f"measured {significant(ms)}"


def _published(row: NetworkRow, value: float | None) -> str | None:
    return None if value is None else f"published {significant(value)}{f' {ESTIMATE}' if row.estimate else ''}"


def _or_nothing(value: float | None) -> str:
    return NOTHING if value is None else significant(value)
