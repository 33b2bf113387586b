"""Which cells of a scenario are measured, and how a run measures: what follows from what `lab bench` was asked for."""

import secrets
from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType

from msgspec import Struct

from bench.building.lab import Lab
from bench.measuring.order import choose_twins, shard
from bench.measuring.profiles import (
    BUDGET_S,
    LAYOUTS,
    MOST_LAYOUTS,
    base_rounds_of,
    is_limited,
    least_rounds_of,
    rounds_of,
)
from bench.measuring.stages.budgets import shares
from bench.model.cells import Cell
from bench.model.plan import Design, Draft, DraftedCell, Profile, Scope
from bench.model.scenario import Scenario
from bench.scenarios.scope import chosen_cells
from bench.scenarios.selection import Selection


class Options(Struct, frozen=True):
    """What `lab bench` was asked for."""

    profile: Profile = Profile.STANDARD
    filters: list[str] = []
    excludes: list[str] = []
    scope: Scope = Scope.ALL
    shard: str | None = None
    seed: int | None = None
    rounds: int | None = None
    """This many, whatever they show; else a profile ends where its figures are precise or its budget is spent."""
    budget_s: float | None = None
    """For measuring the whole selection, instead of the profile's budget a cell."""
    limit_s: float | None = None
    cold: bool = False
    """Whether reading files that are not in the system's cache is measured too."""
    sweeps: bool = False
    """Whether the points of sweeps are measured too."""

    @property
    def selection(self) -> Selection:
        """The filters."""
        return Selection(self.filters, self.excludes)

    @classmethod
    def again(cls, design: Design) -> "Options":
        """Those that choose the cells of one of a run's scenarios, from its design."""
        return cls(
            profile=design.profile,
            filters=design.filters,
            excludes=design.excludes,
            scope=design.scope,
            cold=design.cold,
            sweeps=design.sweeps,
        )


def choose(
    cells: Iterable[Cell], scenarios: Mapping[str, Scenario], controls: Collection[str], options: Options
) -> list[Cell]:
    """The cells that the options take, with the controls that belong to them; of a shard, its part."""
    offered = [cell for cell in cells if options.cold or cell.conditions.cache != "cold"]
    chosen = chosen_cells(offered, scenarios, set(controls), options.selection, options.scope)
    if not options.shard:
        return chosen
    names = set(shard({cell.scenario for cell in chosen}, options.shard))
    return [cell for cell in chosen if cell.scenario in names]


def make_design(
    options: Options,
    cells: Mapping[str, Collection[Cell]],
    scenarios: Mapping[str, Scenario],
    least_s: Mapping[str, float] = MappingProxyType({}),
) -> Design:
    """How the run measures, given the cells of each scenario and what its least rounds take; without an order yet."""
    profile, names = options.profile, sorted(cells)
    return Design(
        profile=profile,
        seed=secrets.randbits(32) if options.seed is None else options.seed,
        rounds={name: options.rounds or rounds_of(profile, scenarios[name]) for name in names},
        least_rounds={name: options.rounds or least_rounds_of(profile, scenarios[name]) for name in names},
        base_rounds=base_rounds_of(profile),
        warmup=0,
        filters=options.filters,
        excludes=options.excludes,
        shard=options.shard,
        limit_s=options.limit_s,
        layouts=LAYOUTS[profile],
        most_layouts=MOST_LAYOUTS[profile],
        budget_s=budgets(options, {name: len(cells[name]) for name in names}, scenarios, least_s),
        scope=options.scope,
        cold=options.cold,
        sweeps=options.sweeps,
        total_budget_s=options.budget_s,
    )


def budgets(
    options: Options, counts: Mapping[str, int], scenarios: Mapping[str, Scenario], least_s: Mapping[str, float]
) -> dict[str, float]:
    """Scenario → seconds of measuring: its number of cells times the profile's seconds, or its share of `--budget`.

    None where the number of rounds is fixed: by `--rounds`, in `quick`, and over files in `published`.
    """
    if options.rounds:
        return {}
    limited = {name: count for name, count in counts.items() if is_limited(options.profile, scenarios[name])}
    if options.budget_s is None:
        return {name: count * BUDGET_S[options.profile] for name, count in limited.items()}
    return shares(options.budget_s, limited, least_s)


def make_draft(scenario: str, cells: Iterable[Cell], lab: Lab, seed: int) -> Draft:
    """The cells of a scenario with what their runners say of themselves, and those that are measured twice."""
    drafted = [drafted_cell(cell, lab) for cell in cells]
    return Draft(scenario, drafted, choose_twins(drafted, lab.scenarios, seed))


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
