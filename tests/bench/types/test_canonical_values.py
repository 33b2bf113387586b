"""The values that tests draw are of their types, extremes included."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bench.types.expressions import Named, parse_type
from bench.types.values import first_difference, parse_canonical
from tests.support.canonical_values import canonical, everything, lines, sample, scenario_name, values

TYPES = everything()


@pytest.mark.parametrize("name", [name for name in TYPES.structs if name != "Everything"])
@settings(max_examples=20, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_drawn_values_are_of_their_type(name, data):
    text = canonical(data.draw(values(Named(name), TYPES)))
    one, other = (parse_canonical(text, rows=False)[0] for _ in range(2))
    assert first_difference(Named(name), TYPES, one, other) is None


@pytest.mark.parametrize("kind", [str(message.type) for message in TYPES.messages])
def test_sampled_lines_are_of_their_type_and_the_same_from_one_seed(kind):
    of = parse_type(kind)
    text = lines(of, TYPES, 20, seed=7)
    assert text == lines(of, TYPES, 20, seed=7)
    for left, right in zip(parse_canonical(text, rows=True), parse_canonical(text, rows=True), strict=True):
        assert first_difference(of, TYPES, left, right) is None


def test_samples_hold_the_extremes():
    drawn = [sample(Named("Scalars"), TYPES, seed) for seed in range(400)]
    assert {one["i64"] for one in drawn} >= {-(2**63), 2**63 - 1}
    assert {json.dumps(one["f64"]) for one in drawn} >= {"-0.0", "5e-324"}
    assert {one["string"] for one in drawn} >= {"", "😀"}


def test_scenarios_of_messages_are_named_after_them():
    assert [scenario_name(parse_type(kind)) for kind in ("NestedStructs", "[[i32]]", "[User]")] == [
        "nested-structs",
        "list-list-i32",
        "list-user",
    ]
