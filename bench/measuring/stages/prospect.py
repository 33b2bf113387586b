"""What a run is going to measure, told from the catalogue before anything is built: cells, order, budgets, time."""

import os
from collections.abc import Iterable, Mapping

import msgspec
from msgspec import Struct

from bench.base import errors
from bench.base.progress import Report, duration
from bench.building.build import build_estimates_s
from bench.building.lab import Lab, codecs_by_types, extended, types_named
from bench.building.manifest import codec_names, is_given, known_manifest, unavailable_in, wanted_builds
from bench.measuring.machine.calibration import CALIBRATION_S
from bench.measuring.order import in_order, scenario_order
from bench.measuring.profiles import (
    is_limited,
    least_rounds_of,
    processes_at_once,
    proof_estimate_s,
    rounds_estimate_s,
)
from bench.measuring.stages.budgets import fitting
from bench.measuring.stages.draft import Options, choose, make_design
from bench.model.cells import Cell
from bench.model.plan import Design
from bench.model.scenario import Scenario
from bench.scenarios.catalogue import load_catalogue
from bench.scenarios.load import load_scenarios
from bench.scenarios.sets import set_name

Program = tuple[str, str]
"""A set of types, and a codec."""


class Awaited(Struct, frozen=True):
    """What is known of a scenario before its runners are built."""

    name: str
    cells: list[Cell]
    rounds: int
    least_rounds: int
    budget_s: float | None
    """None where the number of rounds is fixed."""
    builds: dict[str, float]
    """Codec that is not built yet and that no earlier scenario needs → roughly how many seconds that takes."""
    proof_s: float
    measure_s: float

    @property
    def codecs(self) -> list[str]:
        """The codecs of its cells."""
        return codecs_of(self.cells)

    @property
    def build_s(self) -> float:
        """How long building takes, roughly."""
        return sum(self.builds.values())

    @property
    def total_s(self) -> float:
        """How long it takes until its table stands, at most, roughly."""
        return self.build_s + self.proof_s + self.measure_s


class Prospect(Struct, frozen=True):
    """What a run is going to measure."""

    options: Options
    design: Design
    lab: Lab
    """The scenarios, and the runners that had to be asked since the catalogue does not know them."""
    scenarios: dict[str, Awaited]
    """In the order in which they are measured."""

    @property
    def total_s(self) -> float:
        """How long all of it takes at most, roughly."""
        return sum(one.total_s for one in self.scenarios.values())

    def builds_by_types(self) -> dict[str, set[str]]:
        """Set of types → the codecs of which a program with it is not built yet."""
        codecs: dict[str, set[str]] = {}
        for one in self.scenarios.values():
            if one.builds:
                codecs.setdefault(set_name(self.lab.scenarios[one.name]), set()).update(one.builds)
        return codecs


class Offers(Struct, frozen=True):
    """What can be measured here."""

    lab: Lab
    cells: list[Cell]
    controls: set[str]
    unavailable: list[str]
    """The codecs that cannot, as far as that is known, each with the reason."""


def codecs_of(cells: Iterable[Cell]) -> list[str]:
    """The codecs of some cells, sorted."""
    return sorted({cell.codec for cell in cells})


def programs_of(cells: Iterable[Cell], scenarios: Mapping[str, Scenario]) -> list[Program]:
    """The programs that some cells need, sorted."""
    return sorted({(set_name(scenarios[cell.scenario]), cell.codec) for cell in cells})


def builds_of(cells: Iterable[Cell], scenarios: Mapping[str, Scenario]) -> dict[Program, float]:
    """The programs of some cells that are not built yet → roughly how many seconds that takes."""
    return {
        (types, codec): left
        for types, codecs in codecs_by_types(cells, scenarios).items()
        if codecs
        for codec, left in build_estimates_s(codecs, types_named(types, scenarios)).items()
        if left > 0
    }


def offers(report: Report, *, sweeps: bool, build: bool) -> Offers:
    """What the catalogue says of this lab's codecs.

    Those that it does not know are asked, or left out where that would build them and nothing is to be built.
    """
    catalogue, manifest, scenarios = load_catalogue(), known_manifest(), load_scenarios(sweeps=sweeps)
    lab, available = Lab({}, scenarios), codec_names(manifest)
    unknown = catalogue.unknown(available)
    if build or is_given():
        lab = extended(lab, unknown, report)
    elif unknown:
        lacking = ", ".join(unknown)
        report(f"left out: {lacking}, not in runners/catalogue.toml; `./lab catalogue` builds and adds what it lacks")
    known = [cell for cell in catalogue.cells(scenarios, wanted_builds(manifest)) if cell.codec in available]
    controls = {codec for codec, description in lab.descriptions.items() if description.control}
    unavailable = [*unavailable_in(manifest), *(f"{name} ({reason})" for name, reason in lab.unavailable.items())]
    return Offers(lab, sorted({*known, *lab.cells()}), controls | catalogue.controls, unavailable)


