"""Every way in which a codec can be wrong is caught, with both sides shown."""

import msgspec
import pytest

from bench.base.errors import LabError
from bench.building.runner import RunnerError, describe_all
from bench.model.cells import Operation
from bench.model.scenario import KnownRefusal, Update
from bench.model.verification import Exchange
from bench.proof.expected import Expected
from bench.proof.interop import blamed
from bench.proof.verify import check_identity, crc32, verify, verify_scenario
from bench.scenarios.inputs import canonical_input
from tests.support.scenarios.committed import committed_scenarios

POINT = committed_scenarios()["point"]


def failures(*runners, scenario=POINT):
    outcome = verify_scenario(dict.fromkeys(runners, "fake"), scenario)
    return {(c.codec, c.check): c.message for c in outcome.failures}


def test_a_sound_codec_is_verified_with_its_sizes_and_peers(fake):
    outcome = verify_scenario({fake("a"): "fake", fake("b"): "fake"}, POINT)
    assert outcome.failures == []
    assert [(v.codec, v.encoded_bytes, v.peers) for v in outcome.verified] == [
        ("fake/a", 5 + 17, ["fake/b"]),
        ("fake/b", 5 + 17, ["fake/a"]),
    ]


def test_a_wrong_value_shows_both_sides(fake):
    assert "$.y: '100' against '101'" in failures(fake("bad", "wrong-value"))["fake/bad", "value"]


def test_a_wrong_size_shows_both_sides(fake):
    scenario = msgspec.structs.replace(POINT, sizes_bytes={"fake/bad": 22})
    assert failures(fake("bad", "fat"), scenario=scenario) == {("fake/bad", "size"): "23 bytes encoded, 22 published"}


def test_a_crash_in_encode_tells_what_the_runner_said(fake):
    assert "out of luck" in failures(fake("bad", "encode-crash"))["fake/bad", "encode"]


@pytest.mark.parametrize(
    ("mischief", "word"), [("lies", "9.9.9"), ("other-protocol", "protocol 2"), ("describe-nonsense", "teapot")]
)
def test_a_runner_that_lies_or_babbles_about_itself_is_refused(fake, mischief, word):
    check = check_identity(fake("bad", mischief))
    assert check is not None
    assert word in check.message


def test_a_sound_runner_has_nothing_wrong_with_its_identity(fake):
    assert check_identity(fake("good")) is None


def test_the_odd_one_out_of_a_format_is_blamed_and_not_its_peers(fake):
    runners = {fake("a"): "fake", fake("b"): "fake", fake("odd", "refuses"): "fake"}
    outcome = verify_scenario(runners, POINT)
    assert {check.codec for check in outcome.failures} == {"fake/odd"}
    assert [v.codec for v in outcome.verified] == ["fake/a", "fake/b"]
    assert "fake/b does not read what fake/odd wrote (fake)" in {c.message.split(":")[0] for c in outcome.failures}


def test_of_two_that_disagree_both_are_blamed(fake):
    assert {codec for codec, _ in failures(fake("a"), fake("odd", "refuses"))} == {"fake/a", "fake/odd"}


def test_nobody_is_blamed_where_a_scenario_brings_types_of_its_own(fake):
    own = msgspec.structs.replace(POINT, types={"structs": {"Point": {"fields": {"x": "f32"}}}})
    exchanges = [Exchange("point", "CBOR", "fake/a", "fake/b", False, False, "it reads arrays alone")]
    assert len(blamed(exchanges, POINT)) == 2 and blamed(exchanges, own) == []


def test_of_two_that_disagree_the_one_with_the_published_encoding_is_not_blamed(fake):
    scenario = msgspec.structs.replace(POINT, sizes_bytes={"fake/a": 22})
    assert {codec for codec, _ in failures(fake("a"), fake("odd", "refuses"), scenario=scenario)} == {"fake/odd"}


def test_codecs_of_different_formats_are_not_held_against_each_other(fake):
    outcome = verify_scenario({fake("a"): "fake", fake("b", "foreign"): "other"}, POINT)
    assert outcome.failures == []


def test_controls_have_nothing_to_verify(fake):
    described = describe_all([fake("still", "control")])
    result = verify(described, {("fake/still", "point")}, committed_scenarios(), lambda _: None)
    assert (result.verified, result.failures) == ([], [])


def test_a_program_that_is_not_there_is_named(fake):
    runner = fake("gone")
    runner.entry.command[0] = "/nonexistent/runner"
    with pytest.raises(RunnerError, match="/nonexistent/runner does not start"):
        runner.encode("point", b"{}")


