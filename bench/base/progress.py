"""Progress on standard error: a bar in a terminal, plain lines elsewhere.

A run is a list of steps, each with an estimate; what is left is the sum of what their estimates have left.
"""

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, Protocol

from bench.base.output import say

PLAIN_INTERVAL_S = 10.0

Report = Callable[[str], None]
"""Shows the user a line about the current step."""


def report(message: str) -> None:
    """Prints a line about the current step."""
    say(f"lab: {message}", err=True)


class Display(Protocol):
    """Where a meter shows what it knows."""

    def show(self, meter: "Meter", text: str) -> None:
        """Shows how far the run is, and what it is doing."""
        ...

    def live(self, moving: bool) -> None:
        """Whether it may draw at any moment, or only when `show` is called: never while something is timed."""
        ...

    def stop(self) -> None:
        """Leaves the terminal to others, until it is shown again."""
        ...


class Meter:
    """How far a run is: its steps with what they still take, in seconds."""

    def __init__(self, steps: Mapping[str, float], display: Display) -> None:
        self.left = dict(steps)
        self.display = display
        self._started = time.monotonic()

    @property
    def left_s(self) -> float:
        """What all steps still take, roughly."""
        return sum(self.left.values())

    @property
    def passed_s(self) -> float:
        """How long it has taken so far."""
        return time.monotonic() - self._started

    @property
    def share(self) -> float:
        """How much of the whole is done, from 0 to 1."""
        total = self.passed_s + self.left_s
        return self.passed_s / total if total > 0 else 1.0

    def __str__(self) -> str:
        total, left = duration(self.passed_s + self.left_s), duration(self.left_s)
        return f"{100 * self.share:3.0f} % of about {total}, about {left} left"

    def begin(self, step: str, text: str, seconds: float | None = None, *, timed: bool = False) -> None:
        """Shows that a step begins, with a better estimate if there is one; `timed`: nothing is drawn meanwhile."""
        if seconds is not None:
            self.left[step] = seconds
        self.display.live(moving=not timed)
        self.display.show(self, text)

    def advance(self, step: str, seconds: float, text: str) -> None:
        """Takes off what a part of a step was estimated to take."""
        self.expect(step, max(0.0, self.left.get(step, 0.0) - seconds), text)

    def expect(self, step: str, seconds: float, text: str) -> None:
        """Replaces what is left of a step, after a part of it."""
        self.left[step] = seconds
        self.display.show(self, text)

    def end(self, step: str) -> None:
        """Takes off the rest of a step, which took less than was thought."""
        self.left.pop(step, None)

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Leaves the terminal to a table."""
        self.display.stop()
        yield


@contextmanager
def meter(steps: Mapping[str, float]) -> Iterator[Meter]:
    """A meter over steps with their estimates, in seconds."""
    display: Display = Bar() if sys.stderr.isatty() else PlainLines()
    try:
        yield Meter(steps, display)
    finally:
        display.stop()


class PlainLines:
    """A line every ten seconds, for logs."""

    def __init__(self) -> None:
        self._shown = time.monotonic()

    def show(self, meter: Meter, text: str) -> None:
        """Prints a line if ten seconds have passed since the last one."""
        if time.monotonic() - self._shown >= PLAIN_INTERVAL_S:
            self._shown = time.monotonic()
            report(f"{meter}: {text}")

    def live(self, moving: bool) -> None:
        """Lines do not move."""

    def stop(self) -> None:
        """Nothing is to be taken away."""


class Bar:
    """A bar at the bottom of the terminal; what is printed meanwhile appears above it."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        columns = (BarColumn(bar_width=24), TextColumn("{task.description}"))
        self._console = Console(stderr=True)
        self._progress: Any = Progress(*columns, console=self._console, auto_refresh=False, transient=True)
        self._task = self._progress.add_task("starting", total=1.0)

    def show(self, meter: Meter, text: str) -> None:
        """Draws the bar."""
        self._progress.start()
        self._progress.update(self._task, completed=meter.share, description=f"{meter}: {text}", refresh=True)

    def live(self, moving: bool) -> None:
        """Begins or ends drawing at any moment."""
        if self._progress.live.auto_refresh != moving:
            self._progress.stop()
            self._progress.live.auto_refresh = moving

    def stop(self) -> None:
        """Takes the bar away."""
        with suppress(OSError):  # nobody looks at it any more
            self._progress.stop()


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
