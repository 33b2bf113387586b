"""Columns for a row's codec and its rank."""

from analysis.tables.columns.kinds import Entry, column
from analysis.tables.layout import NOTHING, Lines
from analysis.tables.rows import Table

SHARED = (
    "A rank with = is shared: the 95 % interval of the ratio to the first codec of that rank does not leave 1 by more "
    "than the noise floor (with one layout or a lower quartile, than 10 %)."
)


@column("#", legend=lambda _: SHARED, timed=False)
def rank(entry: Entry) -> Lines:
    """The rank, `2=` if it is shared; empty for controls and where there is no figure."""
    row = entry.row
    return (NOTHING,) if row.rank is None else (f"{row.rank}{'=' if row.tied else ''}",)


@column("#", legend=lambda _: SHARED, timed=False)
def rank_or_control(entry: Entry) -> Lines:
    """The rank, or `control`."""
    return ("control",) if entry.row.control else rank(entry)


def codec_heading(table: Table, other: str) -> Lines:
    """The heading, with a second line if rows have published names."""
    return ("Codec", "published as") if table.scenario.published.rows else ("Codec",)


@column(heading=codec_heading, text=True, timed=False)
def codec(entry: Entry) -> Lines:
    """The codec, and under it the name of its published row."""
    row = entry.row
    return (row.codec, f"“{row.published_name}”") if row.published_name else (row.codec,)
