"""Bad input class by class on a codec's page, with the issues that tell of what was found."""

from types import SimpleNamespace
from typing import Any

from analysis.site.blocks import Block
from analysis.site.codecs.codec_findings import FINDINGS_SHOWN, finding_blocks
from analysis.tables.trust.answered import Answers
from bench.model.findings import ClassCounts, Finding, Fuzzed

PROBLEM = "decode: killed by signal 6: thread 'main' has overflowed its stack"
OVERFLOWS = [Finding("rust/bson", "any", n, PROBLEM, "", "depth", f"rust/bson/depth/{n}") for n in range(5)]


def fuzzed(scenario: str, findings: list[Finding], **classes: ClassCounts) -> Fuzzed:
    return Fuzzed("rust/bson", scenario, "bson", "3.1.0", 0, 10, 5, 5, findings, classes)


def blocks(*results: Fuzzed) -> list[Block]:
    lab: Any = SimpleNamespace(answers=Answers(malformed={"rust/bson": results} if results else {}))
    return finding_blocks(lab, "rust/bson")


def test_classes_are_summed_over_types() -> None:
    one = fuzzed("any", OVERFLOWS, truncation=ClassCounts(10, 9, 1, 1, 0), depth=ClassCounts(5, 0, 0))
    other = fuzzed("point", [], truncation=ClassCounts(4, 1, 3, 1, 2))
    _, classes = blocks(one, other)
    assert [dict(row) for row in classes.data] == [
        {
            "class": "truncation",
            "cases": 14,
            "refused": 10,
            "accepted": 4,
            "as_made": 2,
            "as_another": 2,
            "findings": 0,
        },
        {"class": "depth", "cases": 5, "refused": 0, "accepted": 0, "as_made": 0, "as_another": 0, "findings": 5},
    ]


def test_a_class_opens_its_first_findings_and_the_issues_that_tell_of_it() -> None:
    words, classes = blocks(fuzzed("any", OVERFLOWS, truncation=ClassCounts(1, 1, 0), depth=ClassCounts(5, 0, 0)))
    address = "https://github.com/mongodb/bson-rust/issues/680"
    assert address in words.words[-1]
    assert classes.table
    truncation, depth = classes.table.sections[0].rows
    assert not truncation.details
    assert depth.details[0].link == address
    assert [fact.name for fact in depth.details[1:]] == [one.id for one in OVERFLOWS[:FINDINGS_SHOWN]] + ["More"]


def test_older_results_without_classes_have_the_sentence_alone() -> None:
    assert [block.anchor for block in blocks(fuzzed("any", OVERFLOWS))] == ["input"]
    assert blocks() == []
