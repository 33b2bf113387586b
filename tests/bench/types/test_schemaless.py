"""The notation of values of any type: what is written is read, what is none is refused, and what is equal."""

import json
import math

import pytest

from bench.types.schemaless import (
    BadText,
    Datetime,
    Ext,
    Map,
    NotationError,
    Other,
    Simple,
    Tag,
    from_json,
    line_of,
    parse,
    same,
)

LINES = [
    (None, "null"),
    (True, "true"),
    ("é\n\u2028", '"é\\n\u2028"'),
    ("a\ud800b", '{"surrogates":"0061d8000062"}'),
    (-1, '{"int":"-1"}'),
    (10**30, '{"int":"1000000000000000000000000000000"}'),
    (1.1, '{"float":"3ff199999999999a"}'),  # the bits of RFC 8949, appendix A
    (-4.1, '{"float":"c010666666666666"}'),
    (-0.0, '{"float":"8000000000000000"}'),
    (math.inf, '{"float":"7ff0000000000000"}'),
    (b"\x00\xff", '{"bytes":"00ff"}'),
    ([[], None], "[[],null]"),
    (Map(()), '{"map":[]}'),
    (Map(((1, 2), (("a"), []), ("a", None))), '{"map":[[{"int":"1"},{"int":"2"}],["a",[]],["a",null]]}'),
    (Tag(2**64 - 1, Tag(0, "x")), '{"tag":[18446744073709551615,{"tag":[0,"x"]}]}'),
    (Ext(-128, b""), '{"ext":[-128,""]}'),
    (Simple(23), '{"simple":23}'),
    (Datetime("1979-05-27"), '{"datetime":"1979-05-27"}'),
    (BadText(b"\xff"), '{"badtext":"ff"}'),
    (Other("Decimal", "1.10"), '{"other":["Decimal","1.10"]}'),
]


@pytest.mark.parametrize(("value", "line"), LINES, ids=str)
def test_a_value_has_one_line(value, line):
    assert line_of(value) == line.encode() + b"\n"
    assert parse(line.encode()) == value
    json.loads(line)


def test_spaces_of_json_change_nothing():
    assert parse(b' { "map" : [ [ { "int" : "1" } , [ ] ] ] }\r\n') == Map(((1, []),))


@pytest.mark.parametrize("bits", ["7ff8000000000001", "fff8000000000000", "7ff0000000000001"])
def test_every_nan_is_one(bits):
    assert line_of(parse(b'{"float":"%s"}' % bits.encode())) == b'{"float":"7ff8000000000000"}\n'


@pytest.mark.parametrize(
    "line",
    [
        *(
            "",
            " ",
            "1",
            "[1]",
            "nul",
            "NaN",
            "null null",
            "[",
            "]",
            "[,]",
            "[null,]",
            '["a" "b"]',
            "[null}",
            '"a',
            '"\t"',
        ),
        *(
            "{}",
            '{"a":"b"}',
            '{"int":1}',
            '{"int":"1_0"}',
            '{"int":""}',
            '{"int":"1","int":"2"}',
            '{"int"}',
            '{"int":}',
        ),
        *('{"float":"00"}', '{"float":1.5}', '{"bytes":"0"}', '{"simple":"1"}', '{"simple":null}', '{"datetime":1}'),
        *(
            '{"map":"ab"}',
            '{"map":["ab"]}',
            '{"map":[["a"]]}',
            '{"map":[["a",1]]}',
            '{"map":[[1,null]]}',
            '{"tag":[1,2]}',
        ),
        *('{"tag":["1",null]}', '{"tag":[1]}', '{"ext":["1","00"]}', '{"ext":[1,null]}', '{"other":["a"]}', "{1:null}"),
    ],
)
def test_what_is_no_notation_is_refused(line):
    with pytest.raises(NotationError):
        parse(line.encode())


def test_bytes_that_are_not_utf_8_are_refused():
    with pytest.raises(NotationError, match="not UTF-8"):
        parse(b'"\xff"')


