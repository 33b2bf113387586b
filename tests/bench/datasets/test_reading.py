"""Messages are read as they are, and what is no message is named with its line."""

import base64
import json
import struct

import polars as pl
import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from hypothesis import given
from hypothesis import strategies as st

from bench.base.errors import LabError
from bench.datasets.reading import sources
from bench.datasets.reading.exact_json import NotExactError, decode, decode_carefully
from bench.datasets.reading.protobuf_source import ProtobufType
from bench.datasets.reading.sources import open_source

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**127), 2**128 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


def messages(path, **more):
    return [tuple(one) for one in open_source(path, **more).messages()]


def refusal(path, **more):
    with pytest.raises(LabError) as error:
        messages(path, **more)
    return str(error.value)


def same(one, other):
    """Equality that tells 1 from 1.0, and 0.0 from -0.0."""
    return repr(one) == repr(other)


@given(JSON)
def test_what_was_written_is_read(value):
    text = json.dumps(value).encode()
    assert same(decode(text), value)
    assert same(decode_carefully(text), value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("18446744073709551615", 2**64 - 1),
        ("340282366920938463463374607431768211455", 2**128 - 1),
        ("1.0", 1.0),
        ("1", 1),
        ("-0.0", -0.0),
        ("-0", -0.0),
        ("1e2", 100.0),
        ("0.1", 0.1),
        ('"\\ud83d\\ude00"', "😀"),
        (' {"a" : [ ] } ', {"a": []}),
    ],
)
def test_numbers_and_texts_are_exact(text, value):
    assert same(decode(text.encode()), value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"a":1,"b":2,"a":3}', "the key 'a' stands twice"),
        ('{"x":{"a":1,"a":1}}', "the key 'a' stands twice"),
        ('{"a":NaN}', "NaN is no JSON"),
        ('{"a":-Infinity}', "Infinity is no JSON"),
        ('"\\ud800"', "half a surrogate pair"),
        ('{"\\udfff":1}', "half a surrogate pair"),
        ("1e400", "beyond the range of an f64"),
        ("9" * 5000, "5,000 digits"),
        ("[" * 100_000, "nested deeper"),
        ('{"a":}', "column 6"),
        ('{"a":1} x', "Extra data"),
        ("", "not JSON"),
    ],
)
def test_what_would_lose_something_is_refused(text, words):
    with pytest.raises(NotExactError, match=words):
        decode(text.encode())


def test_bytes_that_are_no_text_are_refused():
    with pytest.raises(NotExactError, match="byte 2 is not UTF-8"):
        decode(b'"\xff"')


def test_json_lines_have_their_lines(tmp_path):
    (path := tmp_path / "a.jsonl").write_bytes(b'\xef\xbb\xbf{"a":1}\r\n\n  {"a": 2}\n{"a":3}')
    assert messages(path) == [(1, {"a": 1}), (3, {"a": 2}), (4, {"a": 3})]


@pytest.mark.parametrize("name", ["a.json", "a.txt", "a"])
def test_objects_on_lines_are_known_by_their_content(tmp_path, name):
    (path := tmp_path / name).write_text('{"a":1}\n{"a":2}\n')
    assert messages(path) == [(1, {"a": 1}), (2, {"a": 2})]


def test_lines_may_begin_after_empty_ones(tmp_path):
    (path := tmp_path / "a.txt.json").write_text('\n\n{"a":1}\n{"a":2}\n')
    assert [value for _, value in messages(path)] == [{"a": 1}, {"a": 2}]


def test_a_mistake_in_a_line_is_named(tmp_path):
    (path := tmp_path / "a.jsonl").write_text('{"a":1}\n{"a":1,"a":2}\n')
    assert "a.jsonl:2: the key 'a' stands twice" in refusal(path)


def test_a_document_is_one_message(tmp_path):
    (path := tmp_path / "a.json").write_text('\n{\n  "a": [1,\n 2]\n}\n')
    assert messages(path) == [(2, {"a": [1, 2]})]


