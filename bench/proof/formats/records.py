"""Messages of Protocol Buffers as the records that they are, without a schema.

https://protobuf.dev/programming-guides/encoding/, Message Structure: a record is a tag, which is a field's number and a
wire type, and a value.
"""

from msgspec import Struct

VARINT, FIXED64, LEN, FIXED32 = 0, 1, 2, 5
FIXED = {FIXED64: 8, FIXED32: 4}
"""Wire type → bytes of its values."""
LONGEST_VARINT = 10


class Record(Struct, frozen=True):
    """A record, and where it stands in its message."""

    field: int
    wire: int
    start: int
    value: int
    """Behind the tag."""
    content: int
    """Behind the length, where there is one."""
    end: int


def varint(number: int, size: int = 1) -> bytes:
    """A number in groups of seven bits, in at least so many bytes: those that it does not need hold zeros."""
    groups = [number & 0x7F]
    while number := number >> 7:
        groups.append(number & 0x7F)
    groups += [0] * (size - len(groups))
    return bytes([*(group | 0x80 for group in groups[:-1]), groups[-1]])


def read_varint(data: bytes, place: int) -> tuple[int, int] | None:
    """The number at a place and where it ends; None where none does."""
    number = 0
    for index, byte in enumerate(data[place : place + LONGEST_VARINT]):
        number |= (byte & 0x7F) << 7 * index
        if byte < 0x80:
            return number, place + index + 1
    return None


def records_of(message: bytes) -> list[Record] | None:
    """The records of a message; None for bytes that are none, and for groups, which no codec here writes."""
    records: list[Record] = []
    while (start := records[-1].end if records else 0) < len(message):
        record = _record_at(message, start)
        if record is None or record.end > len(message) or not record.field:
            return None
        records.append(record)
    return records


def _record_at(message: bytes, start: int) -> Record | None:
    tag = read_varint(message, start)
    if tag is None:
        return None
    (field, wire), value = divmod(tag[0], 8), tag[1]
    if wire in FIXED:
        return Record(field, wire, start=start, value=value, content=value, end=value + FIXED[wire])
    number = read_varint(message, value)
    if number is None or wire not in (VARINT, LEN):
        return None
    content = value if wire == VARINT else number[1]
    end = number[1] + (number[0] if wire == LEN else 0)
    return Record(field, wire, start=start, value=value, content=content, end=end)
