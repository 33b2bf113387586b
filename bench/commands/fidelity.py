"""`lab fidelity`."""

import os
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
from bench.building.lab import open_lab
from bench.building.manifest import codec_names, known_manifest, unavailable_in
from bench.commands.options import beside_run, json_output, selection
from bench.measuring.run_folder import write_beside
from bench.model.description import Description
from bench.model.findings import Fact, Fidelity
from bench.proof.fidelity import FILE, examine
from bench.scenarios.catalogue import load_catalogue
from bench.scenarios.selection import Selection

SECTION = "judge"

MARKS = {"same": "=", "changed": "≠", "refused": "–", "unreadable": "!", "failed": "✗"}
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

    These are values that formats treat differently, such as NaN. Only runners that know probes are asked; filters match
    the names of codecs. With --json each line is one fact.
    """
    chosen = Selection(filters, excludes)
    described = open_lab(report, within=probed_codecs(chosen)).described
    asked = [r for r, d in described.items() if isinstance(d, Description) and d.probes and chosen.takes(r.codec)]
    if not asked:
        missing = [runner.codec for runner, d in described.items() if not isinstance(d, Description)]
        raise errors.nothing_selected(list(filters), list(excludes), missing)
    facts = examine(asked, os.cpu_count() or 1)
    if beside:
        binaries = {runner.codec: runner.entry.sha256 for runner in asked if runner.entry.sha256}
        write_beside(beside, FILE, Fidelity(PROTOCOL, datetime.now(UTC).isoformat(), binaries, facts))
        report(f"written to {brief(beside / FILE)}")
    if as_json:
        for fact in facts:
            say_json(fact)
        return
    grid = table(facts)
    console = Console(highlight=False, soft_wrap=True)
    say_table(console, grid)
    console.print(LEGEND, markup=False)
    for line in details(facts):
        console.print(visible(line), markup=False)


def probed_codecs(selection: Selection) -> set[str]:
    """The selected codecs that answer probes, and those that the catalogue does not know.

    Raises LabError if there are none.
    """
    catalogue, manifest = load_catalogue(), known_manifest()
    answering = {codec for codec, offered in catalogue.codecs.items() if offered.probes and selection.takes(codec)}
    codecs = answering | set(catalogue.unknown(codec_names(manifest)))
    if not codecs:
        raise errors.nothing_selected(selection.filters, selection.excludes, unavailable_in(manifest))
    return codecs


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


def details(facts: list[Fact]) -> list[str]:
    """An explanation of each mark other than `=`; codecs with the same one share a line."""
    groups: dict[tuple[str, str], list[str]] = {}
    for fact in facts:
        if fact.outcome != "same":
            words = fact.got if fact.outcome == "changed" else fact.error
            groups.setdefault((fact.probe, f"{MARKS[fact.outcome]} {words}"), []).append(fact.codec)
    return [f"{probe}: {words}  [{', '.join(codecs)}]" for (probe, words), codecs in groups.items()]
