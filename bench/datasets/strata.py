"""A seeded sample of messages, stratified by size: each order of magnitude as often as it occurs, and once at least."""

import random
from typing import NamedTuple

MOST_MESSAGES = 1_000
MOST_BYTES = 1 << 20
"""Of the whole sample, so that a pass takes some milliseconds."""
HELD_BYTES = 4 << 20
"""Of the messages of one stratum that are held until all were seen."""


class Stratum:
    """Messages of 2^(n-1) to 2^n - 1 bytes, of which as many are held as any sample can take."""

    def __init__(self, bits: int) -> None:
        self.room = max(1, min(MOST_MESSAGES, HELD_BYTES >> bits))
        self.count = 0
        self.total_bytes = 0
        self.held: list[tuple[int, bytes]] = []


class Sample(NamedTuple):
    """What was drawn."""

    messages: list[bytes]
    """In the order of the data."""
    is_all: bool


class Sampler:
    """Draws while messages stream past (Vitter 1985, algorithm R, a reservoir a stratum)."""

    def __init__(self, seed: int) -> None:
        self._source = random.Random(seed)
        self._strata: dict[int, Stratum] = {}
        self._count = 0

    def offer(self, message: bytes) -> None:
        """Takes notice of the next message."""
        bits = len(message).bit_length()
        stratum = self._strata.get(bits)
        if stratum is None:
            stratum = self._strata[bits] = Stratum(bits)
        stratum.count += 1
        stratum.total_bytes += len(message)
        if len(stratum.held) < stratum.room:
            stratum.held.append((self._count, message))
        elif (place := int(self._source.random() * stratum.count)) < stratum.room:
            stratum.held[place] = (self._count, message)
        self._count += 1

    def sample(self) -> Sample:
        """The sample: all messages where they are few, else of each stratum its share. Large strata may stay out."""
        total = sum(one.total_bytes for one in self._strata.values())
        if self._count <= MOST_MESSAGES and total <= MOST_BYTES:
            held = sorted(message for one in self._strata.values() for message in one.held)
            return Sample([message for _, message in held], True)
        share = min(1.0, MOST_MESSAGES / self._count, MOST_BYTES / total)
        drawn: list[tuple[int, bytes]] = []
        room = MOST_BYTES
        for _, stratum in sorted(self._strata.items()):
            wanted = min(len(stratum.held), max(1, round(share * stratum.count)))
            for one in self._source.sample(stratum.held, wanted):
                if len(one[1]) <= room or not drawn:
                    drawn.append(one)
                    room -= len(one[1])
        drawn.sort()
        return Sample([message for _, message in drawn], False)
