"""A comparison as text: what terminal and Markdown both show."""

from collections.abc import Sequence

import numpy as np

from analysis.base.text import bounds, plural, significant
from analysis.tables.compare import Change, Comparison
from analysis.tables.layout import NOTHING, Column, Grid, Lines, Section
from bench.model.plan import Profile
from bench.model.record import Run

SHOWN = 20
"""Left-out cells that are named; the others are counted."""


def comparison_grid(found: Comparison, runs: Sequence[Run]) -> Grid:
    """What changed, most first, with what differs between the two sides above it."""
    clear = sum(not change.tie for change in found.changes)
    return Grid(
        title=f"{found.other} against {found.one}: {clear} of {plural(len(found.changes), 'cell')} differ",
        columns=(
            Column(("Cell",), right=False),
            Column(("Ratio", "[95 %]")),
            Column(("",), right=False),
            Column(("First (ns)",)),
            Column(("Second (ns)",)),
            Column(("Bytes",)),
        ),
        sections=(Section(tuple(_row(change) for change in found.changes)),),
        warnings=_warnings(found, runs),
        notes=_notes(found),
    )


def _row(change: Change) -> tuple[Lines, ...]:
    ratio = (f"×{significant(change.ratio.point)}", bounds(change.ratio))
    return (
        (change.cell, change.note) if change.note else (change.cell,),
        ratio if ratio[1] else ratio[:1],
        ("tie" if change.tie else "longer" if change.ratio.point > 1 else "shorter",),
        (significant(change.one_ns, 4),),
        (significant(change.other_ns, 4),),
        (_bytes(change),),
    )


def _bytes(change: Change) -> str:
    if change.one_bytes == change.other_bytes:
        return NOTHING if not change.one_bytes else str(change.one_bytes)
    return f"{change.one_bytes} → {change.other_bytes}"


def _warnings(found: Comparison, runs: Sequence[Run]) -> tuple[str, ...]:
    said = [f"{run.id} is a quick run: its numbers mean nothing." for run in runs if run.plan.profile is Profile.QUICK]
    said += [f"{run.id} is not finished." for run in runs if run.finished is None]
    said += [f"{d.field}: {d.one} → {d.other}; {d.forbids}." for d in found.differences]
    return tuple(said)


def _notes(found: Comparison) -> tuple[str, ...]:
    if found.paired:
        how = "Median of per-round ratios; rounds are paired, so that drift moves both sides alike."
    elif found.by_control:
        how = (
            "The machines differ, so what is compared is each cell's ratio to the copying control of its own run. "
            "Times in ns are shown, but say nothing when held against each other."
        )
    else:
        how = (
            "Ratio of the medians of two runs, which were not measured in the same rounds: what changed on the machine "
            "between them is in every ratio, and the intervals do not know of it. A second pair of runs would."
        )
    same = (
        ()
        if found.paired or any("sha256" in d.field for d in found.differences)
        else ("Every runner is the same binary on both sides: a difference is one of machine or chance, not of code.",)
    )
    middle = np.median([change.ratio.point for change in found.changes])
    shift = f"The middle one of all ratios is ×{significant(float(middle))}"
    if not found.paired:
        shift += "; what moves all cells alike is the machine or its neighbours, not a codec"
    more = len(found.left_out) - SHOWN
    left_out = (*found.left_out[:SHOWN], *((f"and {more} more",) if more > 0 else ()))
    return (
        f"Second over first: above 1 the second takes longer. {how} tie: the interval holds 1.",
        f"{shift}.",
        *same,
        *(f"Left out: {text}." for text in left_out),
    )
