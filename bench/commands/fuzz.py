"""`lab fuzz`."""

import sys
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from pathlib import Path

import click
import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bench.base import errors
from bench.base.files import write_json
from bench.base.output import plural, say, say_json, say_table
from bench.base.paths import STATE, brief
from bench.base.progress import report
from bench.base.protocol import PROTOCOL
from bench.base.supervision import calling_threads, in_order
from bench.building.build import build_sanitized
from bench.building.lab import Lab, open_lab, selected_programs, types_named
from bench.building.runner import Runner, RunnerError, describe_all
from bench.commands.options import beside_run, json_output, selection
from bench.measuring.run_folder import write_beside
from bench.model.cells import Cell
from bench.model.findings import ClassCounts, Fuzzed, Fuzzing, Harm, harms
from bench.model.offers import AnyCommand
from bench.model.proof.malformed_rules import ANY, RANDOM
from bench.model.scenario import Scenario
from bench.proof.formats.grammars import class_names, grammars
from bench.proof.fuzz import FILE
from bench.proof.fuzz import fuzz as fuzz_one
from bench.proof.malformed.examine import examined, messages_of
from bench.scenarios.load import load_scenarios
from bench.scenarios.selection import Selection

SECTION = "judge"

SHOWN = 3
"""How many findings of a codec, type and class are shown; --json has all."""
LAST = STATE / FILE
"""What the last `lab fuzz` found, for `lab report-finding`."""
WORST = {
    Harm.MEMORY: "crash",
    Harm.WRONG_VALUE: "wrong",
    Harm.EXHAUSTION: "hang",
    Harm.SPECIFICATION: "against",
    Harm.OTHER: "error",
}
LEGEND = (
    "crash    ended by a signal, or a sanitizer       wrong     a value that is none, or another than is meant\n"
    "hang     no end, a full stack, too much memory   against   takes or refuses what the specification does not\n"
    "error    failed in another way than by refusing\n"
    "other    another value, and nothing forbids it   same      read as if nothing were wrong; nothing forbids it\n"
    "taken    nothing to compare it with              refused   all refused\n"
)


class Job(msgspec.Struct, frozen=True):
    """What one codec is given, for one type."""

    runner: Runner
    scenario: Scenario | None
    """None: values of any type."""
    cases: int
    """Random ones."""


class ClassNames(click.ParamType[str]):
    """Names of classes, which are read when they are needed."""

    name = "class"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name, if it is one."""
        if value not in (names := class_names()):
            self.fail(f"{value!r} is none of {', '.join(names)}", param, ctx)
        return value


@click.command("fuzz")
@selection
@click.option("--cases", type=click.IntRange(1), default=10_000, show_default=True, help="Random inputs per codec.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of what is drawn.")
@click.option(
    "--class",
    "classes",
    multiple=True,
    type=ClassNames(),
    metavar="NAME",
    help="Only this class, such as depth or trailing-bytes; `random` is that of random mutations. May be repeated.",
)
@click.option("--sanitize", is_flag=True, help="Only compiled codecs, built with AddressSanitizer and UBSan.")
@beside_run
@json_output
def fuzz(
    *,
    filters: tuple[str, ...],
    excludes: tuple[str, ...],
    cases: int,
    seed: int,
    classes: tuple[str, ...],
    sanitize: bool,
    beside: Path | None,
    as_json: bool,
) -> None:
    """Give every codec malformed input.

    Inputs are of the classes in schemas/malformed.toml, and random mutations of the codec's own output. A codec may
    refuse or decode them, unless its format's specification says which; a crash, a hang or anything else is a finding.
    Findings are counted by kind: memory (a crash, or what a sanitizer reports), wrong value (no value of the type, or
    another than is meant), hang or memory use (or a stack that overflows), against the specification, other (a panic).

    A codec's random cases are divided among the types of the scenarios that it offers; codecs whose format describes
    itself are also given values of any type. With --json each line is one result, with the inputs of its findings in
    hexadecimal. Exit code 1 if there is a finding; `lab report-finding ID` prints a report of one.
    """
    wanted = classes or tuple(class_names())
    chosen = Selection(filters, excludes)
    lab = sanitized_lab(chosen) if sanitize else open_lab(report, chosen)
    tasks = jobs(lab, lab.selected(filters, excludes), cases)
    report(f"{len(wanted)} classes of malformed input on {plural(len({task.runner.codec for task in tasks}), 'codec')}")
    messages = peers_of(tasks) if "splices" in wanted else {}

    def run(task: Job) -> Fuzzed | RunnerError:
        try:
            return fuzzed(task, wanted, seed, messages)
        except RunnerError as error:
            return error

    broken, results, failures = False, list[Fuzzed](), dict[str, str]()
    with calling_threads() as pool:
        for task, result in zip(tasks, in_order(pool, run, tasks), strict=True):
            if isinstance(result, RunnerError):
                name = f"{task.runner.codec} {type_name(task)}"
                say(f"FAIL  {name}: {result}", err=as_json)
                broken = True
                failures[name] = str(result)
                continue
            results.append(result)
            broken |= bool(result.findings)
            say_json(result) if as_json else say(words(result))
    if not as_json:
        show(results)
    binaries = {task.runner.codec: task.runner.entry.sha256 for task in tasks if task.runner.entry.sha256}
    fuzzing = Fuzzing(
        protocol=PROTOCOL,
        created=datetime.now(UTC).isoformat(),
        cases=cases,
        seed=seed,
        binaries=binaries,
        results=results,
        failures=failures,
        classes=sorted(classes),
    )
    LAST.parent.mkdir(parents=True, exist_ok=True)
    write_json(LAST, fuzzing)
    if beside:
        write_beside(beside, FILE, fuzzing)
        report(f"written to {brief(beside / FILE)}")
    if broken:
        sys.exit(errors.EXIT_NOT_ALL_WELL)


def type_name(task: Job) -> str:
    """The scenario whose type is decoded, or `any`."""
    return task.scenario.name if task.scenario else ANY


def peers_of(tasks: Collection[Job]) -> dict[str, dict[str, bytes]]:
    """Scenario → codec → its message of the scenario's value."""
    asked: dict[str, tuple[Scenario, list[Runner]]] = {}
    for task in tasks:
        if task.scenario and not task.scenario.is_files:
            asked.setdefault(task.scenario.name, (task.scenario, []))[1].append(task.runner)
    return {name: messages_of(runners, scenario) for name, (scenario, runners) in asked.items()}


