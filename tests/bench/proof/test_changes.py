"""schemas/evolution.toml, and what is made of it."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bench.base.errors import LabError
from bench.base.supervision import Ended
from bench.model.proof.evolved import Outcome
from bench.proof.changes import FILE, SET, Change, Direction, load_changes
from bench.proof.evolution import _is_default, evolved
from bench.types.expressions import parse_type
from bench.types.values import first_difference, parse_canonical

CHANGES = load_changes()
EACH = [
    pytest.param(change, direction, id=f"{change.name}-{direction}")
    for change in CHANGES.all
    for direction in Direction
]


def test_there_are_24_changes_both_ways() -> None:
    assert len(CHANGES.all) == 24
    schemas = {use.scenario for message in CHANGES.types.messages for use in message.uses}
    assert schemas == {f"{change.name}-{side}" for change in CHANGES.all for side in ("old", "new")}
    assert CHANGES.types.name == SET


@pytest.mark.parametrize(("change", "direction"), EACH)
def test_messages_are_of_their_types(change: Change, direction: Direction) -> None:
    message = change.exchanged(direction)
    given = [(change.writer(direction), message.writes)]
    if message.reads is not None:
        given.append((change.reader(direction), message.reads))
    for schema, value in given:
        (whole,) = parse_canonical(CHANGES.canonical(schema, value), rows=False)
        assert first_difference(CHANGES.type_of(schema), CHANGES.defined, whole, whole) is None


@pytest.mark.parametrize(("change", "direction"), EACH)
def test_the_right_value_holds_what_was_written(change: Change, direction: Direction) -> None:
    """But for fields that only one side has, renamed ones, and base64."""
    message = change.exchanged(direction)
    if message.reads is None or change.name in ("rename", "string-to-bytes", "variant-renamed", "add-in-elements"):
        return
    for name in message.writes.keys() & message.reads.keys():
        wrote, reads = message.writes[name], message.reads[name]
        assert reads in (wrote, [wrote]) or float(reads) == float(wrote), name


def test_a_form_that_the_lab_gives_bytes_is_no_codecs_answer() -> None:
    change = next(change for change in CHANGES.all if change.name == "string-to-bytes")
    assert not change.asks("rust/serde-json", "JSON")
    assert change.asks("python/msgspec-json", "JSON")
    assert change.asks("rust/ciborium", "CBOR")
    assert all(one.asks("rust/serde-json", "JSON") for one in CHANGES.all if one is not change)


def test_fields_that_are_left_out_are_null() -> None:
    assert CHANGES.canonical("add-optional-new", {"id": 7, "label": "ü"}) == '{"id":7,"label":"ü","note":null}'.encode()
    assert CHANGES.canonical("add-in-elements-new", {"items": [{"id": 1}], "count": 2}) == (
        b'{"items":[{"id":1,"level":null}],"count":2}'
    )


@pytest.mark.parametrize(
    ("ended", "outcome", "problem"),
    [
        (Ended(65, messages="a/b: not mine\n"), Outcome.REFUSED, "a/b: not mine"),
        (Ended(70, messages="a/b: index 3\nof 2\n"), Outcome.CRASH, "panicked: a/b: index 3 of 2"),
        (Ended(71), Outcome.CRASH, "took more memory than the budget: no message"),
        (Ended(-11), Outcome.CRASH, "killed by signal 11: no message"),
    ],
)
def test_only_a_refusal_is_an_honest_error(ended: Ended, outcome: Outcome, problem: str) -> None:
    change = next(one for one in CHANGES.all if one.backward.reads is None or one.forward.reads is None)
    cells = [SimpleNamespace(scenario=f"{change.name}-{side}") for side in ("old", "new")]
    described = SimpleNamespace(cells=cells, format="any")
    runner: Any = SimpleNamespace(codec="a/b", command=[], description=described)
    runner.encode, runner.ended = lambda *_: b"", lambda *_: ended
    found = evolved([runner], CHANGES, 1)
    assert {(one.outcome, one.problem) for one in found} == {(outcome, problem)}
    assert any(one.honest for one in found) is (outcome is Outcome.REFUSED)


def changed(tmp_path: Path, old: str, new: str) -> Path:
    text = FILE.read_text()
    assert text.count(old) >= 1
    path = tmp_path / "evolution.toml"
    path.write_text(text.replace(old, new, 1))
    return path


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('name = "rename"', 'name = "add-optional"', "two changes of this name"),
        ('note = "string?"', 'note = "text?"', "no struct, enumeration or scalar 'text'"),
        ('note = "string?"', 'note = "string??"', "is not a type"),
        ("old.structs.Message.fields = { id", "old.structs.Massage.fields = { id", "no struct Message"),
        ("title = ", "tittle = ", r"evolution\.toml:\d+: .*tittle"),
    ],
)
def test_a_mistake_is_named(tmp_path: Path, old: str, new: str, problem: str) -> None:
    with pytest.raises(LabError, match=problem):
        load_changes(changed(tmp_path, old, new))


def value(text: str) -> Any:
    return parse_canonical(text.encode(), rows=False)[0]


@pytest.mark.parametrize(
    ("name", "direction", "read", "is_default"),
    [
        ("add-required", "backward", '{"id":7,"label":"seven","level":0}', True),
        ("add-required", "backward", '{"id":7,"label":"seven","level":1}', False),
        ("add-required", "backward", '{"id":7,"label":"","level":0}', False),
        ("add-default", "backward", '{"id":7,"label":"seven","level":0}', True),
        ("rename", "backward", '{"id":7,"title":""}', True),
        ("rename", "backward", '{"id":7,"title":"x"}', False),
        ("require-absent", "backward", '{"level":0,"count":2}', True),
        ("require-absent", "backward", '{"level":2,"count":2}', False),
        ("unsign-beyond", "backward", '{"id":0,"count":2}', False),
        ("widen-u32-beyond", "forward", '{"id":7,"count":2}', False),
        ("integer-to-string", "backward", '{"id":"","count":2}', False),
        ("integer-to-list", "backward", '{"id":[],"count":2}', False),
        ("variant-last", "forward", '{"state":"Open","count":2}', False),
        ("add-in-elements", "backward", '{"items":[{"id":7,"level":null},{"id":1,"level":0}],"count":2}', False),
        (
            "add-in-elements",
            "backward",
            '{"items":[{"id":7,"level":0},{"id":1,"level":0},{"id":300,"level":0}],"count":2}',
            True,
        ),
    ],
)
def test_a_default_stands_only_where_nothing_was_written(
    name: str, direction: str, read: str, is_default: bool
) -> None:
    change = next(one for one in CHANGES.all if one.name == name)
    way = Direction(direction)
    message = change.exchanged(way)
    wrote = value(CHANGES.canonical(change.writer(way), message.writes).decode())
    right = None if message.reads is None else value(CHANGES.canonical(change.reader(way), message.reads).decode())
    kinds = CHANGES.type_of(change.reader(way)), CHANGES.type_of(change.writer(way))
    assert _is_default(CHANGES.defined, (kinds[0], value(read)), right, (kinds[1], wrote)) is is_default


def test_types_of_a_schema_name_those_of_the_same_schema() -> None:
    (message,) = [one for one in CHANGES.defined.structs.values() if one.name == "AddInElementsNewMessage"]
    assert message.fields[0].type == parse_type("[AddInElementsNewItem]")
