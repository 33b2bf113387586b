"""`lab report`."""

import re
from pathlib import Path

import click

from analysis.base import problems as errors
from analysis.base.text import plural, size

SECTION = "publish"


def address(_: click.Context, __: click.Parameter, text: str) -> str:
    """Refuses what is no address of a repository, since pages link to it."""
    if text and not re.fullmatch(r"https://[\w.-]+(:\d+)?(/[\w.~-]+)+", text):
        raise errors.bad_repository(text)
    return text


@click.command("report")
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RUN…")
@click.option(
    "-o",
    "--out",
    "folder",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="The site; an existing one is replaced.",
)
@click.option(
    "--repository",
    metavar="URL",
    default="",
    callback=address,
    help="The repository of this lab, such as https://github.com/OWNER/wirelab: codecs' pages then link to their code.",
)
def report(runs: tuple[Path, ...], folder: Path, repository: str) -> None:
    """Write a site of static pages about runs.

    Open FOLDER/index.html; it works offline and without a server.

    A page for each scenario and codec, the claims ledger, interoperability, special values, malformed input, a
    calculator, and where the numbers come from. Each figure's data can be downloaded as CSV and Parquet. Special
    values and malformed input are shown for runs with `lab fidelity --run RUN` and `lab fuzz --run RUN`.
    """
    from analysis.base.folders import written_whole  # the tools of the site take a while to import
    from analysis.data.machines.run_paths import runs_below
    from analysis.site.gather import gather
    from analysis.site.write import MARKER, files
    from bench.base.files import write_whole
    from bench.base.output import say
    from bench.base.paths import brief

    runs = runs_below(runs)
    with written_whole(folder, MARKER, "report", "report", runs) as fresh:
        lab = gather(runs, repository)
        pages = total = 0
        for name, content in files(lab):
            path = fresh / name
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, content)
            pages += name.endswith(".html")
            total += len(content)
    say(f"{plural(pages, 'page')}, {size(total)}: {brief(folder / 'index.html')}")
