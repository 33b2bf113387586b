"""`lab count`."""

import re
import sys
from pathlib import Path
from typing import Any

import click

from bench.base import errors, paths
from bench.base.progress import report
from bench.building.lab import open_lab
from bench.commands.options import selection, sweeps
from bench.model.cells import ControlRole
from bench.model.counts import FOOTPRINT
from bench.model.record import Run
from bench.scenarios.catalogue import load_catalogue
from bench.scenarios.load import load_scenarios
from bench.scenarios.selection import Selection

SECTION = "measure"


def _mask(_: click.Context, __: click.Parameter, text: str | None) -> list[str]:
    """The names of --mask, sorted."""
    names = sorted({name.strip() for name in text.split(",")}) if text else []
    if not all(re.fullmatch("[A-Za-z0-9_]+", name) for name in names):
        raise errors.bad_mask(text or "")
    return names


@click.command("count")
@selection
@sweeps
@click.option("--published", is_flag=True, help="Only cells that the publications' tables show.")
@click.option(
    "--mask",
    "masked",
    metavar="FEATURES",
    callback=_mask,
    help="Features of the CPU that the C library must not use, such as AVX2,ERMS (GLIBC_TUNABLES).",
)
@click.option("--compile-time", is_flag=True, help="Also time a clean build of each runner, which takes minutes.")
@click.option(
    "--footprint",
    is_flag=True,
    help="Count no cell: sizes of programs, packages and clean builds, over the control that does nothing. With --into "
    "they are recorded in RUN/footprint.json, each as soon as its build is timed.",
)
@click.option("--jobs", type=click.IntRange(1, 1024), help="Cells counted at once. By default one for each core.")
@click.option(
    "--into",
    type=click.Path(path_type=Path),
    metavar="RUN",
    help="Count a run's cells and record them in it.",
)
@click.option("--out", type=click.Path(path_type=Path), metavar="FOLDER", help="A folder of its own for the counts.")
def count(into: Path | None, out: Path | None, footprint: bool, **given: Any) -> None:
    """Count instructions, allocations and bytes a repetition, and the sizes of programs.

    Counts are made under valgrind and do not depend on how busy the machine is: equal runners on equal systems give
    equal digits. Branch mispredictions are simulated. Exit code 1 if a cell could not be counted.

    Stopped and called again with the same --into or --out, it goes on: cells that were counted with the same program,
    input, valgrind and options are kept. To count anew, remove counts.jsonl.
    """
    from bench.counting.choice import chosen_cells  # these take a while to import
    from bench.counting.count_table import print_counts, print_footprints
    from bench.counting.counts_session import Order, begin, complete
    from bench.counting.programs.footprint import recorded_footprints
    from bench.records.run_file import check_takes_more, read_run_file

    if into and out:
        raise click.UsageError("--into and --out name two folders; give one of them.")
    if footprint and out:
        raise click.UsageError("--footprint counts no cell; to record it, give a run: --into RUN.")
    if into:
        check_takes_more(into)
    run = read_run_file(into) if into else None
    chosen = Selection(given["filters"], given["excludes"])
    if footprint:
        chosen = with_controls(chosen)
    of_run = None if footprint else run
    sweeps = given["sweeps"] or of_run is not None
    lab = open_lab(report, chosen, sweeps=sweeps, within=within(of_run, given["published"]))
    if footprint:
        cells, _ = chosen_cells(lab, given["filters"], given["excludes"], published=given["published"])
        found = recorded_footprints(lab, [lab.runner_of[cell] for cell in cells], into, report)
        print_footprints(found)
        if into:
            report(f"recorded in {paths.brief(into / FOOTPRINT)}")
        return
    session = begin(lab, Order(into=into, out=out, run=run, **given), report)
    try:
        counted = complete(session, report)
    except KeyboardInterrupt:
        if session.folder:
            folder = paths.brief(session.folder.path)
            report(f"stopped; what was counted is in {folder}, and the same command counts the rest")
        raise
    print_counts(session.head, counted)
    if session.folder:
        report(f"recorded in {paths.brief(session.folder.path)}")
    if any(one.unavailable for one in counted):
        sys.exit(errors.EXIT_NOT_ALL_WELL)


def with_controls(chosen: Selection) -> Selection:
    """The selection, and the controls that do nothing in the languages of what it takes."""
    catalogue = load_catalogue()
    taken = {cell.language for cell in chosen.cells(catalogue.cells(load_scenarios()))}
    nothing = [name for name, offered in catalogue.codecs.items() if offered.role is ControlRole.NOTHING]
    beside = [f"^{name} " for name in nothing if name.partition("/")[0] in taken]
    return Selection([*chosen.filters, *beside], chosen.excludes) if chosen.filters else chosen


def within(run: Run | None, published: bool) -> set[str] | None:
    """The codecs that can be counted: those of the run, and those that published tables show; None for all."""
    measured = {planned.cell.codec for planned in run.plan.cells} if run else None
    tables = [scenario.published for scenario in load_scenarios().values()] if published else None
    rows = {codec for table in tables for codec in (*table.rows, *table.compared_with)} if tables else None
    return measured & rows if measured is not None and rows is not None else measured or rows
