"""Compares two runs, or two codecs of one run, cell by cell: time of the second over that of the first."""

import math
from collections.abc import Mapping, Sequence

import msgspec
import numpy as np
from msgspec import Struct

from analysis.base import problems as errors
from analysis.base.text import bounds, count, percent, plural, significant
from analysis.data.cells import RunCells, ScenarioCells, Series
from analysis.data.comparable import Difference, differences, other_machine
from analysis.data.floors import floor_of_comparison
from analysis.data.inference import paired_logs, ratio_between_runs, ratio_of, side_of, time_of
from analysis.data.select import build_order, controls_of
from analysis.statistics.estimates import Estimate
from analysis.statistics.intervals import Vector, seed_of
from analysis.statistics.ratios import is_tie, unpaired_ratio_intervals
from analysis.statistics.sides import of_rounds, total
from analysis.tables.layout import NOTHING, Column, Grid, Lines, Section, without_times
from analysis.tables.timings import typical_ns
from bench.model.cells import Cell, Conditions, ControlRole
from bench.model.record import Run

BINARIES = "plan.cells.sha256"
"""The field of a run that says which program a cell's runner is."""
REBUILT = "binary changed"
"""What stands at the rows of codecs whose program differs."""
SHOWN = 20
"""How many left-out cells are named; the others are counted."""


class Change(Struct, frozen=True):
    """One cell on both sides."""

    cell: str
    note: str
    """Conditions in which the two sides differ, `one → other`."""
    one_ns: float
    other_ns: float
    """Figures of one repetition."""
    ratio: Estimate
    """Second over first; where the machines differ, of their ratios to a control."""
    floor: float
    """The noise floor: by which share identical code seems to differ in the scenario, on either side."""
    same_binary: bool
    """Whether both sides ran the same program, so that no difference of layout can hide in the ratio."""
    rebuilt: bool
    """Whether one codec's runner is known to be another binary on the second side."""
    one_bytes: int | None
    other_bytes: int | None

    @property
    def tie(self) -> bool:
        """Whether the ratio does not leave 1 by more than the noise floor."""
        if self.same_binary:
            return self.ratio.low <= 1 + self.floor and self.ratio.high >= 1 / (1 + self.floor)
        return is_tie(self.ratio, self.floor)

    @property
    def longer(self) -> bool:
        """Whether it takes longer: the whole interval lies above 1 by more than the noise floor."""
        return not self.tie and self.ratio.point > 1

    def grown_by(self, share: float) -> list[str]:
        """What has clearly grown by more than a share: `time ×1.234`, `bytes 230 → 240`."""
        grown = [f"time ×{self.ratio.point:.3f}"] if self.longer and self.ratio.point > 1 + share else []
        if self.one_bytes and self.other_bytes and self.other_bytes > self.one_bytes * (1 + share):
            grown.append(f"bytes {count(self.one_bytes)} → {count(self.other_bytes)}")
        return grown

    def worse_by(self, share: float) -> bool:
        """Whether it clearly takes longer by more than a share, or encodes to more bytes by more than that share."""
        return bool(self.grown_by(share))


class Comparison(Struct, frozen=True):
    """Two sides, with what may and may not be concluded from them."""

    one: str
    other: str
    paired: bool
    """Whether rounds were paired: only within one run."""
    by_control: bool
    """Whether ratios to a control are compared because the machines differ."""
    changes: tuple[Change, ...]
    """The largest changes come first, ties last."""
    differences: tuple[Difference, ...]
    left_out: tuple[str, ...]
    """Cells that only one side has, or that cannot be compared, with the reason."""
    lost: tuple[str, ...] = ()
    """Those of them that the first run has and of which the second has no figure; of two codecs of a run there are
    none, as each offers what its library can do."""


def compare_runs(one: RunCells, other: RunCells) -> Comparison:
    """Compares two runs. Raises LabError if they have no cell in common."""
    different = differences(one.run, other.run)
    by_control = other_machine(different)
    left, right = _cells(one), _cells(other)
    left_out, lost, changes = [], [], []
    for cell in sorted(left.keys() | right.keys()):
        if cell not in left or cell not in right:
            left_out.append(f"{cell}: only in {one.run.id if cell in left else other.run.id}")
            if cell in left:
                lost.append(left_out[-1])
            continue
        held, others = left[cell], right[cell]
        if held[0].scenario.input.sha256 != others[0].scenario.input.sha256:
            left_out.append(f"{cell}: the two runs have different inputs of this scenario")
        elif not (time_of(held[1]) and time_of(others[1])):
            left_out.append(f"{cell}: too few calm loops in {other.run.id if time_of(held[1]) else one.run.id}")
            if not time_of(others[1]):
                lost.append(left_out[-1])
        elif ratio := _by_control(held, others) if by_control else ratio_between_runs(others[1], held[1]):
            changes.append(_between_runs(str(cell), held, others, ratio))
        else:
            left_out.append(f"{cell}: no copying control that both runs measured")
    if not changes:
        raise errors.nothing_in_common(
            "cell", one.run.id, other.run.id, "; ".join(left_out[:3]) or "Neither holds a value."
        )
    return Comparison(
        one=one.run.id,
        other=other.run.id,
        paired=False,
        by_control=by_control,
        changes=_ordered(changes),
        differences=different,
        left_out=tuple(left_out),
        lost=tuple(lost),
    )


