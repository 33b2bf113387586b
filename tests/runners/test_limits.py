"""What the catalogue says a codec cannot take, against the types that it is proved with, and against its library."""

import json
import re

import pytest

from bench.base.files import read_toml
from bench.base.paths import RUNNERS, manifest
from bench.building.build import load_runners
from bench.building.runner import Runner
from bench.model.offers import Feature, Limits
from bench.proof.fidelity import examine
from bench.scenarios.catalogue import load_catalogue
from bench.scenarios.inputs import canonical_input
from bench.scenarios.load import load_scenarios
from bench.scenarios.types import features

CATALOGUE = load_catalogue()
SCENARIOS = load_scenarios()
LIMITS = read_toml(RUNNERS / "limits.toml", Limits).limit


def integers(value: object) -> list[int]:
    """All integers of a JSON value; those of 128 bits are strings."""
    if isinstance(value, dict | list):
        return [one for item in (value.values() if isinstance(value, dict) else value) for one in integers(item)]
    return [value] if isinstance(value, int) and not isinstance(value, bool) else []


def used(name: str) -> set[Feature]:
    """What a scenario's values really have: a u64 that fits into an i64 is none."""
    scenario = SCENARIOS[name]
    lines = canonical_input(scenario).decode().removesuffix("\n").split("\n")
    large = max((one for line in lines for one in integers(json.loads(line))), default=0) >= 2**63
    return features(scenario.type) - (set() if large else {Feature.U64})


@pytest.mark.parametrize("name", SCENARIOS)
def test_no_codec_offers_what_it_cannot_take(name: str) -> None:
    for cell in {cell.codec: cell for cell in CATALOGUE.cells({name: SCENARIOS[name]})}.values():
        assert not used(name) & CATALOGUE.codecs[cell.codec].cannot.keys(), cell.codec


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
    assert features(kind) == {Feature(one) for one in expected}


def test_a_limit_is_said_once_for_a_codec_and_a_feature() -> None:
    said = [(codec, feature) for limit in LIMITS for codec in limit.codecs for feature in limit.features]
    assert len(said) == len(set(said))


def test_codecs_of_one_library_have_the_same_limits_unless_their_format_differs() -> None:
    by_library: dict[tuple[str, str | None, str], set[str]] = {}
    for codec, offered in CATALOGUE.codecs.items():
        if offered.library and Feature.STRUCT not in offered.cannot:
            same = codec.partition("/")[0], offered.library, re.sub("^encrypted ", "", offered.format)
            by_library.setdefault(same, set()).add(repr((offered.cannot, offered.instead)))
    assert {library: texts for library, texts in by_library.items() if len(texts) > 1} == {}


@pytest.mark.skipif(not manifest().exists(), reason="no runners are built: `./lab build` builds them")
def test_integers_come_back_from_python_as_the_limits_say() -> None:
    asked = [Runner(one.entry) for one in load_runners() if not one.entry.unavailable and one.codec in CATALOGUE.codecs]
    asked = [one for one in asked if CATALOGUE.codecs[one.codec].probes]
    facts = examine([one for one in asked if "objects" in "".join(CATALOGUE.codecs[one.codec].types)], 2)
    for feature, probe in ((Feature.U64, "integer 2^63"), (Feature.U128, "integer 2^64")):
        outcomes = {fact.codec: fact.outcome for fact in facts if fact.probe == probe}
        assert outcomes
        for codec, outcome in outcomes.items():
            assert (outcome == "same") == (feature not in CATALOGUE.codecs[codec].cannot), (codec, probe, outcome)
