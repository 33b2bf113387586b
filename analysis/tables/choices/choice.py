"""Rows for choosing a format: what was measured of each codec in a scenario of a run, and what is known of it.

Only measured cells make a row. Times are what it takes to serialize and to deserialize, added up, so that codecs that
offer a round trip compare with codecs that do not. Where a repetition passes over many messages, or over a file of
records, times and sizes are those of one, on average.
"""

import math
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from analysis.data.cells import ScenarioCells, Series
from analysis.data.floors import is_hardly_calm
from analysis.data.inference import time_of
from analysis.data.judged.extras import newest_fuzzed
from analysis.data.select import BORROWED, choose, nearest, size_of
from analysis.sources.specifications import Specified, specified
from analysis.statistics.estimates import Estimate
from analysis.tables.timings import differences
from bench.model.cells import Operation
from bench.model.findings import Fuzzed, Fuzzing, Harm, by_harm

PAIRS = ((Operation.SERIALIZE, Operation.DESERIALIZE), (Operation.WRITE, Operation.READ))
"""What writes, and what reads it: of messages, else of files."""
LEAST_CASES = 1_000
"""Malformed inputs of which none may be a finding before a codec is called safe."""


class Malformed(Struct, frozen=True):
    """What `lab fuzz` recorded of a codec."""

    cases: int
    findings: Mapping[Harm, int]
    version: str | None
    """Of the library that was asked."""

    @property
    def total(self) -> int:
        """Findings of any kind."""
        return sum(self.findings.values())


class Taken(Struct, frozen=True):
    """A time of one message, in nanoseconds."""

    ns: float
    log_half_width: float
    """Half of its 95 % interval, as a logarithm; infinite where that is unknown."""
    layouts: int
    """Links of the program in which it was measured."""


class Choice(Struct, frozen=True):
    """A codec in a scenario."""

    codec: str
    format: str
    version: str | None
    """Of its library, as timed."""
    size_bytes: float
    """Of a message; a mean where there are several. Of a record where records are stored in files."""
    total: Taken
    """To serialize and to deserialize."""
    in_place: Taken | None
    """To read every field where it stands, the fastest way; None where the codec has none."""
    borrowed: Taken | None
    """To decode into a value that borrows from the message, the fastest way; None where the codec has none."""
    validates: bool | None
    """Whether it validates what it reads; None where it does not say."""
    self_describing: bool
    specified: Specified | None
    malformed: Malformed | None
    """None where it was not fuzzed: a codec that is timed without its checks was fuzzed with them."""
    differs: str
    """What differs from the scenario's published conditions; empty where nothing does."""

    @property
    def language(self) -> str:
        """The first part of its name."""
        return self.codec.partition("/")[0]

    @property
    def total_ns(self) -> float:
        """Time to serialize and to deserialize."""
        return self.total.ns

    @property
    def in_place_ns(self) -> float | None:
        """Time to read every field where it stands; None without zero-copy."""
        return None if self.in_place is None else self.in_place.ns

    @property
    def safe(self) -> bool:
        """Whether it validates its input, and enough malformed input was tried on this version without any finding."""
        tried = self.malformed
        return (
            self.validates is True
            and tried is not None
            and (tried.total, tried.version) == (0, self.version)
            and tried.cases >= LEAST_CASES
        )


def choices(cells: ScenarioCells, malformed: Mapping[str, Malformed]) -> tuple[Choice, ...]:
    """The codecs of a scenario that were measured to write and to read, the fastest first; none where hardly any has a
    figure, since those that have one need not be the fastest.
    """
    if is_hardly_calm(cells):
        return ()
    published, others = choose(cells), nearest(cells)
    rows = [_choice(cells, codec, published.get(codec, {}), others[codec], malformed) for codec in others]
    return tuple(sorted((row for row in rows if row), key=lambda row: (row.total_ns, row.codec)))


def without_figure(cells: ScenarioCells) -> tuple[str, ...]:
    """The codecs that were measured to write and to read, with too few calm loops for a figure, by name."""
    return tuple(
        sorted(
            codec
            for codec, operations in nearest(cells).items()
            if (pair := _pair(operations))
            and not pair[0].planned.control
            and all(one.measured for one in pair)
            and any(time_of(one) is None for one in pair)
        )
    )


