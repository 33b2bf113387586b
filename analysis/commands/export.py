"""`lab export`."""

import sys
from pathlib import Path

import click

SECTION = "publish"

FORMATS = ("csv", "parquet", "hyperfine", "bencher", "github-action-benchmark")


@click.command("export")
@click.argument("run", type=click.Path(path_type=Path), metavar="RUN")
@click.option(
    "--as",
    "form",
    required=True,
    type=click.Choice(FORMATS),
    help="csv, parquet: a row per cell; hyperfine: its --export-json, of whole processes; bencher: its Metric Format; "
    "github-action-benchmark: customSmallerIsBetter. Text that a spreadsheet would run is quoted (OWASP) in CSV.",
)
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="By default, standard output.",
)
def export(run: Path, form: str, out: Path | None) -> None:
    """Write a run's cells in a format that another tool reads. For every sample as Parquet, use `lab merge`."""
    from analysis.base.problems import file_of_run, nothing_timed
    from analysis.data.cells import run_cells  # polars takes a while to import
    from analysis.data.frame import read_frame
    from analysis.render.export import EXPORTERS, Source
    from bench.base.files import write_whole
    from bench.base.output import say
    from bench.base.paths import brief
    from bench.model.plan import Profile

    if out and out.resolve().parent == run.resolve():
        raise file_of_run(out, run)
    frame = read_frame(run)
    if frame.run.plan.profile is Profile.UNTIMED:
        raise nothing_timed(frame.run.id)
    content = EXPORTERS[form](Source(run_cells(frame), frame.processes))
    if out:
        write_whole(out, content)
        say(f"{brief(out)} written", err=True)
    else:
        sys.stdout.buffer.write(content)
