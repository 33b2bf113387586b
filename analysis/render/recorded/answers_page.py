"""Codecs by questions beyond speed as Markdown: in RESULTS.md those with findings, on a page all of them."""

from collections.abc import Iterator, Mapping, Sequence

from analysis.base.text import count, one_line
from analysis.render.recorded.scenario_pages import MARKER
from analysis.render.terminal import escape, markdown_table
from analysis.tables.counts.footprints import FootprintTable, footprint_grid
from analysis.tables.layout import NOTHING, Column, Grid, Section
from analysis.tables.trust.answered import MALFORMED, Answers
from analysis.tables.trust.matrix import NOT_ASKED, QUESTIONS, cell_of, matrix_grid
from analysis.tables.trust.shares import Trust
from bench.model.proof.evolved import Outcome

ANSWERS_FILE = "results/beyond-speed.md"
"""The path of the page, from the repository's root."""
FINDINGS = QUESTIONS[MALFORMED]
ROWS_SHOWN, LETTERS_SHOWN = 20, 80
"""Of a codec's answers to a question, and of a value; the files beside the runs have all of them whole."""
LEAD = (
    "Of the cases that a codec was asked, those that came out as they should: cases of its format's suites, changes of "
    "a schema, special values that come back as they were, messages that its peers wrote. Of bad input the findings: "
    "what was neither refused nor read as the format asks."
)
UNCHECKED = (
    "Codecs that are timed without checks (`validation=off`) answered with their library's checks in front: their "
    "timed path must never see foreign bytes."
)
LINKS = "[How codecs are asked](../BEYOND-SPEED.md) · [All results](../RESULTS.md)."


def answers_section(known: Mapping[str, Trust]) -> list[str]:
    """The part of RESULTS.md: the codecs with findings of bad input, and a link to all; empty without answers."""
    asked = _asked(known)
    if not asked:
        return []
    harmed = {codec: one for codec, one in known.items() if one.malformed and one.malformed.total}
    heads = [f"{question}: {FINDINGS}" if question == MALFORMED else question for question in asked]
    lines = [f"| Codec | {' | '.join(heads)} |", f"| :-- |{' --: |' * len(asked)}"]
    for figures, codecs in _alike(
        {codec: tuple(_figure(one, what) for what in asked) for codec, one in harmed.items()}
    ):
        first, *variants = codecs
        names = [first, *(one.removeprefix(first) for one in variants)]
        lines.append(f"| {', '.join(names)} | {' | '.join(figures)} |")
    every = f"[{ANSWERS_FILE}]({ANSWERS_FILE}) has each answer of all {count(len(known))} codecs that were asked"
    if not harmed:
        return ["## When something is wrong", f"No codec has findings of bad input. {every}."]
    some = f"Here stand the {count(len(harmed))} with findings of bad input"
    lead = f"{LEAD} {NOTHING}: not asked. {every}. {some}."
    return ["## When something is wrong", lead, "\n".join(lines)]


def _alike(figures: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    """Codecs with equal figures. The others are variants of the first: their names are its name, a dash and more."""
    left = dict(figures)
    while left:
        first = next(iter(left))
        own = left.pop(first)
        variants = [codec for codec, other in left.items() if codec.startswith(f"{first}-") and other == own]
        for codec in variants:
            del left[codec]
        yield own, [first, *variants]


def _figure(trust: Trust, question: str) -> str:
    figure = cell_of(trust, question)[0]
    if question == MALFORMED:
        figure = figure.removesuffix(f" {FINDINGS}").removesuffix(" finding")
    return NOTHING if figure == NOT_ASKED else escape(figure, in_table=True)


def answers_page(known: Mapping[str, Trust], answers: Answers, footprints: FootprintTable) -> str:
    """The page: the matrix whole, what codecs cost before they encode anything, then a section for each codec with
    its answers and its wrong values.
    """
    asked = _asked(known)
    parts = [
        MARKER,
        "# Beyond speed",
        f"{LEAD} {UNCHECKED} The worst of the others stand below. {LINKS}",
        markdown_table(matrix_grid(known, asked)),
    ]
    if (held := footprints.among(known)).programs:
        parts += ["## Footprint", escape(held.lead), markdown_table(footprint_grid(held))]
    for codec, trust in known.items():
        parts += [f"## {codec}" + (f" ({escape(trust.library)})" if trust.library else ""), *_codec(codec, answers)]
    return "\n\n".join(part.rstrip() for part in parts) + "\n"


def _asked(known: Mapping[str, Trust]) -> dict[str, str]:
    """The questions that any codec was asked."""
    return {
        question: what
        for question, what in QUESTIONS.items()
        if any(cell_of(trust, question)[0] != NOT_ASKED for trust in known.values())
    }


def _codec(codec: str, answers: Answers) -> list[str]:
    said = [f"- {escape(sentence)}" for sentence in answers.words(codec).values()]
    said += [f"- Issue of {one.since}: [{escape(one.says)}]({one.address})." for one in answers.issues(codec)]
    wrong = [
        (one.change, one.direction, one.wrote, one.read or "")
        for one in answers.evolution.get(codec, ())
        if one.outcome is Outcome.WRONG
    ]
    deviations = [
        (suite.suite, one.case, one.verdict.value, one.came, one.input_hex)
        for suite in answers.conformance.get(codec, ())
        for one in suite.deviations
    ]
    findings = [
        (one.id, one.scenario, one.harm.value, one.problem)
        for fuzzed in answers.malformed.get(codec, ())
        for one in fuzzed.findings
    ]
    return [
        "\n".join(said) or "Asked only to read what its peers wrote.",
        *_table("Wrong after a change, without an error", ("Change", "Direction", "Written", "Read"), wrong),
        *_table("Deviations", ("Suite", "Case", "Verdict", "What came out", "Input"), deviations),
        *_table("Findings", ("`lab report-finding`", "Type", "Kind", "What happened"), findings),
    ]


def _table(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The first rows with a title; nothing without rows."""
    if not rows:
        return []
    shown = tuple(tuple((_cut(one_line(cell)),) for cell in row) for row in rows[:ROWS_SHOWN])
    grid = Grid(title, tuple(Column((head,), right=False) for head in heads), (Section(shown),))
    of = f", the first {ROWS_SHOWN} of {count(len(rows))}" if len(rows) > ROWS_SHOWN else ""
    return [f"**{title}**{of}:", markdown_table(grid)]


def _cut(text: str) -> str:
    return text if len(text) <= LETTERS_SHOWN else f"{text[:LETTERS_SHOWN]}…"
