"""Changes of a schema over real codecs, held against what their formats' own documentation says of each."""

import json
import subprocess

import pytest

from bench.proof.changes import load_changes
from tests.support.lab import LAB, ROOT

pytestmark = [pytest.mark.slow, pytest.mark.host]

CODECS = ("python/json", "python/protobuf", "rust/postcard", "rust/prost", "rust/serde-json")
PROTOCOL_BUFFERS = {
    # "Updating A Message Type" of Protocol Buffers' language guide (proto 3)
    "add-optional": ("right", "right"),
    "add-default": ("default", "right"),  # "default values are ignored": proto3's default is zero
    "rename": ("right", "right"),  # names are not encoded
    "reorder-same-type": ("right", "right"),  # fields are identified by their numbers
    "reorder-two-types": ("right", "right"),
    "widen-u32": ("right", "right"),  # "int32, uint32, int64, uint64, and bool are all compatible"
    "widen-u32-beyond": (None, "wrong"),  # "as if you had cast the number to that type in C++"
}


@pytest.fixture(scope="module")
def outcomes() -> dict[tuple[str, str, str], dict]:
    """(Codec, change, direction) → the result."""
    filters = [word for codec in CODECS for word in ("-f", f"^{codec}$")]
    done = subprocess.run([*LAB, "evolution", "--json", *filters], cwd=ROOT, capture_output=True, text=True, check=True)
    results = [json.loads(line) for line in done.stdout.splitlines()]
    return {(one["codec"], one["change"], one["direction"]): one for one in results}


def test_every_change_is_tried_both_ways(outcomes) -> None:
    for codec in CODECS:
        unasked = codec in ("python/json", "rust/serde-json")  # bytes, which JSON has none of
        assert sum(name == codec for name, _, _ in outcomes) == 2 * (len(load_changes().all) - unasked)


@pytest.mark.parametrize("codec", ["python/protobuf", "rust/prost"])
@pytest.mark.parametrize(("change", "expected"), PROTOCOL_BUFFERS.items())
def test_protocol_buffers_do_as_their_guide_says(outcomes, codec: str, change: str, expected: tuple[str, str]) -> None:
    found = tuple(outcomes[codec, change, direction]["outcome"] for direction in ("backward", "forward"))
    assert all(want in (None, have) for want, have in zip(expected, found, strict=True)), found


def test_a_format_without_names_and_numbers_reads_what_stands_in_the_fields_place(outcomes) -> None:
    """postcard's specification: a struct is its fields in their order, and nothing else."""
    swapped = outcomes["rust/postcard", "reorder-same-type", "backward"]
    assert (swapped["outcome"], swapped["honest"]) == ("wrong", False)
    assert json.loads(swapped["wrote"]) == {"width": 640, "height": 480}
    assert json.loads(swapped["read"]) == {"height": 640, "width": 480}
    assert outcomes["rust/postcard", "rename", "backward"]["outcome"] == "right"


@pytest.mark.parametrize("codec", ["python/json", "rust/serde-json"])
def test_names_make_no_silent_mistake(outcomes, codec: str) -> None:
    own = [one for (name, _, _), one in outcomes.items() if name == codec]
    assert [one for one in own if one["outcome"] == "crash"] == []
    assert outcomes[codec, "reorder-same-type", "backward"]["outcome"] == "right"
    assert outcomes[codec, "rename", "backward"]["outcome"] in ("refused", "default")
