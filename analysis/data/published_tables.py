"""The published tables as typed rows. The files in `published/` hold the sources' numbers and are never edited here."""

import csv
from pathlib import Path

from msgspec import Struct

from analysis.base import problems as errors
from bench.base.errors import bad_file
from bench.base.files import read_text
from bench.model.cells import Operation

FOLDER = Path(__file__).parents[1] / "published"
COLUMNS = ["source", "table", "platform", "codec", "operation", "metric", "value", "low", "high", "unit"]
OUR_NAMES = {
    "serialize+deserialize": Operation.ROUND_TRIP.value,
    "Writing": Operation.WRITE.value,
    "Reading": Operation.READ.value,
    "Filtering": Operation.FILTER.value,
}
"""Operations that a publication calls otherwise than the lab does."""
UNSTATED = "unstated"
"""The platform of a table that does not say on which it was made."""
MS = {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1e3}
"""Milliseconds in one unit of time, as the files write the units."""
BYTES = {"B": 1.0, "KB": 1024.0, "MB": 1024.0**2}
"""Bytes in one unit of size: both sources that print KB or MB divide by 1024 (219.02 KB are 224,276 bytes)."""
RATES = {"MB/s": 1e6, "GB/s": 1e9}
"""Bytes a second in one unit of throughput."""


class PublishedValue(Struct, frozen=True):
    """One published number: of a metric of an operation of one row of a table, on one platform.

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


class PublishedRows(Struct, frozen=True):
    """A published table."""

    path: Path
    table: str
    values: tuple[PublishedValue, ...]

    def rows(self) -> list[str]:
        """Names of its rows, in their printed order."""
        return list(dict.fromkeys(value.codec for value in self.values))

    def times_ms(self, platform: str) -> dict[tuple[str, Operation], float]:
        """(Row, operation) → published time in ms on a platform, in printed order. Raises LabError for an odd unit."""
        result = {}
        for value in self.values:
            if value.platform == platform and value.metric == "time" and value.operation in set(Operation):
                if value.unit not in MS:
                    raise bad_file(
                        self.path, value.line, "unit", f"{value.unit!r} is no unit of time; known: {', '.join(MS)}"
                    )
                result[value.codec, Operation(value.operation)] = value.value * MS[value.unit]
        return result

    def metric(self, platform: str, name: str) -> dict[tuple[str, Operation], float]:
        """(Row, operation) → a published metric on a platform, in the unit of the publication, in printed order."""
        return {
            (value.codec, Operation(value.operation)): value.value
            for value in self.values
            if value.platform == platform and value.metric == name and value.operation in set(Operation)
        }

    def of_row(self, platform: str, row: str, metric: str) -> float | None:
        """A published metric of a row that belongs to none of the lab's operations, such as one of its size."""
        held = (v.value for v in self.values if (v.platform, v.codec, v.metric) == (platform, row, metric))
        return next(held, None)

    def platform_for(self, system: str) -> str:
        """The platform whose figures stand beside those of a system: its own, or where the table says none, that."""
        return UNSTATED if self.platforms() == [UNSTATED] else system

    def platforms(self) -> list[str]:
        """The platforms of which it has figures."""
        return list(dict.fromkeys(value.platform for value in self.values))


def load_published(reference: str, folder: Path = FOLDER) -> PublishedRows:
    """The table `FILE#TABLE` of `folder`.

    Raises LabError, with file and line, where the reference, the file or a row of it is not what it has to be.
    """
    name, _, table = reference.partition("#")
    if not name or not table:
        raise errors.bad_reference(reference)
    held_files = sorted(path.name for path in folder.glob("*.csv"))
    if name not in held_files:
        raise errors.unknown_publication(name, held_files)
    path = folder / name
    reader = csv.reader(read_text(path).splitlines())
    if (header := next(reader, [])) != COLUMNS:
        raise bad_file(
            path, 1, "", f"its columns are {','.join(header)!r}; a published table has {','.join(COLUMNS)!r}"
        )
    values, held = [], dict[str, None]()
    for cells in reader:
        if len(cells) != len(COLUMNS):
            raise bad_file(path, reader.line_num, "", f"{len(cells)} fields; a row has {len(COLUMNS)}")
        held[cells[1]] = None
        if cells[1] == table:
            values.append(_value(path, reader.line_num, dict(zip(COLUMNS, cells, strict=True))))
    if not values:
        raise errors.no_published_table(path, table, list(held))
    return PublishedRows(path, table, tuple(values))


def _value(path: Path, line: int, fields: dict[str, str]) -> PublishedValue:
    return PublishedValue(
        platform=fields["platform"],
        codec=fields["codec"],
        operation=OUR_NAMES.get(fields["operation"], fields["operation"]),
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
