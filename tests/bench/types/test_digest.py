"""What `access` must give, by hand."""

import struct

import pytest

from bench.types.digest import digest
from bench.types.expressions import Named, parse_type
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
