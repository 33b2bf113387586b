"""The published tables as typed rows. The files in `published/` hold the sources' numbers and are never edited here."""

import csv
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from msgspec import Struct

from analysis.base import problems as errors
from analysis.sources.layouts import laid_out
from analysis.sources.publications import Kind, Metric, Publication, load_publication
from bench.base.errors import bad_file
from bench.base.files import read_text
from bench.model.cells import Operation

FOLDER = Path(__file__).parents[1] / "published"
COLUMNS = ["source", "table", "platform", "codec", "operation", "metric", "value", "low", "high", "unit"]
UNSTATED = "unstated"
"""The platform of a table that does not name one."""
MS = {"ns": 1e-6, "us": 1e-3, "µs": 1e-3, "ms": 1.0, "s": 1e3}
"""Milliseconds in one unit of time, as the files write the units."""
BYTES = {"B": 1.0, "KB": 1024.0, "MB": 1024.0**2}
"""Bytes in one unit of size: both sources that print KB or MB divide by 1024 (219.02 KB are 224,276 bytes)."""
RATES = {"MB/s": 1e6, "GB/s": 1e9, "Mbit/s": 1e6 / 8}
"""Bytes a second in one unit of throughput."""

Stamp = tuple[int, int] | None
"""When a file was last written, in ns, and its bytes; None where there is none."""


class PublishedValue(Struct, frozen=True):
    """One published number: a metric of an operation in one row of a table, on one platform.

    `low` and `high` are the printed range, where there is one. `value` is a median where the source prints medians.
    """

    platform: str
    codec: str
    operation: str
    metric: str
    value: float
    low: float | None
    high: float | None
    unit: str
    line: int

    @property
    def scale(self) -> float:
        """One unit of it in ms, bytes, or bytes a second."""
        return {**MS, **BYTES, **RATES}.get(self.unit, 1.0)


class PublishedRows(Struct, frozen=True):
    """A published table."""

    path: Path
    table: str
    values: tuple[PublishedValue, ...]
    publication: Publication | None = None
    """The publication's file; None where there is only the table."""

    def metric(self, value: PublishedValue) -> Metric | None:
        """What the metric of a value measures; None for metrics that the lab does not use."""
        if self.publication is not None:
            return self.publication.metric(value.metric)
        return Metric(Kind(value.metric)) if value.metric in set(Kind) else None

    @property
    def conditions(self) -> dict[str, str]:
        """Conditions of its cells in addition to the scenario's published conditions."""
        tables = self.publication.tables.values() if self.publication else ()
        return next((one.conditions for one in tables if one.published == self.table), {})

    def rows(self) -> list[str]:
        """Names of its rows, in their printed order."""
        return list(dict.fromkeys(value.codec for value in self.values))

    def times_ms(self, platform: str) -> dict[tuple[str, Operation], float]:
        """(Row, operation) → published time in ms on a platform, in printed order. Raises LabError for a bad unit."""
        result = {}
        for value in self.values:
            if value.platform == platform and value.metric == "time" and value.operation in set(Operation):
                if value.unit not in MS:
                    raise bad_file(
                        self.path, value.line, "unit", f"{value.unit!r} is not a unit of time; known: {', '.join(MS)}"
                    )
                result[value.codec, Operation(value.operation)] = value.value * MS[value.unit]
        return result

    def platform_for(self, system: str) -> str:
        """The platform to compare a system with: the system itself, or `unstated` if the table names none."""
        return UNSTATED if self.platforms() == [UNSTATED] else system

    def platforms(self) -> list[str]:
        """The platforms that it has figures of."""
        return list(dict.fromkeys(value.platform for value in self.values))


def load_published(reference: str, folder: Path = FOLDER) -> PublishedRows:
    """The table `FILE#TABLE` of `folder`, with FILE's publication if that is described.

    Raises LabError, with file and line, if the reference, the file or one of its rows is invalid.
    """
    name, _, table = reference.partition("#")
    if not name or not table:
        raise errors.bad_reference(reference)
    held_files = sorted(path.name for path in folder.glob("*.csv"))
    if name not in held_files:
        raise errors.unknown_publication(name, held_files)
    path = folder / name
    return _loaded(path, table, _stamp(path), _stamp(path.with_suffix(".toml")))


@lru_cache(maxsize=1_000)
def _loaded(path: Path, table: str, _of_table: Stamp, of_publication: Stamp) -> PublishedRows:
    """A table, read once for all scenarios of all runs, and again when a file has changed."""
    return read_table(path, table, load_publication(path.with_suffix(".toml")) if of_publication else None)


def _stamp(path: Path) -> Stamp:
    if not path.exists():
        return None
    status = path.stat()
    return status.st_mtime_ns, status.st_size


def read_table(path: Path, table: str, publication: Publication | None) -> PublishedRows:
    """A table of a file, with operations renamed as the publication's file says. Raises LabError as above."""
    operations = publication.operations if publication else {}
    layout = publication.layout if publication else None
    values, held = [], dict[str, None]()
    for line, fields in laid_out(path, layout, operations) if layout else _rows(path):
        held[fields["table"]] = None
        if fields["table"] == table:
            values.append(_value(path, line, fields, operations))
    if not values:
        raise errors.no_published_table(path, table, list(held))
    return PublishedRows(path, table, tuple(values), publication)


def _rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Line → fields by column."""
    reader = csv.reader(read_text(path).splitlines())
    if (header := next(reader, [])) != COLUMNS:
        raise bad_file(
            path, 1, "", f"its columns are {','.join(header)!r}; a published table has {','.join(COLUMNS)!r}"
        )
    for cells in reader:
        if len(cells) != len(COLUMNS):
            raise bad_file(path, reader.line_num, "", f"{len(cells)} fields; a row has {len(COLUMNS)}")
        yield reader.line_num, dict(zip(COLUMNS, cells, strict=True))


def _value(path: Path, line: int, fields: dict[str, str], operations: dict[str, str]) -> PublishedValue:
    return PublishedValue(
        platform=fields["platform"],
        codec=fields["codec"],
        operation=operations.get(fields["operation"], fields["operation"]),
        metric=fields["metric"],
        value=_number(path, line, "value", fields["value"]),
        low=_number(path, line, "low", fields["low"]) if fields["low"] else None,
        high=_number(path, line, "high", fields["high"]) if fields["high"] else None,
        unit=fields["unit"],
        line=line,
    )


def _number(path: Path, line: int, field: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise bad_file(path, line, field, f"{text!r} is not a number") from None
