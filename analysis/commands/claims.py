"""`lab claims`."""

import sys
from pathlib import Path

import click
from rich.console import Console

from analysis.claims.definitions import load_claims
from analysis.claims.ledger import ledger
from analysis.claims.orders import column_orders
from analysis.claims.verdicts import Verdict
from analysis.data.cells import read_cells
from analysis.render.claims_grid import ledger_grid, rankings_grid, score
from analysis.render.terminal import markdown, print_grid
from bench.base.errors import EXIT_NOT_ALL_WELL
from bench.base.output import say, say_json
from bench.scenarios.load import load_scenarios

SECTION = "judge"


@click.command("claims")
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RUN…")
@click.option("--all", "everything", is_flag=True, help="Also show the claims that these runs did not measure.")
@click.option("--markdown", "as_markdown", is_flag=True, help="Print Markdown instead of tables for a terminal.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON object, unmeasured claims too.")
@click.option("--strict", is_flag=True, help="Exit with code 1 if a claim is refuted.")
def claims(runs: tuple[Path, ...], everything: bool, as_markdown: bool, as_json: bool, strict: bool) -> None:
    """Judge published claims by recorded runs.

    Each is shown with the published figure, the measured one with its interval, the verdict, and the reason.

    The claims are in the files of analysis/published. A claim is judged within single runs; if several runs can tell,
    a finished one of the profile `published` with the most whole rounds decides, and those that disagree are named.
    """
    book = load_claims(load_scenarios())
    cells = [read_cells(path) for path in runs]
    entries, orders = ledger(book, cells), column_orders(book, cells)
    if as_json:
        say_json({"claims": entries, "rankings": orders})
    else:
        grids = (
            ledger_grid(entries, book.titles, everything=everything, wrap=not as_markdown),
            rankings_grid(orders, everything=everything),
        )
        if as_markdown:
            say("\n".join(markdown(grid) for grid in grids))
        else:
            console = Console(highlight=False)
            for grid in grids:
                print_grid(console, grid)
    if strict and (refuted := [entry for entry in entries if entry.verdict is Verdict.REFUTED]):
        say(f"lab: {score(entries)}. Refuted: {', '.join(entry.id for entry in refuted)}", err=True)
        sys.exit(EXIT_NOT_ALL_WELL)
