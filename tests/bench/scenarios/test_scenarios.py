"""Scenarios as data: their values, their pinned inputs, and mistakes reported with file, line and field."""

import hashlib
import json
import re
import tomllib

import jsonschema
import pytest

from bench.base.errors import LabError
from bench.base.paths import SCENARIOS, SCHEMAS
from bench.base.protocol import RECORD
from bench.model.scenario import Scenario
from bench.model.schemas import KINDS, render
from bench.model.schemas import SCHEMAS as GENERATED
from bench.model.upgrade import upgraded
from bench.scenarios import inputs, mersenne
from bench.scenarios.load import load_scenario
from tests.support.scenarios.committed import committed_scenarios

ALL = committed_scenarios()


def value(name: str) -> dict:
    return json.loads(inputs.canonical_input(ALL[name]))


def string_bytes(text: str) -> int:
    """A string with its length prefix, by the published definition of data size."""
    size = len(text.encode())
    return size + (1 if size < 255 else 2)


def test_process_created_is_the_published_value():
    event = value("process-created")
    assert [len(event[n]) for n in ("name", "parent", "user", "command_line")] == [51, 32, 19, 102]
    assert (event["pid"], event["parent_pid"], event["timestamp"]) == (1234, 1024, 0xFEFEFEFE)
    assert (event["unique_id"], event["memory_usage"], event["protected_process"]) == (0xABABABAB, 0xAABB00112233, True)


def test_data_sizes_are_the_published_ones():
    event = value("process-created")
    assert 25 + sum(string_bytes(v) for v in event.values() if isinstance(v, str)) == 233
    strings = value("long-strings")
    assert 12 + sum(string_bytes(v) for v in strings.values() if isinstance(v, str)) == 3919
    vectors = value("large-vectors")
    assert {k: len(v) for k, v in vectors.items()} == {"ints": 2000, "floats": 10000, "uints": 25000, "doubles": 30000}
    assert 4 * 37_000 + 8 * 30_000 + 4 * 2 == 388_008
    published = {n: s for n, s in ALL.items() if s.variant_of is None and not s.is_files and not s.input.draws}
    assert {n: s.data_size_bytes for n, s in published.items()} == {
        "process-created": 233,
        "point": 8,
        "long-strings": 3919,
        "large-vectors": 388_008,
        "enum-fields": 13,
        "users-100": 1 + 100 * 36 + sum(len(f"User {i}user{i}@test.com") for i in range(100)),
        "users-1k": 2 + 1_000 * 36 + sum(len(f"User {i}user{i}@test.com") for i in range(1_000)),
        "users-10k": 2 + 10_000 * 36 + sum(len(f"User {i}user{i}@test.com") for i in range(10_000)),
        "numpy-8mb": 8_000_000,
        "nested-object": 323,
        "array-f64": 80_000,
        "array-f32": 40_000,
        "array-u64": 80_000,
        "array-u32": 40_000,
        "array-u16": 20_000,
    }


def test_the_mersenne_twister_is_the_one_of_the_cpp_standard():
    """[rand.predef] says what the 10,000th output is; the first three are those that libc++ and libstdc++ print."""
    outputs = mersenne.raw_outputs(5489, 10_000).tolist()
    assert outputs[-1] == 9981545732273789042
    assert outputs[:3] == [14514284786278117030, 4620546740167642908, 13109570281517897720]
    assert mersenne.raw_outputs(5489, 312).tolist() == outputs[:312]


PUBLISHED_KB = {
    # as JSON, as MessagePack
    "array-f64": (219.02, 87.89),
    "array-f32": (124.11, 48.83),
    "array-u64": (199.23, 87.89),
    "array-u32": (104.97, 48.83),
    "array-u16": (56.96, 29.26),
}


@pytest.mark.parametrize("name", PUBLISHED_KB)
def test_the_arrays_are_the_published_ones(name):
    """Sizes that depend on the numbers themselves: shortest decimals, and MessagePack's shortest integers."""
    json_kb, msgpack_kb = PUBLISHED_KB[name]
    text = inputs.canonical_input(ALL[name]).removesuffix(b"\n").replace(b"e+", b"e")
    assert round(len(text) / 1024, 2) == json_kb
    width = {"f64": 9, "f32": 5}.get(name[-3:])
    sizes = [width or 1 + (n > 127) + (n > 255) + 2 * (n > 65_535) + 4 * (n >= 2**32) for n in value(name)]
    assert round((3 + sum(sizes)) / 1024, 2) == msgpack_kb


def test_cyclic_fills_start_low_and_stop_below_high():
    vectors = value("large-vectors")
    assert vectors["ints"][:21] == [*range(200, 220), 200]
    assert vectors["floats"][:2] == [-1e6, -990_000.0]
    assert max(vectors["floats"]) == 990_000.0
    assert vectors["uints"][99:101] == [990_000, 0]


