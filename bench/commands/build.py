"""`lab build`."""

import sys

import click

from bench.base import errors
from bench.base.output import say
from bench.base.progress import report
from bench.building.build import build

SECTION = "look after"

COMPILERS = ("zig", "system")


def compiler_names(_: click.Context, __: click.Parameter, text: str | None) -> list[str] | None:
    """The names without repetitions, in their order."""
    names = list(dict.fromkeys(text.split(","))) if text is not None else None
    if names and (unknown := [name for name in names if name not in COMPILERS]):
        raise click.BadParameter(f"{unknown[0]!r} is not one of {', '.join(COMPILERS)}.")
    return names


@click.command("build")
@click.option("--force", is_flag=True, help="Call the build tools for every runner, even if nothing has changed.")
@click.option(
    "--cpu",
    "cpus",
    metavar="CPU[,CPU…]",
    help="Processors to compile for: baseline, x86-64-v3, native, … (the condition `build`). Baseline is always built.",
)
@click.option(
    "--toolchain",
    "compilers",
    metavar="NAME[,NAME…]",
    callback=compiler_names,
    help="Compilers to use where there is a choice: zig (pinned), system (a clang with libc++), or both (the condition "
    "`compiler`).",
)
@click.option(
    "--as-published/--no-as-published",
    default=None,
    help="Also build the Rust runners with Cargo's default release profile, as publications do (build=as-published).",
)
def build_runners(force: bool, cpus: str | None, compilers: list[str] | None, as_published: bool | None) -> None:
    """Build every runner that has changed or failed to build.

    The choices of --cpu, --toolchain and --as-published are kept for later builds, until they are given again.
    """
    chosen: dict[str, list[str] | bool] = {}
    if cpus is not None:
        chosen["cpus"] = sorted({"baseline", *cpus.split(",")} - {""})
    if compilers:
        chosen["compilers"] = compilers
    if as_published is not None:
        chosen["as_published"] = as_published
    manifest = build(report, retry=True, force=force, chosen=chosen)
    broken = [entry for entry in manifest.runners if entry.unavailable]
    for entry in broken:
        say(f"{entry.name}: {entry.unavailable}", err=True)
    say(f"{len(manifest.runners) - len(broken)} runners built, {len(broken)} unavailable")
    if broken:
        sys.exit(errors.EXIT_NOT_ALL_WELL)
