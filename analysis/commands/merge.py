"""`lab merge`."""

from pathlib import Path

import click

from analysis.base.text import count, plural
from bench.base.output import say
from bench.base.paths import brief
from bench.base.progress import report

SECTION = "publish"


@click.command("merge")
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RUN…")
@click.option(
    "-o",
    "--out",
    "folder",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="The data set; an existing one is replaced.",
)
def merge(runs: tuple[Path, ...], folder: Path) -> None:
    """Merge runs into one Parquet data set.

    Runs may be shards, or from several platforms; merged.json summarizes the data set.

    Every sample and process is kept, partitioned by platform and month (samples/platform=…/month=…/). merged.json
    holds median, minimum, maximum, MAD and 95 % interval for each cell and machine, and how ratios to a reference range
    over machines. Runs of one machine with different steppings, toolchains or builds are refused, as are shards of
    different plans or machines; missing shards are named.
    """
    from analysis.data.machines.run_paths import runs_below
    from analysis.data.merge import merge as merge_runs  # polars takes a while to import

    merged = merge_runs(runs_below(runs), folder, report)
    say(
        f"{plural(len(merged.runs), 'run')}, {count(merged.samples)} samples, {plural(len(merged.cells), 'cell')} on "
        f"{', '.join(sorted({run.platform for run in merged.runs}))}: {brief(folder)}"
    )
