"""`lab doctor`."""

import sys

import click

from bench.base.output import say, say_json
from bench.building.doctor import examine
from bench.commands.options import json_output
from bench.measuring.machine.fitness import examine_calm

SECTION = "look after"


@click.command("doctor")
@json_output
@click.option(
    "--seconds",
    type=click.FloatRange(0.1, 50),
    default=10.0,
    show_default=True,
    help="How long to watch how calm the machine is.",
)
def doctor(as_json: bool, seconds: float) -> None:
    """Show what makes numbers noisy on this machine, and what to expect of measuring now.

    Each finding says what to do about it. Exit code 1 if something that the lab needs is missing; sources of noise are
    only advice.
    """
    findings = [*examine(), examine_calm(seconds)]
    if as_json:
        say_json(findings)
    else:
        for finding in findings:
            mark = {"ok": "ok     ", "advice": "advice ", "missing": "MISSING"}[finding.state]
            say(f"{mark} {finding.name}: {finding.value}{f'. {finding.advice}' if finding.advice else ''}")
    if any(finding.state == "missing" for finding in findings):
        sys.exit(1)
