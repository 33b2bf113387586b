"""A CSV file that was copied as it was published, in the columns that the lab's own files have."""

import csv
from collections.abc import Container, Iterator
from pathlib import Path

from analysis.sources.publications import Layout
from bench.base.errors import bad_file
from bench.base.files import read_text

Fields = dict[str, str]
ROW = "{row}"
"""In the name of a row: what the file's column holds."""


def laid_out(path: Path, layout: Layout, times: Container[str]) -> Iterator[tuple[int, Fields]]:
    """Line → a figure's fields by the lab's columns; `times` are the operations whose figures are times.

    Raises LabError, with file and line, for a missing column and for a row of another length.
    """
    rows = list(_rows(path, layout))
    values = {(row[layout.table], row[layout.codec], row[layout.operation]): row[layout.value] for _, row in rows}

    def end(table: str, codec: str, operation: str, suffix: str | None) -> str:
        return values.get((table, codec, operation + suffix), "") if suffix else ""

    for line, row in rows:
        table, codec, operation = (row[column] for column in (layout.table, layout.codec, layout.operation))
        if operation.endswith(tuple(filter(None, (layout.low, layout.high)))):
            continue
        yield (
            line,
            {
                "table": table,
                "platform": layout.platform,
                "codec": layout.rows.get(operation, ROW).replace(ROW, codec),
                "operation": layout.metrics.get(operation, operation),
                "metric": "time" if operation in times else layout.metrics.get(operation, operation),
                "value": row[layout.value],
                "low": end(table, codec, operation, layout.low),
                "high": end(table, codec, operation, layout.high),
                "unit": row[layout.unit],
            },
        )


def _rows(path: Path, layout: Layout) -> Iterator[tuple[int, Fields]]:
    """Line → fields by the file's own columns. A record is a line; those that begin with `#` are comments."""
    lines = [(line, text) for line, text in enumerate(read_text(path).splitlines(), 1) if not text.startswith("#")]
    reader = csv.reader(text for _, text in lines)
    header = next(reader, [])
    if missing := {layout.table, layout.codec, layout.operation, layout.value, layout.unit} - {*header}:
        problem = f"there is no column {min(missing)!r}, which [layout] of {path.stem}.toml names"
        raise bad_file(path, lines[0][0] if lines else 1, "", problem)
    for (line, _), cells in zip(lines[1:], reader, strict=True):
        if len(cells) != len(header):
            raise bad_file(path, line, "", f"{len(cells)} fields; a row has {len(header)}")
        yield line, dict(zip(header, cells, strict=True))
