"""`lab claims`."""

import re
import sys
from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console

from analysis.base import problems as errors
from analysis.claims.definitions import ClaimSet, load_claims
from analysis.claims.ledger import ledger
from analysis.claims.ledger_entry import LedgerEntry, for_readers
from analysis.claims.orders import column_orders
from analysis.claims.verdicts import Verdict
from analysis.data.cells import read_cells
from analysis.data.machines.run_paths import runs_below
from analysis.render.claims_grid import ledger_grid, rankings_grid, score
from analysis.render.evidence_facts import evidence_markdown, evidence_text
from analysis.render.terminal import markdown, print_grid
from bench.base.errors import EXIT_NOT_ALL_WELL
from bench.base.files import is_there
from bench.base.output import say, say_json
from bench.base.paths import ROOT
from bench.scenarios.load import load_scenarios
from bench.scenarios.selection import Selection

SECTION = "judge"
RESULTS = ROOT / "results"


@click.command("claims")
@click.argument("given", nargs=-1, metavar="[CLAIM|RUN]…")
@click.option(
    "-f",
    "--filter",
    "filters",
    multiple=True,
    metavar="REGEX",
    help="Only claims whose id, words or cells match. Repeated: any of them.",
)
@click.option(
    "--verdict",
    "verdicts",
    multiple=True,
    type=click.Choice([verdict.value for verdict in Verdict]),
    help="Only claims with this verdict. Repeated: any of them.",
)
@click.option("--source", "sources", multiple=True, metavar="NAME", help="Only claims of this publication's file.")
@click.option("--all", "everything", is_flag=True, help="Also show the claims that these runs did not measure.")
@click.option("--markdown", "as_markdown", is_flag=True, help="Print Markdown instead of tables for a terminal.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON object, unmeasured claims too.")
@click.option("--strict", is_flag=True, help="Exit with code 1 if a claim is refuted.")
def claims(
    *,
    given: tuple[str, ...],
    filters: tuple[str, ...],
    verdicts: tuple[str, ...],
    sources: tuple[str, ...],
    everything: bool,
    as_markdown: bool,
    as_json: bool,
    strict: bool,
) -> None:
    """Judge published claims by recorded runs.

    Each is shown with the published figure, the measured one with its interval, the verdict, and the reason. CLAIM is
    the id of a claim, RUN the folder of a run or one that holds runs: what exists as a file or folder, or has a slash,
    is a RUN. Without a RUN the runs below results/ judge. With a CLAIM its evidence is shown: the quotation and its
    address, the cells with their conditions, compilers and rounds, and the command that measures just this.

    The claims are in the files of analysis/published. A claim is judged within single runs; if several runs can tell,
    a finished one of the profile `published` decides, the newest with three of four cells precise; one of few codecs
    comes last. Those that disagree are named.
    """
    book = load_claims(load_scenarios())
    runs, ids = split(given, book)
    selection = Selection(filters)
    _check_sources(sources, book)
    cells = [read_cells(path) for path in runs_below(runs or [RESULTS])]
    entries = [
        entry
        for entry in ledger(book, cells)
        if _is_wanted(entry, ids, selection, sources) and (not verdicts or entry.verdict.value in verdicts)
    ]
    orders = () if ids or filters or verdicts or sources else column_orders(book, cells)
    everything = everything or Verdict.NOT_MEASURED.value in verdicts
    if as_json:
        say_json({"claims": entries, "rankings": orders})
    elif ids:
        say("\n\n".join(evidence_markdown(one) if as_markdown else evidence_text(one) for one in for_readers(entries)))
    else:
        grids = [ledger_grid(entries, book.titles, everything=everything, wrap=not as_markdown)]
        grids += [rankings_grid(orders, everything=everything)] if orders else []
        if as_markdown:
            say("\n".join(markdown(grid) for grid in grids))
        else:
            console = Console(highlight=False)
            for grid in grids:
                print_grid(console, grid)
    if strict and (refuted := [entry for entry in entries if entry.verdict is Verdict.REFUTED]):
        say(f"lab: {score(entries)}. Refuted: {', '.join(entry.id for entry in refuted)}", err=True)
        sys.exit(EXIT_NOT_ALL_WELL)


def split(given: Sequence[str], book: ClaimSet) -> tuple[list[Path], list[str]]:
    """The arguments that are runs, and the ids of claims among the others.

    What exists, or could only be a path, is a run: a folder never changes its meaning with the claims. Raises LabError
    for a claim that does not exist, and for one of several platforms without the platform.
    """
    known = [one.id for group in (book.entries, book.same_bytes, book.statements, book.document_sizes) for one in group]
    runs, ids = [], []
    for text in given:
        if _is_path(text):
            runs.append(Path(text))
        elif text in known:
            ids.append(text)
        elif platforms := [one for one in known if one.partition("@")[0] == text]:
            if len(platforms) > 1:
                raise errors.claim_of_several_platforms(text, platforms)
            ids += platforms
        else:
            raise errors.no_such_claim(text, known)
    return runs, list(dict.fromkeys(ids))


def _is_path(text: str) -> bool:
    return re.search(r"[/\\]", text) is not None or text.startswith(".") or is_there(Path(text))


def _check_sources(sources: Sequence[str], book: ClaimSet) -> None:
    for name in sources:
        if name not in book.titles:
            raise errors.no_such_source(name, book.titles)


def _is_wanted(entry: LedgerEntry, ids: Sequence[str], selection: Selection, sources: Sequence[str]) -> bool:
    """Whether a claim is one of the named, of a wanted publication, and matches the filters."""
    if (ids and entry.id not in ids) or (sources and entry.source not in sources):
        return False
    return selection.takes(" | ".join([entry.id, entry.says, entry.quote or "", entry.cell, *entry.than]))
