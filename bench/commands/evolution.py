"""`lab evolution`."""

import os
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bench.base import errors
from bench.base.output import say_json, say_table
from bench.base.paths import brief
from bench.base.progress import report
from bench.base.protocol import PROTOCOL
from bench.base.visible import visible
from bench.building.runner import Runner
from bench.commands.options import beside_run, json_output, selection
from bench.measuring.run_folder import write_beside
from bench.model.proof.evolved import FILE, Evolution, Evolved, Outcome
from bench.proof.changes import Changes, load_changes
from bench.proof.evolution import evolved, schemas_of
from bench.proof.questions import answering
from bench.scenarios.selection import Selection

SECTION = "judge"

LEGEND = (
    "right     the value that was written              refused  an error; where no value is right, that is right\n"
    "default   zero, empty or nothing in its place     dropped  right, but any bytes might have followed\n"
    "crash     the program ended                       wrong    another value, without an error\n"
)


@click.command("evolution")
@selection
@beside_run
@json_output
def evolution(filters: tuple[str, ...], excludes: tuple[str, ...], beside: Path | None, as_json: bool) -> None:
    """Show what codecs read after a schema changed.

    Each of the changes in schemas/evolution.toml is tried both ways: old data read with the new schema, and new data
    read with the old one. Filters match the names of codecs, which are built with the types of all changes, and of
    `lab fidelity`. With --json each line is one result.
    """
    changes = load_changes()
    able, failures = answering(Selection(filters, excludes), typed_alone=True)
    results = evolved(able, changes, os.cpu_count() or 1)
    if as_json:
        for result in results:
            say_json(result)
    else:
        show(results, changes, able, failures)
    if beside:
        found = Evolution(
            protocol=PROTOCOL,
            created=datetime.now(UTC).isoformat(),
            binaries={runner.codec: runner.entry.sha256 for runner in able if runner.entry.sha256},
            versions={one.codec: (one.description.library, one.description.version) for one in able},
            results=results,
            not_offered={one.codec: lacking for one in able if (lacking := len(missing(one, changes)))},
            failures=failures,
        )
        write_beside(beside, FILE, found)
        report(f"written to {brief(beside / FILE)}")
    if failures:
        sys.exit(errors.EXIT_NOT_ALL_WELL)


def missing(runner: Runner, changes: Changes) -> set[str]:
    """The schemas that a codec has no form for."""
    return {use.scenario for message in changes.types.messages for use in message.uses} - schemas_of(runner)


def show(results: list[Evolved], changes: Changes, asked: Iterable[Runner], failures: Mapping[str, str]) -> None:
    """What nobody notices first, then how often what came of it, a row a codec."""
    console = Console(highlight=False, soft_wrap=True)
    titles = {change.name: change.title for change in changes.all}
    for outcome in (Outcome.WRONG, Outcome.CRASH, Outcome.DROPPED):
        if lines := details(results, titles, outcome):
            console.print(f"[bold]{HEADINGS[outcome]}[/bold]")
            for line in lines:
                console.print(visible(line), markup=False)
            console.print()
    grid = table(results, {runner.codec: len(missing(runner, changes)) for runner in asked})
    say_table(console, grid)
    console.print(LEGEND, markup=False)
    for codec, reason in failures.items():
        console.print(f"{codec}: {visible(reason)}", markup=False)


HEADINGS = {
    Outcome.WRONG: "Silently wrong",
    Outcome.CRASH: "The program ended",
    Outcome.DROPPED: "Right, but any bytes might have followed",
}


def details(results: list[Evolved], titles: Mapping[str, str], outcome: Outcome) -> list[str]:
    """Change and direction, what was written and what was read; codecs with the same share a line."""
    groups: dict[tuple[str, str], list[str]] = {}
    for one in results:
        if one.outcome is outcome:
            came = f"read {one.read}" if one.read is not None else one.problem or ""
            told = f"  wrote {one.wrote}, {came}"
            groups.setdefault((f"{titles[one.change]} ({one.change}, {one.direction})", told), []).append(one.codec)
    lines: list[str] = []
    for head, told in sorted(groups, key=lambda group: list(titles.values()).index(group[0].rpartition(" (")[0])):
        if head not in lines:
            lines.append(head)
        lines.append(f"{told}  [{', '.join(groups[head, told])}]")
    return lines


def table(results: list[Evolved], lacking: Mapping[str, int]) -> Table:
    """How many of the changes, both ways, had which outcome: a row a codec, those that err least first."""
    counts: dict[str, Counter[Outcome]] = {}
    for one in results:
        counts.setdefault(one.codec, Counter())[one.outcome] += 1
    honest = Counter(one.codec for one in results if one.honest)
    grid = Table(box=None, pad_edge=False)
    grid.add_column("codec", no_wrap=True)
    for name in ("as it should be", *Outcome, "no form"):
        grid.add_column(str(name), justify="right", no_wrap=True)
    for codec in sorted(counts, key=lambda codec: (*(counts[codec][one] for one in Outcome), codec)):
        own = [counts[codec][outcome] for outcome in Outcome]
        numbers = [str(number or "") for number in (*own, lacking.get(codec, 0))]
        grid.add_row(Text(codec), f"{honest[codec]} of {sum(own)}", *numbers)
    return grid
