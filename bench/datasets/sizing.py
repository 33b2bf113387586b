"""Every message of a data set through every codec: its size, compressed too, and whether it comes back as it was."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import msgspec
import zstandard
from msgspec import structs

from bench.base.progress import Report
from bench.base.supervision import side_by_side
from bench.building.runner import Runner, RunnerError
from bench.datasets.dataset import DataSet
from bench.datasets.strata import Sample
from bench.model.findings import LEAST_FOR_DICTIONARY, CodecData, Sizes
from bench.types.definitions import Defined
from bench.types.expressions import Named
from bench.types.values import first_difference, parse_canonical

ALL_PROVED_BYTES = 64_000_000
"""Up to so much canonical JSON every message makes the round trip; beyond it those of the sample, unless all must."""
ZSTD_LEVEL = 3
"""zstd's own default."""
DICTIONARY_BYTES = 112_640
"""As zstd's command line makes them; smaller where they learn from little: a tenth of it, as its documentation says.

Each codec's is trained on every second message of the sample, and tried on all messages but these.
"""
LEAST_DICTIONARY_BYTES = 256


class Distribution:
    """Sizes with how often each occurs, so that quantiles are exact however many messages there are."""

    def __init__(self) -> None:
        self._counts: Counter[int] = Counter()

    def add(self, sizes: Iterable[int]) -> None:
        """Counts sizes."""
        self._counts.update(sizes)

    def summary(self) -> Sizes:
        """Total and quantiles, by the nearest rank: the smallest size that this share of messages does not exceed."""
        ordered = sorted(self._counts.items())
        count = self._counts.total()
        wanted = {q: max(1, -(-count * q // 100)) for q in (50, 95, 99)}
        quantiles: dict[int, int] = {}
        passed = 0
        for size, times in ordered:
            passed += times
            for q, rank in wanted.items():
                if q not in quantiles and passed >= rank:
                    quantiles[q] = size
        total = sum(size * times for size, times in ordered)
        return Sizes(total, quantiles[50], quantiles[95], quantiles[99], ordered[-1][0])


class FailureError(Exception):
    """What a codec does wrong with the data; ends its part."""


class Progress:
    """What is known of a codec's messages so far."""

    def __init__(self, runner: Runner, scenario: str, data: DataSet, trained: Collection[int] = ()) -> None:
        self.runner, self.scenario, self.data = runner, scenario, data
        self._places = set(trained)
        """Of the messages that the dictionary learns from, in the data."""
        self.defined = data.typed.defined
        self.plain, self.zstd, self.trained = Distribution(), Distribution(), Distribution()
        self.proved, self.count, self._untrained_bytes = 0, 0, 0
        self.encodes = True
        self.failure: str | None = None
        self._compressor = zstandard.ZstdCompressor(level=ZSTD_LEVEL)
        self._dictionary_bytes = 0
        self._with_dictionary: zstandard.ZstdCompressor | None = None

    def begin(self, sample: Sample, *, prove: bool) -> None:
        """Makes a dictionary of half the sample; where not all is proved, the sample is, and a message of each size."""
        try:
            encoded = self._encode(sample.messages)
            rare = [([message], self._encode([message])) for message in (sample.rare if prove else ())]
        except FailureError as failure:
            self.failure, self.encodes = str(failure), False
            return
        for messages, bytes_of in [(sample.messages, encoded), *rare] if prove else ():
            if not self.failure:
                self._prove(messages, bytes_of)
        known = [one for place, one in zip(sample.places, encoded, strict=True) if place in self._places]
        if dictionary := dictionary_of(known):
            dictionary.precompute_compress(level=ZSTD_LEVEL)
            self._dictionary_bytes = len(dictionary.as_bytes())
            self._with_dictionary = zstandard.ZstdCompressor(level=ZSTD_LEVEL, dict_data=dictionary)

    def take(self, messages: Sequence[bytes], *, prove: bool) -> None:
        """Encodes, sizes, compresses and, if so wanted, decodes messages."""
        if not self.encodes:
            return
        try:
            encoded = self._encode(messages)
        except FailureError as failure:
            self.failure, self.encodes = str(failure), False
            return
        self.plain.add(map(len, encoded))
        self.zstd.add(compressed_sizes(self._compressor, encoded))
        if self._with_dictionary:
            others = [one for place, one in enumerate(encoded, self.count) if place not in self._places]
            self._untrained_bytes += sum(map(len, others))
            self.trained.add(compressed_sizes(self._with_dictionary, others))
        if prove and not self.failure:
            self._prove(messages, encoded)
        self.count += len(messages)

    def _encode(self, messages: Sequence[bytes]) -> list[bytes]:
        try:
            encoded = self.runner.encode(self.scenario, joined(messages))
        except RunnerError as error:
            raise FailureError(f"encode: {error}") from None
        if self.data.count == 1:
            return [encoded]
        result = list(frames(encoded))
        if len(result) != len(messages):
            raise FailureError(f"encode: {len(messages):,} messages were given, {len(result):,} came out")
        return result

    def _prove(self, messages: Sequence[bytes], encoded: Sequence[bytes]) -> None:
        """Counts messages that come back as they were; the first that does not is the codec's failure."""
        try:
            lines = self._decoded(encoded)
        except FailureError as failure:
            self.failure = str(failure)
            return
        of = Named(self.data.typed.root)
        for expected, actual in zip(messages, lines, strict=True):
            if problem := difference(of, self.defined, expected, actual):
                self.failure = f"message {self.proved + 1:,} of those proved comes back as another: {problem}"
                return
            self.proved += 1

    def _decoded(self, encoded: Sequence[bytes]) -> list[bytes]:
        given = encoded[0] if self.data.count == 1 else b"".join(map(framed, encoded))
        try:
            decoded = self.runner.decode(self.scenario, given)
        except RunnerError as error:
            raise FailureError(f"decode: {error}") from None
        lines = decoded.removesuffix(b"\n").split(b"\n") if decoded else []
        if len(lines) != len(encoded):
            raise FailureError(f"decode: {len(encoded):,} messages were given, {len(lines):,} came back")
        return lines

    def result(self) -> CodecData:
        """What the codec makes of the data."""
        trained = self.encodes and self._with_dictionary is not None
        sizes = self.plain.summary() if self.encodes else None
        return CodecData(
            codec=self.runner.codec,
            sizes=sizes,
            zstd=self.zstd.summary() if self.encodes else None,
            dictionary=self._scaled(sizes.total_bytes) if sizes and trained else None,
            dictionary_bytes=self._dictionary_bytes if trained else 0,
            proved=self.proved,
            failure=self.failure,
        )

    def _scaled(self, total_bytes: int) -> Sizes:
        """The sizes with a dictionary: the total is what all messages would have, by their bytes without it."""
        sizes = self.trained.summary()
        scale = total_bytes / self._untrained_bytes if self._untrained_bytes else 1
        return structs.replace(sizes, total_bytes=round(sizes.total_bytes * scale))


def trained_places(sample: Sample) -> list[int]:
    """The places of every second message of the sample; none where it is too small to be divided."""
    return sample.places[::2] if len(sample.places) >= LEAST_FOR_DICTIONARY else []


def sized(
    runners: Sequence[Runner], scenario: str, data: DataSet, report: Report, *, full: bool = False
) -> tuple[list[CodecData], int]:
    """What every codec makes of all messages, and how many of these had to come back as they were."""
    prove_all = full or data.total_bytes <= ALL_PROVED_BYTES
    trained = trained_places(data.sample)
    codecs = [Progress(runner, scenario, data, trained) for runner in runners]
    report(f"sizing {data.count:,} messages with {len(codecs)} codecs" + (", proving all" if prove_all else ""))
    side_by_side(lambda codec: codec.begin(data.sample, prove=not prove_all), codecs)
    for chunk in data.chunks():
        side_by_side(partial(Progress.take, messages=chunk, prove=prove_all), codecs)
    return [codec.result() for codec in codecs], data.count if prove_all else len(data.sample.messages) + len(
        data.sample.rare
    )


def json_sizes(data: DataSet) -> Sizes:
    """The sizes of the canonical JSON itself."""
    sizes = Distribution()
    for chunk in data.chunks():
        sizes.add(map(len, chunk))
    return sizes.summary()


def compressed_sizes(compressor: Any, encoded: Sequence[bytes]) -> Iterable[int]:
    """Bytes of each message, compressed by itself, in any order. One call compresses all that hold something, so that
    codecs do so side by side; zstd takes none of no bytes there.
    """
    filled = [one for one in encoded if one]
    sizes = [len(compressor.compress(b""))] * (len(encoded) - len(filled))
    return [*sizes, *map(len, compressor.multi_compress_to_buffer(filled))] if filled else sizes


def dictionary_of(encoded: Sequence[bytes]) -> zstandard.ZstdCompressionDict | None:
    """A dictionary trained on messages; None where zstd finds too little in them."""
    wanted = min(DICTIONARY_BYTES, sum(map(len, encoded)) // 10)
    if wanted < LEAST_DICTIONARY_BYTES:
        return None
    try:
        return zstandard.train_dictionary(wanted, [one for one in encoded if one], level=ZSTD_LEVEL)
    except zstandard.ZstdError:
        return None


def difference(of: Named, defined: Defined, expected: bytes, actual: bytes) -> str | None:
    """The first difference between a message and what came back; None where they are equal."""
    if expected == actual or ((plain := _plain(expected)) is not None and plain == _plain(actual)):
        return None
    try:
        left, right = (parse_canonical(text, rows=False)[0] for text in (expected, actual))
    except (ValueError, RecursionError) as error:
        return f"decode printed no canonical JSON: {error}: {actual[:80]!r}"
    return first_difference(of, defined, left, right)


def _plain(text: bytes) -> bytes | None:
    """JSON as msgspec writes it, so that equal numbers are equal bytes; None for what it does not read."""
    try:
        return msgspec.json.encode(msgspec.json.decode(text))
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None


def joined(messages: Sequence[bytes]) -> bytes:
    """Messages as canonical JSON Lines."""
    return b"".join(message + b"\n" for message in messages)


def framed(message: bytes) -> bytes:
    """A message with its length before it."""
    return len(message).to_bytes(4, "little") + message


def frames(encoded: bytes) -> Iterator[bytes]:
    """The messages of `encode`. Raises FailureError where they do not fill the output."""
    start = 0
    while start < len(encoded):
        end = start + 4 + int.from_bytes(encoded[start : start + 4], "little")
        if end > len(encoded):
            raise FailureError("encode: its last message is cut off")
        yield encoded[start + 4 : end]
        start = end
