"""`lab doctor`."""

import sys

import click

from bench.base.output import say, say_json
from bench.building.doctor import examine
from bench.commands.options import json_output

SECTION = "look after"


@click.command("doctor")
@json_output
def doctor(as_json: bool) -> None:
    """Show what makes numbers noisy on this machine.

    Each finding says what to do about it. Exit code 1 if something that the lab needs is missing; sources of noise are
    only advice.
    """
    findings = examine()
    if as_json:
        say_json(findings)
    else:
        for finding in findings:
            mark = {"ok": "ok     ", "advice": "advice ", "missing": "MISSING"}[finding.state]
            say(f"{mark} {finding.name}: {finding.value}{f'. {finding.advice}' if finding.advice else ''}")
    if any(finding.state == "missing" for finding in findings):
        sys.exit(1)