def prospect(options: Options, report: Report, *, build: bool = True) -> Prospect:
    """What these options ask for, without codecs that must be built to know it if nothing is to be built.

    Raises LabError where that is nothing; a shard may have no scenario.
    """
    known = offers(report, sweeps=options.sweeps, build=build)
    scenarios = known.lab.scenarios
    if not (cells := choose(known.cells, scenarios, known.controls, options)) and not options.shard:
        raise errors.nothing_selected(options.filters, options.excludes, known.unavailable)
    by_scenario: dict[str, list[Cell]] = {}
    for cell in cells:
        by_scenario.setdefault(cell.scenario, []).append(cell)
    least_s = least_estimates_s(options, by_scenario, scenarios)
    if options.budget_s and (left_out := sorted(least_s.keys() - fitting(options.budget_s, least_s))):
        report(left_out_message(options.budget_s, least_s, left_out))
        by_scenario = {name: some for name, some in by_scenario.items() if name not in left_out}
        cells = [cell for some in by_scenario.values() for cell in some]
    builds = builds_of(cells, scenarios)
    design = make_design(options, by_scenario, scenarios, least_s)
    measuring_s = {name: measuring_estimate_s(design, name, by_scenario[name], known.lab) for name in by_scenario}
    order = scenario_order(
        {
            name: {program: builds.get(program, 0.0) for program in programs_of(by_scenario[name], scenarios)}
            for name in by_scenario
        },
        measuring_s,
        {name: scenarios[name].source for name in by_scenario},
    )
    design = msgspec.structs.replace(design, order=order)
    return Prospect(options, design, known.lab, awaited(design, by_scenario, known.lab, builds))


def prospect_again(design: Design, names: Iterable[str], report: Report) -> Prospect:
    """What is to come of a run that was interrupted, given the scenarios that are pending."""
    options = Options.again(design)
    known = offers(report, sweeps=options.sweeps, build=True)
    chosen = choose(known.cells, known.lab.scenarios, known.controls, options)
    by_scenario = {name: [cell for cell in chosen if cell.scenario == name] for name in names}
    cells = [cell for some in by_scenario.values() for cell in some]
    builds = builds_of(cells, known.lab.scenarios)
    return Prospect(options, design, known.lab, awaited(design, by_scenario, known.lab, builds))


def awaited(
    design: Design, cells: Mapping[str, list[Cell]], lab: Lab, builds: Mapping[Program, float]
) -> dict[str, Awaited]:
    """What is known of each scenario, in the design's order; a codec is built for the first one that needs it."""
    left, result = dict(builds), dict[str, Awaited]()
    for name in in_order(design, cells):
        scenario, own = lab.scenarios[name], cells[name]
        proof_s = proof_estimate_s(scenario, len(codecs_of(own)), len(own), design.layouts)
        result[name] = Awaited(
            name=name,
            cells=own,
            rounds=design.rounds[name],
            least_rounds=design.least_rounds[name],
            budget_s=design.budget_s.get(name),
            builds={one[1]: left.pop(one) for one in programs_of(own, lab.scenarios) if one in left},
            proof_s=proof_s + (CALIBRATION_S if design.layouts and not result else 0.0),
            measure_s=measuring_estimate_s(design, name, own, lab),
        )
    return result


def least_estimates_s(
    options: Options, cells: Mapping[str, list[Cell]], scenarios: Mapping[str, Scenario]
) -> dict[str, float]:
    """Scenario that a budget limits → how long its least rounds take, roughly."""
    profile = options.profile
    return {
        name: rounds_estimate_s(scenarios[name], profile, least_rounds_of(profile, scenarios[name]), len(own))
        for name, own in cells.items()
        if is_limited(profile, scenarios[name])
    }


def left_out_message(budget_s: float, least_s: Mapping[str, float], left_out: list[str]) -> str:
    """Says which scenarios a budget leaves out, and what would take them in."""
    return (
        f"left out: {', '.join(left_out)}. The least rounds of all scenarios take about "
        f"{duration(sum(least_s.values()))}, and --budget gives {duration(budget_s)}: give more, or select with -f"
    )


def measuring_estimate_s(design: Design, name: str, cells: list[Cell], lab: Lab) -> float:
    """How long measuring a scenario takes at most, roughly: its budget, or what its least rounds take."""
    rounds, budget_s = design.least_rounds[name], design.budget_s.get(name, 0.0)
    least_s = rounds_estimate_s(lab.scenarios[name], design.profile, rounds, len(cells))
    return max(least_s / processes_at_once(design.profile, os.cpu_count() or 1), budget_s)
