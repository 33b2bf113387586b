"""`lab build`."""

import sys

import click

from bench import errors
from bench.build import build
from bench.progress import report


@click.command("build")
@click.option("--force", is_flag=True, help="Ask the build tools about every runner, even where nothing has changed.")
def build_runners(force: bool) -> None:
    """Build every runner. What has not changed is left as it is; what did not build is tried again."""
    manifest = build(report, retry=True, force=force)
    broken = [entry for entry in manifest.runners if entry.unavailable]
    for entry in broken:
        click.echo(f"{entry.codec}: {entry.unavailable}", err=True)
    click.echo(f"{len(manifest.runners) - len(broken)} runners built, {len(broken)} unavailable")
    if broken:
        sys.exit(errors.EXIT_NOT_ALL_WELL)
