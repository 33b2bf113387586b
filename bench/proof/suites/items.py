"""Items of RFC 8949 as schemaless values: what a suite in that format needs, so that no measured library judges.

Well-formed input is expected; anything else raises ValueError, IndexError, TypeError or struct.error. Nothing recurses,
since suites have items that are nested deeply.
"""

import struct
from typing import Any

from bench.types.schemaless import Map, Simple, Tag

INDEFINITE = 31
"""Additional information of an item of indefinite length, and of the break that ends it."""
WIDTHS = {24: ">B", 25: ">H", 26: ">I", 27: ">Q"}
FLOATS = {25: ">e", 26: ">f", 27: ">d"}
CONSTANTS = {20: False, 21: True, 22: None}


class _Open:
    """An item whose parts are not all there."""

    def __init__(self, major: int, argument: int, count: int | None) -> None:
        self.major, self.argument, self.count = major, argument, count
        self.parts: list[Any] = []

    @property
    def is_full(self) -> bool:
        return len(self.parts) == self.count

    def closed(self) -> Any:
        match self.major:
            case 2:
                return b"".join(self.parts)
            case 3:
                return "".join(self.parts)
            case 4:
                return self.parts
            case 5:
                return Map(tuple(zip(self.parts[::2], self.parts[1::2], strict=True)))
            case _:
                return Tag(self.argument, self.parts[0])


def item_of(data: bytes) -> Any:
    """The one item that some bytes hold. Raises ValueError if more follows."""
    opened, start = [_Open(4, 0, 1)], 0
    while not opened[0].is_full:
        value, start = _begun(data, start)
        if isinstance(value, _Open) and not value.is_full:
            opened.append(value)
            continue
        if value is not BREAK:
            opened[-1].parts.append(value.closed() if isinstance(value, _Open) else value)
        elif opened[-1].count is not None:
            raise ValueError("a break ends nothing")
        ends = value is BREAK
        while len(opened) > 1 and (ends or opened[-1].is_full):
            done = opened.pop().closed()
            opened[-1].parts.append(done)
            ends = False
    if start != len(data):
        raise ValueError(f"{len(data) - start} bytes follow the item")
    return opened[0].parts[0]


BREAK = object()


def _begun(data: bytes, start: int) -> tuple[Any, int]:
    """What begins at an offset: a value, the break, or an item whose parts follow; and the offset behind it."""
    major, info = data[start] >> 5, data[start] & 31
    start += 1
    if major == 7:
        return _float_or_simple(data, start, info)
    if info == INDEFINITE:
        return _Open(major, 0, None), start
    argument, start = _argument(data, start, info)
    match major:
        case 0:
            return argument, start
        case 1:
            return -1 - argument, start
        case 2 | 3:
            content = data[start : start + argument]
            return content if major == 2 else content.decode(), start + argument
        case _:
            return _Open(major, argument, {4: argument, 5: 2 * argument, 6: 1}[major]), start


def _float_or_simple(data: bytes, start: int, info: int) -> tuple[Any, int]:
    if info == INDEFINITE:
        return BREAK, start
    if info in FLOATS:
        return struct.unpack_from(FLOATS[info], data, start)[0], start + struct.calcsize(FLOATS[info])
    number, start = _argument(data, start, info)
    return CONSTANTS[number] if number in CONSTANTS else Simple(number), start


def _argument(data: bytes, start: int, info: int) -> tuple[int, int]:
    if info in WIDTHS:
        return struct.unpack_from(WIDTHS[info], data, start)[0], start + struct.calcsize(WIDTHS[info])
    if info > 27:
        raise ValueError("reserved additional information")
    return info, start