def malformed_of(fuzzings: Iterable[Fuzzing | None]) -> dict[str, Malformed]:
    """Codec → what malformed input did to the newest version of it that was asked."""
    newest = newest_fuzzed((one.created, one.results) for one in fuzzings if one)
    return {codec: malformed_share(own) for codec, own in newest.items()}


def front(rows: Sequence[Choice]) -> set[str]:
    """The codecs of which no other is at least as small and as fast, and better in one of both."""
    return {
        one.codec
        for one in rows
        if not any(
            (other.size_bytes <= one.size_bytes and other.total_ns < one.total_ns)
            or (other.size_bytes < one.size_bytes and other.total_ns <= one.total_ns)
            for other in rows
        )
    }


def malformed_share(results: Iterable[Fuzzed]) -> Malformed:
    """Over all types and classes of one version."""
    own = list(results)
    findings = by_harm(finding for one in own for finding in one.findings)
    return Malformed(sum(one.cases for one in own), findings, own[0].version if own else None)


def _choice(
    cells: ScenarioCells,
    codec: str,
    published: Mapping[Operation, Series],
    others: Mapping[Operation, Series],
    malformed: Mapping[str, Malformed],
) -> Choice | None:
    pair = _pair(others)
    if pair is None:
        return None
    write, read = (published.get(one.cell.operation) or one for one in pair)
    total, size_bytes = _taken(cells, write, read), size_of({one.cell.operation: one for one in pair})
    if write.planned.control or total is None or size_bytes is None:
        return None
    validation = read.cell.conditions.validation
    same_build = {one.planned.variant for one in pair}
    own = [
        series
        for (cell, twin), series in cells.series.items()
        if cell.codec == codec and not twin and series.planned.variant in same_build
    ]
    return Choice(
        codec=codec,
        format=write.planned.format,
        version=write.planned.version,
        size_bytes=size_bytes / _messages(cells),
        total=total,
        in_place=_fastest(cells, (one for one in own if _reads_in_place(one))),
        borrowed=_fastest(cells, (one for one in own if _borrows(one))),
        validates=None if validation is None else validation == "on",
        self_describing=write.planned.self_describing,
        specified=specified().get(write.planned.format),
        malformed=None if validation == "off" else malformed.get(codec),
        differs=_differs(cells, write, read),
    )


def _pair(operations: Mapping[Operation, Series]) -> tuple[Series, Series] | None:
    """What writes and what reads; None where a codec does not do both."""
    return next(
        ((operations[write], operations[read]) for write, read in PAIRS if write in operations and read in operations),
        None,
    )


def _messages(cells: ScenarioCells) -> int:
    """The messages, or the records of a file, that a repetition passes over."""
    return cells.scenario.rows or 1


def _taken(cells: ScenarioCells, *measured: Series) -> Taken | None:
    """The time of cells one after the other, for one message; None where one has no figure."""
    times = [time for series in measured if (time := time_of(series)) is not None]
    if len(times) < len(measured):
        return None
    total_ns = sum(time.point for time in times)
    error = math.hypot(*(time.point * _log_half_width(time) for time in times)) / total_ns
    return Taken(total_ns / _messages(cells), error, min(len(series.layouts) for series in measured))


def _log_half_width(time: Estimate) -> float:
    """Half of the 95 % interval, as a logarithm; infinite where a single layout or process tells nothing of it."""
    return time.log_half_width if time.units > 1 or time.is_exact else math.inf


def _fastest(cells: ScenarioCells, measured: Iterable[Series]) -> Taken | None:
    return min(
        (taken for series in measured if (taken := _taken(cells, series))), key=lambda taken: taken.ns, default=None
    )


def _reads_in_place(series: Series) -> bool:
    """Whether a cell reads all fields where they stand in the message."""
    return series.cell.operation is Operation.ACCESS and series.cell.conditions.fields is None


def _borrows(series: Series) -> bool:
    """Whether a cell decodes into a value that refers to the message."""
    return series.cell.operation is Operation.DESERIALIZE and series.cell.conditions.output in BORROWED


def _differs(cells: ScenarioCells, *measured: Series) -> str:
    return " ".join(dict.fromkeys(" ".join(differences(one.cell, cells.scenario) for one in measured).split()))
