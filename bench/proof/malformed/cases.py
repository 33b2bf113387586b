"""Cases by class: what a format's grammar makes, and what can be made of any codec's own message."""

import random
import struct
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from bench.model.proof.malformed_rules import Document, Grammar, Must, Place, Rule
from bench.proof.formats.grammars import rule_of
from bench.proof.formats.members import Member, member_of
from bench.proof.formats.templates import Made, asks_for_message, joined, made, plain
from bench.proof.malformed.case import Case, leaves
from bench.proof.malformed.lengths import length_bombs
from bench.proof.malformed.record_cases import record_cases

CUTS = 300
FLIPS = 1_000
"""Of a message that has more."""
LONG_BYTES = 2_048
"""An input that is longer is told as the expression that makes it."""
TRAILING = (b"\0", b"\xff" * 8)
"""Bytes behind a message of any format."""
BAD_UTF8 = (b"\xff", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80")
"""No text: a byte that never occurs, an overlong form, half of a surrogate pair, a code point beyond the last."""
SHORTEST_TEXT = 4
"""Shorter texts may stand in a message by chance."""
TEXTS = 8
NANS = {
    "<d": ("000000000000f87f", "010000000000f07f", "ffffffffffffffff"),
    ">d": ("7ff8000000000000", "7ff0000000000001", "ffffffffffffffff"),
    "<f": ("0000c07f", "0100807f", "ffffffff"),
    ">f": ("7fc00000", "7f800001", "ffffffff"),
}
"""Form of a float → NaN in it: quiet, signaling, of ones."""
OPEN_FLIP = Rule(Must.OPEN, "", "without a checksum another bit may be another message")
OPEN_SPLICE = Rule(Must.OPEN, "", "parts of messages may be a message")
OPEN_NAN = Rule(Must.OPEN, "", "a type may exclude NaN")
OPEN_TYPE = Rule(Must.OPEN, "", "another type has no such value")
DEPTH = "depth"
"""The class whose cases go into a message even if they stand nowhere else: they are long."""
RECORDS = "Protocol Buffers"
"""The format whose messages are taken apart record by record."""


def grammar_cases(grammar: Grammar, seed: str) -> Iterator[Case]:
    """Cases of a format for a value of any type."""
    documents = [made(one, text=grammar.text).data for one in grammar.documents]
    for number, document in enumerate(documents, start=1):
        yield from _damaged(grammar, f"document {number}", document, seed)
        for other in documents:
            yield from _spliced(f"document {number}", document, f"document {1 + documents.index(other)}", other)
    for class_, cases in grammar.cases.items():
        for one in cases:
            if not asks_for_message(one.input):
                yield from _placed(grammar, class_, one)


def _placed(grammar: Grammar, class_: str, one: Document) -> Iterator[Case]:
    """A case alone, and in every place of its format."""
    places = [Place(), *(grammar.places if one.everywhere else ())]
    for place in places:
        ends = [made(end, text=grammar.text) for end in (place.before, place.after)]
        whole, like = (
            None if template is None else joined([ends[0], made(template, text=grammar.text), ends[1]])
            for template in (one.input, one.like)
        )
        assert whole
        name = one.name if place == Place() else f"{one.name}, behind {ends[0].data!r}"
        yield _case(class_, name, whole, rule_of(grammar, class_, one), like.data if like else None)


def _case(class_: str, name: str, whole: Made, rule: Rule, like: bytes | None) -> Case:
    recipe = whole.recipe if len(whole.data) > LONG_BYTES else None
    return Case(class_, name, whole.data, rule, like=like, recipe=recipe)


def message_cases(
    grammar: Grammar | None, message: bytes, value: Any, peers: dict[str, bytes], seed: str
) -> Iterator[Case]:
    """Cases of a codec's own message of a value; `peers` are other codecs' messages of the same value."""
    yield from _damaged(grammar, "the message", message, seed)
    for name, other in {"itself": message, **peers}.items():
        yield from _spliced("the message", message, name, other)
        if other != message:
            yield Case("splices", f"the message of {name}", other, OPEN_SPLICE, message)
    yield from _bad_texts(grammar, message, value)
    yield from _nans(message, value)
    if grammar is None or not grammar.text:
        yield from length_bombs(message, value)
    text = grammar is not None and grammar.text
    for class_, cases in grammar.cases.items() if grammar else ():
        for one in cases:
            if asks_for_message(one.input):
                whole = made(one.input, text=text, message=message)
                like = made(one.like, text=text, message=message).data if one.like is not None else None
                yield _case(class_, one.name, whole, rule_of(grammar, class_, one), like)


def format_cases(format_name: str, grammar: Grammar, message: bytes, *, takes_any: bool) -> Iterator[Case]:
    """Cases of a codec's own message that its format's structure makes.

    A codec that takes no values of any type is given here what the others are given as such.
    """
    if format_name == RECORDS:
        yield from record_cases(grammar, message)
    if not takes_any:
        yield from placed_cases(grammar, member_of(grammar.members, message))


def placed_cases(grammar: Grammar, member: Member | None) -> Iterator[Case]:
    """Cases of a format in the place of a message, and as a member of one that its type does not have."""
    for class_, cases in grammar.cases.items():
        for one in cases:
            if asks_for_message(one.input):
                continue
            whole = made(one.input, text=grammar.text)
            like = None if one.like is None else made(one.like, text=grammar.text)
            rule = rule_of(grammar, class_, one)
            if rule.must is Must.ACCEPT and not like:
                rule = OPEN_TYPE
            yield _case(class_, f"{one.name}, in the place of the message", whole, rule, like.data if like else None)
            if member and (one.everywhere or class_ == DEPTH):
                name = f"{one.name}, as an unknown member"
                yield _case(class_, name, member(whole), rule, member(like).data if like else None)


def _damaged(grammar: Grammar | None, name: str, whole: bytes, seed: str) -> Iterator[Case]:
    """A message that is cut, or flipped in a bit, or followed by bytes."""
    chosen = random.Random(f"{seed}:{name}")
    cut, follows = (rule_of(grammar, class_) for class_ in ("truncation", "trailing-bytes"))
    for size in _some(range(len(whole)), CUTS, chosen):
        yield Case("truncation", f"{name}, the first {size} bytes", whole[:size], cut, whole)
    for bit in _some(range(8 * len(whole)), FLIPS, chosen):
        flipped = bytearray(whole)
        flipped[bit // 8] ^= 1 << bit % 8
        yield Case("bit-flips", f"{name}, bit {bit % 8} of byte {bit // 8}", bytes(flipped), OPEN_FLIP, whole)
    given = [made(one, text=grammar.text).data for one in grammar.trailing] if grammar else []
    for more in (*TRAILING, *given):
        yield Case("trailing-bytes", f"{name}, then {more.hex()}", whole + more, follows, whole)


def _some(places: range, most: int, chosen: random.Random) -> Sequence[int]:
    return places if len(places) <= most else sorted(chosen.sample(places, most))


def _spliced(name: str, whole: bytes, other_name: str, other: bytes) -> Iterator[Case]:
    """The begin of a message with the end of another, and one behind the other."""
    for share in (1, 2, 3):
        place, start = len(whole) * share // 4, len(other) * share // 4
        words = f"{share} of 4 parts of {name}, then the rest of {other_name}"
        data = whole[:place] + other[start:]
        if data != whole:
            yield Case("splices", words, data, OPEN_SPLICE, whole)
    yield Case("splices", f"{name}, then {other_name}", whole + other, OPEN_SPLICE, whole)


def _bad_texts(grammar: Grammar | None, message: bytes, value: Any) -> Iterator[Case]:
    """The message with bytes that are no text in the place of a part of a text."""
    rule, texts = rule_of(grammar, "bad-utf8"), sorted(set(leaves(value, str)), key=len, reverse=True)
    held = [text for text in map(str.encode, texts) if len(text) >= SHORTEST_TEXT and message.count(text) == 1]
    for text in held[:TEXTS]:
        start = message.index(text)
        for bad in BAD_UTF8:
            data = message[:start] + bad + message[start + len(bad) :]
            yield Case("bad-utf8", f"{bad.hex()} in the text at byte {start}", data, rule)


def _nans(message: bytes, value: Any) -> Iterator[Case]:
    """The message with NaN in the place of a number."""
    for number in list(dict.fromkeys(leaves(value, float)))[:TEXTS]:
        for form, nans in NANS.items():
            try:
                packed = struct.pack(form, number)
            except OverflowError:
                continue
            if number and message.count(packed) == 1:
                start = message.index(packed)
                for nan in map(bytes.fromhex, nans):
                    data = message[:start] + nan + message[start + len(nan) :]
                    yield Case("nan", f"{nan.hex()} at byte {start}", data, OPEN_NAN)


def in_rows(case: Case, others: Sequence[bytes]) -> Case:
    """A case of a scenario with rows: the case's message as its first, then the others, each behind its length."""

    def rows(first: bytes) -> bytes:
        return b"".join(len(one).to_bytes(4, "little") + one for one in (first, *others))

    like = None if case.like is None else rows(case.like)
    recipe = case.recipe and joined([plain(len(case.data).to_bytes(4, "little")), Made(case.data, case.recipe)]).recipe
    return msgspec.structs.replace(case, data=rows(case.data), like=like, recipe=None if others else recipe)
