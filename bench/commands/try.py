"""`lab try`."""

import secrets
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from bench.base import errors, limits, paths
from bench.base.output import say
from bench.base.progress import report
from bench.commands.bench import Duration
from bench.commands.group import LabGroup
from bench.commands.options import names

if TYPE_CHECKING:  # they load much that `--help` need not wait for
    from bench.building.lab import Lab
    from bench.building.runner import Runner
    from bench.datasets.candidates import Candidate
    from bench.datasets.dataset import DataSet, Typed
    from bench.datasets.reading.sources import Source
    from bench.measuring.session import Session
    from bench.model.record import Run
    from bench.model.scenario import Scenario

SECTION = "measure"
OF_THE_RUN = {
    "codecs": "--codecs",
    "languages": "--languages",
    "budget_s": "--budget",
    "seed": "--seed",
    "quick": "--quick",
    "run_folder": "--run",
}
"""Options that a resumed run has already answered."""
BUDGET_S = 60.0
"""Of measuring; with reading, building and proving the first answer takes three minutes where libraries are built."""


@click.command("try")
@click.argument("data", type=click.Path(path_type=Path), metavar="DATA")
@click.option(
    "--type", "types", type=click.Path(path_type=Path), metavar="FILE", help="Types, edited: see --print-type."
)
@click.option("--print-type", is_flag=True, help="Print the types that follow from the data, as --type reads them.")
@click.option("--proto", type=click.Path(path_type=Path), metavar="FILE", help="The .proto file of Protocol Buffers.")
@click.option("--message", metavar="NAME", help="The type of a message: of --proto, or the struct of --type.")
@click.option(
    "--codecs",
    multiple=True,
    metavar="REGEX",
    shell_complete=names,
    help="Only codecs whose name matches, instead of those that most users begin with. Repeated: any of them.",
)
@click.option("--languages", metavar="NAMES", help="Only codecs of these languages, such as rust,python.")
@click.option(
    "--budget",
    "budget_s",
    type=Duration(),
    default=f"{BUDGET_S:.0f}s",
    show_default=True,
    metavar="DURATION",
    help="Time for measuring, such as 3m.",
)
@click.option("--full", is_flag=True, help="Prove the round trip of every message, whatever their size.")
@click.option("--seed", type=click.IntRange(0, limits.NUMBER), help="Seed of sample and order; recorded if drawn.")
@click.option("-o", "--out", type=click.Path(path_type=Path), metavar="FOLDER", help="Also write a page with charts.")
@click.option("--save", metavar="NAME", help="Keep types and sample as the scenario NAME of this lab.")
@click.option("--run", "run_folder", type=click.Path(path_type=Path), metavar="RUN", help="Where to record the run.")
@click.option("--resume", type=click.Path(path_type=Path), metavar="RUN", help="Complete an interrupted run.")
@click.option("--count", "counted", is_flag=True, help="Also count instructions under valgrind, which takes minutes.")
@click.option("--quick", is_flag=True, help="Prove and size everything, but measure nothing that counts.")
@click.pass_context
def try_data(ctx: click.Context, /, data: Path, **given: Any) -> None:
    """Try codecs with your own data.

    DATA holds messages: JSON (an object, or a list of them), JSON Lines, CSV with a header, Parquet, or Protocol
    Buffers with --proto and --message. Their type is inferred; the codecs are built for it, and each has to give back
    every message (beyond 64 MB those of a sample, unless --full). All messages are sized; a sample is measured.

    Nothing leaves this machine. Exit code 1 if a codec failed.
    """
    source = source_of(data, given)
    if given["print_type"]:
        print_type(source, given)
        return
    from bench.datasets.dataset import fitted
    from bench.measuring.trial import check_places

    check_resumed(ctx, given)
    check_places(given["run_folder"], given["out"])
    typed = typed_of(source, given)
    run = recorded(given["resume"])
    seed = run.plan.seed if run else secrets.randbits(32) if given["seed"] is None else given["seed"]
    messages = fitted(source, typed, seed, report)
    try:
        complete(ctx, messages, given | {"seed": seed, "run": run})
    finally:
        messages.close()


def check_resumed(ctx: click.Context, given: dict[str, Any]) -> None:
    """Raises click.UsageError for options that a resumed run would not follow."""
    said = [
        option for name, option in OF_THE_RUN.items() if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE
    ]
    if given["resume"] and said:
        raise click.UsageError(f"--resume takes codecs, seed and time from the run; leave out {', '.join(said)}.")


