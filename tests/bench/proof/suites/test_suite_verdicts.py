"""What is said of codecs that are right, lie, refuse, accept, crash or hang; and that each is blamed for its own input."""

import json

import pytest

from bench.base.files import read_json
from bench.commands.conformance import differences
from bench.model.proof.conformance import FILE, Conformance, Conformed, Deviation, Verdict
from bench.model.proof.suite import Suite
from bench.proof import containment as module
from bench.proof.suites.readers import Case
from bench.proof.suites.verdicts import conformed
from bench.types.schemaless import Map
from tests.support.synthetic_run import usual

SUITE = Suite("Fake suite", "", "1", "MIT", ["fake"], "vectors")
ONE = b'fake\0{"int":"1"}'
MAP = b'fake\0{"map":[["a",{"float":"3ff0000000000000"}],["b",null]]}'
CASES = [
    Case("one", ONE, "accept", (1,)),
    Case("malformed", b"nonsense", "refuse"),
    Case("map", MAP, "accept", (Map((("b", None), ("a", 1.0))),)),
    Case("open", b"else", "open"),
    Case("any value", ONE, "accept"),
    Case("several", ONE, "accept", (3, 1)),
]


def verdicts(runner, cases=CASES, suite=SUITE) -> dict[str, Verdict]:
    """Case → what came of it, of those that are not right."""
    found = conformed(runner, "fake", suite, cases)
    assert sum(found.verdicts.values()) + found.open_accepted + found.open_refused == len(cases)
    assert sum(found.verdicts.values()) - found.verdicts[Verdict.RIGHT] == len(found.deviations)
    return {one.case: one.verdict for one in found.deviations}


@pytest.mark.parametrize("mischief", ["none", "batch"])
def test_a_codec_that_does_as_its_suite_says_has_no_deviation(fake, mischief):
    """Alone and in batches; a map in another order is the same."""
    found = conformed(fake("good", mischief), "fake", SUITE, CASES)
    assert (found.verdicts[Verdict.RIGHT], found.open_accepted, found.open_refused) == (5, 0, 1)
    assert found.deviations == []


def test_another_value_is_told_with_the_input_and_what_came_out(fake):
    found = conformed(fake("bad", "wrong-any"), "fake", SUITE, CASES)
    assert found.deviations == [
        Deviation(name, Verdict.ANOTHER, len(ONE), ONE.hex(), '{"int":"2"}') for name in ("one", "several")
    ]


def test_a_codec_that_takes_anything_wrongly_accepts_and_has_other_values(fake):
    found = conformed(fake("bad", "takes-anything"), "fake", SUITE, CASES)
    assert {one.case: one.verdict for one in found.deviations} == {
        "one": Verdict.ANOTHER,
        "malformed": Verdict.ACCEPTED,
        "map": Verdict.ANOTHER,
        "several": Verdict.ANOTHER,
    }
    assert found.open_accepted == 1


def test_a_codec_that_refuses_what_is_right_says_why(fake):
    found = conformed(fake("bad", "refuses"), "fake", SUITE, CASES)
    assert {one.verdict for one in found.deviations} == {Verdict.REFUSED}
    assert {one.came for one in found.deviations} == {"fake: not mine"}
    assert len(found.deviations) == 4


@pytest.mark.parametrize(
    "mischief",
    ["dies", "batch-dies", "exits", "talks", "prints", "panics", "batch-panics", "over-budget", "batch-spoils"],
)
def test_a_crash_belongs_to_its_own_input_also_where_the_suite_leaves_it_open(fake, mischief):
    assert verdicts(fake("bad", mischief)) == {"malformed": Verdict.CRASH, "open": Verdict.CRASH}


def test_a_hang_ends_at_its_limit(fake, monkeypatch):
    monkeypatch.setattr(module, "CASE_LIMIT_S", 1.0)
    assert verdicts(fake("bad", "hangs")) == {"malformed": Verdict.HANG, "open": Verdict.HANG}