def test_the_corpus_is_a_thousand_different_events_of_the_same_shape():
    rows = [json.loads(line) for line in inputs.canonical_input(ALL["process-created-corpus"]).splitlines()]
    assert len(rows) == 1000
    assert len({row["name"] for row in rows}) > 990
    assert all(row.keys() == value("process-created").keys() for row in rows)
    sizes = [25 + sum(string_bytes(v) for v in row.values() if isinstance(v, str)) for row in rows]
    assert sum(sizes) == ALL["process-created-corpus"].data_size_bytes


@pytest.mark.parametrize("name", ALL)
def test_the_canonical_input_is_pinned(name):
    text = inputs.made_input(ALL[name])
    assert hashlib.sha256(text).hexdigest() == ALL[name].input.sha256
    assert inputs.input_file(ALL[name]).read_bytes() == text


@pytest.mark.parametrize("path", sorted(SCENARIOS.glob("*.toml")), ids=lambda path: path.stem)
def test_every_scenario_is_valid_by_its_json_schema_too(path):
    jsonschema.validate(tomllib.loads(path.read_text()), GENERATED["scenario"])


@pytest.mark.parametrize("name", KINDS)
def test_the_committed_schemas_are_current(name):
    committed = (SCHEMAS / f"{name}.schema.json").read_text()
    assert committed == render(GENERATED[name]), "run `python -m bench.model.schemas`"
    jsonschema.Draft202012Validator.check_schema(json.loads(committed))


POINT = (SCENARIOS / "point.toml").read_text()


@pytest.mark.parametrize(
    ("change", "line_of", "field", "problem"),
    [
        (
            ("repetitions = 500_000", 'repetitions = "n"'),
            'repetitions = "n"',
            "published.repetitions",
            "Expected `int`",
        ),
        (("rounds = 10", "rounds = 0"), "rounds = 0", "published.rounds", "Expected `int` >= 1"),
        (('title = "Point"', 'titel = "Point"'), 'titel = "Point"', "titel", "unknown field `titel`"),
        (('"rust/bincode" = 2', '"rust/bincode" = "two"'), None, "sizes_bytes", "Expected `int`"),
        (('type = "Point"', 'type = "Pint"'), 'type = "Pint"', "type", "not in schemas/types"),
        (('type = "Point"', 'type = "f64"'), 'type = "f64"', "type", "a message has parts, and f64 has none"),
        (('type = "Point"', 'type = "Level"'), 'type = "Level"', "type", "a message has parts, and Level has none"),
        (('name = "point"', 'name = "dot"'), 'name = "dot"', "name", "must be the file's name"),
        (("x = -10, y = 100", "x = -10"), "value =", "input.value.y", "is missing"),
        (("x = -10, y = 100", "x = -10, y = 100, z = 1"), "value =", "input.value.z", "is not a field of Point"),
        (("split = 5", "split = 7"), "split = 7", "published.split", "7 does not divide the 500000 repetitions"),
        (('"round-trip",', '"roundtrip",'), "operations =", "operations", "Invalid enum value"),
        (("rounds = 10", "rounds = = 10"), "rounds = = 10", "", "not TOML"),
    ],
)
def test_a_mistake_is_reported_with_file_line_and_field(tmp_path, change, line_of, field, problem):
    assert change[0] in POINT
    path = tmp_path / "point.toml"
    path.write_text(POINT.replace(*change))
    with pytest.raises(LabError) as caught:
        load_scenario(path)
    message = str(caught.value)
    lines = path.read_text().splitlines()
    expected = next((n for n, text in enumerate(lines, 1) if line_of and text.startswith(line_of)), None)
    expected = expected or lines.index("[sizes_bytes]") + 1
    assert message.startswith(f"{path}:{expected}: "), message
    assert field in message
    assert problem in message


LOG = (SCENARIOS / "log-small.toml").read_text()


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (('"meta.level" = "Err"', '"meta.lever" = "Err"'), "filter.equal: 'meta.lever' is not a field of LogText"),
        (('contains = { "payload"', 'contains = { "load"'), "filter.contains: 'load' is not a field of LogText"),
        (('"read", "filter"]', '"read"]'), "the operation `filter` and the table [filter] need each other"),
    ],
)
def test_a_filter_that_does_not_fit_is_reported(tmp_path, change, problem):
    assert change[0] in LOG
    path = tmp_path / "log-small.toml"
    path.write_text(LOG.replace(*change))
    with pytest.raises(LabError, match=re.escape(problem)):
        load_scenario(path)


MK48 = (SCENARIOS / "mk48.toml").read_text()
FACTOR = '"updates[].score" = 2'


