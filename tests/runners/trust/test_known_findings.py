"""What is known of codecs and malformed input, found by the classes that are there to find it."""

from functools import cache

import pytest

from bench.base.paths import manifest
from bench.building.runner import Runner
from bench.model.findings import Fuzzed, Harm
from bench.proof.malformed.examine import examined
from tests.support.scenarios.committed import built_runners, committed_scenarios

pytestmark = pytest.mark.skipif(not manifest().exists(), reason="no runners are built: `./lab build` builds them")

POINT = committed_scenarios()["point"]


@cache
def runners() -> dict[str, Runner]:
    return {one.codec: one for one in built_runners() if not one.entry.unavailable and not one.entry.variant}


def came_of(codec: str, class_: str, *, typed: bool = False) -> Fuzzed:
    if codec not in runners():
        pytest.skip(f"{codec} is not built")
    return examined(runners()[codec], POINT if typed else None, {class_}, 0, {})


@pytest.mark.parametrize(
    ("codec", "class_", "harm"),
    [
        # Both recurse without a limit (mongodb/bson-rust#680), until the stack overflows.
        ("rust/bson", "depth", Harm.EXHAUSTION),
        ("rust/beve", "depth", Harm.EXHAUSTION),
        # A text that is not UTF-8 is read as an empty one.
        ("rust/flexbuffers", "bad-utf8", Harm.SPECIFICATION),
    ],
)
def test_what_is_known_of_values_of_any_type_is_found(codec, class_, harm):
    assert harm in {finding.harm for finding in came_of(codec, class_).findings}


def test_what_a_parser_may_accept_is_counted_and_no_finding():
    """glz::opts::validate_trailing_whitespace is off by default, and RFC 8259 lets a parser accept other forms."""
    result = came_of("cpp/glaze-json", "trailing-bytes")
    assert result.accepted
    assert Harm.SPECIFICATION not in {finding.harm for finding in result.findings}


@pytest.mark.parametrize(
    ("codec", "class_", "words"),
    [
        ("cpp/zpp-bits", "reserved", "wire type 6"),
        ("cpp/zpp-bits", "unknown-keys", "an empty group"),
    ],
)
def test_what_is_known_of_records_is_found(codec, class_, words):
    findings = came_of(codec, class_, typed=True).findings
    assert any(words in finding.problem and finding.harm is Harm.SPECIFICATION for finding in findings)


@pytest.mark.parametrize("class_", ["reserved", "overlong", "truncation", "length-bombs", "duplicate-keys", "depth"])
@pytest.mark.parametrize("codec", ["cpp/protobuf", "cpp/protobuf-arena"])
def test_protocol_buffers_own_library_does_as_its_specification_says(codec, class_):
    result = came_of(codec, class_, typed=True)
    assert result.classes[class_].cases
    assert not result.findings
