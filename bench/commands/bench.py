"""`lab bench`: the main job."""

import math
import sys
import time
from pathlib import Path
from typing import Any

import click

from bench.base import errors, limits, paths
from bench.base.output import say
from bench.base.progress import duration, report
from bench.building.tools import provide_hyperfine
from bench.commands.options import selection, sweeps
from bench.measuring.order import plan_estimate_s, slots
from bench.measuring.run_folder import RunFolder
from bench.measuring.session import (
    Lab,
    Options,
    default_folder,
    draft,
    error_rows,
    finish,
    measure_all,
    new_run,
    open_lab,
    pilot_all,
    prepare,
    resume,
    rows_without_room,
)
from bench.model.plan import Profile
from bench.model.record import Run


def _is_number(_: click.Context, option: click.Parameter, value: float | None) -> float | None:
    """A limit in seconds; `nan` is within every range."""
    if value is not None and math.isnan(value):
        raise click.BadParameter("nan is no number of seconds.", param=option)
    return value


PROFILES = [profile.value for profile in Profile]


@click.command("bench")
@selection
@sweeps
@click.option(
    "--profile",
    type=click.Choice(PROFILES),
    default="standard",
    show_default=True,
    help="quick: proves that all works; standard: loops of 10 ms, 20 rounds; published: as the publication counts.",
)
@click.option("--rounds", type=click.IntRange(1, limits.ROUNDS), help="Another number of rounds than the profile's.")
@click.option(
    "--seed", type=click.IntRange(0, limits.NUMBER), help="Of the shuffling; drawn and recorded where it is not given."
)
@click.option("--shard", metavar="I/N", help="Only the I-th of N parts of the plan, split by whole scenarios.")
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
    help="Kill a process that takes longer. By default 20 times its estimate and a minute.",
)
@click.option("--cold", is_flag=True, help="Read files also when the system's cache does not hold them (cache=cold).")
@click.option("--dry-run", is_flag=True, help="Print the plan and the estimated time, record nothing.")
@click.pass_context
def bench(ctx: click.Context, /, out: Path | None, resumed: Path | None, dry_run: bool, **given: Any) -> None:
    """Build, verify, measure, record, and print the table.

    Exit code 1 where some cell got an error row; all others are measured all the same.
    """
    started = time.monotonic()
    options = Options(
        profile=Profile(given["profile"]),
        filters=list(given["filters"]),
        excludes=list(given["excludes"]),
        shard=given["shard"],
        seed=given["seed"],
        rounds=given["rounds"],
        limit_s=given["limit_s"],
        cold=given["cold"],
    )
    if resumed and (out or options != Options(profile=options.profile)):
        raise click.UsageError("--resume takes plan, seed and folder from the run; give it alone.")
    provide_hyperfine(report)
    lab = open_lab(report, sweeps=given["sweeps"] or resumed is not None)
    if dry_run:
        print_plan(lab, options)
        return
    if resumed:
        folder, run = resume(resumed, lab)
    else:
        path = out or default_folder()
        plan = draft(lab, options)
        if not plan.cells:
            report(f"shard {plan.shard} is empty: there are fewer scenarios than shards; nothing is recorded")
            return
        run = new_run(lab, plan, path)
        folder = RunFolder.create(path, run)
    try:
        run = run if run.ready else prepare(folder, run, lab, report)
        report(
            f"measuring {len(run.plan.cells)} cells, seed {run.plan.seed}, about {duration(plan_estimate_s(run.plan))}"
        )
        measure_all(folder, run, lab, report)
        finish(folder, run)
    except KeyboardInterrupt:
        report(f"stopped; `./lab bench --resume {paths.brief(folder.path)}` goes on with the next missing process")
        raise
    finally:
        folder.close()
    report(f"recorded in {paths.brief(folder.path)} after {duration(time.monotonic() - started)}")
    try:
        ctx.invoke(ctx.find_root().command.get_command(ctx, "table"), runs=(folder.path,))  # type: ignore[attr-defined]
    except errors.LabError as error:
        report(str(error))
        sys.exit(errors.EXIT_NOT_ALL_WELL)
    finally:
        end(run, folder.path)


def print_plan(lab: Lab, options: Options) -> None:
    """The plan with the pilot's estimates."""
    plan = pilot_all(draft(lab, options), lab, report)
    for planned in plan.cells:
        rounds = plan.rounds[planned.cell.scenario]
        say(f"{planned.cell}: {planned.blocked or f'{rounds} rounds of {planned.repetitions} repetitions'}")
    processes = sum(1 for _ in slots(plan))
    say(f"{len(plan.cells)} cells, {processes} processes, about {duration(plan_estimate_s(plan))}")


def end(run: Run, folder: Path) -> None:
    """Says what went wrong, with the exit code for it."""
    for codec, reason in run.provenance.get("unavailable", {}).items():
        report(f"{codec} is unavailable: {reason}")
    if rows := rows_without_room(folder):
        report(
            f"{rows} processes had no room on the disk of {paths.brief(folder)}; free some space, then "
            f"`./lab bench --resume {paths.brief(folder)}` measures them"
        )
    if failed := error_rows(folder):
        report(f"not all is well: {failed} error rows (they stand under the table); every other cell was measured")
        sys.exit(errors.EXIT_NOT_ALL_WELL)
