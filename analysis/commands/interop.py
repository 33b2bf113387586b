"""`lab interop`."""

import sys
from pathlib import Path

import click
from rich.console import Console

from analysis.base.problems import no_exchanges
from analysis.render.terminal import markdown, print_grid
from analysis.tables.exchanges import interop_grid, matrices
from bench.base.errors import EXIT_NOT_ALL_WELL
from bench.base.output import say, say_json
from bench.base.progress import report
from bench.commands.options import json_output, selection
from bench.model.verification import Exchange
from bench.records.run_file import read_run_file, read_verification
from bench.scenarios.selection import Selection

SECTION = "judge"


@click.command("interop")
@selection
@click.option(
    "--run",
    type=click.Path(path_type=Path),
    metavar="RUN",
    help="Show what this run recorded before it measured, instead of asking the codecs now.",
)
@click.option("--markdown", "as_markdown", is_flag=True, help="Print Markdown instead of tables for a terminal.")
@json_output
def interop(
    filters: tuple[str, ...], excludes: tuple[str, ...], run: Path | None, as_markdown: bool, as_json: bool
) -> None:
    """Show which codecs read each other's bytes.

    Every pair of codecs of one format is tried in both directions, on every scenario that both have.

    One program's bytes are piped into the other; `lab bench` does the same before it measures and records it in the
    run. Exits with code 1 if a codec does not read what another wrote and the scenario does not expect that.
    """
    exchanges = recorded(run, filters, excludes) if run else exchanged(filters, excludes)
    if as_json:
        say_json(exchanges)
    else:
        console = Console(highlight=False)
        for matrix in matrices(exchanges):
            grid = interop_grid(matrix)
            if as_markdown:
                say(markdown(grid))
            else:
                print_grid(console, grid)
    if any(not one.reads and one.known is None for one in exchanges):
        sys.exit(EXIT_NOT_ALL_WELL)


def recorded(path: Path, filters: tuple[str, ...], excludes: tuple[str, ...]) -> list[Exchange]:
    """The exchanges that a run recorded. Raises LabError if it recorded none."""
    wanted, allowed = Selection(filters), Selection((), excludes)
    read_run_file(path)
    exchanges = read_verification(path).exchanges
    if not exchanges:
        raise no_exchanges(path)
    sides = [(one, [f"{codec} {one.scenario}" for codec in (one.writer, one.reader)]) for one in exchanges]
    return [one for one, names in sides if any(map(wanted.takes, names)) and all(map(allowed.takes, names))]


def exchanged(filters: tuple[str, ...], excludes: tuple[str, ...]) -> list[Exchange]:
    """Tests now which codecs read each other's bytes."""
    from bench.building.lab import open_lab
    from bench.proof.verify import verify

    lab = open_lab(report, Selection(filters, excludes))
    wanted: dict[tuple[str, str], set[str]] = {
        (cell.codec, cell.scenario): set() for cell in lab.selected(filters, excludes)
    }
    return verify(lab.described, wanted, lab.scenarios, report).exchanges
