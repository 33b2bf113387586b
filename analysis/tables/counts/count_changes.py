"""Compares two sets of counts, cell by cell: instructions of the second over those of the first."""

import math
from collections.abc import Mapping

from msgspec import Struct

from analysis.base import problems as errors
from analysis.base.text import count, plural
from analysis.tables.layout import NOTHING, Column, Grid, Lines, Section
from bench.model.counts import Counted, Counts, Key

SHOWN = 20
"""How many left-out cells are named; the others are counted."""
MACHINE = {
    "libc": "the C library",
    "valgrind": "valgrind",
    "features": "what the C library finds of the CPU",
    "tunables": "masked features",
}
"""Parts of the key that belong to the machine, in words."""


class CountChange(Struct, frozen=True):
    """One cell on both sides; figures are of one repetition."""

    cell: str
    one: float
    other: float
    """Instructions."""
    ratio: float
    """Second over first."""
    certain: bool
    """Whether the two differ for certain: where a cell draws randomness, their ranges do not overlap."""
    mispredictions: tuple[float | None, float | None]
    allocations: tuple[int | None, int | None]
    encoded_bytes: tuple[int | None, int | None]

    def grown_by(self, share: float) -> list[str]:
        """Of what the second has more, by more than a share: `instructions 1,000 → 1,100`."""
        grown = []
        if self.certain and self.other > self.one * (1 + share):
            grown.append(f"instructions {self.one:,.1f} → {self.other:,.1f} (×{self.ratio:.3f})")
        for name, (one, other) in (("allocations", self.allocations), ("bytes", self.encoded_bytes)):
            if one is not None and other is not None and other > one * (1 + share):
                grown.append(f"{name} {count(one)} → {count(other)}")
        return grown

    def worse_by(self, share: float) -> bool:
        """Whether the second has more instructions, allocations or bytes by more than a share."""
        return bool(self.grown_by(share))


class CountComparison(Struct, frozen=True):
    """Two sets of counts."""

    one: str
    other: str
    changes: tuple[CountChange, ...]
    """The largest changes come first."""
    same_runners: int
    """Cells of which both sides counted the same binary."""
    differences: tuple[str, ...]
    """Parts of the key, beside the runner, in which the sides differ."""
    left_out: tuple[str, ...]
    """Cells that only one side has, or that cannot be compared, with the reason."""
    lost: tuple[str, ...]
    """Those of them that the first side has and of which the second has no instructions."""


Side = tuple[Counts, Mapping[str, Counted]]
"""What was counted, and the counts by cell."""


def compare_counts(one: Side, other: Side) -> CountComparison:
    """Compares two sets of counts. Raises LabError if no cell was counted in both."""
    (first, left), (second, right) = one, other
    left_out, lost, changes, different, same = [], [], [], set[str](), 0
    for cell in sorted(left.keys() | right.keys()):
        a, b = left.get(cell), right.get(cell)
        if a is None or b is None:
            reason = f"only in {second.id if a is None else first.id}"
        elif a.instructions_each is None or b.instructions_each is None or a.key is None or b.key is None:
            reason = b.unavailable or a.unavailable or "not counted"
        elif a.input_sha256 and b.input_sha256 and a.input_sha256 != b.input_sha256:
            reason = "the two sides have different inputs of this scenario"
        else:
            different |= set(key_differences(a.key, b.key))
            same += a.key.sha256 == b.key.sha256
            changes.append(change_of(cell, a, b, a.instructions_each, b.instructions_each))
            continue
        left_out.append(f"{cell}: {reason}")
        if a is not None and (b is None or b.instructions_each is None):
            lost.append(left_out[-1])
    if not changes:
        why = "; ".join(left_out[:3]) or "Neither has one."
        raise errors.nothing_in_common("counted cell", first.id, second.id, why)
    return CountComparison(
        one=first.id,
        other=second.id,
        changes=tuple(sorted(changes, key=lambda change: (-abs(_log(change.ratio)), change.cell))),
        same_runners=same,
        differences=tuple(sorted(different)),
        left_out=tuple(left_out),
        lost=tuple(lost),
    )


