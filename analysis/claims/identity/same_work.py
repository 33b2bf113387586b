"""No verdict may turn on what the lab's program does and the publication's does not, such as a call not inlined.

A publication that builds all codecs into one program, with link-time optimization, can have less to do for a row than a
runner built as Cargo does by default. Times do not tell that from a slow library; instructions do.
"""

import math
from collections.abc import Mapping, Sequence

import msgspec

from analysis.base.text import significant
from analysis.claims.bands import band_of
from analysis.claims.definitions import Entry, Side
from analysis.claims.measurements import Measurement, UnknownError, planned_of
from analysis.claims.verdicts import Verdict
from analysis.data.cells import RunCells
from analysis.sources.own_program import Work
from analysis.sources.publications import Kind

MOST_TURNED = 20.0
"""A factor that different work does not explain. In rows that were counted on both sides the lab's programs take 0.29
to 5.8 times the instructions of the publication's, so that a ratio of two is turned by less (results/same-work.md)."""
OF_TIME = (Kind.TIME, Kind.TIME_PER_ITEM, Kind.THROUGHPUT)
"""What follows from the time of a loop, and so from the work in it."""

PROGRAMS_DIFFER = "the programs differ"
"""What a reason says where instructions decide that a claim is undecided."""


def held_to_the_work(
    measured: Measurement, entry: Entry, runs: Sequence[RunCells], own: Mapping[Work, float]
) -> Measurement:
    """The measurement; not measurable where its factor lies on the other side of 1 for equal instructions.

    `own`: what the publication's program takes. Instructions are no matter of a machine, and programs change little
    from commit to commit: those of the first of the runs that counted both rows tell, of its own if it has them. Rows
    that the publication's program was not counted for stay as they are; where the lab's were not counted, a factor
    below `MOST_TURNED` decides nothing. What is undecided stays so, and more layouts or rounds are not said to decide
    what the work would leave open.
    """
    if measured.pair is None or measured.figure is None:
        return measured
    if entry.kind not in OF_TIME or entry.claim.direction == "equal":
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
    faster = (entry.claim.direction == "less") is not (entry.kind is Kind.THROUGHPUT)
    equal_work = measured.figure.point * (one / other if faster else other / one)
    if (measured.figure.point > 1) == (equal_work > 1):
        return measured
    more = " and ".join(
        f"{significant(times)} times for {side.value.codec}"
        for side, times in ((measured.pair.one, one), (measured.pair.other, other))
    )
    why = (
        f"here {significant(measured.figure.point)}×, but {PROGRAMS_DIFFER}: the lab's take the instructions of the "
        f"publication's {more}; with equal ones it would be {significant(equal_work)}×"
    )
    verdict = measured.verdict if measured.verdict is Verdict.UNDECIDED else Verdict.NOT_MEASURABLE
    return msgspec.structs.replace(measured, verdict=verdict, why=why, need=None, reason=why)


def beyond_the_margin(measured: Measurement, entry: Entry, margin: float) -> Measurement:
    """The measurement; undecided where its factor is nearer to 1, or to the band of an equality, than the two programs'
    work may differ.

    `margin`: the factor by which instructions of rows differed where both programs were counted and nobody knows why.
    """
    if measured.pair is None or measured.figure is None or entry.kind not in OF_TIME:
        return measured
    equal = entry.claim.direction == "equal"
    band = band_of(entry, measured.pair)
    edges, of = ((band.low, band.high), "the edge of the published band") if equal else ((1.0,), "1")
    if min(abs(math.log(measured.figure.point / edge)) for edge in edges) >= math.log(margin):
        return measured
    why = (
        f"nearer to {of} than {significant(margin)} times, by which the publication's program and the lab's differ in "
        "instructions, for unknown reasons"
    )
    return msgspec.structs.replace(measured, verdict=Verdict.UNDECIDED, why=why, need=None, reason=why)


def counted_of(sides: Sequence[Side], runs: Sequence[RunCells]) -> tuple[float, ...] | None:
    """The instructions of the lab's programs in the first run that counted all of them; None where none did."""
    for run in runs:
        try:
            chosen = [planned_of(side, run) for side in sides]
        except UnknownError:
            continue
        counts = [one.counted for one in chosen if one is not None]
        each = tuple(one.instructions_each for one in counts if one and one.instructions_each)
        if len(each) == len(sides):
            return each
    return None
