"""`lab cell`."""

import shlex
from collections.abc import Iterator
from pathlib import Path

import click

from bench.base import paths
from bench.base.errors import LabError
from bench.base.output import say
from bench.base.progress import report
from bench.building.lab import open_lab
from bench.commands.options import selection, sweeps
from bench.model.cells import Cell
from bench.records.run_file import read_run_file
from bench.scenarios.inputs import input_file
from bench.scenarios.keys import keys_of
from bench.scenarios.selection import Selection

SECTION = "measure"


@click.command("cell")
@selection
@click.option("--repetitions", type=click.IntRange(0), help="Repetitions of the timed loop; by default as published.")
@click.option("--samples", type=click.IntRange(1), default=1, show_default=True, help="Timed loops in the process.")
@sweeps
def cell(
    filters: tuple[str, ...], excludes: tuple[str, ...], repetitions: int | None, samples: int, sweeps: bool
) -> None:
    """Print the command lines that measure cells.

    They are to be run or profiled by hand. The runner appends its samples to the file after --out; where the system has
    /dev/stdout, `--out /dev/stdout` shows them.

    Above each stands as a comment what to expect: the figure of the same cell in the runs below results/.
    """
    lab = open_lab(report, Selection(filters, excludes), sweeps=sweeps)
    chosen = lab.selected(filters, excludes)
    work = paths.STATE / "cell"
    work.mkdir(parents=True, exist_ok=True)
    expected = expectations(set(chosen))
    for one in chosen:
        for comment in expected.get(one, ()):
            say(comment)
        scenario = lab.scenarios[one.scenario]
        runner = lab.runner_of[one]
        command = runner.measure_command(
            one,
            input_file=input_file(scenario),
            work=work,
            warmup=0,
            samples=samples,
            out=work / "samples.jsonl",
            keys=keys_of(scenario),
            repetitions=scenario.published.repetitions if repetitions is None else repetitions,
        )
        variables = [f"{name}={value}" for name, value in runner.entry.environment.items()]
        say(shlex.join(["env", *variables, *command] if variables else command))


def expectations(chosen: set[Cell]) -> dict[Cell, list[str]]:
    """Cell → a comment for each machine on which a run below results/ has a figure of it, from its best run.

    A run that cannot be read is named, and left out.
    """
    from analysis.base.text import one_line  # NumPy and more, which `--help` need not wait for
    from analysis.data.cells import read_cells
    from analysis.data.select import precedence
    from analysis.data.summaries import summaries
    from analysis.render.reproduction import expectation
    from analysis.tables.notes import machine

    runs = []
    for path, planned in recorded():
        if planned & chosen:
            try:
                runs.append(read_cells(path))
            except LabError as error:
                report(f"left out: {error}")
    comments: dict[tuple[str, str], str] = {}
    for cells in sorted(runs, key=lambda one: precedence(one.run), reverse=True):
        place = one_line(machine(cells.run))
        for one in summaries(cells):
            if text := expectation(one):
                comment = f"# expect {text} a repetition on {place}, {cells.run.created[:10]}; {cells.run.id}"
                comments.setdefault((one.cell, place), comment)
    return {cell: [text for (name, _), text in comments.items() if name == str(cell)] for cell in chosen}


def recorded() -> Iterator[tuple[Path, set[Cell]]]:
    """The runs below results/ that have times which mean something, each with the cells that it planned."""
    from analysis.data.machines.run_paths import runs_below

    try:
        folders = runs_below([paths.RESULTS])
    except LabError:  # nothing was recorded
        return
    for folder in folders:
        try:
            run = read_run_file(folder)
        except LabError as error:
            report(f"left out: {error}")
            continue
        if run.plan.profile.is_timed:
            yield folder, {planned.cell for planned in run.plan.cells}