def fuzzed(task: Job, classes: Collection[str], seed: int, messages: Mapping[str, Mapping[str, bytes]]) -> Fuzzed:
    """What came of all cases of a task. Raises RunnerError where the codec cannot even encode."""
    peers = {codec: one for codec, one in messages.get(type_name(task), {}).items() if codec != task.runner.codec}
    result = examined(task.runner, task.scenario, set(classes), seed, peers)
    if RANDOM not in classes or task.scenario is None or not task.cases:
        return result
    drawn = fuzz_one(task.runner, task.scenario, task.cases, seed)
    return msgspec.structs.replace(
        result,
        cases=result.cases + drawn.cases,
        refused=result.refused + drawn.refused,
        accepted=result.accepted + drawn.accepted,
        findings=[*result.findings, *drawn.findings],
        classes=result.classes | drawn.classes,
    )


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


def jobs(lab: Lab, cells: list[Cell], cases: int) -> list[Job]:
    """The first scenario of each type, with an equal share of its codec's cases, and values of any type.

    Of the default build alone: what a library does with bad input is asked once.
    """
    wanted: dict[Runner, dict[str, Scenario]] = {}
    controls = {codec for codec, description in lab.descriptions.items() if description.control}
    for cell in cells:
        if cell.codec not in controls and not lab.runner_of[cell].entry.variant:
            scenario = lab.scenarios[cell.scenario]
            wanted.setdefault(lab.runner_of[cell], {}).setdefault(scenario.type, scenario)
    tasks: list[Job] = []
    for runner, by_type in wanted.items():
        described = runner.description
        if AnyCommand.DECODE in described.any and described.format in grammars().formats:
            tasks.append(Job(runner, None, 0))
        for number, scenario in enumerate(by_type.values()):
            tasks.append(Job(runner, scenario, cases // len(by_type) + (number < cases % len(by_type))))
    return tasks


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
    for class_ in dict.fromkeys(finding.class_ for finding in result.findings):
        own = [finding for finding in result.findings if finding.class_ == class_]
        for finding in own[:SHOWN]:
            given = finding.input_hex[:120] or (finding.recipe or "")[:200]
            lines.append(f"        {finding.id}: {finding.harm}: {finding.problem}; input {given}")
        if more := len(own) - SHOWN:
            lines += [f"        and {more} more of {class_}"] if more > 0 else []
    return "\n".join(lines)


def show(results: Collection[Fuzzed]) -> None:
    """What came of every class, the worst of it, a row a codec."""
    grid = Table(box=None, pad_edge=False)
    classes = [name for name in class_names() if any(name in result.classes for result in results)]
    grid.add_column("codec", no_wrap=True)
    for name in classes:
        grid.add_column(name, no_wrap=True)
    for codec in dict.fromkeys(result.codec for result in results):
        own = [result for result in results if result.codec == codec]
        grid.add_row(Text(codec), *(worst(own, name) for name in classes))
    console = Console(highlight=False, soft_wrap=True)
    console.print()
    say_table(console, grid)
    console.print(LEGEND, markup=False)


def worst(results: Collection[Fuzzed], class_: str) -> str:
    """The worst that came of a class, over the types of a codec; empty where it has no cases."""
    found = {finding.harm for result in results for finding in result.findings if finding.class_ == class_}
    if harm := next((harm for harm in Harm if harm in found), None):
        return WORST[harm]
    counts = [result.classes.get(class_, ClassCounts(0, 0, 0)) for result in results]
    if not any(one.cases for one in counts):
        return ""
    if any(one.other for one in counts):
        return "other"
    if any(one.equal for one in counts):
        return "same"
    return "taken" if any(one.accepted for one in counts) else "refused"