def test_a_list_is_many_messages_with_their_lines(tmp_path):
    (path := tmp_path / "a.json").write_text('[\n{"a":1},\n\n{"a":\n2}\n, {"a":3} ]\n')
    assert messages(path) == [(2, {"a": 1}), (4, {"a": 2}), (6, {"a": 3})]


@pytest.mark.parametrize("window", [1, 2, 7])
def test_a_list_is_read_through_a_small_window(tmp_path, monkeypatch, window):
    monkeypatch.setattr("bench.datasets.reading.json_sources.CHUNK_CHARACTERS", window)
    values = [{"a": [n, -n, n / 7, "é\n"], "b": {"c": None}} for n in range(30)]
    (path := tmp_path / "a.json").write_text(json.dumps(values, indent=1, ensure_ascii=False))
    assert [value for _, value in messages(path)] == values


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[{"a":1}\n{"a":2}]', "a.json:2: not JSON: ',' or ']'"),
        ('[{"a":1},\n{"a":}]', "a.json:2: not JSON"),
        ('[{"a":1},\n{"a":1,\n"a":2}]', "a.json:2: in the value that begins here: the key 'a'"),
        ('[{"a":1}]\n1', "a.json:2: not JSON: something follows"),
        ('[{"a":1}', "a.json:1: not JSON"),
    ],
)
def test_mistakes_in_a_list_are_named(tmp_path, text, words):
    (path := tmp_path / "a.json").write_text(text)
    assert words in refusal(path)


@pytest.mark.parametrize("window", [1, 64])
def test_a_mistake_far_into_a_list_has_its_line(tmp_path, monkeypatch, window):
    monkeypatch.setattr("bench.datasets.reading.json_sources.CHUNK_CHARACTERS", window)
    (path := tmp_path / "a.json").write_text("[" + ",\n".join(['{"a":\n1}'] * 20 + ['{"a":\n\n?}']) + "]")
    assert "a.json:43: not JSON" in refusal(path)


def test_columns_of_csv_are_of_one_kind(tmp_path):
    text = 'n,f,b,s,z,e,"q,1"\n1,1,true,1,007,,"a\nb"\n-2,2.5,False,x,1,,"c""d"\n,,,,,,\n'
    (path := tmp_path / "a.csv").write_text(text)
    first = {"n": 1, "f": 1.0, "b": True, "s": "1", "z": "007", "e": "", "q,1": "a\nb"}
    second = {"n": -2, "f": 2.5, "b": False, "s": "x", "z": "1", "e": "", "q,1": 'c"d'}
    third = {"n": None, "f": None, "b": None, "s": "", "z": "", "e": "", "q,1": ""}
    assert same(messages(path), [(2, first), (4, second), (5, third)])


@pytest.mark.parametrize("digits", ["9" * 40, "340282366920938463463374607431768211456" * 2])
def test_long_numbers_of_csv_keep_their_digits(tmp_path, digits):
    (path := tmp_path / "a.csv").write_text(f"id\n{digits}\n1\n")
    assert messages(path) == [(2, {"id": digits}), (3, {"id": "1"})]


def test_integers_beside_fractions_in_csv_are_exact_or_text(tmp_path):
    (path := tmp_path / "a.csv").write_text("a,b\n9007199254740993,9007199254740992\n1.5,1.5\n")
    assert same(messages(path)[0][1], {"a": "9007199254740993", "b": 9007199254740992.0})


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["5", "9007199254740993", "0.5"], ["5", "9007199254740993", "0.5"]),
        (["true", "0.5"], ["true", "0.5"]),
        (["true", "1"], ["true", "1"]),
        (["1", "true"], ["1", "true"]),
        (["1", "0.50", "2e3", "-1E-7"], [1.0, 0.5, 2000.0, -1e-07]),
        (["0.1", "0.12345678901234567890"], ["0.1", "0.12345678901234567890"]),
        (["0.0", "-0.0e5", "5e-324"], [0.0, -0.0, 5e-324]),
        (["0.5", "1e-999999999999999999999"], ["0.5", "1e-999999999999999999999"]),
        (["0.5", "1e999"], ["0.5", "1e999"]),
    ],
)
def test_a_column_of_csv_is_what_all_its_cells_are(tmp_path, cells, values):
    (path := tmp_path / "a.csv").write_text("\n".join(["a", *cells]))
    assert same([value["a"] for _, value in messages(path)], values)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"a,b\n1,2\n3\n", "a.csv:3: the row has 1 cells and the header 2"),
        (b"a,a\n1,2\n", "a.csv:1: the header has 'a' twice"),
        (b"a,,\n1,2,x\n", "a.csv:1: the header has '' twice"),
        (b"a,\n1,2\n", "a.csv:1: column 2 has no name"),
        (b"a;b\n1;2\n", "a.csv:1: the header 'a;b' is one column, with ';' in it"),
        (b"a,b\n1,\xff\n", "is not UTF-8"),
        (b'a\n"x"y\n', "a.csv:2: not CSV"),
    ],
)
def test_mistakes_in_csv_are_named(tmp_path, text, words):
    (path := tmp_path / "a.csv").write_bytes(text)
    assert words in refusal(path)


