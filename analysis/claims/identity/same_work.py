"""No verdict may turn on what the lab's program does and the publication's does not, such as a call not inlined.

A publication that builds all codecs into one program, with link-time optimization, can have less to do for a row than a
runner built as Cargo does by default. Times do not tell that from a slow library; instructions do.
"""

from collections.abc import Mapping

import msgspec

from analysis.base.text import significant
from analysis.claims.definitions import Entry, Side
from analysis.claims.measurements import Measurement, UnknownError, series_of
from analysis.claims.verdicts import Verdict
from analysis.data.cells import RunCells
from analysis.sources.own_program import Work
from analysis.sources.publications import Kind


def held_to_the_work(measured: Measurement, entry: Entry, run: RunCells, own: Mapping[Work, float]) -> Measurement:
    """The measurement; not measurable where its factor lies on the other side of 1 for equal instructions.

    `own`: what the publication's program takes. A run without counts, and a row that nobody counted, stay as they are.
    """
    if measured.pair is None or measured.figure is None or measured.verdict is Verdict.UNDECIDED:
        return measured
    if entry.kind is not Kind.TIME or entry.claim.direction == "equal":
        return measured
    one, other = (_more(side, run, own) for side in (measured.pair.one, measured.pair.other))
    if one is None or other is None:
        return measured
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


def _more(side: Side, run: RunCells, own: Mapping[Work, float]) -> float | None:
    """How many times as many instructions the lab's program takes; None where either was not counted."""
    published = own.get(Work(side.scenario, side.value.codec, side.value.operation))
    try:
        counted = series_of(side, run).counted
    except UnknownError:
        return None
    here = counted.instructions_each if counted else None
    return here / published if here and published else None
