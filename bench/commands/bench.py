"""`lab bench`."""

import math
import re
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import click

from bench.base import errors, limits, paths
from bench.base.output import say
from bench.base.progress import duration, report
from bench.building.lab import Lab, open_lab
from bench.building.tools import provide_hyperfine
from bench.commands.group import LabGroup
from bench.commands.options import selection, sweeps
from bench.measuring.draft import Options, default_folder, make_draft
from bench.measuring.order import plan_estimate_s, slots
from bench.measuring.run import error_rows, rows_without_room
from bench.model.plan import Plan, PlannedCell, Profile, Timed
from bench.model.record import Run

if TYPE_CHECKING:  # it loads NumPy, which `--help` need not wait for
    from bench.measuring.session import Session

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
@sweeps
@click.option(
    "--profile",
    type=click.Choice(PROFILES),
    default="standard",
    show_default=True,
    help="quick: proves that everything works; standard: 4 layouts, 4 s a cell; published: 8 to 24 layouts, 20 s a "
    "cell, and at least as often as the publication. Both end earlier once all is precise.",
)
@click.option("--rounds", type=click.IntRange(1, limits.ROUNDS), help="Exactly this many rounds, whatever they show.")
@click.option(
    "--budget",
    "budget_s",
    type=Duration(),
    metavar="DURATION",
    help="Time for measuring the whole selection, such as 90s, 20m or 1.5h, instead of the profile's.",
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
@click.option("--dry-run", is_flag=True, help="Print the plan and the estimated time; record nothing.")
@click.pass_context
def bench(ctx: click.Context, /, out: Path | None, resumed: Path | None, dry_run: bool, **given: Any) -> None:
    """Build, verify, measure, record, and print the table.

    Exit code 1 if a cell got an error row; all others are measured nevertheless.
    """
    started = time.monotonic()
    options = Options(
        profile=Profile(given["profile"]),
        filters=list(given["filters"]),
        excludes=list(given["excludes"]),
        shard=given["shard"],
        seed=given["seed"],
        rounds=given["rounds"],
        budget_s=given["budget_s"],
        limit_s=given["limit_s"],
        cold=given["cold"],
    )
    if options.rounds and options.budget_s:
        raise click.UsageError("--rounds and --budget both say when to end; give one of them.")
    if resumed and (out or options != Options(profile=options.profile)):
        raise click.UsageError("--resume takes plan, seed and folder from the run; give it alone.")
    provide_hyperfine(report)
    lab = open_lab(report, sweeps=given["sweeps"] or resumed is not None)
    if dry_run:
        print_plan(lab, options)
    elif session := resumed_session(lab, resumed) if resumed else new_session(lab, options, out or default_folder()):
        path = session.folder.path
        run = complete(session)
        report(f"recorded in {paths.brief(path)} after {duration(time.monotonic() - started)}")
        try:
            show(ctx, path)
        finally:
            end(run, path)


def resumed_session(lab: Lab, path: Path) -> "Session":
    """An interrupted run."""
    from bench.measuring.session import Session

    return Session.resumed(lab, path)


def new_session(lab: Lab, options: Options, path: Path) -> "Session | None":
    """A new run; none where its shard has nothing to measure."""
    from bench.measuring.session import Session

    draft = make_draft(lab, options)
    if draft.cells:
        return Session.new(lab, draft, path)
    report(f"shard {draft.shard} is empty: there are fewer scenarios than shards; nothing is recorded")
    return None


def complete(session: "Session") -> Run:
    """Measures what the run lacks, and closes it."""
    try:
        return session.complete(report)
    except KeyboardInterrupt:
        folder = paths.brief(session.folder.path)
        report(f"stopped; `./lab bench --resume {folder}` goes on with the next missing process")
        raise
    finally:
        session.close()


def print_plan(lab: Lab, options: Options) -> None:
    """The plan with the pilot's estimates."""
    from bench.measuring.session import rehearsed_plan

    plan = rehearsed_plan(lab, options, report)
    for planned in plan.cells:
        say(f"{planned.cell}: {planned.blocked or work_of(planned, plan)}")
    limit = "at most " if plan.budget_s else ""
    processes = sum(1 for _ in slots(plan))
    say(f"{len(plan.cells)} cells, {limit}{processes} processes, {limit}about {duration(plan_estimate_s(plan))}")


def work_of(planned: PlannedCell, plan: Plan) -> str:
    """What measuring a cell takes, in words."""
    limit = "up to " if planned.cell.scenario in plan.budget_s else ""
    loops = f"{planned.loops} loops of " if isinstance(planned, Timed) and planned.loops > 1 else ""
    return f"{limit}{plan.rounds[planned.cell.scenario]} rounds of {loops}{planned.repetitions} repetitions"


def show(ctx: click.Context, path: Path) -> None:
    """Has the run printed by the commands that follow this one."""
    group = ctx.find_root().command
    try:
        for command in group.followers(ctx, "bench") if isinstance(group, LabGroup) else ():
            ctx.invoke(command, runs=(path,))
    except errors.LabError as error:
        report(str(error))
        sys.exit(errors.EXIT_NOT_ALL_WELL)


def end(run: Run, path: Path) -> None:
    """Reports what went wrong; exit code 1 where there are error rows."""
    for codec, reason in run.provenance.get("unavailable", {}).items():
        report(f"{codec} is unavailable: {reason}")
    folder = paths.brief(path)
    if rows := rows_without_room(path):
        report(
            f"{rows} processes had no room on the disk of {folder}; free some space, then "
            f"`./lab bench --resume {folder}` measures them"
        )
    if failed := error_rows(path):
        report(f"not all is well: {failed} error rows, listed below the table; every other cell was measured")
        sys.exit(errors.EXIT_NOT_ALL_WELL)
