"""`lab results`."""

import sys
from functools import partial
from pathlib import Path

import click

from analysis.base import problems as errors
from analysis.claims.definitions import load_claims
from analysis.claims.ledger import ledger
from analysis.render.results import readme_table, results_page, splice
from analysis.site.pictures import draw_claims
from analysis.tables.reports import RunReport, read_report
from bench.base.errors import EXIT_NOT_ALL_WELL
from bench.base.files import read_text, write_whole
from bench.base.output import say
from bench.base.paths import ROOT, brief
from bench.scenarios.load import load_scenarios

SECTION = "publish"

PICTURE = "RESULTS.svg"


@click.command("results")
@click.option("--check", is_flag=True, help="Write nothing; exit with code 1 if a page is out of date.")
def results(check: bool) -> None:
    """Write RESULTS.md and the table in README.md.

    They show every run below results/.
    """
    changed = [(path, text) for path, text in pages(ROOT).items() if not path.exists() or read_text(path) != text]
    for path, text in changed:
        if check:
            say(f"{brief(path)} does not match the runs below results/. `./lab results` writes it anew.", err=True)
        else:
            write_whole(path, text.encode())
            say(f"{brief(path)} written", err=True)
    if check and changed:
        sys.exit(EXIT_NOT_ALL_WELL)


def pages(root: Path) -> dict[Path, str]:
    """Path → text of the pages that the runs below `root`/results give.

    Raises LabError if there is no run, if a run cannot be read, or if README.md lacks the markers of its table.
    """
    reports = read_reports(root / "results")
    book = load_claims(load_scenarios())
    entries = ledger(book, [report.cells for report in reports])
    drawn = draw_claims(entries)
    readme = root / "README.md"
    return {
        root / "RESULTS.md": results_page(reports, entries, book.titles, PICTURE if drawn else None),
        **({root / PICTURE: drawn} if drawn else {}),
        readme: splice(readme, read_text(readme), partial(readme_table, reports)),
    }


def read_reports(folder: Path) -> list[RunReport]:
    """Every run below a folder, by time and id. Raises LabError if there is none."""
    reports = [read_report(path.parent) for path in sorted(folder.rglob("run.json"))]
    if not reports:
        raise errors.no_runs(folder)
    return sorted(reports, key=lambda report: (report.run.created, report.run.id))
