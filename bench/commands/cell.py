"""`lab cell`."""

import shlex

import click

from bench.base import paths
from bench.base.output import say
from bench.base.progress import report
from bench.building.lab import open_lab
from bench.commands.options import selection, sweeps
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
    """
    lab = open_lab(report, Selection(filters, excludes), sweeps=sweeps)
    chosen = lab.selected(filters, excludes)
    work = paths.STATE / "cell"
    work.mkdir(parents=True, exist_ok=True)
    for one in chosen:
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
