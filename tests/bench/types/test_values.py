"""Values are compared as their type says, not as text."""

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.types.definitions import Defined, published_types
from bench.types.expressions import parse_type
from bench.types.values import first_difference, normal, parse_canonical, read_alike

NOTHING_DEFINED = Defined({}, {})


def differs(kind: str, left: str, right: str) -> str | None:
    values = (parse_canonical(text.encode(), rows=False)[0] for text in (left, right))
    return first_difference(parse_type(kind), published_types(), *values)


@pytest.mark.parametrize(
    ("kind", "left", "right"),
    [
        ("f32", "0.1", "0.10000000149011612"),  # the same f32
        ("f64", "1e3", "1000.0"),
        ("f64", "1000000", "1e6"),
        ("u64", "18446744073709551615", "18446744073709551615"),
        ("u128", '"340282366920938463463374607431768211455"', '"340282366920938463463374607431768211455"'),
        ("[i32]", "[1,-2]", "[1, -2]"),
        ("bytes", '"AAE="', '"AAE="'),
        ("string", '"\\u00e9"', '"é"'),
        ("Color", '"Red"', '"Red"'),
        ("Point", '{"x":1,"y":2}', '{"y":2,"x":1}'),
    ],
)
def test_equal_values_are_equal_however_they_are_written(kind, left, right):
    assert differs(kind, left, right) is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@given(JSON)
def test_a_value_that_is_written_in_two_ways_is_the_same_to_msgspec(value):
    texts = [json.dumps(value).encode(), json.dumps(value, ensure_ascii=False, indent=1).encode()]
    one, other = (normal(text, rows=False) for text in texts)
    assert one == other is not None
    assert json.loads(one) == [json.loads(json.dumps(value))]


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("1", "1.0"),
        ("0.1", "0.10000000149011612"),
        ("-0.0", "0.0"),
        ("18446744073709551616", "18446744073709551617"),
        ("[1e22]", "[10000000000000000000000]"),
        ('"1"', "1"),
        ("true", "1"),
    ],
)
def test_texts_of_different_values_are_not_the_same_to_msgspec(left, right):
    assert normal(left.encode(), rows=False) != normal(right.encode(), rows=False)


@pytest.mark.parametrize("text", ["-0", "[1, -0]", "NaN", "1e999", "[1", "", '"\\ud800"', "01"])
def test_text_that_msgspec_does_not_read_as_it_stands_is_left_to_the_comparison_by_type(text):
    assert normal(text.encode(), rows=False) is None


def test_rows_are_the_same_line_by_line():
    assert normal(b'{"a": 1}\n[2]\n', rows=True) == normal(b'{"a":1}\n[2]', rows=True) is not None
    assert normal(b"1\n\n2", rows=True) is None


@pytest.mark.parametrize(
    ("kind", "left", "right", "words"),
    [
        ("f64", "0.1", "0.10000000149011612", "against"),
        ("f32", "-0.0", "0.0", "against"),
        ("f64", "-0", "0", "against"),
        ("u8", "256", "256", "not a valid u8"),
        ("u32", "-1", "-1", "not a valid u32"),
        ("i32", "1.0", "1", "invalid literal"),
        ("u64", "18446744073709551615", "18446744073709551616", "not a valid u64"),
        ("bool", "1", "true", "not a valid bool"),
        ("string", "1", '"1"', "not a valid string"),
        ("[i32]", "[1]", "[1,2]", "1 elements against 2"),
        ("[i32]", "[1,2]", "[1,3]", r"$[1]: '2' against '3'"),
        ("Color", '"Red"', '"Green"', "against"),
        ("Color", '"Rot"', '"Rot"', "not a valid Color"),
        ("Point", '{"x":1,"y":2}', '{"x":1}', "fields x; the type has x, y"),
        ("Point", '{"x":1,"y":2}', "[1,2]", "not an object"),
        ("Point", '{"x":1,"y":2}', '{"x":1,"y":3}', "$.y: '2' against '3'"),
    ],
)
def test_different_values_differ_and_say_where(kind, left, right, words):
    assert words in (differs(kind, left, right) or "")


@given(
    st.floats(width=32, allow_nan=False, allow_infinity=False),
    st.floats(width=32, allow_nan=False, allow_infinity=False),
)
def test_f32_equality_is_equality_of_bits(a, b):
    same = str(a) == str(b)
    assert (differs("f32", json.dumps(a), json.dumps(b)) is None) == same


def test_text_that_is_no_json_names_its_line():
    with pytest.raises(ValueError, match="line 2"):
        parse_canonical(b'{"x":1}\n{"x":\n', rows=True)


@given(st.floats(width=32, allow_nan=False, allow_infinity=False, min_value=-(2.0**99), max_value=2.0**99))
def test_an_f32_s_text_is_the_same_f32_read_at_once_or_by_way_of_an_f64(single: float) -> None:
    """Halfway between two f32 of its kind, where rounding twice may err; rounded once by exact fractions."""
    neighbour = float(np.nextafter(np.float32(single), np.float32(np.inf)))
    value = read_alike(parse_type("f32?"), NOTHING_DEFINED, (single + neighbour) / 2)
    exact = Fraction(repr(value))
    distances = {abs(Fraction(one) - exact): one for one in (single, neighbour)}
    if len(distances) == 2:  # else both are as near, and both readers take the even one
        assert float(np.float32(value)) == distances[min(distances)]


def test_an_f64_and_an_f32_that_is_one_are_left_as_they_are() -> None:
    halfway = 88.29740524291992
    assert read_alike(parse_type("f64"), NOTHING_DEFINED, halfway) == halfway
    assert read_alike(parse_type("[f32]"), NOTHING_DEFINED, [0.1, 0.5, halfway]) == [0.1, 0.5, 88.29741]