def compare_codecs(run: RunCells, one: str, other: str) -> Comparison:
    """Compares two codecs of a run, paired by round. Raises LabError if one is missing or they share no cell."""
    cells = _cells(run)
    held = sorted({cell.codec for cell in cells})
    for codec in (one, other):
        if codec not in held:
            raise errors.unknown_codec(codec, held)
    left, right = _by_work(cells, one), _by_work(cells, other)
    left_out, changes = [], []
    for work in sorted(left.keys() | right.keys()):
        if work not in left or work not in right:
            left_out.append(f"{' '.join(work)}: only of {one if work in left else other}")
            continue
        if (ratio := ratio_of(right[work], left[work])) is None:
            left_out.append(f"{' '.join(work)}: no common round, or too few calm loops")
            continue
        floor = floor_of_comparison(cells[left[work].cell][0], one, other)
        changes.append(_change(" ".join(filter(None, work)), (left[work], right[work]), ratio, floor))
    if not changes:
        raise errors.nothing_in_common("cell", one, other, "`./lab table` shows what each of them has.")
    return Comparison(
        one=one,
        other=other,
        paired=True,
        by_control=False,
        changes=_ordered(changes),
        differences=(),
        left_out=tuple(left_out),
    )


def _cells(run: RunCells) -> dict[Cell, tuple[ScenarioCells, Series]]:
    return {
        cell: (scenario, series)
        for scenario in run.scenarios
        for (cell, twin), series in scenario.series.items()
        if not twin and series.measured
    }


OWN = ("api", "validation")
"""Conditions that belong to the codec: two codecs are compared although these differ, and the row says so."""


def _by_work(cells: Mapping[Cell, tuple[ScenarioCells, Series]], codec: str) -> dict[tuple[str, str, str], Series]:
    """(Scenario, operation, conditions) → the codec's first cell that does that work, whatever its own conditions."""
    result: dict[tuple[str, str, str], Series] = {}
    own = [series for cell, (_, series) in cells.items() if cell.codec == codec]
    for series in sorted(own, key=build_order):
        cell = series.cell
        result.setdefault((cell.scenario, cell.operation.value, str(_without_own(cell.conditions))), series)
    return result


def _without_own(conditions: Conditions) -> Conditions:
    return msgspec.structs.replace(conditions, **dict.fromkeys(OWN))


def _note(one: Conditions, other: Conditions) -> str:
    pairs = [(name, getattr(one, name), getattr(other, name)) for name in OWN]
    return ", ".join(f"{name}={a} → {b}" for name, a, b in pairs if a != b)


Held = tuple[ScenarioCells, Series]
"""A cell of a run, with its scenario."""


def _by_control(held: Held, others: Held) -> Estimate | None:
    """Ratio of two cells of different machines, each relative to the copying control that both machines measured."""
    cell = held[1].cell
    ours, theirs = (controls_of(one, cell.codec, cell.operation, ControlRole.COPY) for one, _ in (held, others))
    for name in ours:
        if name in theirs and (ratio := _ratio_of_ratios((held[1], ours[name]), (others[1], theirs[name]))):
            return ratio
    return None


def _ratio_of_ratios(one: tuple[Series, Series], other: tuple[Series, Series]) -> Estimate | None:
    """The second cell in units of its control, over the first in units of its own."""
    if not any(series.canaried for series in (*one, *other)):
        ours, theirs = _in_units_of(*one), _in_units_of(*other)
        if not len(ours) or not len(theirs):
            return None
        intervals = unpaired_ratio_intervals(theirs, ours, seed_of(str(one[0].cell)))
        return of_rounds(intervals, min(len(ours), len(theirs)))
    weighted = zip((1.0, -1.0, -1.0, 1.0), map(side_of, (*other, *one)), strict=True)
    terms = [(weight, side) for weight, side in weighted if side is not None]
    return total(terms) if len(terms) == 4 else None


def _in_units_of(series: Series, control: Series) -> Vector:
    return np.asarray(np.exp(paired_logs(series, control)), dtype=np.float64)


def _between_runs(cell: str, held: Held, others: Held, ratio: Estimate) -> Change:
    floor = max(floor_of_comparison(cells, series.cell.codec) for cells, series in (held, others))
    return _change(cell, (held[1], others[1]), ratio, floor)


