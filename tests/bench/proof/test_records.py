"""Protocol Buffers record by record: what a message is taken apart into, and that each case is what its rule says.

Protocol Buffers' own library for Python judges: what must be refused it refuses, and what must read the same it does.
"""

import pytest
from google.protobuf import any_pb2, type_pb2
from google.protobuf.message import DecodeError
from hypothesis import given
from hypothesis import strategies as st

from bench.model.proof.malformed_rules import Must
from bench.proof.formats.grammars import grammars
from bench.proof.formats.records import LEN, VARINT, read_varint, records_of, varint
from bench.proof.formats.templates import from_recipe
from bench.proof.malformed.record_cases import record_cases

GRAMMAR = grammars().formats["Protocol Buffers"]
OWN = type_pb2.Field(
    kind=type_pb2.Field.TYPE_INT32,
    number=-5,
    name="wire",
    type_url="lab",
    packed=True,
    options=[type_pb2.Option(name="inner", value=any_pb2.Any(type_url="u", value=b"\xff")), type_pb2.Option(name="b")],
)
MESSAGE = OWN.SerializeToString()
CASES = list(record_cases(GRAMMAR, MESSAGE))


def read(data):
    """What the library makes of a message; None where it refuses it. What it does not know it leaves out."""
    try:
        value = type_pb2.Field.FromString(data)
    except DecodeError:
        return None
    value.DiscardUnknownFields()
    return value


@pytest.mark.parametrize(
    ("hexadecimal", "expected"),
    [
        ("089601", [(1, VARINT)]),
        ("120774657374696e67", [(2, LEN)]),
        ("1a03089601", [(3, LEN)]),
        ("220568656c6c6f280128022803", [(4, LEN), (5, VARINT), (5, VARINT), (5, VARINT)]),
        ("", []),
    ],
)
def test_messages_of_the_encoding_guide_are_taken_apart(hexadecimal, expected):
    found = records_of(bytes.fromhex(hexadecimal))
    assert [(record.field, record.wire) for record in found] == expected


@pytest.mark.parametrize("hexadecimal", ["08", "0896", "1208", "120774657374696e", "00", "0e01", "0b0c", "ff" * 11])
def test_what_is_no_series_of_records_is_none(hexadecimal):
    assert records_of(bytes.fromhex(hexadecimal)) is None
    assert list(record_cases(GRAMMAR, bytes.fromhex(hexadecimal))) == []


def test_numbers_are_those_of_the_encoding_guide():
    assert (varint(1), varint(150), varint(2**64 - 1).hex()) == (b"\x01", b"\x96\x01", "ff" * 9 + "01")
    assert varint(1, 10).hex() == "81" + "80" * 8 + "00"


@given(number=st.integers(0, 2**64 - 1), size=st.integers(1, 10))
def test_a_number_comes_back_from_any_of_its_forms(number, size):
    form = varint(number, size)
    assert read_varint(form + b"\x07", 0) == (number, len(form))


@pytest.mark.parametrize("case", [case for case in CASES if case.rule.must is Must.REFUSE], ids=lambda case: case.name)
def test_what_must_be_refused_the_librarys_authors_refuse(case):
    assert read(case.data) is None


@pytest.mark.parametrize("case", [case for case in CASES if case.rule.must is Must.ACCEPT], ids=lambda case: case.name)
def test_what_must_be_read_the_librarys_authors_read_as_the_message(case):
    assert case.like == MESSAGE
    assert read(case.data) == OWN


def test_known_fields_are_asked_in_every_class_that_records_have():
    assert {case.class_ for case in CASES} == {
        "truncation",
        "trailing-bytes",
        "duplicate-keys",
        "unknown-keys",
        "overlong",
        "reserved",
        "depth",
        "length-bombs",
        "huge-integers",
    }


def test_groups_stand_within_each_other_in_an_inner_message():
    deep = [case for case in CASES if case.class_ == "depth"]
    assert deep
    assert all(from_recipe(case.recipe) == case.data and records_of(case.data) for case in deep)
    assert all(case.data.count(bytes.fromhex("fbf004") * 100_000) == 1 for case in deep)