def source_of(data: Path, given: dict[str, Any]) -> "Source":
    """The file that was given. Raises click.UsageError for options that contradict each other."""
    from bench.datasets.reading.protobuf_source import ProtobufType
    from bench.datasets.reading.sources import open_source

    proto, message = given["proto"], given["message"]
    if proto and not message:
        raise click.UsageError("--proto needs --message: the type of a message.")
    if message and not proto and not given["types"]:
        raise click.UsageError("--message names a type of --proto or --type; give one of them.")
    return open_source(data, ProtobufType(proto, message) if proto else None)


def typed_of(source: "Source", given: dict[str, Any]) -> "Typed":
    """The types of the messages, given or inferred."""
    from bench.datasets.dataset import counted_kinds, given_types, inferred_types

    if given["types"]:
        return given_types(given["types"], given["message"] if not given["proto"] else None)
    typed = inferred_types(source, report)
    report(f"the type of a message is {typed.root}: {counted_kinds(typed.definitions)}; --print-type shows it")
    for note in typed.notes:
        report(note[:500])
    return typed


def print_type(source: "Source", given: dict[str, Any]) -> None:
    """The types that follow from the data; where it has none, text, with the reason in a comment."""
    from bench.datasets.dataset import describe, inferred
    from bench.types.notation import types_text

    deduced = inferred(source, report)
    comments = [f"The messages of {source.path.name}; a message is {deduced.root}."]
    comments += [
        f"No type in common, so text, which takes other values as their JSON: {describe(one, source)}"
        for one in deduced.conflicts
    ]
    say(types_text(deduced.definitions, [*comments, *deduced.notes]).rstrip("\n"))


def recorded(path: Path | None) -> "Run | None":
    """The run that --resume names."""
    from bench.records.run_file import read_run_file

    return read_run_file(path) if path else None


def complete(ctx: click.Context, data: "DataSet", given: dict[str, Any]) -> None:
    """Builds, sizes, measures and shows."""
    from bench.base.files import hold
    from bench.measuring.trial import resuming

    candidates = candidates_of(data, given)
    able = [one.codec for one in candidates if not one.cannot]
    if not able:
        reasons = [f"{one.codec}: {one.cannot[0].path}: {one.cannot[0].reason}" for one in candidates]
        raise errors.no_codec_takes(data.path, reasons)
    scenario = data.scenario(able)
    if given["save"]:
        save(data, able, given["save"])
    programs = paths.set_home(scenario.name)
    programs.mkdir(parents=True, exist_ok=True)
    ctx.call_on_close(hold(programs, errors.set_in_use).release)  # what is measured is not built anew meanwhile
    lab, session = begun(data, scenario, able, given)
    folder = session.folder.path
    try:
        size(data, lab, scenario, folder, candidates=candidates, full=given["full"])
        run = session.complete(report)
    except (KeyboardInterrupt, BrokenPipeError, errors.LabError):
        report(f"stopped; `{resuming(data.path, folder, given)}` goes on where it was")
        raise
    finally:
        session.close()
    if given["counted"]:
        count(lab, folder)
    report(f"recorded in {paths.brief(folder)}")
    show(ctx, folder, given["out"])
    end(folder, run)


def candidates_of(data: "DataSet", given: dict[str, Any]) -> "list[Candidate]":
    """The codecs that were asked for, or, of a run that is resumed, those that it began with."""
    from bench.building.manifest import codec_names, known_manifest
    from bench.datasets.candidates import candidate, chosen
    from bench.scenarios.catalogue import load_catalogue

    offers = load_catalogue().codecs
    languages = [name.strip() for name in (given["languages"] or "").split(",") if name.strip()]
    if given["run"]:
        codecs = list(given["run"].scenarios[0].published.rows)
    else:
        codecs = chosen(codec_names(known_manifest()), offers, given["codecs"], languages)
    defined = data.typed.defined
    return [candidate(codec, offers.get(codec), data.typed.root, defined) for codec in codecs]


