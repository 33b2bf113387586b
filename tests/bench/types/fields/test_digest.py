"""What `access` must give, by hand."""

import struct

import pytest

from bench.types.definitions import define, definitions_of
from bench.types.expressions import Named, parse_type
from bench.types.fields.digest import digest, named_fields
from bench.types.values import parse_canonical
from tests.support.canonical_values import canonical, everything, sample

TYPES = everything()
ONE_AND_A_HALF = struct.unpack("<Q", struct.pack("<d", 1.5))[0]


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("bool", True, 1),
        ("i8", -1, 2**64 - 1),
        ("u64", 2**64 - 1, 2**64 - 1),
        ("u128", str(2**64), 1),
        ("i128", "-1", 0),
        ("f32", 1.0, 0x3F800000),
        ("f64", -0.0, 1 << 63),
        ("string", "abc", 3 + 97),
        ("string", "é", 2 + 0xC3),
        ("string", "", 0),
        ("bytes", "/w==", 1 + 255),
        ("[u8]", [7, 200], 2 + 7),
        ("[u8; 2]", [7, 200], 2 + 7),
        ("[u16]", [7, 200], 2 + 207),
        ("[u32; 2]?", [1, 2], 1 + 2 + 3),
        ("string?", None, 0),
        ("{u8}", {"a": 1, "b": 2}, 2 + (1 + 97 + 1) + (1 + 98 + 2)),
        ("(f64, i8)", [1.5, -1], ONE_AND_A_HALF - 1),
        ("Level", "High", 255),
        ("Pair", {"x": -1, "y": 3}, 2),
    ],
)
def test_a_value_has_the_digest_that_its_parts_make(kind, value, expected):
    assert digest(parse_type(kind), TYPES, value) == expected


@pytest.mark.parametrize("seed", range(20))
def test_numbers_that_are_still_text_give_the_same(seed):
    value = sample(Named("Everything"), TYPES, seed)
    (text,) = parse_canonical(canonical(value), rows=False)
    assert digest(Named("Everything"), TYPES, value) == digest(Named("Everything"), TYPES, text)


# fields that a scenario names

LOGS = define(
    definitions_of(
        {
            "Address": {"fields": {"x": "u8", "y": "u8"}},
            "Log": {"fields": {"address": "Address", "request": "string", "code": "u16"}},
            "Logs": {"fields": {"logs": "[Log]", "first": "Log?"}},
        },
        {},
    )
)
LOG = {"address": {"x": 1, "y": 2}, "request": "GET", "code": 200}
VALUE = {"logs": [LOG, LOG | {"code": 404}], "first": None}


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (["logs[].code"], 2 + 200 + 404),
        (["logs[].address"], 2 + 2 * (1 + 2)),
        (["logs[].address.y", "logs[].code"], 2 + 2 * 2 + 200 + 404),
        (["first"], 0),
        (["logs"], 2 + 2 * (1 + 2 + 3 + ord("G")) + 200 + 404),
    ],
)
def test_named_fields_are_digested_with_the_lengths_of_their_lists(paths, expected):
    named = named_fields(Named("Logs"), LOGS, paths)
    assert digest(Named("Logs"), LOGS, VALUE, named) == expected


@pytest.mark.parametrize(
    ("paths", "problem"),
    [
        (["logs.code"], r"'logs.code' leads to no field: \[Log\] has no 'code'"),
        (["log[].code"], "leads to no field: Logs has no 'log'"),
        (["first[].code"], r"'first' is Log\?, and no list"),
        (["logs[].request.length"], "string has no 'length'"),
        (["logs[].code", "logs[].code"], "named twice"),
        (["logs", "logs[].code"], "named twice"),
        (["logs[].code", "logs"], "named twice"),
    ],
)
def test_a_path_that_leads_to_no_field_is_refused(paths, problem):
    with pytest.raises(ValueError, match=problem):
        named_fields(Named("Logs"), LOGS, paths)
