"""How a recorded figure is measured again: the command for exactly its cell, and what to expect of it."""

import re
import shlex

from analysis.base.builds import build_options
from analysis.base.text import figure_ns
from analysis.data.summaries import Summary

SPECIAL = re.compile(r"[.^$*+?{}\[\]\\|()]")
"""What a regular expression reads as something else; `re.escape` would escape spaces and dashes too."""


def filter_of(cell: str) -> str:
    """A regular expression that takes this cell and no other, for --filter; `cell` as `Cell.__str__` writes it."""
    return f"^{SPECIAL.sub(lambda match: chr(92) + match[0], cell)}$"


def cell_command(one: Summary, *, point: bool = False) -> str:
    """The command line that prints how to measure just this cell; `point`: of a sweep, which labs list on request.

    A build that labs do not make by themselves is made first.
    """
    chosen = shlex.join(["-f", filter_of(one.cell)])
    command = f"./lab cell {chosen}{' --sweep' if point else ''}"
    options = build_options(one.conditions)
    if not options:
        return command
    own = shlex.join(["-f", filter_of(f"{one.codec} {one.scenario} ").removesuffix("$")])
    return f"./lab build {options} {own} && {command}"


def expectation(one: Summary) -> str:
    """The time of a repetition with its 95 % interval, `19.8 µs [19.4–21.4]`; empty without a figure."""
    return figure_ns(one.median_ns, one.low_ns, one.high_ns) if one.is_figure else ""
