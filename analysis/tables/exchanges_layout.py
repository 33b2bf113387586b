"""The matrices of who reads whose bytes, as text."""

from analysis.base.text import one_line, plural
from analysis.tables.exchanges import Matrix, Reading, Refusal, refusals
from analysis.tables.layout import NOTHING, Column, Grid, Lines, Section

NOTE = (
    "A row writes, a column reads. `6 of 6`: scenarios whose value came out, of those that both have, piped from one "
    "program into the other; = where the reader would have written the same bytes."
)


def interop_grid(matrix: Matrix, title: str = "") -> Grid:
    """The matrix of a format, with every refusal below it."""
    columns = (
        Column(("writes", "reads"), right=False),
        *(Column(tuple(name.split("/", 1))) for name in matrix.readers),
    )

    def cells(writer: str) -> tuple[Lines, ...]:
        return ((writer,), *(_cell(matrix.pairs.get((writer, reader))) for reader in matrix.readers))

    return Grid(
        title=title or f"Interoperability: {matrix.format}",
        columns=columns,
        sections=(Section(tuple(map(cells, matrix.writers))),),
        notes=(NOTE, *map(_sentence, refusals(matrix))),
    )


def _cell(reading: Reading | None) -> Lines:
    if reading is None:
        return (NOTHING,)
    total = len(reading.read) + len(reading.refused)
    return (f"{len(reading.read)} of {total}{' =' if reading.same_bytes else ''}",)


def _sentence(refusal: Refusal) -> str:
    said = one_line(refusal.problem)[:200]
    why = f"{refusal.known} ({said})" if refusal.known else said
    scenarios = f"{plural(len(refusal.scenarios), 'scenario')}: {', '.join(refusal.scenarios)}"
    return f"{refusal.reader} does not read {refusal.writer} ({scenarios}): {why}"
