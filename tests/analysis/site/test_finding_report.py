"""What is reported of a finding, and what recorded runs and pages leave out."""

import msgspec
import pytest

from analysis.commands.report_finding import input_of, sought
from analysis.render.finding_report import finding_report
from analysis.sources.maintenance import Channel
from bench.base.errors import LabError
from bench.base.files import read_toml
from bench.model.findings import Fact, Fidelity, Finding, Fuzzed, Fuzzing, Harm
from bench.model.proof.conformance import Conformed, Deviation, Verdict
from bench.model.proof.evolved import Evolution, Evolved, Outcome
from bench.model.proof.malformed_rules import RANDOM
from bench.model.proof.suite import SuiteFile
from bench.proof.formats.grammars import grammars
from bench.proof.formats.templates import MistakeError, from_recipe
from bench.proof.special import load_special
from bench.proof.suites import packages
from bench.proof.upstream import (
    FILE,
    WITHHELD,
    Issue,
    UpstreamFile,
    is_withheld,
    public,
    public_evolution,
    public_fidelity,
    shown,
    shown_suite,
    upstream,
)
from bench.scenarios.catalogue import load_catalogue

OVERFLOW = Finding(
    "rust/bad",
    "any",
    7,
    "decode: killed by signal 6: thread 'main' has overflowed its stack",
    "",
    class_="depth",
    id="rust/bad/depth/0a1b2c3d",
    recipe='bytes.fromhex("81") * 100000 + bytes.fromhex("00")',
    specification="https://example.org, section 3: nothing is said of depth",
)
SWALLOWED = Finding(
    "rust/bad",
    "point",
    8,
    "accepted what must be refused (x): 1",
    "0100",
    "trailing-bytes",
    "rust/bad/trailing-bytes/1",
)
RESULT = Fuzzed("rust/bad", "any", "bad", "1.2.3", 0, 2, 0, 0, [OVERFLOW, SWALLOWED])
FUZZING = Fuzzing(1, "2026-11-23T00:00:00+00:00", 0, 0, {}, [RESULT], {})


def test_a_crash_is_reported_in_private_first():
    channel = Channel("its SECURITY.md", "https://example.org/security", "no AI")
    text = finding_report(OVERFLOW, RESULT, channel, ".lab/bad")
    where = "report this in private: https://example.org/security (its SECURITY.md; no AI)."
    assert text.startswith(f"**Not in public:** {where}")
    for part in ("bad 1.2.3", "rust/bad/depth/0a1b2c3d", OVERFLOW.recipe, "overflowed its stack", "section 3"):
        assert part in text
    assert ".lab/bad decode --type any < input.bin" in text


def test_without_a_known_address_it_says_where_to_look():
    assert "see the security policy of its repository" in finding_report(OVERFLOW, RESULT, None, "x")


def test_where_none_is_published_it_says_how_to_ask_for_one():
    text = finding_report(OVERFLOW, RESULT, Channel("its repository"), "x")
    assert "ask the maintainers for one, in an issue without details (its repository)." in text


def test_what_harms_nobody_is_reported_as_it_is():
    text = finding_report(SWALLOWED, RESULT, None, "x")
    assert "Not in public" not in text
    assert "    0100" in text
    assert "decode --scenario point" in text


def test_recorded_runs_count_a_crash_and_do_not_show_how():
    hidden, plain = public(FUZZING).results[0].findings
    assert (hidden.problem, hidden.input_hex, hidden.recipe) == (WITHHELD[Harm.EXHAUSTION], "", None)
    assert (hidden.harm, hidden.id) == (OVERFLOW.harm, OVERFLOW.id)
    assert plain == SWALLOWED


@pytest.mark.parametrize(
    ("problem", "harm"),
    [
        ("decode: killed by signal 11: printed nothing", Harm.MEMORY),
        ("decode: no end within 20 s, twice", Harm.EXHAUSTION),
        ("decode: took 2048 MiB of memory", Harm.EXHAUSTION),
        ("took more memory than the budget: x", Harm.EXHAUSTION),
        ("panicked: index out of bounds", Harm.OTHER),
    ],
)
def test_what_stops_a_server_is_withheld_and_stays_of_its_kind(problem, harm):
    finding = msgspec.structs.replace(OVERFLOW, problem=problem)
    (told,) = shown(msgspec.structs.replace(RESULT, findings=[finding]), UpstreamFile(1, [])).findings
    assert told.harm == harm
    assert told.problem == WITHHELD.get(harm, problem)


def file_about(*about: str, library: str = "rust/bad", problem: str = "overflowed its stack") -> UpstreamFile:
    """A file with one issue."""
    issue = Issue(library, about, "2026-12-01", "https://example.org/issues/7", "It crashes", problem=problem)
    return UpstreamFile(1, [issue])


@pytest.mark.parametrize(
    ("file", "withheld"),
    [
        (file_about("suite"), False),
        (file_about("suit"), True),
        (file_about("suite", library="cpp/bad"), True),
        (UpstreamFile(1, []), True),
    ],
)
def test_a_crash_in_a_suite_is_counted_and_its_case_not_shown(file, withheld):
    crash = Deviation("deep.json", Verdict.CRASH, 4, "5b5b5b5b", "killed by signal 11")
    hang = Deviation("long.json", Verdict.HANG, 4, "5b5b5b5c", "timeout from test program")
    panic = Deviation("odd.json", Verdict.CRASH, 1, "7b", "panicked: index out of bounds")
    result = Conformed("rust/bad", "suite", "bad", "1.2.3", {Verdict.CRASH: 2}, 0, 0, [crash, hang, panic])
    hidden = [
        Deviation("withheld", Verdict.CRASH, 0, "", WITHHELD[Harm.MEMORY]),
        Deviation("withheld", Verdict.HANG, 0, "", WITHHELD[Harm.EXHAUSTION]),
    ]
    assert shown_suite(result, file).deviations == [*(hidden if withheld else [crash, hang]), panic]
    assert shown_suite(result, file).verdicts == result.verdicts


