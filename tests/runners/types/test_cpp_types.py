"""Every shape of the notation, and hostile names, through C++ codecs: built as `lab build` does it, and proved.

With LAB_TYPES=all through every codec, which takes a quarter of an hour.
"""

import json
import os
import zlib
from pathlib import Path

import msgspec
import pytest
from filelock import FileLock

from bench.base.paths import STATE
from bench.building.languages.cpp import Cpp
from bench.building.runner import Runner
from bench.building.sets.code import SetCode
from bench.measuring.request import read_samples
from bench.model.cells import Operation
from bench.types.definitions import Defined, Definitions, define
from bench.types.features import features
from bench.types.type_set import MessageType
from bench.types.values import first_difference, parse_canonical
from tests.support.canonical_values import canonical, everything, lines, type_set

pytestmark = pytest.mark.slow

EVERYTHING = everything()
LANGUAGE = Cpp(SetCode(EVERYTHING))
FOLDERS = {folder.name: folder for folder in LANGUAGE.codec_folders()}
PROVED = FOLDERS if os.environ.get("LAB_TYPES") == "all" else {"cereal", "flatbuffers", "memcpy"}
ROWS = 40
ESCAPED = ("", " ", 'a"b', "a'b", "*/", "//", "line\nbreak", "\0", "\x1f", "\\", "\\u0041", '"', "a", "日本", "n" * 255)
MINUS_ZERO = "'-0.0' against '0.0'"
"""FlatBuffers writes no field that is equal to its default, and -0.0 is equal to 0.0: its difference, by field."""


@pytest.fixture(scope="module", params=sorted(PROVED))
def runner(request: pytest.FixtureRequest) -> Runner:
    with FileLock(STATE / "everything.lock"):  # one build folder
        (entries,) = LANGUAGE.build_all([FOLDERS[request.param]], [""], print)
    if "cannot be had" in (entries[0].unavailable or ""):
        pytest.skip(f"{entries[0].unavailable}")  # the library's source, not its code
    assert entries[0].unavailable is None
    return Runner(entries[0])


def rows_of(message: MessageType) -> str:
    """The scenario of many messages of a type."""
    return next(use.scenario for use in message.uses if use.rows)


def offered(runner: Runner) -> dict[str, MessageType]:
    """Scenario of many messages → their type, as far as the codec takes it."""
    names = {cell.scenario for cell in runner.description.cells}
    return {rows_of(one): one for one in EVERYTHING.messages if rows_of(one) in names}


def crc32(data: bytes) -> str:
    return f"crc32:{zlib.crc32(data):08x}"


def test_a_type_that_a_codec_does_not_offer_has_what_it_says_that_it_cannot_take(runner: Runner) -> None:
    defined = Defined(EVERYTHING.structs, EVERYTHING.enums)
    taken = offered(runner)
    for message in EVERYTHING.messages:
        if rows_of(message) not in taken and (runner.codec, str(message.type)) != ("cpp/glaze-json", "Hostile"):
            assert features(message.type, defined) & runner.description.cannot.keys(), message.type


def test_json_whose_names_glaze_would_not_find_is_not_offered(runner: Runner) -> None:
    if runner.codec == "cpp/glaze-json":
        assert {"hostile-rows", "everything-rows"}.isdisjoint(offered(runner))


def test_every_value_comes_back(runner: Runner) -> None:
    if runner.description.control:
        pytest.skip("a control encodes nothing")
    differences = []
    for scenario, message in offered(runner).items():
        written = lines(message.type, EVERYTHING, ROWS, seed=1)
        back = runner.decode(scenario, runner.encode(scenario, written))
        pairs = zip(parse_canonical(written, rows=True), parse_canonical(back, rows=True), strict=True)
        found = [first_difference(message.type, EVERYTHING, one, other) for one, other in pairs]
        differences += [f"{scenario}: {one}" for one in found if one]
    if runner.codec == "cpp/flatbuffers":
        assert differences and all(MINUS_ZERO in one for one in differences)
    else:
        assert differences == []


def test_each_way_to_do_it_makes_what_encode_and_decode_make(runner: Runner, tmp_path: Path) -> None:
    """Values that are read into hold the row before; buffers that are written to hold a longer one."""
    if runner.description.control:
        pytest.skip("a control encodes nothing")
    messages = offered(runner)
    for scenario, message in messages.items():
        written = lines(message.type, EVERYTHING, ROWS, seed=2)
        encoded = runner.encode(scenario, written)
        made, read = crc32(encoded), crc32(runner.decode(scenario, encoded))
        expected = {
            Operation.SERIALIZE: made,
            Operation.BUILD_SERIALIZE: made,
            Operation.DESERIALIZE: read,
        }
        if runner.codec != "cpp/flatbuffers":  # whose objects still have the -0.0 that it doesn't write
            expected[Operation.BUILD] = read
        (tmp_path / "input").write_bytes(written)
        for number, cell in enumerate(one for one in runner.description.cells if one.scenario == scenario):
            out = tmp_path / f"{scenario} {number}"
            command = runner.measure_command(
                cell, input_file=tmp_path / "input", work=tmp_path, repetitions=2, warmup=1, samples=1, out=out
            )
            runner.call(command[len(runner.entry.command) :])
            checksum = read_samples(out, expected=100)[0].checksum
            assert checksum == expected.get(cell.operation, checksum), f"{scenario} {cell.operation} {cell.conditions}"


@pytest.fixture(scope="module")
def escaped() -> Runner:
    """Glaze's JSON of names that JSON escapes."""
    fields = "".join(f"{json.dumps(name)} = 'u8'\n" for name in ESCAPED)
    definitions = msgspec.toml.decode(f"[structs.Escaped.fields]\n{fields}", type=Definitions)
    language = Cpp(SetCode(type_set(define(definitions), name="escaped")))
    with FileLock(STATE / "everything.lock"):
        (entries,) = language.build_all([FOLDERS["glaze-json"]], [""], print)
    assert entries[0].unavailable is None
    return Runner(entries[0])


def test_names_that_json_escapes_come_back(escaped: Runner) -> None:
    value = canonical(dict.fromkeys(ESCAPED, 7))
    encoded = escaped.encode("escaped", value)
    assert json.loads(encoded) == json.loads(value), "read by Python's own JSON"
    assert json.loads(escaped.decode("escaped", encoded)) == json.loads(value)
