"""Templates of inputs, as schemas/malformed.toml has them, to bytes, and to a Python expression that makes them."""

import re
from collections.abc import Sequence

from msgspec import Struct

from bench.model.proof.malformed_rules import Input, Part

LARGEST_BYTES = 1 << 26
"""No recipe makes a longer input; those of the lab make some two million bytes at most."""
TERM = re.compile(
    r'bytes\.fromhex\("(?P<hex>(?:[0-9a-f]{2})*)"\)(?: \* (?P<times>[0-9]{1,7}))?'
    r'|b"\\0"(?: \* (?P<zeros>[0-9]{1,7}))?'
    r'|\((?P<size>[0-9]{1,9})\)\.to_bytes\(4, "little"\)'
    r'|b""\.join\(\(5 \+ [0-9]+ \* level\)\.to_bytes\(4, "little"\) \+ bytes\.fromhex\("(?P<head>[0-9a-f]{2,40})"\) '
    r"for level in range\((?P<levels>[0-9]{1,6}), 0, -1\)\)"
)
"""A term of a recipe, as the functions below write it."""


class MistakeError(ValueError):
    """A template that makes no input; the message says why."""


class Made(Struct, frozen=True):
    """An input, and the Python expression whose value it is."""

    data: bytes
    recipe: str


def made(given: Input, *, text: bool, message: bytes = b"") -> Made:
    """The input that a template makes; `message` stands where it asks for the codec's own. Raises MistakeError."""
    parts: Sequence[str | Part] = [given] if isinstance(given, str) else given
    return joined([_made(part, text, message) for part in parts])


def joined(parts: Sequence[Made]) -> Made:
    """Parts behind each other."""
    parts = [part for part in parts if part.data]
    return Made(b"".join(part.data for part in parts), " + ".join(part.recipe for part in parts) or 'b""')


def from_recipe(recipe: str) -> bytes:
    """The input that a recipe makes, without running it: it may come from anybody's run. Raises MistakeError."""
    data, place = bytearray(), 0
    while True:
        term = TERM.match(recipe, place)
        if term is None:
            raise MistakeError(f"no recipe of the lab's at character {place}")
        data += _of_term(term)
        if len(data) > LARGEST_BYTES:
            raise MistakeError("it makes more bytes than any input of the lab has")
        if term.end() == len(recipe):
            return bytes(data)
        if not recipe.startswith(" + ", term.end()):
            raise MistakeError(f"no recipe of the lab's at character {term.end()}")
        place = term.end() + 3


def _of_term(term: "re.Match[str]") -> bytes:
    if term["size"] is not None:
        return int(term["size"]).to_bytes(4, "little")
    if term["head"] is not None:
        head = bytes.fromhex(term["head"])
        return _opens(head, int(term["levels"]))
    if term["hex"] is None:
        return b"\0" * int(term["zeros"] or 1)
    unit, times = bytes.fromhex(term["hex"]), int(term["times"] or 1)
    if len(unit) * times > LARGEST_BYTES:
        raise MistakeError("it makes more bytes than any input of the lab has")
    return unit * times


def asks_for_message(given: Input) -> bool:
    """Whether a template holds the codec's own message."""
    parts: Sequence[str | Part] = [given] if isinstance(given, str) else given
    return any(
        part.message or (part.sized is not None and asks_for_message(part.sized))
        for part in parts
        if isinstance(part, Part)
    )


def plain(data: bytes) -> Made:
    """Bytes as they are."""
    return Made(data, f'bytes.fromhex("{data.hex()}")')


def _made(part: str | Part, text: bool, message: bytes) -> Made:
    if isinstance(part, str):
        return plain(_bytes(part, text))
    if part.hex is not None:
        return plain(_bytes(part.hex, text=False))
    if part.repeat is not None:
        unit = _bytes(part.repeat, text)
        return Made(unit * part.times, f"{plain(unit).recipe} * {part.times}")
    if part.nest is not None:
        return _nested(_bytes(part.nest, text=False), part.times)
    if part.sized is not None:
        return _sized(joined([_made(one, text, message) for one in part.sized]))
    if part.message:
        return plain(message[part.after : len(message) - part.before])
    raise MistakeError("a part is one of hex, repeat, sized, nest and message")


def _sized(content: Made) -> Made:
    size = len(content.data) + 5
    data = size.to_bytes(4, "little") + content.data + b"\0"
    return Made(data, f'({size}).to_bytes(4, "little") + {content.recipe} + b"\\0"')


def _nested(head: bytes, times: int) -> Made:
    """Documents within each other, the innermost empty: each is its size, `head`, the next one and a zero."""
    recipe = (
        f'b"".join((5 + {len(head) + 5} * level).to_bytes(4, "little") + bytes.fromhex("{head.hex()}") '
        f'for level in range({times}, 0, -1)) + bytes.fromhex("0500000000") + b"\\0" * {times}'
    )
    return Made(_opens(head, times) + b"\x05\0\0\0\0" + b"\0" * times, recipe)


def _opens(head: bytes, times: int) -> bytes:
    """What stands before the innermost of documents within each other: the size of each, and its head."""
    step = len(head) + 5
    return b"".join((5 + step * level).to_bytes(4, "little") + head for level in range(times, 0, -1))


def _bytes(given: str, text: bool) -> bytes:
    if text:
        return given.encode()
    try:
        return bytes.fromhex(given)
    except ValueError:
        raise MistakeError(f"{given[:40]!r} is not hexadecimal") from None
