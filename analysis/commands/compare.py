"""`lab compare`."""

import re
import sys
from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console

from analysis.base import problems as errors
from analysis.data.cells import read_cells
from analysis.data.machines.run_paths import runs_below
from analysis.render.terminal import markdown, print_grid
from analysis.tables.compare import Change, Comparison, compare_codecs, compare_runs, comparison_grid
from analysis.tables.counts.count_changes import CountChange, CountComparison, compare_counts, count_grid
from analysis.tables.layout import Grid
from analysis.tables.side_by_side.read_candidates import read_side_by_side
from analysis.tables.side_by_side.side_grid import side_by_side_grid
from bench.base import paths
from bench.base.errors import EXIT_NOT_ALL_WELL
from bench.base.files import is_there
from bench.base.output import say, say_json
from bench.commands.options import json_output
from bench.counting.counts_folder import has_counts, read_counts
from bench.model.plan import Profile
from bench.model.record import Run
from bench.records.run_file import holds_run, read_run_file

SECTION = "read"
TIMES = "times"
"""The value of --fail-on by which the noise floor is the threshold."""


@click.command("compare")
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="A B | RUN | CODEC CODEC…")
@click.option("--codecs", nargs=2, metavar="A B", help="Compare two codecs of one run, paired round by round.")
@click.option(
    "--fail-on",
    metavar="PERCENT|times",
    help="Exit with code 1 if a cell on the second side clearly takes longer, or is larger, by more than this share; "
    "with `times`, if the whole interval of a cell's ratio lies above 1 by more than the noise floor of both runs. "
    "Also if a cell of the first run or folder has no figure in the second.",
)
@click.option("--counts", "by_counts", is_flag=True, help="Compare what `lab count` counted, not times.")
@click.option(
    "--run",
    "below",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="RUN",
    help="For codecs: runs, not results/.",
)
@click.option("--scenario", metavar="NAME", help="For codecs: this scenario, not that in which most were measured.")
@click.option("--markdown", "as_markdown", is_flag=True, help="Print Markdown instead of a table for a terminal.")
@json_output
def compare(
    runs: tuple[Path, ...],
    codecs: tuple[str, str] | None,
    fail_on: str | None,
    by_counts: bool,
    below: tuple[Path, ...],
    scenario: str | None,
    as_markdown: bool,
    as_json: bool,
) -> None:
    """Compare two runs, two codecs of a run, or what to take in place of a codec.

    Cells are compared one by one; those that changed most come first.

    Ratios are second over first: above 1 the second takes longer. If the machines differ, ratios to a control are
    compared instead of times. Two folders of counts, or two runs with --counts, are compared by instructions, for
    which the machine need not be quiet.

    Codecs, two or more, stand beside each other with all that recorded runs know of them: who reads whose bytes, size,
    time, work, schema evolution, maintenance. The first is the one that another would replace.
    """
    if all(is_codec(path) for path in runs) and not codecs:
        for option, value in (("--fail-on", fail_on), ("--counts", by_counts)):
            if value:
                raise errors.options_of_codecs(option)
        beside_each_other(runs, below, scenario, as_markdown=as_markdown, as_json=as_json)
        return
    if below or scenario:
        raise errors.options_of_codecs("--run" if below else "--scenario")
    share = share_of(fail_on) if fail_on not in (None, TIMES) else None
    if len(runs) != (1 if codecs else 2):
        raise errors.one_or_two_runs()
    if not codecs and (by_counts or all(is_counts_alone(path) for path in runs)):
        if fail_on == TIMES:
            raise errors.counts_have_no_times()
        gate(runs[0], runs[1], share, as_markdown=as_markdown, as_json=as_json)
        return
    cells = [read_cells(path) for path in runs]
    for one in cells:
        if one.run.plan.profile is Profile.UNTIMED:
            raise errors.without_times(one.run.id, one.run.plan.profile)
    comparison = compare_codecs(cells[0], *codecs) if codecs else compare_runs(cells[0], cells[1])
    if fail_on == TIMES:
        check_times([one.run for one in cells], comparison)
    if as_json:
        say_json(comparison)
    else:
        show(comparison_grid(comparison, [one.run for one in cells]), as_markdown=as_markdown)
    if fail_on == TIMES:
        worse = [change for change in comparison.changes if change.longer]
        fail(worse, "takes longer by more than the noise floor of both runs", comparison.lost, 0.0)
    elif share is not None:
        fail(*worse_by(comparison, share), comparison.lost, share)


