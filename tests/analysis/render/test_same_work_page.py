"""The page that holds a publication's own program against the lab's runners, as committed."""

import csv
import re

import pytest

from analysis.claims.definitions import load_claims
from analysis.commands.results import left_over
from analysis.render.recorded.same_work_page import SAME_WORK_FILE, same_work_page
from analysis.render.recorded.scenario_pages import MARKER
from analysis.sources.published_tables import FOLDER
from bench.base.paths import ROOT
from tests.support.scenarios.committed import committed_scenarios

ROW = re.compile(
    r"\| (?P<row>.+) \| (?P<operation>[\w+-]+) \| (?P<program>[\d,]+) \| (?P<lab>[\d,]+) \| (?P<ratio>[\d.]+) \|"
)


@pytest.fixture(scope="module")
def tables() -> dict[str, list[dict[str, str]]]:
    """Scenario → the rows of its table."""
    page = (ROOT / SAME_WORK_FILE).read_text(encoding="utf-8")
    sections = (section.split("\n", 1) for section in page.split("\n## ")[1:])
    return {title.rpartition(": ")[2]: [m.groupdict() for m in ROW.finditer(text)] for title, text in sections}


def test_every_row_of_the_counted_program_stands_on_the_page(tables: dict[str, list[dict[str, str]]]) -> None:
    text = (FOLDER / "rsb-instructions.csv").read_text(encoding="utf-8")
    counted = list(csv.DictReader(line for line in text.splitlines() if not line.startswith("#")))
    assert len(counted) > 300
    for scenario in {one["scenario"] for one in counted}:
        program = sorted(round(float(one["instructions"])) for one in counted if one["scenario"] == scenario)
        assert sorted(int(row["program"].replace(",", "")) for row in tables[scenario]) == program


def test_the_last_number_is_the_quotient_of_the_two_before(tables: dict[str, list[dict[str, str]]]) -> None:
    for rows in tables.values():
        for row in rows:
            program, lab = (int(row[name].replace(",", "")) for name in ("program", "lab"))
            assert float(row["ratio"]) == pytest.approx(lab / program, rel=0.02 if program < 100 else 0.006), row


def test_without_a_counted_program_there_is_no_page(tmp_path) -> None:
    assert same_work_page(load_claims(committed_scenarios(), tmp_path), []) is None
    page = tmp_path / SAME_WORK_FILE
    page.parent.mkdir()
    page.write_text(f"{MARKER}\n\n# The same work as published\n", encoding="utf-8")
    assert left_over(tmp_path, {}) == [page]
