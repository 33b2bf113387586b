"""Types follow from what is in the data, are written so that they read back equal, and take the data that they came from."""

import json
import tomllib

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.base.errors import LabError
from bench.datasets.dataset import describe, given_types, inferred, inferred_types
from bench.datasets.fitting import Fitting
from bench.datasets.inference.deduction import deduce
from bench.datasets.inference.shapes import Shape
from bench.datasets.reading.sources import open_source
from bench.types.definitions import Definitions, EnumDefinition, FieldDefinition, StructDefinition, TypesFile, define
from bench.types.expressions import Named
from bench.types.notation import types_text
from tests.support.datasets.data_sets import HOSTILE_KEYS, events, geography, json_lines, spans


def seen(messages):
    shape = Shape()
    for number, message in enumerate(messages, start=1):
        shape.observe(message, number)
    return shape


def types_of(*messages):
    """The fields of the message's struct, and the whole."""
    deduced = deduce(seen(messages), "Message")
    assert not deduced.conflicts, deduced.conflicts
    return deduced.definitions.structs[deduced.root].fields, deduced


def field(*values):
    """The type of a key that has these values, one a message."""
    return types_of(*({"x": value} for value in values))[0]["x"]


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        ([0, 255], "u32"),
        ([2**32 - 1], "u32"),
        ([2**32], "i64"),
        ([2**63 - 1], "i64"),
        ([2**63], "u64"),
        ([2**64 - 1, 0], "u64"),
        ([2**64], "u128"),
        ([2**128 - 1], "u128"),
        ([-1, 0], "i32"),
        ([-(2**31), 2**31 - 1], "i32"),
        ([-1, 2**31], "i64"),
        ([-(2**63)], "i64"),
        ([-(2**63) - 1], "i128"),
        ([-1, 2**64], "i128"),
        ([1.5], "f64"),
        ([1.0], "f64"),
        ([-0.0], "f64"),
        ([1, 1.5, -(2**53)], "f64"),
        ([True, False], "bool"),
        (["a", "b"], "string"),
        ([b"\x00"], "bytes"),
        (["a", None], "string?"),
        ([None, 1], "u32?"),
        ([None], "string?"),
        ([[]], "[string]"),
        ([[1, 2], [], [-3]], "[i32]"),
        ([[1, None]], "[u32?]"),
        ([[[1.5, 2.5]], [[1, 2], [3, 4]]], "[[f64]]"),
        ([[1, 2.5]], "[f64]"),
        ([[1, "a"], [2, "b"]], "(u32, string)"),
        ([[1, ["a"]], [None, ["b"]]], "(u32?, [string])"),
        ([{}], "{string}"),
        ([{"a": 1}, {}], "X"),
        ([{f"2026-01-0{n}": n for n in range(1, 9)}], "{u32}"),
        ([{f"user-{n}-{m}": n for m in range(3)} for n in range(20)], "{u32}"),
        ([{f"{n:040x}": {"n": n} for n in range(9)}], "{X}"),
    ],
)
def test_a_type_follows_from_values(values, wanted):
    assert field(*values) == wanted


def test_a_key_that_is_missing_makes_an_option():
    fields, _ = types_of({"a": 1, "b": 1}, {"a": 1})
    assert fields == {"a": "u32", "b": "u32?"}


@pytest.mark.parametrize(
    ("texts", "is_enum"),
    [
        (["push", "pull"] * 10, True),
        (["push", "pull"] * 9, False),  # too few
        (["push"] * 40, False),  # says nothing of what else there may be
        (["push"] * 40 + ["pull"], False),  # seen once
        (["a b", "C-3", "x.y", "z/1"] * 10, True),
        (["1st", "2nd"] * 20, False),  # no names
        ([f"v{n}" for n in range(16)] * 8, True),
        ([f"v{n}" for n in range(17)] * 8, False),
    ],
)
def test_few_names_make_an_enumeration(texts, is_enum):
    fields, deduced = types_of(*({"kind": text} for text in texts))
    assert (fields["kind"] == "Kind") == is_enum
    if is_enum:
        assert list(deduced.definitions.enums["Kind"].variants) == sorted(set(texts))


def test_equal_structs_are_one_and_others_are_named_by_their_path():
    point, size = {"x": 1.5, "y": 2.5}, {"x": "a"}
    _, deduced = types_of({"a": {"at": point}, "b": {"at": size}, "c": point, "at": 1})
    structs = deduced.definitions.structs
    assert {name: list(one.fields) for name, one in structs.items()} == {
        "At": ["x", "y"],
        "A": ["at"],
        "BAt": ["x"],
        "B": ["at"],
        "Message": ["a", "b", "c", "at"],
    }
    assert structs["Message"].fields["c"] == "At"


def test_a_large_map_does_not_grow_in_memory():
    shape = seen({"x": {f"key {n}-{m}": m for m in range(10)}} for n in range(500))
    assert shape.objects.fields["x"].objects.fields == {}
    assert deduce(shape, "Message").definitions.structs["Message"].fields["x"] == "{u32}"


