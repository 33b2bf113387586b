"""Malformed input by class: that inputs are what they are said to be, and that each class finds who misbehaves in it."""

import json
import struct
import subprocess
import sys

import msgspec
import pytest

from bench.base.errors import LabError
from bench.model.findings import Harm
from bench.model.proof.malformed_rules import Must, Part, Rule
from bench.proof.formats import grammars as grammars_module
from bench.proof.formats.grammars import class_names, grammars
from bench.proof.formats.members import member_of
from bench.proof.formats.templates import from_recipe, made
from bench.proof.fuzz import Outcome
from bench.proof.malformed import examine as examine_module
from bench.proof.malformed.case import Case
from bench.proof.malformed.cases import format_cases, grammar_cases, in_rows, message_cases, placed_cases
from bench.proof.malformed.examine import distinct, examined, rows_of
from bench.proof.malformed.lengths import length_bombs
from tests.support.lab import ROOT
from tests.support.scenarios.committed import committed_scenarios

POINT = committed_scenarios()["point"]
FORMATS = grammars().formats


def cases_of(name):
    return list(grammar_cases(FORMATS[name], "seed"))


def named(name, class_, words):
    return next(case for case in cases_of(name) if (case.class_, case.name) == (class_, words))


@pytest.mark.parametrize(
    ("format_", "class_", "words", "expected"),
    [
        # RFC 8949, appendix F: 'Reserved additional information values', and two-byte simple values below 32.
        ("CBOR", "reserved", "additional information of 1c", "1c"),
        ("CBOR", "reserved", "simple value f818", "f818"),
        # MongoDB's BSON corpus, string.json 'invalid UTF-8' has the same form with e9; boolean.json 'value of 2'.
        ("BSON", "bad-utf8", "the byte ff", "0e00000002610002000000ff0000"),
        ("BSON", "reserved", "a boolean of 2", "090000000861000200"),
        # JSONTestSuite n_number_-01.json and i_string_1st_surrogate_but_2nd_missing.json have the same forms.
        ("JSON", "overlong", "a leading zero behind a minus", "2d3031"),
        ("JSON", "surrogates", "a high surrogate alone", b'"\\ud800"'.hex()),
        # The MessagePack specification's formats: array 32 is dd and four bytes.
        ("MessagePack", "length-bombs", "array 32 of 2^32 - 1", "ddffffffff"),
    ],
)
def test_inputs_are_what_the_specifications_show(format_, class_, words, expected):
    assert named(format_, class_, words).data.hex() == expected


def test_documents_of_a_sized_format_hold_their_own_length():
    """The example of bsonspec.org: hello, world."""
    document = made([Part(sized=["0268656c6c6f00", "06000000776f726c6400"])], text=False)
    assert document.data.hex() == "160000000268656c6c6f0006000000776f726c640000"


@pytest.mark.parametrize("format_", FORMATS)
def test_long_inputs_are_what_their_recipe_makes(format_):
    """Whoever gets a report runs it: the expression stands alone, and is short."""
    long = [case for case in cases_of(format_) if case.recipe]
    for case in long:
        assert len(case.recipe) < 500
        program = f"import sys; sys.stdout.buffer.write({case.recipe})"
        done = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, check=True)
        assert done.stdout == case.data == from_recipe(case.recipe)
    assert bool(long) == (format_ not in OF_MESSAGES)


OF_MESSAGES = ("Protocol Buffers", "FlatBuffers", "Cap'n Proto", "Cap'n Proto packed")
"""Formats whose inputs are all made of a codec's own message."""


@pytest.mark.parametrize("format_", [name for name, grammar in FORMATS.items() if "depth" in grammar.cases])
def test_inputs_of_depth_are_bounded(format_):
    """A hundred thousand levels, and no more bytes than they take."""
    deep = [case for case in (*cases_of(format_), *own_cases(format_)) if case.class_ == "depth"]
    assert all(len(case.data) < 1_300_000 for case in deep)
    assert any(len(case.data) >= 100_000 for case in deep)


def own_cases(format_, message=b'{"name":"pointed","n":0.5}'):
    value = json.loads('{"name":"pointed","n":0.5}')
    return list(message_cases(FORMATS.get(format_), message, value, {"fake/peer": b"\1\2\3\4"}, "seed"))


def test_the_same_seed_makes_the_same_cases():
    long = bytes(range(256)) * 20
    once, again = (list(message_cases(None, long, None, {}, "seed")) for _ in range(2))
    assert once == again
    assert once != list(message_cases(None, long, None, {}, "other"))


