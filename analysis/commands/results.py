"""`lab results`."""

import sys
from collections.abc import Collection, Sequence
from functools import partial
from pathlib import Path

import click

from analysis.base import problems as errors
from analysis.base.anchors import scenario_file
from analysis.claims.definitions import load_claims
from analysis.claims.ledger import ledger
from analysis.data.judged.extras import read_extras
from analysis.data.machines.run_paths import runs_below
from analysis.render.formats_table import spliced
from analysis.render.recorded.answers_page import ANSWERS_FILE, answers_page
from analysis.render.recorded.results import readme_table, results_page, scenario_pages, splice
from analysis.render.recorded.same_work_page import SAME_WORK_FILE, same_work_page
from analysis.render.recorded.scenario_pages import MARKER
from analysis.site.pictures import draw_claims
from analysis.tables.counts.footprints import footprints_of
from analysis.tables.reports import RunReport, read_report
from analysis.tables.side_by_side.candidates import readings
from analysis.tables.trust.answered import answers_of
from analysis.tables.trust.matrix import trust_of
from bench.base.errors import EXIT_NOT_ALL_WELL, LabError
from bench.base.files import read_text, write_whole
from bench.base.output import say
from bench.base.paths import ROOT, brief
from bench.scenarios.load import load_scenarios

SECTION = "publish"

PICTURE = "RESULTS.svg"


@click.command("results")
@click.option("--check", is_flag=True, help="Write nothing; exit with code 1 if a page is out of date.")
def results(check: bool) -> None:
    """Write RESULTS.md, its pages below results/, and the tables in README.md.

    They show every run below results/. Pages of scenarios that no run holds any more are removed.
    """
    written = pages(ROOT)
    changed = [(path, text) for path, text in written.items() if not path.exists() or read_text(path) != text]
    stale = left_over(ROOT, written)
    for path, text in changed:
        if check:
            say(f"{brief(path)} does not match the runs below results/. `./lab results` writes it anew.", err=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, text.encode())
            say(f"{brief(path)} written", err=True)
    for path in stale:
        if check:
            say(
                f"{brief(path)} shows what no run below results/ holds. `./lab results` removes it.",
                err=True,
            )
        else:
            path.unlink()
            say(f"{brief(path)} removed: no run below results/ holds what it shows", err=True)
    if check and (changed or stale):
        sys.exit(EXIT_NOT_ALL_WELL)


def left_over(root: Path, written: Collection[Path]) -> list[Path]:
    """The pages below results/ that an earlier call generated and this one does not write, by name.

    A page without the marker in its first line was made by somebody else and stays.
    """
    folder = (root / scenario_file("any")).parent
    held = sorted(folder.glob("*.md")) if folder.is_dir() and not folder.is_symlink() else []
    held += [path for path in [root / ANSWERS_FILE, root / SAME_WORK_FILE] if path.is_file()]
    return [path for path in held if path not in written and not path.is_symlink() and _is_generated(path)]


def _is_generated(path: Path) -> bool:
    with path.open("rb") as file:
        return file.readline(len(MARKER.encode()) + 1).strip() == MARKER.encode()


def pages(root: Path) -> dict[Path, str]:
    """Path → text of the pages that the runs below `root`/results give.

    Raises LabError if there is no run, if a run cannot be read, or if README.md lacks the markers of its table.
    """
    return pages_of(root, read_reports(root / "results"))


def pages_of(root: Path, reports: Sequence[RunReport]) -> dict[Path, str]:
    """What `pages` gives, for runs that were read already, sorted by time and id."""
    book = load_claims(load_scenarios())
    runs = [report.cells for report in reports]
    entries, same_work = ledger(book, runs), same_work_page(book, runs)
    drawn = draw_claims(entries)
    extras = [read_extras(report.path) for report in reports]
    answers = answers_of(extras)
    known = trust_of(answers, readings((report.run, report.verification) for report in reports))
    malformed = {codec: trust.malformed for codec, trust in known.items() if trust.malformed}
    readme = root / "README.md"
    return {
        root / "RESULTS.md": results_page(reports, entries, book.titles, known, PICTURE if drawn else None),
        **({root / PICTURE: drawn} if drawn else {}),
        **({root / ANSWERS_FILE: answers_page(known, answers, footprints_of(extras))} if known else {}),
        **({root / SAME_WORK_FILE: same_work} if same_work else {}),
        **{root / path: text for path, text in scenario_pages(reports, entries).items()},
        readme: spliced(readme, splice(readme, read_text(readme), partial(readme_table, reports)), reports, malformed),
    }


def read_reports(folder: Path) -> list[RunReport]:
    """Every run below a folder, by time and id. Raises LabError if there is none."""
    try:
        paths = runs_below([folder])
    except LabError:
        raise errors.no_runs(folder) from None
    reports = [read_report(path) for path in paths]
    return sorted(reports, key=lambda report: (report.run.created, report.run.id))
