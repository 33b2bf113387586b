"""Where a table stands: the one function that says it, for whoever writes tables and for whoever links to them.

A scenario has a Markdown page below results/ and a page of the site. On the Markdown page each run has a heading, whose
anchor is the one that GitHub makes; on the site each row has an anchor.
"""

import re

from bench.model.record import Run


def scenario_file(scenario: str) -> str:
    """The path of a scenario's generated page, from the repository's root."""
    return f"results/scenarios/{scenario}.md"


def run_heading(run: Run) -> str:
    """The heading of a run's tables on a scenario's page; the run's id makes it unique there."""
    return f"Run {run.id}"


def run_link(scenario: str, run: Run) -> str:
    """The link from the repository's root to a run's tables on a scenario's page."""
    return f"{scenario_file(scenario)}#{heading_anchor(run_heading(run))}"


def heading_anchor(text: str) -> str:
    """The anchor that GitHub makes of a heading that is the first of its text on its page.

    Lower case; of other characters letters, digits, `_`, `-` and spaces stay, and each space becomes a hyphen.
    Source: github.com/gjtorikian/html-pipeline, `TableOfContentsFilter`, which GitHub's pages are made with.
    """
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


def slug(text: str) -> str:
    """A text as part of a file name or an anchor: `language/codec` → `language-codec`."""
    words = "".join(letter if letter.isalnum() else " " for letter in text.lower()).split()
    return "-".join(words) or "row"


def site_page(scenario: str) -> str:
    """Name of a scenario's page on the site, without `.html`."""
    return f"scenario-{scenario}"


def site_run(index: int) -> str:
    """What the anchors of the `index`-th run on a scenario's page of the site begin with."""
    return f"run-{index + 1}" if index else "main"


def site_table(index: int) -> str:
    """The anchor of that run's table, with which those of its rows begin."""
    return f"{site_run(index)}-times"


def row_anchor(prefix: str, name: str, number: int = 1) -> str:
    """The anchor of a row, which begins with its table's. `number`: from 1, among the rows of that name."""
    return f"{prefix}-{slug(name)}{f'-{number}' if number > 1 else ''}"
