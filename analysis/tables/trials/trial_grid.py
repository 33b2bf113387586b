"""The table of `lab try`, and the notes below it."""

from collections.abc import Iterable

from msgspec import Struct

from analysis.base.text import count, duration_ns, percent, plural, significant, size
from analysis.tables.layout import NOTHING, Column, Grid, Lines, Section, titled
from analysis.tables.trials.trial_rows import Time, Trial, TrialRow
from analysis.tables.trials.trial_words import FRONT, in_words
from bench.model.cells import Operation
from bench.model.findings import LEAST_FOR_DICTIONARY, DataReport, Shortcoming, Sizes

MOST_FIELDS = 3
"""Fields that a note names; the others are counted."""
LARGEST_DEVIATION = 0.1
"""Of the mean size of the sample from that of the data, before it is warned of."""
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
    heading = f"{report.name}: {plural(report.messages, 'message')}, {_total_of_json(report)}"
    return Grid(
        title=titled(heading, trial.cells.run),
        columns=tuple(_columns(shown)),
        sections=(Section(tuple(tuple(_cells(trial, row, shown)) for row in trial.rows)),),
        warnings=(
            *(f"{row.codec}: {problem}" for row in trial.rows if (problem := _problem(row))),
            *sample_warnings(report),
        ),
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
    whole = given_bytes(trial.report)
    yield _total(row.data.sizes, whole)
    if not shown.single:
        yield _one(row.data.sizes)
    yield _total(row.data.zstd, whole)
    if shown.dictionary:
        yield _total(row.data.dictionary, whole)
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


def given_bytes(report: DataReport) -> int:
    """Bytes of the messages as they were given, in compact JSON; older results have those of canonical JSON alone."""
    return report.given_bytes or report.json.total_bytes


def _total_of_json(report: DataReport) -> str:
    given, canonical = given_bytes(report), report.json.total_bytes
    more = f", {size(canonical)} with every key of their type" if given != canonical else ""
    return f"{size(given)} as JSON{more}"


def _total(sizes: Sizes | None, json_bytes: int) -> Lines:
    if sizes is None:
        return (NOTHING,)
    share = (f"{percent(sizes.total_bytes / json_bytes)} of JSON",) if json_bytes else ()
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
    yield f"Sizes are of all messages, exact. Times are a message's, of a pass over {_measured(report)}."
    if report.given_bytes not in (0, report.json.total_bytes):
        yield (
            f"% of JSON: of the messages as given, {count(report.given_bytes)} bytes without spaces. What codecs get "
            f"has all keys of the type, {count(report.json.total_bytes)} bytes: a missing key and null become one "
            "value, and come back as null."
        )
    if report.to_prove == report.messages:
        yield "Came back: every message was decoded again and compared with what was given, value by value."
    else:
        yield (
            f"Came back: the {count(report.to_prove)} messages of the sample were decoded again and compared; "
            "--full does so with all."
        )
    yield f"zstd: level {report.zstd_level}, each message by itself{_dictionary(trial)}."
    yield from _marks(trial, shown)
    if not shown.instructions:
        yield "Instructions were not counted: --count does so, where valgrind is there."
    for row in trial.rows:
        yield from _shortcomings(row.codec, "cannot take", row.data.cannot)
        yield from _shortcomings(row.codec, "has another form for", row.data.instead)
    yield from report.notes
    yield in_words(trial) if profile.is_timed else "The profile quick measures nothing: no codec is named."


def _measured(report: DataReport) -> str:
    """Which messages were measured, and how large they are beside all."""
    measured = plural(report.sampled, "message")
    if report.sampled == report.messages:
        return f"{measured}, all of them"
    if not report.sampled_bytes:
        return f"{measured}, a sample stratified by size"
    mean, of_all = report.sampled_bytes / report.sampled, report.json.total_bytes / report.messages
    means = f"{size(mean)} in the mean, and all {size(of_all)}"
    return f"{measured}, a sample that has each size as often as the data: {means}"


def sample_warnings(report: DataReport) -> Iterable[str]:
    """Where the messages that were measured are not like all."""
    if report.sampled_bytes:
        ratio = report.sampled_bytes / report.sampled * report.messages / report.json.total_bytes
        if abs(ratio - 1) > LARGEST_DEVIATION:
            yield (
                f"the messages of the sample are {percent(abs(ratio - 1))} {'larger' if ratio > 1 else 'smaller'} in "
                "the mean than all, and times are theirs. Another --seed draws another sample."
            )
    if report.left_out:
        are = "is" if report.left_out == 1 else "are"
        yield (
            f"{plural(report.left_out, 'message')} of a size that is too rare for the sample {are} in no time. To know "
            "their times, give them in a file of their own."
        )


def _dictionary(trial: Trial) -> str:
    """What a dictionary was trained on, and tried with."""
    report = trial.report
    largest = max((row.data.dictionary_bytes for row in trial.rows), default=0)
    if not largest:
        few = 1 < report.sampled < LEAST_FOR_DICTIONARY
        return f"; a dictionary is tried from {LEAST_FOR_DICTIONARY} measured messages on" if few else ""
    held = f"has up to {size(largest)}, which both sides hold and which are not counted"
    if not report.trained:
        return f"; its dictionary, trained on the sample, {held}"
    return (
        f"; its dictionary, trained on {plural(report.trained, 'message')}, {held}. Its column is what all other "
        "messages become, scaled to all"
    )


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
