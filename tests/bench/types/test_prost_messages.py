"""Messages of prost: those that prost-build writes of the same schema, and what a type file may say otherwise."""

import re

from bench.types.definitions import Definitions, FieldDefinition, StructDefinition, define
from bench.types.expressions import Named
from bench.types.generation import generated, generators
from bench.types.type_set import FilterOf, MessageType, TypeSet, Use

SHAPES = {
    "part": "Part",
    "perhaps": "Part?",
    "parts": "[Part]",
    "named": "{Part}",
    "list": FieldDefinition("[i32]", attributes={"protobuf": {"encoding": "zigzag"}}),
    "octets": "[u8]",
    "text": "string?",
}
BUILT = """
    #[prost(message, optional, tag = "1")]
    pub part: ::core::option::Option<Part>,
    #[prost(message, optional, tag = "2")]
    pub perhaps: ::core::option::Option<Part>,
    #[prost(message, repeated, tag = "3")]
    pub parts: ::prost::alloc::vec::Vec<Part>,
    #[prost(btree_map = "string, message", tag = "4")]
    pub named: ::prost::alloc::collections::BTreeMap<::prost::alloc::string::String, Part>,
    #[prost(sint32, repeated, tag = "5")]
    pub list: ::prost::alloc::vec::Vec<i32>,
    #[prost(bytes = "vec", tag = "6")]
    pub octets: ::prost::alloc::vec::Vec<u8>,
    #[prost(string, optional, tag = "7")]
    pub text: ::core::option::Option<::prost::alloc::string::String>,
"""
"""What prost-build 0.14.4, with `btree_map`, made of the schema of these shapes."""


def a_set(selected: FilterOf | None = None, **fields: str | FieldDefinition) -> TypeSet:
    structs = {"Row": StructDefinition(fields), "Part": StructDefinition({"x": "f32", "text": "string"})}
    defined = define(Definitions(structs))
    use = Use("rows", rows=True, files=selected is not None, filter=selected)
    return TypeSet("test", defined.structs, defined.enums, [MessageType(Named("Row"), (use,))])


def code(types: TypeSet) -> str:
    folder = next(folder for folder in generators("rust") if folder.name == "prost")
    return generated(folder, types, "rust")["types.rs"]


def message(text: str, name: str) -> str:
    """The fields of a message, without the paths to its types."""
    fields = re.search(rf"pub struct {name} \{{(.*?)\n *\}}", text, re.DOTALL)
    assert fields, name
    return bare(fields[1])


def bare(fields: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"(::\w+)+::", "", re.sub(r'tag = "(\d+)"', r"tag = \1", fields))).strip()


def test_messages_are_those_of_prost_build():
    assert message(code(a_set(**SHAPES)), "Row") == bare(BUILT)


def test_a_message_that_is_not_there_is_refused_by_its_name():
    assert 'part: present(message.part, "part")?.try_into()?,' in code(a_set(part="Part"))


def test_a_filter_selects_no_row_without_the_message_that_it_asks():
    selected = FilterOf(contains={("part", "text"): "x"})
    text = code(a_set(selected, part="Part"))
    assert 'Some(self.part.as_ref()?.text.contains("x"))' in text
