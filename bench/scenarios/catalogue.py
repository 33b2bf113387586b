"""The catalogue of what runners offer, read from runners/catalogue.toml: cells without a build.

Runners remain the truth: what is measured comes from their `describe`, and a test holds the catalogue against it.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path

from bench.base.files import read_toml
from bench.base.paths import RUNNERS
from bench.model.catalogue import CatalogueFile, DefaultBuild, Offered
from bench.model.cells import Cell, Conditions, Operation
from bench.model.description import Wanted
from bench.model.scenario import Scenario
from bench.scenarios.condition_lines import alternatives, expanded

FILE = RUNNERS / "catalogue.toml"

OF_READING = frozenset({"validation"})
"""Conditions that do not apply where a value is only written."""
WRITING = frozenset({Operation.SERIALIZE, Operation.WRITE})
AS_PUBLISHED = "as-published"

Choices = dict[str, list[str]]


def load_catalogue(path: Path = FILE) -> "Catalogue":
    """The catalogue. Raises LabError with file, line and field of a mistake."""
    return Catalogue(read_toml(path, CatalogueFile))


class Catalogue:
    """What the runners of all known codecs would describe."""

    def __init__(self, file: CatalogueFile) -> None:
        self.file = file
        self.codecs: Mapping[str, Offered] = dict(sorted(file.codecs.items()))
        """By name, sorted; those that are unavailable on this machine too."""

    @cached_property
    def controls(self) -> set[str]:
        """The names of the controls."""
        return {name for name, offered in self.codecs.items() if offered.control}

    def cells(self, scenarios: Mapping[str, Scenario], wanted: Wanted | None = None) -> list[Cell]:
        """The cells that the wanted builds of all codecs offer in the scenarios' operations, sorted."""
        by_name = [scenarios[name] for name in sorted(scenarios)]
        return [cell for codec in self.codecs for cell in self._cells_of(codec, by_name, wanted or Wanted())]

    def unknown(self, codecs: Iterable[str]) -> list[str]:
        """The codecs that it does not know yet: these are always built and asked."""
        return sorted(set(codecs) - self.codecs.keys())

    def _cells_of(self, codec: str, scenarios: Iterable[Scenario], wanted: Wanted) -> Iterator[Cell]:
        offered, language = self.codecs[codec], codec.partition("/")[0]
        builds = build_choices(self.file.builds.get(language, DefaultBuild()), wanted)
        known: dict[tuple[str, Operation, bool], list[Conditions]] = {}
        for scenario in scenarios:
            name = offer_of(offered, scenario)
            if name is None or (scenario.languages and language not in scenario.languages):
                continue
            for operation in sorted(scenario.operations):
                key = (name, operation, scenario.every_condition)
                if key not in known:
                    known[key] = self._conditions(offered, builds, *key)
                for conditions in known[key]:
                    yield Cell(codec, scenario.name, operation, conditions)

    def _conditions(
        self, offered: Offered, builds: Choices, offer: str, operation: Operation, every: bool
    ) -> list[Conditions]:
        """The conditions of an offer's operation, sorted."""
        fixed = fixed_choices(offered, operation)
        lines = [*self.file.offers[offer].get(operation, ())]
        if every:
            lines += self.file.every_condition.get(offer, {}).get(operation, ())
        return sorted(
            conditions
            for line in lines
            for conditions in expanded(fixed | alternatives(line) | builds)
        )


def offer_of(offered: Offered, scenario: Scenario) -> str | None:
    """The offer that a codec has for a scenario's type, if it has one."""
    offers = offered.encrypted if scenario.keys else offered.types
    return next((name for name, types in offers.items() if scenario.type in types), None)


def fixed_choices(offered: Offered, operation: Operation) -> Choices:
    """The conditions that a codec's cells have in common, as far as they apply to an operation."""
    common = alternatives(offered.conditions)
    return {name: values for name, values in common.items() if operation not in WRITING or name not in OF_READING}


def build_choices(default: DefaultBuild, wanted: Wanted) -> Choices:
    """The conditions of all wanted builds of a language; none where it has no choice."""
    conditions = alternatives(default.conditions)
    if "compiler" in conditions:
        conditions["compiler"] = list(wanted.compilers)
    if "build" in conditions:
        conditions["build"] = [*wanted.cpus, *([AS_PUBLISHED] if wanted.as_published and default.as_published else [])]
    return conditions
