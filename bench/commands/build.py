"""`lab build`."""

import sys

import click

from bench import errors
from bench.build import build
from bench.model import Wanted
from bench.progress import report


@click.command("build")
@click.option("--force", is_flag=True, help="Ask the build tools about every runner, even where nothing has changed.")
@click.option(
    "--cpu",
    "cpus",
    metavar="CPU[,CPU…]",
    help="What compilers write for: baseline, x86-64-v3, native, … (the condition `build`). Baseline is always built.",
)
def build_runners(force: bool, cpus: str | None) -> None:
    """Build every runner. What has not changed is left as it is; what did not build is tried again.

    What was asked for with --cpu is built from then on, until it is given again.
    """
    wanted = Wanted(sorted({"baseline", *cpus.split(",")} - {""})) if cpus is not None else None
    manifest = build(report, retry=True, force=force, wanted=wanted)
    broken = [entry for entry in manifest.runners if entry.unavailable]
    for entry in broken:
        click.echo(f"{entry.name}: {entry.unavailable}", err=True)
    click.echo(f"{len(manifest.runners) - len(broken)} runners built, {len(broken)} unavailable")
    if broken:
        sys.exit(errors.EXIT_NOT_ALL_WELL)
