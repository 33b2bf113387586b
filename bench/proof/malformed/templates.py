"""Templates of inputs, as schemas/malformed.toml has them, to bytes, and to a Python expression that makes them."""

from collections.abc import Sequence

from msgspec import Struct

from bench.model.malformed import Input, Part


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
    step = len(head) + 5
    opens = b"".join((5 + step * level).to_bytes(4, "little") + head for level in range(times, 0, -1))
    recipe = (
        f'b"".join((5 + {step} * level).to_bytes(4, "little") + bytes.fromhex("{head.hex()}") '
        f'for level in range({times}, 0, -1)) + bytes.fromhex("0500000000") + b"\\0" * {times}'
    )
    return Made(opens + b"\x05\0\0\0\0" + b"\0" * times, recipe)


def _bytes(given: str, text: bool) -> bytes:
    if text:
        return given.encode()
    try:
        return bytes.fromhex(given)
    except ValueError:
        raise MistakeError(f"{given[:40]!r} is not hexadecimal") from None
