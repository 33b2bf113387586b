"""The catalogue of what runners offer, read from runners/catalogue.toml: cells without a build.

Runners remain the truth: what is measured comes from their `describe`, and a test holds the catalogue against it.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path

from bench.base import errors
from bench.base.files import find_toml_line, read_text, read_toml
from bench.base.paths import RUNNERS
from bench.model.cells import Cell, Conditions, Operation
from bench.model.description import Description, OfferedCell, Wanted
from bench.model.offers import NO_OFFER, CatalogueFile, DefaultBuild, Lines, MessageKind, Offered
from bench.model.scenario import Scenario
from bench.scenarios.condition_lines import alternatives, expanded
from bench.scenarios.sets import features_of, kind_of_message
from bench.types.features import takes

FILE = RUNNERS / "catalogue.toml"

OF_READING = frozenset({"validation"})
"""Conditions that do not apply where a value is only written."""
WRITING = frozenset({Operation.SERIALIZE, Operation.WRITE, Operation.BUILD, Operation.BUILD_SERIALIZE})
AS_PUBLISHED = "as-published"

Choices = dict[str, list[str]]


def load_catalogue(path: Path | None = None) -> "Catalogue":
    """The catalogue, by default the lab's own. Raises LabError with file, line and field of a mistake."""
    path = path or FILE
    file = read_toml(path, CatalogueFile)
    for keys, problem in _mistakes(file):
        raise errors.bad_file(path, find_toml_line(read_text(path), keys), ".".join(keys), problem)
    return Catalogue(file)


def _mistakes(file: CatalogueFile) -> Iterator[tuple[list[str], str]]:
    """What the file's type does not tell: offers that there are none of, and lines that are no conditions."""
    for codec, offered in file.codecs.items():
        for table in ("offers", "exceptions"):
            for kind, name in getattr(offered, table).items():
                if name not in file.offers and name != NO_OFFER:
                    yield ["codecs", codec, f"{table}.{kind}"], f"there is no [offers.{name}]"
    lines = [(["codecs", codec, "conditions"], one.conditions) for codec, one in file.codecs.items()]
    lines += [(["builds", language, "conditions"], one.conditions) for language, one in file.builds.items()]
    for table in ("offers", "every_condition"):
        offers: dict[str, dict[Operation, Lines]] = getattr(file, table)
        lines += [([table, n, o.value], line) for n, one in offers.items() for o, some in one.items() for line in some]
    for keys, line in lines:
        try:
            alternatives(line)
        except ValueError as error:
            yield keys, str(error)


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
        return [cell for codec in self.codecs for cell in self.cells_of(codec, scenarios, wanted)]

    def cells_of(
        self, codec: str, scenarios: Mapping[str, Scenario], wanted: Wanted | None = None, variant: str | None = None
    ) -> list[Cell]:
        """The cells that all wanted builds of a codec offer, or the one of this variant, sorted."""
        offered, language = self.codecs[codec], codec.partition("/")[0]
        default = self.file.builds.get(language, DefaultBuild())
        wanted = wanted or Wanted()
        builds = build_choices(default, wanted) if variant is None else variant_choices(default, wanted, variant)
        known: dict[tuple[str, Operation, bool], list[Conditions]] = {}
        cells = []
        for name in sorted(scenarios):
            scenario = scenarios[name]
            offer = offer_of(offered, scenario)
            if offer is None or not is_measured_in(scenario, language):
                continue
            for operation in sorted(scenario.operations):
                key = (offer, operation, scenario.every_condition)
                if key not in known:
                    known[key] = self._conditions(offered, builds, *key)
                cells += [Cell(codec, name, operation, conditions) for conditions in known[key]]
        return cells

    def unknown(self, codecs: Iterable[str]) -> list[str]:
        """The codecs that it does not know yet: these are always built and asked."""
        return sorted(set(codecs) - self.codecs.keys())

    def difference(self, description: Description, scenarios: Mapping[str, Scenario]) -> str | None:
        """A cell that a runner offers and the catalogue does not have, or the reverse; None if they agree.

        Of the conditions, those of the build are left out: each build has its own.
        """
        codec = description.codec
        known = {_bare(cell) for cell in self.cells_of(codec, scenarios)} if codec in self.codecs else set()
        offered = {
            _bare(cell)
            for cell in description.cells
            if (scenario := scenarios.get(cell.scenario))
            and cell.operation in scenario.operations
            and is_measured_in(scenario, codec.partition("/")[0])
        }
        if not (differing := known ^ offered):
            return None
        example = min(differing)
        return f"{codec} {'offers' if example in offered else 'does not offer'} {' '.join(example)}"

    def _conditions(
        self, offered: Offered, builds: Choices, offer: str, operation: Operation, every: bool
    ) -> list[Conditions]:
        """The conditions of an offer's operation, sorted."""
        fixed = fixed_choices(offered, operation)
        lines = [*self.file.offers[offer].get(operation, ())]
        if every:
            lines += self.file.every_condition.get(offer, {}).get(operation, ())
        return sorted(conditions for line in lines for conditions in expanded(fixed | alternatives(line) | builds))


BUILD = frozenset({"compiler", "build"})


def _bare(cell: Cell | OfferedCell) -> tuple[str, str, str]:
    """Scenario, operation, and the conditions that are not of the build."""
    conditions = [f"{name}={value}" for name, value in cell.conditions.items() if name not in BUILD]
    return cell.scenario, cell.operation.value, " ".join(conditions)


def is_measured_in(scenario: Scenario, language: str) -> bool:
    """Whether a scenario is measured in a language, if a codec has its type."""
    return not scenario.languages or language in scenario.languages


def offer_of(offered: Offered, scenario: Scenario) -> str | None:
    """The offer that a codec has for a scenario's messages, if it has one."""
    kind = kind_of_message(scenario)
    offer = offered.exceptions.get(exception_key(kind, scenario))
    if offer is None and takes(offered.cannot, features_of(scenario)):
        offer = next((offered.offers[one] for one in kind.alternatives if one in offered.offers), None)
    return None if offer == NO_OFFER else offer


def exception_key(kind: MessageKind, scenario: Scenario) -> str:
    """Under which an exception of a scenario's messages stands."""
    return f"{kind.removesuffix('-of-text')} {scenario.type}"


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


def variant_choices(default: DefaultBuild, wanted: Wanted, variant: str) -> Choices:
    """The conditions of one build, by the name that its language gives it: its compiler if not the first, its CPU."""
    conditions = alternatives(default.conditions)
    if "compiler" in conditions:
        conditions["compiler"] = [wanted.compilers[0]]
    for word in variant.split():
        conditions["compiler" if word in wanted.compilers else "build"] = [word]
    return conditions
