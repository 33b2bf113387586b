"""Values of any type through every built codec that offers them: what specifications say bytes hold, and the way back.

The CBOR vectors are those of RFC 8949, appendix A, typed from it; those of MessagePack follow its specification
(https://github.com/msgpack/msgpack/blob/master/spec.md), format by format.
"""

import json
from functools import cache

import pytest

from bench.base.paths import manifest
from bench.building.runner import Runner, RunnerError
from bench.model.offers import AnyCommand
from bench.scenarios.catalogue import load_catalogue
from bench.types.schemaless import from_json, line_of, parse, same
from tests.support.scenarios.committed import built_runners

pytestmark = pytest.mark.skipif(not manifest().exists(), reason="no runners are built: `./lab build` builds them")


@cache
def runners() -> dict[str, Runner]:
    return {r.codec: r for r in built_runners() if not r.entry.unavailable and r.description.any}


def of_format(name: str) -> list[Runner]:
    found = [one for one in runners().values() if one.description.format == name]
    return found or pytest.skip(f"no codec of {name} is built")


def integer(value: int) -> str:
    return json.dumps({"int": str(value)})


ONE_TO_25 = json.dumps([{"int": str(n)} for n in range(1, 26)])
NESTED = '[{"int":"1"},[{"int":"2"},{"int":"3"}],[{"int":"4"},{"int":"5"}]]'
INFINITY, MINUS_INFINITY = '{"float":"7ff0000000000000"}', '{"float":"fff0000000000000"}'
NAN = '{"float":"7ff8000000000000"}'
INTEGERS = {
    "00": 0,
    "01": 1,
    "0a": 10,
    "17": 23,
    "1818": 24,
    "1819": 25,
    "1864": 100,
    "1903e8": 1000,
    "1a000f4240": 1000000,
    "1b000000e8d4a51000": 1000000000000,
    "1bffffffffffffffff": 18446744073709551615,
    "c249010000000000000000": 18446744073709551616,
    "3bffffffffffffffff": -18446744073709551616,
    "c349010000000000000000": -18446744073709551617,
    "20": -1,
    "29": -10,
    "3863": -100,
    "3903e7": -1000,
}
CBOR = {hexadecimal: integer(value) for hexadecimal, value in INTEGERS.items()} | {
    "f90000": '{"float":"0000000000000000"}',
    "f98000": '{"float":"8000000000000000"}',
    "f93c00": '{"float":"3ff0000000000000"}',
    "fb3ff199999999999a": '{"float":"3ff199999999999a"}',
    "f93e00": '{"float":"3ff8000000000000"}',
    "f97bff": '{"float":"40effc0000000000"}',
    "fa47c35000": '{"float":"40f86a0000000000"}',
    "fa7f7fffff": '{"float":"47efffffe0000000"}',
    "fb7e37e43c8800759c": '{"float":"7e37e43c8800759c"}',
    "f90001": '{"float":"3e70000000000000"}',
    "f90400": '{"float":"3f10000000000000"}',
    "f9c400": '{"float":"c010000000000000"}',
    "fbc010666666666666": '{"float":"c010666666666666"}',
    "f97c00": INFINITY,
    "f97e00": NAN,
    "f9fc00": MINUS_INFINITY,
    "fa7f800000": INFINITY,
    "fa7fc00000": NAN,
    "faff800000": MINUS_INFINITY,
    "fb7ff0000000000000": INFINITY,
    "fb7ff8000000000000": NAN,
    "fbfff0000000000000": MINUS_INFINITY,
    "f4": "false",
    "f5": "true",
    "f6": "null",
    "f7": '{"simple":23}',
    "f0": '{"simple":16}',
    "f8ff": '{"simple":255}',
    "c074323031332d30332d32315432303a30343a30305a": '{"tag":[0,"2013-03-21T20:04:00Z"]}',
    "c11a514b67b0": '{"tag":[1,{"int":"1363896240"}]}',
    "c1fb41d452d9ec200000": '{"tag":[1,{"float":"41d452d9ec200000"}]}',
    "d74401020304": '{"tag":[23,{"bytes":"01020304"}]}',
    "d818456449455446": '{"tag":[24,{"bytes":"6449455446"}]}',
    "d82076687474703a2f2f7777772e6578616d706c652e636f6d": '{"tag":[32,"http://www.example.com"]}',
    "40": '{"bytes":""}',
    "4401020304": '{"bytes":"01020304"}',
    "60": '""',
    "6161": '"a"',
    "6449455446": '"IETF"',
    "62225c": r'"\"\\"',
    "62c3bc": r'"\u00fc"',
    "63e6b0b4": r'"\u6c34"',
    "64f0908591": r'"\ud800\udd51"',
    "80": "[]",
    "83010203": '[{"int":"1"},{"int":"2"},{"int":"3"}]',
    "8301820203820405": NESTED,
    "98190102030405060708090a0b0c0d0e0f101112131415161718181819": ONE_TO_25,
    "a0": '{"map":[]}',
    "a201020304": '{"map":[[{"int":"1"},{"int":"2"}],[{"int":"3"},{"int":"4"}]]}',
    "a26161016162820203": '{"map":[["a",{"int":"1"}],["b",[{"int":"2"},{"int":"3"}]]]}',
    "826161a161626163": '["a",{"map":[["b","c"]]}]',
    "a56161614161626142616361436164614461656145": '{"map":[["a","A"],["b","B"],["c","C"],["d","D"],["e","E"]]}',
    "5f42010243030405ff": '{"bytes":"0102030405"}',
    "7f657374726561646d696e67ff": '"streaming"',
    "9fff": "[]",
    "9f018202039f0405ffff": NESTED,
    "9f01820203820405ff": NESTED,
    "83018202039f0405ff": NESTED,
    "83019f0203ff820405": NESTED,
    "9f0102030405060708090a0b0c0d0e0f101112131415161718181819ff": ONE_TO_25,
    "bf61610161629f0203ffff": '{"map":[["a",{"int":"1"}],["b",[{"int":"2"},{"int":"3"}]]]}',
    "826161bf61626163ff": '["a",{"map":[["b","c"]]}]',
    "bf6346756ef563416d7421ff": '{"map":[["Fun",true],["Amt",{"int":"-2"}]]}',
}
MESSAGEPACK = {
    "c0": "null",
    "c2": "false",
    "c3": "true",
    "7f": integer(127),
    "e0": integer(-32),
    "ccff": integer(255),
    "cd0100": integer(256),
    "ce00010000": integer(65536),
    "cfffffffffffffffff": integer(2**64 - 1),
    "d080": integer(-128),
    "d1ff7f": integer(-129),
    "d2ffff7fff": integer(-32769),
    "d38000000000000000": integer(-(2**63)),
    "ca3fc00000": '{"float":"3ff8000000000000"}',
    "cb3ff199999999999a": '{"float":"3ff199999999999a"}',
    "a0": '""',
    "a3616263": '"abc"',
    "d903616263": '"abc"',
    "da0003616263": '"abc"',
    "db00000003616263": '"abc"',
    "c40200ff": '{"bytes":"00ff"}',
    "c5000200ff": '{"bytes":"00ff"}',
    "c60000000200ff": '{"bytes":"00ff"}',
    "93010203": '[{"int":"1"},{"int":"2"},{"int":"3"}]',
    "dc000101": '[{"int":"1"}]',
    "dd0000000101": '[{"int":"1"}]',
    "82a7636f6d70616374c3a6736368656d6100": '{"map":[["compact",true],["schema",{"int":"0"}]]}',
    "de0001a16101": '{"map":[["a",{"int":"1"}]]}',
    "df00000001a16101": '{"map":[["a",{"int":"1"}]]}',
    "8101c0": '{"map":[[{"int":"1"},null]]}',
    "d40510": '{"ext":[5,"10"]}',
    "d5051011": '{"ext":[5,"1011"]}',
    "d60510111213": '{"ext":[5,"10111213"]}',
    "d7051011121314151617": '{"ext":[5,"1011121314151617"]}',
    "c7030a101112": '{"ext":[10,"101112"]}',
    "c800030a101112": '{"ext":[10,"101112"]}',
    "d6ff00000001": '{"datetime":"1970-01-01T00:00:01Z"}',
    "d7ff7735940000000001": '{"datetime":"1970-01-01T00:00:01.5Z"}',
}
SIMPLE_REFUSED = dict.fromkeys(("f0", "f8ff"))
UNDEFINED_IS_NULL = {"f7": "null"}
KNOWN = {
    "rust/ciborium": SIMPLE_REFUSED | UNDEFINED_IS_NULL,
    "rust/ciborium-buffer": SIMPLE_REFUSED | UNDEFINED_IS_NULL,
    "rust/ciborium-slice": SIMPLE_REFUSED | UNDEFINED_IS_NULL,
    # Tags other than those of large integers.
    "rust/cbor4ii": SIMPLE_REFUSED | UNDEFINED_IS_NULL | {one: None for one, line in CBOR.items() if '"tag"' in line},
}
"""What codecs make of vectors otherwise: another value, or None if they refuse it."""


