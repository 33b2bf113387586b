"""Instructions of publications' own programs beside those of the runners, as Markdown: do both do the same work?"""

from collections.abc import Iterator, Sequence

from analysis.base.text import count, significant
from analysis.claims.definitions import ClaimSet, LoadedTable
from analysis.claims.identity.same_work import counted_of
from analysis.data.cells import RunCells
from analysis.data.select import runs_by_scenario
from analysis.render.recorded.scenario_pages import MARKER
from analysis.render.terminal import escape, markdown_table
from analysis.sources.own_program import Work
from analysis.tables.layout import NOTHING, Column, Grid, Section

SAME_WORK_FILE = "results/same-work.md"
"""The path of the page, from the repository's root."""
LEAD = (
    "How many instructions a repetition takes in a publication's own program, and in the lab's program of the same "
    "row. Where the two differ, a ratio of times can be one of programs, not of formats: "
    "[the ledger](../METHODOLOGY.md#same-work-as-published) says *not measurable* of a claim that they decide. How "
    "they were counted, and what explains the larger differences: "
    "[the same work as published](../analysis/published/same-work.md)."
)
COLUMNS = (
    Column(("Row",), right=False),
    Column(("Operation",), right=False),
    Column(("Published program",)),
    Column(("Lab's program",)),
    Column(("Lab's / published",)),
    Column(("Counted in run",), right=False),
)


def same_work_page(claims: ClaimSet, runs: Sequence[RunCells]) -> str | None:
    """The page: a table for each published table whose program was counted; None where none was."""
    holding = runs_by_scenario(runs)
    parts = [
        part
        for table in claims.tables.values()
        if (rows := tuple(_rows(table, claims, [run for run, _ in holding.get(table.definition.scenario, [])])))
        for part in (
            f"## {escape(f'{claims.titles[table.rows.path.stem]}: {table.definition.scenario}')}",
            markdown_table(Grid(table.name, COLUMNS, (Section(rows),))),
        )
    ]
    return "\n\n".join([MARKER, "# The same work as published", LEAD, *parts]) + "\n" if parts else None


def _rows(table: LoadedTable, claims: ClaimSet, runs: Sequence[RunCells]) -> Iterator[tuple[tuple[str, ...], ...]]:
    """The published rows that have a codec and whose program was counted, in the published order."""
    own = claims.own_instructions.get(table.rows.path.stem, {})
    sides = {
        work: table.side(value)
        for value in table.rows.values
        if value.codec in table.codecs
        and (work := Work(table.definition.scenario, value.codec, value.operation)) in own
    }
    for work, side in sides.items():
        here = next(((run, counted[0]) for run in runs if (counted := counted_of([side], [run]))), None)
        lab = (NOTHING, NOTHING, NOTHING)
        if here is not None:
            run, instructions = here
            lab = (count(instructions), significant(instructions / own[work]), run.run.id)
        shown = (work.row, work.operation, count(own[work]), *lab)
        yield tuple((cell,) for cell in shown)
