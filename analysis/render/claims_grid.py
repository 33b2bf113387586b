"""The ledger and the rankings as text, the same for terminal and Markdown."""

import textwrap
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from analysis.base.text import bounds, plural, significant
from analysis.claims.ledger_entry import LedgerEntry, for_readers
from analysis.claims.orders import ColumnOrder
from analysis.claims.sentences import with_unit
from analysis.claims.verdicts import Verdict
from analysis.tables.layout import NOTHING, Column, Grid, Lines, Section

WIDTH = 52
"""Characters in a line of prose in a table on the terminal."""


def counted(entries: Iterable[LedgerEntry]) -> list[LedgerEntry]:
    """The claims that a score counts: sizes apart, and each measurement once."""
    return [entry for entry in entries if not entry.exact and entry.same_as is None]


def score(entries: Iterable[LedgerEntry]) -> str:
    """`162 claims: 26 reproduced, …; sizes: 27 of 31 as published, 4 refuted`."""
    held = list(entries)
    claims = counted(held)
    verdicts = Counter(entry.verdict for entry in claims)
    parts = ", ".join(f"{verdicts[one]} {one}" for one in Verdict)
    return f"{plural(len(claims), 'claim')}: {parts}; sizes: {sizes(held) or 'none'}"


SIZES = "sizes"


def sizes(entries: Iterable[LedgerEntry]) -> str:
    """`30 of 34 as published, 4 refuted`, which counts those not measured too; empty without claims of sizes."""
    verdicts = Counter(entry.verdict for entry in entries if entry.exact and entry.same_as is None)
    if not verdicts:
        return ""
    others = "".join(f", {verdicts[one]} {one}" for one in Verdict if one is not Verdict.REPRODUCED and verdicts[one])
    return f"{verdicts[Verdict.REPRODUCED]} of {verdicts.total()} as published{others}"


def ledger_grid(entries: Sequence[LedgerEntry], titles: Mapping[str, str], *, everything: bool, wrap: bool) -> Grid:
    """The ledger by publication, whose `titles` head its sections; in each refuted and undecided claims come first.

    Without `everything` claims that were not measured are only counted, by reason.
    """
    shown = [entry for entry in entries if everything or not is_absent(entry)]
    width = WIDTH if wrap else None
    sections = [
        Section(tuple(_row(entry, width) for entry in for_readers(group)), titles[source])
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
            Column(("Library", "published → measured"), right=False),
        ),
        sections=tuple(sections),
        notes=(
            *NOTES,
            *(() if everything else (f"{text} --all shows these claims too." for text in unmeasured_words(entries))),
        ),
    )


NOTES = (
    "Factors say how many times less or more, in the direction of the claim: above 1 it holds. Published: from the "
    "medians, with the range that follows from the printed ranges. Measured: with its 95 % interval, over layouts "
    "(links of the runner) or, where one layout was measured, over rounds.",
    "reproduced: the whole interval lies in the claim's band, which is the published range and the claim's tolerance, "
    "or the limits that the claim states, and on the claim's side of 1 by more than the noise floor. same direction: "
    "the interval lies on the claim's side of 1 by more than the floor, and not wholly in the band. refuted: at 99 %, "
    "wholly on the other side of 1 by more than the floor, or outside a stated limit, or, where equality is claimed, "
    "outside its band. undecided: anything else.",
    "The noise floor is what 95 % of differences between identical code stay below; where one layout was measured it "
    "is at least 10 %, since another layout may move a figure by that much.",
    "Sizes are counted, not sampled: one outside its band, or the other way round, is refuted. They have a score of "
    "their own. Claims that rest on the same cells as another one, with the same verdict, say so and are scored once.",
)


def _row(entry: LedgerEntry, width: int | None) -> tuple[Lines, ...]:
    why = f"{entry.why}; of the same cells as {entry.same_as}" if entry.same_as else entry.why
    return (
        (*wrapped(entry.says, width), entry.id),
        _published(entry),
        _measured(entry),
        (entry.verdict.value,),
        wrapped(why, width),
        tuple(versions(entry)) or (NOTHING,),
    )


def versions(entry: LedgerEntry) -> list[str]:
    """`library 1.2.0 → 1.3.1` for each library of the two sides; `?` for a version that is not stated."""
    lines = (f"{one.library} {one.published or '?'} → {one.measured or '?'}" for one in entry.versions)
    return list(dict.fromkeys(lines))


def _published(entry: LedgerEntry) -> Lines:
    if entry.published is None:
        return (NOTHING,)
    lines = [figure(entry.published, entry.unit)]
    if entry.published_low is not None and entry.published_high is not None:
        lines.append(f"[{significant(entry.published_low)}–{significant(entry.published_high)}]")
    limits = [f"{sign} {significant(limit)}" for sign, limit in (("≥", entry.at_least), ("≤", entry.at_most)) if limit]
    if limits:
        lines.append(f"claimed {', '.join(limits)}")
    return tuple(lines)


def _measured(entry: LedgerEntry) -> Lines:
    measured = entry.measured
    if measured is None:
        return (NOTHING,)
    first = figure(measured.point, entry.unit)
    if measured.is_exact:
        return (first,)
    interval = bounds(measured.interval)
    return tuple(filter(None, (first, interval, plural(measured.units, str(measured.kind)[:-1]))))


def figure(value: float, unit: str) -> str:
    """A factor as `×1.49`, anything else with its unit."""
    return f"×{significant(value)}" if unit == "x" else with_unit(value, unit)


def wrapped(text: str, width: int | None) -> Lines:
    """Prose as lines of a cell; a single line if the output wraps it."""
    return tuple(textwrap.wrap(text, width)) if width else (text,)


def is_absent(entry: LedgerEntry) -> bool:
    """Whether no run tells anything of a claim."""
    return entry.verdict is Verdict.NOT_MEASURED and entry.measured is None


REASONS = 8
"""So many reasons are named; the others are counted."""


def unmeasured_words(entries: Iterable[LedgerEntry]) -> tuple[str, ...]:
    """Why claims were not measured, the most frequent reason first; empty if all were."""
    missing = Counter(entry.why.partition(";")[0] for entry in entries if is_absent(entry))
    if not missing:
        return ()
    reasons = ", ".join(f"{reason} ({number})" for reason, number in missing.most_common(REASONS))
    others = sum(missing.values()) - sum(number for _, number in missing.most_common(REASONS))
    more = f", other reasons ({others})" if others else ""
    return (f"Not measured: {reasons}{more}.",)


def rankings_grid(rankings: Sequence[ColumnOrder], *, everything: bool) -> Grid:
    """The order of the published tables compared with the measured order."""
    shown = [one for one in rankings if everything or one.run]
    rows = tuple(_ranking_row(one) for one in shown)
    missing = [one for one in rankings if not one.run]
    whys = Counter(one.why for one in missing)
    reasons = ", ".join(f"{reason} ({number})" for reason, number in whys.most_common())
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
            "the interval of its ratio lies wholly below 1 by more than the noise floor; else it is tied.",
            *hidden,
        ),
    )


def _ranking_row(one: ColumnOrder) -> tuple[Lines, ...]:
    where = one.table if one.platform == "unstated" else f"{one.table} on {one.platform}"
    swaps = [
        f"{swap.faster} / {swap.slower} ×{significant(swap.measured.point)} {bounds(swap.measured.interval)}"
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
