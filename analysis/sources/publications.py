"""A publication's file: how its tables look, what its metrics mean, and which cells of the lab reproduce them.

published/NAME.toml describes published/NAME.csv, which holds the numbers. Its claims are kept as read;
`analysis.claims.definitions` interprets them.
"""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta, Struct

from analysis.base import problems as errors
from bench.base.errors import LabError, bad_file
from bench.base.files import find_toml_line, read_text, read_toml, split_validation_error
from bench.model.cells import ControlRole
from bench.model.fields import Positive, Version

T = TypeVar("T")

Name = Annotated[str, Meta(pattern="^[a-z0-9-]+$")]
OperationName = Annotated[str, Meta(pattern="^[a-z0-9+-]+$")]
Codec = Annotated[str, Meta(pattern="^[a-z]+/[a-z0-9.-]+$")]
Words = Annotated[str, Meta(min_length=1)]
Address = Annotated[str, Meta(pattern=r"^https://[A-Za-z0-9._~/#%+-]+$")]


class Kind(StrEnum):
    """What a metric measures. A metric named like a kind in the CSV needs no description."""

    TIME = "time"
    """Time of all published repetitions of the scenario."""
    SIZE = "size"
    """Bytes of a message, or of the file of all repetitions."""
    THROUGHPUT = "throughput"
    """Bytes encoded, or of the file, over time."""
    ROWS = "rows"
    """How many rows an operation over a file took."""
    TIME_PER_ITEM = "time per item"
    """Time of one of the items that a repetition handles."""
    MEMORY = "memory"
    """Peak memory beyond that of the process at 0 repetitions, in units of 1024 bytes."""
    TIME_RATIO = "time ratio"
    """Time over that of another row."""
    SPEEDUP = "speedup"
    """Time of another row over this one's."""
    SIZE_REDUCTION = "size reduction"
    """By how many per cent the message is smaller than another row's."""

    @property
    def is_ratio(self) -> bool:
        """Whether the figure relates two rows."""
        return self in (Kind.TIME_RATIO, Kind.SPEEDUP, Kind.SIZE_REDUCTION)

    @property
    def is_size(self) -> bool:
        """Whether it is computed from encoded bytes, which are exact."""
        return self in (Kind.SIZE, Kind.SIZE_REDUCTION)

    @property
    def of_any_machine(self) -> bool:
        """Whether a published figure can be expected on other machines too, without a second row or a limit."""
        return self in (Kind.SIZE, Kind.MEMORY)


class Metric(Struct, frozen=True, forbid_unknown_fields=True):
    """What a metric of the CSV measures."""

    kind: Kind
    to: str | None = None
    """The row that a ratio compares with."""


class Form(Struct, frozen=True, forbid_unknown_fields=True):
    """How a table looks."""

    columns: Annotated[list[str], Meta(min_length=1)]
    """Kinds of columns, in order; `analysis.tables.columns` has one function for each."""
    operations: Literal["columns", "sections"] = "sections"
    """Whether each operation has columns of its own, or a section of rows."""
    cells: Literal["published", "nearest"] = "published"
    """Which cell represents a codec: the one at the published conditions, or the nearest to them."""
    controls: Literal["apart", "last", "among"] = "last"
    """Where controls are shown: in a section of their own, below the codecs, or among them."""
    reference: list[Codec] = []
    """Reference codecs: the first of them that was measured is used, else the fastest published one."""
    times_as_fast_as: list[Codec] = []
    """Codecs to compare the others' speed with: a column `times_as_fast` for each."""
    smaller_than: Codec | None = None
    """The codec to compare sizes with: the column `smaller` shows by how many per cent the others are smaller."""
    limit: ControlRole | None = None
    """The control whose speed no codec can exceed, for the column `share_of_limit`."""
    item: Words = "object"
    """What the column `us_per_item` calls an item."""


class Table(Struct, frozen=True, forbid_unknown_fields=True):
    """A table of the CSV and the cells that reproduce it."""

    published: str
    """Its name in the CSV."""
    scenario: Name
    section: Words | None = None
    """The heading under which it stands on the publication's page."""
    form: Name | None = None
    """Which of the file's forms it has; by default the first."""
    codecs: dict[str, Codec] = {}
    """Name of a row → codec, in addition to those that the scenario names in `published.rows`."""
    operations: dict[str, Words] = {}
    """Operation as the table calls it → as the lab calls it, where the two differ, with conditions that only its cells
    have: `deserialize output=borrowed`."""
    conditions: dict[str, str] = {}
    """Conditions of its cells in addition to the scenario's published conditions."""
    items: Positive = 1
    """Items in one value of the scenario, for figures per item."""

    def operation(self, published: str) -> tuple[str, dict[str, str]]:
        """An operation of the table as the lab calls it, and the conditions of its cells in addition to the table's."""
        name, *conditions = self.operations.get(published, published).split()
        return name, dict(item.split("=", 1) for item in conditions if "=" in item)


