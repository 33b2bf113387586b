"""RESULTS.md and the table in README.md are what the committed runs give, to the byte."""

import re
import shutil
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from analysis.claims.ledger import ledger
from analysis.claims.ledger_entry import Evidence, LedgerEntry, Quotation
from analysis.claims.verdicts import Verdict
from analysis.commands import results as command
from analysis.commands.results import pages, pages_of, read_reports, results
from analysis.render.recorded.results import END, readme_table, splice
from analysis.render.recorded.scenario_pages import MARKER
from analysis.render.recorded.verdict_list import LISTED_BYTES, not_held
from analysis.site.pictures import draw_claims
from bench.base.errors import LabError
from bench.base.paths import ROOT
from tests.documents.test_references import anchors
from tests.support.recorded.committed import recorded
from tests.support.scenarios.committed import committed_claims
from tests.support.synthetic_run import claimed, usual

BEGIN = "<!-- table:begin process-created -->"
PAGE_OF_SCENARIO = "results/scenarios/process-created.md"
PAGE = f"# Lab\n\nabove\n\n{BEGIN}\nold\n{END}\n\nbelow\n"


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with two recorded runs and a README.md."""
    claimed(usual(), 200, 200).write(tmp_path / "results" / "first")
    claimed(usual(rounds=6), 200, 200).write(tmp_path / "results" / "deeper" / "second")
    (tmp_path / "README.md").write_text(PAGE, encoding="utf-8")
    monkeypatch.setattr(command, "ROOT", tmp_path)
    return tmp_path


def call(*arguments: str) -> tuple[int, str]:
    """Exit code and messages of `lab results`."""
    result = CliRunner().invoke(results, arguments, catch_exceptions=False)
    return result.exit_code, result.output


def test_committed_pages_are_what_the_committed_runs_give() -> None:
    for path, text in pages_of(ROOT, recorded()).items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name} differs; `./lab results` writes it anew"


def test_every_published_table_has_published_figures() -> None:
    """Under the times, where the heading names them: B-FAST's page has none of 100 and 1,000 users."""
    page = (ROOT / "RESULTS.md").read_text(encoding="utf-8").split("## The published tables")[1]
    headed = {}
    for table in page.split("\n## ")[0].split("\n### ")[1:]:
        grid = [line.split(" | ") for line in table.splitlines() if line.startswith("| ")]
        named = [place for place, heading in enumerate(grid[0]) if "<br>published" in heading]
        headed[table.partition("\n")[0]] = [row[place].split("<br>")[1:2] for row in grid[2:] for place in named]
    assert [name for name, figures in headed.items() if not figures] == ["users-1k", "users-100"]
    assert [
        name for name, figures in headed.items() if figures and not any(one not in ([], ["–"]) for one in figures)
    ] == []


def test_writes_both_pages_then_has_nothing_to_do(checkout: Path) -> None:
    assert call("--check")[0] == 1
    assert not (checkout / "RESULTS.md").exists(), "--check writes nothing"
    assert call()[0] == 0
    assert call("--check") == (0, "")
    assert call() == (0, "")


@pytest.mark.parametrize("name", ["RESULTS.md", "README.md", PAGE_OF_SCENARIO])
def test_check_sees_a_number_that_was_typed_in(checkout: Path, name: str) -> None:
    call()
    path = checkout / name
    text = path.read_text(encoding="utf-8")
    assert "4.34" in text, "the published figure that is changed here"
    path.write_text(text.replace("4.34", "9.34", 1), encoding="utf-8")
    code, said = call("--check")
    assert code == 1
    assert name in said


def test_a_page_of_a_scenario_that_no_run_holds_is_removed(checkout: Path) -> None:
    call()
    gone = checkout / "results" / "scenarios" / "gone.md"
    gone.write_text(f"{MARKER}\n\n# Gone\n", encoding="utf-8")
    code, said = call("--check")
    assert (code, gone.exists()) == (1, True)
    assert "gone.md" in said
    assert call()[0] == 0
    assert not gone.exists()
    assert call("--check") == (0, "")


def test_a_page_that_somebody_wrote_by_hand_stays(checkout: Path) -> None:
    call()
    own, link = (checkout / "results" / "scenarios" / name for name in ("own.md", "link.md"))
    own.write_text(f"# Own\n{MARKER}\n", encoding="utf-8")
    link.symlink_to(checkout / PAGE_OF_SCENARIO)
    assert call("--check") == (0, "")
    call()
    assert own.exists()
    assert link.is_symlink()