def test_a_failure_that_the_scenario_knows_is_marked_as_known(fake):
    scenario = msgspec.structs.replace(POINT, known_failures={"fake/bad": "its library cannot"})
    outcome = verify_scenario({fake("bad", "wrong-value"): "fake"}, scenario)
    assert [check.known for check in outcome.failures] == ["its library cannot"]


def with_refusals(*pairs):
    refusals = [KnownRefusal([writer], [reader], "its library cannot") for writer, reader in pairs]
    return msgspec.structs.replace(POINT, known_refusals=refusals)


def test_a_refusal_that_the_scenario_knows_is_recorded_and_nobody_is_blamed_for_it(fake):
    scenario = with_refusals(("fake/odd", "fake/a"), ("fake/a", "fake/odd"))
    outcome = verify_scenario({fake("a"): "fake", fake("odd", "refuses"): "fake"}, scenario)
    assert outcome.failures == []
    assert [v.peers for v in outcome.verified] == [[], []]
    assert [(e.writer, e.reader, e.reads, e.same_bytes, e.known) for e in outcome.exchanges] == [
        ("fake/a", "fake/odd", False, False, "its library cannot"),
        ("fake/odd", "fake/a", False, False, "its library cannot"),
    ]
    assert all("fake: not mine" in (e.problem or "") for e in outcome.exchanges)


def test_a_refusal_that_is_known_in_one_direction_is_still_a_failure_in_the_other(fake):
    outcome = verify_scenario(
        {fake("a"): "fake", fake("odd", "refuses"): "fake"}, with_refusals(("fake/odd", "fake/a"))
    )
    assert {check.message.split(":")[0] for check in outcome.failures} == {
        "fake/odd does not read what fake/a wrote (fake)"
    }


def test_a_known_refusal_that_is_none_is_reported(fake):
    outcome = verify_scenario({fake("a"): "fake", fake("b"): "fake"}, with_refusals(("fake/b", "fake/a")))
    assert [check.codec for check in outcome.failures] == ["fake/a"]
    assert "fake/a reads what fake/b wrote (fake), although known_refusals" in outcome.failures[0].message
    assert all(e.reads and e.same_bytes for e in outcome.exchanges)


def test_builds_of_one_codec_are_each_verified_and_only_the_usual_one_is_exchanged(fake):
    usual, other, peer = fake("a"), fake("a", "fat"), fake("b")
    other.entry = msgspec.structs.replace(other.entry, variant="native")
    scenario = msgspec.structs.replace(POINT, sizes_bytes={"fake/a": 22})
    outcome = verify_scenario({usual: "fake", other: "fake", peer: "fake"}, scenario)
    assert [(v.codec, v.variant) for v in outcome.verified] == [("fake/a", ""), ("fake/b", "")]
    assert [(c.codec, c.variant, c.check) for c in outcome.failures] == [("fake/a", "native", "size")]
    assert [(e.writer, e.reader) for e in outcome.exchanges] == [("fake/a", "fake/b"), ("fake/b", "fake/a")]


# updates in place


def updating(**update):
    operations = [*POINT.operations, Operation.UPDATE]
    return msgspec.structs.replace(POINT, operations=operations, update=Update(**update))


DOUBLED = updating(factors={"y": 2})


def test_a_sound_update_is_verified_by_what_the_codec_decodes_of_it(fake):
    outcome = verify_scenario({fake("good", "updates"): "fake", fake("other"): "fake"}, DOUBLED)
    assert outcome.failures == []
    checksums = {one.codec: one.updated_checksum for one in outcome.verified}
    assert checksums == {"fake/good": crc32(b'fake\0{"x":-10,"y":200}'), "fake/other": None}


@pytest.mark.parametrize(
    ("mischief", "problem"),
    [
        ("updates-nothing", "$.y: '200' against '100'"),
        ("updates-wrongly", "$.y: '200' against '201'"),
        ("updates-too-much", "$.x: '-10' against '-20'"),
        ("updates-beside", "22 bytes encoded, 23 updated"),
        ("updates-the-mark", "fake: not mine"),
    ],
)
def test_an_update_that_makes_anything_else_shows_both_sides(fake, mischief, problem):
    assert problem in failures(fake("bad", mischief), scenario=DOUBLED)["fake/bad", "update"]


def test_an_update_that_changes_nothing_proves_nothing_and_is_refused():
    same = updating(values={"y": 100})
    with pytest.raises(LabError, match=r"point.toml: update: the canonical input has these values already"):
        _ = Expected(same, canonical_input(same)).updated
