"""Types as Protocol Buffers, FlatBuffers and Cap'n Proto: what the schemas' own compilers read in them."""

import subprocess
import sys
from pathlib import Path

import pytest
from google.protobuf import descriptor_pb2

from bench.base.paths import tool
from bench.scenarios.sets import type_set
from bench.types.definitions import Definitions, EnumDefinition, FieldDefinition, StructDefinition, define
from bench.types.expressions import parse_type
from bench.types.generation import shared
from bench.types.names import Names
from bench.types.type_set import MessageType, TypeSet, Use
from tests.support.scenarios.committed import committed_scenarios

protobuf, flatbuffers, capnp = shared("protobuf"), shared("flatbuffers"), shared("capnp")
capnp_compiler = shared("capnp_compiler")
PUBLISHED = type_set("published", committed_scenarios(sweeps=True).values())


def a_set(*, of="Row", enums=None, attributes=None, **fields) -> TypeSet:
    structs = {"Row": StructDefinition(fields, attributes=attributes or {}), "Part": StructDefinition({"x": "f32"})}
    defined = define(Definitions(structs, enums or {}))
    return TypeSet("test", defined.structs, defined.enums, [MessageType(parse_type(of), (Use("s", False),))])


def messages(types: TypeSet, folder: Path) -> dict[str, list[tuple]]:
    """Message → name, number and kind of each field, as protoc says."""
    (folder / "types.proto").write_text(protobuf.schema(types, Names(types, "cpp")).text)
    output = folder / "types.bin"
    command = [sys.executable, "-m", "grpc_tools.protoc", f"-I{folder}", f"--descriptor_set_out={output}"]
    subprocess.run([*command, str(folder / "types.proto")], check=True)
    file = descriptor_pb2.FileDescriptorSet.FromString(output.read_bytes()).file[0]
    kinds = descriptor_pb2.FieldDescriptorProto.Type
    return {
        one.name: [(field.name, field.number, kinds.Name(field.type)[5:].lower()) for field in one.field]
        for one in file.message_type
    }


@pytest.mark.parametrize(
    ("message", "numbers"),
    [
        ("ProcessCreated", [1, 2, 3, 4, 5, 6, 8, 9, 10, 11]),  # 7 is free, as in the FlatMessage book's schema
        ("LogBlock", list(range(1, 16))),
        ("NestedObject", list(range(1, 9))),
    ],
)
def test_tags_are_those_of_the_publications(tmp_path, message, numbers):
    assert [number for _, number, _ in messages(PUBLISHED, tmp_path)[message]] == numbers


def test_integers_are_encoded_as_the_publications_have_them(tmp_path):
    read = messages(PUBLISHED, tmp_path)
    assert read["FixedObject"][0] == ("int_array", 1, "sint32")
    assert read["ArrayU64"] == [("values", 1, "fixed64")]
    assert read["ArrayU32"] == [("values", 1, "fixed32")]
    assert [kind for *_, kind in read["EnumFields"]] == ["uint32", "uint32", "int64"]


def test_a_short_array_in_a_list_is_a_message_with_a_field_a_number(tmp_path):
    read = messages(PUBLISHED, tmp_path)
    assert [kind for *_, kind in read["Array3F64"]] == ["double"] * 3


def test_the_row_of_blobs_is_a_message_in_another():
    types = PUBLISHED
    root = protobuf.schema(types, Names(types, "rust")).roots[parse_type("LogBlock")]
    assert [field.declaration for field in root.fields] == ["LogBlock block = 1;"]


SHAPES = {
    "deep": "[{[(u8?, {[Part?]})]}]",
    "lists": "[[[f64; 3]; 2]]",
    "optional_map": "{[u8]}?",
    "tuple": "(u8, [string])?",
    "wide": "[u128?]",
    "octets": "[bytes]",
    "more_octets": "[[u8]]",
    "has_tuple": "bool",
    "tuple_size": "u8",
    "a_1": "u8",
    "a1": "u8",
    "descriptor": "string",
    "*/": "u8",
    "": "u8",
    "type": "u8",
    "message": "u8",
    "create": "u8",
    "std": "u8",
}


@pytest.mark.parametrize("message", ["Row", "[Row]", "{[Row?]}", "[[f64; 3]]", "(u8, Part?)", "Row?"])
def test_protoc_takes_every_shape_and_name(tmp_path, message):
    read = messages(a_set(of=message, **SHAPES), tmp_path)
    assert len(read["Row"]) == len(SHAPES)


