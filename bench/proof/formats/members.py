"""A message with one member more, whose key no type has: what it holds, a reader must skip."""

import struct
from collections.abc import Callable

from bench.model.proof.malformed_rules import Members
from bench.proof.formats.templates import Made, joined, plain

KEY = b"wirelab"

Member = Callable[[Made], Made]
"""From the member's value to the message."""
Split = tuple[bytes, bytes]
"""What stands before the value, and what behind it."""


def member_of(form: Members | None, message: bytes) -> Member | None:
    """Puts a value into a message, before all other members; None where the message is no map."""
    if form is Members.SIZED:
        return lambda value: _in_document(value, message)
    split = SPLITS[form](message) if message and form in SPLITS else None
    if split is None:
        return None
    before, after = map(plain, split)
    return lambda value: joined([before, value, after])


def _braces(message: bytes) -> Split | None:
    if message[:1] != b"{":
        return None
    more = b"" if message[1:].lstrip()[:1] == b"}" else b","
    return b'{"' + KEY + b'":', more + message[1:]


def _marked(message: bytes) -> Split | None:
    """The header of a map is 80 to 8f with its number of members, or de or df before it."""
    header = message[0]
    width = 0 if 0x80 <= header <= 0x8F else {0xDE: 2, 0xDF: 4}.get(header)
    if width is None:
        return None
    count = 1 + (int.from_bytes(message[1 : 1 + width], "big") if width else header - 0x80)
    head = bytes([0x80 + count]) if count < 16 else struct.pack(">BI", 0xDF, count)
    return head + bytes([0xA0 + len(KEY)]) + KEY, message[1 + width :]


def _major_type(message: bytes) -> Split | None:
    """Major type 5: its number of members is in the header (to 23) or behind it; with 31 a break stands at the end."""
    key, major, info = bytes([0x60 + len(KEY)]) + KEY, message[0] >> 5, message[0] & 0x1F
    if major != 5:
        return None
    if info == 31:
        return message[:1] + key, message[1:]
    width = 0 if info < 24 else 1 << info - 24
    count = 1 + (int.from_bytes(message[1 : 1 + width], "big") if width else info)
    head = bytes([0xA0 + count]) if count < 24 else struct.pack(">BI", 0xBA, count)
    return head + key, message[1 + width :]


def _shifted(message: bytes) -> Split | None:
    """An object with texts as keys is 03; the two lowest bits of its number of members say in how many bytes it is."""
    if message[0] != 3 or len(message) < 2:
        return None
    width = 1 << (message[1] & 3)
    count = 1 + (int.from_bytes(message[1 : 1 + width], "little") >> 2)
    size = bytes([count << 2]) if count < 64 else struct.pack("<I", count << 2 | 2)
    return b"\x03" + size + bytes([len(KEY) << 2]) + KEY, message[1 + width :]


def _in_document(value: Made, message: bytes) -> Made:
    """The number of all bytes stands first; a member is its type (03: a map), its key, a zero and the value."""
    before, after = b"\x03" + KEY + b"\0", message[4:]
    size = 4 + len(before) + len(value.data) + len(after)
    return joined([plain(size.to_bytes(4, "little") + before), value, plain(after)])


SPLITS: dict[Members | None, Callable[[bytes], Split | None]] = {
    Members.BRACES: _braces,
    Members.MARKED: _marked,
    Members.MAJOR_TYPE: _major_type,
    Members.SHIFTED: _shifted,
}
