"""A user's data kept as a scenario of the lab: NAME.toml with its types, and its sample beside it."""

import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from bench.base import errors
from bench.base.files import write_whole
from bench.base.paths import SCENARIOS
from bench.datasets.dataset import DataSet
from bench.model.scenario import Scenario
from bench.types.notation import toml_value, types_text

NAME = re.compile("[a-z0-9][a-z0-9-]{0,60}")
HEAD = ("protocol", "name", "title", "source", "type", "operations", "data_size_bytes")


def save_scenario(data: DataSet, codecs: Sequence[str], name: str, folder: Path = SCENARIOS) -> list[Path]:
    """Writes the two files. Raises LabError for a bad name, and for one that is there."""
    if not NAME.fullmatch(name):
        raise errors.bad_scenario_name(name)
    scenario = data.scenario(codecs, name)
    file, samples = folder / f"{name}.toml", folder / str(scenario.input.file)
    for path in (file, samples):
        if path.exists():
            raise errors.scenario_there(path)
    write_whole(samples, data.text())
    write_whole(file, scenario_text(scenario, data).encode())
    return [file, samples]


def scenario_text(scenario: Scenario, data: DataSet) -> str:
    """The scenario's file."""
    plain = msgspec.to_builtins(scenario)
    lines = [f"{name} = {toml_value(plain[name])}" for name in HEAD]
    for table in ("input", "published"):
        values = {name: value for name, value in plain[table].items() if value not in (None, {}, [])}
        lines += ["", f"[{table}]"]
        lines += [f"{name} = {toml_value(value)}" for name, value in values.items()]
    types = types_text(data.typed.definitions).partition("\n\n")[2]
    types = re.sub(r"^\[(structs|enums)\.", r"[types.\1.", types, flags=re.MULTILINE)
    return "\n".join(lines) + "\n\n" + types
