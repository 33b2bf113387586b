"""Short lists: at most five formats by what matters, with what each costs in words. All figures are of one run."""

import math
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum

from msgspec import Struct

from analysis.base.text import count, duration_ns, percent, plural, significant, size
from analysis.data.cells import ScenarioCells
from analysis.data.floors import UNEVEN_FLOOR, calm_spread, floor_of_comparison
from analysis.tables.choices.choice import Choice, Taken, without_figure
from bench.model.findings import Harm
from bench.statistics.layouts import SINGLE_LAYOUT_MARGIN

LONGEST = 5
NAMED = 3
"""Codecs that are not to be told from the first are named up to this number."""
NEARLY = 1.1
"""Below it a ratio has three digits."""
LANGUAGES = {"rust": "Rust", "cpp": "C++", "python": "Python"}
"""Language → its name; another stands for itself."""


class Goal(StrEnum):
    """What matters."""

    SPEED = "speed"
    SIZE = "size"
    SAFETY = "safety"
    ZERO_COPY = "zero-copy"
    SELF_DESCRIBING = "self-describing"


MEANS: Mapping[Goal, str] = {
    Goal.SPEED: "fastest to write and read",
    Goal.SIZE: "smallest",
    Goal.SAFETY: "fastest of those that validate what they read, with no finding on malformed input",
    Goal.ZERO_COPY: "fastest to read in place",
    Goal.SELF_DESCRIBING: "fastest that needs no schema to read",
}
FILTERS: Mapping[Goal, Callable[[Choice], bool]] = {
    Goal.SAFETY: lambda one: one.safe,
    Goal.ZERO_COPY: lambda one: one.in_place is not None,
    Goal.SELF_DESCRIBING: lambda one: one.self_describing,
}


def order(goal: Goal, one: Choice) -> tuple[float, float, str]:
    """Sort key of a goal: the first is the best; equals by name."""
    if goal is Goal.SIZE:
        return one.size_bytes, one.total_ns, one.codec
    return (one.in_place_ns or 0.0 if goal is Goal.ZERO_COPY else one.total_ns), one.total_ns, one.codec


class Answer(Struct, frozen=True):
    """The short list for a goal, and one sentence that says it."""

    said: str
    codecs: tuple[str, ...]


def answer(cells: ScenarioCells, rows: Sequence[Choice], goal: Goal, missing: Sequence[str] = ()) -> Answer:
    """The best codec of each format, at most five of them; `rows` are those of the chosen language.

    `missing`: codecs of the language that have no figure.
    """
    fits = FILTERS.get(goal)
    fitting = [one for one in rows if fits is None or fits(one)]
    ordered = sorted(fitting, key=lambda one: order(goal, one))
    best: dict[str, Choice] = {}
    for one in ordered:
        best.setdefault(one.format, one)
    listed = tuple(one.codec for one in best.values())[:LONGEST]
    unknown = f" Without a figure, since their loops were too seldom calm: {_named(missing)}." if missing else ""
    if not listed:
        return Answer(f"None of {plural(len(rows), 'measured codec')} fits.{unknown}", ())
    first = next(iter(best.values()))
    among = f"of {plural(len(rows), 'measured codec')}"
    among = f"{count(len(fitting))} {among} fit" if fits else among
    said = f"{first.format}, by {first.codec}: the {MEANS[goal]} ({among}), {_figures(cells, first, goal)}."
    if goal is not Goal.SIZE and first.differs:
        said += f" Measured with {first.differs}, unlike the publication."
    if alike := [one.codec for one in fitting if one is not first and _equal(cells, one, first, goal)]:
        said += f" {'As small' if goal is Goal.SIZE else 'Not to be told from it'}: {_named(alike)}."
    if goal is not Goal.SIZE and calm_spread(cells):
        said += f" Some codecs met calmer moments than others: differences up to {percent(UNEVEN_FLOOR)} tell nothing."
    return Answer(said + unknown, listed)


def missing_of(cells: ScenarioCells, language: str | None) -> tuple[str, ...]:
    """The codecs of a language, or of all, that were measured and have no figure."""
    return tuple(codec for codec in without_figure(cells) if language in (None, codec.partition("/")[0]))