CONFLICTS = [
    ([1, "a"], '$.x: an integer (1, line 1) and text ("a", line 2)'),
    ([None, [1], {"a": 1}], '$.x: a list ([1], line 2) and an object ({"a":1}, line 3)'),
    (
        [2**60, 0.5],
        "an integer that no f64 holds (1152921504606846976, line 1) and a number with a fraction (0.5, line 2)",
    ),
    ([2**128], "an integer of over 128 bits"),
    ([[1], ["a", "b", "c"]], '$.x[]: an integer (1, line 1) and text ("a", line 2)'),
    ([{"y": True}, {"y": "\x1b[31m"}], 'text ("\\u001b[31m", line 2)'),
]


@pytest.mark.parametrize(("values", "words"), CONFLICTS)
def test_values_without_a_common_type_are_shown_with_their_lines(tmp_path, values, words):
    source = open_source(json_lines(tmp_path / "a.jsonl", [{"x": value} for value in values]))
    deduced = inferred(source, lambda _: None)
    assert words in describe(deduced.conflicts[0], source)
    with pytest.raises(Exception, match="have no type in common"):
        inferred_types(source, lambda _: None)


def test_a_field_without_a_common_type_is_kept_as_text(tmp_path):
    deduced = deduce(seen([{"x": 1}, {"x": "a"}, {"x": [None]}]), "Message")
    fitting = Fitting(Named("Message"), define(deduced.definitions))
    assert [fitting.canonical({"x": value}) for value in (1, "a", [None])] == [
        b'{"x":"1"}',
        b'{"x":"a"}',
        b'{"x":"[null]"}',
    ]


KEYS = st.sampled_from(HOSTILE_KEYS) | st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**127), 2**127 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=10,
)


@settings(deadline=None)
@given(st.lists(st.dictionaries(KEYS, VALUES, min_size=1, max_size=4), min_size=1, max_size=5))
def test_a_type_takes_the_data_that_it_came_from(messages):
    deduced = deduce(seen(messages), "Message")
    fitting = Fitting(Named(deduced.root), define(deduced.definitions), inferred=True)
    for message in messages:
        canonical = json.loads(fitting.canonical(message))
        assert fitting.canonical(message) == msgspec.json.encode(fitting.fitted(message))
        assert message.keys() <= canonical.keys()


@settings(deadline=None)
@given(st.lists(st.dictionaries(KEYS, VALUES, min_size=1, max_size=4), min_size=1, max_size=5))
def test_what_is_written_reads_back_equal(messages):
    definitions = deduce(seen(messages), "Message").definitions
    file = msgspec.convert(tomllib.loads(types_text(definitions, ["a\nb\x00"])), TypesFile)
    assert (file.structs, file.enums) == (definitions.structs, definitions.enums)


def test_all_that_a_type_file_may_hold_reads_back_equal():
    fields = {
        "a": FieldDefinition("u32", 5, "about", {"lib": {"x": [1, {"y": True}]}}),
        "b": "string",
        '"\\': FieldDefinition("f64?", 0.5),
    }
    structs = {"One": StructDefinition(fields, "Of\nlines.", {"lib": {"name": False}})}
    enums = {"Two": EnumDefinition("i8", {"": -1, "é": 2}, "About.", {"lib": {"x": "y"}})}
    definitions = Definitions(structs, enums)
    file = msgspec.convert(tomllib.loads(types_text(definitions)), TypesFile)
    assert (file.structs, file.enums) == (structs, enums)


def test_no_key_is_printed_raw():
    text = types_text(deduce(seen([dict.fromkeys(HOSTILE_KEYS, 1)]), "Message").definitions)
    assert not set("\u202e\x00\x7f") & set(text)
    assert list(tomllib.loads(text)["structs"]["Message"]["fields"]) == HOSTILE_KEYS


@pytest.mark.parametrize(
    ("messages", "wanted"),
    [
        (events(200), {"Payload": {"action": "Action?", "ref": "string?", "size": "u32?", "commits": "[Commits]?"}}),
        ([geography(20)], {"Geometry": {"type": "string", "coordinates": "[[[f64]]]"}}),
        (spans(100), {"Value": {"intValue": "u32?", "stringValue": "string?"}}),
    ],
)
def test_real_shapes_have_the_types_that_an_engineer_would_write(messages, wanted):
    structs = deduce(seen(messages), "Message").definitions.structs
    for name, fields in wanted.items():
        assert structs[name].fields == fields


TYPES = 'protocol = 1\n[structs.A.fields]\nb = "B"\n[structs.B.fields]\nx = "u8"\n[structs.C.fields]\nx = "u8"\n'


def test_the_message_of_a_type_file_is_the_struct_in_no_other(tmp_path):
    (path := tmp_path / "t.toml").write_text(TYPES.partition("[structs.C")[0])
    assert given_types(path, None).root == "A"
    path.write_text(TYPES)
    assert given_types(path, "B").root == "B"
    with pytest.raises(Exception, match="these are: A, C. Name it with --message"):
        given_types(path, None)
    with pytest.raises(Exception, match="--message"):
        given_types(path, "D")


