"""Fields and variants whose numbers a type file says, in the words of each library with derives."""

import re
from functools import cache

import pytest

from bench.types.definitions import Definitions, EnumDefinition, FieldDefinition, StructDefinition, define
from bench.types.expressions import Named
from bench.types.generation import generated, generators
from bench.types.type_set import MessageType, TypeSet, Use

NUMBERS = {
    "bilrost": {"tag": 4},
    "flatbuffers": {"id": 3},
    "minicbor": {"index": 3},
    "musli": {"name": 3},
    "zerompk": {"key": 3},
}
FIELDS = {
    "bilrost": "#[bilrost(tag = 4)]",
    "minicbor": "#[n(3)]",
    "musli": "#[musli(Binary, name = 3)]",
    "musli-packed": "",
    "speedy": "",
    "zerompk": "#[msgpack(key = 3)]",
}
VARIANTS = {
    "bilrost": "#[bilrost(2)] Ajar,",
    "bin-proto": "#[bin_proto(discriminant = 2)] Ajar,",
    "bitcode": "Ajar,",
    "borsh": "Ajar = 2,",
    "minicbor": "#[n(2)] Ajar,",
    "msgpacker": "Ajar = 2,",
    "musli": "#[musli(Binary, name = 2)] Ajar,",
    "speedy": "Ajar = 2,",
    "wincode": "#[wincode(tag = 2)] Ajar,",
    "wincode-bincode": "#[wincode(tag = 2)] Ajar,",
}
PLACES = {
    "bilrost": "#[bilrost(1)] Ajar,",
    "bin-proto": "#[bin_proto(discriminant = 1)] Ajar,",
    "minicbor": "#[n(1)] Ajar,",
}


@cache
def code(numbered: bool) -> dict[str, str]:
    """What the libraries have of a struct and an enumeration."""
    state = EnumDefinition("u8", {"Open": 0, "Ajar": 2, "Shut": 1}, attributes={"derives": {"numbered": numbered}})
    level = FieldDefinition("u32", attributes=NUMBERS if numbered else {})
    row = StructDefinition({"state": "State", "level": level})
    defined = define(Definitions({"Row": row}, {"State": state}))
    types = TypeSet("test", defined.structs, defined.enums, [MessageType(Named("Row"), (Use("row", rows=False),))])
    folder = next(one for one in generators("rust") if one.name == "derives")
    return generated(folder, types, "rust")


def declared(library: str, what: str, *, numbered: bool) -> str:
    """A field or a variant with its attributes."""
    found = re.search(rf"((?:#\[.*\]\s+)*\b{what}\b(?: = \d+)?)", code(numbered)[f"{library}.rs"])
    assert found
    return " ".join(found[1].split())


@pytest.mark.parametrize(("library", "attribute"), FIELDS.items())
def test_a_field_has_its_number(library, attribute):
    assert declared(library, "pub level", numbered=True) == f"{attribute} pub level".strip()


@pytest.mark.parametrize(("library", "variant"), VARIANTS.items())
def test_a_variant_has_its_number_where_the_library_takes_one(library, variant):
    assert f"{declared(library, 'Ajar', numbered=True)}," == variant


@pytest.mark.parametrize("library", VARIANTS)
def test_without_numbers_the_place_counts(library):
    assert f"{declared(library, 'Ajar', numbered=False)}," == PLACES.get(library, "Ajar,")


def test_borsh_is_told_that_the_numbers_count():
    assert "#[borsh(use_discriminant = true)]" in code(True)["borsh.rs"]
    assert "use_discriminant" not in code(False)["borsh.rs"]