def test_of_any_message_every_class_is_made_that_needs_no_grammar():
    made_of = {case.class_ for case in own_cases("a format without a grammar", b"\x07pointed\0\0\0\0\0\0\xe0\x3f")}
    assert made_of == {"truncation", "bit-flips", "trailing-bytes", "bad-utf8", "length-bombs", "nan", "splices"}


def test_no_text_stands_where_a_text_stood():
    bad = [case.data for case in own_cases("JSON") if case.class_ == "bad-utf8"]
    assert b'{"name":"\xffointed","n":0.5}' in bad
    for data in bad:
        with pytest.raises(UnicodeDecodeError):
            data.decode()


def test_of_rows_the_first_is_harmed():
    case = next(case for case in own_cases("JSON") if case.name == "the message, the first 3 bytes")
    framed = in_rows(case, [b"second"])
    assert rows_of(framed.data) == [b'{"n', b"second"]
    assert rows_of(framed.like)[1] == b"second"


def test_rules_name_a_section_wherever_they_bind():
    for grammar in FORMATS.values():
        assert grammar.specification.startswith("https://")
        for class_, rule in grammar.rules.items():
            assert rule.says
            assert rule.section or rule.must is Must.OPEN, class_
        for class_, cases in grammar.cases.items():
            names = [case.name for case in cases]
            assert len(set(names)) == len(names), class_


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            "[formats.CBOR.cases]",
            '[formats.CBOR.cases]\nnonsense = [{ name = "x", input = "00" }]',
            "none of the classes",
        ),
        ('{ name = "c1", input = "c1" }', '{ name = "c1", input = "c" }', "not hexadecimal"),
        ('{ name = "c1", input = "c1" }', '{ name = "c1", input = "c1", must = "open" }', "its section"),
        ('{ name = "c1", input = "c1" }', '{ name = "c1", input = [{ after = 1 }] }', "one of hex"),
    ],
)
def test_a_mistake_in_the_data_is_told_with_its_field(tmp_path, old, new, words):
    text = grammars_module.FILE.read_text()
    assert old in text
    (tmp_path / "malformed.toml").write_text(text.replace(old, new))
    with pytest.raises(LabError, match=words):
        grammars(tmp_path / "malformed.toml")


@pytest.mark.parametrize(
    ("before", "bomb"),
    [
        (b"\x07" + bytes(7), b"\xff" * 8),  # cereal, bincode, Borsh: a length is a u64 or u32, little-endian
        (b"\x07" + bytes(3), b"\xff" * 4),
        (bytes(3) + b"\x07", b"\xff" * 4),
        (b"\x07", bytes.fromhex("ffffffffffffffffff01")),  # postcard, Protocol Buffers: a varint
    ],
)
def test_a_length_that_stands_before_a_text_becomes_a_bomb(before, bomb):
    whole = b"\x01\x02" + before + b"pointed" + b"\x03"
    made = [case.data for case in length_bombs(whole, {"name": "pointed"})]
    assert b"\x01\x02" + bomb + b"pointed\x03" in made
    assert all(data.endswith(b"pointed\x03") and data.startswith(b"\x01\x02") for data in made)


def test_the_length_of_a_list_of_numbers_is_found_as_elements_and_as_bytes():
    packed = struct.pack("<3d", 0.5, 1.5, 2.5)
    for size in (3, 24):
        whole = size.to_bytes(4, "little") + packed
        assert b"\xff" * 4 + packed in [case.data for case in length_bombs(whole, [0.5, 1.5, 2.5])]


def test_what_stands_by_chance_before_a_text_is_left_alone():
    assert list(length_bombs(b"\x09pointed", ["pointed"])) == []
    assert list(length_bombs(b"\x07pointed\x07pointed", ["pointed"])) == []


PLACED = list(placed_cases(FORMATS["CBOR"], member_of(FORMATS["CBOR"].members, b"\xa0")))


def test_without_values_of_any_type_a_messages_unknown_member_holds_what_they_would():
    """cpp/glaze-cbor, -beve and -msgpack and rust/beve-typed read a value of no type but their own."""
    placed = {(case.class_, case.name): case for case in PLACED}
    bomb = placed["length-bombs", "text of 2^64 - 1, as an unknown member"]
    assert bomb.data.hex() == "a167776972656c61627bffffffffffffffff61"
    assert bomb.rule.must is Must.REFUSE
    assert placed["length-bombs", "text of 2^64 - 1, in the place of the message"].data.hex() == "7bffffffffffffffff61"
    deep = placed["depth", "arrays within each other, as an unknown member"]
    assert from_recipe(deep.recipe) == deep.data
    long = placed["overlong", "1 in two bytes, as an unknown member"]
    assert (long.like.hex(), long.rule.must) == ("a167776972656c616201", Must.ACCEPT)


