"""Loading schemas/scenarios/*.toml."""

from pathlib import Path

from bench import errors
from bench.files import find_toml_line, read_text, read_toml
from bench.model import Scenario
from bench.paths import SCENARIOS
from bench.types import is_known, load_types


def load_scenarios(folder: Path = SCENARIOS) -> dict[str, Scenario]:
    """All scenarios by name, sorted. Raises LabError naming file, line and field of a mistake."""
    return {s.name: s for s in map(load_scenario, sorted(folder.glob("*.toml")))}


def load_scenario(path: Path) -> Scenario:
    """One scenario; what a type alone cannot say is checked here."""
    scenario = read_toml(path, Scenario)
    if scenario.name != path.stem:
        raise _mistake(path, ["name"], f"{scenario.name!r} must be the file's name, {path.stem!r}")
    if not is_known(scenario.type):
        raise _mistake(path, ["type"], f"{scenario.type!r} is not in schemas/types.toml")
    if (scenario.input.value is None) == (scenario.input.generator is None):
        raise _mistake(path, ["input"], "give either a value or a generator")
    published = scenario.published
    if published.repetitions % published.split:
        problem = f"{published.split} does not divide the {published.repetitions} repetitions"
        raise _mistake(path, ["published", "split"], problem)
    if scenario.type not in load_types().structs:
        if scenario.is_rows:
            raise _mistake(path, ["type"], f"rows have a struct of schemas/types.toml as type, not {scenario.type}")
        return scenario
    given = scenario.input.value or (scenario.input.generator and scenario.input.generator.fields) or {}
    fields = load_types().structs[scenario.type].keys()
    if wrong := sorted(given.keys() ^ fields):
        place = ["input", "value"] if scenario.input.value else ["input", "generator", "fields"]
        problem = "is no field of" if wrong[0] in given else "is missing, a field of"
        raise _mistake(path, [*place, wrong[0]], f"{wrong[0]!r} {problem} {scenario.type}")
    return scenario


def _mistake(path: Path, keys: list[str], problem: str) -> errors.LabError:
    return errors.bad_file(path, find_toml_line(read_text(path), keys), ".".join(keys), problem)
