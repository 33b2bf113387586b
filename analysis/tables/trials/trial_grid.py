"""The table of `lab try`, and the paragraph below it."""

from collections.abc import Iterable

from msgspec import Struct

from analysis.base.text import count, duration_ns, percent, plural, significant, size
from analysis.tables.layout import NOTHING, Column, Grid, Lines, Section, titled
from analysis.tables.trials.trial_rows import Time, Trial, TrialRow
from bench.model.cells import Operation
from bench.model.findings import Shortcoming, Sizes

FRONT = "●"
MOST_FIELDS = 3
"""Fields that a note names; the others are counted."""
NOT_CALM, SUM, UNUSUAL = "¤", "Σ", "§"
TIMES = {
    Operation.SERIALIZE: "Serialize",
    Operation.DESERIALIZE: "Deserialize",
    Operation.ROUND_TRIP: "Round trip",
    Operation.ACCESS: "Access",
}


class Shown(Struct, frozen=True):
    """Which columns the table has: those in which any codec has a value."""

    single: bool
    dictionary: bool
    operations: tuple[Operation, ...]
    allocations: bool
    instructions: bool


def trial_grid(trial: Trial) -> Grid:
    """All codecs that were tried, the fastest first."""
    report, shown = trial.report, shown_of(trial)
    heading = f"{report.name}: {plural(report.messages, 'message')}, {size(report.json.total_bytes)} as JSON"
    return Grid(
        title=titled(heading, trial.cells.run),
        columns=tuple(_columns(shown)),
        sections=(Section(tuple(tuple(_cells(trial, row, shown)) for row in trial.rows)),),
        warnings=tuple(f"{row.codec}: {problem}" for row in trial.rows if (problem := _problem(row))),
        notes=tuple(notes(trial, shown)),
    )


def shown_of(trial: Trial) -> Shown:
    """The columns of a trial."""
    times = [time for row in trial.rows for time in row.times.values()]
    extra = Operation.ACCESS
    return Shown(
        single=trial.report.messages == 1,
        dictionary=any(row.data.dictionary for row in trial.rows),
        operations=tuple(one for one in TIMES if one is not extra or any(extra in row.times for row in trial.rows)),
        allocations=any(time.allocations is not None for time in times),
        instructions=any(time.instructions is not None for time in times),
    )


def _columns(shown: Shown) -> Iterable[Column]:
    yield Column(("Codec",), right=False)
    yield Column(("Bytes",) if shown.single else ("Bytes", "all messages"))
    if not shown.single:
        yield Column(("one message",))
    yield Column(("after", "zstd"))
    if shown.dictionary:
        yield Column(("zstd with", "dictionary"))
    for operation in shown.operations:
        yield Column((TIMES[operation], "a message"))
    if shown.allocations:
        yield Column(("Allocations", "round trip"))
    if shown.instructions:
        yield Column(("Instructions", "round trip"))
    yield Column(("Came back",))


def _cells(trial: Trial, row: TrialRow, shown: Shown) -> Iterable[Lines]:
    yield (f"{row.codec} {FRONT}" if row.on_front else row.codec,)
    yield _total(row.data.sizes, trial.report.json)
    if not shown.single:
        yield _one(row.data.sizes)
    yield _total(row.data.zstd, trial.report.json)
    if shown.dictionary:
        yield _total(row.data.dictionary, trial.report.json)
    for operation in shown.operations:
        yield _time(row.times.get(operation), UNUSUAL if row.conditions else "", judged=_judged(trial))
    if shown.allocations:
        yield (_number(row.round_trip.allocations if row.round_trip else None),)
    if shown.instructions:
        yield (_number(row.round_trip.instructions if row.round_trip else None),)
    yield (_proved(trial, row),)


def _problem(row: TrialRow) -> str | None:
    """Why a codec has no size, or no time."""
    return row.data.failure or row.problem


def _total(sizes: Sizes | None, json: Sizes) -> Lines:
    if sizes is None:
        return (NOTHING,)
    share = (f"{percent(sizes.total_bytes / json.total_bytes)} of JSON",) if json.total_bytes else ()
    return (f"{count(sizes.total_bytes)}", *share)


def _one(sizes: Sizes | None) -> Lines:
    if sizes is None:
        return (NOTHING,)
    return (
        f"median {count(sizes.median_bytes)}, 95 % {count(sizes.p95_bytes)}",
        f"99 % {count(sizes.p99_bytes)}, largest {count(sizes.largest_bytes)}",
    )


def _judged(trial: Trial) -> bool:
    """Whether calm loops make the figures: `quick` measures one loop, which means nothing."""
    return trial.cells.run.plan.profile.is_timed


def _time(time: Time | None, mark: str, *, judged: bool) -> Lines:
    if time is None:
        return (NOTHING,)
    marks = mark + SUM * time.is_sum + NOT_CALM * (judged and not time.is_figure)
    point = f"{duration_ns(time.ns)} {marks}".rstrip()
    if time.low_ns == time.high_ns:
        return (point,)
    return (point, f"[{duration_ns(time.low_ns)} – {duration_ns(time.high_ns)}]")


def _number(number: float | None) -> str:
    return NOTHING if number is None else significant(number)


def _proved(trial: Trial, row: TrialRow) -> str:
    if row.data.cannot:
        return "cannot take it"
    if row.data.failure:
        return "failed"
    if not row.data.sizes:
        return "not tried"
    return "all" if row.data.proved == trial.report.messages else f"{count(row.data.proved)} sampled"


