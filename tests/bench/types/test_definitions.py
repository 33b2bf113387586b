"""Files of types: what they say, and each mistake with its file, line and what is wrong."""

import re
import tomllib
from pathlib import Path

import jsonschema
import pytest

from analysis.render.schemas import SCHEMAS as GENERATED
from bench.base.errors import LabError
from bench.base.paths import SCHEMAS
from bench.model.schemas import render
from bench.types.definitions import FOLDER, load_definitions, load_folder, published_types
from tests.support.canonical_values import EVERYTHING

FILE = """\
protocol = 1

[structs.User]
about = "A user."

[structs.User.fields]
id = "u32"
level = { type = "Level", default = "Warn" }
"a key" = "[string?]"

[enums.Level]
repr = "u8"
variants = { Low = 0, Warn = 1 }
"""


def write(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path


def test_a_file_gives_structs_with_their_parts_first_and_fields_in_order(tmp_path: Path) -> None:
    more = '\n[structs.All.fields]\nusers = "[User]"\n'
    defined = load_definitions(
        write(tmp_path / "types.toml", FILE.replace("\n[structs.User]", more + "\n[structs.User]"))
    )
    assert list(defined.structs) == ["User", "All"]
    user = defined.structs["User"]
    assert [(field.name, str(field.type), field.index, field.default) for field in user.fields] == [
        ("id", "u32", 0, None),
        ("level", "Level", 1, "Warn"),
        ("a key", "[string?]", 2, None),
    ]
    assert [(one.name, one.value) for one in defined.enums["Level"].variants] == [("Low", 0), ("Warn", 1)]


@pytest.mark.parametrize(
    ("old", "new", "line", "field", "problem"),
    [
        ('id = "u32"', 'id = "u33"', 7, "structs.User.fields.id", "there is no struct, enumeration or scalar 'u33'"),
        ('id = "u32"', 'id = "[u32"', 7, "structs.User.fields.id", "`]` was expected where its end stands"),
        ('id = "u32"', "id = 32", 6, "structs.User.fields", "Expected"),
        ('id = "u32"', 'id = "User"', 3, "structs.User", "a struct can't be a part of itself: User → User"),
        ('id = "u32"', 'id = { type = "u8", default = 256 }', 7, "fields.id", "256 does not fit into u8"),
        ('id = "u32"', 'id = { type = "u8", default = true }', 7, "fields.id", "True is no default of u8"),
        ('id = "u32"', 'id = { type = "bool", default = 1 }', 7, "fields.id", "1 is no default of bool"),
        ('id = "u32"', 'id = { type = "[u8]", default = 1 }', 7, "fields.id", "1 is no default of [u8]"),
        ('id = "u32"', 'id = { type = "bytes", default = "" }', 7, "fields.id", "'' is no default of bytes"),
        ('id = "u32"', 'id = { type = "u32", deflaut = 1 }', 6, "structs.User.fields", "unknown field `deflaut`"),
        ('"Warn" }', '"Warm" }', 8, "structs.User.fields.level", "'Warm' is no variant of Level"),
        ('repr = "u8"', 'repr = "u128"', 12, "enums.Level.repr", "matching regex"),
        ("Warn = 1", "Warn = 256", 13, "enums.Level.variants.Warn", "256 does not fit into u8"),
        ("Warn = 1", "Warn = -1", 13, "enums.Level.variants.Warn", "-1 does not fit into u8"),
        ("Warn = 1", "Warn = 0", 13, "enums.Level.variants.Warn", "'Low' has the value 0, too"),
        ("{ Low = 0, Warn = 1 }", "{}", 13, "enums.Level.variants", "length >= 1"),
        ("[enums.Level]", "[enums.User]", 11, "enums.User", "User is a struct, too"),
        ("[enums.Level]", "[enums.level]", 11, "enums.level", "matching regex"),
        ("protocol = 1", "protocol = 2", None, "", "protocol version is 2"),
        ('about = "A user."', 'abuot = "A user."', 4, "structs.User", "unknown field `abuot`"),
        ('about = "A user."', "attributes = { Upper = {} }", 4, "structs.User.attributes", "matching regex"),
    ],
)
def test_a_mistake_names_file_line_and_field(tmp_path, old, new, line, field, problem) -> None:
    assert FILE.count(old) == 1
    path = write(tmp_path / "types.toml", FILE.replace(old, new))
    with pytest.raises(LabError) as caught:
        load_definitions(path)
    message = str(caught.value)
    assert message.startswith(f"{path}:{line}: " if line else str(path)), message
    assert field in message
    assert problem in message


def test_a_struct_without_fields_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "types.toml", "protocol = 1\n[structs.User]\nfields = {}\n")
    with pytest.raises(LabError, match=re.escape(f"{path}:3: structs.User.fields: a struct has one field or more")):
        load_definitions(path)


