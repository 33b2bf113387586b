"""The network tables as text."""

from analysis.base.text import count, plural, short, significant
from analysis.tables import notes
from analysis.tables.layout import NOTHING, Column, Grid, Lines, Section, titled
from analysis.tables.network import NetworkRow, RateSection
from bench.model.plan import Profile
from bench.model.record import Run
from bench.model.scenario import Scenario

ESTIMATE = "≈"
"""Marks a published figure that was no measurement."""


def network_grid(
    sections: tuple[RateSection, ...], scenario: Scenario, run: Run, why_unmeasured: str | None, reference: str | None
) -> Grid:
    """A scenario at each rate: under a formula's figure the measured one, under that the published one."""
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
            (row.way.codec, f"“{row.published_name}”") if row.published_name else (row.way.codec,),
            (row.way.compression or NOTHING,),
            (count(row.message_bytes),),
            (significant(row.codec_ms),),
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
        notes=under_network(sections, scenario, run, why_unmeasured),
    )


def warnings(run: Run) -> tuple[str, ...]:
    """What a reader must know first."""
    if run.plan.profile is Profile.QUICK:
        return ("This is a quick run: it proves that everything works. Its numbers mean nothing.",)
    return ()


def under_network(
    sections: tuple[RateSection, ...], scenario: Scenario, run: Run, why_unmeasured: str | None
) -> tuple[str, ...]:
    """How to read the table, what is an estimate, and why there is no measurement where there is none."""
    rows = [row for one in sections for row in one.rows]
    estimates = {row.published_name: row.estimate for row in rows if row.estimate}
    taken = sorted({row.transfers for row in rows if row.transfers})
    return (
        "By the formula, as published: codec + bytes × 8 / rate, without latency and frames. Codec: median of the "
        "measured round trip at the published conditions, with compression and decompression where there is one.",
        *(
            [
                f"Measured: codec + the median of {plural(taken[0], 'transfer')}{' or more' if len(taken) > 1 else ''} "
                "of the same bytes over one warm TCP connection between two network namespaces, shaped by tc's token "
                "bucket with frames counted, from the first byte sent to the receiver's answer."
            ]
            if taken
            else []
        ),
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
