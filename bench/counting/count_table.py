"""What `lab count` prints."""

import sys

from bench.base.output import say
from bench.model.counts import Counted, CountedRunner, Counts

WIDE = 200


def print_counts(head: Counts, counted: list[Counted]) -> None:
    """A table of cells and one of programs."""
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False, width=None if sys.stdout.isatty() else WIDE)
    cells = Table(title=f"A repetition, under {about(head)}", title_justify="left")
    cells.add_column("Cell", overflow="fold")
    for name in ("Instructions", "Mispredictions\n(simulated)", "Allocations", "Allocated (B)", "Encoded (B)"):
        cells.add_column(name, justify="right")
    for one in counted:
        cells.add_row(visible_text(one.cell), instructions(one), *map(number, figures(one)))
    programs = Table(title="Programs", title_justify="left")
    programs.add_column("Runner")
    for name in ("Code (B)", "over nothing", "Clean build (s)"):
        programs.add_column(name, justify="right")
    for runner in head.runners:
        programs.add_row(runner.name, *map(number, sizes(runner)))
    console.print(cells)
    console.print(programs)
    if failed := [one for one in counted if one.unavailable]:
        say("\n".join(f"unavailable: {one.cell}: {one.unavailable}" for one in failed))
    say(
        "Instructions of user space, the difference of two processes of equal surroundings; a range where countings "
        "differ, because the cell draws randomness. Mispredictions are those of valgrind's simple predictor, of no "
        "real CPU. Code: .text; over nothing: less that of the language's control that does nothing."
    )


def print_footprints(runners: list[CountedRunner]) -> None:
    """One table of programs, the smallest first; the controls that do nothing are what the others are held against."""
    from rich.console import Console
    from rich.table import Table

    table = Table(title="Footprint", title_justify="left")
    table.add_column("Runner")
    for name in ("Stripped,\nover nothing (B)", "Code (B)", "Packages", "over nothing", "Clean build (s)"):
        table.add_column(name, justify="right")
    for one in sorted(runners, key=lambda one: (one.stripped_over_nothing_bytes or 0, one.name)):
        sizes = (one.stripped_over_nothing_bytes, one.text_bytes, one.packages, one.packages_over_nothing)
        table.add_row(one.name, *map(number, sizes), number(one.compile_s))
    Console(highlight=False, width=None if sys.stdout.isatty() else WIDE).print(table)
    say(
        "Over nothing: less the language's control that does nothing, which has kit and messages too. Stripped: what a "
        "process loads of the program, without symbols. Packages: of the dependency tree, those of build scripts and "
        "macros too. A clean build compiles all of them, on this machine and with what else it does."
    )


def about(head: Counts) -> str:
    """What the counts were made with."""
    masked = f", without {' '.join(head.masked)}" if head.masked else ""
    return (
        f"valgrind {head.valgrind} with {' '.join(head.features) or 'unknown features'}{masked}"
        if (head.valgrind)
        else "no valgrind"
    )


def instructions(one: Counted) -> str:
    """`2498.0`, or the range where countings differ."""
    if (each := one.instructions_each) is None:
        return "unavailable"
    return " – ".join(map(number, one.range_each)) if one.range_each else number(each)


def figures(one: Counted) -> tuple[float | None, ...]:
    """The other columns."""
    return one.mispredictions_each, one.allocations, one.allocated_bytes, one.encoded_bytes


def sizes(runner: CountedRunner) -> tuple[float | None, ...]:
    """The columns of a program."""
    return runner.text_bytes, runner.text_over_nothing_bytes, runner.compile_s


def number(value: float | None) -> str:
    """Whole numbers as they are, others with one decimal; thousands separated."""
    return "–" if value is None else f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"


def visible_text(text: str) -> str:
    """Text of which rich interprets nothing."""
    from rich.markup import escape

    from bench.base.visible import visible

    return escape(visible(text))
