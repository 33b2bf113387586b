"""`lab table`."""

from pathlib import Path

import click
from rich.console import Console

from analysis.data.machines.run_paths import runs_below
from analysis.render.terminal import markdown, markdown_notes, print_grid, print_notes
from analysis.tables.reports import RunReport, read_report
from bench.base.output import say

SECTION = "read"
FOLLOWS = "bench"


@click.command("table")
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RUN…")
@click.option("--scenario", metavar="NAME", help="Only the tables of this scenario, without the notes on the run.")
@click.option("--about", is_flag=True, help="Only the notes on the whole run.")
@click.option("--markdown", "as_markdown", is_flag=True, help="Print Markdown instead of tables for a terminal.")
def table(runs: tuple[Path, ...], scenario: str | None, about: bool, as_markdown: bool) -> None:
    """Print a run as the publications printed theirs.

    What their method hides is printed below each table.

    Several runs are printed one after another; no column mixes two of them.
    """
    wanted = [] if about else None if scenario is None else [scenario]
    reports = [read_report(path, only=wanted) for path in runs_below(runs)]
    for report in reports:
        if as_markdown:
            say(as_text(report))
        else:
            print_report(report)


def print_report(report: RunReport) -> None:
    """A run on the terminal."""
    console = Console(highlight=False)
    for scenario in report.scenarios:
        for grid in scenario.grids:
            print_grid(console, grid)
    if report.about:
        print_notes(console, report.about)


def as_text(report: RunReport) -> str:
    """A run as Markdown."""
    grids = [grid for scenario in report.scenarios for grid in scenario.grids]
    about = [markdown_notes(report.about)] if report.about else []
    return "\n".join([*(markdown(grid) for grid in grids), *about])
