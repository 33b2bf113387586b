"""The cells of a codec, scenario by scenario, each with the command that measures it again."""

from collections.abc import Sequence

from analysis.base.text import count, duration_ns, figure_ns, plural, size
from analysis.data.summaries import Summary
from analysis.render.reproduction import cell_command, expectation
from analysis.site.blocks import Block, table_of
from analysis.site.lab import Lab
from analysis.tables.layout import NOTHING, Column, Grid, Lines, Section
from analysis.tables.notes import commit, machine
from analysis.tables.reports import RunReport
from bench.model.plan import Profile
from bench.model.scenario import Scenario

COLUMNS = (
    Column(("Operation", "conditions"), right=False),
    Column(("Time", "[95 %]")),
    Column(("Least – most",)),
    Column(("Size",)),
    Column(("Allocations",)),
    Column(("Peak memory",)),
    Column(("Measure it again",), right=False),
)


def scenario_blocks(lab: Lab, codec: str) -> list[Block]:
    """A block for each scenario and run that hold the codec; of several runs the one that represents it is first."""
    blocks = []
    for name, reports in lab.scenarios.items():
        held = [(run, report.scenario) for run, report in reports if _cells_of(lab, run, name, codec)]
        for number, (run, scenario) in enumerate(held, 1):
            anchor = f"{name}-{number}" if number > 1 else name
            blocks.append(_block(lab, codec, run, scenario, anchor))
    return blocks


def _cells_of(lab: Lab, run: RunReport, scenario: str, codec: str) -> list[Summary]:
    return [one for one in lab.cells_of(run, scenario) if one.codec == codec]


def _block(lab: Lab, codec: str, run: RunReport, scenario: Scenario, anchor: str) -> Block:
    cells = _cells_of(lab, run, scenario.name, codec)
    where = f"{machine(run.run)}, {run.run.created[:10]}"
    quick = run.run.plan.profile is Profile.QUICK
    grid = _grid(scenario, where, cells)
    return Block(
        anchor,
        f"{scenario.title} ({scenario.name}){'' if anchor == scenario.name else f', again on {run.run.created[:10]}'}",
        words=(f"Measured on {where}, at commit {commit(run.run)} of the lab; run `{run.run.id}`.",),
        warnings=("A quick run: its numbers mean nothing.",) if quick else (),
        table=table_of(grid, anchor, {}),
    )


def _grid(scenario: Scenario, where: str, cells: Sequence[Summary]) -> Grid:
    rounds = sorted({cell.rounds for cell in cells})
    published = [cell for cell in cells if cell.as_published]
    others = [cell for cell in cells if not cell.as_published]
    parts = {"at the published conditions": published, "at other conditions, or of another build": others}
    return Grid(
        f"{scenario.title}, on {where}",
        COLUMNS,
        tuple(
            Section(tuple(_row(cell, scenario) for cell in group), f"{plural(len(group), 'cell')} {what}")
            for what, group in parts.items()
            if group
        ),
        notes=(
            f"Time of one repetition, of {plural(len(cells), 'cell')}; rounds: {', '.join(map(str, rounds))}. "
            "The command prints the command line that measures just this cell, in one process and one layout, and what "
            "to expect of it; the figure here is of all layouts, and of calm loops where there are canaries.",
        ),
    )


def _row(cell: Summary, scenario: Scenario) -> tuple[Lines, ...]:
    time, _, interval = figure_ns(cell.median_ns, cell.low_ns, cell.high_ns).partition(" [")
    expected = expectation(cell)
    return (
        (cell.operation, str(cell.conditions)),
        (time, f"[{interval}") if interval else (time,) if cell.is_figure else (time, "too few calm loops"),
        (f"{duration_ns(cell.min_ns)} – {duration_ns(cell.max_ns)}",),
        (size(cell.encoded_bytes) if cell.encoded_bytes else NOTHING,),
        (NOTHING if cell.allocations is None else count(cell.allocations),),
        (size(cell.peak_memory_bytes) if cell.peak_memory_bytes else NOTHING,),
        (
            f"`{cell_command(cell, point=scenario.point)}`",
            f"expect {expected} on that machine" if expected else "expect no figure: too few loops were calm",
        ),
    )