def test_a_parquet_file_is_read_whose_name_is_a_pattern_of_another(tmp_path):
    for name, value in (("d1.parquet", 1), ("d[1].parquet", 999)):
        pl.DataFrame({"a": [value]}).write_parquet(tmp_path / name)
    assert messages(tmp_path / "d[1].parquet") == [(1, {"a": 999})]


def test_parquet_keeps_what_it_has(tmp_path):
    frame = pl.DataFrame(
        {
            "u": pl.Series([2**64 - 1, None], dtype=pl.UInt64),
            "d": [b"\x00\xff", b""],
            "t": pl.Series([1, 2], dtype=pl.Datetime("ns")),
            "s": [{"a": [1.5, None]}, {"a": []}],
        }
    )
    frame.write_parquet(path := tmp_path / "a.parquet")
    assert messages(path) == [
        (1, {"u": 2**64 - 1, "d": b"\x00\xff", "t": 1, "s": {"a": [1.5, None]}}),
        (2, {"u": None, "d": b"", "t": 2, "s": {"a": []}}),
    ]


def test_times_within_lists_and_structs_of_parquet_keep_their_nanoseconds(tmp_path):
    import datetime as dt

    moment = pl.Series([[1_700_000_000_123_456_789, None]], dtype=pl.List(pl.Datetime("ns")))
    day = pl.Series([{"a": [dt.date(1970, 1, 3)], "b": dt.timedelta(microseconds=5)}])
    frame = pl.DataFrame({"t": moment, "s": day, "d": pl.Series([dt.time(0, 0, 1)])})
    frame.write_parquet(path := tmp_path / "a.parquet")
    expected = {"t": [1_700_000_000_123_456_789, None], "s": {"a": [2], "b": 5}, "d": 1_000_000_000}
    assert messages(path) == [(1, expected)]


def test_parquet_with_values_that_json_has_not(tmp_path):
    pl.DataFrame({"x": [1.0, float("nan")]}).write_parquet(path := tmp_path / "a.parquet")
    assert "row 2: x: nan is no JSON" in refusal(path)


def test_parquet_that_is_cut_off(tmp_path):
    pl.DataFrame({"x": [1.0]}).write_parquet(path := tmp_path / "a.parquet")
    path.write_bytes(path.read_bytes()[:-20])
    assert "not Parquet" in refusal(path)


PROTO = """
syntax = "proto3";
package own;
message Event { int64 id = 1; bytes data = 2; repeated Part parts = 3; map<string, uint64> sums = 4; Kind kind = 5; }
message Part { double x = 1; optional int32 y = 2; }
enum Kind { NONE = 0; BIG = 1; }
"""


@pytest.fixture(scope="module")
def protobuf(tmp_path_factory):
    from grpc_tools import protoc

    folder = tmp_path_factory.mktemp("proto")
    (folder / "own.proto").write_text(PROTO)
    assert protoc.main(["protoc", f"-I{folder}", f"--descriptor_set_out={folder / 'set'}", "own.proto"]) == 0
    pool = descriptor_pool.DescriptorPool()
    for file in descriptor_pb2.FileDescriptorSet.FromString((folder / "set").read_bytes()).file:
        pool.Add(file)
    return folder / "own.proto", message_factory.GetMessageClass(pool.FindMessageTypeByName("own.Event"))