@pytest.mark.skipif(not tool("flatc").exists(), reason="no flatc is built: `./lab build` compiles it")
@pytest.mark.parametrize("message", ["Row", "[Row]", "{[Row?]}", "[[f64; 3]]", "(u8, Part?)", "Row?"])
def test_flatc_takes_every_shape_and_name(tmp_path, message):
    types = a_set(of=message, **SHAPES)
    schema = tmp_path / "types.fbs"
    schema.write_text(flatbuffers.schema(types, Names(types, "rust")).text)
    done = subprocess.run([tool("flatc"), "--rust", "-o", tmp_path, schema], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr + done.stdout


def flatbuffers_schema(types: TypeSet) -> str:
    return flatbuffers.schema(types, Names(types, "rust")).text


def test_a_flatbuffers_struct_is_what_the_type_file_says_or_a_tuple_of_numbers():
    inline = {"flatbuffers": {"layout": "struct"}}
    text = flatbuffers_schema(a_set(of="[Row]", attributes=inline, x="f32", place="(i8, (u16, bool))"))
    assert "struct TupleU16Bool {\n  item_0: ushort;\n  item_1: bool;\n}" in text
    assert "struct Row {\n  x: float;\n  place: TupleI8TupleU16Bool;\n}" in text
    assert "table ArrayRow {\n  values: [Row] (required);\n}" in text
    assert "table TupleU8String {" in flatbuffers_schema(a_set(x="(u8, string)"))


@pytest.mark.parametrize("message", ["Row", "(i8, i8)"])
def test_a_message_that_would_be_a_flatbuffers_struct_is_a_table_around_it(message):
    types = a_set(of=message, attributes={"flatbuffers": {"layout": "struct"}}, x="f32")
    root = flatbuffers.schema(types, Names(types, "rust")).roots[parse_type(message)]
    assert not root.is_struct and [field.name for field in root.fields] == ["value"]


@pytest.mark.parametrize("kind", ["string", "f32?", "[f32]", "u128", "Part", "(u8, string)", "Level"])
def test_what_no_flatbuffers_struct_can_have_is_named(kind):
    enums = {"Level": EnumDefinition("u8", {"Low": 0})}
    types = a_set(enums=enums, attributes={"flatbuffers": {"layout": "struct"}}, x=kind)
    with pytest.raises(ValueError, match="struct Row, field 'x': a FlatBuffers struct has numbers"):
        flatbuffers_schema(types)


def identified(*ids: int | None) -> TypeSet:
    """A struct whose fields have numbers of FlatBuffers."""
    said = [{} if one is None else {"flatbuffers": {"id": one}} for one in ids]
    return a_set(**{f"f{place}": FieldDefinition("string", attributes=one) for place, one in enumerate(said)})


def test_a_field_of_flatbuffers_has_the_number_that_the_type_file_says():
    assert "f0: string (required, id: 1);\n  f1: string (required, id: 0);" in flatbuffers_schema(identified(1, 0))
    assert "id" not in flatbuffers_schema(identified(None, None)).partition("table Row")[2]


@pytest.mark.parametrize("ids", [(0, None), (0, 0), (1, 2)])
def test_numbers_of_flatbuffers_are_each_from_0_once(ids):
    with pytest.raises(ValueError, match="struct Row: its fields have the flatbuffers.id"):
        flatbuffers_schema(identified(*ids))


def test_a_struct_whose_name_is_that_of_generated_code_has_tables_of_another():
    defined = define(Definitions({"Row": StructDefinition({"x": "u8"}), "RowArgs": StructDefinition({"y": "u8"})}, {}))
    types = TypeSet("test", defined.structs, defined.enums, [])
    names = [table.name for table in flatbuffers.schema(types, Names(types, "rust")).tables]
    assert names == ["Row", "RowArgs2"]


def test_an_enumeration_is_the_integer_of_its_size(tmp_path):
    enums = {"Level": EnumDefinition("i64", {"Low": -(2**40), "High": 1})}
    types = a_set(enums=enums, level="Level")
    assert messages(types, tmp_path)["Row"] == [("level", 1, "int64")]
    assert "level: long;" in flatbuffers.schema(types, Names(types, "rust")).text


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ({"tga": 3}, r"struct Row, field 'x': protobuf.tga is not known"),
        ({"tag": 0}, r"protobuf.tag is a number from 1"),
        ({"tag": 19_500}, r"protobuf.tag is a number from 1"),
        ({"encoding": "packed"}, r"protobuf.encoding is `fixed` or `zigzag`"),
    ],
)
def test_an_attribute_that_is_not_known_is_named(said, problem):
    types = a_set(x=FieldDefinition("u32", attributes={"protobuf": said}))
    with pytest.raises(ValueError, match=problem):
        protobuf.schema(types, Names(types, "rust"))


