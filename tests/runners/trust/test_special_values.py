"""Special values over real codecs, held against what their formats and libraries say of each."""

import json
import subprocess

import pytest

from bench.proof.special import load_special
from tests.support.lab import LAB, ROOT

pytestmark = [pytest.mark.slow, pytest.mark.host]

CODECS = ("python/json", "python/protobuf", "rust/bson", "rust/postcard", "rust/prost", "rust/serde-json")


@pytest.fixture(scope="module")
def facts() -> dict[tuple[str, str], dict]:
    """(Codec, value) → what came back."""
    filters = [word for codec in CODECS for word in ("-f", f"^{codec}$")]
    done = subprocess.run([*LAB, "fidelity", "--json", *filters], cwd=ROOT, capture_output=True, text=True, check=True)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    return {(one["codec"], one["probe"]): one for one in found}


@pytest.mark.parametrize(
    ("codec", "value", "outcome", "got"),
    [
        # json's documentation, "Encoders and decoders": a list or tuple is an array, which is read as a list
        ("python/json", "tuple", "changed", "list [1, 2]"),
        # "Application Note on Field Presence": a field without presence is left out if it has its default, of which
        # -0.0 is none, as its bytes are not zero
        ("python/protobuf", "f64: -0.0", "same", '{"value":-0.0}'),
        ("rust/prost", "f64: -0.0", "changed", '{"value":0}'),
        # serde_json: "null if the float is NaN or infinite"
        ("rust/serde-json", "NaN", "changed", '{"map":[["value",null]]}'),
        ("rust/serde-json", "-0.0", "same", '{"map":[["value",{"float":"8000000000000000"}]]}'),
        # bsonspec.org has signed integers of 64 bits only
        ("rust/bson", "u64: 2^64-1", "refused", None),
        ("rust/bson", "i64: -2^63", "same", '{"value":-9223372036854775808}'),
    ],
)
def test_what_comes_back(facts, codec: str, value: str, outcome: str, got: str | None) -> None:
    fact = facts[codec, value]
    assert (fact["outcome"], fact["got"]) == (outcome, got)


def test_a_format_of_every_type_gives_all_values_back(facts) -> None:
    """postcard's specification has each of these types, and encodes floats by their bits."""
    assert {
        value: facts["rust/postcard", value]["outcome"] for value in (one.name for one in load_special().typed)
    } == {one.name: "same" for one in load_special().typed}