def begun(data: "DataSet", scenario: "Scenario", codecs: Sequence[str], given: dict[str, Any]) -> "tuple[Lab, Session]":
    """The built programs, and the run, new or resumed."""
    from bench.measuring.beginning import default_folder
    from bench.measuring.trial import built_for, new_trial, options_of, resumed_trial
    from bench.model.plan import Profile
    from bench.scenarios.inputs import keep_input
    from bench.scenarios.sets import type_set

    if given["run"] and given["run"].scenarios[0].input.sha256 != scenario.input.sha256:
        raise errors.other_data(given["resume"], data.path)
    keep_input(scenario, data.text())
    lab = built_for(scenario, type_set(scenario.name, [scenario]), codecs, report)
    if given["run"]:
        return lab, resumed_trial(given["resume"], lab, scenario)
    profile = Profile.QUICK if given["quick"] else Profile.STANDARD
    options = options_of(profile, given["seed"], given["budget_s"])
    return lab, new_trial(given["run_folder"] or default_folder(), lab, scenario, options)


def size(
    data: "DataSet",
    lab: "Lab",
    scenario: "Scenario",
    folder: Path,
    *,
    candidates: "Sequence[Candidate]",
    full: bool,
) -> None:
    """Sizes and proves all messages, and records it beside the run; a resumed run may have it already."""
    import msgspec

    from bench.base.files import is_there
    from bench.base.protocol import PROTOCOL
    from bench.base.visible import visible
    from bench.datasets.sizing import ZSTD_LEVEL, json_sizes, sized, trained_places
    from bench.measuring.run_folder import write_beside
    from bench.model.findings import DATA_FILE, CodecData, DataReport

    if is_there(folder / DATA_FILE):
        return
    runners: dict[str, Runner] = {codec: one for codec, one in lab.runners.items() if codec in lab.descriptions}
    results, to_prove = sized(list(runners.values()), scenario.name, data, report, full=full)
    known = {one.codec: one for one in results}
    errors_of = {one.codec: str(error) for one, error in lab.described.items() if isinstance(error, Exception)}
    missing = {codec: CodecData(codec, failure=reason) for codec, reason in errors_of.items()}
    codecs = [
        msgspec.structs.replace(
            (missing | known).get(one.codec, CodecData(one.codec)), cannot=one.cannot, instead=one.instead
        )
        for one in candidates
    ]
    content = DataReport(
        protocol=PROTOCOL,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        name=visible(data.path.name),
        scenario=scenario.name,
        messages=data.count,
        sampled=len(data.sample.messages),
        to_prove=to_prove,
        json=json_sizes(data),
        zstd_level=ZSTD_LEVEL,
        notes=[visible(note) for note in data.notes],
        codecs=codecs,
        given_bytes=data.given_bytes,
        sampled_bytes=data.sample.total_bytes,
        left_out=data.sample.left_out,
        trained=len(trained_places(data.sample)),
    )
    write_beside(folder, DATA_FILE, content)


def count(lab: "Lab", folder: Path) -> None:
    """Counts instructions; says why where that is impossible, and the table has none then."""
    from bench.counting.counts_session import Order, begin
    from bench.counting.counts_session import complete as counted
    from bench.records.run_file import read_run_file

    try:
        counted(begin(lab, Order(into=folder, run=read_run_file(folder)), report), report)
    except errors.LabError as error:
        report(f"instructions are not counted: {error}")


def show(ctx: click.Context, folder: Path, out: Path | None) -> None:
    """Has the commands that follow this one print what was found, and write the page."""
    group = ctx.find_root().command
    for command in group.followers(ctx, "try") if isinstance(group, LabGroup) else ():
        ctx.invoke(command, runs=(folder,), out=out)
    sys.stdout.flush()


def end(folder: Path, run: "Run") -> None:
    """Exit code 1 where a codec failed."""
    from bench.base.files import read_json
    from bench.measuring.run import error_rows
    from bench.model.findings import DATA_FILE, DataReport

    failures = [one.codec for one in read_json(folder / DATA_FILE, DataReport).codecs if one.failure]
    if failures or error_rows(folder) or run.provenance.get("unavailable"):
        sys.exit(errors.EXIT_NOT_ALL_WELL)


def save(data: "DataSet", codecs: Sequence[str], name: str) -> None:
    """Writes the sample as a scenario of this lab: its file, and its data beside it. Raises LabError if it is there."""
    from bench.datasets.saving import save_scenario

    for path in save_scenario(data, codecs, name):
        report(f"written: {paths.brief(path)}")
