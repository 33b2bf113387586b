"""Loading schemas/scenarios/*.toml."""

from pathlib import Path

from bench.base import errors
from bench.base.files import find_toml_line, read_text, read_toml
from bench.base.paths import SCENARIOS
from bench.model.cells import Operation
from bench.model.scenario import Scenario
from bench.scenarios.sweep import points
from bench.scenarios.types import is_known, load_types


def load_scenarios(folder: Path = SCENARIOS, *, sweeps: bool = False) -> dict[str, Scenario]:
    """All scenarios by name, sorted; with `sweeps` also the points of sweeps, each after its scenario.

    Raises LabError naming file, line and field of a mistake.
    """
    result: dict[str, Scenario] = {}
    for path in sorted(folder.glob("*.toml")):
        scenario = load_scenario(path)
        result |= {one.name: one for one in (scenario, *(points(scenario) if sweeps else ()))}
    return result


def scenario_names(folder: Path = SCENARIOS) -> list[str]:
    """The names of all scenarios, sorted, without reading them."""
    return sorted(path.stem for path in folder.glob("*.toml"))


def load_scenario(path: Path) -> Scenario:
    """One scenario, with checks beyond those of its type."""
    scenario = read_toml(path, Scenario)
    if scenario.name != path.stem:
        raise _mistake(path, ["name"], f"{scenario.name!r} must be the file's name, {path.stem!r}")
    if not is_known(scenario.type):
        raise _mistake(path, ["type"], f"{scenario.type!r} is not in schemas/types.toml")
    if (scenario.input.value is None) == (scenario.input.generator is None):
        raise _mistake(path, ["input"], "give either a value or a generator")
    try:
        list(points(scenario))
    except ValueError as error:
        raise _mistake(path, ["sweep", "sha256"], str(error)) from None
    published = scenario.published
    if published.repetitions % published.split:
        problem = f"{published.split} does not divide the {published.repetitions} repetitions"
        raise _mistake(path, ["published", "split"], problem)
    if scenario.type not in load_types().structs:
        if scenario.is_rows:
            raise _mistake(
                path, ["type"], f"the type of rows must be a struct of schemas/types.toml, not {scenario.type}"
            )
        return scenario
    given = scenario.input.value or (scenario.input.generator and scenario.input.generator.fields) or {}
    fields = load_types().structs[scenario.type].keys()
    if wrong := sorted(given.keys() ^ fields):
        keys = ["input", "value"] if scenario.input.value else ["input", "generator", "fields"]
        problem = "is not a field of" if wrong[0] in given else "is missing, a field of"
        raise _mistake(path, [*keys, wrong[0]], f"{wrong[0]!r} {problem} {scenario.type}")
    _check_filter(path, scenario)
    return scenario


def _check_filter(path: Path, scenario: Scenario) -> None:
    """Raises LabError for a filter without its operation, the reverse, and fields that no row has."""
    if (scenario.filter is not None) != (Operation.FILTER in scenario.operations):
        raise _mistake(path, ["operations"], "the operation `filter` and the table [filter] need each other")
    for kind in ("equal", "contains") if scenario.filter else ():
        for field in getattr(scenario.filter, kind):
            if not _has_field(scenario.type, field.split(".")):
                raise _mistake(path, ["filter", kind], f"{field!r} is not a field of {scenario.type}")


def _has_field(kind: str, names: list[str]) -> bool:
    """Whether a type has a field with this path of names."""
    return all((kind := load_types().structs.get(kind, {}).get(name, "")) for name in names)


def _mistake(path: Path, keys: list[str], problem: str) -> errors.LabError:
    return errors.bad_file(path, find_toml_line(read_text(path), keys), ".".join(keys), problem)
