"""Values drawn as Rust's rand draws them: the published data sets to the bit, and rules that do not fit."""

import hashlib
import itertools
import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from bench.base.errors import LabError
from bench.base.paths import SCENARIOS
from bench.model.scenario import Draws, StructDraws
from bench.scenarios import inputs
from bench.scenarios.draws import pcg
from bench.scenarios.draws.rand import Rand
from bench.scenarios.draws.rules import draw_value
from bench.scenarios.load import load_scenario
from bench.scenarios.sets import types_of
from bench.types.definitions import published_types
from bench.types.expressions import ListOf, Named, OptionOf, Scalar, TupleOf, Type, parse_type
from tests.support.postcard import encoded
from tests.support.scenarios.committed import committed_scenarios

ALL = committed_scenarios()
ITEMS = [
    pytest.param(name, marks=pytest.mark.slow) if name == "mesh-triangles" else name
    for name, one in ALL.items()
    if one.input.items_of
]
"""Scenarios of a list's items; those of `mesh` are a million numbers."""


def test_the_generator_is_the_one_of_the_reference_implementation():
    """`pcg32-demo` of the reference implementation, round 1: state 42, stream 54."""
    first = list(itertools.islice(pcg.outputs(42, 54), 6))
    assert first == [0xA15C02B7, 0x7B47F409, 0xBA1D3330, 0x83D2F293, 0xBFA4784B, 0xCBED606E]


def test_blocks_of_outputs_join():
    state, increment = 42 + 109, 109
    expected = []
    for _ in range(2 * pcg.BLOCK + 10):
        state = (state * pcg.MULTIPLIER + increment) % 2**64
        folded, turns = ((state >> 18 ^ state) >> 27) % 2**32, state >> 59
        expected.append((folded >> turns | folded << 32 - turns) % 2**32)
    assert list(itertools.islice(pcg.outputs(42, 54), len(expected))) == expected