def frame(message):
    data = message.SerializeToString()
    assert len(data) < 128
    return bytes([len(data)]) + data


EXPECTED = {"id": -(2**62), "data": b"\xff", "parts": [{"x": 0.5}], "sums": {"a": 2**64 - 1}, "kind": "BIG"}


@pytest.mark.parametrize("name", ["Event", "own.Event"])
def test_protobuf_one_after_the_other(tmp_path, protobuf, name):
    file, kind = protobuf
    event = kind(id=-(2**62), data=b"\xff", parts=[{"x": 0.5}], sums={"a": 2**64 - 1}, kind=1)
    (path := tmp_path / "a.bin").write_bytes(frame(event) + frame(kind()))
    assert messages(path, protobuf=ProtobufType(file, name)) == [
        (1, EXPECTED),
        (2, {"id": 0, "data": b"", "parts": [], "sums": {}, "kind": "NONE"}),
    ]


def test_well_known_types_of_protobuf_are_what_they_hold(tmp_path, protobuf):
    from google.protobuf import any_pb2, wrappers_pb2

    _, kind = protobuf
    (file := tmp_path / "known.proto").write_text(
        'syntax = "proto3"; package own; import "google/protobuf/any.proto"; import "google/protobuf/wrappers.proto"; '
        "message W { google.protobuf.Int64Value n = 1; google.protobuf.BytesValue b = 2; google.protobuf.Any x = 3; "
        "google.protobuf.StringValue s = 4; }"
    )

    def field(number, message):
        data = message.SerializeToString()
        return bytes([number << 3 | 2, len(data)]) + data

    held = field(1, wrappers_pb2.Int64Value(value=-(2**62))) + field(2, wrappers_pb2.BytesValue(value=b"\xff"))
    (path := tmp_path / "a.bin").write_bytes(held)
    value = messages(path, protobuf=ProtobufType(file, "W"))[0][1]
    assert (value["n"], value["b"]) == (-(2**62), b"\xff")
    boxed = any_pb2.Any()
    boxed.Pack(wrappers_pb2.StringValue(value="x"))
    path.write_bytes(field(3, boxed))
    (_, value), *_ = messages(path, protobuf=ProtobufType(file, "W"))
    assert value["x"]["value"] == "x" and type(value["x"]) is dict
    path.write_bytes(field(3, any_pb2.Any(type_url="type.googleapis.com/own.Nowhere", value=b"\x08\x01")))
    assert "message 1: no own.W" in refusal(path, protobuf=ProtobufType(file, "W"))


def test_protobuf_one_message_alone(tmp_path, protobuf):
    file, kind = protobuf
    event = kind(id=-(2**62), data=b"\xff", parts=[{"x": 0.5}], sums={"a": 2**64 - 1}, kind=1)
    (path := tmp_path / "a.bin").write_bytes(event.SerializeToString())
    assert messages(path, protobuf=ProtobufType(file, "Event")) == [(1, EXPECTED)]


def unknown_field(size):
    """Field 100 of `size` zeros, which the .proto file does not have."""
    return b"\xa2\x06" + bytes([size]) + b"\0" * size


def test_unknown_fields_of_protobuf_are_counted_and_change_no_frame(tmp_path, protobuf):
    file, kind = protobuf
    first = kind(id=5).SerializeToString() + unknown_field(10)
    (path := tmp_path / "a.bin").write_bytes(bytes([len(first)]) + first + frame(kind(id=6)))
    source = open_source(path, ProtobufType(file, "Event"))
    for _ in range(2):
        assert [value["id"] for _, value in source.messages()] == [5, 6]
    assert source.notes == [
        "1 message has fields that own.proto does not have, 13 bytes: they are left out. Give the .proto file that the "
        "messages were written with."
    ]


def test_unknown_fields_within_a_message_are_counted(tmp_path, protobuf):
    file, _ = protobuf
    part = unknown_field(10)
    data = b"\x1a" + bytes([len(part)]) + part
    (path := tmp_path / "a.bin").write_bytes(bytes([len(data)]) + data)
    source = open_source(path, ProtobufType(file, "Event"))
    assert len(list(source.messages())) == 1
    assert "1 message has fields" in source.notes[0]