class Layout(Struct, frozen=True, forbid_unknown_fields=True):
    """The CSV's own columns, where it was copied as it was published: which of them holds what.

    A figure's operation is a time if the file's `operations` name it, else a metric of no operation. Lines that begin
    with `#` are comments.
    """

    table: Words
    codec: Words
    operation: Words
    value: Words
    unit: Words
    platform: Words
    """Of all figures, as published tables name systems."""
    low: Words | None = None
    high: Words | None = None
    """What the name of an operation ends in, in the rows that hold the ends of its interval, if there are such rows."""
    rows: dict[str, Words] = {}
    """Operation as the CSV prints it → the row that its figures are of, with `{row}`, where one crate has several
    figures of what is one operation here."""
    metrics: dict[str, Words] = {}
    """Metric as the CSV prints it → as the file calls that of other rows, where `rows` says whose figure it is."""


class DocumentCodec(Struct, frozen=True, forbid_unknown_fields=True):
    """The codec that stands for a row of document sizes."""

    codec: Codec
    ends_with: str = ""
    """What was counted after the encoded bytes, such as the end of a line."""
    note: Words | None = None
    """What the publication's library is known to do otherwise: a size that differs then refutes nothing."""


class DocumentMetric(Struct, frozen=True, forbid_unknown_fields=True):
    """What a metric of document sizes counts."""

    packed: Literal["gzip-9", "lz4-9", "lzma-9", "zstd-3-streamed", "zlib-libflate"] | None = None
    """How the bytes are packed before they are counted."""
    share_of_json: bool = False
    """Whether it is the share of the minified JSON, in per cent, rounded as printed."""
    why_not: Words | None = None
    """Why nothing here tells it, if so."""


class SizesOfDocuments(Struct, frozen=True, forbid_unknown_fields=True):
    """The whole CSV as sizes of documents that codecs write without a schema: each figure is a claim.

    Of the file's `layout`, `table` is the document and `operation` the metric.
    """

    says: Words
    """What the publication states with each figure: `{row}`, `{document}` and `{metric}`."""
    section: Words
    """The heading under which the figures stand."""
    integers: bool
    """Whether numbers without a fraction were written as integers, as programs in JavaScript do."""
    metrics: dict[str, DocumentMetric]
    codecs: dict[str, DocumentCodec]
    """Row → the codec that writes the same format without a schema."""
    without: dict[str, Words]
    """Row → why no codec of the lab stands for it."""


class PackedSizes(Struct, frozen=True, forbid_unknown_fields=True):
    """Metrics of the tables that are sizes of the scenarios' messages after a compression: each figure is a claim."""

    says: Words
    """What the publication states with each figure: `{row}`, `{document}` (its table) and `{metric}`."""
    plain: Words
    """The metric of the size before it."""
    metrics: dict[str, DocumentMetric]
    other_bytes: dict[str, dict[str, Words]] = {}
    """Table → row → why the lab's codec writes as many bytes, but others: its packed sizes tell nothing."""


class Planned(Struct, frozen=True, forbid_unknown_fields=True):
    """What the lab does not have yet: claims about it are `not measured`; any other unknown name is a mistake."""

    scenarios: list[Name] = []
    operations: list[Name] = []


class Head(Struct, frozen=True, forbid_unknown_fields=True):
    """The head of a publication's file."""

    protocol: Version
    title: Words
    """The publication in a few words, as tables of claims name it."""
    order: Positive
    """Its position among the publications, wherever several are listed."""
    address: Address | None = None
    """Its page, in the version that the numbers are of where it has versions."""
    operations: dict[str, OperationName] = {}
    """Operation as the CSV prints it → as claims, tables and the lab call it, where the two differ."""
    planned: Planned = Planned()
    layout: Layout | None = None
    """Of the CSV, if it does not have the columns of the others."""
    versions: dict[str, Words] = {}
    """Library, as runs name it → the version that the publication states, where it does."""
    codecs: dict[str, Codec] = {}
    """Name of a row → codec, in every table that has the row; what a scenario or a table names comes first."""
    document_sizes: SizesOfDocuments | None = None
    """If the CSV is of documents, which are no scenarios of the lab."""
    packed_sizes: PackedSizes | None = None
    """If its tables have sizes after a compression."""
    compiled: Words | None = None
    """How its program was compiled, where the lab's runners are not: a refuted claim of a time says so."""
    works_differ: Annotated[float, Meta(ge=1)] = 1.0
    """By what factor its own program and the lab's differed in instructions, for reasons that are not known: ratios
    nearer to 1 decide nothing."""


