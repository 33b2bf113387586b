"""`lab conformance`."""

import os
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import click
from msgspec import Struct
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bench.base import errors
from bench.base.errors import LabError
from bench.base.files import read_toml
from bench.base.output import plural, say, say_json, say_table
from bench.base.paths import brief
from bench.base.progress import report
from bench.base.protocol import PROTOCOL
from bench.base.supervision import side_by_side
from bench.base.visible import visible, visible_lines
from bench.building.build import build, built_testee, has_testee
from bench.building.languages.language import Testee
from bench.building.manifest import codec_names, known_manifest, unavailable_in
from bench.building.runner import Runner, RunnerError, describe_all
from bench.commands.options import beside_run, json_output, selection
from bench.measuring.run_folder import write_beside
from bench.model.description import Description, RunnerEntry
from bench.model.proof.conformance import FILE, Conformance, Conformed, Deviation, SuiteUsed, Verdict
from bench.model.proof.suite import Suite, SuiteFile
from bench.proof.suites import packages
from bench.proof.suites.judges import Ready, conformed_by, ready
from bench.proof.suites.packages import UnavailableError, files_of
from bench.proof.suites.readers import Case, cases_of
from bench.proof.suites.verdicts import conformed
from bench.scenarios.catalogue import load_catalogue
from bench.scenarios.selection import Selection

SECTION = "judge"

SHOWN = 8
"""How many cases are shown of those in which the same codecs differ in the same way; --json has all."""
HEX = 40
"""Digits of an input that a line shows."""
WIDTH = 100
"""Characters of what came out that a line shows."""


class Held(Struct, frozen=True):
    """A suite with its cases."""

    suite: Suite
    cases: Sequence[Case]
    program: Ready | None = None
    """Its own program, if it judges by one."""


@click.command("conformance")
@selection
@click.option("--suite", "names", multiple=True, metavar="NAME", help="Only this suite. May be repeated.")
@click.option(
    "--folder",
    "folders",
    multiple=True,
    metavar="SUITE=PATH",
    help="Where the files of a suite are whose licence does not let the lab fetch it. May be repeated.",
)
@beside_run
@json_output
def conformance(
    *,
    filters: tuple[str, ...],
    excludes: tuple[str, ...],
    names: tuple[str, ...],
    beside: Path | None,
    as_json: bool,
    folders: tuple[str, ...],
) -> None:
    """Hold codecs against the test suites of their formats.

    The suites are named in schemas/conformance.toml; each is fetched as it is pinned, or reported as unavailable.
    One suite brings a program that judges by itself. It asks programs that answer for the codecs; those of Rust and C++
    are compiled when they are first asked, which takes minutes.
    Filters match the names of codecs. A case is judged by the value that the suite has for it; what a specification
    leaves to its implementations is counted apart. With --json each line is a codec and a suite, with all deviations.
    Exit code 1 if there is a crash, a hang or a codec that could not be asked: deviations are findings, no failures.
    """
    suites = wanted(names)
    given = given_folders(folders, suites)
    entries = entries_of(Selection(filters, excludes), {one for suite in suites.values() for one in suite.formats})
    described = describe_all(map(Runner, entries))
    failures = {runner.codec: str(one) for runner, one in described.items() if isinstance(one, RunnerError)}
    asked = {runner: one for runner, one in described.items() if isinstance(one, Description) and not one.control}
    needed = {
        name: suite
        for name, suite in suites.items()
        if names or any(can_be_asked(runner, one, suite) for runner, one in asked.items())
    }
    held, unavailable = available(needed, given)
    results = judged(asked, held, failures)
    lacking = {
        runner.codec: own
        for runner, one in asked.items()
        if (own := [name for name, suite in suites.items() if one.format in suite.formats])
        and not any(can_be_asked(runner, one, suites[name]) for name in own)
    }
    record = Conformance(
        protocol=PROTOCOL,
        created=datetime.now(UTC).isoformat(),
        suites={name: used(one) for name, one in held.items()},
        unavailable=unavailable,
        binaries={runner.codec: runner.entry.sha256 for runner in asked if runner.entry.sha256},
        results=results,
        not_offered=lacking,
        failures=failures,
    )
    if as_json:
        for result in results:
            say_json(result)
    else:
        show(record)
    tell(record, err=as_json)
    if beside:
        write_beside(beside, FILE, record)
        report(f"written to {brief(beside / FILE)}")
    if failures or any(one.verdicts[bad] for one in results for bad in (Verdict.CRASH, Verdict.HANG)):
        sys.exit(errors.EXIT_NOT_ALL_WELL)


