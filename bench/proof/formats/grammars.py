"""schemas/malformed.toml, read and checked."""

from functools import cache
from pathlib import Path

from bench.base import errors
from bench.base.files import read_toml
from bench.base.paths import SCHEMAS
from bench.model.proof.malformed_rules import BAD_TEXT, RANDOM, Document, Grammar, MalformedFile, Must, Rule
from bench.proof.formats.templates import MistakeError, made

FILE = SCHEMAS / "malformed.toml"
UNSAID = Rule(Must.OPEN, "", "the lab knows no rule of this format for it")


@cache
def grammars(path: Path = FILE) -> MalformedFile:
    """Classes and formats. Raises LabError naming the file and the field of a mistake."""
    file = read_toml(path, MalformedFile)
    for name, grammar in file.formats.items():
        named = (*grammar.rules, *grammar.cases)
        if unknown := next((one for one in named if one not in file.classes), None):
            raise errors.bad_file(path, None, f"formats.{name}", f"{unknown!r} is none of the classes")
        for class_, cases in grammar.cases.items():
            for one in cases:
                _check(path, f"formats.{name}.cases.{class_}.{one.name}", grammar, one)
    return file


def _check(path: Path, field: str, grammar: Grammar, one: Document) -> None:
    if one.must and not (one.section and one.says):
        raise errors.bad_file(path, None, field, "a case with a rule of its own names its section and what that says")
    try:
        for template in (one.input, one.like):
            if template is not None:
                made(template, text=grammar.text, message=b"message")
    except MistakeError as error:
        raise errors.bad_file(path, None, field, str(error)) from None


def rule_of(grammar: Grammar | None, class_: str, case: Document | None = None) -> Rule:
    """What a format's specification says of a class, or of one case of it."""
    if case and case.must:
        return Rule(case.must, case.section, case.says)
    return grammar.rules.get(class_, UNSAID) if grammar else UNSAID


def leaves_text_open(format_name: str) -> bool:
    """Whether a decoder may take text that is not UTF-8: unless the lab knows a specification that excludes it."""
    return rule_of(grammars().formats.get(format_name), BAD_TEXT).must is not Must.REFUSE


def class_names() -> list[str]:
    """All classes, the one of random mutations last."""
    return [*grammars().classes, RANDOM]
