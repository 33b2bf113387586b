"""Compares two runs, or two codecs of one run, cell by cell: time of the second over that of the first."""

import math
from collections.abc import Mapping, Sequence

import msgspec
import numpy as np
from msgspec import Struct

from analysis.base import problems as errors
from analysis.base.text import bounds, plural, significant
from analysis.data.cells import RunCells, ScenarioCells, Series, paired, ratio_of
from analysis.data.comparable import Difference, differences, other_machine
from analysis.data.select import build_order, controls_of
from analysis.statistics.intervals import Interval, Vector, median, seed_of
from analysis.statistics.ratios import is_tie, log_ratios, unpaired_ratio_interval
from analysis.tables.layout import NOTHING, Column, Grid, Lines, Section
from bench.model.cells import Cell, Conditions
from bench.model.description import ControlRole
from bench.model.plan import Profile
from bench.model.record import Run

SHOWN = 20
"""How many left-out cells are named; the others are counted."""


class Change(Struct, frozen=True):
    """One cell on both sides."""

    cell: str
    note: str
    """Conditions in which the two sides differ, `one → other`."""
    one_ns: float
    other_ns: float
    """Medians of one repetition."""
    ratio: Interval
    """Second over first; where the machines differ, of their ratios to a control."""
    one_bytes: int | None
    other_bytes: int | None

    @property
    def tie(self) -> bool:
        """Whether the interval contains 1."""
        return is_tie(self.ratio)

    def worse_by(self, share: float) -> bool:
        """Whether it clearly takes longer by more than a share, or encodes to more bytes by more than that share."""
        longer = self.ratio.low > 1 and self.ratio.point > 1 + share
        return longer or bool(self.one_bytes and self.other_bytes and self.other_bytes > self.one_bytes * (1 + share))


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


def compare_runs(one: RunCells, other: RunCells) -> Comparison:
    """Compares two runs. Raises LabError if they have no cell in common."""
    different = differences(one.run, other.run)
    by_control = other_machine(different)
    left, right = _cells(one), _cells(other)
    left_out, changes = [], []
    for cell in sorted(left.keys() | right.keys()):
        if cell not in left or cell not in right:
            left_out.append(f"{cell}: only in {one.run.id if cell in left else other.run.id}")
            continue
        (cells, series), (their_cells, theirs) = left[cell], right[cell]
        if cells.scenario.input.sha256 != their_cells.scenario.input.sha256:
            left_out.append(f"{cell}: the two runs have different inputs of this scenario")
            continue
        if by_control:
            ratio = _by_control(cells, series, their_cells, theirs)
            if ratio is None:
                left_out.append(f"{cell}: no copying control that both runs measured")
                continue
        else:
            ratio = unpaired_ratio_interval(theirs.repetition_ns, series.repetition_ns, seed_of(str(cell)))
        changes.append(_change(str(cell), "", series, theirs, ratio))
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
            left_out.append(f"{' '.join(work)}: no common round")
            continue
        note = _note(left[work].cell.conditions, right[work].cell.conditions)
        changes.append(_change(" ".join(filter(None, work)), note, left[work], right[work], ratio))
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


def _by_control(cells: ScenarioCells, series: Series, their_cells: ScenarioCells, theirs: Series) -> Interval | None:
    """Ratio of two cells of different machines, each relative to the copying control that both machines measured."""
    cell = series.cell
    ours, others = (controls_of(one, cell.codec, cell.operation, ControlRole.COPY) for one in (cells, their_cells))
    for name in ours:
        if name in others:
            one, other = _in_units_of(series, ours[name]), _in_units_of(theirs, others[name])
            if len(one) and len(other):
                return unpaired_ratio_interval(other, one, seed_of(str(cell)))
    return None


def _in_units_of(series: Series, control: Series) -> Vector:
    return np.asarray(np.exp(log_ratios(*paired(series, control))), dtype=np.float64)


def _change(cell: str, note: str, one: Series, other: Series, ratio: Interval) -> Change:
    medians = [median(series.repetition_ns) for series in (one, other)]
    return Change(
        cell=cell,
        note=note,
        one_ns=medians[0],
        other_ns=medians[1],
        ratio=ratio,
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


def _warnings(comparison: Comparison, runs: Sequence[Run]) -> tuple[str, ...]:
    warnings = [
        f"{run.id} is a quick run: its numbers mean nothing." for run in runs if run.plan.profile is Profile.QUICK
    ]
    warnings += [f"{run.id} is not finished." for run in runs if run.finished is None]
    warnings += [f"{d.field}: {d.one} → {d.other}; {d.forbids}." for d in comparison.differences]
    return tuple(warnings)


def _notes(comparison: Comparison) -> tuple[str, ...]:
    if comparison.paired:
        how = "Median of per-round ratios; rounds are paired, so that drift moves both sides alike."
    elif comparison.by_control:
        how = (
            "The machines differ, so each cell's ratio to the copying control of its own run is compared. "
            "Times in ns are shown, but must not be compared."
        )
    else:
        how = (
            "Ratio of the medians of two runs, which were not measured in the same rounds: whatever changed on the "
            "machine between them is in every ratio, but not in the intervals. A second pair of runs would show it."
        )
    same = (
        ()
        if comparison.paired or any("sha256" in d.field for d in comparison.differences)
        else ("Every runner is the same binary on both sides: a difference comes from machine or chance, not code.",)
    )
    middle = np.median([change.ratio.point for change in comparison.changes])
    shift = f"The median of all ratios is ×{significant(float(middle))}"
    if not comparison.paired:
        shift += "; a change of all cells alike comes from the machine or its neighbours, not from a codec"
    more = len(comparison.left_out) - SHOWN
    left_out = (*comparison.left_out[:SHOWN], *((f"and {more} more",) if more > 0 else ()))
    return (
        f"Second over first: above 1 the second takes longer. {how} tie: the interval contains 1.",
        f"{shift}.",
        *same,
        *(f"Left out: {text}." for text in left_out),
    )
