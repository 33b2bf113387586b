"""Progress on standard error: a bar in a terminal, plain lines elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from bench.base.output import say

PLAIN_INTERVAL_S = 10.0

Report = Callable[[str], None]
"""Shows the user a line about the current step."""


def report(message: str) -> None:
    """Prints a line about the current step."""
    say(f"lab: {message}", err=True)


class Meter(Protocol):
    """Shows how far a run is."""

    def advance(self, step: str, estimate_s: float) -> None:
        """Counts a finished process: `step` names round and cell, `estimate_s` is its planned share of the total."""
        ...


@contextmanager
def meter(total_s: float, done_s: float) -> Iterator[Meter]:
    """A meter over a plan of `total_s` estimated seconds, of which `done_s` were recorded before."""
    if not sys.stderr.isatty():
        yield PlainMeter(total_s, done_s)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (BarColumn(bar_width=24), TaskProgressColumn(), TimeRemainingColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task("starting", total=max(total_s, 1e-9), completed=int(done_s))

        class RichMeter:
            def advance(self, step: str, estimate_s: float) -> None:
                progress.update(task, advance=estimate_s, description=step)

        yield RichMeter()


class PlainMeter:
    """A line every ten seconds, for logs."""

    def __init__(self, total_s: float, done_s: float) -> None:
        self.total_s, self.done_s, self.before_s = total_s, done_s, done_s
        self.started = self.shown = time.monotonic()

    def advance(self, step: str, estimate_s: float) -> None:
        """Counts, and prints a line if ten seconds have passed since the last one."""
        self.done_s += estimate_s
        now = time.monotonic()
        if now - self.shown >= PLAIN_INTERVAL_S:
            self.shown = now
            speed = (self.done_s - self.before_s) / (now - self.started)
            left = (self.total_s - self.done_s) / speed if speed else 0
            report(f"{100 * self.done_s / self.total_s:3.0f} %, about {duration(left)} left: {step}")


def duration(seconds: float) -> str:
    """Seconds in units for people: 42 s, 3 min 10 s, 2 h 5 min."""
    whole = round(max(seconds, 0))
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min"
