"""The generated pages as GitHub renders them: short where they must be, links that lead somewhere, whole tables."""

import itertools
import re
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from bench.base.paths import ROOT
from tests.documents.test_references import broken_links

RESULTS = ROOT / "RESULTS.md"
RESULTS_BYTES = 40 * 1024
"""What a reader skims in one sitting; all else stands on the pages of the scenarios."""
PAGES = [path for path in (RESULTS, *sorted((ROOT / "results" / "scenarios").glob("*.md"))) if path.exists()]


def name_of(page: Path) -> str:
    """Its path from the repository's root."""
    return page.relative_to(ROOT).as_posix()


def broken_rows(text: str) -> list[str]:
    """Lines that look like rows of a table but are not rendered as one, or not with a cell for each column."""
    lines, found, rendered = text.splitlines(), [], set[int]()
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    for index, token in enumerate(tokens):
        if token.type != "table_open" or token.map is None:
            continue
        until = itertools.takewhile(lambda one: one.type != "thead_close", tokens[index:])
        columns = sum(one.type == "th_open" for one in until)
        first, last = token.map
        rendered |= set(range(first, last))
        found += [line for line in lines[first:last] if len(cells_of(line)) != columns]
    return found + [line for number, line in enumerate(lines) if line.startswith("|") and number not in rendered]


def cells_of(line: str) -> list[str]:
    """The cells of a row: what stands between bars that no backslash escapes, whether in code or not."""
    return re.split(r"(?<!\\)\|", line.strip().removeprefix("|").removesuffix("|"))


def visible_text(text: str) -> str:
    """What a reader sees of the tables, without the markup."""
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    inline = [child for token in tokens if token.type == "inline" for child in token.children or ()]
    return "\n".join(child.content for child in inline if child.type in ("text", "code_inline"))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_row_has_a_cell_for_each_column(page: Path) -> None:
    assert broken_rows(page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_no_markup_is_shown_as_text(page: Path) -> None:
    assert re.findall(r"<br>|</?sub>|\*\*|\]\(|\\[_|*\[]", visible_text(page.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_of_a_generated_page_leads_somewhere(page: Path) -> None:
    assert broken_links(page, page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_the_first_sentence_says_what_a_page_shows(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert re.match(r"(<!-- .* -->\n\n)?# .+\n\nThis page shows ", text)


@pytest.mark.skipif(not RESULTS.exists(), reason="no run is committed yet")
def test_results_are_short() -> None:
    assert len(RESULTS.read_bytes()) <= RESULTS_BYTES


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("| a | b |\n| :-- | --: |\n| 1 | 2 | 3 |", "| 1 | 2 | 3 |"),
        ("| a | b |\n| :-- | --: |\n| 1 |", "| 1 |"),
        ("| a | b |\n| :-- | --: |\n| 1 | x|y |", "| 1 | x|y |"),
        ("| a | b |\n| :-- |\n| 1 | 2 |", "| 1 | 2 |"),
    ],
)
def test_a_broken_row_is_found(text: str, row: str) -> None:
    assert row in broken_rows(text)


def test_a_whole_table_is_none() -> None:
    assert broken_rows("| a | b |\n| :-- | --: |\n| 1 | x\\|y |\n| `p\\|q` |  |") == []


def test_markup_that_is_shown_is_found() -> None:
    assert "**" in visible_text("| a |\n| :-- |\n| \\*\\*b\\*\\* |")
