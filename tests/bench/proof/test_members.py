"""A message with one member more: other readers find it there, and everything else as it was."""

import json

import msgspec
import pytest

from bench.proof.formats.grammars import grammars
from bench.proof.formats.members import member_of
from bench.proof.formats.templates import from_recipe, plain


def extended(format_, message, value):
    member = member_of(grammars().formats[format_].members, message)
    return member and member(plain(value))


@pytest.mark.parametrize("message", [b"{}", b'{"a":1}', b'{ "a" : {"b": [1]} }'])
def test_json_has_one_member_more(message):
    found = json.loads(extended("JSON", message, b"[1]").data)
    assert found.pop("wirelab") == [1]
    assert found == json.loads(message)


@pytest.mark.parametrize("size", [0, 1, 14, 15, 16, 40, 70_000])
def test_a_map_of_messagepack_has_one_member_more_whatever_its_header(size):
    value = {f"k{n}": n for n in range(size)}
    found = msgspec.msgpack.decode(extended("MessagePack", msgspec.msgpack.encode(value), b"\x91\x01").data)
    assert found.pop("wirelab") == [1]
    assert found == value


@pytest.mark.parametrize(
    ("format_", "message", "value", "expected"),
    [
        # RFC 8949, 3.1: a map of n pairs is a0 + n, b8 n, b9 n n …; of indefinite length bf … ff.
        ("CBOR", "a1616101", "8101", "a267776972656c61628101616101"),
        ("CBOR", "bf616101ff", "8101", "bf67776972656c61628101616101ff"),
        ("CBOR", "b818" + "616101" * 24, "f6", "ba0000001967776972656c6162f6" + "616101" * 24),
        # bsonspec.org: an embedded document is 03, its name and a document.
        ("BSON", "0500000000", "0500000000", "1300000003776972656c616200050000000000"),
        # BEVE: an object with texts as keys is 03, its size (<< 2), and for each key its size, the key and the value.
        ("BEVE", "030404611101", "00", "03081c776972656c61620004611101"),
    ],
)
def test_a_binary_message_has_one_member_more(format_, message, value, expected):
    assert extended(format_, bytes.fromhex(message), bytes.fromhex(value)).data.hex() == expected


@pytest.mark.parametrize(
    ("format_", "message"),
    [
        ("JSON", b"[1]"),
        ("MessagePack", b"\x91\x01"),
        ("CBOR", b"\x81\x01"),
        ("BEVE", b"\x05\x00"),
        ("TOML", b"a=1"),
        ("CBOR", b""),
    ],
)
def test_what_is_no_map_has_no_members(format_, message):
    assert extended(format_, message, b"1") is None


def test_the_recipe_makes_the_same():
    whole = extended("BSON", bytes.fromhex("0500000000"), b"\x05\0\0\0\0")
    assert from_recipe(whole.recipe) == whole.data
