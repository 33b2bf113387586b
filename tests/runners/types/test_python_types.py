"""Python's generated types: what the checker takes and refuses, and every shape of type through every codec."""

import ast
import json
import os
import subprocess
import sys
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bench.base.paths import RUNNERS, manifest
from bench.building.build import load_runners
from bench.building.languages.python import PACK, VARIABLES, Python
from bench.types.expressions import parse_type
from bench.types.features import features
from bench.types.generation import write_types
from bench.types.names import reserved
from bench.types.type_set import TypeSet
from bench.types.values import first_difference, parse_canonical
from tests.support.canonical_values import canonical, everything, lines, values
from tests.support.types.small_sets import OF_MEMORY, SETS

SCRIPT = Path(__file__).parents[2] / "support" / "types" / "python_cells.py"
EVERYTHING = everything()
LONG_KEYS = ("Hostile", "Everything")
"""Structs with a key of 10,000 characters, which B-FAST does not read back."""
MESSAGES = {str(message.type): message for message in EVERYTHING.messages}


@pytest.fixture(scope="module", autouse=True)
def packages():
    """The kit and the messages, which are packed into each runner."""
    added = [str(RUNNERS / "python" / "kit"), str(RUNNERS / "python" / "messages")]
    sys.path[:0] = added
    yield
    for folder in added:
        sys.path.remove(folder)


@pytest.fixture(scope="module")
def code(tmp_path_factory) -> Path:
    """The code of all test types."""
    folder = tmp_path_factory.mktemp("types")
    write_types(EVERYTHING, "python", folder)
    return folder / "python"


@pytest.fixture(scope="module")
def checkers(code):
    """Message type → its checker."""
    spec = spec_from_file_location("wirelab_types_of_everything", code / "messages" / "wirelab_types.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return {
        str(message.type): module.messages[own]
        for message, own in zip(EVERYTHING.messages, module.messages, strict=True)
    }


@cache
def interpreter() -> str:
    """The Python of the runners, which has their libraries."""
    if not manifest().exists():
        pytest.skip("no Python runners are built: `./lab build` builds them")
    return next(one.entry.command[0] for one in load_runners() if one.codec == "python/json")


# the checker


def checked(kind: str, value):
    """A value as the checker of a type without names takes it."""
    from wirelab_messages import types

    of = {
        "u8": types.U8,
        "i64": types.I64,
        "u64": types.U64,
        "u128": types.U128,
        "f32": types.F32,
        "f64": types.F64,
        "bool": types.BOOL,
        "bytes": types.BYTES,
        "string": types.STRING,
        "[f64]": types.List(types.F64),
        "[u8]": types.List(types.U8),
        "[u8; 2]": types.List(types.U8, 2),
        "[f32]": types.List(types.F32),
        "{u8}": types.Map(types.U8),
        "u8?": types.Option(types.U8),
        "(u8, string)": types.Tuple(types.U8, types.STRING),
        "Level": types.Enum("Level", 1, ("low", "high")),
        "User": types.Struct("User", {"id": types.I64, "a b": types.List(types.BOOL)}),
    }[kind]
    return types.Message("Test", of).plain(value)


@pytest.mark.parametrize(
    ("kind", "value", "plain"),
    [
        ("u64", 2**64 - 1, 2**64 - 1),
        ("u128", str(2**128 - 1), 2**128 - 1),
        ("u128", 7, 7),
        ("f64", 1, 1.0),
        ("f32", 0.1, 0.10000000149011612),
        ("[f32]", [0.1, 1], [0.10000000149011612, 1.0]),
        ("[f64]", [1, 2.5], [1.0, 2.5]),
        ("bytes", "AP8=", b"\x00\xff"),
        ("bytes", b"\x00", b"\x00"),
        ("{u8}", {"b": 1, "a": 2}, {"a": 2, "b": 1}),
        ("u8?", None, None),
        ("(u8, string)", [1, "x"], (1, "x")),
        ("Level", "low", "low"),
    ],
)
def test_a_value_is_made_plain(kind, value, plain):
    got = checked(kind, value)
    assert (got, type(got)) == (plain, type(plain))
    assert list(got) == list(plain) if isinstance(plain, dict) else True


