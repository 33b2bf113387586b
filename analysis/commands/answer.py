"""`lab answer`."""

from pathlib import Path

import click
from rich.console import Console

from analysis.data.machines.run_paths import runs_below
from analysis.render.terminal import markdown, print_grid
from analysis.tables.trials.trial_grid import trial_grid
from analysis.tables.trials.trial_rows import read_trial
from bench.base.output import say
from bench.base.paths import brief

SECTION = "read"
FOLLOWS = "try"


@click.command("answer")
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RUN…")
@click.option("--markdown", "as_markdown", is_flag=True, help="Print Markdown instead of a table for a terminal.")
@click.option("-o", "--out", type=click.Path(path_type=Path), metavar="FOLDER", help="Also write a page with charts.")
def answer(runs: tuple[Path, ...], out: Path | None = None, as_markdown: bool = False) -> None:
    """Print again what `lab try` found out.

    The table, and which codecs are on the Pareto front of size and time. With -o of the first run also a page.
    """
    runs = runs_below(runs)
    trials = [read_trial(path) for path in runs]
    for trial in trials:
        if as_markdown:
            say(markdown(trial_grid(trial)))
        else:
            print_grid(Console(highlight=False), trial_grid(trial))
    if out:
        from analysis.base.folders import written_whole  # the tools of the site take a while to import
        from analysis.site.trials.trial_page import trial_files
        from analysis.site.write import MARKER
        from bench.base.files import write_whole

        with written_whole(out, MARKER, "report", "try", runs) as fresh:
            for name, content in trial_files(trials[0]):
                path = fresh / name
                path.parent.mkdir(parents=True, exist_ok=True)
                write_whole(path, content)
        say(f"written: {brief(out / 'index.html')}")