def test_extensions_of_protobuf_are_fields(tmp_path):
    text = 'syntax = "proto2"; package own; message M { optional int32 a = 1; extensions 100 to 200; } '
    (file := tmp_path / "e.proto").write_text(text + "extend M { optional int64 more = 100; }")
    data = b"\x08\x05\xa0\x06\x07"
    (path := tmp_path / "a.bin").write_bytes(bytes([len(data)]) + data)
    assert messages(path, protobuf=ProtobufType(file, "M")) == [(1, {"a": 5, "[own.more]": 7})]


def test_protobuf_with_mistakes(tmp_path, protobuf):
    file, kind = protobuf
    (path := tmp_path / "a.bin").write_bytes(frame(kind(id=1)))
    assert "has no message 'Evnt'. Its messages: own.Event, own.Part" in refusal(
        path, protobuf=ProtobufType(file, "Evnt")
    )
    path.write_bytes(b"\x0f\xff\xff")
    assert "message 1: no own.Event" in refusal(path, protobuf=ProtobufType(file, "Event"))
    path.write_bytes(frame(kind(parts=[{"x": float("nan")}])))
    assert "message 1: x: NaN is no JSON number" in refusal(path, protobuf=ProtobufType(file, "Event"))
    (tmp_path / "bad.proto").write_text("message {")
    assert "protoc refuses it" in refusal(path, protobuf=ProtobufType(tmp_path / "bad.proto", "Event"))


def test_what_is_no_data_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "a.bin"
    assert "cannot be read" in refusal(path)
    assert "is a folder" in refusal(tmp_path)
    path.write_bytes(b" \n")
    assert "holds no message" in refusal(path)
    path.write_bytes(struct.pack("<q", 3))
    assert "is neither JSON" in refusal(path)
    monkeypatch.setattr(sources, "LARGEST_FILE_BYTES", 3)
    assert "takes up to 3" in refusal(path)


def test_a_message_has_a_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "MOST_MESSAGE_BYTES", 20)
    (path := tmp_path / "a.jsonl").write_text('{"a":1}\n{"a":"xxxxxxxxxxxxxxxxxxxxxx"}\n')
    assert "a.jsonl:2: a message has more than" in refusal(path)


def test_an_early_mistake_in_a_long_document_is_told_as_what_it_is(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "MOST_MESSAGE_BYTES", 1000)
    monkeypatch.setattr("bench.datasets.reading.json_sources.CHUNK_CHARACTERS", 100)
    (path := tmp_path / "a.json").write_text('[{"a":1},\n{"a" 2},\n' + '{"a":3},\n' * 1000 + "]")
    assert "a.json:2: not JSON: Expecting ':' delimiter" in refusal(path)
    path.write_text('[{"a":"' + "x" * 5000 + '"}]')
    assert "a message has more than" in refusal(path)


def test_messages_have_a_limit_with_all_keys_too(tmp_path, monkeypatch):
    from bench.datasets import dataset

    monkeypatch.setattr(dataset, "STATE", tmp_path)
    (path := tmp_path / "a.jsonl").write_text('{"a":1,"b":null}\n{"a":1}\n')
    source = open_source(path)
    typed = dataset.inferred_types(source, lambda _: None)
    monkeypatch.setattr(dataset, "MOST_SPOOLED_BYTES", 20)
    with pytest.raises(LabError, match="a.jsonl:2: the messages up to here have"):
        dataset.fitted(source, typed, 1, lambda _: None)
    monkeypatch.setattr(dataset, "MOST_MESSAGE_BYTES", 10)
    with pytest.raises(LabError, match="a.jsonl:1: has 0 MiB with every key of its type"):
        dataset.fitted(source, typed, 1, lambda _: None)


def test_bytes_are_base64_in_canonical_json():
    from bench.datasets.reading.table_sources import base64_text

    assert base64_text(b"\x00\x01") == base64.b64encode(b"\x00\x01").decode()
