"""Which codecs are tried, and which fields they have no form for."""

import pytest

from bench.base.errors import LabError
from bench.datasets.candidates import DEFAULTS, candidate, chosen
from bench.datasets.shortcomings import features_by_path, shortcomings
from bench.model.offers import Feature, Offered
from bench.types.definitions import Definitions, EnumDefinition, StructDefinition, define, published_types
from bench.types.expressions import Named, parse_type
from bench.types.features import features

DEFINED = define(
    Definitions(
        {
            "Part": StructDefinition({"n": "u64", "l": "[[f64]]"}),
            "Whole": StructDefinition(
                {
                    "a": "[Part]",
                    "b": "{i128}",
                    "c": "(u8, [u8?])",
                    "d": "Part?",
                    "e": "Level",
                    "f": "[[u8; 2]; 3]",
                    "g": "(u8, u8, u8, u8)",
                    "h": "[bool]",
                }
            ),
        },
        {"Level": EnumDefinition("i64", {"Low": 0, "High": 2**40})},
    )
)


def test_each_feature_has_its_fields():
    found = {(feature.value, path) for feature, path in features_by_path(Named("Whole"), DEFINED, "$")}
    assert found == {
        ("struct", "$"),
        ("struct-list", "$.a"),
        ("struct", "$.a[]"),
        ("u64", "$.a[].n"),
        ("nested-list", "$.a[].l"),
        ("map", "$.b"),
        ("u128", "$.b.*"),
        ("tuple", "$.c"),
        ("option-in-list", "$.c[1]"),
        ("option", "$.c[1][]"),
        ("option", "$.d"),
        ("struct", "$.d"),
        ("u64", "$.d.n"),
        ("nested-list", "$.d.l"),
        ("wide-enum", "$.e"),
        ("nested-list", "$.f"),
        ("tuple", "$.g"),
        ("long-tuple", "$.g"),
        ("bool-list", "$.h"),
    }


@pytest.mark.parametrize("kind", ["Whole", "Part", *published_types().structs])
def test_they_are_the_features_of_the_type(kind):
    defined = DEFINED if kind in DEFINED.structs else published_types()
    found = {feature for feature, _ in features_by_path(parse_type(kind), defined, "$")}
    assert found == features(kind, defined)


def test_a_codec_says_why_it_cannot():
    offered = Offered("F", cannot={Feature.MAP: "no maps"}, instead={Feature.OPTION: "a flag"})
    one = candidate("rust/x", offered, "Whole", DEFINED)
    assert [(s.path, s.reason) for s in one.cannot] == [("$.b", "no maps")]
    assert [s.path for s in one.instead] == ["$.c[1][]", "$.d"]
    assert shortcomings(Named("Part"), DEFINED, {Feature.MAP: "no maps"}) == []


def test_a_field_behind_a_thousand_others_is_found():
    """In a type whose structs stand in 2^40 places."""
    structs = {"S0": StructDefinition({"n": "u64", "m": "{u8}"})}
    structs |= {f"S{n}": StructDefinition({"a": f"S{n - 1}", "b": f"S{n - 1}"}) for n in range(1, 41)}
    structs["Whole"] = StructDefinition({"a": "S40", "late": "(u8, u8)"})
    defined = define(Definitions(structs))
    assert [one.path for one in shortcomings(Named("Whole"), defined, {Feature.TUPLE: "no tuples"})] == ["$.late"]


OFFERS = {"rust/none": Offered("none", control=True), "rust/a": Offered("A"), "python/b": Offered("B")}


def test_controls_are_left_out_and_patterns_choose(monkeypatch, tmp_path):
    (tmp_path / "try.toml").write_text('protocol = 1\ncodecs = ["rust/a", "rust/z"]\n')
    monkeypatch.setattr("bench.datasets.candidates.DEFAULTS", tmp_path / "try.toml")
    assert chosen(OFFERS, OFFERS) == ["rust/a"]
    assert chosen(OFFERS, OFFERS, languages=["python"]) == ["python/b"]
    assert chosen(OFFERS, OFFERS, ["b$", "none"]) == ["python/b"]
    with pytest.raises(LabError, match="no codec matches"):
        chosen(OFFERS, OFFERS, ["none"])
    assert DEFAULTS.exists()
