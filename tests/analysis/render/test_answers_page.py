"""The matrix beyond speed in RESULTS.md, and the page that its rows lead to."""

import re
from pathlib import Path

import pytest

from analysis.commands.results import left_over, pages
from analysis.render.recorded.answers_page import ANSWERS_FILE, LETTERS_SHOWN, ROWS_SHOWN, answers_page, answers_section
from analysis.render.recorded.scenario_pages import MARKER
from analysis.tables.counts.footprints import FootprintTable
from analysis.tables.trust.answered import Answers
from analysis.tables.trust.matrix import NOT_ASKED, trust_of
from bench.model.findings import ClassCounts, Fact, Finding, Fuzzed
from bench.model.proof.conformance import Conformed, Deviation, Verdict
from bench.model.proof.malformed_rules import RANDOM
from tests.support.synthetic_lab import write_runs


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Path from a checkout's root → text."""
    root = tmp_path_factory.mktemp("checkout")
    write_runs(root / "results")
    (root / "README.md").write_text("<!-- table:begin process-created -->\n<!-- table:end -->\n", encoding="utf-8")
    return {path.relative_to(root).as_posix(): text for path, text in pages(root).items()}


def test_every_codec_of_the_matrix_leads_to_its_answers(written: dict[str, str]) -> None:
    matrix = written["RESULTS.md"].partition("## When something is wrong")[2].partition("\n## ")[0]
    assert f"({ANSWERS_FILE})" in matrix
    codecs = re.findall(r"^\| (\w+/[\w-]+)", matrix, re.MULTILINE)
    assert "rust/toml" in codecs
    headings = {heading.split()[0] for heading in re.findall(r"^## (.+)$", written[ANSWERS_FILE], re.MULTILINE)}
    assert set(codecs) <= headings


def test_a_codec_stands_with_the_version_of_its_library_that_was_asked(written: dict[str, str]) -> None:
    page = written[ANSWERS_FILE]
    assert "\n## rust/toml (toml 1, toml 1.2.1)\n" in page
    assert "| rust/postcard<br><sub>postcard 1.1.3</sub> |" in page


def test_random_cases_stand_with_their_number_and_seed() -> None:
    def words(*results: Fuzzed) -> str:
        return Answers(malformed={"a/b": results}).words("a/b")["Malformed input"]

    counts = {RANDOM: ClassCounts(70, 70, 0), "depth": ClassCounts(5, 5, 0)}
    drawn = Fuzzed("a/b", "point", "b", "1", 7, 75, 75, 0, [], counts)
    untyped = Fuzzed("a/b", "any", "b", "1", 7, 10, 10, 0, [], {"depth": ClassCounts(10, 10, 0)})
    assert words(drawn, untyped) == "Malformed input: 0 findings in 85 cases, 70 of them random (seed 7)."
    assert words(untyped) == "Malformed input: 0 findings in 10 cases, 0 of them random."
    older = Fuzzed("a/b", "point", "b", "1", 0, 100, 100, 0, [])
    assert words(older) == "Malformed input: 0 findings in 100 cases, 100 of them random (seed 0)."


def test_a_wrong_value_stands_with_what_was_written(written: dict[str, str]) -> None:
    postcard = written[ANSWERS_FILE].partition("## rust/postcard (postcard 1.1.3)\n")[2].partition("\n## ")[0]
    assert "Schema evolution: 1 of 2 exchanges came out as they should; silently wrong: widen (forward)." in postcard
    assert '| widen | forward | {"a":70000} | {"a":4464} |' in postcard


def test_a_codec_that_was_not_asked_has_no_figure(written: dict[str, str]) -> None:
    row = next(line for line in written[ANSWERS_FILE].splitlines() if line.startswith("| rust/postcard<br>"))
    assert row.split(" | ")[1] == NOT_ASKED, "no suite of its format was asked"


def test_long_lists_and_values_are_cut_and_say_so() -> None:
    cases = [Deviation(f"case {n}", Verdict.ACCEPTED, 1, "00" * 500, "x" * 500) for n in range(ROWS_SHOWN + 5)]
    answers = Answers(conformance={"a/b": [Conformed("a/b", "suite", None, None, {Verdict.ACCEPTED: 25}, 0, 0, cases)]})
    page = answers_page(trust_of(answers, {}), answers, FootprintTable())
    assert f"the first {ROWS_SHOWN} of {len(cases)}" in page
    assert f"case {ROWS_SHOWN - 1}" in page
    assert f"case {ROWS_SHOWN} " not in page
    assert "x" * LETTERS_SHOWN + "…" in page


def test_cases_that_a_library_has_no_code_for_stand_apart() -> None:
    held = [Conformed("a/b", "suite", None, None, {Verdict.RIGHT: 1401}, 0, 0, [], skipped=1404)]
    answers = Answers(conformance={"a/b": held})
    page = answers_page(trust_of(answers, {}), answers, FootprintTable())
    assert "Conformance: suite 1,401 of 1,401, 1,404 skipped." in page


def test_what_came_out_wrong_leads_to_the_issues_that_tell_of_it() -> None:
    """One of prost's issues is about -0.0, and none about an empty text."""

    def page(outcome: str, library: str = "prost") -> str:
        fuzzed = Fuzzed("a/b", "point", library, "1", 0, 1, 1, 0, [])
        facts = [Fact("a/b", "f64: -0.0", outcome), Fact("a/b", "string: empty", "changed")]
        answers = Answers(malformed={"rust/b": [fuzzed]}, fidelity={"rust/b": facts})
        return answers_page(trust_of(answers, {}), answers, FootprintTable())

    address = "https://github.com/tokio-rs/prost/issues/1177"
    assert f"- Issue of 2024-10-23: [Negative zero is left out, as zero is]({address})." in page("changed")
    assert address not in page("same")
    assert address not in page("changed", library="another")


def test_variants_share_a_line_only_where_every_figure_is_the_same() -> None:
    right = {"a/b": 25, "a/b-fast": 25, "a/b-slow": 24, "a/bc": 25, "a/sound": 25}
    crash = Finding("a/b", "point", 1, "killed by SIGSEGV", "ff")
    answers = Answers(
        conformance={
            codec: [
                Conformed(codec, "suite", None, None, {Verdict.RIGHT: number, Verdict.ACCEPTED: 25 - number}, 0, 0, [])
            ]
            for codec, number in right.items()
        },
        malformed={
            codec: [Fuzzed(codec, "point", "b", "1", 0, 9, 8, 0, [] if codec == "a/sound" else [crash])]
            for codec in right
        },
    )
    assert "all 5 codecs that were asked. Here stand the 4 with findings" in answers_section(trust_of(answers, {}))[1]
    rows = answers_section(trust_of(answers, {}))[-1].splitlines()[2:]
    assert [row.split(" | ")[0] for row in rows] == [
        "| a/b, -fast",
        "| a/b-slow",
        "| a/bc",
    ]


def test_without_answers_there_is_no_matrix_and_an_old_page_goes(tmp_path: Path) -> None:
    assert answers_section({}) == []
    old = tmp_path / ANSWERS_FILE
    old.parent.mkdir()
    old.write_text(f"{MARKER}\n\n# Beyond speed\n", encoding="utf-8")
    assert left_over(tmp_path, {}) == [old]
    assert left_over(tmp_path, {old}) == []