def decoded(runner: Runner, data: bytes) -> bytes | None:
    try:
        return runner.decode_any(data)
    except RunnerError as error:
        assert "exit code 65" in str(error), error
        return None


@pytest.mark.parametrize(("name", "vectors"), [("CBOR", CBOR), ("MessagePack", MESSAGEPACK)])
def test_bytes_hold_what_the_specification_says(name, vectors):
    for runner in of_format(name):
        answers, ended = runner.decode_any_batch([bytes.fromhex(one) for one in vectors])
        assert len(answers) == len(vectors), ended.messages
        for (hexadecimal, line), answer in zip(vectors.items(), answers, strict=True):
            line = KNOWN.get(runner.codec, {}).get(hexadecimal, line)
            what = f"{runner.codec} {hexadecimal}: {answer.code} {answer.printed!r}"
            if line is None:
                assert answer.code == 65, what
            else:
                assert answer.code == 0, what
                assert same(parse(answer.printed), parse(line.encode())), what


DOCUMENT = """{"text": "é\\u0000\\"", "list": [[], {}, [true, false]], "object": {"a": {"b": [1, -1]}},
    "numbers": [0, 127, 128, 255, 256, 65536, 4294967296, 9223372036854775807, -129, -9223372036854775808],
    "floats": [0.5, -1.25, 1e300, 1.5]}"""