@pytest.mark.parametrize(
    ("kind", "value", "said"),
    [
        ("u8", 256, "$: 256 is no u8"),
        ("u8", True, "$: True is no u8"),
        ("u8", 1.0, "$: 1.0 is no u8"),
        ("i64", 2**63, "is no i64"),
        ("u64", -1, "is no u64"),
        ("u128", "1e3", "is no u128"),
        ("f64", "1", "is no number"),
        ("f64", 10**400, "too large"),
        ("f32", 1e39, "too large"),
        ("bool", 0, "$: 0 is no bool"),
        ("string", b"a", "is no str"),
        ("bytes", "?", "is no base64 text"),
        ("[u8]", [1, 2, 300], "$[2]: 300 is no u8"),
        ("[u8; 2]", [1], "it has 1 items"),
        ("{u8}", {"a": 1, "b": "x"}, "$['b']: 'x' is no u8"),
        ("{u8}", {1: 1}, "is no map from strings"),
        ("(u8, string)", [1], "is no tuple of 2"),
        ("(u8, string)", [1, 2], "$[1]: 2 is no str"),
        ("Level", "Low", "is no variant of Level"),
        ("User", {"id": 1}, "it lacks 'a b'"),
        ("User", {"id": 1, "a b": [], "c": 1}, "it has 3 fields, not 2"),
        ("User", {"id": 1, "a b": [True, 1]}, "$['a b'][1]: 1 is no bool"),
        ("User", {"id": "1", "a b": []}, "$.id: '1' is no i64"),
    ],
)
def test_a_value_of_another_type_is_refused_with_its_path(kind, value, said):
    from wirelab_kit.base.failure import MalformedError

    with pytest.raises(MalformedError) as refusal:
        checked(kind, value)
    assert said in str(refusal.value)


@pytest.mark.parametrize("kind", MESSAGES)
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_canonical_values_of_any_type_come_back(checkers, kind, data):
    of, checker = MESSAGES[kind].type, checkers[kind]
    text = canonical(data.draw(values(of, EVERYTHING)))
    plain = checker.plain(json.loads(text))
    assert checker.plain(plain) == plain
    back = canonical(checker.canonical(plain))
    (left,), (right,) = parse_canonical(text, rows=False), parse_canonical(back, rows=False)
    assert first_difference(of, EVERYTHING, left, right) is None


def test_the_size_of_data_is_that_of_the_definition(checkers):
    """Of User: i64, two strings, a bool and a list of floats, each list and string behind a byte."""
    from wirelab_messages import types

    assert types.STRING.data_bytes("é" * 127) == 1 + 254
    assert types.STRING.data_bytes("x" * 255) == 2 + 255
    assert types.Message("Doubles", types.List(types.F64)).data_bytes([1.0] * 10) == 80
    assert types.List(types.F64).data_bytes([1.0] * 10) == 81
    assert types.List(types.U16, 3).data_bytes([1, 2, 3]) == 6
    assert types.Option(types.U128).data_bytes(None) == 1
    assert types.Map(types.U8).data_bytes({"ab": 1}) == 1 + (1 + 2) + 1


def test_a_message_has_the_features_that_its_type_has(checkers):
    for kind, checker in checkers.items():
        found = {str(one) for one in features(parse_type(kind), EVERYTHING)}
        assert checker.features == (found - {"u64"} if "struct" in found else found)


# generated code


def test_generated_code_is_python_whatever_the_names(code):
    for path in code.glob("*/*.py"):
        ast.parse(path.read_text("utf-8"))
        assert not set(path.read_text("utf-8")) & set("\u202e\u007f日😀"), "a name stands as it is"


def test_a_set_without_messages_shows_all_of_its_types(tmp_path):
    types = TypeSet("shown", {"User": EVERYTHING.structs["User"]}, EVERYTHING.enums, [])
    write_types(types, "python", tmp_path)
    assert "class User(" in (tmp_path / "python/messages/wirelab_models.py").read_text()


