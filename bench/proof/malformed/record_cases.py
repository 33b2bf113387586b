"""Malformed messages of Protocol Buffers, record by record: known fields, not only unknown ones."""

from collections.abc import Iterator

from bench.model.proof.malformed_rules import Grammar, Must, Rule
from bench.proof.formats.grammars import rule_of
from bench.proof.formats.records import FIXED, LEN, LONGEST_VARINT, VARINT, Record, read_varint, records_of, varint
from bench.proof.formats.templates import Made, joined, plain
from bench.proof.malformed.case import Case

FIELDS = 32
"""The first record of so many fields is changed."""
DEEP = 2
LEVELS = 100_000
BEYOND = (2**31 - 1, 2**32 - 1, 2**63 - 1, 2**64 - 1)
NO_RECORDS = (b"\0", b"\xff" * 8)
START, END = 3, 4
NO_WIRE_TYPE = (6, 7)
CUT = Rule(Must.REFUSE, "Message Structure", "a record is a tag and its value")
UNKNOWN = Rule(Must.REFUSE, "Message Structure", "there are six wire types")
UNBEGUN = Rule(Must.REFUSE, "Groups", "EGROUP ends a group that SGROUP began (conformance suite, UnmatchedEndGroup)")
TOO_LONG = Rule(
    Must.REFUSE,
    "Base 128 Varints",
    "a varint has between one and ten bytes (conformance suite, BadTag_VarintMoreThanTenBytes)",
)
LONG_TAG = Rule(Must.OPEN, "Condensed Reference Card", "a tag is a uint32 varint")
MAY_REPEAT = Rule(Must.OPEN, "Last One Wins", "without the schema nobody knows whether the field is repeated")
OTHER_TYPE = Rule(Must.OPEN, "Message Structure", "nothing is said of a field with the wire type of another type")
OTHER_RANGE = Rule(Must.OPEN, "proto3 guide, Updating A Message Type", "a number that does not fit is cast, as in C++")


def record_cases(grammar: Grammar, message: bytes) -> Iterator[Case]:
    """Cases of a codec's own message; none where it is no series of records."""
    records = records_of(message)
    if not records:
        return
    firsts = {record.field: record for record in reversed(records)}
    for field in list(dict.fromkeys(record.field for record in records))[:FIELDS]:
        is_alone = sum(record.field == field for record in records) == 1
        yield from _of_record(_Around(grammar, message, firsts[field]), is_alone=is_alone)
    for more in NO_RECORDS:
        yield Case(
            "trailing-bytes", f"the message, then {more.hex()}, which is no record", message + more, CUT, message
        )
    inner = [one for one in records if one.wire == LEN and records_of(message[one.content : one.end])]
    for record in inner[:DEEP]:
        yield _deep(grammar, message, record)


class _Around:
    """A record in its message."""

    def __init__(self, grammar: Grammar, message: bytes, record: Record) -> None:
        self.record, self.message, self.grammar = record, message, grammar
        self.tag, self.value = message[record.start : record.value], message[record.value : record.end]
        self.before, self.after = message[: record.start], message[record.end :]

    def case(self, class_: str, name: str, instead: bytes, rule: Rule | None = None, *, like: bool = False) -> Case:
        """The message with other bytes in the place of the record; with `like` it must be read as the message."""
        return Case(
            class_,
            f"field {self.record.field}: {name}",
            self.before + instead + self.after,
            rule or rule_of(self.grammar, class_),
            self.message if like else None,
        )

    def tagged(self, wire: int) -> bytes:
        """The field's tag with a wire type."""
        return varint(self.record.field << 3 | wire)


def _of_record(at: _Around, *, is_alone: bool) -> Iterator[Case]:
    yield from _cut(at)
    yield from _reserved(at)
    yield at.case("overlong", "a tag of one byte more", _longer(at.tag) + at.value, LONG_TAG, like=True)
    if at.record.wire == VARINT:
        yield from _varint(at)
    if at.record.wire == LEN:
        yield from _length(at)
    if is_alone:
        yield from _twice(at)


def _cut(at: _Around) -> Iterator[Case]:
    """The message that ends within the record."""
    for end in sorted(
        {at.record.value, at.record.content, (at.record.content + at.record.end) // 2, at.record.end - 1}
    ):
        if at.record.value <= end < at.record.end:
            yield Case("truncation", f"field {at.record.field}: cut after byte {end}", at.message[:end], CUT)


def _reserved(at: _Around) -> Iterator[Case]:
    for wire in NO_WIRE_TYPE:
        yield at.case("reserved", f"wire type {wire}", at.tagged(wire) + at.value, UNKNOWN)
    yield at.case("reserved", "the end of a group", at.tagged(END) + at.tag + at.value, UNBEGUN)
    other = at.tagged(LEN) + b"\x03abc" if at.record.wire != LEN else at.tagged(VARINT) + b"\x01"
    yield at.case(
        "unknown-keys", "before it one of another wire type", other + at.tag + at.value, OTHER_TYPE, like=True
    )


def _varint(at: _Around) -> Iterator[Case]:
    number, _ = read_varint(at.value, 0) or (0, 0)
    yield at.case("overlong", "a varint of ten bytes", at.tag + varint(number, LONGEST_VARINT), like=True)
    yield at.case("overlong", "a varint of eleven bytes", at.tag + varint(number, LONGEST_VARINT + 1), TOO_LONG)
    yield at.case("huge-integers", "2^64 - 1", at.tag + varint(2**64 - 1), OTHER_RANGE)


def _length(at: _Around) -> Iterator[Case]:
    size = at.message[at.record.value : at.record.content]
    content = at.message[at.record.content : at.record.end]
    yield at.case("overlong", "a length of one byte more", at.tag + _longer(size) + content, like=True)
    for beyond in (len(content) + len(at.after) + 1, *BEYOND):
        yield at.case("length-bombs", f"a length of {beyond}", at.tag + varint(beyond) + content)


def _twice(at: _Around) -> Iterator[Case]:
    """Before the record one of the same field, without a value: the last one wins."""
    if at.record.wire == LEN:
        yield at.case(
            "duplicate-keys", "an empty one before it", at.tag + b"\0" + at.tag + at.value, MAY_REPEAT, like=True
        )
    else:
        zero = bytes(FIXED.get(at.record.wire, 1))
        yield at.case("duplicate-keys", "a zero before it", at.tag + zero + at.tag + at.value, like=True)


def _longer(number: bytes) -> bytes:
    """A varint in one byte more than it has."""
    return number[:-1] + bytes([number[-1] | 0x80, 0])


def _deep(grammar: Grammar, message: bytes, record: Record) -> Case:
    """A message in the message that holds groups within each other, of a field that it does not have."""
    start, end = (plain(varint(9999 << 3 | wire)) for wire in (START, END))
    groups = joined([Made(one.data * LEVELS, f"{one.recipe} * {LEVELS}") for one in (start, end)])
    content = message[record.content : record.end]
    size = varint(len(groups.data) + len(content))
    before = message[: record.value] + size
    whole = joined([plain(before), groups, plain(content + message[record.end :])])
    name = f"field {record.field}: groups within each other in an inner message"
    return Case("depth", name, whole.data, rule_of(grammar, "depth"), recipe=whole.recipe)
