"""Reads ELF files: sizes of code, loader, build ID, and where a program asks the CPU for its features.

The format is that of the System V ABI, chapters 4 and 5 (gabi.xinuos.com). Only 64-bit little-endian files are read,
as x86-64 and AArch64 have them.
"""

import math
import re
import struct
from bisect import bisect_right
from functools import cached_property
from pathlib import Path

from msgspec import Struct

MAGIC = b"\x7fELF\x02\x01"
"""Of a 64-bit little-endian file."""
PROGBITS, SYMTAB, NOTE, DYNSYM = 1, 2, 7, 11
NOBITS = 8
LOADED, EXECUTABLE = 2, 4
PT_INTERP = 3
FUNCTION = 2
X86_64 = 62
BUILD_ID = 3
CPUID = re.compile(
    rb"[\x48\x49][\x87\x89].\x0f\xa2(?=[\x48\x49]\x87.)|(?:\xb8..\x00[\x00\x80]|\x31[\xc0\xc9\xd2])\x0f\xa2", re.DOTALL
)
"""The instruction CPUID as compilers emit it: LLVM keeps RBX in another register around it, GCC sets EAX or ECX just
before. The two bytes alone would also be found in constants and addresses."""


class Section(Struct, frozen=True):
    """A section, with what its header says."""

    name: str
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int


class Elf:
    """An ELF file. Raises ValueError for anything else."""

    def __init__(self, content: bytes) -> None:
        if content[:6] != MAGIC:
            raise ValueError("not a 64-bit little-endian ELF file")
        self.content = content
        try:
            (self.machine,) = struct.unpack_from("<H", content, 18)
            self._segments, self._sections = struct.unpack_from("<QQ", content, 32)
            self._counts = struct.unpack_from("<HHHHH", content, 54)
            self.sections = self._read_sections()
        except (struct.error, IndexError):
            raise ValueError("a damaged ELF file") from None

    @classmethod
    def read(cls, path: Path) -> "Elf":
        """The file of a path. Raises OSError and ValueError."""
        return cls(path.read_bytes())

    @property
    def text_bytes(self) -> int:
        """Size of .text: symbols and debugging information, which stripping removes, are not in it."""
        return sum(section.size for section in self.sections if section.name == ".text")

    @property
    def stripped_bytes(self) -> int:
        """Size of all sections that a process loads from the file: what stripping leaves, without headers."""
        return sum(section.size for section in self.sections if section.flags & LOADED and section.kind != NOBITS)

    @property
    def loader(self) -> str | None:
        """The path of the dynamic loader; None for a static program and for a library."""
        size, number = self._counts[0], self._counts[1]
        for index in range(number):
            kind, _, offset, _, _, length = struct.unpack_from("<IIQQQQ", self.content, self._segments + index * size)
            if kind == PT_INTERP:
                return self.content[offset : offset + length].rstrip(b"\0").decode(errors="replace")
        return None

    @property
    def build_id(self) -> str | None:
        """The build ID in hexadecimal, which the linker makes of the content; None without one."""
        for section in self.sections:
            if section.kind == NOTE and section.name == ".note.gnu.build-id":
                names, length, kind = struct.unpack_from("<III", self.content, section.offset)
                begin = section.offset + 12 + (names + 3) // 4 * 4
                return self.content[begin : begin + length].hex() if kind == BUILD_ID else None
        return None

    def asks_cpu(self) -> list[str]:
        """The functions that hold CPUID, sorted; addresses in hexadecimal where a stripped file has no names."""
        if self.machine != X86_64:
            return []
        found = set()
        for section in self.sections:
            if section.flags & EXECUTABLE and section.kind == PROGBITS:
                code = self.content[section.offset : section.offset + section.size]
                found |= {self._function(section.address + match.end()) for match in CPUID.finditer(code)}
        return sorted(found)

    def _function(self, address: int) -> str:
        index = bisect_right(self._symbols, (address, math.inf, "")) - 1
        if index >= 0:
            begin, size, name = self._symbols[index]
            if address <= begin + size:
                return readable(name)
        return f"{address:#x}"

    @cached_property
    def _symbols(self) -> list[tuple[int, float, str]]:
        """Address, size and name of each function, sorted."""
        found = []
        for section in self.sections:
            if section.kind in (SYMTAB, DYNSYM):
                names = self.sections[section.link].offset
                for name, info, _, _, address, size in struct.iter_unpack(
                    "<IBBHQQ", self.content[section.offset : section.offset + section.size // 24 * 24]
                ):
                    if info & 15 == FUNCTION and address:
                        found.append((address, size, self._text(names + name)))
        return sorted(found)

    def _read_sections(self) -> list[Section]:
        _, _, size, number, names = self._counts
        headers = [
            struct.unpack_from("<IIQQQQIIQQ", self.content, self._sections + index * size) for index in range(number)
        ]
        base = headers[names][4] if headers else 0
        return [
            Section(
                name=self._text(base + name),
                kind=kind,
                flags=flags,
                address=address,
                offset=offset,
                size=length,
                link=link,
            )
            for name, kind, flags, address, offset, length, link, *_ in headers
        ]

    def _text(self, offset: int) -> str:
        return self.content[offset : self.content.index(b"\0", offset)].decode(errors="replace")


def readable(name: str) -> str:
    """A mangled name as a path (`std_detect::detect::cache`), any other one as it is.

    Rust's and C++'s schemes both write each part of a path behind its length in decimal.
    """
    if not name.startswith(("_R", "_Z")):
        return name
    name = re.sub(r"s[0-9A-Za-z]*_(?=[0-9])", "", name) if name.startswith("_R") else name  # hashes of crates
    parts, begin = [], 0
    while match := re.compile("[0-9]+").search(name, begin):
        digits = match[0].lstrip("0")[:3] or "0"
        begin = match.end() + int(digits)
        part = name[match.end() : begin].lstrip("_")
        if re.fullmatch("[A-Za-z][A-Za-z0-9_]+", part) and not re.fullmatch("h[0-9a-f]{16}", part):
            parts.append(part)
    return "::".join(parts) or name