def test_what_does_not_agree_is_named_where_numbers_do():
    deduced = deduce(seen([{"x": [1.5, 2]}, {"x": [[1, 2]]}]), "Message")
    (conflict,) = deduced.conflicts
    assert (conflict.path, conflict.first.words, conflict.second.words) == ("$.x[]", "a number", "a list")


def test_fields_without_a_type_are_told_together():
    deduced = deduce(seen([{"a": None, "b": [], "c": None, "d": {}}]), "Message")
    assert deduced.notes == [
        "Fields that are always null, taken for text: $.a, $.c. --type takes a better type.",
        "Fields that are always an empty list, taken for text: $.b. --type takes a better type.",
        "Fields that are always an empty object, taken for a map of text: $.d. --type takes a better type.",
    ]


def refusal(tmp_path, messages):
    with pytest.raises(LabError) as error:
        inferred_types(open_source(json_lines(tmp_path / "a.jsonl", messages)), lambda _: None)
    return str(error.value)


def nested(depth, inner, kind):
    for _ in range(depth):
        inner = [inner] if kind is list else {"a": inner}
    return inner


@pytest.mark.parametrize(
    ("depth", "kind", "words"),
    [
        (16, list, "a.jsonl:2: $.x[0][0][0][0][0][0][0][0][0][0][0][0][0][0][0]: lists are nested deeper than 15"),
        (64, dict, "a.jsonl:2: $.x.a.a"),
        (200, dict, "objects are nested deeper than 64 levels. Move the inner part"),
    ],
)
def test_what_is_nested_deeper_than_types_is_named_with_its_line(tmp_path, depth, kind, words):
    assert words in refusal(tmp_path, [{"x": None}, {"x": nested(depth, 1, kind)}])


@pytest.mark.parametrize(("depth", "kind"), [(15, list), (63, dict)])
def test_what_types_just_hold_is_taken(tmp_path, depth, kind):
    source = open_source(json_lines(tmp_path / "a.jsonl", [{"x": nested(depth, 1, kind)}]))
    assert inferred_types(source, lambda _: None).defined


def test_messages_of_ever_other_keys_are_structs(tmp_path):
    source = open_source(json_lines(tmp_path / "a.jsonl", [{f"key{n}": n} for n in range(600)]))
    typed = inferred_types(source, lambda _: None)
    assert set(typed.definitions.structs[typed.root].fields.values()) == {"u32?"}
    assert "more than 10,000 keys by now" in refusal(tmp_path, [{f"key{n}": n} for n in range(10_001)])


def test_objects_of_ever_other_keys_are_no_map_where_their_values_differ():
    fields, _ = types_of(*({"x": {f"key{n}": n if n % 2 else "a"}} for n in range(600)))
    assert fields["x"] == "X"


def test_a_map_that_had_to_be_says_why(tmp_path):
    messages = [{"x": {f"key{n}-{m}": m if m else "a" for m in range(100)}} for n in range(110)]
    assert "more than 512 keys, so that they are maps" in refusal(tmp_path, messages)


def test_objects_whose_odd_keys_repeat_are_structs():
    quotes = [{"@id": n, "1h": n / 7, "24h": n / 8, "7d": 1.5} for n in range(3)]
    fields, deduced = types_of(*({"x": one} for one in quotes))
    assert fields["x"] == "X" and list(deduced.definitions.structs["X"].fields) == ["@id", "1h", "24h", "7d"]
    assert field(*({f"{n}{m}": 1 for m in range(4)} for n in range(3))) == "{u32}"


def test_a_tuple_does_not_depend_on_which_list_comes_first():
    lists = [[None, "a"], [1, "b"], [2, None]]
    assert field(*lists) == field(*reversed(lists)) == "(u32?, string?)"
    assert field([1, 2], [3, None]) == "[u32?]"


def test_attempts_at_maps_take_no_exponential_time():
    """Each level looks like a map, and the last has no type: two whole attempts a level would be 2^30 of them."""
    value = [[1], ["a", "b"]]
    for _ in range(30):
        value = {"1": None, "2": None, "3": None, "4": value}
    deduced = deduce(seen([{"x": value}, {"x": None}]), "Message")
    assert len(deduced.conflicts) == 1


def test_guesses_are_told_in_one_sentence():
    messages = [{"kind": "ab"[n % 2], "at": [n, "x"], "of": {f"{m}": m for m in range(n, n + 9)}} for n in range(40)]
    assert deduce(seen(messages), "Message").notes == [
        "Guessed from these messages: 1 enumeration, 1 map, 1 tuple, 2 integers of 32 bits. --print-type shows them, "
        "--type takes what others will have."
    ]


def test_a_message_s_own_struct_keeps_its_name():
    deduced = deduce(seen([{"spans": [{"id": 1}]}]), "Spans")
    assert deduced.root == "Spans" and deduced.definitions.structs["Spans"].fields == {"spans": "[SpansSpans]"}
