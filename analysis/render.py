"""Grids to the terminal and to Markdown; both show the same text."""

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from analysis.layout import Column, Grid, Lines

UNLIMITED = 10_000
"""Columns; more than any table has."""


def print_grid(console: Console, grid: Grid) -> None:
    """A table with its warnings above it and its notes below; never cut, be the terminal ever so narrow."""
    console.print(Text(grid.title, style="bold"), soft_wrap=True)
    for warning in grid.warnings:
        console.print(Text(f"! {warning}", style="bold red"), soft_wrap=True)
    table = rich_table(grid)
    table.width = Measurement.get(console, console.options.update(max_width=UNLIMITED), table).maximum
    console.print(table, width=table.width, crop=False, overflow="ignore")
    print_notes(console, grid.notes)


def print_notes(console: Console, notes: Sequence[str]) -> None:
    """A note a paragraph; where there is no terminal, a note a line."""
    for note in notes:
        console.print(Text(f"· {note}"), soft_wrap=not console.is_terminal)
    console.print()


def rich_table(grid: Grid) -> Table:
    """The table alone."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 0, 0, 1))
    for column in grid.columns:
        table.add_column(_text(column.heading), justify="right" if column.right else "left", no_wrap=True)
    for section in grid.sections:
        if section.name:
            table.add_section()
            table.add_row(*(Text(name, style="italic") for name in _name_row(grid, section.name)))
        for row in section.rows:
            table.add_row(*(_text(lines) for lines in row))
    return table


def markdown(grid: Grid) -> str:
    """A table with its title as a heading-free paragraph, its warnings above and its notes as a list below."""
    parts = [f"**{escape(grid.title)}**"]
    parts += [f"> **{escape(warning)}**" for warning in grid.warnings]
    parts.append(markdown_table(grid))
    if grid.notes:
        parts.append(markdown_notes(grid.notes))
    return "\n\n".join(parts) + "\n"


def markdown_table(grid: Grid) -> str:
    """The table alone, as GitHub reads it; further lines of a cell are small."""
    lines = [_row([_cell(column.heading, small=False) for column in grid.columns])]
    lines.append(_row([_rule(column) for column in grid.columns]))
    for section in grid.sections:
        if section.name:
            lines.append(_row([f"*{escape(name)}*" if name else "" for name in _name_row(grid, section.name)]))
        lines += [_row([_cell(cell) for cell in row]) for row in section.rows]
    return "\n".join(lines)


def markdown_notes(notes: Sequence[str]) -> str:
    """Notes as a list."""
    return "\n".join(f"- {escape(note)}" for note in notes)


def escape(text: str) -> str:
    """Text as Markdown that shows just this text; between backticks Markdown shows it by itself."""
    parts = text.split("`")
    if len(parts) % 2 == 0:  # an odd backtick opens nothing
        return _escape(text.replace("`", "'"))
    return "`".join(part.replace("|", "\\|") if place % 2 else _escape(part) for place, part in enumerate(parts))


def _escape(text: str) -> str:
    for character in "\\*_<>|":
        text = text.replace(character, f"\\{character}")
    return text


def _text(lines: Lines) -> Text:
    text = Text(lines[0])
    for line in lines[1:]:
        text.append(f"\n{line}", style="dim")
    return text


def _cell(lines: Lines, *, small: bool = True) -> str:
    first, *rest = (escape(line) for line in lines)
    return "<br>".join([first, *(f"<sub>{line}</sub>" if small else line for line in rest)])


def _name_row(grid: Grid, name: str) -> list[str]:
    first = next(place for place, column in enumerate(grid.columns) if not column.right)
    return [name if place == first else "" for place in range(len(grid.columns))]


def _rule(column: Column) -> str:
    return "--:" if column.right else ":--"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
