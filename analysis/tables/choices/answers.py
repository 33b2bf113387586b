"""Short lists: at most five formats by what matters, with what each costs in words. All figures are of one run."""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum

from msgspec import Struct

from analysis.base.text import count, duration_ns, percent, plural, significant, size
from analysis.data.cells import ScenarioCells
from analysis.data.floors import calm_spread, floor_between
from analysis.tables.choices.choice import Choice
from bench.model.findings import Harm
from bench.statistics.layouts import SINGLE_LAYOUT_MARGIN

LONGEST = 5
NAMED = 3
"""Codecs that are not to be told from the first are named up to this number."""
UNKNOWN_FLOOR = 0.1
"""What a difference must exceed where no code was measured twice: by as much the layout of a program changes times."""
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
BY_TIME = (Goal.SPEED, Goal.SAFETY, Goal.SELF_DESCRIBING)
"""What is ordered by the time to write and read."""
FILTERS: Mapping[Goal, Callable[[Choice], bool]] = {
    Goal.SAFETY: lambda one: one.safe,
    Goal.ZERO_COPY: lambda one: one.zero_copy,
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


def answer(cells: ScenarioCells, rows: Sequence[Choice], goal: Goal) -> Answer:
    """The best codec of each format, at most five of them; `rows` are those of the chosen language."""
    fits = FILTERS.get(goal)
    fitting = [one for one in rows if fits is None or fits(one)]
    ordered = sorted(fitting, key=lambda one: order(goal, one))
    best: dict[str, Choice] = {}
    for one in ordered:
        best.setdefault(one.format, one)
    listed = tuple(one.codec for one in best.values())[:LONGEST]
    if not listed:
        return Answer(f"None of {plural(len(rows), 'measured codec')} fits.", ())
    first = next(iter(best.values()))
    figures = f"{duration_ns(first.total_ns)} to write and read, {_bytes(first.size_bytes)}"
    if goal is Goal.ZERO_COPY and first.in_place_ns is not None:
        figures = f"{duration_ns(first.in_place_ns)} to read in place, {_bytes(first.size_bytes)}"
    alike = [one.codec for one in fitting if one is not first and goal in BY_TIME and _alike(cells, one, first)]
    tied = f" Not to be told from it: {', '.join(alike[:NAMED])}{', …' if len(alike) > NAMED else ''}." if alike else ""
    uneven = " Some codecs met calmer moments than others: the order is uncertain." if calm_spread(cells) else ""
    among = f"of {plural(len(rows), 'measured codec')}"
    among = f"{count(len(fitting))} {among} fit" if fits else among
    return Answer(f"{first.format}, by {first.codec}: the {MEANS[goal]} ({among}), {figures}.{tied}{uneven}", listed)


def words(cells: ScenarioCells, one: Choice, rows: Sequence[Choice]) -> str:
    """What a codec costs against the fastest and the smallest of a language, and what it does with bad input."""
    fastest = min(rows, key=lambda row: (row.total_ns, row.codec))
    smallest = min(rows, key=lambda row: (row.size_bytes, row.total_ns, row.codec))
    parts = [_speed(cells, one, fastest), _size(one, smallest)]
    if one.in_place_ns is not None:
        parts.append(f"reads in place in {duration_ns(one.in_place_ns)}")
    text = f"{', '.join(parts)}; {_trust(one)}."
    if one.differs:
        text += f" Measured with {one.differs}, unlike the publication."
    return text[0].upper() + text[1:]


def _speed(cells: ScenarioCells, one: Choice, fastest: Choice) -> str:
    if one.codec == fastest.codec:
        return "the fastest"
    if _alike(cells, one, fastest):
        return f"not to be told from the fastest ({fastest.codec})"
    return f"{significant(one.total_ns / fastest.total_ns, 2)} × the time of the fastest ({fastest.codec})"


def _alike(cells: ScenarioCells, one: Choice, faster: Choice) -> bool:
    """Whether two times differ by less than identical code may, or than another layout may move a single one."""
    floor = floor_between(cells, one.codec, faster.codec) or UNKNOWN_FLOOR
    if min(one.layouts, faster.layouts) <= 1:
        floor = max(floor, SINGLE_LAYOUT_MARGIN)
    return one.total_ns / faster.total_ns - 1 <= floor


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
    kinds = ", ".join(f"{count(found.findings[harm])} {harm}" for harm in Harm if found.findings[harm])
    told = plural(found.total, "finding") + (f" ({kinds})" if kinds else "")
    return f"malformed input: {told} in {plural(found.cases, 'case')}"


def _bytes(number: int) -> str:
    return plural(number, "byte") if number < 10_000 else size(number)


def language_name(language: str) -> str:
    """A language as people write it."""
    return LANGUAGES.get(language, language)