class _Raw(Head, frozen=True, forbid_unknown_fields=True):
    """A publication's file before its parts are converted one by one, so that an error can name the part."""

    metrics: dict[str, Any] = {}
    forms: dict[Name, Any] = {}
    tables: dict[Name, Any] = {}
    claims: dict[Name, Any] = {}
    rules: dict[Name, Any] = {}
    same_bytes: dict[Name, Any] = {}
    statements: dict[Name, Any] = {}


class Publication(Struct, frozen=True):
    """A publication's file."""

    path: Path
    title: str
    address: str | None
    """Its page."""
    order: int
    """Its position among the publications, wherever several are listed."""
    operations: dict[str, str]
    """Operation as the CSV prints it → as claims, tables and the lab call it."""
    planned: Planned
    layout: Layout | None
    metrics: dict[str, Metric]
    forms: dict[str, Form]
    tables: dict[str, Table]
    claims: dict[str, dict[str, Any]]
    """As they stand in the file, like the next three."""
    rules: dict[str, dict[str, Any]]
    same_bytes: dict[str, dict[str, Any]]
    statements: dict[str, dict[str, Any]]
    versions: dict[str, str]
    """Library, as runs name it → the version that the publication states."""
    codecs: dict[str, str]
    """Name of a row → codec, in every table that has the row."""
    document_sizes: SizesOfDocuments | None
    packed_sizes: PackedSizes | None
    compiled: str | None
    """How its program was compiled, where the lab's runners are not."""
    works_differ: float
    """By what factor its own program and the lab's differ in instructions, for reasons that are not known."""

    @property
    def name(self) -> str:
        """The name of its files, without their endings."""
        return self.path.stem

    def metric(self, name: str) -> Metric | None:
        """What a metric of the CSV measures; None for metrics that the lab does not use."""
        own = Metric(Kind(name)) if name in set(Kind) else None
        return self.metrics.get(name, own)

    def tables_of(self, scenario: str, published: str) -> list[Table]:
        """The tables that a scenario's cells reproduce, its own first; empty if the file lacks that one."""
        own = [table for table in self.tables.values() if table.scenario == scenario]
        ordered = sorted(own, key=lambda table: table.published != published)
        return ordered if ordered and ordered[0].published == published else []

    def form_name(self, scenario: str, published: str) -> str | None:
        """The name of the form of a scenario's table; None where the file has no form."""
        tables = self.tables_of(scenario, published)
        own = tables[0].form if tables else None
        return own or next(iter(self.forms), None)

    def mistake(self, keys: list[str], problem: str) -> LabError:
        """The error for a part of the file, with its line."""
        return mistake(self.path, keys, problem)


def load_publication(path: Path) -> Publication:
    """A publication's file. Raises LabError with file, line and field of a mistake."""
    raw = read_toml(path, _Raw)
    forms = converted(path, ["forms"], raw.forms, Form)
    tables = converted(path, ["tables"], raw.tables, Table)
    for name, table in tables.items():
        if table.form is not None and table.form not in forms:
            raise mistake(path, ["tables", name, "form"], errors.no_such(table.form, "form of this file", forms))
    metrics = converted(path, ["metrics"], raw.metrics, Metric)
    for name, metric in metrics.items():
        if metric.kind.is_ratio != (metric.to is not None):
            problem = f"a {metric.kind} needs `to`, the row that it is compared with; no other metric has it"
            raise mistake(path, ["metrics", name], problem)
    return Publication(
        path=path,
        title=raw.title,
        address=raw.address,
        order=raw.order,
        operations=raw.operations,
        planned=raw.planned,
        layout=raw.layout,
        metrics=metrics,
        forms=forms,
        tables=tables,
        claims=raw.claims,
        rules=raw.rules,
        same_bytes=raw.same_bytes,
        statements=raw.statements,
        versions=raw.versions,
        codecs=raw.codecs,
        document_sizes=raw.document_sizes,
        packed_sizes=raw.packed_sizes,
        compiled=raw.compiled,
        works_differ=raw.works_differ,
    )


def load_publications(folder: Path) -> list[Publication]:
    """Every publication of a folder, ordered by `order` in its file."""
    return sorted(map(load_publication, folder.glob("*.toml")), key=lambda one: (one.order, one.name))


def converted(path: Path, keys: list[str], raw: dict[str, Any], kind: type[T]) -> dict[str, T]:
    """Parts of a file by name, as values of `kind`. Raises LabError with the line of a part that is invalid."""
    result = {}
    for name, part in raw.items():
        try:
            result[name] = msgspec.convert(part, kind)
        except msgspec.ValidationError as error:
            problem, inner = split_validation_error(error)
            raise mistake(path, [*keys, name, *inner], problem) from None
    return result


def mistake(path: Path, keys: list[str], problem: str) -> LabError:
    """The error for a mistake in a file, with its line and field."""
    return bad_file(path, find_toml_line(read_text(path), keys), ".".join(keys), problem.rstrip(".") + ".")
