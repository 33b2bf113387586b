"""No verdict may turn on what the lab's program does and the publication's does not, such as a call not inlined.

A publication that builds all codecs into one program, with link-time optimization, can have less to do for a row than a
runner built as Cargo does by default. Times do not tell that from a slow library; instructions do.
"""

import math
from collections.abc import Mapping, Sequence

import msgspec

from analysis.base.text import significant
from analysis.claims.definitions import Entry, Side
from analysis.claims.measurements import Measurement, UnknownError, cell_of
from analysis.claims.verdicts import Verdict
from analysis.data.cells import RunCells
from analysis.sources.own_program import Work
from analysis.sources.publications import Kind

MOST_TURNED = 20.0
"""A factor that different work does not explain. In rows that were counted on both sides the lab's programs take 0.8 to
11.6 times the instructions of the publication's, so that a ratio of two is turned by 15 at most."""


def held_to_the_work(
    measured: Measurement, entry: Entry, runs: Sequence[RunCells], own: Mapping[Work, float]
) -> Measurement:
    """The measurement; not measurable where its factor lies on the other side of 1 for equal instructions.

    `own`: what the publication's program takes. Instructions are no matter of a machine, and programs change little
    from commit to commit: those of the first of the runs that counted both rows tell, of its own if it has them. Rows
    that the publication's program was not counted for stay as they are; where the lab's were not counted, a factor
    below `MOST_TURNED` decides nothing.
    """
    if measured.pair is None or measured.figure is None or measured.verdict is Verdict.UNDECIDED:
        return measured
    if entry.kind is not Kind.TIME or entry.claim.direction == "equal":
        return measured
    sides = (measured.pair.one, measured.pair.other)
    published = [own.get(Work(side.scenario, side.value.codec, side.value.operation)) for side in sides]
    if not all(published):
        return measured
    here = counted_of(sides, runs)
    if here is None:
        if abs(math.log(measured.figure.point)) > math.log(MOST_TURNED):
            return measured
        why = (
            "the publication's program was counted and the lab's was not: `./lab count --into RUN` tells whether both "
            "do the same work"
        )
        return msgspec.structs.replace(measured, verdict=Verdict.UNDECIDED, why=why, need=None, reason=why)
    one, other = (lab / program for lab, program in zip(here, published, strict=True) if program)
    equal_work = measured.figure.point * (one / other if entry.claim.direction == "less" else other / one)
    if (measured.figure.point > 1) == (equal_work > 1):
        return measured
    more = " and ".join(
        f"{significant(times)} times for {side.value.codec}"
        for side, times in ((measured.pair.one, one), (measured.pair.other, other))
    )
    why = (
        f"here {significant(measured.figure.point)}×, but the programs differ: the lab's take the instructions of the "
        f"publication's {more}; with equal ones it would be {significant(equal_work)}×"
    )
    return msgspec.structs.replace(measured, verdict=Verdict.NOT_MEASURABLE, why=why, need=None, reason=why)


def counted_of(sides: Sequence[Side], runs: Sequence[RunCells]) -> tuple[float, ...] | None:
    """The instructions of the lab's programs in the first run that counted all of them; None where none did."""
    for run in runs:
        try:
            counts = [cell_of(side, run).counted for side in sides]
        except UnknownError:
            continue
        each = tuple(one.instructions_each for one in counts if one and one.instructions_each)
        if len(each) == len(sides):
            return each
    return None