# bytes as postcard, the first digits of their SHA-256, values, and texts among them
PUBLISHED = {
    "log": (724_953, "d62badac", 100_000, 40_000),
    "mesh": (6_000_003, "d3619148", 1_500_000, 0),
    "minecraft-savedata": (367_489, "868b826a", 94_511, 28_094),
    "mk48": (1_311_281, "c8e8e37d", 746_728, 0),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_data_sets_are_the_published_ones_to_the_bit(name):
    """The publication's program wrote these bytes with postcard 1.1.3."""
    scenario = ALL[name]
    value = json.loads(inputs.canonical_input(scenario))
    written = encoded(parse_type(scenario.type), types_of(scenario), value)
    size, sha256, _, _ = PUBLISHED[name]
    assert (len(written), hashlib.sha256(written).hexdigest()[:8]) == (size, sha256)


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_data_sets_have_as_many_values_as_published(name):
    value = json.loads(inputs.canonical_input(ALL[name]))
    *_, values, texts = PUBLISHED[name]
    enums = {variant.name for enum in types_of(ALL[name]).enums.values() for variant in enum.variants}
    counts = Counter(isinstance(one, str) and one not in enums for one in leaves(value))
    assert (counts.total(), counts[True]) == (values, texts)


@pytest.mark.parametrize("name", [*PUBLISHED, *ITEMS])
def test_the_size_of_the_data_is_that_of_its_values(name):
    """As the controls copy it: numbers at their width, a byte for a variant and an option, texts and lists prefixed."""
    text = inputs.canonical_input(ALL[name])
    sizes = [data_size(parse_type(ALL[name].type), json.loads(line)) for line in text.splitlines()]
    assert sum(sizes) == ALL[name].data_size_bytes


def leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from leaves(one)
    elif value is not None:
        yield value


def data_size(of: Type, value: Any) -> int:
    defined = published_types()
    match of:
        case OptionOf(item):
            return 1 if value is None else 1 + data_size(item, value)
        case Named(name) if name in defined.structs:
            return sum(data_size(field.type, value[field.name]) for field in defined.structs[name].fields)
        case ListOf(item):
            return prefix(len(value)) + sum(data_size(item, one) for one in value)
        case TupleOf(items):
            return sum(data_size(item, one) for item, one in zip(items, value, strict=True))
        case Scalar("string"):
            return prefix(len(value.encode())) + len(value.encode())
    return 1 if str(of) == "bool" or str(of) in defined.enums else int(str(of)[1:]) // 8


def prefix(length: int) -> int:
    return 1 if length < 255 else 2 if length < 65_535 else 4


@pytest.mark.parametrize("name", ITEMS)
def test_items_of_a_list_are_messages_of_their_own(name):
    given = ALL[name].input.items_of
    whole = json.loads(inputs.canonical_input(ALL[given.scenario]))[given.field]
    rows = [json.loads(line) for line in inputs.canonical_input(ALL[name]).splitlines()]
    assert rows == whole
    assert ALL[name].rows == len(rows)
    assert ALL[name].type == str(types_of(ALL[name]).structs[ALL[given.scenario].type].fields[0].type)[1:-1]


def test_a_list_that_another_scenario_does_not_have_is_reported(tmp_path):
    path = tmp_path / "log-entries.toml"
    text = (SCENARIOS / path.name).read_text()
    for old, new in (('field = "logs"', 'field = "lines"'), ("rows = 10_000", "rows = 10_001")):
        assert old in text
        path.write_text(text.replace(old, new))
        with pytest.raises(LabError, match=r"log.toml: its value has no list '(logs|lines)' of 1000[01] items"):
            inputs.made_input(load_scenario(path))


# single draws


def drawn(kind: str, draws: StructDraws, seed: int = 1) -> Any:
    defined = published_types()
    return draw_value(parse_type(kind), defined, Draws(seed, 1, {kind: draws}))


def test_fields_are_drawn_in_the_order_given_and_stand_in_the_struct_s():
    plain, turned = drawn("Address", StructDraws()), drawn("Address", StructDraws(order=["x3", "x2", "x1", "x0"]))
    assert list(turned) == ["x0", "x1", "x2", "x3"]
    assert list(turned.values()) == list(plain.values())[::-1]


def test_a_kept_input_that_is_damaged_is_drawn_again():
    scenario = ALL["minecraft-savedata"]
    inputs.input_file(scenario).write_bytes(b"{}\n")
    assert hashlib.sha256(inputs.canonical_input(scenario)).hexdigest() == scenario.input.sha256
    assert inputs.input_file(scenario).read_bytes() == inputs.canonical_input(scenario)


@pytest.mark.parametrize(("kind", "low", "high"), [("u8", 0, 200), ("i8", -3, 3), ("i32", 20, 40), ("u64", 7, 8)])
def test_integers_of_a_range_are_all_drawn_and_no_others(kind, low, high):
    rand = Rand(pcg.outputs(1, 1))
    assert {rand.within(kind, low, high) for _ in range(5000)} == {*range(low, high)}


@pytest.mark.parametrize(
    ("draws", "problem"),
    [
        ({"fields": {"x4": 200}}, "'x4' is not a field of Address"),
        ({"order": ["x1", "x0"]}, "the order of Address names each of its fields once"),
        ({"fields": {"x0": {"rang": [0, 1]}}}, "is no rule of a draw"),
        ({"fields": {"x0": {"length": [0, 1]}}}, "does not fit u8"),
        ({"function": "none"}, "'none' is no function that draws; there are "),
    ],
)
def test_a_rule_that_does_not_fit_is_refused(draws, problem):
    with pytest.raises(ValueError, match=problem):
        drawn("Address", StructDraws(**draws))


def test_a_mistake_in_draws_names_the_scenario(tmp_path):
    path = tmp_path / "log.toml"
    path.write_text((SCENARIOS / "log.toml").read_text().replace('identity = "-"\n', ""))
    with pytest.raises(LabError, match=r"log.toml: input.draws: string needs a rule of its own"):
        inputs.made_input(load_scenario(path))
