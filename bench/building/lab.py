"""What can be measured: runners with their descriptions, and scenarios."""

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cached_property

from msgspec import Struct

from bench.base import errors
from bench.base.progress import Report
from bench.building.build import build
from bench.building.runner import Runner, RunnerError, describe_all
from bench.model.cells import Cell, Operation
from bench.model.description import Description
from bench.model.scenario import Scenario
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


def open_lab(report: Report, *, sweeps: bool = False) -> Lab:
    """Builds what is missing and asks every runner for its description; `sweeps` includes the points of sweeps."""
    return Lab(describe_all(Runner(entry) for entry in build(report).runners), load_scenarios(sweeps=sweeps))


def extended(lab: Lab, codecs: Collection[str], report: Report, built: Callable[[str], None] = lambda _: None) -> Lab:
    """The lab with the runners of these codecs, built and described; `built` is told of each that had to be built."""
    known = {runner.codec for runner in lab.described}
    if not (missing := set(codecs) - known):
        return lab
    entries = build(report, codecs=missing, built=built).runners
    described = describe_all(Runner(entry) for entry in entries if entry.codec in missing)
    return Lab({**lab.described, **described}, lab.scenarios)


def offered_cells(description: Description, scenarios: Mapping[str, Scenario]) -> list[Cell]:
    """The cells that a runner offers in the lab's scenarios."""
    return [
        Cell(description.codec, o.scenario, o.operation, o.conditions)
        for o in description.cells
        if o.scenario in scenarios and o.operation in scenarios[o.scenario].operations
    ]


class Listed(Struct, frozen=True, kw_only=True):
    """A row of `lab list`: a cell with its codec, or an unavailable codec with the reason."""

    codec: str
    format: str | None = None
    library: str | None
    version: str | None
    language: str
    scenario: str | None = None
    operation: Operation | None = None
    conditions: dict[str, str] = {}
    control: bool = False
    available: bool
    reason: str | None = None


def listed(described: Mapping[Runner, Description | RunnerError], scenarios: Mapping[str, Scenario]) -> list[Listed]:
    """Every cell of every codec; a codec without a description is one row with the reason."""
    rows = []
    for runner, description in described.items():
        if isinstance(description, Description):
            rows += [_available(cell, description) for cell in offered_cells(description, scenarios)]
        else:
            rows.append(_unavailable(runner, description))
    return rows


def _available(cell: Cell, description: Description) -> Listed:
    return Listed(
        codec=cell.codec,
        format=description.format,
        library=description.library,
        version=description.version,
        language=description.language,
        scenario=cell.scenario,
        operation=cell.operation,
        conditions=dict(cell.conditions.items()),
        control=description.control,
        available=True,
    )


def _unavailable(runner: Runner, error: RunnerError) -> Listed:
    return Listed(
        codec=runner.codec,
        library=runner.entry.library,
        version=runner.entry.version,
        language=runner.codec.split("/")[0],
        available=False,
        reason=str(error),
    )
