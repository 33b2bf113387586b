"""The ledger's page: under each claim its evidence opens, and leads to the row of the table that it is about."""

import re
from pathlib import Path

import pytest

from analysis.claims.verdicts import Verdict
from analysis.site.gather import gather
from analysis.site.lab import Lab
from analysis.site.overview import ledger_page
from analysis.site.points import claim_details, row_link
from analysis.site.scenario import scenario_pages
from analysis.site.write import html_of, templates_of
from tests.support.synthetic_lab import write_runs
from tests.support.synthetic_run import SER, Made, usual


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Lab:
    return gather(write_runs(tmp_path_factory.mktemp("runs")))


@pytest.fixture(scope="module")
def site(lab: Lab) -> dict[str, str]:
    templates = templates_of(lab)
    return {f"{page.name}.html": html_of(templates, page) for page in [ledger_page(lab), *scenario_pages(lab)]}


def test_each_measured_claim_leads_to_the_row_with_its_cell(lab: Lab, site: dict[str, str]) -> None:
    """The row that the link names shows the codec, and the median of the evidence stands in it."""
    measured = [entry for entry in lab.ledger if entry.evidence.run and entry.evidence.sides[0].cell]
    assert len({entry.evidence.scenario for entry in measured}) > 2
    for entry in measured:
        link = row_link(lab, entry)
        assert link is not None, entry.id
        page, _, anchor = link.partition("#")
        row = re.search(rf'<tr id="{re.escape(anchor)}".*?</tr>', site[page], re.DOTALL)
        assert row and entry.evidence.sides[0].codec in row[0], link
        assert f'<section id="{anchor.partition("-times")[0]}-times">' in site[page]


def test_where_operations_are_sections_the_link_leads_into_the_section(lab: Lab, site: dict[str, str]) -> None:
    entries = [entry for entry in lab.ledger if entry.evidence.scenario == "log-small" and not entry.exact]
    links = {entry.evidence.operation: link for entry in entries if (link := row_link(lab, entry))}
    assert links
    for operation, link in links.items():
        page, _, anchor = link.partition("#")
        before = site[page].partition(f'<tr id="{anchor}"')[0]
        assert str(operation) in before[before.rindex('<tr class="section">') :]


def test_evidence_of_every_claim_is_on_the_page(lab: Lab, site: dict[str, str]) -> None:
    assert site["ledger.html"].count('<details class="evidence">') == len(lab.ledger)
    for entry in lab.ledger:
        names = [fact.name for fact in claim_details(lab, entry)]
        assert names[0] == "Verdict"
        assert ("Measure it" in names) == (entry.evidence.command is not None)


def test_a_statement_has_its_quotation_and_nothing_measured(lab: Lab) -> None:
    entry = next(one for one in lab.ledger if one.id == "bfast-zero-copy-arrays")
    assert entry.verdict is Verdict.NOT_MEASURABLE
    assert [fact.name for fact in claim_details(lab, entry)] == ["Verdict", "Quotation", "Address"]


def test_a_claim_of_equal_bytes_leads_to_no_row(tmp_path: Path) -> None:
    run = Made().codec("rust/wincode-bincode", {SER: 1}).codec("rust/bincode-legacy", {SER: 2}).write(tmp_path / "run")
    lab = gather([run])
    entries = [one for one in lab.ledger if one.metric == "same bytes" and one.evidence.run]
    assert entries
    assert {row_link(lab, entry) for entry in entries} == {None}
    page = html_of(templates_of(lab), ledger_page(lab))
    assert entries[0].says in page


def test_words_of_a_run_are_escaped_in_the_evidence(tmp_path: Path) -> None:
    path = usual().write(tmp_path / "run")
    text = (path / "run.json").read_text(encoding="utf-8")
    assert '"model": "' in text
    changed = re.sub(r'"model": "[^"]*"', '"model": "<script>x</script>"', text, count=1)
    (path / "run.json").write_text(changed, encoding="utf-8")
    lab = gather([path])
    page = html_of(templates_of(lab), ledger_page(lab))
    assert "&lt;script&gt;x&lt;/script&gt;" in page and "<script>x" not in page
