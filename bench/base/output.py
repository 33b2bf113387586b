"""Printing for commands, with nothing in it that steers a terminal."""

from typing import TYPE_CHECKING

import click
import msgspec

from bench.base.visible import safe_json, visible_lines

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


def say(text: str, *, err: bool = False) -> None:
    """Prints text of whole lines."""
    click.echo(visible_lines(text), err=err)


def say_json(value: object) -> None:
    """Prints a value as JSON on one line."""
    click.echo(safe_json(msgspec.json.encode(value)))


def say_table(console: "Console", table: "Table") -> None:
    """Prints a table with whole rows, also where they are longer than a terminal's."""
    from rich.console import Console  # here, since most commands print no table and start sooner without it

    console.width = max(console.width, Console(width=10_000).measure(table).maximum)
    console.print(table)


def plural(number: int, noun: str) -> str:
    """`1 codec`, `2 codecs`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