def test_what_is_no_notation_is_no_value(fake):
    found = conformed(fake("good"), "fake", SUITE, [Case("x", b"fake\0{]", "accept", (1,))])
    assert found.deviations[0].verdict is Verdict.ANOTHER
    assert found.deviations[0].came.startswith("what is no value")


def test_an_integer_is_a_float_where_the_suite_says_so(fake):
    cases = [Case("1.0", b'fake\0{"float":"3ff0000000000000"}', "accept", (1,))]
    one_number = Suite("", "", "", "", ["fake"], "vectors", one_number=True)
    assert verdicts(fake("good"), cases) == {"1.0": Verdict.ANOTHER}
    assert verdicts(fake("good"), cases, one_number) == {}


def test_of_a_long_input_the_beginning_is_kept_with_its_length(fake):
    long = Case("long", b"nonsense" * 10_000, "accept")
    (deviation,) = conformed(fake("good"), "fake", SUITE, [long]).deviations
    assert deviation.input_bytes == 80_000
    assert bytes.fromhex(deviation.input_hex) == (b"nonsense" * 8)


def result(codec: str, *deviations: Deviation) -> Conformed:
    return Conformed(codec, "s", None, None, dict.fromkeys(Verdict, 0), 0, 0, list(deviations))


def test_codecs_that_differ_in_the_same_cases_share_lines_and_the_worst_comes_first():
    nan = [Deviation(f"nan {number}", Verdict.ACCEPTED, 1, "00", "null") for number in range(10)]
    crash = Deviation("deep", Verdict.CRASH, 100, "5b" * 64, "killed by signal 11")
    lines = differences([result("a/x", *nan), result("a/y", *nan, crash)])
    assert lines[:3] == ["crash (1): a/y", f"    deep  [{'5b' * 20}…]", "        killed by signal 11"]
    assert lines[3] == "wrongly accepted (10): a/x, a/y"
    assert lines[4:6] == ["    nan 0  [00]", "        null"]
    assert lines[-1] == "    … and 2 more, which --json has"


def test_where_they_give_different_values_one_is_shown_and_the_others_are_counted():
    one, other = (Deviation("nan", Verdict.ANOTHER, 1, "00", came) for came in ("null", "1"))
    assert differences([result("a/x", one), result("a/y", other)])[-1] == "        null (and 1 other answer)"


# the command


def test_the_command_says_which_suites_there_are(fake_lab):
    done = fake_lab()("conformance", "--suite", "unheard-of", code=2)
    assert "no suite is named unheard-of; there are " in done.stderr


@pytest.mark.parametrize("word", ["bson-corpus=nowhere", "bson-corpus", "rfc8949=."])
def test_a_folder_that_is_none_is_refused(fake_lab, word):
    assert "for one of these suites: bson-corpus" in fake_lab()("conformance", "--folder", word, code=2).stderr


def test_the_command_says_when_no_codec_matches(fake_lab):
    assert "no cell matches" in fake_lab()("conformance", "--suite", "cbor-wg", "-f", "unheard-of", code=69).stderr


def test_a_suite_that_cannot_be_had_leaves_the_others_and_is_recorded(fake_lab, tmp_path):
    run = usual(rounds=1).write(tmp_path / "run")
    words = ("--suite", "cbor-wg", "--suite", "rfc8949", "-f", "fake/good", "--run", str(run))
    done = fake_lab()("conformance", *words)
    assert "unavailable: cbor-wg: no registry has it" in done.stdout
    kept = read_json(run / FILE, Conformance)
    assert list(kept.suites) == ["rfc8949"]
    assert kept.suites["rfc8949"].cases == 175
    assert list(kept.unavailable) == ["cbor-wg"]


def test_a_runner_without_a_description_is_a_failure(fake_lab):
    lab = fake_lab(bad="describe-nonsense")
    done = lab("conformance", "--suite", "rfc8949", "-f", "fake/", code=1)
    assert "FAIL  fake/bad: describe: not JSON" in done.stdout
    assert json.loads(lab.manifest.read_text())["runners"]