def test_depth_ends_nothing():
    value: object = []
    for _ in range(20_000):
        value = Tag(7, Map(((Map(()), [value]),)))
    line = line_of(value)
    assert same(parse(line), value)
    assert not same([value], value)


# JSON documents


def test_a_document_is_what_it_says():
    document = '{"a": [1, 1.0, 1e2, -0, -0.0, 123456789012345678901234567890], "a": "\\ud83d\\ude00", "b": null}'
    value = from_json(document)
    assert line_of(value.pairs[0][1]) == (
        b'[{"int":"1"},{"float":"3ff0000000000000"},{"float":"4059000000000000"},{"int":"0"},'
        b'{"float":"8000000000000000"},{"int":"123456789012345678901234567890"}]\n'
    )
    assert value.pairs[1:] == (("a", "😀"), ("b", None))
    whole = from_json(document, integral_floats=True).pairs[0][1]
    assert [type(one) for one in whole] == [int] * 6


@pytest.mark.parametrize("document", [b"", b"{", b"NaN", b"[Infinity]", b'"\xff"', b"[" * 100_000, b"1 2"])
def test_what_is_no_document_is_refused(document):
    with pytest.raises(NotationError):
        from_json(document)


def test_an_integer_of_a_document_may_have_any_length():
    assert line_of(from_json("9" * 5_000)) == b'{"int":"%s"}\n' % (b"9" * 5_000)


# what is equal

MOMENT = Datetime("2013-03-21T20:04:00Z")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Map((("a", 1), ("b", 2))), Map((("b", 2), ("a", 1)))),
        (math.nan, -math.nan),
        # RFC 8949, appendix A
        (18446744073709551616, Tag(2, bytes.fromhex("010000000000000000"))),
        (-18446744073709551617, Tag(3, bytes.fromhex("010000000000000000"))),
        (MOMENT, Tag(0, "2013-03-21T20:04:00Z")),
        (MOMENT, Tag(1, 1363896240)),
        (Datetime("2013-03-21T20:04:00.5Z"), Tag(1, 1363896240.5)),
        # RFC 3339, section 5.6: T and Z may be lower case, and T a space
        (MOMENT, Datetime("2013-03-21 20:04:00.000z")),
        (MOMENT, Datetime("2013-03-21t20:04:00+00:00")),
        # MessagePack's timestamps of 32, 64 and 96 bits
        (MOMENT, Ext(-1, bytes.fromhex("514b67b0"))),
        (Datetime("1970-01-01T00:00:01.5Z"), Ext(-1, bytes.fromhex("7735940000000001"))),
        (Datetime("1969-12-31T23:59:59.000000001Z"), Ext(-1, bytes.fromhex("00000001ffffffffffffffff"))),
    ],
)
def test_these_are_the_same(one, other):
    assert same(one, other)
    assert same([one], [other])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 1.0),
        (0.0, -0.0),
        (1, True),
        (0, False),
        ("1", 1),
        ("a", b"a"),
        ([], Map(())),
        ([1, 2], [2, 1]),
        ([[1], 2], [[1, 2]]),
        ([[], []], [[[]]]),
        (Map((("a", 1), ("a", 2))), Map((("a", 2), ("a", 1)))),
        (Map((("a", 1),)), Map((("a", 1), ("a", 1)))),
        (Tag(4, 1), Tag(5, 1)),
        (Ext(-1, b"abc"), Ext(-1, b"abd")),
        (MOMENT, Datetime("2013-03-21T20:04:00")),
        (Simple(23), None),
        (b"", BadText(b"")),
    ],
)
def test_these_are_not_the_same(one, other):
    assert not same(one, other)


def test_a_suite_without_floats_of_its_own_takes_1_0_for_1():
    assert same(Map(((1.0, [-0.0]),)), Map(((1, [0]),)), integral_floats=True)
    assert not same(1.5, 1, integral_floats=True)
    assert not same(math.inf, 2**1024, integral_floats=True)
