"""Columns of costs besides time: system calls and memory."""

import numpy as np

from analysis.base.text import plural, significant, size
from analysis.tables.columns.kinds import Entry, column
from analysis.tables.layout import NOTHING, Lines
from analysis.tables.rows import Table, longest_loop


@column(
    "Calls",
    "a row",
    legend=lambda _: "Calls a row: read and write calls to the system (seeks are not counted).",
)
def calls_per_row(entry: Entry) -> Lines:
    """Read and write calls; empty if the system does not count them."""
    calls = entry.measures.series.calls_a_row if entry.measures else None
    return (NOTHING if calls is None else significant(calls),)


def memory_legend(table: Table) -> str:
    """Which process's memory it is."""
    passes = plural(longest_loop(table), "pass", "passes")
    return f"Peak memory: hyperfine's, of a process that only writes or only reads, a file of {passes}."


@column("Peak", "memory", legend=memory_legend)
def peak_memory(entry: Entry) -> Lines:
    """The largest of all rounds."""
    known = entry.measures.series.peak_memory_bytes if entry.measures else np.array([])
    known = known[known > 0]
    return (size(float(known.max())) if len(known) else NOTHING,)


@column(
    "Instructions",
    legend=lambda _: (
        "Instructions: of one repetition in user space, counted under valgrind; a range where it draws randomness."
    ),
)
def instructions(entry: Entry) -> Lines:
    """`2,498.0`; a range where countings differ; empty where the cell was not counted."""
    counted = entry.measures.series.counted if entry.measures else None
    if counted is None or counted.instructions_each is None:
        return (NOTHING,)
    bounds = counted.range_each or (counted.instructions_each,)
    return (" – ".join(f"{each:,.1f}" for each in bounds),)
