"""schemas/special.toml, and what is asked of codecs with it."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from bench.base.errors import LabError
from bench.proof.changes import load_changes
from bench.proof.fidelity import shown
from bench.proof.questions import SET, asked_types
from bench.proof.special import FIELD, FILE, load_special
from bench.types.schemaless import parse, same
from tests.support.hostile.runs import healthy

SPECIAL = load_special()


def test_values_have_names_of_their_own_and_types_that_can_be_told_apart() -> None:
    names = [*SPECIAL.untyped, *(one.name for one in SPECIAL.typed)]
    assert len(set(names)) == len(names)
    assert len(SPECIAL.types.messages) == len({str(one.type) for one in SPECIAL.typed}) == 15


def test_nested_lists_are_as_deep_as_they_say() -> None:
    (((key, value),),) = [parse(SPECIAL.untyped["nested 100"]).pairs]
    assert key == FIELD
    assert same(value, parse(b"[" * 100 + b"]" * 100))


def test_one_program_knows_what_all_questions_need() -> None:
    asked = asked_types()
    assert asked.name == SET
    scenarios = {use.scenario for message in asked.messages for use in message.uses}
    assert {one.scenario for one in SPECIAL.typed} < scenarios
    assert {use.scenario for message in load_changes().types.messages for use in message.uses} < scenarios


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('[typed."i8"]', '[typed."i7"]', ["typed.i7", "i7"]),
        ('"-2^7" = "-128"', '"-2^7" = "[-128]"', ["i8: -2^7", "$.value"]),
        ('"-2^7" = "-128"', '"-2^7" = "-"', ["i8: -2^7", "not JSON"]),
        ("""'{"float":"7ff0000000000000"}'""", """'{"float":1.0}'""", ["infinity"]),
        ("lists = 100 }", "lists = 0 }", ["lists"]),
    ],
)
def test_a_mistake_is_told_with_its_place(tmp_path: Path, old: str, new: str, words: list[str]) -> None:
    text = FILE.read_text()
    assert text.count(old) == 1
    (tmp_path / "special.toml").write_text(text.replace(old, new))
    with pytest.raises(LabError) as told:
        load_special(tmp_path / "special.toml")
    assert all(word in str(told.value) for word in ("special.toml", *words)), told.value


@pytest.mark.parametrize(("value", "text"), [(b"null\n", "null"), (b"x" * 201, "x" * 200 + "… (201 characters)")])
def test_long_values_are_cut_where_they_are_quoted(value: bytes, text: str) -> None:
    assert shown(value) == text


def test_a_codec_that_is_not_there_is_told(fake_lab: Callable) -> None:
    assert "no cell matches -f 'unheard-of'" in fake_lab()("fidelity", "-f", "unheard-of", code=69).stderr


def test_given_programs_are_asked_only_what_needs_no_types_of_its_own(fake_lab: Callable) -> None:
    done = fake_lab()("fidelity", "--json")
    assert "values that have a type are left out" in done.stderr
    facts = [json.loads(line) for line in done.stdout.splitlines()]
    assert {(fact["codec"], fact["outcome"]) for fact in facts} == {("fake/good", "same")}
    assert [fact["probe"] for fact in facts] == list(SPECIAL.untyped)
    assert "with the types of questions" in fake_lab()("evolution", code=69).stderr


def test_where_nothing_is_asked_what_was_recorded_stays(fake_lab: Callable, tmp_path: Path) -> None:
    run = healthy(tmp_path / "run")
    before = (run / "fidelity.json").read_bytes()
    done = fake_lab(silent="describe-nonsense")("fidelity", "-f", "silent", "--run", str(run), code=69)
    assert "nothing was written. fake/silent: " in done.stderr
    assert (run / "fidelity.json").read_bytes() == before
