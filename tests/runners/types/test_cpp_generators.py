"""What the C++ generators make of every shape and of hostile names; that it compiles is seen where it is built."""

import re

import msgspec
import pytest

from bench.base.errors import LabError
from bench.base.paths import RUNNERS
from bench.types.definitions import Definitions, define
from bench.types.generation import generated, generator_module, generators, shared
from bench.types.names import Names
from bench.types.type_set import TypeSet
from tests.support.canonical_values import everything, type_set

TYPES = everything()
LITERAL = re.compile(r'"(?:[^"\\]|\\.)*"')


def code(library: str, types: TypeSet = TYPES) -> dict[str, str]:
    """The files of one generator."""
    folder = next(folder for folder in generators("cpp") if folder.name == library)
    return generated(folder, types, "cpp")


def made_of(structs: dict[str, dict[str, str]], enums: dict[str, dict[str, object]] | None = None) -> TypeSet:
    """A set of the structs' fields."""
    given = {"structs": {name: {"fields": fields} for name, fields in structs.items()}, "enums": enums or {}}
    return type_set(define(msgspec.convert(given, Definitions)))


@pytest.mark.parametrize("folder", generators("cpp"), ids=lambda folder: folder.name)
def test_what_data_name_stands_in_literals_alone(folder):
    for name, text in generated(folder, TYPES, "cpp").items():
        assert text.isascii(), name
        bare = LITERAL.sub('""', text)
        for hostile in ("a'b", "drop(1)", "raw %", "{{ x", "${x}", "u202e", "READ_ONLY"):
            assert hostile not in bare, (name, hostile)


def test_every_library_has_a_generator_or_needs_none():
    assert {folder.name for folder in generators("cpp")} == {
        "messages",
        *(path.parent.name for path in (RUNNERS / "cpp" / "libraries").glob("*/*.j2")),
    }


def test_glaze_is_told_names_only_where_reflection_does_not_see_them():
    types = made_of({"Plain": {"one": "u8"}, "Named": {"not-one": "u8"}, "Large": {f"f{i}": "u8" for i in range(129)}})
    messages, named = code("glaze", types)["messages.hpp"], code("glaze", types)["named.hpp"]
    assert "meta<wirelab::types::Named>" in messages and "meta<wirelab::types::Large>" in messages
    assert "meta<wirelab::types::Plain>" not in messages and "meta<wirelab::types::Plain>" in named
    assert '"not-one", &T::not_one' in messages


def test_glaze_is_told_the_names_of_no_enumeration_whose_range_overflows():
    enums = {
        "Wide": {"repr": "i32", "variants": {"a": -(2**31), "b": 0, "c": 2**31 - 1}},
        "Narrow": {"repr": "i32", "variants": {"a": -(2**30), "b": 0, "c": 2**30 - 1}},
    }
    text = code("glaze", made_of({"One": {"wide": "Wide", "narrow": "Narrow"}}, enums))["messages.hpp"]
    assert "meta<wirelab::types::Narrow>" in text and "meta<wirelab::types::Wide>" not in text


def test_zpp_bits_is_given_no_struct_with_more_members_than_it_sees():
    structs = {name: {f"f{i}": "u8" for i in range(count)} for name, count in (("Fits", 50), ("Large", 51))}
    structs["Around"] = {"large": "[Large]"}
    text = code("zpp_bits", made_of(structs))["messages.hpp"]
    assert "struct Fits {" in text and "struct ShapeOf<types::Fits>" in text
    assert "struct Large {" not in text and "types::Around" not in text


def test_zpp_bits_numbers_fields_as_the_schema_does():
    given = {"structs": {"One": {"fields": {"a": "u32", "b": {"type": "u32", "attributes": {"protobuf": {"tag": 7}}}}}}}
    text = code("zpp_bits", type_set(define(msgspec.convert(given, Definitions))))["messages.hpp"]
    assert "zpp::bits::protocol<zpp::bits::pb{zpp::bits::pb_map<2, 7>{}}>" in text


def test_an_optional_string_of_flatbuffers_is_of_an_object_that_tells_it_from_an_empty_one():
    files = code("flatbuffers", made_of({"One": {"a": "string?", "b": "u8?", "c": "[f64]?"}, "Two": {"a": "string"}}))
    assert 'table One (native_type: "wirelab::flat::tables::OneT") {' in files["types.fbs"]
    assert "table Two {" in files["types.fbs"]
    assert "a: string;" in files["types.fbs"] and "b: ubyte = null;" in files["types.fbs"]
    assert "std::optional<std::string> a;" in files["natives.hpp"] and "TwoT :" not in files["natives.hpp"]


