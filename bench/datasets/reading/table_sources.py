"""Rows of tables: CSV with a header, and Parquet."""

import base64
import csv
import math
import re
from collections.abc import Callable, Iterator
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from bench.datasets.reading.exact_json import NotExactError, decode
from bench.datasets.reading.json_sources import AtError

BATCH_ROWS = 10_000
LONGEST_CELL = 1 << 24
INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,38})")
NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
BOOLS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}

Cell = Callable[[str], Any]


def read_csv(path: Path, delimiter: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Rows by the names of the header; a column is of integers, numbers, bools or text, whatever all its cells are.

    An empty cell is a missing value, but in a column of text it is the empty text. Raises NotExactError.
    """
    kinds = _kinds(path, delimiter)
    for number, names, row in _rows(path, delimiter):
        yield number, {name: kinds[name](cell) for name, cell in zip(names, row, strict=True)}


def _rows(path: Path, delimiter: str) -> Iterator[tuple[int, list[str], list[str]]]:
    """Line, header and cells of each row."""
    csv.field_size_limit(LONGEST_CELL)
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file, delimiter=delimiter, strict=True)
        names: list[str] = []
        before = 0
        try:
            for row in reader:
                line, before = before + 1, reader.line_num
                if not row:
                    continue
                if not names:
                    names = row
                    check_header(line, names, delimiter)
                elif len(row) != len(names):
                    raise AtError(
                        line,
                        f"the row has {len(row)} cells and the header {len(names)}. Repair the row, or quote cells "
                        "that hold the delimiter",
                    )
                else:
                    yield line, names, row
        except csv.Error as error:
            raise AtError(reader.line_num, f"not CSV: {error}") from None
        except UnicodeDecodeError:
            raise AtError(reader.line_num + 1, "this line, or one after it, is not UTF-8. Convert the file") from None


def check_header(line: int, names: list[str], delimiter: str) -> None:
    """Raises AtError for names that make no type, and for a file of another delimiter."""
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise AtError(line, f"the header has {twice!r:.80} twice. Rename one of the columns")
    if "" in names:
        raise AtError(line, f"column {names.index('') + 1} has no name. Name it, or remove it")
    if len(names) == 1 and (other := next((one for one in ";\t|" if one in names[0] and one != delimiter), None)):
        raise AtError(
            line, f"the header {names[0]!r:.80} is one column, with {other!r} in it. Separate columns by {delimiter!r}"
        )


def _kinds(path: Path, delimiter: str) -> dict[str, Cell]:
    """Column → how its cells are read: as the narrowest kind that all of them have."""
    possible: list[list[Kind]] = []
    names: list[str] = []
    filled: set[int] = set()
    for _, names, row in _rows(path, delimiter):
        possible = possible or [list(KINDS) for _ in names]
        for column, cell in enumerate(row):
            if cell:
                filled.add(column)
                possible[column] = [kind for kind in possible[column] if kind.fits(cell)]
    return {
        name: possible[column][0].read if possible[column] and column in filled else str
        for column, name in enumerate(names)
    }


def _is_number(cell: str) -> bool:
    """Whether a double prints as the same number, so that no digit is lost; integers of any length are none."""
    if not NUMBER.fullmatch(cell) or cell.lstrip("-").isdigit():
        return False
    number = float(cell)
    if not number:
        return not re.search("[1-9]", cell.lower().partition("e")[0])
    return math.isfinite(number) and Decimal(cell) == Decimal(repr(number))


def _is_exact(integer: str) -> bool:
    """Whether a double holds the integer as it is."""
    number = float(integer)
    return math.isfinite(number) and int(number) == int(integer)


class Kind(NamedTuple):
    """What the cells of a column may be."""

    fits: Callable[[str], Any]
    read: Cell


KINDS = (
    Kind(BOOLS.__contains__, lambda cell: BOOLS[cell] if cell else None),
    Kind(INTEGER.fullmatch, lambda cell: decode(cell.encode()) if cell else None),
    Kind(
        lambda cell: _is_exact(cell) if INTEGER.fullmatch(cell) else _is_number(cell),
        lambda cell: float(cell) if cell else None,
    ),
)
"""From the narrowest to the widest; what is none of these is text."""


def read_parquet(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Rows of a Parquet file. Times are numbers in the unit of their column. Raises NotExactError."""
    import polars as pl
    from polars.exceptions import PolarsError

    try:
        frame = pl.scan_parquet(path, glob=False)
        schema = frame.collect_schema()
        plain = {name: without_times(kind) for name, kind in schema.items()}
        frame = frame.with_columns(pl.col(name).cast(kind) for name, kind in plain.items() if kind != schema[name])
        number = 0
        for batch in frame.collect_batches(chunk_size=BATCH_ROWS, maintain_order=True):
            for row in batch.iter_rows(named=True):
                number += 1
                yield number, {name: _plain(value, number, name) for name, value in row.items()}
    except PolarsError as error:
        raise NotExactError(f"not Parquet that can be read: {error}") from None


def without_times(kind: Any) -> Any:
    """A type of Polars with the integers that it holds in the place of times, at any depth: Python's have no ns."""
    import polars as pl

    if kind.is_temporal():
        return pl.Int32() if kind == pl.Date else pl.Int64()
    if isinstance(kind, pl.List):
        return pl.List(without_times(kind.inner))
    if isinstance(kind, pl.Array):
        return pl.Array(without_times(kind.inner), kind.size)
    if isinstance(kind, pl.Struct):
        return pl.Struct({field.name: without_times(field.dtype) for field in kind.fields})
    return kind


def _plain(value: Any, row: int, path: str) -> Any:
    """A value of a table as JSON has it; bytes remain bytes."""
    if value is None or isinstance(value, bool | int | str | bytes):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise AtError(row, f"{path}: {value} is no JSON. Write null in its place")
        return value
    if isinstance(value, dict):
        return {name: _plain(one, row, f"{path}.{name}") for name, one in value.items()}
    if isinstance(value, list):
        return [_plain(one, row, f"{path}[{index}]") for index, one in enumerate(value)]
    if isinstance(value, date | datetime | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value // timedelta(microseconds=1)
    if isinstance(value, Decimal):
        return str(value)
    raise AtError(row, f"{path}: values of the type {type(value).__name__} have no JSON. Convert the column")


def base64_text(value: bytes) -> str:
    """Bytes as canonical JSON has them."""
    return base64.b64encode(value).decode()