@pytest.mark.parametrize(
    ("change", "line_of", "problem"),
    [
        ((FACTOR, '"updates[].scor" = 2'), '"updates[].scor"', "update.factors.updates[].scor: 'updates[].scor' leads"),
        ((FACTOR, '"updates[].score" = 0.5'), FACTOR[:17], "0.5 is no u32: write an integer from 0 to 4294967295"),
        (
            (FACTOR, '"updates[].world_radius" = 2'),
            '"updates[].world_radius"',
            "the field is f32; only integers have a factor, others a new value in [update.values]",
        ),
        (
            ("[update.factors]\n" + FACTOR, "[update.values]"),
            "[update.values]",
            "update.values: nothing is updated: give",
        ),
        ((', "update"]', "]"), "operations =", "the operation `update` and the table [update] need each other"),
        (("[update.factors]\n" + FACTOR, ""), "operations =", "the operation `update` and the table [update] need"),
        (("[update.factors]", "[update.factor]"), "[update.factor]", "unknown field `factor`"),
        (
            ('"access", "update"', '"update"'),
            "columns =",
            "the scenario does not have the operation access: name it in `operations`",
        ),
        (('{ fields = "root" }', '{ fields = "first" }'), "columns =", "fields"),
    ],
)
def test_an_operation_that_does_not_fit_is_reported_with_its_line(tmp_path, change, line_of, problem):
    assert change[0] in MK48
    path = tmp_path / "mk48.toml"
    path.write_text(MK48.replace(*change))
    with pytest.raises(LabError) as caught:
        load_scenario(path)
    line = next(number for number, text in enumerate(path.read_text().splitlines(), 1) if text.startswith(line_of))
    assert str(caught.value).startswith(f"{path}:{line}: ")
    assert problem in str(caught.value)


def test_a_changed_value_does_not_pass_for_the_pinned_one(tmp_path):
    path = tmp_path / "point.toml"
    path.write_text(POINT.replace("y = 100", "y = 101"))
    with pytest.raises(LabError, match="the canonical input has SHA-256"):
        inputs.canonical_input(load_scenario(path))


def test_another_version_of_the_file_is_refused(tmp_path):
    path = tmp_path / "point.toml"
    path.write_text(POINT.replace("protocol = 1", "protocol = 2"))
    with pytest.raises(LabError, match=re.escape("protocol version is 2; this lab reads only version 1")):
        load_scenario(path)


def test_scenario_names_no_codec_that_the_published_table_lacks():
    """Rows of the published table are named exactly as in the CSV."""
    rows = {
        line.split(",")[3]
        for line in (SCENARIOS.parent.parent / "analysis/published/flatmessage.csv").read_text().splitlines()[1:]
    }
    assert set(ALL["process-created"].published.rows.values()) == rows


def test_the_type_of_every_scenario_is_kept(tmp_path):
    assert isinstance(ALL["point"], Scenario)


def test_the_kits_own_test_value_is_the_scenarios():
    value = SCHEMAS.parent / "runners/rust/messages/testdata/process-created.json"
    assert value.read_bytes() == inputs.canonical_input(ALL["process-created"])


def test_what_scenarios_no_longer_say_of_tables_is_dropped_of_older_records_alone():
    published = {"repetitions": 1, "form": {"items": 3}, "throughput": {"limit": "memcpy"}, "operations": {}}
    old = upgraded({"record": 1, "scenarios": [{"name": "point", "published": dict(published)}]})
    assert old["scenarios"] == [{"name": "point", "published": {"repetitions": 1}}]
    new = {"record": RECORD, "scenarios": [{"name": "point", "published": dict(published)}]}
    assert upgraded(new)["scenarios"][0]["published"] == published, "an unknown field is then refused"
    assert upgraded({"scenarios": "none"})["record"] == RECORD, "what is damaged stays so, for its own message"


TELEMETRY = (SCENARIOS.parents[1] / "tests/support/scenarios/telemetry.toml").read_text()


@pytest.mark.parametrize(
    ("change", "place", "problem"),
    [
        (
            ('sequence = "u32"', 'sequence = "u33"'),
            r":\d+: types.structs.Report.fields.sequence: ",
            "no struct, enumeration or",
        ),
        (('repr = "u8"', 'repr = "u7"'), r":\d+: types.enums.State.repr: ", "matching regex"),
        (("[types.enums.State]", "[types.enum.State]"), ": types.enum: ", "holds the tables structs and enums"),
        (('type = "Report"', 'type = "User"'), r":\d+: type: ", "'User' is not in [types]"),
    ],
)
def test_a_mistake_in_the_types_of_a_scenario_is_reported(tmp_path, change, place, problem):
    assert change[0] in TELEMETRY
    path = tmp_path / "telemetry.toml"
    path.write_text(TELEMETRY.replace(*change))
    with pytest.raises(LabError) as caught:
        load_scenario(path)
    assert re.search(place, str(caught.value)), str(caught.value)
    assert problem in str(caught.value)
