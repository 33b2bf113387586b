"""Malformed input: what counts as a finding, to which input it belongs, and that the cases are always the same."""

import json
import sys

import msgspec
import pytest

from bench.base.files import read_json, sha256_of
from bench.base.supervision import Ended
from bench.model.findings import Finding, Fuzzing, Harm, by_harm, harms
from bench.model.proof.malformed_rules import RANDOM
from bench.proof import containment
from bench.proof import fuzz as module
from bench.proof.containment import MALFORMED
from bench.proof.formats.grammars import leaves_text_open
from bench.proof.fuzz import FILE, Outcome, decode_alone, fuzz, mutations, run_batches, seed_text, seed_value
from bench.scenarios.inputs import canonical_input
from tests.support.lab import FAKE
from tests.support.scenarios.committed import committed_scenarios
from tests.support.synthetic_run import usual

POINT, LOG = committed_scenarios()["point"], committed_scenarios()["log-small"]
GOOD = b'fake\0{"x":1,"y":2}'


def test_the_cases_follow_from_the_seed_alone():
    assert list(mutations(GOOD, "a", 500)) == list(mutations(GOOD, "a", 500))
    assert list(mutations(GOOD, "a", 500)) != list(mutations(GOOD, "b", 500))


@pytest.mark.parametrize("count", [1, 5, 300])
@pytest.mark.parametrize("whole", [b"x", GOOD])
def test_there_are_as_many_cases_as_were_asked_for(whole, count):
    assert len(list(mutations(whole, "seed", count))) == count


def test_lists_are_cut_short_wherever_they_stand():
    assert seed_value({"a": [[*range(100)], "text"]}) == {"a": [[*range(8)], "text"]}


def harm_of(problem):
    return Finding("fake/bad", "point", 0, problem, "00").harm


@pytest.mark.parametrize(
    ("mischief", "words", "harm"),
    [
        ("dies", "killed by signal 9", Harm.EXHAUSTION),
        ("exits", "exit code 1: fake: not mine", Harm.OTHER),
        ("prints", "refused, but printed b'{}", Harm.OTHER),
        ("talks", "refused with 2 lines on standard error", Harm.OTHER),
        ("hangs", "no end within", Harm.EXHAUSTION),
        ("panics", "decode: panicked: fake: not mine", Harm.OTHER),
        ("over-budget", "decode: took more memory than the budget: fake: not mine", Harm.EXHAUSTION),
    ],
)
def test_whatever_is_no_refusal_and_no_value_is_a_finding(fake, monkeypatch, mischief, words, harm):
    monkeypatch.setattr(containment, "CASE_LIMIT_S", 2.0)
    problem = decode_alone(fake("bad", mischief), POINT, b"nonsense").finding
    assert words in str(problem)
    assert harm_of(problem) == harm


@pytest.mark.parametrize(
    ("problem", "harm"),
    [
        ("decode: killed by signal 11: printed nothing", Harm.MEMORY),
        ("filter: killed by signal 6: thread 'main' has overflowed its stack", Harm.EXHAUSTION),
        ("decode: exit code 1: ==7==ERROR: AddressSanitizer: stack-overflow on address 0x7ff", Harm.EXHAUSTION),
        ("decode: exit code 1: ==7==ERROR: AddressSanitizer: stack-buffer-overflow on address 0x7ff", Harm.MEMORY),
        ("decode: exit code 3221225725: printed nothing", Harm.EXHAUSTION),
        ("decode: killed by signal 11 in a batch, not alone: printed nothing", Harm.MEMORY),
        ("decode: panicked: runtime error: index out of range", Harm.OTHER),
        ("panicked: index out of bounds: the len is 3", Harm.OTHER),
        ("took more memory than the budget: 64 MiB", Harm.EXHAUSTION),
        ("decode: exit code 1: ==7==ERROR: AddressSanitizer: heap-buffer-overflow on address", Harm.MEMORY),
        ("decode: exit code 1: a/b.h:9:5: runtime error: load of value 190, which is not a valid value", Harm.MEMORY),
        ("decode: exit code 3221225477: printed nothing", Harm.MEMORY),
        ("decode: killed by signal 6: memory allocation of 98784247813 bytes failed", Harm.EXHAUSTION),
        ("decode: exit code 1: ==7==ERROR: AddressSanitizer: allocation-size-too-big", Harm.EXHAUSTION),
        ("accepted text that is not UTF-8: b'AddressSanitizer no end within'", Harm.WRONG_VALUE),
        ("accepted, but printed no JSON (Expecting value): b'x'", Harm.WRONG_VALUE),
        ("exit code 101: index out of bounds: the len is 3", Harm.OTHER),
        ("accepted what must be refused (a leading zero): 1", Harm.SPECIFICATION),
        ("refused what must be read (1 in two bytes): not canonical", Harm.SPECIFICATION),
        ("read another value (1 in two bytes): 2 instead of 1", Harm.WRONG_VALUE),
        ("decode: exit code 32212: no crash of Windows", Harm.OTHER),
    ],
)
def test_findings_are_told_apart_by_what_they_can_do(problem, harm):
    """Messages as Rust, the sanitizers of clang and the lab write them; results that were kept have no other mark."""
    assert harm_of(problem) == harm