def test_two_fields_of_one_tag_are_refused():
    types = a_set(
        x=FieldDefinition("u32", attributes={"protobuf": {"tag": 2}}),
        y="u8",
        z=FieldDefinition("u8", attributes={"protobuf": {"tag": 3}}),
    )
    with pytest.raises(ValueError, match="several fields have the protobuf.tag 3"):
        protobuf.schema(types, Names(types, "rust"))


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ({"rot": "x"}, r"struct Row: flatbuffers.rot is not known"),
        ({"root": "a b"}, r"flatbuffers.root is the name of a field"),
        ({"order": "size"}, r'flatbuffers.order is "schema"'),
    ],
)
def test_an_attribute_of_a_table_that_is_not_known_is_named(said, problem):
    types = a_set(attributes={"flatbuffers": said}, x="u32")
    with pytest.raises(ValueError, match=problem):
        flatbuffers.schema(types, Names(types, "rust"))


def test_without_flatc_the_generated_code_says_so(tmp_path, monkeypatch):
    flatc = shared("flatc")
    monkeypatch.setattr(flatc, "tool", lambda name: tmp_path / name)
    output = flatc.generate(tmp_path / "types.fbs", ["--rust"], tmp_path / "types.rs")
    assert output.read_text().startswith('compile_error!("flatc is missing')


def capnp_text(types: TypeSet) -> str:
    return capnp.schema(types, Names(types, "rust")).text


def capnp_request(types: TypeSet, folder: Path) -> bytes:
    (folder / "types.capnp").write_text(capnp_text(types))
    return capnp_compiler.request(folder / "types.capnp", folder / "types.request").read_bytes()


@pytest.mark.parametrize("message", ["Row", "[Row]", "{[Row?]}", "[[f64; 3]]", "(u8, Part?)", "Row?", "u128", "[[u8]]"])
def test_capnp_takes_every_shape_and_name(tmp_path, message):
    more = {"none": "u8?", "some": "bool", "union": "u8", "group": "u8", "struct": "Part", "list": "[(u8, Part?)]"}
    made = capnp_request(a_set(of=message, **SHAPES, **more), tmp_path)
    assert not made.startswith(b"refused"), made
    assert b"tupleSize\0" in made and b"unionField\0" in made


def test_capnp_refuses_what_is_no_schema(tmp_path):
    schema = tmp_path / "types.capnp"
    schema.write_text("@0x8d2b6c3f5a719e04;\nstruct A { b @1 :Bool; }\n")
    refused = capnp_compiler.request(schema, tmp_path / "types.request").read_bytes()
    assert refused.startswith(b"refused: ") and b"ordinal" in refused


def test_without_pycapnp_the_request_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(capnp_compiler, "find_spec", lambda name: None)
    assert capnp_request(a_set(x="u8"), tmp_path).startswith(b"refused: there is no compiler")


def test_an_option_is_a_union_or_a_null_pointer():
    null = FieldDefinition("string?", attributes={"capnp": {"null": True}})
    text = capnp_text(a_set(a="string?", b=null, c="(u8, bool)?"))
    assert "  a :union {\n    none @0 :Void;\n    some @1 :Text;\n  }\n  b @2 :Text;\n" in text
    assert "    some :group {\n      item0 @4 :UInt8;\n      item1 @5 :Bool;\n    }\n" in text


def test_fields_are_numbered_as_the_type_file_says():
    wide = FieldDefinition("u32", default=5, attributes={"capnp": {"ordinal": 2}})
    text = capnp_text(a_set(id="u32", level=wide, size=FieldDefinition("u32", attributes={"capnp": {"ordinal": 1}})))
    assert "struct Row {\n  id @0 :UInt32;\n  size @1 :UInt32;\n  level @2 :UInt32 = 5;\n}" in text


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ({"ordnal": 3}, r"struct Row, field 'x': capnp.ordnal is not known"),
        ({"ordinal": 1}, r"struct Row: its fields have the capnp.ordinal \[1, 1\]"),
        ({"ordinal": True}, r"its fields have the capnp.ordinal \[True, 1\]"),
        ({"null": True}, r"capnp.null = true is for options"),
        ({"octets": "list"}, r"capnp.octets = \"list\" for lists of u8"),
    ],
)
def test_an_attribute_of_capnp_that_is_not_right_is_named(said, problem):
    types = a_set(x=FieldDefinition("u32", attributes={"capnp": said}), y="u8")
    with pytest.raises(ValueError, match=problem):
        capnp_text(types)
