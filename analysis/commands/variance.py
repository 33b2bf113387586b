"""`lab variance`."""

from pathlib import Path

import click
from rich.console import Console

from analysis.data.cells import read_cells
from analysis.render.terminal import markdown, print_grid
from analysis.tables.certainty.variance_grid import variance_grid, variances
from bench.base.output import say, say_json
from bench.commands.options import json_output

SECTION = "read"


@click.command("variance")
@click.argument("run", type=click.Path(path_type=Path), metavar="RUN")
@click.option("--markdown", "as_markdown", is_flag=True, help="Print Markdown instead of a table for a terminal.")
@json_output
def variance(run: Path, as_markdown: bool, as_json: bool) -> None:
    """Show where the spread of a run's times comes from.

    Loops within a process, processes within a layout, and layouts, as standard deviations in per cent. Where layouts
    dominate, more rounds make no interval narrower: more layouts do.
    """
    cells = read_cells(run)
    found = variances(cells)
    if as_json:
        say_json(found)
    elif as_markdown:
        say(markdown(variance_grid(found, cells)))
    else:
        print_grid(Console(highlight=False), variance_grid(found, cells))
