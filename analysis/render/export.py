"""A run in the formats that other tools read. Every exporter is a function of a run to bytes."""

import io
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec
import numpy as np
import polars as pl
from msgspec import Struct

from analysis.data.cells import RunCells
from analysis.data.summaries import Summary, columns, flat, summaries
from analysis.statistics.intervals import Vector
from bench.base.visible import safe_json, visible
from bench.model.cells import Cell
from bench.model.plan import ProcessKind

POLARS: Mapping[type, Any] = {str: pl.String, int: pl.Int64, float: pl.Float64, bool: pl.Boolean}
"""Column types by Python type."""


def frame_of(rows: Iterable[Mapping[str, Any]], types: Mapping[str, type]) -> pl.DataFrame:
    """Rows as a table with typed columns, in their order."""
    schema = {name: POLARS[kind] for name, kind in types.items()}
    return pl.DataFrame([dict(row) for row in rows], schema=schema, orient="row")


def parquet_of(frame: pl.DataFrame) -> bytes:
    """A table as a Parquet file."""
    buffer = io.BytesIO()
    frame.write_parquet(buffer, compression="zstd")
    return buffer.getvalue()


FORMULA = re.compile(r"[=+\-@＝＋－＠]")
"""What makes a spreadsheet read a cell as a formula; tabs and line ends are already escaped."""
NUMBER = re.compile(r"[-+]?[0-9]+([.][0-9]*)?([eE][-+]?[0-9]+)?")


def csv_of(frame: pl.DataFrame) -> bytes:
    """A table as CSV that no spreadsheet executes: in text columns, an apostrophe precedes what looks like a formula.

    That is OWASP's rule (“CSV Injection”). Numbers stay numbers even in a text column; control characters are escaped.
    """
    texts = [pl.Series(one.name, [_csv_cell(v) for v in one], pl.String) for one in frame if one.dtype == pl.String]
    return frame.with_columns(texts).write_csv().encode()


def _csv_cell(value: str | None) -> str | None:
    if value is None:
        return None
    text = visible(value)
    return f"'{text}" if FORMULA.match(text) and not NUMBER.fullmatch(text) else text


class Source(Struct, frozen=True, eq=False):
    """The parts of a run that exporters need."""

    cells: RunCells
    processes: pl.DataFrame
    """A row per line of processes.jsonl."""


def as_csv(run: Source) -> bytes:
    """One row per cell, times in ns of one repetition."""
    return csv_of(frame_of(map(flat, summaries(run.cells)), columns()))


def as_parquet(run: Source) -> bytes:
    """The same rows as `as_csv`, with typed columns."""
    return parquet_of(frame_of(map(flat, summaries(run.cells)), columns()))


def as_hyperfine(run: Source) -> bytes:
    """hyperfine's `--export-json`: the whole process of each cell in seconds, one time per successful process.

    The keys are those of hyperfine 1.20 (sharkdp/hyperfine, src/benchmark/benchmark_result.rs), so that its scripts
    read it. `command` is the cell; processes are those with repetitions, in the order of their rounds.
    """
    ended_well = (pl.col("kind") == ProcessKind.LOOP.value) & ~pl.col("twin") & pl.col("wall_s").is_not_null()
    timed = run.processes.filter(ended_well).sort("round", maintain_order=True)
    cells = {str(planned.cell): planned.cell for planned in run.cells.run.plan.cells}
    groups = {str(name): group for (name,), group in timed.group_by("cell")}
    return _pretty({"results": [_hyperfine(cells[name], groups[name]) for name in sorted(groups)]})


def _hyperfine(cell: Cell, processes: pl.DataFrame) -> dict[str, Any]:
    def column(name: str) -> Vector:
        return processes[name].fill_null(0).cast(pl.Float64).to_numpy()

    times = column("wall_s")
    return {
        "command": str(cell),
        "mean": float(times.mean()),
        "stddev": float(times.std(ddof=1)) if len(times) > 1 else None,
        "median": float(np.median(times)),
        "user": float(column("user_s").mean()),
        "system": float(column("system_s").mean()),
        "min": float(times.min()),
        "max": float(times.max()),
        "times": times.tolist(),
        "memory_usage_byte": [int(value) for value in column("peak_memory_bytes")],
        "exit_codes": [0] * len(times),
        "parameters": dict(cell.conditions.items()),
    }


def as_bencher(run: Source) -> bytes:
    """Bencher Metric Format (bencher.dev/docs/reference/bencher-metric-format): benchmark → measure → value and bounds.

    `latency` in ns and `file-size` in bytes are Bencher's own measures; the bounds are those of the 95 % interval,
    where one is known. A cell too seldom calm for a figure is left out, as an alert on it would mean nothing.
    """
    return _pretty({one.cell: _bencher(one) for one in summaries(run.cells) if one.is_figure})


def _bencher(one: Summary) -> dict[str, dict[str, float]]:
    latency = {"value": one.median_ns}
    if one.low_ns < one.high_ns:  # equal bounds are no interval, and an alert takes them for one
        latency |= {"lower_value": one.low_ns, "upper_value": one.high_ns}
    return {"latency": latency} | ({"file-size": {"value": float(one.encoded_bytes)}} if one.encoded_bytes else {})


def as_github_action(run: Source) -> bytes:
    """github-action-benchmark's `customSmallerIsBetter` (benchmark-action/github-action-benchmark, README)."""
    return _pretty([_entry(one) for one in summaries(run.cells) if one.is_figure])


def _entry(one: Summary) -> dict[str, Any]:
    size = f"\n{one.encoded_bytes} bytes" if one.encoded_bytes else ""
    return {
        "name": one.cell,
        "unit": "ns",
        "value": one.median_ns,
        "range": f"{one.low_ns:.4g} – {one.high_ns:.4g}",
        "extra": f"{one.rounds} rounds of {one.repetitions} repetitions, run {one.run}{size}",
    }


EXPORTERS: Mapping[str, Callable[[Source], bytes]] = {
    "csv": as_csv,
    "parquet": as_parquet,
    "hyperfine": as_hyperfine,
    "bencher": as_bencher,
    "github-action-benchmark": as_github_action,
}


def _pretty(value: object) -> bytes:
    return safe_json(msgspec.json.format(msgspec.json.encode(value))) + b"\n"