@pytest.mark.slow
def test_generated_code_passes_the_type_checker(code, tmp_path):
    own = [str(RUNNERS / "python/kit"), str(RUNNERS / "python/messages")]
    paths = [*own, *(str(code / one) for one in ("messages", "msgspec", "protobuf"))]
    names = ["wirelab_types", "wirelab_models", "wirelab_msgspec", "wirelab_protobuf"]
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--python-version=3.11",
        "--allow-subclassing-any",
        f"--cache-dir={tmp_path}",
    ]
    command += ["--disable-error-code=import-untyped", "--disable-error-code=import-not-found", "--config-file="]
    command += ["--disable-error-code=type-arg"]  # in the stubs that protoc writes
    done = subprocess.run(
        [*command, *(word for name in names for word in ("-m", name))],
        env=os.environ | {"MYPYPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:]


def test_no_field_has_the_name_of_what_every_model_has():
    words = "import pydantic; print(*(name for name in dir(pydantic.BaseModel) if name[0] != '_'))"
    done = subprocess.run([interpreter(), "-c", words], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) <= reserved("python")[0]


# every type through every codec


def packed(code: Path, folder: Path, name: str) -> Path:
    program = folder / f"{name}.pyz"
    words = [interpreter(), str(PACK), str(RUNNERS / "python/codecs" / name), str(program), str(code)]
    subprocess.run(words, input="", text=True, check=True)
    return program


CODECS = [folder.name for folder in Python().codec_folders() if folder.name not in ("noop", "memcpy")]


@pytest.mark.slow
@pytest.mark.host
@pytest.mark.parametrize("name", CODECS)
def test_every_cell_of_every_type_gives_what_it_was_given(code, tmp_path, name):
    """One process a scenario for codecs that remember what they wrote, else one for all."""
    program = packed(code, tmp_path, name)
    inputs = {
        use.scenario: lines(message.type, EVERYTHING, 5 if use.rows else 1, seed=1).decode()
        for message in EVERYTHING.messages
        for use in message.uses
        if not (name.startswith("bfast") and str(message.type) in LONG_KEYS)
    }
    parts = [{one: text} for one, text in inputs.items()] if name.startswith("bfast") else [inputs]
    offered = set()
    for part in parts:
        (tmp_path / "inputs.json").write_text(json.dumps(part))
        command = [interpreter(), "-s", str(SCRIPT), str(program), str(tmp_path / "inputs.json")]
        done = subprocess.run(command, capture_output=True, text=True, env=os.environ | VARIABLES, check=False)
        assert done.returncode == 0, done.stderr[-2000:]
        answer = json.loads(done.stdout)
        assert answer["problems"] == []
        offered |= set(answer["offered"])
    assert offered


def told(code: Path, folder: Path, name: str, *words: str, data: bytes = b"") -> "subprocess.CompletedProcess[bytes]":
    command = [interpreter(), "-s", str(packed(code, folder, name)), *words]
    return subprocess.run(command, input=data, capture_output=True, env=os.environ | VARIABLES, check=False)


@pytest.mark.host
@pytest.mark.parametrize(
    ("name", "left_out"),
    [
        ("orjson", {"wide", "everything"}),
        ("json", set()),
        ("protobuf", set()),
        ("bfast", {"wide", "everything", "maps"}),
    ],
)
def test_a_codec_offers_no_type_that_its_library_cannot_take(code, tmp_path, name, left_out):
    described = json.loads(told(code, tmp_path, name, "describe").stdout)
    offered = {cell["scenario"] for cell in described["cells"]}
    assert not left_out & offered
    assert {"nested", "options", "tuples", "scalars"} <= offered
    for cell in described["cells"]:
        if cell["operation"] == "build":
            assert (cell["conditions"]["input"], cell["conditions"]["output"]) == ("models", "native")


@pytest.mark.slow
@pytest.mark.host
@pytest.mark.parametrize("name", CODECS)
def test_sets_that_lack_something_make_programs(tmp_path, name):
    """A codec of lists alone offers those; what needs rows of files or messages has none."""
    offered = set()
    for lack, types in SETS.items():
        write_types(types, "python", tmp_path / lack)
        done = told(tmp_path / lack / "python", tmp_path, name, "describe")
        assert done.returncode == 0, (lack, done.stderr)
        offered |= {lack for cell in json.loads(done.stdout)["cells"] if cell["scenario"] == "one"}
    assert "numbers alone" in offered and offered <= set(OF_MEMORY)


@pytest.mark.host
def test_nested_lists_are_messages_within_messages(code, tmp_path):
    """By hand, from the encoding guide: {values {values: 1 2} values {}}, integers packed as varints."""
    done = told(code, tmp_path, "protobuf", "encode", "--scenario", "list-list-i32", data=b"[[1,2],[]]\n")
    assert done.stdout == b"\x0a\x04\x0a\x02\x01\x02" + b"\x0a\x00", done.stderr


@pytest.mark.host
def test_rows_are_framed_and_come_back(code, tmp_path):
    rows = lines(parse_type("User"), EVERYTHING, 3, seed=2)
    done = told(code, tmp_path, "msgspec-json", "encode", "--scenario", "user-rows", data=rows)
    assert int.from_bytes(done.stdout[:4], "little") == done.stdout.index(b"}") + 1 - 4
    back = told(code, tmp_path, "msgspec-json", "decode", "--scenario", "user-rows", data=done.stdout)
    assert [json.loads(line) for line in back.stdout.splitlines()] == [json.loads(line) for line in rows.splitlines()]
    cut = told(code, tmp_path, "msgspec-json", "decode", "--scenario", "user-rows", data=done.stdout[:-1])
    assert (cut.returncode, cut.stdout) == (65, b"")
    assert b"ends after the input" in cut.stderr


@pytest.mark.host
def test_a_message_of_b_fast_has_at_most_127_keys():
    """What its codec says that it cannot take; when this passes no longer, the reason has gone."""
    words = "import b_fast; e = b_fast.BFast(); d = {str(i): i for i in range(%d)}; print(e.decode_packed(e.encode_packed(d, compress=False)) == d)"
    for count, comes_back in ((127, "True\n"), (128, "False\n")):
        done = subprocess.run([interpreter(), "-c", words % count], capture_output=True, text=True, check=True)
        assert done.stdout == comes_back