def change_of(cell: str, one: Counted, other: Counted, before: float, after: float) -> CountChange:
    """A cell of which both sides have instructions."""
    low, high = one.range_each or (before, before)
    other_low, other_high = other.range_each or (after, after)
    return CountChange(
        cell=cell,
        one=before,
        other=after,
        ratio=after / before if before else 1.0 if after == before else math.inf,
        certain=other_low > high or other_high < low,
        mispredictions=(one.mispredictions_each, other.mispredictions_each),
        allocations=(one.allocations, other.allocations),
        encoded_bytes=(one.encoded_bytes, other.encoded_bytes),
    )


def key_differences(one: Key, other: Key) -> list[str]:
    """The parts of two keys that belong to the machine and differ, in words."""
    found = []
    masked = one.tunables != other.tunables  # then the features that are found differ too
    for name, (a, b) in {name: (getattr(one, name), getattr(other, name)) for name in MACHINE}.items():
        if a != b and not (masked and name == "features"):
            shown = (_masked(text) if name == "tunables" else _short(text) for text in (a, b))
            found.append(f"{MACHINE[name]}: {' → '.join(shown)}")
    if one.interpreter != other.interpreter:
        found.append("the interpreter is another one")
    libraries = {one.libraries, other.libraries} - {None}
    if one.sha256 == other.sha256 and len(libraries) > 1:  # another program may be linked with others
        found.append("shared libraries besides the C library are others")
    if one.keys != other.keys:
        found.append("encrypted scenarios have another key pair")
    return found


def _masked(tunables: str) -> str:
    """What GLIBC_TUNABLES masks; the rest of it is the same in every count of one version of the lab."""
    return next((part for part in tunables.split(":") if part.startswith("glibc.cpu.hwcaps=")), "none")


def count_grid(comparison: CountComparison) -> Grid:
    """The changes, largest first."""
    changed = [change for change in comparison.changes if change.certain]
    cells = plural(len(comparison.changes), "cell")
    more = len(comparison.left_out) - SHOWN
    return Grid(
        title=f"Instructions: {comparison.other} against {comparison.one}: {len(changed)} of {cells} differ",
        columns=(
            Column(("Cell",), right=False),
            Column(("Ratio",)),
            Column(("First",)),
            Column(("Second",)),
            Column(("Mispredictions", "(simulated)")),
            Column(("Allocations",)),
            Column(("Bytes",)),
        ),
        sections=(Section(tuple(_row(change) for change in comparison.changes)),),
        warnings=tuple(
            f"{one}; counts depend on it, so that not all of a ratio comes from the runner."
            for one in comparison.differences
        ),
        notes=(
            "Instructions of one repetition in user space, counted under valgrind. Equal binaries on equal systems "
            f"give equal digits, so there are no intervals; {comparison.same_runners} of {cells} have the same binary "
            "on both sides.",
            *(f"Left out: {text}." for text in comparison.left_out[:SHOWN]),
            *((f"Left out: {more} more.",) if more > 0 else ()),
        ),
    )


def _row(change: CountChange) -> tuple[Lines, ...]:
    return (
        (change.cell,),
        ("same" if change.one == change.other else f"×{change.ratio:.4f}" if change.certain else "within its range",),
        (f"{change.one:,.1f}",),
        (f"{change.other:,.1f}",),
        (_pair(change.mispredictions),),
        (_pair(change.allocations),),
        (_pair(change.encoded_bytes),),
    )


def _pair(values: tuple[float | None, float | None]) -> str:
    texts = [NOTHING if v is None else f"{v:,}" if isinstance(v, int) else f"{v:,.1f}" for v in values]
    return texts[0] if texts[0] == texts[1] else " → ".join(texts)


def _short(value: str | None) -> str:
    return (value or "none")[:60]


def _log(ratio: float) -> float:
    return math.log(ratio) if 0 < ratio < math.inf else math.inf
