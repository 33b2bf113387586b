"""What the catalogue says a codec cannot take, against the types that it is proved with, and against its library."""

import json
import re
from functools import cache

import pytest

from bench.base.paths import manifest
from bench.building.runner import Runner
from bench.model.offers import Feature, MessageKind
from bench.proof.fidelity import examine
from bench.scenarios.catalogue import load_catalogue
from bench.scenarios.inputs import canonical_input
from bench.scenarios.sets import types_of
from bench.types.definitions import published_types
from bench.types.features import features
from tests.support.scenarios.committed import built_runners, committed_scenarios

CATALOGUE = load_catalogue()
SCENARIOS = committed_scenarios()


def integers(value: object) -> list[int]:
    """All integers of a JSON value; those of 128 bits are strings."""
    if isinstance(value, dict | list):
        return [one for item in (value.values() if isinstance(value, dict) else value) for one in integers(item)]
    return [value] if isinstance(value, int) and not isinstance(value, bool) else []


@cache
def is_large(name: str) -> bool:
    """Whether a value of a scenario does not fit into an i64."""
    lines = canonical_input(SCENARIOS[name]).decode().removesuffix("\n").split("\n")
    return max((one for line in lines for one in integers(json.loads(line))), default=0) >= 2**63


def used(name: str, library: str) -> set[Feature]:
    """What a scenario's values really have in a library: a u64 that fits into an i64 is none."""
    scenario = SCENARIOS[name]
    return features(scenario.type, types_of(scenario), library) - (set() if is_large(name) else {Feature.U64})


@pytest.mark.parametrize("name", SCENARIOS)
def test_no_codec_offers_what_it_cannot_take(name: str) -> None:
    for codec in {cell.codec for cell in CATALOGUE.cells({name: SCENARIOS[name]})}:
        offered = CATALOGUE.codecs[codec]
        assert not used(name, offered.library or "") & offered.cannot.keys(), codec


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("Point", {"struct"}),
        ("[f64]", {"list-message"}),
        ("[User]", {"list-message", "struct-list", "struct"}),
        ("NestedObject", {"struct", "nested-list"}),
        ("EnumFields", {"struct", "wide-enum"}),
        ("LogText", {"struct", "u64"}),
        ("LogRecord", {"struct", "u64", "map"}),
        ("LogBlock", {"struct", "u64", "u128"}),
    ],
)
def test_a_type_has_the_features_that_its_fields_have(kind: str, expected: set[str]) -> None:
    assert features(kind, published_types()) == {Feature(one) for one in expected}


def test_codecs_of_one_library_have_the_same_limits_unless_their_format_differs() -> None:
    """What another codec of the library does in a codec's place is no limit of the library."""
    by_library: dict[tuple[str, str | None, str], set[str]] = {}
    for codec, offered in CATALOGUE.codecs.items():
        if offered.library and Feature.STRUCT not in offered.cannot:
            same = codec.partition("/")[0], offered.library, re.sub("^encrypted ", "", offered.format)
            cannot = {one: why for one, why in offered.cannot.items() if why.split()[0] not in CATALOGUE.codecs}
            by_library.setdefault(same, set()).add(repr((cannot, offered.instead)))
    assert {library: texts for library, texts in by_library.items() if len(texts) > 1} == {}


@pytest.mark.skipif(not manifest().exists(), reason="no runners are built: `./lab build` builds them")
def test_integers_come_back_from_python_as_the_limits_say() -> None:
    asked = [
        Runner(one.entry) for one in built_runners() if not one.entry.unavailable and one.codec in CATALOGUE.codecs
    ]
    asked = [one for one in asked if CATALOGUE.codecs[one.codec].probes]
    facts = examine([one for one in asked if MessageKind.LIST_OF_TEXT in CATALOGUE.codecs[one.codec].offers], None, 2)
    for feature, probe in ((Feature.U64, "integer 2^63"), (Feature.U128, "integer 2^64")):
        outcomes = {fact.codec: fact.outcome for fact in facts if fact.probe == probe}
        assert outcomes
        for codec, outcome in outcomes.items():
            assert (outcome == "same") == (feature not in CATALOGUE.codecs[codec].cannot), (codec, probe, outcome)