def test_the_kinds_are_counted_the_worst_first():
    problems = ("accepted, but printed no JSON", "decode: killed by signal 11: x", "decode: killed by signal 11: y")
    findings = [Finding("fake/bad", "point", 0, problem, "00") for problem in problems]
    assert list(by_harm(findings).values()) == [2, 1, 0, 0, 0]
    assert (harms(findings), harms([])) == ("2 memory, 1 wrong value", "")


@pytest.mark.skipif(sys.platform == "win32", reason="this system does not tell the memory of a process that ended")
def test_memory_in_proportion_to_a_claimed_length_is_a_finding(fake, monkeypatch):
    monkeypatch.setattr(containment, "CASE_MEMORY_BYTES", 100 << 20)
    problem = decode_alone(fake("bad", "swells"), POINT, b"nonsense").finding
    assert "MiB of memory" in str(problem)
    assert harm_of(problem) == Harm.EXHAUSTION
    assert decode_alone(fake("good"), POINT, b"nonsense").finding is None


def test_of_rows_in_a_file_the_first_are_taken_whole():
    whole = canonical_input(LOG).splitlines()
    assert seed_text(LOG).splitlines() == whole[: module.SEED_ITEMS]


def test_a_refusal_and_a_value_are_none(fake):
    assert decode_alone(fake("good"), POINT, b"nonsense") == Outcome(MALFORMED, printed=b"fake: not mine")
    assert decode_alone(fake("good"), POINT, GOOD) == Outcome(0, printed=b'{"x":1,"y":2}\n')


def test_a_value_that_is_no_json_is_a_finding(fake):
    assert "printed no JSON" in str(decode_alone(fake("good"), POINT, b"fake\0{").finding)


@pytest.mark.parametrize("batch", [1, 2, 3, 250])
def test_a_crash_in_a_batch_belongs_to_its_own_input(fake, monkeypatch, batch):
    """Those before it and after it are judged by their own answers."""
    monkeypatch.setattr(containment, "BATCH", batch)
    outcomes = run_batches(fake("bad", "batch-dies"), POINT, [GOOD, b"nonsense", GOOD, GOOD, b"nonsense"])
    assert [outcome.finding is None for outcome in outcomes] == [True, False, True, True, False]
    assert all("killed by signal 9" in str(outcomes[place].finding) for place in (1, 4))


@pytest.mark.parametrize(
    ("mischief", "words", "harm"),
    [
        ("batch-panics", "panicked: fake: not mine", Harm.OTHER),
        ("batch-over-budget", "took more memory than the budget: fake: not mine", Harm.EXHAUSTION),
        ("batch-spoils", "decode: killed by signal 11 in a batch, not alone: printed nothing", Harm.MEMORY),
    ],
)
def test_what_only_an_exit_code_or_a_batch_tells_is_a_finding(fake, mischief, words, harm):
    """In a batch the code stands in the answer; a crash that does not happen alone is told all the same."""
    outcomes = run_batches(fake("bad", mischief), POINT, [GOOD, b"nonsense", GOOD])
    assert [outcome.finding for outcome in outcomes] == [None, words, None]
    assert harm_of(words) == harm


def test_what_ends_when_it_is_asked_again_does_not_hang(fake, monkeypatch):
    """Another program may have held the machine up."""
    late, ended = Ended(None), Ended(MALFORMED, messages="fake: not mine\n")
    for answers, hangs in (([late, ended], False), ([late, late], True)):
        left = iter(answers)
        monkeypatch.setattr(containment, "_run", lambda *_, left=left: next(left))
        assert containment.ask(fake("good"), ["decode"], b"").hung is hangs
        assert not list(left)


@pytest.mark.parametrize("mischief", ["none", "batch"])
def test_alone_and_in_batches_the_counts_are_the_same(fake, mischief):
    result = fuzz(fake("good", mischief), POINT, 40, 7)
    assert result.cases == result.refused + result.accepted + len(result.findings)
    alone = fuzz(fake("good"), POINT, 40, 7)
    assert (result.refused, result.accepted) == (alone.refused, alone.accepted)
    assert result.refused > 10