def _figures(cells: ScenarioCells, one: Choice, goal: Goal) -> str:
    """What the first of a list takes for one message."""
    each = "record" if cells.scenario.is_files else "message"
    time = f"{duration_ns(one.total_ns)} to write and read"
    if goal is Goal.ZERO_COPY and one.in_place is not None:
        time = f"{duration_ns(one.in_place.ns)} to read in place"
    return f"{time}, {_bytes(one.size_bytes)} a {each}"


def _equal(cells: ScenarioCells, one: Choice, first: Choice, goal: Goal) -> bool:
    """Whether nothing tells a codec from the first by what matters."""
    if goal is Goal.SIZE:
        return one.size_bytes == first.size_bytes
    time, best = _time(one, goal), _time(first, goal)
    return time is not None and best is not None and _alike(cells, (one.codec, first.codec), time, best)


def _time(one: Choice, goal: Goal) -> Taken | None:
    """The time that matters; None where a codec has none."""
    return one.in_place if goal is Goal.ZERO_COPY else one.total


def _named(codecs: Sequence[str]) -> str:
    return f"{', '.join(codecs[:NAMED])}{', …' if len(codecs) > NAMED else ''}"


def words(cells: ScenarioCells, one: Choice, rows: Sequence[Choice]) -> str:
    """What a codec costs against the fastest and the smallest of a language, and what it does with bad input."""
    fastest = min(rows, key=lambda row: (row.total_ns, row.codec))
    smallest = min(rows, key=lambda row: (row.size_bytes, row.total_ns, row.codec))
    parts = [_speed(cells, one, fastest), _size(one, smallest)]
    if one.in_place_ns is not None:
        parts.append(f"reads in place in {duration_ns(one.in_place_ns)}")
    if one.borrowed is not None:
        parts.append(f"decodes into a value that borrows from the message in {duration_ns(one.borrowed.ns)}")
    text = f"{', '.join(parts)}; {_trust(one)}."
    if one.differs:
        text += f" Measured with {one.differs}, unlike the publication."
    return text[0].upper() + text[1:]


def _speed(cells: ScenarioCells, one: Choice, fastest: Choice) -> str:
    if one.codec == fastest.codec:
        return "the fastest"
    if _alike(cells, (one.codec, fastest.codec), one.total, fastest.total):
        return f"not to be told from the fastest ({fastest.codec})"
    ratio = one.total_ns / fastest.total_ns
    return f"{significant(ratio, 3 if ratio < NEARLY else 2)} × the time of the fastest ({fastest.codec})"


def _alike(cells: ScenarioCells, codecs: tuple[str, str], one: Taken, faster: Taken) -> bool:
    """Whether the intervals of two times leave open that they differ by no more than identical code may.

    A single layout may move by more, and so may codecs that met unequal moments.
    """
    floor = floor_of_comparison(cells, *codecs)
    if min(one.layouts, faster.layouts) <= 1:
        floor = max(floor, SINGLE_LAYOUT_MARGIN)
    least = one.ns / faster.ns * math.exp(-math.hypot(one.log_half_width, faster.log_half_width))
    return least <= 1 + floor


def _size(one: Choice, smallest: Choice) -> str:
    if one.size_bytes == smallest.size_bytes:
        return "no other is smaller"
    ratio = one.size_bytes / smallest.size_bytes
    more = f"{percent(ratio - 1)} larger than" if ratio < 2 else f"{significant(ratio, 2)} × the size of"
    return f"{more} the smallest ({smallest.codec})"


def _trust(one: Choice) -> str:
    validates = {True: "validates", False: "does not validate", None: "does not say whether it validates"}
    return f"{validates[one.validates]} what it reads, {malformed_words(one)}"


def malformed_words(one: Choice) -> str:
    """What malformed input did."""
    if one.malformed is None:
        return "not fuzzed"
    found = one.malformed
    of_version = f", as {found.version}" if found.version != one.version else ""
    kinds = ", ".join(f"{count(found.findings[harm])} {harm}" for harm in Harm if found.findings[harm])
    told = plural(found.total, "finding") + (f" ({kinds})" if kinds else "")
    return f"malformed input: {told} in {plural(found.cases, 'case')}{of_version}"


def _bytes(number: float) -> str:
    return plural(round(number), "byte") if number < 10_000 else size(number)


def language_name(language: str) -> str:
    """A language as people write it."""
    return LANGUAGES.get(language, language)
