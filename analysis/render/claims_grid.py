"""The ledger and the rankings as text, the same for terminal and Markdown."""

import textwrap
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from analysis.base.text import bounds, plural, significant
from analysis.claims.ledger import LedgerEntry
from analysis.claims.orders import ColumnOrder
from analysis.claims.verdicts import Verdict
from analysis.tables.layout import NOTHING, Column, Grid, Lines, Section

WIDTH = 52
"""Characters in a line of prose in a table on the terminal."""


def score(entries: Iterable[LedgerEntry]) -> str:
    """`184 claims: 26 reproduced, 1 same direction, …`."""
    counted = Counter(entry.verdict for entry in entries)
    return f"{plural(counted.total(), 'claim')}: {', '.join(f'{counted[one]} {one}' for one in Verdict)}"


def ledger_grid(entries: Sequence[LedgerEntry], titles: Mapping[str, str], *, everything: bool, wrap: bool) -> Grid:
    """The ledger by publication, whose `titles` head its sections.

    Without `everything` claims that were not measured are only counted, by reason.
    """
    shown = [entry for entry in entries if everything or not _is_absent(entry)]
    width = WIDTH if wrap else None
    sections = [
        Section(tuple(_row(entry, width) for entry in group), titles[source])
        for source, group in groupby(shown, key=lambda entry: entry.source)
    ]
    return Grid(
        title=f"Claims ledger, {score(entries)}",
        columns=(
            Column(("Claim",), right=False),
            Column(("Published", "[range]")),
            Column(("Measured", "[95 %]")),
            Column(("Verdict",), right=False),
            Column(("Why",), right=False),
        ),
        sections=tuple(sections),
        notes=(*NOTES, *(() if everything else _unmeasured(entries))),
    )


NOTES = (
    "Factors say how many times less or more, in the direction of the claim: above 1 it holds. Published: from the "
    "medians, with the range that follows from the printed ranges. Measured: median of per-round ratios.",
    "reproduced: the intervals meet, or the factor is within the claim's tolerance. same direction: true, but by "
    "another factor. refuted: the other way round, or a clear difference was published and none measured. Ties follow "
    "from the A/A cells of the run.",
)


def _row(entry: LedgerEntry, width: int | None) -> tuple[Lines, ...]:
    return (
        (*wrapped(entry.says, width), entry.id),
        _published(entry),
        _measured(entry),
        (entry.verdict.value,),
        wrapped(entry.why, width),
    )


def _published(entry: LedgerEntry) -> Lines:
    lines = [figure(entry.published, entry.unit)]
    if entry.published_low is not None and entry.published_high is not None:
        lines.append(f"[{significant(entry.published_low)}–{significant(entry.published_high)}]")
    limits = [f"{sign} {significant(limit)}" for sign, limit in (("≥", entry.at_least), ("≤", entry.at_most)) if limit]
    if limits:
        lines.append(f"claimed {', '.join(limits)}")
    return tuple(lines)


def _measured(entry: LedgerEntry) -> Lines:
    if entry.measured is None:
        return (NOTHING,)
    first = figure(entry.measured.point, entry.unit)
    return (first, bounds(entry.measured)) if bounds(entry.measured) else (first,)


def figure(value: float, unit: str) -> str:
    """A factor as `×1.49`, anything else with its unit; whole bytes whole."""
    if unit == "x":
        return f"×{significant(value)}"
    return f"{value:.0f} B" if unit == "B" else f"{significant(value, 4)} {unit}"


def wrapped(text: str, width: int | None) -> Lines:
    """Prose as lines of a cell; a single line if the output wraps it."""
    return tuple(textwrap.wrap(text, width)) if width else (text,)


def _is_absent(entry: LedgerEntry) -> bool:
    return entry.verdict is Verdict.NOT_MEASURED and entry.measured is None


def _unmeasured(entries: Iterable[LedgerEntry]) -> tuple[str, ...]:
    counted = Counter(entry.why.partition(";")[0] for entry in entries if _is_absent(entry))
    if not counted:
        return ()
    reasons = ", ".join(f"{reason} ({number})" for reason, number in counted.most_common())
    return (f"Not measured: {reasons}. --all shows these claims too.",)


def rankings_grid(rankings: Sequence[ColumnOrder], *, everything: bool) -> Grid:
    """The order of the published tables compared with the measured order."""
    shown = [one for one in rankings if everything or one.run]
    rows = tuple(_ranking_row(one) for one in shown)
    missing = [one for one in rankings if not one.run]
    counted = Counter(one.why for one in missing)
    reasons = ", ".join(f"{reason} ({number})" for reason, number in counted.most_common())
    hidden = (f"Not measured: {plural(len(missing), 'table')}: {reasons}.",) if missing and not everything else ()
    return Grid(
        title="Order of each published table against the order here",
        columns=(
            Column(("Table",), right=False),
            Column(("Operation",), right=False),
            Column(("Rows",)),
            Column(("τ-b",)),
            Column(("Pairs", "tied")),
            Column(("Swapped pairs: published as faster / slower, slower over faster here [95 %]",), right=False),
        ),
        sections=(Section(rows),) if rows else (),
        notes=(
            "τ-b: Kendall's rank correlation with ties; 1 is the same order, −1 the reverse. A pair is swapped where "
            "the interval of its ratio lies wholly below 1; ~ where by no more than a cell of the run differs from "
            "itself.",
            *hidden,
        ),
    )


def _ranking_row(one: ColumnOrder) -> tuple[Lines, ...]:
    where = one.table if one.platform == "unstated" else f"{one.table} on {one.platform}"
    swaps = [
        f"{swap.faster} / {swap.slower} ×{significant(swap.measured.point)} {bounds(swap.measured)}"
        f"{'' if swap.beyond_noise else ' ~'}"
        for swap in one.swaps
    ]
    return (
        (where,),
        (one.operation,),
        (f"{one.compared} of {one.rows}",),
        (NOTHING if one.tau is None else f"{one.tau:.2f}",),
        (f"{one.tied} of {one.pairs}",),
        tuple(swaps) or ("none" if one.run else one.why,),
    )