def test_a_struct_has_no_default(tmp_path: Path) -> None:
    text = FILE + '\n[structs.All.fields]\nuser = { type = "User", default = "x" }\n'
    with pytest.raises(LabError, match="a struct has no default: User"):
        load_definitions(write(tmp_path / "types.toml", text))


def test_a_circle_is_shown(tmp_path: Path) -> None:
    circle = 'protocol = 1\n[structs.A.fields]\nb = "[B]"\n[structs.B.fields]\na = "{A?}"\n'
    with pytest.raises(LabError, match="a struct can't be a part of itself: A → B → A"):
        load_definitions(write(tmp_path / "types.toml", circle))


def test_structs_within_structs_have_a_limit(tmp_path: Path) -> None:
    chain = [
        "protocol = 1",
        *(f'[structs.S{n}.fields]\nx = "S{n + 1}"' for n in range(5000)),
        '[structs.S5000.fields]\nx = "u8"',
    ]
    with pytest.raises(LabError, match="structs are nested deeper than 64: S0 → … → S64"):
        load_definitions(write(tmp_path / "types.toml", "\n".join(chain)))


def test_a_key_that_steers_a_terminal_is_shown_harmlessly(tmp_path: Path) -> None:
    path = write(tmp_path / "types.toml", 'protocol = 1\n[structs.A.fields]\n"\\u001b[31m" = "u33"\n')
    with pytest.raises(LabError) as caught:
        load_definitions(path)
    assert "\x1b" not in str(caught.value)


def test_files_of_a_folder_refer_to_each_other_and_no_name_stands_in_two(tmp_path: Path) -> None:
    write(tmp_path / "a.toml", FILE.partition("[enums")[0])
    write(tmp_path / "b.toml", f"protocol = 1\n[enums{FILE.partition('[enums')[2]}")
    assert load_folder(tmp_path).knows(published_types().structs["Point"].fields[0].type)
    write(tmp_path / "c.toml", 'protocol = 1\n[structs.Level.fields]\nx = "u8"\n')
    with pytest.raises(LabError, match=r"c.toml.*: structs.Level: Level is defined in b.toml too"):
        load_folder(tmp_path)


def test_the_types_of_all_recorded_scenarios_are_in_the_folder_of_types() -> None:
    assert {path.name for path in FOLDER.glob("*.toml")} >= {"brec.toml", "flatmessage.toml"}
    assert published_types().structs.keys() >= {"ProcessCreated", "NestedObject", "User", "LogRecord"}


def test_the_test_types_hold_every_shape() -> None:
    text = " ".join(str(field.type) for one in load_definitions(EVERYTHING).structs.values() for field in one.fields)
    for shape in ("u128", "[[f64]]", "[{string}]", "{[User]}", "(u8, [string])?", "User?", "[f64?]", "{User?}"):
        assert shape in text


def test_the_committed_schema_is_current() -> None:
    committed = (SCHEMAS / "types.schema.json").read_text()
    assert committed == render(GENERATED["types"]), "run `python -m analysis.render.schemas`"


@pytest.mark.parametrize("path", [*sorted(FOLDER.glob("*.toml")), EVERYTHING], ids=lambda path: path.stem)
def test_every_file_is_valid_by_the_json_schema_too(path: Path) -> None:
    jsonschema.validate(tomllib.loads(path.read_text("utf-8")), GENERATED["types"])
