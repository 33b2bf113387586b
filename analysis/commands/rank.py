"""`lab rank`."""

from pathlib import Path

import click
from rich.console import Console

from analysis.data.cells import read_cells
from analysis.data.machines.run_paths import runs_below
from analysis.render.terminal import markdown, print_grid
from analysis.tables.rank import parse_only, ranking, ranking_grid
from bench.base.errors import LabError
from bench.base.output import say, say_json
from bench.base.paths import brief
from bench.commands.options import json_output, selection
from bench.model.cells import Operation
from bench.scenarios.selection import Selection

SECTION = "read"


@click.command("rank")
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RUN…")
@click.option(
    "--only",
    multiple=True,
    metavar="NAME[=VALUE]",
    help="Only cells with this condition (validation=on, output=borrowed …), only self-describing formats "
    "(self-describing), only without copies (zero-copy), only one language or format (language=rust, format=CBOR). "
    "Flags accept =no. If repeated, all must match.",
)
@click.option(
    "--operation",
    type=click.Choice([one.value for one in Operation]),
    help="What to rank by; by default the round trip or, if the run lacks it, what the most cells do."
    " The title names it.",
)
@selection
@click.option("--markdown", "as_markdown", is_flag=True, help="Print Markdown instead of a table for a terminal.")
@json_output
def rank(
    *,
    runs: tuple[Path, ...],
    only: tuple[str, ...],
    operation: str | None,
    filters: tuple[str, ...],
    excludes: tuple[str, ...],
    as_markdown: bool,
    as_json: bool,
) -> None:
    """Rank codecs by the geometric mean of their times.

    The mean is over the scenarios that all selected codecs have; what is left out is named with the reason. Several
    runs are ranked one by one, since figures of different machines or builds have no common order; `lab merge` makes
    one of the parts of a run. --json then prints a list.

    Cells are those at the published conditions, except for conditions that --only names.
    """
    wanted, chosen = [parse_only(text) for text in only], Selection(filters, excludes)
    ranked, left_out = [], []
    for path in runs_below(runs):
        cells = read_cells(path)
        try:
            ranked.append((cells.run, ranking([cells], wanted, chosen, Operation(operation) if operation else None)))
        except LabError as error:
            left_out.append((path, error))
    if not ranked:
        raise left_out[0][1]
    for path, reason in left_out:
        say(f"Left out, {brief(path)}: {reason}", err=True)
    if as_json:
        say_json(ranked[0][1] if len(ranked) == 1 else [one for _, one in ranked])
        return
    for run, one in ranked:
        grid = ranking_grid(one, [run])
        if as_markdown:
            say(markdown(grid))
        else:
            print_grid(Console(highlight=False), grid)
