"""`lab report-finding`."""

import shlex
from pathlib import Path

import click

from analysis.base import problems as errors
from analysis.data.machines.run_paths import runs_below
from analysis.render.finding_report import finding_report
from analysis.sources.maintenance import maintenance
from bench.base.files import is_there, read_json
from bench.base.limits import FINDINGS_BYTES
from bench.base.output import say
from bench.base.paths import STATE, brief
from bench.base.progress import report
from bench.building.manifest import known_manifest
from bench.model.findings import Finding, Fuzzed, Fuzzing
from bench.proof.formats.templates import MistakeError, from_recipe
from bench.proof.fuzz import FILE
from bench.proof.upstream import WITHHELD, upstream
from bench.records.run_file import read_fuzzing

SECTION = "judge"
LAST = STATE / FILE
"""What the last `lab fuzz` found."""


@click.command("report-finding")
@click.argument("finding", metavar="ID")
@click.option(
    "--run",
    "below",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="RUN",
    help="Runs that hold the finding, instead of what the last `lab fuzz` found.",
)
@click.option("--input", "target", type=click.Path(path_type=Path), metavar="FILE", help="Only write the input.")
def report_finding(finding: str, below: tuple[Path, ...], target: Path | None) -> None:
    """Print a report of a finding of `lab fuzz`, for the library's authors.

    It holds the library and its version, the input, what happened, what the specification says, and the commands that
    show it again. A crash belongs into the library's private channel, which the report names first, unless an issue in
    public tells of it.
    """
    found, result = sought(finding, fuzzings(below))
    data = input_of(found)
    if target:
        target.write_bytes(data)
        report(f"{brief(target)} holds the input")
        return
    channel = maintenance().channel(found.codec, result.library)
    issues = upstream().of_finding(found, result.library)
    say(finding_report(found, result, channel, runner_of(found.codec), issues).rstrip("\n"))


def fuzzings(below: tuple[Path, ...]) -> list[Fuzzing]:
    """What runs hold, or what was found last. Raises LabError."""
    if below:
        return [fuzzing for run in runs_below(below) if (fuzzing := read_fuzzing(run))]
    return [read_json(LAST, Fuzzing, FINDINGS_BYTES)] if is_there(LAST) else []


def sought(id_: str, held: list[Fuzzing]) -> tuple[Finding, Fuzzed]:
    """A finding by its id, with the result that it belongs to. Raises LabError if there is none, or it is withheld."""
    findings = [(one, result) for fuzzing in held for result in fuzzing.results for one in result.findings if one.id]
    if pair := next((pair for pair in findings if pair[0].id == id_), None):
        if pair[0].problem in WITHHELD.values():
            raise errors.withheld_finding(id_)
        return pair
    raise errors.no_finding(id_, [one.id for one, _ in findings])


def runner_of(codec: str) -> str:
    """The command that starts a codec's program, as the last build left it; its name where there is none."""
    manifest = known_manifest()
    entries = [one for one in manifest.runners if one.codec == codec and not one.variant] if manifest else []
    return shlex.join([brief(Path(word)) if "/" in word else word for word in entries[0].command]) if entries else codec


def input_of(finding: Finding) -> bytes:
    """A finding's input. Raises LabError if its recipe is none that the lab writes."""
    if finding.recipe is None:
        return bytes.fromhex(finding.input_hex)
    try:
        return from_recipe(finding.recipe)
    except MistakeError as error:
        raise errors.bad_recipe(finding.id, str(error)) from None
