"""`lab submit`."""

import sys
from pathlib import Path

import click

from analysis.base.text import plural
from bench.base.errors import EXIT_NOT_ALL_WELL
from bench.base.output import say
from bench.base.paths import ROOT, brief
from bench.base.progress import report

SECTION = "publish"


@click.command("submit")
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RUN…")
@click.option(
    "-o",
    "--out",
    "folder",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Where machines' folders lie; by default results/ of this checkout.",
)
@click.option("--check", is_flag=True, help="Write nothing: check runs that were packed, as a pull request's must be.")
def submit(runs: tuple[Path, ...], folder: Path | None, check: bool) -> None:
    """Pack runs of this machine for a pull request.

    A run goes into results/MACHINE/RUN, compressed, without the names of users and computers, and without files that
    no reader uses.

    A run must be finished, of the profile `standard` or `published`, of a commit without changes, and proved. Its
    numbers are held against its own controls, clocks and processor, and its sizes against those of other machines.
    --check does the same with all packed runs below RUN…, and also compares their hashes.
    """
    from analysis.data.machines.checks import check_submitted  # polars takes a while to import
    from analysis.data.machines.submitting import submitted

    if check:
        problems = check_submitted(runs)
        for path, wrong in problems.items():
            for problem in wrong:
                say(f"lab: {brief(path)}: {problem}", err=True)
        bad = sum(map(bool, problems.values()))
        say(f"{plural(len(problems), 'run')} checked, {bad or 'none'} with problems")
        sys.exit(EXIT_NOT_ALL_WELL if bad else 0)
    results = folder or ROOT / "results"
    packed = submitted(runs, results, report)
    for one in packed:
        say(f"{brief(one.path)}: {one.bytes:,} bytes{'' if one.fresh else ', there already, the same'}")
    if any(one.fresh for one in packed):
        added = " ".join(sorted({brief(one.path) for one in packed}))
        say(
            f"Next: `./lab results` writes the pages anew; `git add {added} RESULTS.md README.md`, commit, and open a "
            "pull request. CI then checks the runs as `./lab submit --check results` does."
        )
