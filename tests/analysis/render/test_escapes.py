"""Text of a run is text in Markdown, and in a CSV that a spreadsheet opens."""

import re

import pytest

from analysis.render import export
from analysis.render.terminal import escape, markdown_notes
from bench.base.visible import visible
from tests.support.hostile.runs import POISON


@pytest.mark.parametrize(
    "text",
    [
        POISON,
        "```<b>`",
        "`` `<b>` ``",
        "1. x",
        "- x",
        "# x",
        "[a]: b",
        "+1",
        "www.x.org",
        "&lt;",
        "a`b`c",
        "===",
        "[x][y]",
    ],
)
def test_markdown_shows_the_text_and_nothing_else(text: str) -> None:
    """Judged by another program's Markdown: the page holds no element but the list and code, and the same words."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("gfm-like", {"linkify": False})
    tokens = [inner for token in parser.parse(markdown_notes([text])) for inner in (token.children or [token])]
    kinds = {token.type for token in tokens}
    assert kinds <= {
        "bullet_list_open",
        "bullet_list_close",
        "list_item_open",
        "list_item_close",
        "paragraph_open",
        "paragraph_close",
        "text",
        "code_inline",
    }
    words = "".join(token.content for token in tokens if token.type in ("text", "code_inline"))
    assert re.sub("[`']", "", words) == re.sub("[`']", "", visible(text.strip())), "all but the ticks that make code"


def test_markdown_leaves_intervals_as_they_are() -> None:
    assert escape("×1.2 [1.1–1.3] and [min – max]") == "×1.2 [1.1–1.3] and [min – max]"
    assert escape("[1.1–1.3](x)") == "\\[1.1–1.3\\](x)"


def test_a_spreadsheet_runs_nothing() -> None:
    rows = [{"text": text, "number": -1.5} for text in ("=1+1", "@x", "+cmd", "-2", "-x", "\t=1", "＝1", "plain", None)]
    lines = export.csv_of(export.frame_of(rows, {"text": str, "number": float})).decode().splitlines()
    assert lines[1:] == [
        "'=1+1,-1.5",
        "'@x,-1.5",
        "'+cmd,-1.5",
        "-2,-1.5",
        "'-x,-1.5",
        "\\t=1,-1.5",
        "'＝1,-1.5",
        "plain,-1.5",
        ",-1.5",
    ]
