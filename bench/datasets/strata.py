"""Seeded samples of messages, by size: one that follows the data, for times, and one of every size, for proving.

Each order of magnitude is drawn as often as it occurs, so that the times of the sample are those of the data. A size
that is too rare for that is in the second sample alone.
"""

import random
from collections.abc import Sequence
from typing import NamedTuple

MOST_MESSAGES = 1_000
MOST_BYTES = 1 << 20
"""Of the whole sample in the mean, so that a pass takes some milliseconds; none has twice as many."""
HELD_BYTES = 4 << 20
"""Of the messages of one stratum that are held until all were seen."""

Placed = tuple[int, bytes]
"""A message, with its place in the data from 0."""


class Stratum:
    """Messages of 2^(n-1) to 2^n - 1 bytes, of which as many are held as any sample can take."""

    def __init__(self, bits: int) -> None:
        self.room = max(1, min(MOST_MESSAGES, HELD_BYTES >> bits))
        self.count = 0
        self.total_bytes = 0
        self.held: list[Placed] = []


class Sample(NamedTuple):
    """What was drawn."""

    messages: list[bytes]
    """In the order of the data."""
    places: list[int]
    """Where each stands in the data, from 0."""
    is_all: bool
    rare: Sequence[bytes] = ()
    """A message of every stratum of which none was drawn, to be proved but not measured."""
    left_out: int = 0
    """Messages of those strata in the data."""

    @property
    def total_bytes(self) -> int:
        """Of the messages that are measured."""
        return sum(map(len, self.messages))


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
        """The sample: all messages where they are few, else of each stratum its share."""
        strata = [stratum for _, stratum in sorted(self._strata.items())]
        total = sum(one.total_bytes for one in strata)
        if self._count <= MOST_MESSAGES and total <= MOST_BYTES:
            held = sorted(message for one in strata for message in one.held)
            return _sample(held, is_all=True)
        share = min(1.0, MOST_MESSAGES / self._count, MOST_BYTES / total)
        drawn: list[Placed] = []
        unseen: list[Stratum] = []
        room = 2 * MOST_BYTES
        for stratum in strata:
            before = len(drawn)
            for one in self._drawn(stratum, share):
                if len(one[1]) <= room:
                    drawn.append(one)
                    room -= len(one[1])
            if len(drawn) == before:
                unseen.append(stratum)
        if not drawn:  # there are large messages alone
            most = max(unseen, key=lambda stratum: stratum.count)
            unseen.remove(most)
            drawn = [self._source.choice(most.held)]
        rare = [self._source.choice(stratum.held)[1] for stratum in unseen]
        return _sample(sorted(drawn), rare=rare, left_out=sum(stratum.count for stratum in unseen))

    def _drawn(self, stratum: Stratum, share: float) -> list[Placed]:
        """A share of a stratum, rounded by chance, so that what is rare is not drawn more often than it occurs."""
        wanted = share * stratum.count
        number = int(wanted) + (self._source.random() < wanted % 1)
        return self._source.sample(stratum.held, min(len(stratum.held), number))


def _sample(drawn: list[Placed], *, is_all: bool = False, rare: Sequence[bytes] = (), left_out: int = 0) -> Sample:
    return Sample([message for _, message in drawn], [place for place, _ in drawn], is_all, rare, left_out)
