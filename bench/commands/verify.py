"""`lab verify`."""

import sys

import click

from bench.base import errors
from bench.base.output import say, say_json
from bench.base.progress import report
from bench.building.lab import open_lab
from bench.commands.options import json_output, selection, sweeps
from bench.proof.verify import verify, wanted_of
from bench.scenarios.selection import Selection

SECTION = "judge"


@click.command("verify")
@selection
@sweeps
@json_output
def verify_codecs(filters: tuple[str, ...], excludes: tuple[str, ...], sweeps: bool, as_json: bool) -> None:
    """Prove that every codec is correct.

    Checked are version, round trip and published size, and that codecs of one format read each other. Exit code 1 if a
    check fails; both sides are shown.
    """
    lab = open_lab(report, Selection(filters, excludes), sweeps=sweeps)
    chosen = lab.selected(filters, excludes)
    result = verify(lab.described, wanted_of(chosen), lab.scenarios, report)
    if as_json:
        say_json(result)
    else:
        for good in result.verified:
            peers = f", read by {' '.join(good.peers)}" if good.peers else ""
            say(f"ok    {good.codec} {good.scenario}: {good.encoded_bytes} B{peers}")
        for bad in result.failures:
            mark = "known" if bad.known else "FAIL "
            say(f"{mark} {' '.join(filter(None, (bad.codec, bad.scenario)))}: {bad.check}: {bad.message}")
        known = sum(bad.known is not None for bad in result.failures)
        say(f"{len(result.verified)} verified, {len(result.failures) - known} failed, {known} known failures")
    if any(bad.known is None for bad in result.failures):
        sys.exit(errors.EXIT_NOT_ALL_WELL)
