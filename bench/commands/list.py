"""`lab list`."""

from collections import Counter

import click

from bench.base.output import say, say_json
from bench.building.build import load_runners
from bench.building.lab import Listed, listed
from bench.building.runner import describe_all
from bench.commands.options import json_output, selection, sweeps
from bench.scenarios.load import load_scenarios
from bench.scenarios.selection import Selection

SECTION = "measure"


@click.command("list")
@selection
@sweeps
@json_output
def list_cells(filters: tuple[str, ...], excludes: tuple[str, ...], sweeps: bool, as_json: bool) -> None:
    """List every cell.

    A cell is a codec, a scenario, an operation and conditions. Unavailable codecs are listed with the reason. With
    --json each line is one cell.
    """
    chosen = Selection(filters, excludes)
    rows = [
        row for row in listed(describe_all(load_runners()), load_scenarios(sweeps=sweeps)) if chosen.takes(*_names(row))
    ]
    if as_json:
        for row in rows:
            say_json(row)
        return
    for row in rows:
        name, conditions = _names(row)
        say(f"{name:<60} {conditions}" if row.available else f"{row.codec:<60} unavailable: {row.reason}")
    codecs = Counter(row.available for row in {(r.codec, r.available): r for r in rows}.values())
    say(
        f"{sum(row.available for row in rows)} cells of {codecs[True]} codecs; {codecs[False]} codecs unavailable",
        err=True,
    )


def _names(row: Listed) -> tuple[str, str]:
    name = " ".join(filter(None, (row.codec, row.scenario, row.operation)))
    return name, " ".join(f"{k}={v}" for k, v in row.conditions.items())
