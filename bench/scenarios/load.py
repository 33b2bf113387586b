"""Loading schemas/scenarios/*.toml."""

from pathlib import Path

from bench.base import errors
from bench.base.files import find_toml_line, read_text, read_toml
from bench.base.paths import SCENARIOS
from bench.model.cells import Operation
from bench.model.scenario import Scenario
from bench.scenarios.sets import changes_of, types_of
from bench.scenarios.sweep import points
from bench.types.definitions import Defined, MistakeError
from bench.types.expressions import Scalar, parse_type
from bench.types.fields.digest import named_fields


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
    try:
        defined = types_of(scenario)
    except MistakeError as error:
        raise _mistake(path, ["types", *error.keys], str(error)) from None
    try:
        of = parse_type(scenario.type)
        known = defined.knows(of)
    except ValueError as error:
        raise _mistake(path, ["type"], str(error)) from None
    if not known:
        where = "schemas/types" if scenario.types is None else "[types]"
        raise _mistake(path, ["type"], f"{scenario.type!r} is not in {where}")
    try:
        named_fields(of, defined, scenario.named_fields)
    except ValueError as error:
        raise _mistake(path, ["named_fields"], str(error)) from None
    _check_update(path, scenario)
    if isinstance(of, Scalar) or scenario.type in defined.enums:
        problem = (
            f"a message has parts, and {scenario.type} has none: make it a field of a struct, or the element of a list"
        )
        raise _mistake(path, ["type"], problem)
    given = scenario.input
    ways = (given.value, given.draws, given.generator, given.items_of, given.file)
    if sum(one is not None for one in ways) != 1:
        raise _mistake(path, ["input"], "give one of these: value, draws, generator, items_of, file")
    if given.file and given.file.endswith(".jsonl") != (given.file_rows is not None):
        raise _mistake(path, ["input", "file_rows"], "a file NAME.jsonl has file_rows, and NAME.json has none")
    try:
        list(points(scenario))
    except ValueError as error:
        raise _mistake(path, ["sweep", "sha256"], str(error)) from None
    published = scenario.published
    if published.repetitions % published.split:
        problem = f"{published.split} does not divide the {published.repetitions} repetitions"
        raise _mistake(path, ["published", "split"], problem)
    struct = defined.structs.get(scenario.type)
    if struct is None:
        if scenario.is_rows:
            raise _mistake(path, ["type"], f"the type of rows must be a struct, not {scenario.type}")
        return scenario
    rules = given.value if given.generator is None else given.generator.fields
    fields = {field.name for field in struct.fields}
    if rules is not None and (wrong := sorted(rules.keys() ^ fields)):
        keys = ["input", "value"] if given.value else ["input", "generator", "fields"]
        problem = "is not a field of" if wrong[0] in rules else "is missing, a field of"
        raise _mistake(path, [*keys, wrong[0]], f"{wrong[0]!r} {problem} {scenario.type}")
    _check_filter(path, scenario, defined)
    for column in scenario.published.columns:
        if column.operation not in scenario.operations:
            problem = f"the scenario does not have the operation {column.operation}: name it in `operations`"
            raise _mistake(path, ["published", "columns"], problem)
    return scenario


def _check_update(path: Path, scenario: Scenario) -> None:
    """Raises LabError for an update without its operation, the reverse, and changes that no message can take."""
    said = scenario.update
    if (said is not None) != (Operation.UPDATE in scenario.operations):
        raise _mistake(path, ["operations"], "the operation `update` and the table [update] need each other")
    try:
        found = changes_of(scenario)
    except MistakeError as error:
        raise _mistake(path, ["update", *error.keys], str(error)) from None
    if said is not None and not found:
        problem = "nothing is updated: give fields a new value in [update.values], or a factor in [update.factors]"
        raise _mistake(path, ["update", "values"], problem)


def _check_filter(path: Path, scenario: Scenario, defined: Defined) -> None:
    """Raises LabError for a filter without its operation, the reverse, and fields that no row has."""
    if (scenario.filter is not None) != (Operation.FILTER in scenario.operations):
        raise _mistake(path, ["operations"], "the operation `filter` and the table [filter] need each other")
    for kind in ("equal", "contains") if scenario.filter else ():
        for field in getattr(scenario.filter, kind):
            if not _has_field(scenario.type, field.split("."), defined):
                raise _mistake(path, ["filter", kind], f"{field!r} is not a field of {scenario.type}")


def _has_field(kind: str, names: list[str], defined: Defined) -> bool:
    """Whether a type has a field with this path of names."""
    for name in names:
        fields = {field.name: field.type for field in defined.structs[kind].fields} if kind in defined.structs else {}
        if name not in fields:
            return False
        kind = str(fields[name])
    return True


def _mistake(path: Path, keys: list[str], problem: str) -> errors.LabError:
    return errors.bad_file(path, find_toml_line(read_text(path), keys), ".".join(keys), problem)
