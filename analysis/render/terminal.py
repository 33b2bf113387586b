"""Writes grids to the terminal and to Markdown; both show the same text."""

import re
from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from analysis.tables.layout import Column, Grid, Lines
from bench.base.visible import visible

UNLIMITED = 10_000
"""Width in columns; more than any table has."""


def print_grid(console: Console, grid: Grid) -> None:
    """A table with its warnings above it and its notes below; never cut, however narrow the terminal."""
    console.print(Text(visible(grid.title), style="bold"), soft_wrap=True)
    for warning in grid.warnings:
        console.print(Text(f"! {visible(warning)}", style="bold red"), soft_wrap=True)
    table = rich_table(grid)
    table.width = Measurement.get(console, console.options.update(max_width=UNLIMITED), table).maximum
    console.print(table, width=table.width, crop=False, overflow="ignore")
    print_notes(console, grid.notes)


def print_notes(console: Console, notes: Sequence[str]) -> None:
    """Each note is a paragraph; without a terminal, a line."""
    for note in notes:
        console.print(Text(f"· {visible(note)}"), soft_wrap=not console.is_terminal)
    console.print()


def rich_table(grid: Grid) -> Table:
    """The table alone."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 0, 0, 1))
    for column in grid.columns:
        table.add_column(_text(column.heading), justify="right" if column.right else "left", no_wrap=True)
    for section in grid.sections:
        if section.name:
            table.add_section()
            table.add_row(*(Text(visible(name), style="italic") for name in _name_row(grid, section.name)))
        for row in section.rows:
            table.add_row(*(_text(lines) for lines in row))
    return table


def markdown(grid: Grid) -> str:
    """A table with its title as a paragraph, its warnings above and its notes as a list below."""
    parts = [f"**{escape(grid.title)}**"]
    parts += [f"> **{escape(warning)}**" for warning in grid.warnings]
    parts.append(markdown_table(grid))
    if grid.notes:
        parts.append(markdown_notes(grid.notes))
    return "\n\n".join(parts) + "\n"


def markdown_table(grid: Grid, *, small: bool = True) -> str:
    """The table alone, as GitHub reads it; further lines of a cell are small unless they weigh as much as the first."""
    lines = [_row([_cell(column.heading, small=False) for column in grid.columns])]
    lines.append(_row([_rule(column) for column in grid.columns]))
    for section in grid.sections:
        if section.name:
            lines.append(_row([f"*{_cell((name,))}*" if name else "" for name in _name_row(grid, section.name)]))
        lines += [_row([_cell(cell, small=small) for cell in row]) for row in section.rows]
    return "\n".join(lines)


def markdown_notes(notes: Sequence[str]) -> str:
    """Notes as a list."""
    return "\n".join(f"- {_paragraph(note)}" for note in notes)


SPECIAL = re.compile(r"[\\*_<>|~&!$\[\]]|#(?!$)|:(?=//)|(?<=www)\.|(?<!\w)@(?=\w)|@(?=[\w-]+\.)")
"""Characters with a meaning in the middle of a line of Markdown, GitHub's or CommonMark."""
PLAIN = re.compile(r"\[(?:min – max|95 % interval|[-+0-9.,%–× ]+)\](?![(\[:])")
"""An interval or change in brackets, as all tables have them. It cannot become a link, which would need a definition
with a colon somewhere, so it is not escaped and the text stays readable."""


def escape(text: str, *, in_table: bool = False) -> str:
    """Text as Markdown that shows just this text, on one line; between backticks Markdown shows it by itself.

    Only in a table a bar between backticks needs a backslash, which the table takes away; elsewhere it would be shown.
    Two or more backticks in a row cannot be closed by one, and a single one opens nothing: these become apostrophes.
    """
    text = re.sub("``+", lambda ticks: "'" * len(ticks[0]), visible(text))
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return _escape(text.replace("`", "'"))
    return "`".join(_verbatim(part, in_table) if index % 2 else _escape(part) for index, part in enumerate(parts))


def _verbatim(text: str, in_table: bool) -> str:
    return text.replace("|", "\\|") if in_table else text


def _escape(text: str) -> str:
    whole = [interval.span() for interval in PLAIN.finditer(text)]

    def escaped(mark: re.Match[str]) -> str:
        verbatim = mark[0] in "[]" and any(first <= mark.start() < end for first, end in whole)
        return mark[0] if verbatim else f"\\{mark[0]}"

    return SPECIAL.sub(escaped, text)


def _paragraph(text: str) -> str:
    """Escaped text at the beginning of a line."""
    text = escape(text.strip())
    if text[:1] in ("-", "+", "=", "#"):
        return f"\\{text}"
    return re.sub(r"^([0-9]{1,9})([.)])(?=\s|$)", r"\1\\\2", text)


def _text(lines: Lines) -> Text:
    text = Text(visible(lines[0]))
    for line in lines[1:]:
        text.append(f"\n{visible(line)}", style="dim")
    return text


def _cell(lines: Lines, *, small: bool = True) -> str:
    first, *rest = (escape(line, in_table=True) for line in lines)
    return "<br>".join([first, *(f"<sub>{line}</sub>" if small else line for line in rest)])


def _name_row(grid: Grid, name: str) -> list[str]:
    first = next(index for index, column in enumerate(grid.columns) if not column.right)
    return [name if index == first else "" for index in range(len(grid.columns))]


def _rule(column: Column) -> str:
    return "--:" if column.right else ":--"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