def numbered(schema: str) -> list[str]:
    """The kinds of a schema's fields in their order, with numbers for tables: what encoded bytes depend on."""
    tables = re.findall(r"^(?:table|struct) (\w+)", schema, re.MULTILINE)
    numbers = {name: f"table {number}" for number, name in enumerate(tables)}
    kinds = re.findall(r"^  \w+: (.*)", schema, re.MULTILINE)
    return [re.sub(r"\w+", lambda word: numbers.get(word[0], word[0]), kind) for kind in kinds]


def test_rust_reads_what_the_schema_of_flatbuffers_says():
    rust = next(folder for folder in generators("rust") if folder.name == "flatbuffers")
    assert numbered(code("flatbuffers")["types.fbs"]) == numbered(generated(rust, TYPES, "rust")["types.fbs"])


@pytest.mark.parametrize(
    ("notation", "expected"),
    [
        ("[u8]", "std::vector<std::uint8_t>"),
        ("{(bool, i128)?}", "std::map<std::string, std::optional<std::tuple<bool, __int128>>>"),
        ("[f64; 3]", "std::array<double, 3>"),
        ("User", "types::User"),
    ],
)
def test_a_type_is_that_of_the_standard_library(notation, expected):
    assert shared("cpp_types").plain(TYPES.parse(notation), Names(TYPES, "cpp"), prefix="types::") == expected


def test_bytes_have_a_shape_of_their_own_and_octets_none():
    cpp_types, names = shared("cpp_types"), Names(TYPES, "cpp")
    assert (
        cpp_types.shape(TYPES.parse("{[bytes]?}"), names) == "std::map<std::string, std::optional<std::vector<Base64>>>"
    )
    assert cpp_types.shape(TYPES.parse("[u8]"), names) is None


def test_names_stand_in_json_without_quotes_and_control_characters():
    text = code("glaze", made_of({"One": {'a"b\\\n': "u8"}}))
    assert r'"a\\u0022b\\u005c\\u000a", &T::' in text["json.hpp"] and r'"a\"b\\\012", &T::' in text["messages.hpp"]


def test_glaze_reads_no_json_with_names_that_its_hash_cannot_find():
    types = made_of({"Long": {"n" * 256: "u8"}, "Around": {"long": "[Long]"}, "Short": {"n" * 255: "u8"}})
    text = code("glaze", types)["json.hpp"]
    assert "finds_names<types::Long> = false" in text and "finds_names<types::Around> = false" in text
    assert "finds_names<types::Short>" not in text


def test_an_enumeration_with_an_empty_name_is_a_number():
    text = code("glaze", made_of({"One": {"a": "Empty"}}, {"Empty": {"repr": "u8", "variants": {"": 0, "b": 1}}}))
    assert "meta<wirelab::types::Empty>" not in text["messages.hpp"] + text["json.hpp"]


def test_a_library_that_can_take_no_message_of_a_set_says_why(tmp_path):
    folder = next(folder for folder in generators("cpp") if folder.name == "zpp_bits")
    module = generator_module(folder)
    assert list(module.finish(folder, made_of({"Fits": {f"f{i}": "u8" for i in range(50)}}))) == []
    with pytest.raises(LabError, match="zpp_bits sees at most 50 members of a struct: Large has more"):
        list(module.finish(folder, made_of({"Large": {f"f{i}": "u8" for i in range(51)}})))


def test_messages_with_maps_at_any_depth_are_known():
    structs = {"Map": {"map": "{u8}"}, "Around": {"list": "[Map?]"}, "None": {"list": "[string]"}}
    text = code("protobuf", made_of(structs))["messages.hpp"]
    assert all(f"has_maps<messages::{name}> = true" in text for name in ("Map", "Around", "OptionMap"))
    assert "has_maps<messages::None" not in text


def test_msgpack_c_is_told_which_messages_it_would_not_overwrite():
    structs = {
        "Bools": {"maybe": "{[bool]?}"},
        "Around": {"list": "[Bools]"},
        "Others": {"one": "bool", "list": "[u8]"},
    }
    text = code("msgpack-c", made_of(structs))["messages.hpp"]
    assert "keeps_bools<types::Bools> = true" in text and "keeps_bools<types::Around> = true" in text
    assert "keeps_bools<types::Others>" not in text