CRASHES = ["decode: killed by signal 11: no message", "exit code -6", "thread 'main' has overflowed its stack"]
"""The last two as older labs recorded the crashes of readers of a changed schema."""


@pytest.mark.parametrize("problem", CRASHES)
def test_a_crash_of_a_special_value_or_after_a_change_is_counted_and_not_shown(problem):
    facts = [Fact("a/b", "deep", "failed", "[[", error=problem), Fact("a/b", "odd", "failed", "1", error="panicked: x")]
    hidden, plain = public_fidelity(Fidelity(1, "2026-11-23T00:00:00+00:00", {}, facts)).facts
    assert (hidden.outcome, hidden.probe, hidden.sent) == ("failed", "withheld", None)
    assert hidden.error in WITHHELD.values()
    assert plain == facts[1]
    exchanges = [
        Evolved("a/b", "widen", "forward", Outcome.CRASH, False, "{}", None, told)
        for told in (problem, f"the writer failed: {problem}", "panicked: x")
    ]
    evolution = Evolution(1, "2026-11-23T00:00:00+00:00", {}, {}, exchanges, {}, {})
    *gone, stays = public_evolution(evolution).results
    assert {(one.change, one.wrote, one.outcome) for one in gone} == {("withheld", "", Outcome.CRASH)}
    assert all(one.problem in WITHHELD.values() for one in gone)
    assert stays == exchanges[2]


@pytest.mark.parametrize("problem", ["", "SIGSEGV"])
def test_an_issue_about_a_class_tells_of_no_other_crash_of_it(problem):
    """But by its id of a single one, and without a pattern of what is no crash."""
    assert is_withheld(OVERFLOW, "bad", file_about("depth", problem=problem))
    assert not is_withheld(OVERFLOW, "bad", file_about(OVERFLOW.id, problem=problem))
    assert bool(file_about("trailing-bytes", problem=problem).of_finding(SWALLOWED, "bad")) is (problem == "")


def test_a_problem_of_an_issue_that_is_no_regular_expression_is_told_with_its_field(tmp_path):
    text = FILE.read_text().replace('problem = "has overflowed its stack"', 'problem = "("', 1)
    (tmp_path / "upstream.toml").write_text(text)
    number = [one.problem for one in upstream().issues].index("has overflowed its stack")
    with pytest.raises(LabError, match=rf"issues\.{number}\.problem"):
        upstream(tmp_path / "upstream.toml")


@pytest.mark.parametrize(
    ("about", "withheld"), [("depth", False), (OVERFLOW.id, False), ("dept", True), ("nan", True), ("rust/bad", True)]
)
def test_what_an_issue_tells_of_is_shown(about, withheld):
    assert is_withheld(OVERFLOW, "bad", file_about(about)) is withheld
    assert is_withheld(OVERFLOW, "bad@2", file_about(about)) is withheld
    assert is_withheld(OVERFLOW, "worse", file_about(about))
    assert (shown(RESULT, file_about(about)).findings[0] == OVERFLOW) is not withheld


def test_a_report_names_the_issues_that_tell_of_it_in_place_of_a_private_channel():
    issues = file_about("depth").of_finding(OVERFLOW, "bad")
    text = finding_report(OVERFLOW, RESULT, Channel("its SECURITY.md"), "x", issues)
    assert text.startswith("**Known already:** https://example.org/issues/7 (2026-12-01): It crashes.")
    assert "Not in public" not in text


def test_issues_are_about_what_the_lab_asks_and_of_libraries_that_it_has():
    special, offered = load_special(), load_catalogue().codecs.items()
    suites = read_toml(packages.FILE, SuiteFile).suites
    asked = {*grammars().classes, RANDOM, *suites, *special.untyped, *(one.name for one in special.typed)}
    libraries = {f"{codec.partition('/')[0]}/{(one.library or '').partition('@')[0]}" for codec, one in offered}
    for issue in upstream().issues:
        assert {name for name in issue.about if name.count("/") < 3} <= asked, issue
        assert issue.library in libraries, issue


def test_an_input_is_made_of_its_recipe_without_running_it():
    assert input_of(OVERFLOW) == b"\x81" * 100_000 + b"\0"
    assert input_of(SWALLOWED) == b"\1\0"


@pytest.mark.parametrize(
    "recipe", ["", "__import__('os').getcwd()", 'bytes.fromhex("00") * 9999999999', 'bytes.fromhex("00") + ', "b'x'"]
)
def test_a_recipe_that_is_none_of_the_lab_s_is_refused(recipe):
    with pytest.raises(MistakeError):
        from_recipe(recipe)
    with pytest.raises(LabError, match="damaged"):
        input_of(msgspec.structs.replace(OVERFLOW, recipe=recipe))


def test_a_finding_is_found_by_its_id_and_others_are_named():
    assert sought(OVERFLOW.id, [FUZZING])[0] == OVERFLOW
    with pytest.raises(LabError, match="rust/bad/trailing-bytes/1"):
        sought("rust/bad/trailing-bytes/2", [FUZZING])
    with pytest.raises(LabError, match="withheld"):
        sought(OVERFLOW.id, [public(FUZZING)])