def is_codec(word: Path) -> bool:
    """Whether a word is the name of a codec and not of a folder."""
    return re.fullmatch("[a-z]+/[a-z0-9][a-z0-9.-]*", word.as_posix()) is not None and not is_there(word)


def beside_each_other(
    names: Sequence[Path], below: Sequence[Path], scenario: str | None, *, as_markdown: bool, as_json: bool
) -> None:
    """Prints all that is known of codecs, a column each."""
    codecs = tuple(dict.fromkeys(one.as_posix() for one in names))
    if len(codecs) < 2:
        raise errors.one_or_two_runs()
    table, run = read_side_by_side(runs_below(below or [paths.RESULTS]), codecs, scenario)
    if as_json:
        say_json(table)
    else:
        show(side_by_side_grid(table, run), as_markdown=as_markdown)


def is_counts_alone(path: Path) -> bool:
    """Whether a folder holds counts and no run."""
    return has_counts(path) and not holds_run(path)


def gate(one: Path, other: Path, share: float | None, *, as_markdown: bool, as_json: bool) -> None:
    """Compares two sets of counts. Raises LabError where a share is given and they are of two kinds."""
    comparison = compare_counts(*(read_counts(p, run_of(p)) for p in (one, other)))
    if share is not None and comparison.differences:
        raise errors.counts_of_two_kinds(comparison.one, comparison.other, comparison.differences)
    if as_json:
        say_json(comparison)
    else:
        show(count_grid(comparison), as_markdown=as_markdown)
    if share is not None:
        fail(*worse_by(comparison, share), comparison.lost, share)


def run_of(path: Path) -> Run | None:
    """The run in a folder, whose cells its counts must be of; None for a folder of counts alone."""
    return read_run_file(path) if holds_run(path) else None


def show(grid: Grid, *, as_markdown: bool) -> None:
    """Prints a table."""
    if as_markdown:
        say(markdown(grid))
    else:
        print_grid(Console(highlight=False), grid)


def share_of(text: str) -> float:
    """`5%` or `5` as 0.05. Raises LabError for anything else."""
    try:
        percent = float(text.removesuffix("%"))
    except ValueError:
        raise errors.bad_share(text) from None
    if not 0 <= percent < float("inf"):
        raise errors.bad_share(text)
    return percent / 100


def check_times(runs: Sequence[Run], comparison: Comparison) -> None:
    """Raises LabError where times would say nothing: of a run that was not timed, or of another machine."""
    for run in runs:
        if not run.plan.profile.is_timed:
            raise errors.without_times(run.id, run.plan.profile)
    if comparison.by_control:
        raise errors.times_of_two_machines(comparison.one, comparison.other)


def worse_by(comparison: Comparison | CountComparison, share: float) -> tuple[list[Change | CountChange], str]:
    """The cells that got worse by more than a share, and what that is in words."""
    worse: list[Change | CountChange] = [change for change in comparison.changes if change.worse_by(share)]
    return worse, f"is worse by more than {share * 100:.4g} %"


def fail(worse: Sequence[Change | CountChange], what: str, lost: Sequence[str], share: float) -> None:
    """Names the cells that got worse, and those that are gone, each with the reason; exits with code 1 if there are
    any.
    """
    if lost:
        say(
            "lab: no figure on the second side. Mend what keeps these cells from having one, or take them out of both "
            "sides with the same filter:",
            err=True,
        )
        for text in lost:
            say(f"lab:   {text}", err=True)
    if worse:
        say(f"lab: {what}:", err=True)
        for change in worse:
            say(f"lab:   {change.cell}: {', '.join(change.grown_by(share))}", err=True)
    if worse or lost:
        sys.exit(EXIT_NOT_ALL_WELL)
