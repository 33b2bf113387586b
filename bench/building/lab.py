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
from bench.scenarios.catalogue import FILE, load_catalogue
from bench.scenarios.load import load_scenarios
from bench.scenarios.selection import Selection


class Lab(Struct, frozen=True, dict=True):
    """Everything that can be measured here."""

    described: Mapping[Runner, Description | RunnerError]
    """Each runner's description, or why it gave none."""
    scenarios: Mapping[str, Scenario]

    @property
    def runners(self) -> dict[str, Runner]:
        """Runners by codec, each in its default build."""
        return {runner.codec: runner for runner in self.described if not runner.entry.variant}

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
        """Descriptions by codec, of the default builds."""
        return {codec: d for codec, r in self.runners.items() if isinstance(d := self.described[r], Description)}

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
    codecs = selected_codecs(selection or Selection(), scenarios)
    empty = Lab({}, scenarios)
    return extended(empty, codecs if within is None else codecs & set(within), report, built)


def extended(lab: Lab, codecs: Collection[str], report: Report, built: Callable[[str], None] = lambda _: None) -> Lab:
    """The lab with the runners of these codecs too; those that it has are not asked again."""
    missing = set(codecs) - {runner.codec for runner in lab.described}
    if not missing:
        return lab
    entries = build(report, codecs=missing, built=built).runners
    described = describe_all(Runner(entry) for entry in entries if entry.codec in missing)
    for problem in () if is_given() else contradictions(described, lab.scenarios):
        report(problem)
    everything = {**lab.described, **described}
    return Lab(dict(sorted(everything.items(), key=lambda item: by_codec(item[0]))), lab.scenarios)


def by_codec(runner: Runner) -> tuple[str, str]:
    """Sort key of runners."""
    return runner.codec, runner.entry.variant


def selected_codecs(selection: Selection, scenarios: Mapping[str, Scenario]) -> set[str]:
    """The codecs of which a selection can take a cell, and those that the catalogue does not know.

    Raises LabError if there are none.
    """
    catalogue, manifest = load_catalogue(), known_manifest()
    cells = selection.cells(catalogue.cells(scenarios, wanted_builds(manifest)))
    codecs = {cell.codec for cell in cells} | set(catalogue.unknown(codec_names(manifest)))
    if not codecs:
        raise errors.nothing_selected(selection.filters, selection.excludes, unavailable_in(manifest))
    return codecs


def contradictions(
    described: Mapping[Runner, Description | RunnerError], scenarios: Mapping[str, Scenario]
) -> list[str]:
    """Where runners and the catalogue differ, as messages."""
    catalogue = load_catalogue()
    return [
        f"{brief(FILE)} is not up to date: {difference}. Run `./lab catalogue`"
        for description in described.values()
        if isinstance(description, Description) and (difference := catalogue.difference(description, scenarios))
    ]


def offered_cells(description: Description, scenarios: Mapping[str, Scenario]) -> list[Cell]:
    """The cells that a runner offers in the lab's scenarios."""
    return [
        Cell(description.codec, o.scenario, o.operation, o.conditions)
        for o in description.cells
        if o.scenario in scenarios and o.operation in scenarios[o.scenario].operations
    ]
