"""Columns that compare a codec with another one, or with a control."""

from analysis.base.text import percent, short
from analysis.data.inference import ratio_of
from analysis.data.select import limit_of
from analysis.sources.publications import Kind
from analysis.tables.columns.kinds import Entry, column, named
from analysis.tables.layout import NOTHING, Lines, ratio_lines
from analysis.tables.rows import Table


def relative_to_legend(table: Table) -> str:
    """What the ratio is of."""
    reference = table.sections[0].reference
    words = f"Relative to {reference}: ratio of the times [95 % interval]"
    under = "; under it the same ratio of the published medians" if table.figures.values else ""
    return f"{words}{under}." if reference else ""


@column(
    heading=lambda table, other: ("relative to", named(table, table.sections[0].reference)),
    legend=relative_to_legend,
    timed=False,
)
def relative_to(entry: Entry) -> Lines:
    """`1.34 [1.31–1.37]`, and under it the published ratio; the reference, which the heading names, is 1."""
    relative = entry.row.relative
    if relative.here is not None and entry.row.codec == entry.section.reference:
        return ("1",) if relative.published is None else ("1", "published 1")
    return ratio_lines(relative.here, relative.published)


@column("relative", legend=lambda _: "Relative: ratio of the times [95 % interval].", timed=False)
def relative(entry: Entry) -> Lines:
    """The ratio to the reference in the section's name."""
    return ratio_lines(entry.row.relative.here, entry.row.relative.published)


@column(
    heading=lambda table, other: ("times as fast", f"as {named(table, other)}"),
    legend=lambda table: (
        f"Times as fast as {', '.join(table.form.times_as_fast_as)}: ratio of the times [95 % interval]."
    ),
    needs="times_as_fast_as",
)
def times_as_fast(entry: Entry) -> Lines:
    """Another codec's time over this one's, and under it the published ratio."""
    base, own = entry.table.chosen.get(entry.other, {}).get(entry.operation), entry.measures
    here = ratio_of(base, own.series) if base and base.measured and own and own.timing else None
    return ratio_lines(here, entry.published_ratio(Kind.SPEEDUP, entry.other))


def limit_name(table: Table) -> str:
    """The name, without its language, of the control that no codec can be faster than."""
    role = table.form.limit
    series = [one for operations in table.chosen.values() for one in operations.values()]
    return next((short(one.cell.codec) for one in series if role and one.planned.role is role), role or NOTHING)


@column(
    heading=lambda table, other: ("share of", limit_name(table)),
    legend=lambda table: (
        f"{limit_name(table)}: the share of that control's speed that a codec reaches, on the same data and rounds."
    ),
    needs="limit",
)
def share_of_limit(entry: Entry) -> Lines:
    """`73 %` of the speed of the control that is the limit."""
    shown = {row.codec: row.measures.get(entry.operation) for row in entry.section.controls}
    controls = {codec: measures.series for codec, measures in shown.items() if measures}
    limit, own = limit_of(entry.row.codec, controls, entry.table.form.limit), entry.measures
    share = ratio_of(limit, own.series) if limit and limit.measured and own and own.timing else None
    return (NOTHING if share is None else percent(share.point),)