def _change(cell: str, sides: tuple[Series, Series], ratio: Estimate, floor: float) -> Change:
    one, other = sides
    binaries = [series.planned.sha256 for series in sides]
    return Change(
        cell=cell,
        note=_note(one.cell.conditions, other.cell.conditions),
        one_ns=typical_ns(one),
        other_ns=typical_ns(other),
        ratio=ratio,
        floor=floor,
        same_binary=one.cell.codec == other.cell.codec and None not in binaries and len(set(binaries)) == 1,
        rebuilt=one.cell.codec == other.cell.codec and None not in binaries and len(set(binaries)) == 2,
        one_bytes=one.encoded_bytes,
        other_bytes=other.encoded_bytes,
    )


def _ordered(changes: list[Change]) -> tuple[Change, ...]:
    return tuple(sorted(changes, key=lambda one: (one.tie, -abs(math.log(one.ratio.point)), one.cell)))


# as text


def comparison_grid(comparison: Comparison, runs: Sequence[Run]) -> Grid:
    """The changes, largest first, below the differences between the two sides."""
    clear, cells = sum(not change.tie for change in comparison.changes), plural(len(comparison.changes), "cell")
    return Grid(
        title=f"{comparison.other} against {comparison.one}: {clear} of {cells} differ",
        columns=(
            Column(("Cell",), right=False),
            Column(("Ratio", "[95 %]")),
            Column(("",), right=False),
            Column(("First (ns)",)),
            Column(("Second (ns)",)),
            Column(("Bytes",)),
        ),
        sections=(Section(tuple(_row(change) for change in comparison.changes)),),
        warnings=_warnings(comparison, runs),
        notes=_notes(comparison),
    )


def _row(change: Change) -> tuple[Lines, ...]:
    ratio = (f"×{significant(change.ratio.point)}", bounds(change.ratio))
    notes = [change.note, REBUILT if change.rebuilt else ""]
    return (
        (change.cell, *filter(None, notes)),
        ratio if ratio[1] else ratio[:1],
        ("tie" if change.tie else "longer" if change.longer else "shorter",),
        (significant(change.one_ns, 4),),
        (significant(change.other_ns, 4),),
        (_bytes(change),),
    )


def _bytes(change: Change) -> str:
    one, other = (count(size) if size else NOTHING for size in (change.one_bytes, change.other_bytes))
    return one if one == other else f"{one} → {other}"


def _warnings(comparison: Comparison, runs: Sequence[Run]) -> tuple[str, ...]:
    warnings = without_times(runs)
    warnings += [f"{run.id} is not finished." for run in runs if run.finished is None]
    at_rows = {BINARIES} if any(change.rebuilt for change in comparison.changes) else set()
    warnings += [
        f"{d.field}: {d.one} → {d.other}; {d.forbids}." for d in comparison.differences if d.field not in at_rows
    ]
    return tuple(warnings)


def _notes(comparison: Comparison) -> tuple[str, ...]:
    if comparison.paired:
        how = "Both codecs were measured in the same rounds, in a drawn order, so that drift moves both sides alike."
    elif comparison.by_control:
        how = (
            "The machines differ, so each cell's ratio to the copying control of its own run is compared. "
            "Times in ns are shown, but must not be compared."
        )
    else:
        how = (
            "Ratio of the figures of two runs, which were not measured in the same rounds: whatever changed on the "
            "machine between them is in every ratio, but not in the intervals. A second pair of runs would show it. "
            "Where both runs have the same canaries, times are taken in units of those, so that a step of the core's "
            "clock between the runs does not count; the times in ns are as measured."
        )
    same = (
        ()
        if comparison.paired or not all(change.same_binary for change in comparison.changes)
        else ("Every runner is the same binary on both sides: a difference comes from machine or chance, not code.",)
    )
    if any(change.rebuilt for change in comparison.changes):
        same = (
            f"{REBUILT}: the runner is another program on the second side, so that the row's change may come from "
            "the code, the compiler or the layout.",
        )
    middle = np.median([change.ratio.point for change in comparison.changes])
    shift = f"The median of all ratios is ×{significant(float(middle))}"
    if not comparison.paired:
        shift += "; a change of all cells alike comes from the machine or its neighbours, not from a codec"
    more = len(comparison.left_out) - SHOWN
    left_out = (*comparison.left_out[:SHOWN], *((f"and {more} more",) if more > 0 else ()))
    return (
        f"Second over first: above 1 the second takes longer. {how} tie: the interval does not leave 1 by more "
        f"than the noise floor{_floors(comparison)}; where two programs of one layout each are compared, by 10 %.",
        f"{shift}.",
        *same,
        *(f"Left out: {text}." for text in left_out),
    )


def _floors(comparison: Comparison) -> str:
    floors = [change.floor for change in comparison.changes]
    least, most = percent(min(floors)), percent(max(floors))
    return f", {least}" if least == most else f", {least} to {most} by scenario"