def notes(trial: Trial, shown: Shown) -> Iterable[str]:
    """How to read the table, and what a format has no form for, field by field."""
    report, profile = trial.report, trial.cells.run.plan.profile
    measured = plural(report.sampled, "message")
    yield (
        f"Sizes are of all messages, exact. Times are a message's, of a pass over {measured}"
        + (", all of them." if report.sampled == report.messages else ", a sample stratified by size.")
    )
    if report.to_prove == report.messages:
        yield "Came back: every message was decoded again and compared with what was given, value by value."
    else:
        yield (
            f"Came back: the {count(report.to_prove)} messages of the sample were decoded again and compared; "
            "--full does so with all."
        )
    trained = max((row.data.dictionary_bytes for row in trial.rows), default=0)
    text = f"zstd: level {report.zstd_level}, each message by itself"
    yield text + (
        f"; its dictionary, trained on the sample, has up to {size(trained)}, which both sides hold and which are not "
        "counted."
        if trained
        else "."
    )
    yield from _marks(trial, shown)
    if not shown.instructions:
        yield "Instructions were not counted: --count does so, where valgrind is there."
    for row in trial.rows:
        yield from _shortcomings(row.codec, "cannot take", row.data.cannot)
        yield from _shortcomings(row.codec, "has another form for", row.data.instead)
    yield from report.notes
    yield in_words(trial) if profile.is_timed else "The profile quick measures nothing: no codec is named."


def _marks(trial: Trial, shown: Shown) -> Iterable[str]:
    """What the marks at times mean, of those that stand in the table."""
    times = [time for row in trial.rows for time in row.times.values()]
    if Operation.ACCESS in shown.operations:
        yield "Access: every field is read once where it stands in the encoded message, and nothing is decoded."
    if any(time.is_sum for time in times):
        yield f"{SUM} serialize and deserialize together: the codec offers no round trip."
    if _judged(trial) and not all(time.is_figure for time in times):
        yield (
            f"{NOT_CALM} the machine was too seldom calm: the median of all loops, from the shortest to the longest. A "
            "longer --budget, or fewer codecs with --codecs, gives figures."
        )
    unusual: dict[str, list[str]] = {}
    for row in trial.rows:
        if row.conditions:
            unusual.setdefault(row.conditions, []).append(row.codec)
    for conditions, codecs in unusual.items():
        yield f"{UNUSUAL} with other conditions ({conditions}): {', '.join(codecs)}."


def _shortcomings(codec: str, what: str, fields: Iterable[Shortcoming]) -> Iterable[str]:
    by_reason: dict[str, list[str]] = {}
    for field in fields:
        by_reason.setdefault(f"{field.feature}: {field.reason}", []).append(field.path)
    for reason, paths in by_reason.items():
        others = f" and {plural(len(paths) - MOST_FIELDS, 'more field')}" if len(paths) > MOST_FIELDS else ""
        yield f"{codec} {what} {', '.join(paths[:MOST_FIELDS])}{others} ({reason})"


def in_words(trial: Trial) -> str:
    """What is on the Pareto front of size and round trip, and why."""
    front = trial.front
    if not front:
        return "No codec has both a size and a time, so none can be named."
    if len(front) == 1:
        best = front[0]
        return f"{best.codec} is both the smallest and the fastest: {_figures(best)}."
    compared = sum(row.compares for row in trial.rows)
    smallest, fastest = front[0], front[-1]
    parts = [
        f"{FRONT} {len(front)} of {compared} codecs are on the Pareto front: no other is both smaller and faster. "
        f"The smallest is {smallest.codec}, {_figures(smallest)}; the fastest is {fastest.codec}, {_figures(fastest)}."
    ]
    for before, after in zip(front, front[1:], strict=False):
        parts.append(f"{after.codec} takes {_saved(before, after)} than {before.codec}.")
    parts += _after_zstd(trial, smallest)
    return " ".join(filter(None, parts))


def _figures(row: TrialRow) -> str:
    assert row.data.sizes and row.round_trip
    return f"{size(row.data.sizes.total_bytes)} and {duration_ns(row.round_trip.ns)} a round trip"


def _saved(before: TrialRow, after: TrialRow) -> str:
    assert before.data.sizes and after.data.sizes and before.round_trip and after.round_trip
    bytes_more = after.data.sizes.total_bytes / before.data.sizes.total_bytes - 1
    time_less = 1 - after.round_trip.ns / before.round_trip.ns
    larger = f"{percent(bytes_more)} more bytes" if bytes_more > 0 else "as many bytes"
    by_chance = ", which may be chance," if after.round_trip.high_ns >= before.round_trip.low_ns else ""
    return f"{larger} and {percent(time_less)} less time{by_chance}"


def _after_zstd(trial: Trial, smallest: TrialRow) -> list[str]:
    compared = [row for row in trial.rows if row.compares and row.data.zstd]
    least = min(compared, key=lambda row: row.data.zstd.total_bytes if row.data.zstd else 0, default=None)
    if least is None or least.data.zstd is None:
        return []
    if least.codec == smallest.codec:
        return [f"After zstd {least.codec} is still the smallest."]
    return [f"After zstd the smallest is {least.codec}, {size(least.data.zstd.total_bytes)}."]
