"""`lab fidelity`."""

import os
import sys
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bench.base import errors
from bench.base.output import say, say_json, say_table
from bench.base.paths import brief
from bench.base.progress import report
from bench.base.protocol import PROTOCOL
from bench.base.visible import visible
from bench.commands.options import beside_run, json_output, selection
from bench.measuring.run_folder import write_beside
from bench.model.findings import Fact, Fidelity
from bench.proof.fidelity import FILE, examine
from bench.proof.questions import answering
from bench.proof.special import load_special
from bench.scenarios.selection import Selection

SECTION = "judge"

MARKS = {"same": "=", "changed": "≠", "refused": "–", "unreadable": "!", "failed": "✗"}
SIDE_BY_SIDE = 16
"""How many codecs fit beside each other."""
LEGEND = (
    "=  comes back as it was: value and type      ≠  comes back as something else      –  the encoder refuses it\n"
    "!  its own decoder does not read it          ✗  the process ended                 blank: not asked\n"
)


@click.command("fidelity")
@selection
@beside_run
@json_output
def fidelity(filters: tuple[str, ...], excludes: tuple[str, ...], beside: Path | None, as_json: bool) -> None:
    """Show what codecs give back for special values.

    These are values that formats and libraries treat differently, such as NaN or an empty text that may be missing.
    schemas/special.toml has them: those without a type are asked of codecs whose bytes say what they hold, typed ones
    of all that have a form for the type; Python's runners add values of Python. Filters match the names of codecs,
    which are built with the types of these values and of `lab evolution`. With --json each line is one fact. Exit code
    1 if a codec could not be asked.
    """
    able, failures = answering(Selection(filters, excludes), typed_alone=False)
    facts = examine(able, load_special(), os.cpu_count() or 1)
    if not facts:
        raise errors.nobody_to_ask({runner.codec: "has a form for none of the values" for runner in able}, [])
    if as_json:
        for fact in facts:
            say_json(fact)
    else:
        show(facts)
    if beside:
        found = Fidelity(
            protocol=PROTOCOL,
            created=datetime.now(UTC).isoformat(),
            binaries={runner.codec: runner.entry.sha256 for runner in able if runner.entry.sha256},
            facts=facts,
        )
        write_beside(beside, FILE, found)
        report(f"written to {brief(beside / FILE)}")
    for codec, reason in failures.items():
        say(f"FAIL  {codec}: {visible(reason)}", err=as_json)
    if failures:
        sys.exit(errors.EXIT_NOT_ALL_WELL)


def show(facts: list[Fact]) -> None:
    """For each language a grid of marks, or counts of many codecs; then what each mark but `=` stands for."""
    console = Console(highlight=False, soft_wrap=True)
    languages = dict.fromkeys(fact.codec.partition("/")[0] for fact in facts)
    for language in languages:
        own = [fact for fact in facts if fact.codec.startswith(f"{language}/")]
        say_table(console, (table if len({fact.codec for fact in own}) <= SIDE_BY_SIDE else counts)(own))
        console.print()
    console.print(LEGEND, markup=False)
    for line in details(facts):
        console.print(visible(line), markup=False)


def table(facts: list[Fact]) -> Table:
    """A grid of marks: a row per probe, a column per codec."""
    codecs = list(dict.fromkeys(fact.codec for fact in facts))
    marks = {(fact.probe, fact.codec): MARKS[fact.outcome] for fact in facts}
    grid = Table(box=None, pad_edge=False)
    grid.add_column("probe", no_wrap=True)
    for codec in codecs:
        grid.add_column("\n".join(codec.replace("/", "-").split("-")), justify="center", no_wrap=True)
    for probe in dict.fromkeys(fact.probe for fact in facts):
        grid.add_row(Text(visible(probe)), *(marks.get((probe, codec), "") for codec in codecs))
    return grid


def counts(facts: list[Fact]) -> Table:
    """How many values came back how: a row per codec."""
    grid = Table(box=None, pad_edge=False)
    grid.add_column("codec", no_wrap=True)
    for outcome, mark in MARKS.items():
        grid.add_column(f"{mark} {outcome}", justify="right", no_wrap=True)
    came = Counter((fact.codec, fact.outcome) for fact in facts)
    for codec in dict.fromkeys(fact.codec for fact in facts):
        grid.add_row(Text(codec), *(str(came[codec, outcome] or "") for outcome in MARKS))
    return grid


def details(facts: list[Fact]) -> list[str]:
    """An explanation of each mark other than `=`; codecs with the same one share a line."""
    groups: dict[tuple[str, str], list[str]] = {}
    for fact in facts:
        if fact.outcome != "same":
            words = fact.got if fact.outcome == "changed" else fact.error
            groups.setdefault((fact.probe, f"{MARKS[fact.outcome]} {words}"), []).append(fact.codec)
    return [f"{probe}: {words}  [{', '.join(codecs)}]" for (probe, words), codecs in groups.items()]