def test_pages_do_not_depend_on_where_the_checkout_lies(
    checkout: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = tmp_path_factory.mktemp("other") / "checkout"
    shutil.copytree(checkout, other)
    assert list(pages(checkout).values()) == list(pages(other).values())
    assert str(checkout) not in "".join(pages(checkout).values())


def test_results_page_says_what_where_and_when(checkout: Path) -> None:
    page = pages(checkout)[checkout / "RESULTS.md"]
    assert page.startswith("# Results\n")
    for words in (
        "Synthetic CPU, 2 threads",
        "2025-01-02",
        "cccccccccccc",
        "`./lab results`",
        "### process-created",
        "Process Create Event",
        f"({PAGE_OF_SCENARIO})",
        "[against the data\\]",
    ):
        assert words in page


def test_results_page_has_the_published_rows_of_one_run_only(checkout: Path) -> None:
    page = pages(checkout)[checkout / "RESULTS.md"]
    assert page.count("| rust/bincode |") == 1
    assert "cbor4ii" not in page, "no row of the publication"
    assert "| 234 [+0%] |" in page


def test_a_scenarios_page_has_all_runs_apart_and_all_else(checkout: Path) -> None:
    page = pages(checkout)[checkout / PAGE_OF_SCENARIO]
    assert page.startswith(f"{MARKER}\n\n# Process Create Event\n\nThis page shows ")
    for words in (
        "postcard 1.2.3",
        "`./lab bench -f process-created --profile published --rounds 10 --seed 7`",
        "What the published method hides",
        "Noise floor",
        "rust/cbor4ii",
        "`flat-message-unchecked-first@linux`",
    ):
        assert words in page
    assert page.count("| 2= | rust/bincode<br>") == 2, "one table a run, none that mixes them"


def test_what_a_claim_links_to_is_there(checkout: Path) -> None:
    entries = ledger(committed_claims(), [report.cells for report in read_reports(checkout / "results")])
    written = pages(checkout)
    linked = {entry.evidence.table for entry in entries if entry.evidence.table}
    assert linked
    for link in linked:
        name, _, anchor = link.partition("#")
        assert anchor in anchors(written[checkout / name])


def test_refuted_claims_come_first_and_each_says_why() -> None:
    entries = [claim("one", Verdict.UNDECIDED), *(claim(f"two{number}", Verdict.REFUTED) for number in range(100))]
    text = "\n".join(not_held(entries, ["point"]))
    assert all(f"**two{number}**: because two{number}." in text for number in range(100))
    assert text.index("two99") < text.index("### Undecided: 1 claim") < text.index(": one.")
    assert "(results/scenarios/point.md#claims)" in text


def test_undecided_claims_stand_under_their_reason_and_beyond_a_size_are_counted() -> None:
    entries = [claim(f"claim {number}", Verdict.UNDECIDED, "; a run says refuted") for number in range(1000)]
    alike = [msgspec.structs.replace(entry, why="too near; a run says refuted") for entry in entries]
    text = "\n".join(not_held(alike, ["point"]))
    assert text.count("- Too near: claim 0; claim 1; ") == 1
    assert len(text.encode()) < 2 * LISTED_BYTES
    listed = text.count("claim ")
    assert f"\n{1000 - listed} more stand on the pages of their scenarios." in text


def test_what_several_claims_end_with_is_said_once() -> None:
    remark = "its program was compiled otherwise"
    ends = (f"; a run says undecided; {remark}", f"; {remark}", "; another remark", "")
    text = "\n".join(
        not_held([claim(f"claim{number}", Verdict.REFUTED, end) for number, end in enumerate(ends)], ["point"])
    )
    assert "because claim0; a run says undecided.†\n" in text
    assert "because claim1.†\n" in text
    assert "because claim2; another remark.\n" in text
    assert "because claim3.\n" in text
    assert "\n\n† Its program was compiled otherwise." in text
    assert text.count("compiled otherwise") == 1


def test_runs_are_told_by_the_last_characters_of_their_names() -> None:
    one, two = "20261128T023729Z-linux-x86_64-911a18", "20261127T120101Z-macos-aarch64-fb3724"
    contradiction = f"refuted in {one}, reproduced in {two}"
    undecided = msgspec.structs.replace(claim("unsure", Verdict.UNDECIDED), why=contradiction)
    text = "\n".join(
        not_held([claim("false", Verdict.REFUTED, f"; {one}, {two} say undecided; {one} says refuted"), undecided], [])
    )
    assert "because false; runs 911a18, fb3724 say undecided; run 911a18 says refuted.\n" in text
    assert "- Refuted in run 911a18, reproduced in run fb3724: unsure." in text


def claim(says: str, verdict: Verdict, remark: str = "") -> LedgerEntry:
    """A claim of the scenario point with a verdict."""
    fields = dict.fromkeys(LedgerEntry.__struct_fields__)
    fields |= {
        "says": says,
        "id": says,
        "verdict": verdict,
        "why": f"because {says}{remark}",
        "sentence": f"{verdict}: because {says}{remark}",
    }
    return LedgerEntry(**{**fields, "evidence": Evidence(Quotation(None, "Book", None, None), "point")})


def test_results_page_begins_with_the_score_of_the_ledger_and_its_picture(checkout: Path) -> None:
    written = pages(checkout)
    page, picture = written[checkout / "RESULTS.md"], written[checkout / "RESULTS.svg"]
    score = re.search(r"^\*\*(\d+) claims: (\d+) reproduced, (\d+) same direction, (\d+) refuted", page, re.MULTILINE)
    assert score
    assert page.index(score[0]) < page.index("## Does it hold") < page.index("](RESULTS.svg)")
    rows = [
        line for line in page.splitlines() if line.startswith(("| The FlatMessage", "| brec", "| binary", "| B-FAST"))
    ]
    cells = [[0 if cell == "–" else int(cell) for cell in row.split(" | ")[1:-1]] for row in rows]
    assert sum(cell[3] for cell in cells) == int(score[2]), "the table adds up to the score"
    assert sum(cell[0] for cell in cells) == int(score[4])
    assert picture.startswith("<svg")
    assert "published factor" in picture


def test_the_picture_has_a_mark_for_each_measured_claim_of_a_factor(checkout: Path) -> None:
    entries = ledger(committed_claims(), [report.cells for report in read_reports(checkout / "results")])
    drawn = draw_claims(entries)
    assert drawn
    points = sum(entry.measured is not None and entry.unit == "x" for entry in entries)
    assert points
    group = re.search(r'<g class="mark-symbol role-mark [^>]*>(.*?)</g>', drawn, re.DOTALL)
    assert group
    assert group[1].count("<path") == points
    assert draw_claims([]) is None


def test_readme_table_holds_the_first_rows_only(checkout: Path) -> None:
    text = readme_table(read_reports(checkout / "results"), "process-created")
    rows = [line for line in text.splitlines() if line.startswith("|")][2:]
    assert len(rows) == 6
    assert "noop" not in text
    assert "its page](results/scenarios/" in text


def test_splice_replaces_what_is_between_the_markers_and_nothing_else() -> None:
    once = splice(Path("README.md"), PAGE, lambda scenario: "new\n")
    assert once == PAGE.replace("old", "new")
    assert splice(Path("README.md"), once, lambda scenario: "new") == once


@pytest.mark.parametrize(
    "text", ["", BEGIN, END, f"{END}\n{BEGIN}", f"{BEGIN}{END}{BEGIN}{END}", f"{BEGIN}{BEGIN}{END}"]
)
def test_markers_have_to_be_there_once_and_in_order(text: str) -> None:
    with pytest.raises(LabError, match=r"README\.md: needs the line <!-- table:begin SCENARIO -->"):
        splice(Path("README.md"), text, lambda scenario: "new")


def test_nothing_is_written_where_the_readme_has_no_place(checkout: Path) -> None:
    (checkout / "README.md").write_text("# Lab\n", encoding="utf-8")
    with pytest.raises(LabError):
        call()
    assert not (checkout / "RESULTS.md").exists()


def test_no_run_is_an_error_that_says_how_to_record_one(checkout: Path) -> None:
    shutil.rmtree(checkout / "results")
    with pytest.raises(LabError, match="./lab bench --profile published --out"):
        call()
