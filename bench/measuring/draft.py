"""What a run is to measure: the cells that were chosen, and what run.json says before anything is proved."""

import secrets
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct

from bench.base import errors, paths
from bench.base.protocol import PROTOCOL
from bench.building.environment import environment, platform_name, provenance
from bench.building.lab import Lab
from bench.building.manifest import load_manifest
from bench.measuring.order import choose_twins, shard
from bench.measuring.profiles import (
    BUDGET_S,
    LAYOUTS,
    MOST_LAYOUTS,
    base_rounds_of,
    least_rounds_of,
    rounds_of,
)
from bench.model.cells import Cell
from bench.model.description import Description
from bench.model.plan import Draft, DraftedCell, Profile
from bench.model.record import BegunRun, Run
from bench.model.scenario import Scenario
from bench.scenarios.selection import Selection


class Options(Struct, frozen=True):
    """What `lab bench` was asked for."""

    profile: Profile = Profile.STANDARD
    filters: list[str] = []
    excludes: list[str] = []
    shard: str | None = None
    seed: int | None = None
    rounds: int | None = None
    """This many, whatever they show; else a profile ends where its figures are precise or its budget is spent."""
    budget_s: float | None = None
    """For the whole selection, instead of the profile's budget a cell."""
    limit_s: float | None = None
    cold: bool = False
    """Whether reading files that are not in the system's cache is measured too."""


def make_draft(lab: Lab, options: Options) -> Draft:
    """Which cells, how many rounds, which seed. Raises LabError where nothing is selected.

    A shard has no cells where there are more shards than scenarios.
    """
    cells = choose(lab, options)
    seed = secrets.randbits(32) if options.seed is None else options.seed
    drafted = [drafted_cell(cell, lab) for cell in cells]
    names = sorted({cell.scenario for cell in cells})
    return Draft(
        profile=options.profile,
        seed=seed,
        rounds={name: options.rounds or rounds_of(options.profile, lab.scenarios[name]) for name in names},
        least_rounds={name: options.rounds or least_rounds_of(options.profile, lab.scenarios[name]) for name in names},
        base_rounds=base_rounds_of(options.profile),
        warmup=0,
        filters=options.filters,
        excludes=options.excludes,
        shard=options.shard,
        limit_s=options.limit_s,
        cells=drafted,
        twins=choose_twins(drafted, lab.scenarios, seed),
        layouts=LAYOUTS[options.profile],
        most_layouts=MOST_LAYOUTS[options.profile],
        budget_s=budgets(options, cells, lab.scenarios),
    )


def budgets(options: Options, cells: Sequence[Cell], scenarios: Mapping[str, Scenario]) -> dict[str, float]:
    """Scenario → seconds of measuring: its cells times the profile's seconds, or its share of `--budget`.

    None where the number of rounds is fixed: by `--rounds`, in `quick`, and over files, which are not gated.
    """
    if options.rounds or options.profile is Profile.QUICK:
        return {}
    counted = Counter(cell.scenario for cell in cells if not scenarios[cell.scenario].is_files)
    if options.budget_s is None:
        return {name: count * BUDGET_S[options.profile] for name, count in counted.items()}
    return {name: round(options.budget_s * count / counted.total(), 3) for name, count in counted.items()}


def choose(lab: Lab, options: Options) -> list[Cell]:
    """The cells that the options take, with the controls that belong to them; of a shard, its part."""
    selection = Selection(options.filters, options.excludes)
    controls = {codec for codec, description in lab.descriptions.items() if description.control}
    offered = [cell for cell in lab.cells() if options.cold or cell.conditions.cache != "cold"]
    cells = selection.with_controls(offered, controls)
    if not cells:
        raise lab.nothing_selected(selection)
    if not options.shard:
        return cells
    scenarios = shard({cell.scenario for cell in cells}, options.shard)
    return [cell for cell in cells if cell.scenario in scenarios]


def drafted_cell(cell: Cell, lab: Lab) -> DraftedCell:
    """A cell with what its runner says of itself."""
    description, entry = lab.runner_of[cell].description, lab.runner_of[cell].entry
    return DraftedCell(
        cell=cell,
        format=description.format,
        library=description.library,
        version=description.version,
        control=description.control,
        self_describing=description.self_describing,
        sha256=entry.sha256,
        variant=entry.variant,
        role=description.role,
        canary=description.canary,
        identical=description.identical.get(cell.operation),
    )


def begin(lab: Lab, draft: Draft, path: Path) -> BegunRun:
    """What run.json holds before anything is proved."""
    now = datetime.now(UTC)
    return BegunRun(
        protocol=PROTOCOL,
        id=f"{now:%Y%m%dT%H%M%SZ}-{platform_name()}-{secrets.token_hex(3)}",
        created=now.isoformat(timespec="seconds"),
        platform=platform_name(),
        command=command_line(sys.argv[1:]),
        environment=environment(path),
        provenance=provenance(load_manifest())
        | {
            "unavailable": lab.unavailable,
            "compilers": {
                r.entry.name: f"{d.compiler}; {d.flags}" for r, d in lab.described.items() if isinstance(d, Description)
            },
            "sources": {r.entry.name: r.entry.source for r in lab.described if r.entry.source},
        },
        scenarios=[lab.scenarios[name] for name in draft.rounds],
        draft=draft,
    )


def command_line(arguments: list[str]) -> list[str]:
    """How the run was asked for, without its folder: a recorded run is read on other machines."""
    words = iter(arguments)
    kept = []
    for word in words:
        if word == "--out":
            next(words, None)
        elif not word.startswith("--out="):
            kept.append(word)
    return ["lab", *kept]


def default_folder() -> Path:
    """runs/<time>-<platform>."""
    return paths.RUNS / f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{platform_name()}"


def check_resumable(run: BegunRun | Run, lab: Lab) -> None:
    """Raises LabError where a runner or a scenario is no longer the one that the run began with."""
    for cell in run.draft.cells if isinstance(run, BegunRun) else run.plan.cells:
        runner = lab.runner_of.get(cell.cell)
        if runner is None or runner.entry.sha256 != cell.sha256:
            raise errors.runner_changed(cell.cell.codec)
    for scenario in run.scenarios:
        current = lab.scenarios.get(scenario.name)
        if current is None or current.input.sha256 != scenario.input.sha256:
            raise errors.scenario_changed(scenario.name)
