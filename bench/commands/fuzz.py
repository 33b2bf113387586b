"""`lab fuzz`."""

import sys
from datetime import UTC, datetime
from pathlib import Path

import click
import msgspec

from bench.base import errors
from bench.base.output import plural, say, say_json
from bench.base.paths import brief
from bench.base.progress import report
from bench.base.protocol import PROTOCOL
from bench.base.supervision import calling_threads, in_order
from bench.building.build import build_sanitized
from bench.building.lab import Lab, open_lab, selected_programs, types_named
from bench.building.runner import Runner, RunnerError, describe_all
from bench.commands.options import beside_run, json_output, selection
from bench.measuring.run_folder import write_beside
from bench.model.cells import Cell
from bench.model.findings import Fuzzed, Fuzzing, harms
from bench.model.scenario import Scenario
from bench.proof.fuzz import FILE
from bench.proof.fuzz import fuzz as fuzz_one
from bench.scenarios.load import load_scenarios
from bench.scenarios.selection import Selection

SECTION = "judge"

SHOWN = 3
"""How many findings of a codec and scenario are shown; --json has all."""


@click.command("fuzz")
@selection
@click.option("--cases", type=click.IntRange(1), default=10_000, show_default=True, help="Malformed inputs per codec.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of the mutations.")
@click.option("--sanitize", is_flag=True, help="Only compiled codecs, built with AddressSanitizer and UBSan.")
@beside_run
@json_output
def fuzz(
    *,
    filters: tuple[str, ...],
    excludes: tuple[str, ...],
    cases: int,
    seed: int,
    sanitize: bool,
    beside: Path | None,
    as_json: bool,
) -> None:
    """Give every codec malformed input.

    A codec may refuse or decode it; a crash, a hang or anything else is a finding. Findings are counted by kind:
    memory (a crash, or what a sanitizer reports), wrong value (accepted, but no value of the type), hang or memory use,
    other (a panic, for instance).

    A codec's cases are divided among the types of the scenarios that it offers. With --json each line is one result,
    with the inputs of its findings in hexadecimal. Exit code 1 if there is a finding.
    """
    chosen = Selection(filters, excludes)
    lab = sanitized_lab(chosen) if sanitize else open_lab(report, chosen)
    tasks = jobs(lab, lab.selected(filters, excludes), cases)
    tested = plural(len({runner.codec for runner, _, _ in tasks}), "codec")
    report(f"{plural(sum(count for _, _, count in tasks), 'case')} on {tested}")

    def run(task: tuple[Runner, Scenario, int]) -> Fuzzed | RunnerError:
        try:
            return fuzz_one(*task, seed)
        except RunnerError as error:
            return error

    broken, results, failures = False, list[Fuzzed](), dict[str, str]()
    with calling_threads() as pool:
        for (runner, scenario, _), result in zip(tasks, in_order(pool, run, tasks), strict=True):
            if isinstance(result, RunnerError):
                say(f"FAIL  {runner.codec} {scenario.name}: {result}", err=as_json)
                broken = True
                failures[f"{runner.codec} {scenario.name}"] = str(result)
                continue
            results.append(result)
            broken |= bool(result.findings)
            say_json(result) if as_json else say(words(result))
    if beside:
        binaries = {runner.codec: runner.entry.sha256 for runner, _, _ in tasks if runner.entry.sha256}
        fuzzing = Fuzzing(
            protocol=PROTOCOL,
            created=datetime.now(UTC).isoformat(),
            cases=cases,
            seed=seed,
            binaries=binaries,
            results=results,
            failures=failures,
        )
        write_beside(beside, FILE, fuzzing)
        report(f"written to {brief(beside / FILE)}")
    if broken:
        sys.exit(errors.EXIT_NOT_ALL_WELL)


def sanitized_lab(selection: Selection) -> Lab:
    """A lab of the selected codecs' builds with sanitizers, instead of those that are measured."""
    scenarios = load_scenarios()
    programs = selected_programs(selection, scenarios)
    built = [
        runner
        for types, codecs in programs.items()
        for runner in build_sanitized(report, codecs, types_named(types, scenarios))
    ]
    entries = (msgspec.structs.replace(runner.entry, variant="") for runner in built)
    return Lab(describe_all(map(Runner, entries)), scenarios)


def jobs(lab: Lab, cells: list[Cell], cases: int) -> list[tuple[Runner, Scenario, int]]:
    """(runner, scenario, cases): the first scenario of each type, with an equal share of its codec's cases."""
    wanted: dict[Runner, dict[str, Scenario]] = {}
    controls = {codec for codec, description in lab.descriptions.items() if description.control}
    for cell in cells:
        if cell.codec not in controls:
            scenario = lab.scenarios[cell.scenario]
            wanted.setdefault(lab.runner_of[cell], {}).setdefault(scenario.type, scenario)
    return [
        (runner, scenario, cases // len(by_type) + (number < cases % len(by_type)))
        for runner, by_type in wanted.items()
        for number, scenario in enumerate(by_type.values())
    ]


def words(result: Fuzzed) -> str:
    """A result as text of several lines."""
    mark = "FOUND" if result.findings else "ok   "
    library = f" ({result.library} {result.version})" if result.library else ""
    lines = [
        f"{mark} {result.codec}{library} {result.scenario}: {result.cases} cases, {result.refused} refused, "
        f"{result.accepted} decoded, {plural(len(result.findings), 'finding')}"
    ]
    if result.findings:
        lines[0] += f": {harms(result.findings)}"
    for finding in result.findings[:SHOWN]:
        lines.append(f"        {finding.harm}, case {finding.case}: {finding.problem}; input {finding.input_hex[:120]}")
    return "\n".join(lines)
