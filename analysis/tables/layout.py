"""A table as text, the same for terminal and Markdown."""

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from analysis.base.text import bounds, ms, significant
from analysis.statistics.estimates import Estimate
from analysis.tables.footnotes import marks
from analysis.tables.timings import Timing
from bench.model.plan import Profile
from bench.model.record import Run

NOTHING = "–"
MEANINGLESS = "QUICK: these numbers mean nothing"
CONTROLS = "controls: no serialization"

Lines = tuple[str, ...]
"""The lines of one cell; the second explains the first."""


class Column(Struct, frozen=True):
    """A column with its heading."""

    heading: Lines
    right: bool = True


class Section(Struct, frozen=True):
    """A group of rows, with a name if it has one."""

    rows: tuple[tuple[Lines, ...], ...]
    name: str | None = None


class Grid(Struct, frozen=True):
    """A table as text, with what its reader must know first (`warnings`) and the explanations below it (`notes`)."""

    title: str
    columns: tuple[Column, ...]
    sections: tuple[Section, ...]
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def titled(text: str, run: Run) -> str:
    """A title; it says where a run's numbers mean nothing, and where it has no times."""
    said = {Profile.QUICK: MEANINGLESS, Profile.UNTIMED: "not timed"}.get(run.plan.profile)
    return f"{text} – {said}" if said else text


def without_times(runs: Iterable[Run]) -> list[str]:
    """A sentence for each run whose times mean nothing, or that has none."""
    said = {Profile.QUICK: "is a quick run: its numbers mean nothing.", Profile.UNTIMED: "is untimed: it has no times."}
    return [f"{run.id} {said[run.plan.profile]}" for run in runs if run.plan.profile in said]


def without_empty_columns(grid: Grid) -> Grid:
    """A table without the columns that have nothing in any row."""
    rows = [row for section in grid.sections for row in section.rows]
    held = [index for index in range(len(grid.columns)) if any(row[index] != (NOTHING,) for row in rows)]
    sections = tuple(
        replace(section, rows=tuple(tuple(row[index] for index in held) for row in section.rows))
        for section in grid.sections
    )
    return replace(grid, columns=tuple(grid.columns[index] for index in held), sections=sections)


def over_published(here: float | None, published: float | None) -> Lines:
    """A number, and the published one under it."""
    first = NOTHING if here is None else significant(here, 4)
    return (first,) if published is None or here is None else (first, f"published {significant(published, 4)}")


def ratio_lines(here: Estimate | None, published: float | None) -> Lines:
    """`1.34 [1.31–1.37]`, and under it the published ratio."""
    if here is None:
        return (NOTHING,)
    first = f"{significant(here.point)} {bounds(here)}".rstrip()
    return (first,) if published is None else (first, f"published {significant(published)}")


def timing_lines(timing: Timing, *, digits: int | None = None) -> Lines:
    """`2.53 [2.06 – 3.01]`, and under it the published median with the ratio measured / published.

    With two decimals, as publications of messages print times, or with `digits` significant digits.
    """
    middle = timing.median_ms
    known = [ms(middle), ms(timing.min_ms, middle), ms(timing.max_ms, middle)]
    if digits is not None:
        known = [significant(middle, digits), significant(timing.min_ms), significant(timing.max_ms)]
    spread = f" [{known[1]} – {known[2]}]" if timing.rounds > 1 else ""
    first = f"{known[0]}{spread}{marks(timing)}"
    if timing.published_ms is None:
        return (first,)
    published = ms(timing.published_ms) if digits is None else significant(timing.published_ms, digits)
    return first, f"published {published} ×{significant(middle / timing.published_ms)}"
