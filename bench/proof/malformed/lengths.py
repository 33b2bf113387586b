"""Length bombs in any codec's own message: what stands before a text or a list of numbers, and is its length.

No grammar says where a message has its lengths. But what a message holds is known, and a length stands before it.
"""

import struct
from collections.abc import Iterator
from typing import Any, Literal

from msgspec import Struct

from bench.model.proof.malformed_rules import Must, Rule
from bench.proof.malformed.case import Case, leaves

FOUND = 8
"""How many lengths of a message are changed."""
SHORTEST = 4
"""Bytes of a text or list; shorter ones may stand in a message by chance."""
OPEN_LENGTH = Rule(Must.OPEN, "", "that the bytes before a text or list are its length is inferred")
WIDTHS = (8, 4, 2, 1)
Order = Literal["little", "big"]
ORDERS: tuple[Order, Order] = ("little", "big")
VARINTS = ("ffffffff07", "ffffffffffffffffff01")
"""2^31 - 1 and 2^64 - 1 as LEB128, in place of one byte."""


class Held(Struct, frozen=True):
    """What stands in a message once, with the numbers that may be said of it: of elements, or of bytes."""

    start: int
    sizes: tuple[int, ...]


def length_bombs(message: bytes, value: Any) -> Iterator[Case]:
    """The message with lengths that go beyond it, one at a time."""
    changed = 0
    for held in dict.fromkeys(_held(message, value)):
        bombs = list(_bombs(message, held))
        yield from bombs
        changed += bool(bombs)
        if changed == FOUND:
            return


def _held(message: bytes, value: Any) -> Iterator[Held]:
    """The texts and lists of numbers that stand in a message exactly once."""
    contents = [(one.encode("utf-8", "surrogatepass"), 1) for one in leaves(value, str)]
    for numbers in leaves(value, list):
        contents += _packed(numbers)
    for content, width in contents:
        if len(content) >= SHORTEST and message.count(content) == 1:
            yield Held(message.index(content), tuple(dict.fromkeys((len(content) // width, len(content)))))


def _packed(numbers: list[Any]) -> Iterator[tuple[bytes, int]]:
    """The forms of a list of floats whose elements stand behind each other, with the bytes of an element."""
    if not numbers or not all(isinstance(one, float) for one in numbers):
        return
    for form in ("<d", ">d", "<f", ">f"):
        try:
            yield b"".join(struct.pack(form, one) for one in numbers), struct.calcsize(form)
        except OverflowError:
            continue


def _bombs(message: bytes, held: Held) -> Iterator[Case]:
    """The widest length that stands before a content, changed."""
    found = next(((w, order) for w in WIDTHS for order in ORDERS if _is_length(message, held, w, order)), None)
    if found is None:
        return
    width, order = found
    before, after = message[: held.start - width], message[held.start :]
    largest = (1 << 8 * width) - 1
    bombs = [
        one.to_bytes(width, order) for one in (len(after) + 1, largest >> 1, largest) if len(after) < one <= largest
    ]
    if width == 1:
        bombs += map(bytes.fromhex, VARINTS)
    for bomb in bombs:
        name = f"{bomb.hex()} as the length before byte {held.start}"
        yield Case("length-bombs", name, before + bomb + after, OPEN_LENGTH)


def _is_length(message: bytes, held: Held, width: int, order: Order) -> bool:
    stands = message[held.start - width : held.start] if held.start >= width else b""
    return any(size < 1 << 8 * width and size.to_bytes(width, order) == stands for size in held.sizes)
