"""A list of bytes as serde's derive has it, element by element, where a type file asks for it."""

import re

import pytest

from bench.types.definitions import Definitions, FieldDefinition, StructDefinition, define
from bench.types.expressions import Named
from bench.types.generation import generated, generators
from bench.types.type_set import MessageType, TypeSet, Use

SEQUENCE = {"serde": {"octets": "sequence"}}


def field_in(library: str, kind: str, attributes: dict) -> str:
    """What stands before the field of the owned struct that a library has."""
    defined = define(Definitions({"Row": StructDefinition({"data": FieldDefinition(kind, attributes=attributes)})}))
    types = TypeSet("test", defined.structs, {}, [MessageType(Named("Row"), (Use("row", rows=False),))])
    folder = next(one for one in generators("rust") if one.name == library)
    found = re.search(r"pub struct Row \{(.*?)pub data", generated(folder, types, "rust")["types.rs"], re.DOTALL)
    assert found
    return found[1].strip()


@pytest.mark.parametrize("library", ["messages", "bincode"])
def test_a_list_of_bytes_has_serde_s_own_form_where_it_is_asked_for(library):
    assert field_in(library, "[u8]", {}) == '#[serde(with = "forms::As::<forms::Octets>")]'
    assert field_in(library, "[u8]", SEQUENCE) == ""


@pytest.mark.parametrize(
    ("kind", "said"), [("[u8]", {"octets": "bytes"}), ("[u8]", {"octet": "sequence"}), ("[u16]", SEQUENCE["serde"])]
)
def test_another_attribute_or_field_is_refused(kind, said):
    with pytest.raises(ValueError, match="struct Row, field 'data': serde = .*: a list of bytes may have"):
        field_in("messages", kind, {"serde": said})
