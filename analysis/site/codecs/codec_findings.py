"""What a codec does when something is wrong, on its own page: a sentence a question, then bad input class by class."""

from collections.abc import Iterable, Sequence

from analysis.base.text import count, one_line
from analysis.render.evidence_facts import Fact
from analysis.site.blocks import Block, table_of
from analysis.site.lab import Lab
from analysis.tables.layout import NOTHING, Column, Grid, Lines, Section
from bench.model.findings import ClassCounts, Finding, Fuzzed, harms
from bench.model.proof.malformed_rules import RANDOM
from bench.proof.formats.grammars import grammars
from bench.proof.upstream import Issue, upstream

FINDINGS_SHOWN, LETTERS_SHOWN = 3, 300
"""Of a class, and of what happened; the page Malformed input has all of them as data."""
MEANINGS = (
    "A case is refused by an error, or accepted: as the value that it was made of, as if nothing were wrong, or as "
    "another one, where the specification leaves that open. All else is a finding, which opens below its class."
)
NUMBERS = ("cases", "refused", "accepted", "as_made", "as_another", "findings")


def finding_blocks(lab: Lab, codec: str) -> list[Block]:
    """The answers of a codec to each question, and its malformed input; empty where it was asked nothing."""
    words = [*lab.answers.words(codec).values(), *map(_told, lab.answers.issues(codec))]
    blocks = [Block("input", "When something is wrong", words=tuple(words))] if words else []
    results = lab.answers.malformed.get(codec, ())
    return [*blocks, *([_classes_block(results)] if any(one.classes for one in results) else [])]


def _told(issue: Issue) -> str:
    return f"In its library's tracker since {issue.since}: {issue.says} ({issue.address})."


def _classes_block(results: Sequence[Fuzzed]) -> Block:
    """A row a class, over all types, with what it is."""
    said = {**grammars().classes, RANDOM: "seeded mutations of what the codec wrote itself"}
    names = [name for name in said if any(name in one.classes for one in results)]
    counts = {name: _sum(one.classes[name] for one in results if name in one.classes) for name in names}
    found = {name: [f for one in results for f in one.findings if f.class_ == name] for name in names}
    numbers = {name: (*_numbers(counts[name]), len(found[name])) for name in names}
    rows: list[tuple[Lines, ...]] = [
        ((name, said[name]), *((count(number),) for number in numbers[name]), (harms(found[name]) or NOTHING,))
        for name in names
    ]
    heads = ("Class", "Cases", "Refused", "Accepted", "as made", "as another", "Findings", "Of which kind")
    grid = Grid(
        "Malformed input by class",
        tuple(Column((head,), right=0 < index < len(heads) - 1) for index, head in enumerate(heads)),
        (Section(tuple(rows)),),
        notes=(MEANINGS,),
    )
    library = next((one.library for one in results if one.library), None)
    details = {name: tuple(_facts(found[name], library)) for name in names}
    return Block(
        "malformed",
        "Malformed input by class",
        level=3,
        table=table_of(grid, "class", {}, details=details),
        data=[{"class": name, **dict(zip(NUMBERS, numbers[name], strict=True))} for name in names],
        types={"class": str, **dict.fromkeys(NUMBERS, int)},
    )


def _sum(counts: Iterable[ClassCounts]) -> ClassCounts:
    held = list(counts)
    return ClassCounts(*(sum(getattr(one, name) for one in held) for name in ClassCounts.__struct_fields__))


def _numbers(counts: ClassCounts) -> tuple[int, ...]:
    return counts.cases, counts.refused, counts.accepted, counts.equal, counts.other


def _facts(findings: Sequence[Finding], library: str | None) -> list[Fact]:
    """The issues that tell of a class, and its first findings."""
    issues = dict.fromkeys(issue for one in findings for issue in upstream().of_finding(one, library))
    facts = [Fact(f"Issue of {one.since}", (one.says,), link=one.address) for one in issues]
    for one in findings[:FINDINGS_SHOWN]:
        lines = (f"{one.scenario}: {_cut(one.problem)}", one.specification)
        facts.append(Fact(one.id or one.scenario, tuple(filter(None, lines))))
    more = len(findings) - FINDINGS_SHOWN
    return [*facts, *([Fact("More", (f"{count(more)} on the page Malformed input",))] if more > 0 else [])]


def _cut(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= LETTERS_SHOWN else f"{line[:LETTERS_SHOWN]}…"