def test_a_type_may_refuse_a_value_of_another_type():
    assert all(case.like for case in PLACED if case.rule.must is Must.ACCEPT)


def test_only_who_takes_no_values_of_any_type_is_given_them_in_messages():
    assert list(format_cases("CBOR", FORMATS["CBOR"], b"\xa0", takes_any=True)) == []
    assert list(format_cases("CBOR", FORMATS["CBOR"], b"\xa0", takes_any=False)) == PLACED


MESSAGES = {
    "BEVE": "0304106e616d65021c706f696e746564",
    "CBOR": "a1646e616d6567706f696e746564",
    "FlatBuffers": "0c0000000000060008000400060000000400000007000000706f696e74656400",
    "MessagePack": "81a46e616d65a7706f696e746564",
    "Protocol Buffers": "0a07706f696e746564",
    "cereal binary": "0700000000000000706f696e746564",
}
"""Format → its message of {"name": "pointed"}."""
COMMON = {"truncation", "bit-flips", "trailing-bytes", "bad-utf8", "splices"}


@pytest.mark.parametrize(
    ("format_", "more"),
    [
        ("BEVE", {"length-bombs", "depth", "duplicate-keys", "reserved", "nan", "huge-integers", "overlong"}),
        ("CBOR", {"length-bombs", "depth", "duplicate-keys", "reserved", "overlong", "unknown-keys"}),
        ("FlatBuffers", {"length-bombs", "reserved"}),
        ("MessagePack", {"length-bombs", "depth", "duplicate-keys", "reserved", "overlong"}),
        ("Protocol Buffers", {"length-bombs", "duplicate-keys", "unknown-keys", "reserved", "overlong", "depth"}),
        ("cereal binary", {"length-bombs"}),
    ],
)
def test_codecs_of_cpp_are_asked_in_every_class_that_their_formats_have(format_, more):
    """As they take no values of any type; cereal and FlatBuffers have no numbers of their own form, and no depth."""
    message, value, grammar = bytes.fromhex(MESSAGES[format_]), {"name": "pointed"}, FORMATS.get(format_)
    made_of = {case.class_ for case in message_cases(grammar, message, value, {}, "seed")}
    if grammar:
        made_of |= {case.class_ for case in format_cases(format_, grammar, message, takes_any=False)}
    assert made_of >= COMMON | more


def test_an_input_of_a_class_is_asked_once_by_the_rule_that_binds():
    """A message of records followed by 00 is one of any format followed by it, and one followed by what is no record."""
    free, bound = Rule(Must.OPEN, "", "x"), Rule(Must.REFUSE, "1", "x")
    cases = [
        Case("trailing-bytes", "first", b"a\0", free),
        Case("splices", "another class", b"a\0", free),
        Case("trailing-bytes", "second", b"a\0", bound),
        Case("trailing-bytes", "third", b"a\0", free),
    ]
    assert [case.name for case in distinct(cases)] == ["second", "another class"]


@pytest.mark.parametrize("format_", ["JSON", "MessagePack", "CBOR", "BSON"])
def test_some_inputs_are_made_twice_and_none_is_asked_twice(format_):
    cases = [*cases_of(format_), *own_cases(format_)]
    asked = [(case.class_, case.data) for case in distinct(cases)]
    assert len(asked) == len(set(asked)) < len(cases)


def test_one_and_a_half_pairs_are_an_odd_number_of_whole_items():
    """RFC 8949, 3.2.3: "a": 1 and "b", then the break; none of them is cut."""
    assert (
        named("CBOR", "reserved", "a map of indefinite length, of one and a half pairs").data.hex() == "bf6161016162ff"
    )


def test_what_a_filter_gives_is_compared_with_what_it_gives_of_the_whole(fake, monkeypatch):
    """Every other case goes to the filter, which of the same rows gives others than the decoder."""
    printed = {"decode": b'{"x":1}\n{"x":2}\n', "filter": b'{"x":2}\n'}

    def outcomes(_, __, cases, commands=("decode", "filter")):
        return [Outcome(0, printed=printed[commands[n % len(commands)]]) for n in range(len(cases))]

    monkeypatch.setattr(examine_module, "commands_of", lambda *_: ("decode", "filter"))
    monkeypatch.setattr(examine_module, "outcomes_of", outcomes)
    counts = examined(fake("good"), POINT, {"truncation"}, 0, {}).classes["truncation"]
    assert (counts.equal, counts.other) == (counts.cases, 0)


