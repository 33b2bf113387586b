"""`lab bench`."""

import math
import re
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import click
from click.core import ParameterSource

from bench.base import errors, limits, paths
from bench.base.output import plural, say
from bench.base.progress import duration, report
from bench.commands.group import LabGroup
from bench.commands.options import selection, sweeps
from bench.model.plan import Profile, Scope
from bench.model.record import Run

if TYPE_CHECKING:  # they load NumPy and more, which `--help` and `--dry-run` need not wait for
    from bench.measuring.session import Session
    from bench.measuring.stages.draft import Options
    from bench.measuring.stages.prospect import Awaited, Prospect

SECTION = "measure"


def _is_number(_: click.Context, option: click.Parameter, value: float | None) -> float | None:
    """Refuses `nan`, which lies within every range."""
    if value is not None and math.isnan(value):
        raise click.BadParameter("nan is not a number of seconds.", param=option)
    return value


class Duration(click.ParamType[float]):
    """Seconds as a number with a unit: 90s, 20m, 1.5h; without a unit seconds."""

    name = "duration"
    UNITS: ClassVar = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0}

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The seconds. Refuses what is no duration, and none at all."""
        match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)(s|m|h|)", str(value).strip())
        seconds = float(match[1]) * self.UNITS[match[2]] if match else 0.0
        if not 0 < seconds <= limits.SECONDS:
            self.fail(f"{value!r} is not a duration such as 90s, 20m or 1.5h.", param, ctx)
        return seconds


PROFILES = [profile.value for profile in Profile]


@click.command("bench")
@selection
@click.option("--all", "everything", is_flag=True, help="Every cell, instead of what the publications printed.")
@sweeps
@click.option(
    "--profile",
    type=click.Choice(PROFILES),
    default="standard",
    show_default=True,
    help="quick: proves that everything works; untimed: the same, recorded for sizes and counts; standard: 4 "
    "layouts, 1.6 s a cell; published: 8 to 24 layouts, 20 s a cell, and at least as often as the publication. The "
    "last two end earlier once all is precise.",
)
@click.option("--rounds", type=click.IntRange(1, limits.ROUNDS), help="Exactly this many rounds, whatever they show.")
@click.option(
    "--budget",
    "budget_s",
    type=Duration(),
    metavar="DURATION",
    help="Time for measuring the whole selection, such as 90s, 20m or 1.5h, instead of the profile's; scenarios that "
    "do not fit are left out, and named.",
)
@click.option(
    "--seed", type=click.IntRange(0, limits.NUMBER), help="Seed of the shuffling; by default drawn, and recorded."
)
@click.option("--shard", metavar="I/N", help="Only the I-th of N parts of the plan; scenarios are never split.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="The run folder. By default runs/<time>-<platform>.",
)
@click.option(
    "--resume", "resumed", type=click.Path(path_type=Path), metavar="RUN", help="Complete an interrupted run."
)
@click.option(
    "--limit",
    "limit_s",
    type=click.FloatRange(0.1, limits.SECONDS),
    callback=_is_number,
    metavar="SECONDS",
    help="Kill processes that take longer. By default a minute and 20 times the estimate.",
)
@click.option("--cold", is_flag=True, help="Also read files that are not in the system's cache (cache=cold).")
@click.option("--dry-run", is_flag=True, help="Print what would be measured and how long it takes; build nothing.")
@click.option("-v", "--verbose", is_flag=True, help="With --dry-run: also every cell.")
@click.pass_context
def bench(
    ctx: click.Context, /, out: Path | None, resumed: Path | None, dry_run: bool, verbose: bool, **given: Any
) -> None:
    """Build, verify, measure, record, and print tables.

    Without a filter it measures what the publications printed: their rows, under their conditions, with the controls.
    The scenarios follow one another; what one needs is built before it, and its table is printed when it is measured.

    Exit code 1 if a cell got an error row; all others are measured nevertheless.
    """
    from bench.measuring.beginning import default_folder

    started = time.monotonic()
    options = options_of(given)
    said = ctx.get_parameter_source("profile") is ParameterSource.COMMANDLINE
    if resumed and (out or said or options != options_of({"profile": given["profile"]})):
        raise click.UsageError("--resume takes plan, seed and folder from the run; give it alone.")
    if dry_run:
        print_prospect(options, verbose=verbose)
    elif session := resumed_session(resumed) if resumed else new_session(options, out or default_folder()):
        run, shown = complete(ctx, session)
        report(f"recorded in {paths.brief(session.folder.path)} after {duration(time.monotonic() - started)}")
        end(ctx, run, session.folder.path, shown=shown)


def options_of(given: Mapping[str, Any]) -> "Options":
    """The options as what they ask for. Raises click.UsageError where they contradict each other."""
    from bench.measuring.stages.draft import Options

    everything = given.get("everything") or given.get("filters")
    options = Options(
        profile=Profile(given["profile"]),
        filters=list(given.get("filters", ())),
        excludes=list(given.get("excludes", ())),
        scope=Scope.ALL if everything else Scope.PUBLISHED,
        shard=given.get("shard"),
        seed=given.get("seed"),
        rounds=given.get("rounds"),
        budget_s=given.get("budget_s"),
        limit_s=given.get("limit_s"),
        cold=given.get("cold", False),
        sweeps=given.get("sweeps", False),
    )
    if options.rounds and options.budget_s:
        raise click.UsageError("--rounds and --budget both say when to end; give one of them.")
    if options.scope is Scope.PUBLISHED and (options.cold or options.sweeps):
        raise click.UsageError("--cold and --sweep add cells that no publication has: give -f or --all with them.")
    return options


def resumed_session(path: Path) -> "Session":
    """An interrupted run."""
    from bench.measuring.session import Session

    return Session.resumed(path, report)


def new_session(options: "Options", path: Path) -> "Session | None":
    """A new run; none where its shard has nothing to measure."""
    from bench.measuring.session import Session
    from bench.measuring.stages.prospect import prospect

    expected = prospect(options, report)
    if expected.scenarios:
        return Session.new(expected, path)
    report(f"shard {options.shard} is empty: there are fewer scenarios than shards; nothing is recorded")
    return None


def complete(ctx: click.Context, session: "Session") -> tuple[Run, bool]:
    """Measures what the run lacks, and closes it; also whether every table could be shown."""
    folder, shown = paths.brief(session.folder.path), []
    try:
        run = session.complete(report, lambda name: shown.append(show(ctx, session.folder.path, scenario=name)))
    except (KeyboardInterrupt, BrokenPipeError, errors.LabError):
        report(f"stopped; `./lab bench --resume {folder}` goes on where it was")
        raise
    finally:
        session.close()
    return run, all(shown)


def show(ctx: click.Context, path: Path, **what: Any) -> bool:
    """Has the commands that follow this one print what is recorded; returns whether they could."""
    group = ctx.find_root().command
    try:
        for command in group.followers(ctx, "bench") if isinstance(group, LabGroup) else ():
            ctx.invoke(command, runs=(path,), **what)
    except errors.LabError as error:
        report(str(error))
        return False
    sys.stdout.flush()
    return True


def end(ctx: click.Context, run: Run, path: Path, *, shown: bool) -> None:
    """Prints what concerns the whole run, and what went wrong; exit code 1 where there are error rows."""
    from bench.measuring.run import error_rows, rows_without_room

    shown = show(ctx, path, about=True) and shown
    unavailable = run.provenance.get("unavailable", {})
    for codec, reason in unavailable.items():
        report(f"{codec} is unavailable: {reason}")
    if unavailable:
        report("`./lab build` tries again what is unavailable")
    folder = paths.brief(path)
    if rows := rows_without_room(path):
        report(
            f"{rows} processes had no room on the disk of {folder}; free some space, then "
            f"`./lab bench --resume {folder}` measures them"
        )
    if failed := error_rows(path):
        report(f"not all is well: {failed} error rows, listed below the tables; every other cell was measured")
    if failed or not shown:
        sys.exit(errors.EXIT_NOT_ALL_WELL)


def print_prospect(options: "Options", *, verbose: bool) -> None:
    """A line a scenario, in the order in which they are measured, and the total."""
    from bench.measuring.stages.prospect import codecs_of, prospect

    expected = prospect(options, report, build=False)
    width = max(map(len, expected.scenarios), default=0)
    for one in expected.scenarios.values():
        say(f"{one.name:<{width}}  {line_of(one)}")
        for cell in one.cells if verbose else ():
            say(f"    {cell}")
    say(total_of(expected, codecs_of(cell for one in expected.scenarios.values() for cell in one.cells)))
    say(order_of(expected))


def line_of(one: "Awaited") -> str:
    """What a scenario takes, in words."""
    rounds = f"{one.least_rounds} to {one.rounds}" if one.least_rounds < one.rounds else f"{one.rounds}"
    limit = "at most " if one.budget_s else "about "
    builds = f"; {len(one.builds)} to build first, about {duration(one.build_s)}" if one.builds else ""
    return (
        f"{plural(len(one.cells), 'cell')} of {plural(len(one.codecs), 'codec')}, "
        f"{rounds} round{'' if rounds == '1' else 's'}, {limit}{duration(one.measure_s)}{builds}"
    )


def total_of(expected: "Prospect", codecs: list[str]) -> str:
    """The total, in words."""
    scenarios = expected.scenarios.values()
    parts = {
        "building": sum(one.build_s for one in scenarios),
        "proving": sum(one.proof_s for one in scenarios),
        "measuring": sum(one.measure_s for one in scenarios),
    }
    times = ", ".join(f"{name} {duration(seconds)}" for name, seconds in parts.items() if seconds)
    cells = sum(len(one.cells) for one in scenarios)
    limit = " at most" if all(one.budget_s for one in scenarios) else ""
    return (
        f"{plural(len(scenarios), 'scenario')}, {plural(cells, 'cell')} of {plural(len(codecs), 'codec')}, "
        f"about {duration(expected.total_s)}{limit}: {times}"
    )


def order_of(expected: "Prospect") -> str:
    """Why the scenarios come in this order."""
    if any(one.builds for one in expected.scenarios.values()):
        return "In this order each next table is the one that stands soonest, with what is still to be built for it."
    return "All is built: the scenarios come publication by publication."
