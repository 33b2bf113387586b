"""The table of throughput as text."""

from collections.abc import Sequence

from analysis.base.text import bounds, count, heading, percent, plural, significant
from analysis.tables import notes
from analysis.tables.form import PublishedForm, size_percent
from analysis.tables.layout import NOTHING, Column, Grid, Lines, Section, marks, over_published, titled
from analysis.tables.throughput import ThroughputRow, ThroughputSection
from bench.model.record import Run
from bench.model.scenario import ThroughputForm


def throughput_grid(sections: tuple[ThroughputSection, ...], form: PublishedForm, run: Run) -> Grid:
    """The table of throughput: a section an operation, under each number the published one."""
    scenario = form.scenario
    shape = scenario.published.throughput or ThroughputForm()
    columns = (
        Column(("#",)),
        Column(("Codec", "published as") if scenario.published.rows else ("Codec",), right=False),
        Column(("Size (b)",)),
        Column(("GB/s",)),
        Column(("ns a value" if scenario.values > 1 else "ns a message",)),
        Column(("relative",)),
        *([Column(("share of", shape.limit))] if shape.limit else []),
    )

    def cells(row: ThroughputRow) -> tuple[Lines, ...]:
        return (
            (f"{row.rank}{'=' if row.tied else ''}" if row.rank is not None else NOTHING,),
            (row.codec, f"“{row.published_name}”") if row.published_name else (row.codec,),
            throughput_size_cell(row, form),
            over_published(row.here.rate_gb_s, row.published.rate_gb_s),
            ns_cell(row),
            throughput_relative_cell(row),
            *([share_cell(row)] if shape.limit else []),
        )

    def named(section: ThroughputSection) -> str:
        return f"{section.operation}{f', relative to {section.reference}' if section.reference else ''}"

    return Grid(
        title=titled(f"{scenario.title} ({scenario.name})", run),
        columns=columns,
        sections=tuple(Section(tuple(map(cells, one.rows)), named(one)) for one in sections if one.rows),
        warnings=notes.warnings(form, run),
        notes=under_throughput(sections, form, run),
    )


def throughput_size_cell(row: ThroughputRow, form: PublishedForm) -> Lines:
    """`80003 [+0%]`, and under it the published size, to the digits that were printed."""
    if not row.here.size_bytes:
        return (NOTHING,)
    first = f"{row.here.size_bytes:.0f} [{size_percent(int(row.here.size_bytes), form.scenario.data_size_bytes):+d}%]"
    published = row.published.size_bytes
    return (first,) if published is None else (first, f"published {count(published)}")


def ns_cell(row: ThroughputRow) -> Lines:
    """`0.213 [0.21 – 0.22]` and its marks, and under it what follows from the published size and throughput."""
    if (timing := row.timing) is None or row.here.ns_a_value is None:
        return ("error",)
    scale = row.here.ns_a_value / timing.median_ms
    spread = f" [{significant(timing.min_ms * scale)} – {significant(timing.max_ms * scale)}]"
    first = f"{significant(row.here.ns_a_value)}{spread if timing.rounds > 1 else ''}{marks(timing)}"
    return (
        (first,) if row.published.ns_a_value is None else (first, f"published {significant(row.published.ns_a_value)}")
    )


def throughput_relative_cell(row: ThroughputRow) -> Lines:
    """`1.34 [1.31–1.37]`, and under it the published one."""
    if row.relative is None:
        return (NOTHING,)
    first = f"{significant(row.relative.point)} {bounds(row.relative)}".rstrip()
    return (first,) if row.relative_published is None else (first, f"published {significant(row.relative_published)}")


def share_cell(row: ThroughputRow) -> Lines:
    """`73 %` of the speed of the control that is the limit."""
    return (NOTHING,) if row.share_of_limit is None else (percent(row.share_of_limit.point),)


def under_throughput(sections: Sequence[ThroughputSection], form: PublishedForm, run: Run) -> tuple[str, ...]:
    """All that stands under a table of throughput."""
    scenario = form.scenario
    shape = scenario.published.throughput or ThroughputForm()
    rows = [(section, row) for section in sections for row in section.rows if row.timing]
    n = scenario.published.timed_repetitions
    loops = {row.timing.repetitions for _, row in rows if row.timing}
    value = f"over its {count(scenario.values)} values" if scenario.values > 1 else "of a whole message"
    limit = (
        f" {shape.limit}: what share of that control's speed a codec has, at the same data in the same rounds."
        if shape.limit
        else ""
    )
    source = (
        f"Published: {scenario.source}; it says nothing of its machine, so compare the order and the relative column."
        if scenario.published.table
        else "No publication has this table."
    )
    bearers = [(f"{row.codec} {heading(section.operation)}", row.timing) for section, row in rows if row.timing]
    done = notes.span(loops) if loops else count(n)
    return (
        f"GB/s: 10^9 encoded bytes a second, as published, so that a codec that writes more bytes shows more. ns: the "
        f"time {value}, which is comparable.",
        f"Median [min – max] of {plural(form.rounds_whole, 'round')}; loops of {done} repetitions (published: "
        f"{count(n)}), each in a process of its own; profile {run.plan.profile}, seed {run.plan.seed}. "
        f"{notes.machine(run)}, {run.created[:10]}.",
        f"Relative: median of per-round ratios of the times [95 % interval]. A rank with = is shared: that interval, "
        f"to the first of the rank, holds 1.{limit}",
        source,
        notes.noise(form),
        *(note for footnote in notes.FOOTNOTES for note in notes.explained(footnote, bearers)),
        *notes.failed(form),
    )