def wanted(names: Sequence[str]) -> dict[str, Suite]:
    """The suites of these names, all if there are none. Raises UsageError for a name that no suite has."""
    suites = read_toml(packages.FILE, SuiteFile).suites
    if unknown := [name for name in names if name not in suites]:
        raise click.UsageError(f"no suite is named {', '.join(unknown)}; there are {', '.join(suites)}")
    return {name: suite for name, suite in suites.items() if not names or name in names}


def given_folders(words: Sequence[str], suites: Mapping[str, Suite]) -> dict[str, Path]:
    """Suite → its folder, of words such as SUITE=PATH. Raises UsageError for a word that names neither."""
    given = dict[str, Path]()
    for word in words:
        name, _, folder = word.partition("=")
        if not (folder and name in suites and suites[name].given and Path(folder).is_dir()):
            known = ", ".join(one for one, suite in suites.items() if suite.given) or "none of those that are asked"
            raise click.UsageError(f"--folder {word}: it takes SUITE=PATH, a folder for one of these suites: {known}")
        given[name] = Path(folder)
    return given


def available(suites: Mapping[str, Suite], given: Mapping[str, Path]) -> tuple[dict[str, Held], dict[str, str]]:
    """The suites that can be had, with their cases, and why the others cannot."""
    held, unavailable = dict[str, Held](), dict[str, str]()
    for name, suite in suites.items():
        try:
            held[name] = had(suite, given.get(name))
        except UnavailableError as error:
            unavailable[name] = str(error)
    return held, unavailable


def had(suite: Suite, given: Path | None) -> Held:
    """A suite's cases, or its program, unpacked until the command ends. Raises UnavailableError."""
    if not suite.judge:
        return Held(suite, cases_of(suite, files_of(suite, given)))
    packages.HOME.mkdir(parents=True, exist_ok=True)
    folder = click.get_current_context().with_resource(TemporaryDirectory(dir=packages.HOME))
    return Held(suite, [], ready(suite, suite.judge, Path(folder)))


def can_be_asked(runner: Runner, description: Description, suite: Suite) -> bool:
    """Whether a codec has a suite's format and what the suite asks: a program, a scenario whose messages it checks, or
    values without a type."""
    if description.format not in suite.formats:
        return False
    if suite.scenario:
        return any(cell.scenario == suite.scenario and cell.conditions.validation == "on" for cell in description.cells)
    return has_testee(runner.entry) if suite.judge else "decode" in description.any


def used(one: Held) -> SuiteUsed:
    """A suite as the record names it."""
    cases = one.suite.judge.cases if one.suite.judge else len(one.cases)
    return SuiteUsed(one.suite.title, one.suite.edition, origin(one.suite), cases)


def origin(suite: Suite) -> str:
    """Where the cases of a suite came from."""
    if suite.checkout:
        return f"commit {suite.checkout.commit}"
    if suite.given:
        return "a folder of the user's"
    if suite.scenario:
        return f"made of {suite.scenario}"
    return ", ".join(f"{one.name} {one.version}" for one in suite.packages) or f"schemas/{suite.vectors}"


def entries_of(chosen: Selection, formats: set[str]) -> list[RunnerEntry]:
    """The programs of the selected codecs of some formats, built where they are not up to date.

    Raises LabError if no codec is selected.
    """
    catalogue, manifest = load_catalogue(), known_manifest()
    own = {name for name, one in catalogue.codecs.items() if one.format in formats and chosen.takes(name)}
    codecs = own | {name for name in catalogue.unknown(codec_names(manifest)) if chosen.takes(name)}
    if not codecs:
        raise errors.nothing_selected(chosen.filters, chosen.excludes, unavailable_in(manifest))
    entries = build(report, codecs=codecs).runners
    return [entry for entry in entries if entry.codec in codecs and not entry.variant]


def judged(asked: Mapping[Runner, Description], held: Mapping[str, Held], failures: dict[str, str]) -> list[Conformed]:
    """Every codec and suite of its format, in the order of suites and codecs; what fails is added to `failures`."""
    tasks = list[tuple[str, Held, Runner, Testee | None]]()
    for name, one in held.items():
        for runner, description in asked.items():
            if can_be_asked(runner, description, one.suite):
                try:
                    tasks.append((name, one, runner, testee_for(runner, one.program)))
                except LabError as error:
                    failures[runner.codec] = str(error)

    def run(task: tuple[str, Held, Runner, Testee | None]) -> Conformed | tuple[str, RunnerError]:
        name, one, runner, testee = task
        try:
            if one.suite.judge and one.program and testee:
                return conformed_by(runner, name, one.suite.judge, one.program, testee)
            return conformed(runner, name, one.suite, one.cases)
        except RunnerError as error:
            return runner.codec, error

    results = list[Conformed]()
    for result in side_by_side(run, tasks, os.cpu_count() or 1):
        if isinstance(result, Conformed):
            results.append(result)
        else:
            failures[result[0]] = str(result[1])
    return results


