"""A ranking as text: what terminal and Markdown both show."""

from collections.abc import Sequence

from analysis.base.text import bounds, heading, plural, significant
from analysis.tables.layout import NOTHING, Column, Grid, Lines, Section
from analysis.tables.notes import machine
from analysis.tables.rank import RankedCodec, Standing
from bench.model.cells import Operation
from bench.model.plan import Profile
from bench.model.record import Run


def standing_grid(found: Standing, runs: Sequence[Run]) -> Grid:
    """One row a codec, the fastest first, with its ratio in every scenario."""
    filters = f", only {', '.join(found.only)}" if found.only else ""
    return Grid(
        title=f"{heading(Operation(found.operation))} over {plural(len(found.scenarios), 'scenario')}{filters}",
        columns=(
            Column(("#",)),
            Column(("Codec",), right=False),
            Column(("Time", "[95 %]")),
            Column(("Size",)),
            *(Column((name,)) for name in found.scenarios),
        ),
        sections=(Section(tuple(_row(row) for row in found.codecs)),),
        warnings=tuple(
            f"{run.id} is a quick run: its numbers mean nothing." for run in runs if run.plan.profile is Profile.QUICK
        ),
        notes=(
            "Time: geometric mean over the scenarios of the time over that of the first codec, round by round. Size: "
            "the same of encoded bytes. A rank with = is shared: the interval of the ratio to the first of it holds 1.",
            f"Rounds: {', '.join(f'{name} {number}' for name, number in found.rounds.items())}. "
            f"{'; '.join(dict.fromkeys(machine(run) for run in runs))}.",
            *(f"Left out: {text}." for text in found.lacking),
        ),
    )


def _row(row: RankedCodec) -> tuple[Lines, ...]:
    time = (f"×{significant(row.ratio.point)}", bounds(row.ratio))
    return (
        (f"{row.rank}{'=' if row.tied else ''}",),
        (row.codec,),
        time if time[1] else time[:1],
        (NOTHING if row.size is None else f"×{significant(row.size)}",),
        *((f"×{significant(ratio)}",) for ratio in row.scenarios.values()),
    )
