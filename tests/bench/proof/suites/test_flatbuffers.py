"""Messages of FlatBuffers that are written and damaged here; tests of built codecs say that Google's readers agree."""

import struct
from collections import Counter

import pytest

from bench.base.files import read_toml
from bench.model.proof.conformance import Verdict
from bench.model.proof.suite import SuiteFile
from bench.proof.containment import MALFORMED, Answer
from bench.proof.suites.flatbuffers import Message, Part, damaged, message_of, with_defaults
from bench.proof.suites.packages import FILE
from bench.proof.suites.readers import cases_of
from bench.proof.suites.verdicts import judge, reading
from bench.scenarios.inputs import canonical_input
from bench.types.definitions import Definitions, StructDefinition, define
from bench.types.expressions import Named
from bench.types.values import Number
from tests.support.scenarios.committed import committed_scenarios

NOTES = define(
    Definitions(
        {
            "Note": StructDefinition({"text": "string", "marks": "[u16]", "seen": "bool"}),
            "Keyed": StructDefinition({"value": "{u32}"}),
        },
        {},
    )
)
VALUE = {"text": "hi", "marks": [Number("7")], "seen": True}
SUITE = read_toml(FILE, SuiteFile).suites["flatbuffers-verifier"]


def note() -> Message:
    return message_of(Named("Note"), NOTES, VALUE)


def test_a_message_is_laid_out_as_the_format_says() -> None:
    data = note().data
    (table,) = struct.unpack_from("<I", data)
    (distance,) = struct.unpack_from("<i", data, table)
    vtable = table - distance
    size, _, text, marks, seen = struct.unpack_from("<5H", data, vtable)
    assert size == 10
    assert data[table + seen] == 1
    at = table + text + struct.unpack_from("<I", data, table + text)[0]
    assert data[at : at + 7] == b"\x02\0\0\0hi\0"
    at = table + marks + struct.unpack_from("<I", data, table + marks)[0]
    assert data[at : at + 6] == b"\x01\0\0\0\x07\0"


def test_every_part_is_damaged_once_in_each_way_and_the_message_cut_before_it() -> None:
    message = note()
    assert {place.part for place in message.places} == set(Part)
    cases = list(damaged(message))
    assert len({data for _, data in cases}) == len(cases)
    assert message.data not in [data for _, data in cases]
    assert sum(name.startswith("cut before") for name, _ in cases) == len(message.places)
    assert sum("the required field is missing" in name for name, _ in cases) == 2


def test_only_scalars_are_left_out_and_then_zero() -> None:
    ((name, data, left),) = with_defaults(note(), VALUE)
    assert (name, left) == ("without $.seen", VALUE | {"seen": False})
    assert data != note().data


def test_a_type_that_is_not_written_here_is_refused() -> None:
    with pytest.raises(ValueError, match=r"\$\.value: \{u32\} is not written here"):
        message_of(Named("Keyed"), NOTES, {"value": {}})


def test_a_reader_that_takes_everything_is_found() -> None:
    cases, how = cases_of(SUITE, []), reading(SUITE)
    (whole,) = [case for case in cases if case.name == "as it is"]
    assert how.words == ("decode", "--scenario", "nested-object")
    assert Counter(case.must for case in cases) == {"refuse": 287, "accept": 6, "open": 1}

    def came(code: int, printed: bytes) -> Counter[Verdict]:
        return Counter(judge(case, Answer(code, printed), how).verdict for case in cases)

    value = canonical_input(committed_scenarios()["nested-object"])
    assert judge(whole, Answer(0, value), how).verdict is Verdict.RIGHT
    # Two of those that must be read have a scalar left out that is neither zero nor false.
    assert came(0, value) == {Verdict.ACCEPTED: 287, Verdict.RIGHT: 5, Verdict.ANOTHER: 2}
    assert came(MALFORMED, b"decode: no") == {Verdict.RIGHT: 288, Verdict.REFUSED: 6}
    assert came(0, b"not JSON")[Verdict.ANOTHER] == 7
