"""What can be measured: runners with their descriptions, and scenarios."""

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cached_property

from msgspec import Struct

from bench.base import errors
from bench.base.paths import brief
from bench.base.progress import Report
from bench.building.build import build
from bench.building.manifest import codec_names, is_given, known_manifest, unavailable_in, wanted_builds
from bench.building.runner import Runner, RunnerError, describe_all
from bench.model.cells import Cell
from bench.model.description import Description
from bench.model.scenario import Scenario
from bench.scenarios.catalogue import FILE, is_measured_in, load_catalogue
from bench.scenarios.load import load_scenarios
from bench.scenarios.selection import Selection
from bench.scenarios.sets import set_name, type_set
from bench.types.type_set import PUBLISHED, TypeSet


class Lab(Struct, frozen=True, dict=True):
    """Everything that can be measured here."""

    described: Mapping[Runner, Description | RunnerError]
    """Each runner's description, or why it gave none."""
    scenarios: Mapping[str, Scenario]

    @property
    def runners(self) -> dict[str, Runner]:
        """Runners by codec, each in its default build, of the published types where it has them."""
        default = [runner for runner in self.described if not runner.entry.variant]
        default.sort(key=lambda runner: runner.entry.types == PUBLISHED)
        return {runner.codec: runner for runner in default}

    def program(self, codec: str, scenario: str) -> Runner | None:
        """The runner of a codec in its default build that has a scenario's types; None if it was not asked."""
        types = set_name(self.scenarios[scenario])
        own = (runner for runner in self.described if runner.codec == codec and runner.entry.types == types)
        return next((runner for runner in own if not runner.entry.variant), None)

    @cached_property
    def runner_of(self) -> dict[Cell, Runner]:
        """Runners by the cells that they offer. Raises LabError if two builds of a codec offer the same cell."""
        result: dict[Cell, Runner] = {}
        for runner, description in self.described.items():
            for cell in offered_cells(description, self.scenarios) if isinstance(description, Description) else ():
                if (other := result.setdefault(cell, runner)) is not runner:
                    raise errors.same_cell(str(cell), other.entry.name, runner.entry.name)
        return result

    @property
    def descriptions(self) -> dict[str, Description]:
        """Descriptions by codec, of the default builds; of several sets the same but for the cells."""
        default = [(r, d) for r, d in self.described.items() if not r.entry.variant and isinstance(d, Description)]
        default.sort(key=lambda one: one[0].entry.types == PUBLISHED)
        return {runner.codec: description for runner, description in default}

    @property
    def unavailable(self) -> dict[str, str]:
        """Runners that gave no description, each with the reason."""
        return {r.entry.name: str(error) for r, error in self.described.items() if isinstance(error, RunnerError)}

    def cells(self) -> list[Cell]:
        """Every cell of every codec, sorted."""
        return sorted(self.runner_of)

    def selected(self, filters: Iterable[str], excludes: Iterable[str]) -> list[Cell]:
        """The cells that `--filter` and `--not` select. Raises LabError if there are none."""
        selection = Selection(filters, excludes)
        if chosen := selection.cells(self.cells()):
            return chosen
        raise self.nothing_selected(selection)

    def nothing_selected(self, selection: Selection) -> errors.LabError:
        """Why a selection is empty."""
        unavailable = [f"{name} ({reason})" for name, reason in self.unavailable.items()]
        return errors.nothing_selected(selection.filters, selection.excludes, unavailable)


def open_lab(
    report: Report,
    selection: Selection | None = None,
    *,
    sweeps: bool = False,
    within: Collection[str] | None = None,
    built: Callable[[str], None] = lambda _: None,
) -> Lab:
    """Builds and describes the runners of which the selection can take a cell, all without one.

    `within` limits them to these codecs; `sweeps` includes the points of sweeps. Raises LabError before anything is
    built if the catalogue has no such cell.
    """
    scenarios = load_scenarios(sweeps=sweeps)
    lab = Lab({}, scenarios)
    for types, codecs in selected_programs(selection or Selection(), scenarios).items():
        lab = extended(lab, codecs if within is None else codecs & set(within), report, built, types=types)
    return lab


def extended(
    lab: Lab,
    codecs: Collection[str],
    report: Report,
    built: Callable[[str], None] = lambda _: None,
    *,
    types: str = PUBLISHED,
) -> Lab:
    """The lab with the runners of these codecs and of a set of types too; those that it has are not asked again."""
    missing = set(codecs) - {runner.codec for runner in lab.described if runner.entry.types == types}
    if not missing:
        return lab
    entries = build(report, codecs=missing, built=built, types=types_named(types, lab.scenarios)).runners
    described = describe_all(Runner(entry) for entry in entries if entry.codec in missing)
    for problem in () if is_given() else contradictions(described, lab.scenarios):
        report(problem)
    everything = {**lab.described, **described}
    return Lab(dict(sorted(everything.items(), key=lambda item: by_codec(item[0]))), lab.scenarios)


def types_named(name: str, scenarios: Mapping[str, Scenario]) -> TypeSet | None:
    """A set of types that some scenarios bring; None for the published one, which more scenarios have."""
    return None if name == PUBLISHED else type_set(name, scenarios.values())


def codecs_by_types(cells: Iterable[Cell], scenarios: Mapping[str, Scenario]) -> dict[str, set[str]]:
    """Set of types → the codecs of which some cells need programs with it; the published one is always there."""
    codecs: dict[str, set[str]] = {PUBLISHED: set()}
    for cell in cells:
        codecs.setdefault(set_name(scenarios[cell.scenario]), set()).add(cell.codec)
    return codecs


def by_codec(runner: Runner) -> tuple[str, str, str]:
    """Sort key of runners."""
    return runner.codec, runner.entry.variant, runner.entry.types


def selected_programs(selection: Selection, scenarios: Mapping[str, Scenario]) -> dict[str, set[str]]:
    """Set of types → the codecs of which a selection can take a cell that has them.

    Codecs that the catalogue does not know are among those of the published set. Raises LabError if there are none.
    """
    catalogue, manifest = load_catalogue(), known_manifest()
    codecs = codecs_by_types(selection.cells(catalogue.cells(scenarios, wanted_builds(manifest))), scenarios)
    codecs[PUBLISHED] |= set(catalogue.unknown(codec_names(manifest)))
    if not any(codecs.values()):
        raise errors.nothing_selected(selection.filters, selection.excludes, unavailable_in(manifest))
    return codecs


def contradictions(
    described: Mapping[Runner, Description | RunnerError], scenarios: Mapping[str, Scenario]
) -> list[str]:
    """Where runners and the catalogue differ in the scenarios of their types, as messages."""
    catalogue = load_catalogue()
    of_types: dict[str, dict[str, Scenario]] = {}
    for scenario in scenarios.values():
        of_types.setdefault(set_name(scenario), {})[scenario.name] = scenario
    return [
        f"{brief(FILE)} is not up to date: {difference}. Run `./lab catalogue`"
        for runner, description in described.items()
        if isinstance(description, Description)
        and (difference := catalogue.difference(description, of_types.get(runner.entry.types, {})))
    ]


def offered_cells(description: Description, scenarios: Mapping[str, Scenario]) -> list[Cell]:
    """The cells that a runner offers in the lab's scenarios that are measured in its language."""
    language = description.codec.partition("/")[0]
    return [
        Cell(description.codec, o.scenario, o.operation, o.conditions)
        for o in description.cells
        if (scenario := scenarios.get(o.scenario))
        and o.operation in scenario.operations
        and is_measured_in(scenario, language)
    ]