@pytest.mark.parametrize("codec", runners() if manifest().exists() else [])
def test_a_document_comes_back(codec):
    runner, value = runners()[codec], from_json(DOCUMENT)
    back = parse(runner.decode_any(runner.encode_any(line_of(value))))
    assert same(back, value), line_of(back)


def test_json_is_what_the_standard_library_reads():
    for runner in of_format("JSON"):
        written = runner.encode_any(line_of(from_json(DOCUMENT)))
        assert json.loads(written) == json.loads(DOCUMENT), runner.codec
        assert same(parse(runner.decode_any(DOCUMENT.encode())), from_json(DOCUMENT)), runner.codec


@pytest.mark.parametrize(
    ("name", "line", "encoded"),
    [
        ("CBOR", '{"bytes":"01020304"}', "4401020304"),
        ("CBOR", "[false,true,null]", "83f4f5f6"),
        ("CBOR", integer(-1000), "3903e7"),
        ("MessagePack", '{"bytes":"00ff"}', "c40200ff"),
        ("MessagePack", '{"ext":[5,"10"]}', "d40510"),
        ("MessagePack", '{"map":[["compact",true],["schema",{"int":"0"}]]}', "82a7636f6d70616374c3a6736368656d6100"),
        ("JSON", '["a",null]', b'["a",null]'.hex()),
    ],
)
def test_a_value_is_written_as_the_specification_says(name, line, encoded):
    for runner in of_format(name):
        written = runner.encode_any(line.encode())
        assert written.replace(b", ", b",").hex() == encoded, runner.codec


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("JSON", '{"datetime":"1970-01-01T00:00:00Z"}'),
        ("CBOR", '{"ext":[5,"10"]}'),
        ("MessagePack", '{"tag":[5,null]}'),
        ("TOML", '{"map":[["a",null]]}'),
    ],
)
def test_what_a_format_does_not_have_is_refused(name, line):
    for runner in of_format(name):
        with pytest.raises(RunnerError, match="exit code 65"):
            runner.encode_any(line.encode())


