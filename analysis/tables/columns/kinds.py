"""The kinds of columns: a kind is a named function from a row in an operation to the lines of its cell."""

from collections.abc import Callable, Sequence

from msgspec import Struct

from analysis.base import problems as errors
from analysis.base.text import short
from analysis.sources.publications import Form, Kind, Publication
from analysis.tables.layout import NOTHING, Lines
from analysis.tables.rows import Measures, RankedRows, Row, Table
from bench.model.cells import Operation


class Entry(Struct, frozen=True, eq=False):
    """A row in an operation: the argument of a column's function."""

    table: Table
    section: RankedRows
    row: Row
    operation: Operation
    other: str = ""
    """The codec that the column is about, if the kind has a column for each of several."""

    @property
    def measures(self) -> Measures | None:
        """None if the codec has no cell of the operation."""
        return self.row.measures.get(self.operation)

    @property
    def time_ms(self) -> float | None:
        """Median for the published number of repetitions; None if there is no value."""
        return self.measures.timing.median_ms if self.measures and self.measures.timing else None

    @property
    def file_bytes(self) -> float | None:
        """Bytes of a file of the published number of repetitions; None where there is no file."""
        series = self.measures.series if self.measures else None
        if series is None or series.file_bytes is None:
            return None
        return series.file_bytes / series.repetitions * self.repetitions

    @property
    def message_bytes(self) -> float | None:
        """Encoded bytes; for a cell without a value, those in the plan."""
        series = self.measures.series if self.measures else None
        return (series.encoded_bytes or series.planned.encoded_bytes) if series else None

    @property
    def repetitions(self) -> int:
        """The number of repetitions in a published time."""
        return self.table.scenario.published.timed_repetitions

    @property
    def rows(self) -> int:
        """The number of rows handled in a published time."""
        return self.repetitions * (self.table.scenario.rows or 1)

    @property
    def rows_matched(self) -> int:
        """The number of these that the filter selects; 0 in other operations."""
        wanted = self.table.scenario.filter
        return self.repetitions * wanted.rows if wanted and self.operation is Operation.FILTER else 0

    def published(self, kind: Kind) -> float | None:
        """A published figure, in ms, bytes or bytes a second."""
        return self.table.figures.of(kind, self.row.codec, self.operation)

    def published_ratio(self, kind: Kind, to: str) -> float | None:
        """A published ratio to another codec."""
        return self.table.figures.ratio(kind, self.row.codec, to, self.operation)


class ColumnKind(Struct, frozen=True):
    """A kind of column."""

    lines: Callable[[Entry], Lines]
    heading: Callable[[Table, str], Lines]
    """Made from the table and the codec that the column is about."""
    legend: Callable[[Table], str]
    """What a reader needs to know about its numbers; empty if they are self-explanatory."""
    remarks: Callable[[Table], Sequence[str]]
    """What is unusual about its numbers."""
    text: bool
    """Whether it holds text, which is aligned left."""
    timed: bool
    """Whether its numbers belong to one operation; if operations are columns, each gets a column of this kind."""
    unit: str
    """Unit of its times, for the sentence on the method; else empty."""
    needs: str
    """The field of a form that it needs; if that lists codecs, there is a column for each."""


KINDS: dict[str, ColumnKind] = {}
"""Every kind of column by its name."""

Function = Callable[[Entry], Lines]


def column(
    *words: str,
    heading: Callable[[Table, str], Lines] | None = None,
    legend: Callable[[Table], str] = lambda _: "",
    remarks: Callable[[Table], Sequence[str]] = lambda _: (),
    text: bool = False,
    timed: bool = True,
    unit: str = "",
    needs: str = "",
) -> Callable[[Function], Function]:
    """Registers a function as a kind of column under its own name, with these words as heading."""

    def registered(lines: Function) -> Function:
        KINDS[lines.__name__] = ColumnKind(
            lines=lines,
            heading=heading or (lambda table, other: words),
            legend=legend,
            remarks=remarks,
            text=text,
            timed=timed,
            unit=unit,
            needs=needs,
        )
        return lines

    return registered


def named(table: Table, codec: str | None) -> str:
    """A codec as headings name it: without its language if the table has only one."""
    return NOTHING if codec is None else codec if len(table.languages) > 1 else short(codec)


def check_form(publication: Publication, name: str) -> None:
    """Raises LabError, with file and line, for an unknown kind of column, or one that lacks a field that it needs."""
    form = publication.forms[name]
    for kind in form.columns:
        if kind not in KINDS:
            problem = errors.no_such(kind, "kind of column", KINDS)
        elif KINDS[kind].needs and not getattr(form, KINDS[kind].needs):
            problem = f"the column {kind!r} needs the form's field {KINDS[kind].needs!r}"
        else:
            continue
        raise publication.mistake(["forms", name, "columns"], problem)


MESSAGES = Form(columns=["rank", "codec", "size", "time_ms", "relative_to"], operations="columns", controls="apart")
"""The form of message scenarios without a publication."""
FILES = Form(
    columns=[
        "rank_or_control",
        "codec",
        "size_mib",
        "total_ms",
        "us_per_row",
        "us_per_match",
        "rate_mbit_s",
        "calls_per_row",
        "peak_memory",
        "relative",
    ]
)
"""The form of file scenarios without a publication."""
