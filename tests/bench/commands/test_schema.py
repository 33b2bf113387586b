"""`lab schema`: a type as a file has it, and what is generated of it."""

import os
import stat
import subprocess
import tomllib
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from bench.base.errors import LabError
from bench.base.paths import ROOT
from bench.base.visible import visible_lines
from bench.commands import schema as command_module
from bench.commands.schema import schema
from bench.types import generation
from bench.types.definitions import load_definitions
from bench.types.expressions import parse_type
from bench.types.notation import definitions_of_set, types_text
from bench.types.subset import subset
from tests.support.canonical_values import EVERYTHING, everything
from tests.support.lab import LAB

TEMPLATE = """\
{% for struct in types.structs.values() %}
class   {{ names.type(struct.name) }}:
{% for field in struct.fields %}
    {{ names.field(struct, field) }} = {{ field.name | python }}
{% endfor %}
{% endfor %}
messages = {{ types.messages | length }}
"""


@pytest.fixture(autouse=True)
def runners(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of runners with one generator."""
    folder = tmp_path / "runners"
    (folder / "python/libraries/shown").mkdir(parents=True)
    (folder / "python/libraries/shown/types.py.j2").write_text(TEMPLATE)
    monkeypatch.setattr(generation, "RUNNERS", folder)
    monkeypatch.setattr(command_module, "RUNNERS", folder)
    return folder


def run(*arguments: str) -> Result:
    return CliRunner().invoke(schema, arguments)


def refused(*arguments: str) -> str:
    result = run(*arguments)
    assert isinstance(result.exception, LabError), result.output
    return str(result.exception)


def test_a_type_is_printed_with_all_that_it_is_made_of_and_the_libraries() -> None:
    printed = run("LogRecord").stdout
    read = tomllib.loads(printed)
    assert list(read["structs"]) == ["LogMeta", "Attachment", "LogRecord"]
    assert read["enums"]["Level"]["variants"] == {"Err": 0, "Warn": 1, "Debug": 2, "Info": 3}
    assert printed.endswith("# --library takes:\n#   python/shown\n")


def test_what_is_generated_is_formatted() -> None:
    result = run("Point", "--library", "python/shown")
    assert result.stdout == '# types.py\nclass Point:\n    x = "x"\n    y = "y"\n\n\nmessages = 1\n'
    assert result.stderr == ""


def test_without_a_formatter_it_is_printed_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(command_module.FORMATTERS, ".py", ["no-such-formatter"])
    result = run("Point", "--library", "python/shown")
    assert "class   Point:" in result.stdout
    assert result.stderr == "lab: types.py is not formatted: no-such-formatter can't be run here\n"


@pytest.mark.skipif(os.name == "nt", reason="a script stands for the formatter")
def test_a_formatter_that_fails_is_named_with_its_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    failing = tmp_path / "failing"
    failing.write_text("#!/bin/sh\necho 'no such component' >&2\nexit 1\n")
    failing.chmod(failing.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setitem(command_module.FORMATTERS, ".py", [str(failing)])
    result = run("Point", "--library", "python/shown")
    assert "class   Point:" in result.stdout
    assert result.stderr.endswith("says: no such component\n")


def test_types_of_a_file_and_hostile_names_are_printed_harmlessly() -> None:
    printed = run("Hostile", "--types", str(EVERYTHING)).stdout
    assert printed == visible_lines(printed)
    assert list(tomllib.loads(printed)["structs"]["Hostile"]["fields"]) == [
        field.name for field in everything().structs["Hostile"].fields
    ]
    generated = run("Hostile", "--types", str(EVERYTHING), "--library", "python/shown")
    assert generated.stdout.isascii() and generated.exit_code == 0
    compile(generated.stdout, "types.py", "exec")


def test_a_type_that_is_no_struct_may_be_given() -> None:
    assert run("[f64]").stdout.startswith("protocol = 1\n\n# --library")
    assert list(tomllib.loads(run("{[Point]?}").stdout)["structs"]) == ["Point"]


def test_types_of_a_scenario() -> None:
    assert "ProcessCreated" in run("ProcessCreated", "--scenario", "point").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["Pint"], "there is no type Pint; there are Abilities, Address, AnotherObject, Attachment, "),
        (["[f64"], "'[f64' is not a type: `]` was expected where its end stands"),
        (["\x1b[31m"], "is not a type"),
        (["Point", "--library", "python/none"], "nothing is generated for 'python/none'; give one of python/shown."),
        (["Point", "--scenario", "none"], "there is no scenario 'none' in schemas/scenarios"),
        (["Point", "--scenario", "../point"], "there is no scenario '../point'"),
        (["Point", "--types", "none.toml"], "none.toml"),
    ],
)
def test_what_is_not_there_is_named(arguments: list[str], message: str) -> None:
    found = refused(*arguments)
    assert message in found
    assert "\x1b" not in found


def test_two_sets_are_refused() -> None:
    assert "give either --types or --scenario" in run("Point", "--types", "x", "--scenario", "point").output


def test_what_a_generator_refuses_is_said(runners: Path) -> None:
    folder = runners / "python/libraries/strict"
    folder.mkdir()
    (folder / "types.py.j2").write_text("")
    (folder / "generator.py").write_text(
        "def context(types, names):\n    raise ValueError('struct Point: unknown attribute')\n"
    )
    assert refused("Point", "--library", "python/strict") == (
        "python/strict can't be generated: struct Point: unknown attribute"
    )


@pytest.mark.parametrize("name", list(everything().structs))
def test_the_notation_reads_back_as_the_same_types(tmp_path: Path, name: str) -> None:
    part = subset(everything(), parse_type(name))
    path = tmp_path / "types.toml"
    path.write_text(types_text(definitions_of_set(part)), "utf-8")
    read = load_definitions(path)
    structs = {name: msgspec.structs.replace(struct, attributes={}) for name, struct in part.structs.items()}
    assert (dict(read.structs), dict(read.enums)) == (structs, dict(part.enums))


def test_types_and_libraries_are_completed() -> None:
    line = {"_LAB_COMPLETE": "bash_complete", "COMP_WORDS": "lab schema Log", "COMP_CWORD": "2"}
    done = subprocess.run([*LAB], cwd=ROOT, env=os.environ | line, capture_output=True, text=True)
    assert [one.partition(",")[2] for one in done.stdout.splitlines()] == [
        "Log",
        "LogBlock",
        "LogMeta",
        "LogRecord",
        "LogText",
        "Logs",
    ]
