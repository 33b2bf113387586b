"""`lab sizes`."""

import hashlib
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import click
from msgspec.structs import replace
from rich.console import Console

from analysis.base import problems
from analysis.base.groups import keys_by_value
from analysis.render.terminal import print_grid
from analysis.sources.document_figures import DocumentFigure, document_figures
from analysis.sources.packed_figures import packed_figures
from analysis.sources.publications import Publication, load_publications
from analysis.sources.published_tables import FOLDER
from analysis.tables.documents.document_grid import document_grids, measured_of
from bench.base.errors import EXIT_NOT_ALL_WELL, LabError
from bench.base.output import say, say_json
from bench.base.paths import brief
from bench.base.progress import report
from bench.base.protocol import PROTOCOL
from bench.base.visible import visible
from bench.building.build import build
from bench.building.runner import Runner, RunnerError, describe_all
from bench.building.tools import LIBFLATE_PROGRAM, provide_libflate
from bench.commands.options import beside_run, json_output, selection
from bench.measuring.run_folder import write_beside
from bench.model.description import Description
from bench.model.proof.document_sizes import FILE, DocumentSizes
from bench.model.scenario import Scenario
from bench.proof.sizes.documents import provide
from bench.proof.sizes.written import Task, minified_bytes, sizes_of
from bench.scenarios.inputs import canonical_input
from bench.scenarios.load import load_scenarios
from bench.scenarios.selection import Selection

SECTION = "judge"


@click.command("sizes")
@selection
@beside_run
@json_output
def sizes(filters: tuple[str, ...], excludes: tuple[str, ...], beside: Path | None, as_json: bool) -> None:
    """Compare sizes of published documents, and of messages after a compression.

    The codecs that stand for the rows of publications write their documents without a schema; the files in
    analysis/published say which. Documents come from pinned crates, and from checkouts below LAB_SOURCES. Where a table
    has sizes after a compression, its codecs write the message of its scenario, which is then packed. Filters match
    `codec document`, where a table's name stands for its message. With --run, `lab claims` judges the published sizes
    by these. With --json each line is one size.
    """
    publications = [one for one in load_publications(FOLDER) if one.document_sizes or one.packed_sizes]
    scenarios = load_scenarios()
    figures = [figure for one in publications for figure in (*document_figures(one), *packed_figures(one, scenarios))]
    chosen = Selection(filters, excludes)
    tasks = [
        task for one in publications for task in tasks_of(one, figures) if chosen.takes(f"{task.codec} {task.document}")
    ]
    if not tasks:
        raise problems.no_document_sizes(chosen.filters, chosen.excludes)
    counted = count(tasks, scenarios)
    if beside:
        write_beside(beside, FILE, counted)
        report(f"written to {brief(beside / FILE)}")
    wanted = {(task.publication, task.row, task.document) for task in tasks}
    own = [figure for figure in figures if (figure.publication, figure.row, figure.document) in wanted]
    if as_json:
        say_lines(own, counted)
    else:
        show(
            own,
            [figure for figure in figures if figure.why_not],
            counted,
            {one.name: one.title for one in publications},
        )
    if counted.failures:
        sys.exit(EXIT_NOT_ALL_WELL)


def tasks_of(publication: Publication, figures: Iterable[DocumentFigure]) -> list[Task]:
    """A task for each row and document of a publication that the lab can have written."""
    method = publication.document_sizes
    groups: dict[tuple[str, str], list[DocumentFigure]] = {}
    for figure in figures:
        if figure.publication == publication.name and figure.why_not is None:
            groups.setdefault((figure.row, figure.document), []).append(figure)
    return [
        Task(
            publication=publication.name,
            row=row,
            document=document,
            codec=own[0].codec or "",
            integers=method is not None and method.integers,
            ends_with=method.codecs[row].ends_with if method else "",
            metrics=tuple((figure.metric, figure.measures.packed) for figure in own),
            scenario=own[0].scenario,
        )
        for (row, document), own in groups.items()
    ]


