"""`lab submit`."""

import sys
from pathlib import Path

import click

from analysis.base.text import plural
from bench.base.errors import EXIT_NOT_ALL_WELL
from bench.base.output import say
from bench.base.paths import WORK, brief
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
@click.option(
    "--against",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="With --check: runs that must all be among them, unchanged.",
)
@click.option(
    "--workflow",
    metavar="REPOSITORY",
    help="The repository whose workflow recorded the runs, and may replace them by newer ones.",
)
def submit(
    runs: tuple[Path, ...], folder: Path | None, check: bool, against: Path | None, workflow: str | None
) -> None:
    """Pack runs of this machine for a pull request.

    A run goes into results/MACHINE/RUN, compressed, without the names of users and computers, and without files that
    no reader uses.

    A run must be finished, of a profile other than `quick`, of a commit without changes, and proved. Its
    numbers are held against its own controls, clocks and processor, and its sizes against those of other machines.
    --check does the same with all packed runs below RUN…, and also compares their hashes, and their lines with what
    was proved; nothing else may lie there.
    """
    from analysis.data.machines.checks import check_submitted  # polars takes a while to import
    from analysis.data.machines.run_paths import runs_below
    from analysis.data.machines.submitting import submitted

    if against and not check:
        raise click.UsageError("--against goes with --check: submitted runs are never replaced.")
    if check:
        problems = check_submitted(runs, against=against)
        for path, wrong in problems.items():
            for problem in wrong:
                say(f"lab: {brief(path)}: {problem}", err=True)
        bad = sum(map(bool, problems.values()))
        say(f"{plural(len(runs_below(runs)), 'run')} checked; problems with {bad or 'none'}")
        sys.exit(EXIT_NOT_ALL_WELL if bad else 0)
    results = folder or WORK / "results"  # the checkout's, unless that is read-only (Nix)
    packed = submitted(runs, results, report, workflow=workflow)
    for one in packed:
        say(f"{brief(one.path)}: {one.bytes:,} bytes{'' if one.fresh else ', there already, the same'}")
        for name in one.kept_names:
            say(
                f"lab: {brief(one.path)}: {name!r} names you or this computer, and is also a word of an input, a codec "
                "or the processor, so that it was not replaced. Read the run before you publish it",
                err=True,
            )
    if any(one.fresh for one in packed):
        say(
            "Next: `./lab results` writes the pages anew; `git add results RESULTS.md RESULTS.svg README.md`, commit, "
            "and open a pull request. CI then checks the runs as `./lab submit --check results` does."
        )
