"""`lab build`."""

import sys

import click

from bench.base import errors
from bench.base.output import plural, say
from bench.base.progress import report
from bench.building.build import build
from bench.building.lab import selected_programs, types_named
from bench.commands.options import names
from bench.model.description import PUBLISHED_TYPES, RunnerEntry
from bench.scenarios.load import load_scenarios
from bench.scenarios.selection import Selection

SECTION = "look after"

COMPILERS = ("zig", "system")


def compiler_names(_: click.Context, __: click.Parameter, text: str | None) -> list[str] | None:
    """The names without repetitions, in their order."""
    names = list(dict.fromkeys(text.split(","))) if text is not None else None
    if names and (unknown := [name for name in names if name not in COMPILERS]):
        raise click.BadParameter(f"{unknown[0]!r} is not one of {', '.join(COMPILERS)}.")
    return names


@click.command("build")
@click.option(
    "-f",
    "--filter",
    "filters",
    multiple=True,
    metavar="REGEX",
    shell_complete=names,
    help="Only runners of cells whose `codec scenario operation`, alone or with conditions, matches. May be repeated.",
)
@click.option("--force", is_flag=True, help="Call the build tools for these runners, even if nothing has changed.")
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
def build_runners(
    filters: tuple[str, ...],
    force: bool,
    cpus: str | None,
    compilers: list[str] | None,
    as_published: bool | None,
) -> None:
    """Build every runner that has changed or failed to build, or those that a filter takes.

    Without a filter these are the runners of the published types. A scenario with types of its own has runners of its
    own, which a filter for it builds.
    The choices of --cpu, --toolchain and --as-published are kept for later builds, until they are given again.
    """
    chosen: dict[str, list[str] | bool] = {}
    if cpus is not None:
        chosen["cpus"] = sorted({"baseline", *cpus.split(",")} - {""})
    if compilers:
        chosen["compilers"] = compilers
    if as_published is not None:
        chosen["as_published"] = as_published
    scenarios = load_scenarios(sweeps=bool(filters))
    programs = selected_programs(Selection(filters, ()), scenarios) if filters else {PUBLISHED_TYPES: None}
    entries: list[RunnerEntry] = []
    for types, codecs in programs.items():
        if codecs is None or codecs:
            made = build(
                report, codecs=codecs, retry=True, force=force, chosen=chosen, types=types_named(types, scenarios)
            )
            entries += [entry for entry in made.runners if codecs is None or entry.codec in codecs]
    broken = [entry for entry in entries if entry.unavailable]
    for entry in broken:
        say(f"{entry.name}: {entry.unavailable}", err=True)
    say(f"{plural(len(entries) - len(broken), 'runner')} built, {len(broken)} unavailable")
    if broken:
        sys.exit(errors.EXIT_NOT_ALL_WELL)
