"""Values become canonical JSON of their type, and what does not fit is named with its path."""

import pytest

from bench.datasets.dataset import Typed, fitted, given_types
from bench.datasets.fitting import Fitting, MisfitError
from bench.datasets.reading.sources import open_source
from bench.types.definitions import Definitions, EnumDefinition, StructDefinition, define
from bench.types.expressions import Named, parse_type
from bench.types.values import first_difference, parse_canonical
from tests.support.datasets.data_sets import json_lines

DEFINITIONS = Definitions(
    {
        "Part": StructDefinition({"x": "u8"}),
        "Whole": StructDefinition({"a": "Part", "b": "Part?", "c": "[Level]", "d": "{u64}"}),
        "Odd": StructDefinition({'"': "u8", "\n": "u8?"}),
    },
    {"Level": EnumDefinition("u8", {"Low": 0, "High": 1})},
)
DEFINED = define(DEFINITIONS)


def canonical(kind, value):
    return Fitting(parse_type(kind), DEFINED).canonical(value).decode()


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("u64", 2**64 - 1, "18446744073709551615"),
        ("u128", 2**128 - 1, '"340282366920938463463374607431768211455"'),
        ("i128", "-5", '"-5"'),
        ("f64", 1, "1.0"),
        ("f64", -0.0, "-0.0"),
        ("f32", 0.1, "0.1"),
        ("f32", 2**24, "16777216.0"),
        ("f32", 88.29740524291992, "88.29741"),  # halfway between two f32, where two readers may differ
        ("bytes", "AAE=", '"AAE="'),
        ("bytes", b"\x00\x01", '"AAE="'),
        ("[u8]", [1, 255], "[1,255]"),
        ("[u8; 2]", [1, 2], "[1,2]"),
        ("(u8, string)", [1, "a"], '[1,"a"]'),
        ("u8?", None, "null"),
        ("Level", "High", '"High"'),
        ("string", 5, '"5"'),
        ("string", {"a": [1]}, '"{\\"a\\":[1]}"'),
        (
            "Whole",
            {"d": {"k": 2**64 - 1}, "c": ["Low"], "a": {"x": 1}},
            '{"a":{"x":1},"b":null,"c":["Low"],"d":{"k":18446744073709551615}}',
        ),
        ("Odd", {'"': 1}, '{"\\"":1,"\\n":null}'),
    ],
)
def test_values_are_written_as_their_type_has_them(kind, value, text):
    assert canonical(kind, value) == text
    read = parse_canonical(text.encode(), rows=False)[0]
    assert first_difference(parse_type(kind), DEFINED, read, read) is None


WHOLE = {"a": {"x": 1}, "c": [], "d": {}}


@pytest.mark.parametrize(
    ("kind", "value", "path", "words"),
    [
        ("u8", 256, "$", "256 does not fit into u8"),
        ("u64", 2**64, "$", "does not fit into u64"),
        ("u32", -1, "$", "does not fit into u32"),
        ("u32", 1.0, "$", "1.0 is no u32"),
        ("u32", True, "$", "true is no u32"),
        ("u128", "1.5", "$", "is no u128"),
        ("u128", "0012", "$", '"0012" is no u128'),
        ("i128", "-0", "$", '"-0" is no i128'),
        ("u128", "\u0661", "$", "is no u128"),
        ("f32", 2**24 + 1, "$", "16777217 is an integer that no f32 holds"),
        ("f32", 2**128, "$", "does not fit into f32"),
        ("f64", 2**53 + 1, "$", "is an integer that no f64 holds"),
        ("f64", "1", "$", '"1" is no f64'),
        ("f32", 3.5e38, "$", "3.5e38 does not fit into f32"),
        ("bool", 1, "$", "1 is no bool"),
        ("bytes", "A", "$", "is no base64"),
        ("Level", "Mid", "$", '"Mid" is no variant of Level'),
        ("[u8; 2]", [1], "$", "is no [u8; 2]"),
        ("(u8, u8)", [1, "a"], "$[1]", '"a" is no u8'),
        ("{u8}", {"k": None}, "$['k']", "null is no u8"),
        ("Whole", {**WHOLE, "a": {"x": 999}}, "$.a.x", "999 does not fit into u8"),
        ("Whole", {**WHOLE, "c": ["Low", "No"]}, "$.c[1]", "no variant"),
        ("Whole", {"c": [], "d": {}}, "$.a", 'is missing, and its type is Part. Write "Part?" in --type'),
        ("Whole", {**WHOLE, "z": 1}, "$.z", "is not a field of Whole. Add it to [structs.Whole.fields]"),
        ("Whole", [], "$", "[] is no Whole"),
    ],
)
def test_what_does_not_fit_is_named(kind, value, path, words):
    with pytest.raises(MisfitError) as error:
        canonical(kind, value)
    assert (error.value.path, words in str(error.value)) == (path, True), str(error.value)


def test_large_integers_are_not_rounded_on_the_quick_path():
    fitting = Fitting(Named("F"), define(Definitions({"F": StructDefinition({"x": "f64"})})))
    with pytest.raises(MisfitError, match="no f64 holds"):
        fitting.canonical({"x": 2**53 + 1})


def test_a_file_of_types_is_held_against_every_message(tmp_path):
    source = open_source(json_lines(tmp_path / "a.jsonl", [{"x": 1}, {"x": 300}]))
    (types := tmp_path / "t.toml").write_text('protocol = 1\n[structs.M.fields]\nx = "u8"\n')
    with pytest.raises(Exception, match=r"a.jsonl:2: \$.x: 300 does not fit into u8. Mend the value, or write another"):
        fitted(source, given_types(types, None), 1, lambda _: None)


def test_messages_are_objects(tmp_path):
    source = open_source(json_lines(tmp_path / "a.jsonl", [{"x": 1}, [1]]))
    with pytest.raises(Exception, match=r"a.jsonl:2: \[1\] is no object"):
        fitted(source, Typed(DEFINITIONS, "Part"), 1, lambda _: None)