def asked_in(monkeypatch, runner, count=400):
    """The cases that a codec is given."""
    given = []
    monkeypatch.setattr(module, "outcomes_of", lambda _, __, cases: given.extend(cases) or [Outcome(0)] * len(cases))
    assert fuzz(runner, POINT, count, 7).cases == len(given)
    return given


def test_what_was_drawn_twice_is_asked_once(fake, monkeypatch):
    """A message of 19 bytes has not so many beginnings."""
    given = asked_in(monkeypatch, fake("good"))
    assert 200 < len(set(given)) == len(given) < 400


def test_variants_that_write_the_same_bytes_are_given_the_same_cases(fake, monkeypatch):
    assert asked_in(monkeypatch, fake("good")) == asked_in(monkeypatch, fake("good-slice"))


def test_the_command_records_every_finding_with_its_input(fake_lab):
    lab = fake_lab(bad="dies")
    done = lab("fuzz", "--cases", "30", "--json", "-f", "fake/bad", "--class", "random", code=1)
    found = [finding for line in done.stdout.splitlines() for finding in json.loads(line)["findings"]]
    assert found
    assert {finding["codec"] for finding in found} == {"fake/bad"}
    killed = [finding for finding in found if "killed by signal 9" in finding["problem"]]
    assert killed
    assert not any(bytes.fromhex(finding["input_hex"]).startswith(b"fake\0") for finding in killed)


def test_what_was_found_is_kept_beside_a_run_with_the_binaries_that_it_holds_for(fake_lab, tmp_path):
    run = usual(rounds=1).write(tmp_path / "run")
    command = ("fuzz", "--cases", "30", "-f", "point", "--class", "random", "--run", str(run))
    fake_lab(bad="dies")(*command, code=1)
    kept = read_json(run / FILE, Fuzzing)
    assert (kept.cases, kept.seed, kept.classes) == (30, 0, ["random"])
    assert {result.codec for result in kept.results} == {"fake/bad", "fake/good"}
    assert sum(len(result.findings) for result in kept.results) > 0
    assert kept.binaries == dict.fromkeys(("fake/bad", "fake/good"), sha256_of(FAKE))


def test_what_an_older_lab_found_is_read_as_random():
    """A line as it was written before there were classes."""
    older = (
        b'{"protocol":1,"created":"2026-11-20T10:00:00+00:00","cases":10,"seed":0,"binaries":{},"failures":{},"results":'
        b'[{"codec":"fake/bad","scenario":"point","library":"fake","version":"1.0.0","seed":0,"cases":10,"refused":8,'
        b'"accepted":1,"findings":[{"codec":"fake/bad","scenario":"point","case":3,"problem":"decode: killed by signal 9:'
        b' printed nothing","input_hex":"ff"}]}]}'
    )
    (result,) = msgspec.json.decode(older, type=Fuzzing).results
    assert (result.classes, result.findings[0].class_, result.findings[0].input_hex) == ({}, RANDOM, "ff")


@pytest.mark.parametrize("command", ["fuzz", "fidelity"])
def test_a_folder_without_a_run_is_refused_before_anything_is_asked(fake_lab, tmp_path, command):
    assert "holds no run" in fake_lab()(command, "--run", str(tmp_path), code=69).stderr


def test_the_command_says_when_nothing_matches(fake_lab):
    assert "no cell matches" in fake_lab()("fuzz", "-f", "unheard-of", code=69).stderr


@pytest.mark.parametrize("text", [b"\xff", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80"])
def test_what_a_decoder_prints_is_utf_8(text):
    printed = b'{"a":"%b"}' % text
    assert "not UTF-8" in str(module._wrong_json(printed, rows=False, any_text=False))
    assert module._wrong_json(printed, rows=False, any_text=True) is None
    assert module._wrong_json('{"a":"é"}'.encode(), rows=False, any_text=False) is None


def test_text_is_utf_8_where_the_specification_excludes_other_text():
    """MessagePack's specification, Limitation; RFC 8949, 5.3.1; RFC 8259, 9; the proto3 guide; bsonspec.org. FlatBuffers'
    says nothing of text, and of cereal's the lab knows no rules."""
    names = ("MessagePack", "CBOR", "JSON", "FlatBuffers", "cereal binary", "Protocol Buffers", "BSON")
    assert [name for name in names if not leaves_text_open(name)] == ["Protocol Buffers", "BSON"]
