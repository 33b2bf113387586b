"""The sentence under a verdict: what was published, what was measured, and what that means. Made of figures alone."""

from analysis.base.text import bounds, count, percent, significant
from analysis.claims.bands import PublishedFigure, band_of, published_band
from analysis.claims.definitions import Entry, Pair
from analysis.claims.ledger_entry import Evidence
from analysis.claims.measurements import Measurement
from analysis.claims.verdicts import Verdict
from analysis.sources.publications import Kind
from analysis.statistics.estimates import Estimate

NEAR = 0.01
"""Sizes that differ by less are told in per cent: as a factor the difference would not show."""


def sentence(entry: Entry, first: Measurement | None, verdict: Verdict, why: str) -> str:
    """`refuted: published 3.20× as fast; here 0.610× [0.580–0.650]: A takes 1.64 times as long as B`.

    `first`: the measurement that decides; None where there is no run. `why`: the ledger's reason, for claims without a
    measured figure.
    """
    if first is None or first.figure is None or verdict is Verdict.NOT_MEASURABLE:
        return f"{verdict}: {why}"
    published = published_band(entry) if first.pair is None else band_of(entry, first.pair)
    here = figure_words(entry, first.figure)
    return f"{verdict}: {published_words(entry, published)}; here {here}{_meaning(entry, first, published, verdict)}"


def published_words(entry: Entry, published: PublishedFigure) -> str:
    """`published 3.20× as fast`; before it the limits that the claim itself states, where it does."""
    low, high = entry.claim.at_least, entry.claim.at_most
    limits = ""
    if low is not None and high is not None:
        limits = f"claimed {_number(entry, low)} to {_number(entry, high)}, "
    elif low is not None:
        limits = f"claimed at least {_number(entry, low)}, "
    elif high is not None:
        limits = f"claimed at most {_number(entry, high)}, "
    return f"{limits}published {_number(entry, published.point)}{_phrase(entry)}"


def figure_words(entry: Entry, measured: Estimate) -> str:
    """`0.610× [0.580–0.650]`; a size without an interval."""
    interval = "" if measured.is_exact else bounds(measured.interval)
    return f"{_number(entry, measured.point)}{f' {interval}' if interval else ''}"


def _number(entry: Entry, value: float) -> str:
    """A factor as `3.20×`, anything else with its unit."""
    if is_factor(entry):
        return f"{significant(value)}×"
    return with_unit(value, entry.row.value.unit)


def with_unit(value: float, unit: str) -> str:
    """`61.82 GB/s`; bytes whole: `1,564 B`."""
    return f"{count(value) if unit == 'B' else significant(value, 4)} {unit}"


def is_factor(entry: Entry) -> bool:
    """Whether its figures are factors of two rows."""
    return bool(entry.pairs) and entry.kind is not Kind.MEMORY


def _phrase(entry: Entry) -> str:
    """What a factor counts, in the claim's direction."""
    less = entry.claim.direction == "less"
    if not is_factor(entry):
        return (" less" if less else " more") if entry.pairs else ""
    if entry.kind.is_size:
        return " as small" if less else " as large"
    if entry.kind is Kind.THROUGHPUT:
        return " as slow" if less else " the bytes a second"
    item = " an item" if entry.kind is Kind.TIME_PER_ITEM else ""
    return f" as {'fast' if less else 'long'}{item}"


def _meaning(entry: Entry, first: Measurement, published: PublishedFigure, verdict: Verdict) -> str:
    """What the figure says of the two rows; of an undecided claim, and of a single figure, why it is judged so."""
    measured = first.figure
    assert measured is not None
    if first.pair is None:
        return f": {first.reason}"
    if verdict is Verdict.UNDECIDED:
        names = f" ({_name(first.pair, 0)} against {_name(first.pair, 1)})" if len(entry.pairs) > 1 else ""
        return f"{names}: {first.reason}"
    told = f": {relation(entry, first.pair, measured)}"
    if verdict is Verdict.REPRODUCED:
        return f"{told}, within what the claim allows"
    if verdict is Verdict.SAME_DIRECTION and entry.kind is Kind.MEMORY:
        return f"{told}, {first.reason}"
    if verdict is Verdict.SAME_DIRECTION:
        return f"{told}, {_how_far(measured, published)}"
    return told


def _how_far(measured: Estimate, published: PublishedFigure) -> str:
    """In which way a factor on the claim's side is not the published one."""
    if measured.low > published.high:
        return "more than published"
    if measured.high < published.low:
        return "less than published"
    return "as claimed, but the interval reaches beyond what the claim allows"


def relation(entry: Entry, pair: Pair, measured: Estimate) -> str:
    """`A takes 1.64 times as long as B`: the measured figure of two rows, told so that the number is above 1."""
    one, other, factor = _name(pair, 0), _name(pair, 1), measured.point
    less = entry.claim.direction == "less"
    if entry.kind is Kind.MEMORY:
        direction = "more" if (factor < 0) == less else "less"
        return f"{one} takes {_number(entry, abs(factor))} {direction} than {other}"
    ratio = 1 / factor if less else factor
    """Of the row's time, size or rate over the other's."""
    ahead, behind = (one, other) if ratio >= 1 else (other, one)
    if entry.kind is Kind.THROUGHPUT:
        return f"{ahead} handles {_times(ratio)} times as many bytes a second as {behind}"
    if entry.kind.is_size:
        more = max(ratio, 1 / ratio) - 1
        if 0 < more < NEAR:
            return f"{ahead} takes {percent(more)} more bytes than {behind}"
        return f"{ahead} takes {f'{_times(ratio)} times ' if more else ''}as many bytes as {behind}"
    item = " an item" if entry.kind is Kind.TIME_PER_ITEM else ""
    if ratio >= 1:
        return f"{one} takes {_times(ratio)} times as long{item} as {other}"
    return f"{one} is {_times(ratio)} times as fast{item} as {other}"


def _name(pair: Pair, index: int) -> str:
    """The row's name in the publication; with the scenario where the claim compares a codec with itself."""
    side = (pair.one, pair.other)[index]
    same = pair.one.value.codec == pair.other.value.codec
    return f"{side.value.codec} in {side.scenario}" if same else side.value.codec


def _times(ratio: float) -> str:
    """How many times, at least 1."""
    return significant(max(ratio, 1 / ratio))


def compiler_words(entry: Entry, evidence: Evidence) -> str | None:
    """`depends on the compiler: refuted with zig (0.610× [0.580–0.650]), reproduced with system (3.10× …)`.

    What is undecided with one of them proves no difference, so that is told in other words. None where all agree.
    """
    told = [one for one in evidence.compilers if one.measured is not None]
    if len({one.verdict for one in told}) < 2:
        return None
    parts = [f"{one.verdict} with {one.compiler} ({figure_words(entry, one.measured)})" for one in told if one.measured]
    start = "depends on the compiler" if evidence.depends_on_compiler else "not decided with each compiler"
    return f"{start}: {', '.join(parts)}"
