"""What several machines say of a scenario, as tables: ranges of ratios, and ranks that move."""

from collections.abc import Mapping, Sequence

from analysis.base.text import heading, significant
from analysis.tables.layout import NOTHING, Column, Grid, Lines, Section
from analysis.tables.machines.across import Reports, RowAcross, commits_note, of_machines, rows_across
from bench.model.cells import Operation


def ranges_grid(reports: Reports) -> Grid | None:
    """For each row of a scenario's table the least and the largest ratio to the reference over all machines.

    None where only one machine measured the scenario.
    """
    rows = rows_across(reports)
    if not rows:
        return None
    scenario = reports[0][1].scenario
    operations = list(dict.fromkeys(row.operation for row in rows))
    held: dict[str, dict[Operation, RowAcross]] = {}
    for row in rows:
        held.setdefault(row.codec, {})[row.operation] = row
    references = dict.fromkeys((row.operation, row.reference) for row in rows)
    machines = list(of_machines(reports))
    return Grid(
        f"{scenario.title} ({scenario.name}) over {len(machines)} machines",
        (
            Column(("Codec",), right=False),
            *(Column((heading(one), f"relative to {_reference(rows, one)}")) for one in operations),
        ),
        (Section(tuple(((codec,), *(_range(own.get(one)) for one in operations)) for codec, own in held.items())),),
        notes=(
            f"Machines: {', '.join(machines)}.",
            "Time over that of the reference "
            f"({', '.join(f'{operation}: {name}' for operation, name in references)}) on the same machine, from the "
            "least to the largest of all machines: how far a ratio carries over, and no confidence interval. "
            "Codecs whose library has another version on another machine have no range.",
            *commits_note(run.run for run, _ in reports),
        ),
    )


def _reference(rows: Sequence[RowAcross], operation: Operation) -> str:
    return next(row.reference for row in rows if row.operation is operation)


def _range(row: RowAcross | None) -> Lines:
    """`1.20 – 1.45`, and how many machines it is of."""
    if row is None or not row.ratios:
        return (NOTHING,)
    if row.codec == row.reference:
        return ("1",)
    return (f"{significant(row.low)} – {significant(row.high)}", f"{len(row.ratios)} machines")


def moves_grid(scenarios: Mapping[str, Reports]) -> Grid:
    """The ranks that differ between machines, those that differ most first."""
    machines = sorted({name for reports in scenarios.values() for name in of_machines(reports)})
    moved = [(name, row) for name, reports in scenarios.items() for row in rows_across(reports) if row.move]
    moved.sort(key=lambda one: (-one[1].move, one[0], one[1].operation, one[1].codec))
    return Grid(
        "Ranks that move",
        (
            Column(("Codec",), right=False),
            Column(("Scenario",), right=False),
            Column(("Operation",), right=False),
            *(Column((name, "rank [ratio]")) for name in machines),
        ),
        (Section(tuple(_move(name, row, machines) for name, row in moved)),),
        notes=(
            "Ranks are among the codecs that every machine measured, and shared within its noise floor. Below each "
            "stands the time over that of the scenario's reference.",
        ),
    )


def _move(scenario: str, row: RowAcross, machines: Sequence[str]) -> tuple[Lines, ...]:
    def cell(machine: str) -> Lines:
        if machine not in row.ranks:
            return (NOTHING,)
        ratio = row.ratios.get(machine)
        return (str(row.ranks[machine]), f"×{significant(ratio.point)}" if ratio else NOTHING)

    return ((row.codec,), (scenario,), (row.operation.value,), *map(cell, machines))