def test_bytes_are_to_json_what_its_library_makes_of_them():
    """serde_json's documentation: an array of integers. Python's json and Glaze's tree take none."""
    for runner in of_format("JSON"):
        if runner.codec.startswith("rust/"):
            assert json.loads(runner.encode_any(b'{"bytes":"00ff"}')) == [0, 255], runner.codec
        else:
            with pytest.raises(RunnerError, match="exit code 65"):
                runner.encode_any(b'{"bytes":"00ff"}')


@pytest.mark.parametrize("codec", runners() if manifest().exists() else [])
def test_what_is_no_notation_is_refused(codec):
    for line in (b"", b"{", b'{"unheard-of":"1"}', b'{"int":"x"}', b'{"int":"1"} 2'):
        with pytest.raises(RunnerError, match="exit code 65"):
            runners()[codec].encode_any(line)


@pytest.mark.parametrize("codec", runners() if manifest().exists() else [])
def test_a_batch_answers_as_single_commands_do(codec):
    runner = runners()[codec]
    whole = runner.encode_any(b'{"map":[["a",[true]]]}')
    inputs = [whole, b"", whole[:1], whole]
    answers, ended = runner.decode_any_batch(inputs)
    assert ended.code == 0
    alone = [decoded(runner, one) for one in inputs]
    assert [answer.printed if answer.code == 0 else None for answer in answers] == alone
    assert all(answer.code in (0, 65) for answer in answers)


UNLIMITED = {"rust/flexon"}
"""Libraries that have no limit of depth; flexon has one from 0.4.9 on, which the pinned compiler does not build."""
DEEP = {"JSON": (b"[", b"]"), "CBOR": (b"\x81", b""), "MessagePack": (b"\x91", b"")}


@pytest.mark.parametrize("depth", [100, 100_000])
@pytest.mark.parametrize("name", DEEP)
def test_depth_is_read_or_refused(name, depth):
    begin, end = DEEP[name]
    leaf = b"1" if name == "JSON" else b"\x01"
    for runner in of_format(name):
        if depth > 100 and runner.codec in UNLIMITED:
            continue
        line = decoded(runner, begin * depth + leaf + end * depth)
        assert line is None or line == b"[" * depth + b'{"int":"1"}' + b"]" * depth + b"\n", runner.codec
        assert line or depth > 100, runner.codec


WITHOUT = {
    "cpp/glaze-beve": "its tree is JSON's",
    "cpp/glaze-cbor": "its tree is JSON's",
    "cpp/glaze-msgpack": "its tree is JSON's",
    "python/numpy-save": "an array",
    "python/pickle": "input is executed",
    "python/pyarrow-ipc": "a table",
    "rust/beve-typed": "arrays of one type",
    "rust/flat-message": "no reader without a type",
    "rust/flat-message-unchecked": "no reader without a type",
    "rust/serde-json-crypt": "encrypted",
    "rust/simd-json-derive": "reads by derive",
    "rust/simd-json-derive-slice": "reads by derive",
}
"""Codecs whose bytes say what they hold, and which read no value without its type."""


def test_who_reads_no_value_without_its_type_has_a_reason():
    codecs = load_catalogue().codecs
    assert {name for name, one in codecs.items() if one.self_describing and not one.any and not one.control} == set(
        WITHOUT
    )


def test_codecs_whose_bytes_do_not_say_what_they_hold_offer_nothing():
    for runner in built_runners():
        if not runner.entry.unavailable and not runner.description.self_describing:
            assert runner.description.any == [] or runner.codec == "rust/rmp-serde"


def test_both_commands_are_offered_or_none():
    assert all(one.description.any == list(AnyCommand) for one in runners().values())
