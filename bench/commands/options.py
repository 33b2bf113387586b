"""Options that several commands share."""

from collections.abc import Callable
from typing import Any

import click

Command = Callable[..., Any]


def selection(command: Command) -> Command:
    """--filter and --not."""
    command = click.option(
        "--not",
        "excludes",
        multiple=True,
        metavar="REGEX",
        help="Leave out cells that match, controls too. May be repeated.",
    )(command)
    return click.option(
        "-f", "--filter", "filters", multiple=True, metavar="REGEX",
        help="Only cells whose `codec scenario operation` (then also: conditions) match. Repeated: any of them.",
    )(command)  # fmt: skip


def sweeps(command: Command) -> Command:
    """--sweep."""
    text = "Also the points of sweeps, such as array-f64-64mib, which take long."
    return click.option("--sweep", "sweeps", is_flag=True, help=text)(command)


def json_output(command: Command) -> Command:
    """--json."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")(command)