def testee_for(runner: Runner, program: Ready | None) -> Testee | None:
    """What answers a suite's own program for a codec, built if need be; None without one. Raises LabError."""
    if not program:
        return None
    report(f"preparing the program that answers for {runner.codec}")
    return built_testee(runner.entry, program.schemas, report)


def show(record: Conformance) -> None:
    """Suite by suite: a row a codec, then what differs; codecs that differ in the same way share lines."""
    console = Console(highlight=False, soft_wrap=True)
    for name, suite in record.suites.items():
        own = [result for result in record.results if result.suite == name]
        if not own:
            continue
        console.print(f"{suite.title}, {suite.edition} ({suite.origin}): {plural(suite.cases, 'case')}", style="bold")
        say_table(console, grid(own))
        console.print()
        if lines := differences(own):
            console.print(visible_lines("\n".join(lines)), markup=False)
            console.print()


def tell(record: Conformance, *, err: bool) -> None:
    """What could not be asked, and why."""
    for name, reason in record.unavailable.items():
        say(f"unavailable: {name}: {reason}", err=err)
    if record.not_offered:
        names = ", ".join(sorted(record.not_offered))
        why = "they read no values without a type, check no messages, or have no program for the suite"
        say(f"not asked: {why}: {names}", err=err)
    for codec, reason in record.failures.items():
        say(f"FAIL  {codec}: {reason}", err=err)


def grid(results: Iterable[Conformed]) -> Table:
    """How many cases came out how, those that differ least first."""
    table = Table(box=None, pad_edge=False)
    table.add_column("codec", no_wrap=True)
    columns = (Verdict.RIGHT, *(verdict for verdict in reversed(Verdict) if verdict is not Verdict.RIGHT))
    for heading in (*columns, "open: accepted", "open: refused", "not as recommended", "skipped"):
        table.add_column(str(heading).replace(" ", "\n", 1), justify="right", no_wrap=True)
    for one in sorted(results, key=lambda one: (sum(one.verdicts.values()) - one.verdicts[Verdict.RIGHT], one.codec)):
        numbers = [one.verdicts[verdict] for verdict in columns]
        numbers += [one.open_accepted, one.open_refused, len(one.recommended), one.skipped]
        library = f" ({one.library} {one.version})" if one.library else ""
        table.add_row(Text(visible(f"{one.codec}{library}")), *(str(number or "") for number in numbers))
    return table


def differences(results: Iterable[Conformed]) -> list[str]:
    """Lines: which codecs differ in which way, then the cases with their inputs and what came out."""
    codecs: dict[tuple[str, Verdict], list[str]] = defaultdict(list)
    came: dict[tuple[str, Verdict], list[tuple[Deviation, str]]] = defaultdict(list)
    for one in results:
        for deviation in one.deviations:
            key = (deviation.case, deviation.verdict)
            codecs[key].append(one.codec)
            came[key].append((deviation, one.codec))
    groups: dict[tuple[Verdict, tuple[str, ...]], list[tuple[str, Verdict]]] = defaultdict(list)
    for key, names in codecs.items():
        groups[key[1], tuple(sorted(set(names)))].append(key)
    lines = []
    order = list(Verdict)
    for (verdict, alike), keys in sorted(groups.items(), key=lambda group: (order.index(group[0][0]), group[0][1])):
        lines.append(f"{verdict} ({len(keys)}): {', '.join(alike)}")
        lines += [line for key in keys[:SHOWN] for line in case_lines(came[key])]
        if len(keys) > SHOWN:
            lines.append(f"    … and {len(keys) - SHOWN} more, which --json has")
    return lines


def case_lines(deviations: Sequence[tuple[Deviation, str]]) -> list[str]:
    """A case: its input, and what came out; of several codecs what came out most often."""
    first = deviations[0][0]
    outputs = Counter(deviation.came[:WIDTH] for deviation, _ in deviations)
    (output, _), others = outputs.most_common(1)[0], len(outputs) - 1
    also = f" (and {plural(others, 'other answer')})" if others else ""
    shown = f"{first.input_hex[:HEX]}…" if 2 * first.input_bytes > HEX else first.input_hex
    return [f"    {first.case}  [{shown}]", f"        {output}{also}"]
