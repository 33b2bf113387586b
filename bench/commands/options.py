"""Options that several commands share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

Command = Callable[..., Any]


def names(_: click.Context, __: click.Parameter, start: str) -> list[str]:
    """The codecs and scenarios whose names begin so, for completion by the shell."""
    from bench.scenarios.catalogue import load_catalogue
    from bench.scenarios.load import scenario_names

    return [name for name in (*load_catalogue().codecs, *scenario_names()) if name.startswith(start)]


def selection(command: Command) -> Command:
    """--filter and --not."""
    command = click.option(
        "--not",
        "excludes",
        multiple=True,
        metavar="REGEX",
        shell_complete=names,
        help="Leave out matching cells, controls too. May be repeated.",
    )(command)
    return click.option(
        "-f",
        "--filter",
        "filters",
        multiple=True,
        metavar="REGEX",
        shell_complete=names,
        help="Only cells whose `codec scenario operation`, alone or with conditions, matches. Repeated: any of them.",
    )(command)


def sweeps(command: Command) -> Command:
    """--sweep."""
    text = "Include the points of sweeps: a scenario at other sizes, up to 64 MiB, which take long."
    return click.option("--sweep", "sweeps", is_flag=True, help=text)(command)


def json_output(command: Command) -> Command:
    """--json."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")(command)


def beside_run(command: Command) -> Command:
    """--run."""
    return click.option(
        "--run",
        "beside",
        type=click.Path(path_type=Path),
        metavar="RUN",
        callback=_is_run,
        help="Also write the results into the folder RUN, where `lab report` reads them.",
    )(command)


def _is_run(ctx: click.Context, option: click.Parameter, path: Path | None) -> Path | None:
    if path and not ctx.resilient_parsing:
        from bench.records.run_file import check_takes_more

        check_takes_more(path)
    return path