def any_findings(fake, mischief, *classes):
    return examined(fake("bad", mischief), None, classes or class_names(), 0, {})


def test_a_decoder_that_does_as_it_should_has_no_finding(fake):
    result = any_findings(fake, "any", "trailing-bytes", "depth", "nan", "overlong", "bad-utf8")
    assert not result.findings
    assert result.cases == result.refused + result.accepted
    assert result.classes["overlong"].equal == 3  # an escaped letter, in three places


STRICT = ("trailing-bytes", "overlong")


@pytest.fixture
def strict(monkeypatch):
    """A specification that excludes what its grammar does not have, as that of JSON does not."""
    file, grammar = grammars(), FORMATS["JSON"]
    rules = grammar.rules | {name: msgspec.structs.replace(grammar.rules[name], must=Must.REFUSE) for name in STRICT}
    formats = file.formats | {"JSON": msgspec.structs.replace(grammar, rules=rules)}
    monkeypatch.setattr(examine_module, "grammars", lambda: msgspec.structs.replace(file, formats=formats))


def test_what_a_json_parser_takes_beyond_the_grammar_is_counted_and_no_finding(fake):
    """RFC 8259, section 9: a parser MAY accept non-JSON forms or extensions."""
    classes = ("truncation", "trailing-bytes", "bad-utf8", "overlong", "reserved")
    result = any_findings(fake, "any-takes-all", *classes)
    assert result.findings == []
    assert all(result.classes[name].accepted for name in classes)
    assert result.classes["truncation"].other


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize(
    ("mischief", "class_", "harm"),
    [
        ("any-takes-all", "trailing-bytes", Harm.SPECIFICATION),
        ("any-drops-zeros", "trailing-bytes", Harm.SPECIFICATION),
        ("any-overflows", "depth", Harm.MEMORY),
        ("any-crashes-on-nan", "nan", Harm.OTHER),
        ("any-forgets-escapes", "overlong", Harm.WRONG_VALUE),
    ],
)
def test_each_class_finds_who_misbehaves_in_it(fake, mischief, class_, harm):
    result = any_findings(fake, mischief, class_)
    assert {finding.harm for finding in result.findings} == {harm}
    assert {finding.class_ for finding in result.findings} == {class_}
    first = result.findings[0]
    assert first.id.startswith(f"fake/bad/{class_}/")
    assert bool(first.input_hex) != bool(first.recipe)
    assert result.cases == result.refused + result.accepted + len(result.findings)


@pytest.mark.usefixtures("strict")
def test_what_the_specification_says_stands_at_the_finding(fake):
    finding = any_findings(fake, "any-drops-zeros", "trailing-bytes").findings[0]
    assert finding.specification.startswith("https://www.rfc-editor.org/rfc/rfc8259, section 2 and 9: ")
    assert finding.input_hex.endswith("00")


@pytest.mark.usefixtures("strict")
def test_the_name_of_a_finding_stays_whatever_else_is_tried(fake):
    alone = any_findings(fake, "any-drops-zeros", "trailing-bytes").findings[0]
    among = any_findings(fake, "any-drops-zeros", "trailing-bytes", "nan").findings
    assert alone.id in {finding.id for finding in among}


def test_a_value_of_a_type_is_harmed_too(fake):
    result = examined(fake("good", "batch"), POINT, {"trailing-bytes", "truncation", "splices"}, 0, {"fake/peer": b"x"})
    assert result.scenario == "point"
    assert result.classes["truncation"].cases > 10
    assert result.classes["splices"].refused > 0


def test_the_command_shows_the_worst_of_each_class(fake_lab):
    done = fake_lab(bad="any-overflows")("fuzz", "-f", "fake/bad point", "--class", "depth", "--class", "nan", code=1)
    shown = [line.split() for line in done.stdout.splitlines()]
    assert ["codec", "depth", "nan"] in shown
    assert ["fake/bad", "crash", "refused"] in shown


def test_an_unknown_class_is_told_with_the_classes_that_there_are(fake_lab):
    done = fake_lab()("fuzz", "--class", "nonsense", code=2)
    assert "trailing-bytes" in done.stderr
    assert (ROOT / "schemas" / "malformed.toml").is_file()
