"""The paragraph of `lab try`: which codecs are on the Pareto front of size and round trip, and why."""

from itertools import pairwise

from analysis.base.text import duration_ns, percent, size
from analysis.tables.trials.trial_rows import Trial, TrialRow, fastest

FRONT = "●"


def in_words(trial: Trial) -> str:
    """What is on the Pareto front of size and round trip, and why."""
    front = trial.front
    best = fastest(front)
    if best is None:
        return _nobody(trial)
    uneven = "Some codecs met calmer moments than others: the order is uncertain." if trial.is_uneven else ""
    smallest, near = front[0], [row.codec for row in trial.rows if row.is_as_fast]
    ties = f"Not to be told apart from it by time: {', '.join(near)}." if near else ""
    others = [row.codec for row in trial.rows if row.compares and not row.ranks]
    unjudged = f"Without a time that can be judged: {', '.join(others)}." if others else ""
    if len(front) == 1:
        what = "the smallest, and none is faster beyond chance" if near else "both the smallest and the fastest"
        first = f"{best.codec} is {what}: {_figures(best)}."
        return " ".join(filter(None, [first, ties, unjudged, uneven]))
    compared = sum(row.ranks for row in trial.rows)
    first = (
        f"{FRONT} {len(front)} of {compared} codecs are on the Pareto front: no other is both smaller and faster. "
        f"The smallest is {smallest.codec}, {_figures(smallest)}; the fastest is {best.codec}, {_figures(best)}."
    )
    steps = [f"{after.codec} takes {_saved(before, after)}." for before, after in pairwise(front)]
    return " ".join(filter(None, [first, ties, *steps, _after_zstd(trial, smallest), unjudged, uneven]))


def _nobody(trial: Trial) -> str:
    """Why no codec is named."""
    if any(row.compares for row in trial.rows):
        return (
            "No codec has a time that can be judged, so none is named. A longer --budget, or fewer codecs with "
            "--codecs, gives figures."
        )
    return "No codec has both a size and a time, so none can be named."


def _figures(row: TrialRow) -> str:
    assert row.data.sizes and row.round_trip
    return f"{size(row.data.sizes.total_bytes)} and {duration_ns(row.round_trip.ns)} a round trip"


def _saved(before: TrialRow, after: TrialRow) -> str:
    """How a codec of the front compares with the one before it, which is not larger."""
    assert before.data.sizes and after.data.sizes and before.round_trip and after.round_trip
    least, most = before.data.sizes.total_bytes, after.data.sizes.total_bytes
    if least == most:
        return f"as many bytes as {before.codec}, and their times are not to be told apart"
    larger = f"{percent(most / least - 1)} more bytes" if least else f"{size(most)} instead of none"
    return f"{larger} and {percent(1 - after.round_trip.ns / before.round_trip.ns)} less time than {before.codec}"


def _after_zstd(trial: Trial, smallest: TrialRow) -> str:
    compared = [(row.data.zstd.total_bytes, row.codec) for row in trial.rows if row.ranks and row.data.zstd]
    if not compared:
        return ""
    least, codec = min(compared)
    if smallest.data.zstd and smallest.data.zstd.total_bytes == least:
        return f"After zstd {smallest.codec} is still the smallest."
    return f"After zstd the smallest is {codec}, {size(least)}."
