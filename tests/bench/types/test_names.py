"""Identifiers and literals: whatever data names its keys, code stays code."""

import ast
import keyword
import re
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.types.expressions import Named, parse_type
from bench.types.names import Names, comment_text, cpp_literal, distinct, python_literal, reserved, rust_literal
from bench.types.type_set import EnumType, FieldType, MessageType, StructType, TypeSet, Variant
from tests.support.canonical_values import everything

LANGUAGES = ("cpp", "python", "rust")
ANY = st.text(max_size=80) | st.sampled_from(
    ["class", "Class", "fn", "self", "", "*/", "a_b", "aB", "a__b", "_", "1", "日本", "x" * 99]
)
UNIQUE = st.lists(ANY, unique=True, min_size=1, max_size=30)
IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]*", re.ASCII)


def of_fields(names: list[str]) -> TypeSet:
    fields = tuple(FieldType(name, parse_type("u8"), index) for index, name in enumerate(names))
    return TypeSet("test", {"S": StructType("S", fields)}, {}, [])


def of_variants(names: list[str]) -> TypeSet:
    variants = tuple(Variant(name, index) for index, name in enumerate(names))
    return TypeSet("test", {}, {"E": EnumType("E", "u8", variants)}, [])


def check(identifiers: list[str], forbidden: frozenset[str]) -> None:
    assert all(IDENTIFIER.fullmatch(one) and len(one) <= 64 and "__" not in one for one in identifiers), identifiers
    assert not forbidden & set(identifiers)
    assert len({one.replace("_", "").lower() for one in identifiers}) == len(identifiers)


@pytest.mark.parametrize("language", LANGUAGES)
@given(UNIQUE)
def test_any_fields_have_distinct_identifiers(language, names):
    types = of_fields(names)
    (struct,) = types.structs.values()
    check([Names(types, language).field(struct, field) for field in struct.fields], reserved(language)[0])


@pytest.mark.parametrize("language", LANGUAGES)
@given(UNIQUE)
def test_any_variants_have_distinct_identifiers(language, names):
    types = of_variants(names)
    (enum,) = types.enums.values()
    check([Names(types, language).variant(enum, one) for one in enum.variants], reserved(language)[1])


@pytest.mark.parametrize("language", LANGUAGES)
@given(st.lists(st.from_regex("[A-Z][A-Za-z0-9]{0,60}", fullmatch=True), unique=True, min_size=1, max_size=20))
def test_any_types_have_distinct_identifiers(language, names):
    types = TypeSet("test", {name: StructType(name, ()) for name in names}, {}, [])
    check([Names(types, language).type(name) for name in names], reserved(language)[0])


def test_names_of_the_words_of_a_language_are_kept_from_fields():
    assert set(keyword.kwlist) <= reserved("python")[0]
    assert distinct(["class", "class_", "CLASS"], reserved("cpp")[0], "x") == ["class_", "class_2", "CLASS_3"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_type_is_named_as_a_list_or_as_a_borrowed_form(language):
    structs = {
        name: StructType(name, (FieldType("x", parse_type("u8"), 0),))
        for name in ("User", "UserRef", "ArrayF64", "ArrayUser")
    }
    types = TypeSet("test", structs, {}, [MessageType(parse_type(kind), ()) for kind in ("[f64]", "[User]")])
    names = Names(types, language)
    made = [names.message(message) for message in types.messages]
    made += [names.type(name) for name in structs] + [f"{names.type('User')}Ref"]
    assert len(set(made)) == len(made) == 7


def test_a_list_is_named_after_what_it_holds():
    names = Names(everything(), "rust")
    assert names.words(parse_type("[[f64; 3]]")) == "ArrayArray3F64"
    assert names.words(parse_type("{User?}")) == "MapOptionUser"
    assert names.words(parse_type("(u8, string)")) == "TupleU8String"
    assert names.message(MessageType(Named("User"), ())) == "User"


@given(st.text())
def test_a_literal_of_python_reads_back_equal(text):
    assert python_literal(text).isascii()
    assert ast.literal_eval(python_literal(text)) == text


CPP_ESCAPE = re.compile(rb'\\([0-7]{3}|["\\?])')


@given(st.text())
def test_a_literal_of_cpp_holds_the_bytes_of_utf_8(text):
    literal = cpp_literal(text).encode("ascii")
    inner = literal[1:-1]
    assert b"\n" not in inner and not re.search(rb'(?<!\\)"', CPP_ESCAPE.sub(b"", inner))
    read = CPP_ESCAPE.sub(lambda m: bytes([int(m[1], 8)]) if len(m[1]) == 3 else m[1], inner)
    assert read == text.encode()


RUST_ESCAPE = re.compile(r'\\(?:u\{([0-9a-f]+)\}|(["\\]))')


@given(st.text())
def test_a_literal_of_rust_holds_the_characters(text):
    inner = rust_literal(text)[1:-1]
    assert inner.isascii() and inner.isprintable()
    assert RUST_ESCAPE.sub(lambda m: chr(int(m[1], 16)) if m[1] else m[2], inner) == text


@given(st.text())
def test_a_comment_ends_with_its_line_and_holds_no_code(text):
    found = comment_text(text)
    assert not set(found) & set('*/\\\n\r"`#{}%<>\u2028\u202e') and len(found) <= 200


HOSTILE = [field.name for field in everything().structs["Hostile"].fields] + [
    "\0",
    "\x7f",
    "\ufeff",
    "??=",
    "\\N{DASH}",
    "a\u2028b",
]


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("rustc"), reason="needs rustc")
def test_rustc_reads_hostile_literals_as_they_were(tmp_path):
    source = tmp_path / "main.rs"
    lines = "\n".join(f'    println!("{{:?}}", {rust_literal(name)}.as_bytes());' for name in HOSTILE)
    source.write_text(f"fn main() {{\n{lines}\n}}\n", "utf-8")
    subprocess.run(["rustc", "-o", tmp_path / "main", source], check=True, cwd=tmp_path)
    assert printed([tmp_path / "main"]) == HOSTILE


@pytest.mark.slow
def test_a_cpp_compiler_reads_hostile_literals_as_they_were(tmp_path):
    pytest.importorskip("ziglang")
    source = tmp_path / "main.cpp"
    lines = "\n".join(
        f"    for (unsigned char c : std::string_view({cpp_literal(name)}, sizeof({cpp_literal(name)}) - 1)) "
        'std::printf("%d, ", c);\n    std::puts("");'
        for name in HOSTILE
    )
    source.write_text(f"#include <cstdio>\n#include <string_view>\nint main() {{\n{lines}\n}}\n", "utf-8")
    import sys

    command = [sys.executable, "-m", "ziglang", "c++", "-std=c++23", "-o", tmp_path / "main", source]
    subprocess.run(command, check=True)
    assert printed([tmp_path / "main"]) == HOSTILE


def printed(command: list) -> list[str]:
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return [bytes(int(one) for one in re.findall(r"\d+", line)).decode() for line in lines]
