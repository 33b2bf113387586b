"""What documents refer to is there: links and their anchors, files, modules; and each scenario has its page."""

import importlib.util
import re
import subprocess
from pathlib import Path

import pytest

from bench.base.paths import ROOT
from tests.support.documents import DOCUMENTS, SCENARIO_FILES

README, METHODOLOGY = ROOT / "README.md", ROOT / "METHODOLOGY.md"
METHODOLOGY_BYTES = 26_000
"""What a sceptic reads in one sitting; what belongs to a scenario or to code stands there."""
WRITTEN = [path for path in DOCUMENTS if path.name != "RESULTS.md"]
FILES = re.compile(
    r"(?<![\w./-])((?:analysis|bench|images|nix|runners|schemas|tests)/[\w./-]*\w\.(?:cfg|cmake|csv|fbs|json|mod|nix|proto|py|sh|sum|toml|txt|yaml))\b"
)
DRAWN = 15
"""Files that a sample passes through on its way from a scenario to a table, at most."""


def anchors(text: str) -> set[str]:
    """The anchors that GitHub makes of a page's headings."""
    headings = re.findall(r"^#+ (.+)$", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken_links(page: Path, text: str) -> list[str]:
    """The links of a page to files of the project, or to headings in them, that are not there."""
    found = []
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in link:
            continue
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        known = anchors(text if target == page else target.read_text(encoding="utf-8")) if target.is_file() else set()
        if not target.exists() or (anchor and anchor not in known):
            found.append(link)
    return found


def missing_files(text: str) -> list[str]:
    """Paths of files of the project in a page's prose that lead nowhere, and modules that nobody can run."""
    prose = re.sub(r"^<!-- file: .*?^```\w+\n.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    modules = re.findall(r"python -m ((?:bench|analysis)[\w.]*)", prose)
    return [name for name in FILES.findall(prose) if not (ROOT / name).exists()] + [
        name for name in modules if importlib.util.find_spec(name) is None
    ]


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_leads_somewhere(page):
    assert broken_links(page, page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_file_that_is_named_is_there(page):
    assert missing_files(page.read_text(encoding="utf-8")) == []


def test_a_link_and_a_name_that_lead_nowhere_are_found():
    text = "# One\n[here](#one) [gone](#two) [page](nowhere.md) [there](README.md) [off](METHODOLOGY.md#words-of-yore)"
    assert broken_links(ROOT / "README.md", text) == ["#two", "nowhere.md", "METHODOLOGY.md#words-of-yore"]
    text = "bench/cli.py, `bench/nothing.py`; python -m bench.cli, python -m analysis.nothing"
    assert missing_files(text) == ["bench/nothing.py", "analysis.nothing"]


def test_methodology_is_short():
    assert len(METHODOLOGY.read_bytes()) <= METHODOLOGY_BYTES


@pytest.mark.parametrize("scenario", SCENARIO_FILES, ids=lambda scenario: scenario.stem)
def test_every_scenario_has_a_page_that_readme_links(scenario):
    page = scenario.with_suffix(".md")
    assert page.exists()
    assert f"({page.relative_to(ROOT).as_posix()})" in README.read_text(encoding="utf-8")


def test_a_sample_passes_through_few_files():
    """The drawing in CONTRIBUTING.md."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = re.search(r"^## From a scenario to a table\n(.*?)^## ", text, re.MULTILINE | re.DOTALL)
    assert section
    drawn = re.findall(r"^[ \u2502\u251c\u2514\u2500\u25bc]*([\w.-]+(?:/[\w.-]+)+)", section[1], re.MULTILINE)
    assert 8 < len(drawn) <= DRAWN
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    assert [name for name in drawn if name not in listed] == []
