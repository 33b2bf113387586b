"""What `update` must make of a value, by hand, and what it cannot."""

import pytest

from bench.types.definitions import MistakeError, define, definitions_of
from bench.types.expressions import Named, parse_type
from bench.types.fields.updates import Change, changed_types, changes, updated
from bench.types.type_set import MessageType, Use
from bench.types.values import parse_canonical

TYPES = define(
    definitions_of(
        {
            "Address": {"fields": {"x": "u8", "y": "i8"}},
            "Log": {
                "fields": {
                    "address": "Address",
                    "request": "string",
                    "code": "u16",
                    "level": "Level",
                    "share": "f32",
                    "wide": "i128",
                    "done": "bool",
                    "marks": "[u16]",
                    "corner": "[Address; 2]",
                    "origin": "Address?",
                }
            },
            "Logs": {"fields": {"logs": "[Log]", "first": "Log"}},
        },
        {"Level": {"repr": "u8", "variants": {"Low": 1, "High": 2}}},
    )
)
LOGS = Named("Logs")
LOG = """{"address":{"x":200,"y":-100},"request":"GET","code":404,"level":"High","share":0.25,"wide":"-3","done":false,
"marks":[1,2],"corner":[{"x":0,"y":0},{"x":0,"y":0}],"origin":null}"""


def after(**given):
    (value,) = parse_canonical(f'{{"logs":[{LOG},{LOG}],"first":{LOG}}}'.encode(), rows=False)
    before = repr(value)
    found = changes(LOGS, TYPES, given.get("values", {}), given.get("factors", {}))
    result = updated(LOGS, TYPES, value, found)
    assert repr(value) == before
    return result


@pytest.mark.parametrize(
    ("field", "new", "expected"),
    [
        ("code", 200, "200"),
        ("level", "Low", "Low"),
        ("share", 1, "1.0"),
        ("wide", 7, "7"),
        ("done", True, True),
        ("marks[]", 5, ["5", "5"]),
    ],
)
def test_a_field_of_every_item_has_the_new_value_and_all_else_stays(field, new, expected):
    name = field.removesuffix("[]")
    result, same = after(values={f"logs[].{field}": new}), after()
    assert [log[name] for log in result["logs"]] == [expected, expected]
    assert result["first"] == same["first"]
    assert [log | {name: None} for log in result["logs"]] == [log | {name: None} for log in same["logs"]]


@pytest.mark.parametrize(
    ("field", "factor", "expected"),
    [("x", 2, "144"), ("y", 2, "56"), ("y", -1, "100")],  # 400 - 256, -200 + 256
)
def test_what_is_multiplied_beyond_its_type_wraps(field, factor, expected):
    assert after(factors={f"first.address.{field}": factor})["first"]["address"][field] == expected
    assert after(factors={"first.wide": 2})["first"]["wide"] == "-6"


@pytest.mark.parametrize(
    ("given", "keys", "problem"),
    [
        ({"values": {"logs[].cod": 1}}, ["values", "logs[].cod"], "leads to no field: Log has no 'cod'"),
        ({"values": {"logs.code": 1}}, ["values", "logs.code"], r"leads to no field: \[Log\] has no 'code'"),
        ({"values": {"first.origin.x": 1}}, ["values", "first.origin.x"], r"Address\? has no 'x'"),
        (
            {"values": {"first.code": 65536}},
            ["values", "first.code"],
            "65536 is no u16: write an integer from 0 to 65535",
        ),
        ({"values": {"first.code": True}}, ["values", "first.code"], "True is no u16"),
        ({"values": {"first.address.y": 128}}, ["values", "first.address.y"], "write an integer from -128 to 127"),
        ({"values": {"first.share": "a"}}, ["values", "first.share"], "'a' is no f32: write a number, such as 0.5"),
        ({"values": {"first.share": float("nan")}}, ["values", "first.share"], "nan is no f32"),
        ({"values": {"first.done": 1}}, ["values", "first.done"], "1 is no bool: write true or false"),
        ({"values": {"first.level": 1}}, ["values", "first.level"], "1 is no Level: write one of Low, High"),
        ({"values": {"first.request": "PUT"}}, ["values", "first.request"], "the field is string; `update` changes"),
        ({"values": {"first.origin": None}}, ["values", "first.origin"], r"the field is Address\?; `update` changes"),
        ({"values": {"first.address": 0}}, ["values", "first.address"], "the field is Address; `update` changes"),
        ({"values": {"first.marks": 0}}, ["values", "first.marks"], r"the field is \[u16\]; `update` changes"),
        ({"values": {"first.corner[].x": 0}}, ["values", "first.corner[].x"], r"'corner\[\]' is \[Address; 2\]"),
        ({"factors": {"first.share": 2}}, ["factors", "first.share"], "the field is f32; only integers have a factor"),
        ({"factors": {"first.code": 0.5}}, ["factors", "first.code"], "0.5 is no u16: write an integer"),
        (
            {"values": {"first.code": 1}, "factors": {"first.code": 2}},
            ["factors", "first.code"],
            "'first.code' is named twice",
        ),
    ],
)
def test_a_change_that_cannot_be_is_refused_with_what_to_write(given, keys, problem):
    with pytest.raises(MistakeError, match=problem) as caught:
        after(**given)
    assert caught.value.keys == keys


def test_the_types_of_what_changes_are_told():
    found = changes(LOGS, TYPES, {"logs[].level": "Low", "first.marks[]": 1}, {})
    assert sorted(map(str, changed_types(LOGS, TYPES, found))) == ["Level", "u16"]


def test_scenarios_of_one_type_update_the_same():
    one, other = {"y": Change(value=1)}, {"y": Change(factor=2)}
    message = MessageType(parse_type("Point"), (Use("a", rows=False, changes=one), Use("b", rows=False)))
    assert message.changes == one
    message = MessageType(parse_type("Point"), (Use("a", rows=False, changes=one), Use("b", rows=False, changes=other)))
    with pytest.raises(ValueError, match="scenarios make other updates of Point; give one a type of its own"):
        _ = message.changes