def count(tasks: Sequence[Task], scenarios: Mapping[str, Scenario]) -> DocumentSizes:
    """Builds the codecs of the tasks, and has them write the documents and messages."""
    runners, failures = writers(tasks)
    tasks, failed_packers = with_packers(tasks)
    messages = {task.document: task.scenario for task in tasks if task.scenario}
    texts, missing = provide({task.document for task in tasks} - messages.keys())
    inputs = {name: canonical_input(scenarios[scenario]) for name, scenario in messages.items()}
    documents = texts | inputs
    found, failed = sizes_of(tasks, documents, runners)
    return DocumentSizes(
        protocol=PROTOCOL,
        created=datetime.now(UTC).isoformat(),
        binaries={codec: runner.entry.sha256 for codec, runner in runners.items() if runner.entry.sha256},
        versions={codec: (runner.description.library, runner.description.version) for codec, runner in runners.items()},
        documents={name: hashlib.sha256(content).hexdigest() for name, content in documents.items()},
        minified_bytes=minified_bytes(texts, texts),
        sizes=found,
        failures={**failures, **failed_packers, **missing, **failed},
    )


def with_packers(tasks: Sequence[Task]) -> tuple[list[Task], dict[str, str]]:
    """The tasks with the metrics that can be packed here, and why the others cannot."""
    if not any(packer == LIBFLATE_PROGRAM for task in tasks for _, packer in task.metrics):
        return list(tasks), {}
    try:
        provide_libflate(report)
    except LabError as error:
        able = [
            replace(task, metrics=tuple(one for one in task.metrics if one[1] != LIBFLATE_PROGRAM)) for task in tasks
        ]
        return able, {LIBFLATE_PROGRAM: str(error)}
    return list(tasks), {}


def writers(tasks: Iterable[Task]) -> tuple[dict[str, Runner], dict[str, str]]:
    """The runners of the tasks' codecs, and why there is none, or none that writes values without a schema."""
    schemaless = {task.codec for task in tasks if task.scenario is None}
    codecs = {task.codec for task in tasks}
    entries = [entry for entry in build(report, codecs=set(codecs)).runners if entry.codec in codecs]
    runners: dict[str, Runner] = {}
    failures = dict.fromkeys(codecs, "no runner was built: see `./lab build`")
    for runner, described in describe_all(Runner(entry) for entry in entries if not entry.variant).items():
        failures.pop(runner.codec, None)
        if isinstance(described, RunnerError):
            failures[runner.codec] = str(described)
        elif runner.codec in schemaless and not writes_any(described):
            failures[runner.codec] = (
                "its runner writes nothing without a schema: `describe` offers no `encode` of any value"
            )
        else:
            runners[runner.codec] = runner
    return dict(sorted(runners.items())), dict(sorted(failures.items()))


def writes_any(described: Description) -> bool:
    """Whether a runner takes `encode --type any`."""
    return "encode" in described.any


def say_lines(figures: Iterable[DocumentFigure], counted: DocumentSizes) -> None:
    """A line of JSON a size: published and measured."""
    for figure in figures:
        if figure.why_not is None:
            say_json(
                {
                    "publication": figure.publication,
                    "document": figure.document,
                    "row": figure.row,
                    "codec": figure.codec,
                    "metric": figure.metric,
                    "unit": figure.unit,
                    "published": figure.value,
                    "measured": measured_of(figure, counted),
                }
            )


def show(
    figures: Sequence[DocumentFigure],
    untold: Sequence[DocumentFigure],
    counted: DocumentSizes,
    titles: Mapping[str, str],
) -> None:
    """A table a publication and metric, then what failed and what nothing here tells."""
    console = Console(highlight=False)
    for grid in document_grids(figures, counted, titles):
        print_grid(console, grid)
    for reason, number in Counter(figure.why_not for figure in untold).most_common():
        say(f"Not judged: {number} sizes: {reason}.")
    for reason, names in keys_by_value(counted.failures).items():
        say(visible(f"Failed: {', '.join(names)}: {reason}"))
