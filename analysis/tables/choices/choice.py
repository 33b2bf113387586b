"""Rows for choosing a format: what was measured of each codec in a scenario of a run, and what is known of it.

Only measured cells make a row. Times are what it takes to serialize and to deserialize, added up, so that codecs that
offer a round trip compare with codecs that do not.
"""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from analysis.data.cells import ScenarioCells, Series
from analysis.data.floors import is_hardly_calm
from analysis.data.inference import time_of
from analysis.data.judged.extras import newest_of_each
from analysis.data.select import choose, nearest, size_of
from analysis.sources.specifications import Specified, specified
from analysis.tables.timings import differences
from bench.model.cells import Operation
from bench.model.findings import Fuzzed, Fuzzing, Harm, by_harm

PAIRS = ((Operation.SERIALIZE, Operation.DESERIALIZE), (Operation.WRITE, Operation.READ))
"""What writes, and what reads it: of messages, else of files."""
IN_PLACE = ("borrowed", "view")
"""Outputs that refer to the encoded message instead of copying from it."""


class Malformed(Struct, frozen=True):
    """What `lab fuzz` recorded of a codec."""

    cases: int
    findings: Mapping[Harm, int]

    @property
    def total(self) -> int:
        """Findings of any kind."""
        return sum(self.findings.values())


class Choice(Struct, frozen=True):
    """A codec in a scenario: times in nanoseconds of one repetition."""

    codec: str
    format: str
    size_bytes: int
    """Of a message; of a file of rows where these are stored in files."""
    serialize_ns: float
    deserialize_ns: float
    round_trip_ns: float | None
    """As measured in one loop; None where the codec has none."""
    in_place_ns: float | None
    """The fastest way to read without copying: fields accessed, or borrowed output; None without zero-copy."""
    validates: bool | None
    """Whether it validates what it reads; None where it does not say."""
    self_describing: bool
    specified: Specified | None
    malformed: Malformed | None
    """None where it was not fuzzed: a codec that is timed without its checks was fuzzed with them."""
    layouts: int
    """Links of its program in which both were measured."""
    differs: str
    """What differs from the scenario's published conditions; empty where nothing does."""

    @property
    def language(self) -> str:
        """The first part of its name."""
        return self.codec.partition("/")[0]

    @property
    def total_ns(self) -> float:
        """Time to serialize and to deserialize."""
        return self.serialize_ns + self.deserialize_ns

    @property
    def zero_copy(self) -> bool:
        """Whether it was measured to read without copying."""
        return self.in_place_ns is not None

    @property
    def safe(self) -> bool:
        """Whether it validates its input, and malformed input was tried on it without any finding."""
        return self.validates is True and self.malformed is not None and self.malformed.total == 0


def choices(cells: ScenarioCells, malformed: Mapping[str, Malformed]) -> tuple[Choice, ...]:
    """The codecs of a scenario that were measured to write and to read, the fastest first; none where hardly any has a
    figure, since those that have one need not be the fastest.
    """
    if is_hardly_calm(cells):
        return ()
    published, others = choose(cells), nearest(cells)
    rows = [_choice(cells, codec, published.get(codec, {}), others[codec], malformed) for codec in others]
    return tuple(sorted((row for row in rows if row), key=lambda row: (row.total_ns, row.codec)))


def malformed_of(fuzzings: Iterable[Fuzzing | None]) -> dict[str, Malformed]:
    """Codec → what malformed input did to it, by the newest results that have it."""
    newest = newest_of_each((one.created, one.results) for one in fuzzings if one)
    return {codec: malformed_share(own) for codec, own in newest.items()}


def front(rows: Sequence[Choice]) -> set[str]:
    """The codecs of which no other is both smaller and faster."""
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
    """Over all types and classes."""
    own = list(results)
    return Malformed(sum(one.cases for one in own), by_harm(finding for one in own for finding in one.findings))


def _choice(
    cells: ScenarioCells,
    codec: str,
    published: Mapping[Operation, Series],
    others: Mapping[Operation, Series],
    malformed: Mapping[str, Malformed],
) -> Choice | None:
    pair = next((pair for pair in PAIRS if all(one in others for one in pair)), None)
    if pair is None:
        return None
    write, read = (published.get(one) or others[one] for one in pair)
    write_ns, read_ns, size_bytes = _ns(write), _ns(read), size_of({one: others[one] for one in pair})
    if write.planned.control or write_ns is None or read_ns is None or size_bytes is None:
        return None
    validation = read.cell.conditions.validation
    return Choice(
        codec=codec,
        format=write.planned.format,
        size_bytes=size_bytes,
        serialize_ns=write_ns,
        deserialize_ns=read_ns,
        round_trip_ns=_ns(both) if (both := published.get(Operation.ROUND_TRIP)) else None,
        in_place_ns=_in_place_ns(cells, codec),
        validates=None if validation is None else validation == "on",
        self_describing=write.planned.self_describing,
        specified=specified().get(write.planned.format),
        malformed=None if validation == "off" else malformed.get(codec),
        layouts=min(len(write.layouts), len(read.layouts)),
        differs=_differs(cells, write, read),
    )


def _ns(series: Series) -> float | None:
    time = time_of(series)
    return None if time is None else time.point


def _in_place_ns(cells: ScenarioCells, codec: str) -> float | None:
    """The fastest measured cell of a codec that reads in place."""
    own = [series for (cell, twin), series in cells.series.items() if cell.codec == codec and not twin]
    in_place = [
        series
        for series in own
        if (series.cell.operation is Operation.ACCESS and series.cell.conditions.fields is None)
        or (series.cell.operation is Operation.DESERIALIZE and series.cell.conditions.output in IN_PLACE)
    ]
    return min((ns for series in in_place if (ns := _ns(series)) is not None), default=None)


def _differs(cells: ScenarioCells, *measured: Series) -> str:
    return " ".join(dict.fromkeys(" ".join(differences(one.cell, cells.scenario) for one in measured).split()))
