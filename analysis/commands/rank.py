"""`lab rank`."""

from pathlib import Path

import click
from rich.console import Console

from analysis.data.cells import read_cells
from analysis.render.terminal import markdown, print_grid
from analysis.tables.rank import parse_only, ranking, ranking_grid
from bench.base.output import say, say_json
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
    default=Operation.ROUND_TRIP.value,
    show_default=True,
    help="What to rank by.",
)
@selection
@click.option("--markdown", "as_markdown", is_flag=True, help="Print Markdown instead of a table for a terminal.")
@json_output
def rank(
    *,
    runs: tuple[Path, ...],
    only: tuple[str, ...],
    operation: str,
    filters: tuple[str, ...],
    excludes: tuple[str, ...],
    as_markdown: bool,
    as_json: bool,
) -> None:
    """Rank codecs by the geometric mean of their times.

    The mean is over the scenarios that all selected codecs have.

    Cells are those at the published conditions, except for conditions that --only names. Of several runs of a scenario
    one is used: profile published before standard before quick, then finished, most whole rounds, newest. Runs of
    different processors, toolchains or builds are refused.
    """
    wanted = [parse_only(text) for text in only]
    cells = [read_cells(path) for path in runs]
    ranked = ranking(cells, wanted, Selection(filters, excludes), Operation(operation))
    if as_json:
        say_json(ranked)
        return
    grid = ranking_grid(ranked, [one.run for one in cells])
    if as_markdown:
        say(markdown(grid))
    else:
        print_grid(Console(highlight=False), grid)
