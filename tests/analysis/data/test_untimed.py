"""A run of the profile `untimed`: sizes, counts and proofs are shown, and none of the times that its processes took."""

from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from analysis.claims.ledger import ledger
from analysis.claims.verdicts import Verdict
from analysis.commands.compare import compare
from analysis.commands.rank import rank
from analysis.data.cells import read_cells
from analysis.data.merge import merge
from analysis.render.recorded.results import readme_table, results_page, scenario_pages
from analysis.render.terminal import markdown
from analysis.site.gather import gather
from analysis.site.write import files
from analysis.tables.reports import read_report
from bench.base.errors import LabError
from bench.base.files import write_json
from bench.model.plan import Profile
from tests.analysis.tables.counts.test_count_changes import HEAD, counted
from tests.support.scenarios.committed import committed_claims
from tests.support.synthetic_run import BOTH, DESER, SER, usual

TIMES = [str(usual().cell("rust/postcard", one)) for one in (SER, DESER, BOTH)]


@pytest.fixture
def untimed(tmp_path: Path) -> Path:
    """A run whose postcard was counted and whose samples hold times all the same."""
    made = usual(rounds=1)
    made.profile = Profile.UNTIMED
    folder = made.write(tmp_path / "untimed")
    write_json(folder / "counts.json", HEAD)
    lines = [counted(1_923_000, 1_923_000, cell=cell) for cell in TIMES]
    (folder / "counts.jsonl").write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
    return folder


def test_its_tables_have_sizes_and_instructions_and_no_time(untimed: Path) -> None:
    report = read_report(untimed)
    table = report.of("process-created").table
    assert not any(one.timing for section in table.sections for row in section.rows for one in row.measures.values())
    assert all(row.rank is None for row in table.overview.rows)
    assert next(row for row in table.overview.codecs if row.codec == "rust/postcard").size_bytes
    text = markdown(report.of("process-created").published)
    assert "not timed" in text
    assert "This run is untimed: it has no times." in text
    assert next(line for line in text.splitlines() if "| rust/postcard" in line).count("1,923.0") == 3


def test_a_page_shows_instructions_where_times_stand_otherwise(untimed: Path) -> None:
    page = results_page([read_report(untimed)], [], {})
    assert "Ser. (instructions)" in page
    assert "Instructions of a repetition" in page
    row = next(line for line in page.splitlines() if "| rust/postcard |" in line)
    assert "1,923" in row
    assert " ms" not in row
    assert "µs" not in page
    assert "| rust/postcard, round-trip 1,923 instructions | rust/postcard, 230 B |" in page
    assert "1,923.0" in scenario_pages([read_report(untimed)], [])["results/scenarios/process-created.md"]


def test_the_site_has_its_tables_and_no_chart_of_times(untimed: Path) -> None:
    site = dict(files(gather([untimed])))
    page = site["scenario-process-created.html"].decode()
    assert "Sizes and instructions on Synthetic CPU" in page
    assert "1,923.0" in page
    assert "vega" not in page.split("<main")[1].split("</main")[0]


def test_a_run_with_times_represents_the_scenario(untimed: Path, tmp_path: Path) -> None:
    timed = usual().write(tmp_path / "timed")
    reports = [read_report(untimed), read_report(timed)]
    assert "Ser. (ms)" in results_page(reports, [], {})
    assert readme_table(reports, "process-created") == readme_table(reports[1:], "process-created")


def test_no_claim_of_a_time_is_judged_by_it_and_sizes_are(untimed: Path) -> None:
    entries = ledger(committed_claims(), [read_cells(untimed)])
    here = [entry for entry in entries if entry.evidence.scenario == "process-created"]
    assert {one.exact for one in here if one.verdict not in (Verdict.NOT_MEASURED, Verdict.NOT_MEASURABLE)} == {True}
    assert any("an untimed run" in entry.why for entry in here)


def test_merging_leaves_it_out_and_says_so(untimed: Path, tmp_path: Path) -> None:
    timed, said = usual().write(tmp_path / "timed"), list[str]()
    change_id(untimed)
    merged = merge([untimed, timed], tmp_path / "out", said.append)
    assert len(merged.runs) == 1
    assert [one for one in said if one.startswith("another-") and "is untimed and left out" in one]


def change_id(folder: Path) -> None:
    """Two synthetic runs have the same id."""
    file = folder / "run.json"
    file.write_text(file.read_text().replace('"id": "', '"id": "another-', 1))


def test_it_is_compared_by_counts_only_and_not_ranked(untimed: Path, tmp_path: Path) -> None:
    timed = usual().write(tmp_path / "timed")
    runs = [str(timed), str(untimed)]
    for options in ([], ["--fail-on", "times"], ["--fail-on", "5%"]):
        with pytest.raises(LabError, match="is untimed: it has no times to compare"):
            CliRunner().invoke(compare, [*runs, *options], catch_exceptions=False, standalone_mode=False)
    twice = [str(untimed), str(untimed), "--counts"]
    done = CliRunner().invoke(compare, twice, catch_exceptions=False, standalone_mode=False)
    assert "rust/postcard" in done.output
    assert isinstance(CliRunner().invoke(rank, [str(untimed)]).exception, LabError)
