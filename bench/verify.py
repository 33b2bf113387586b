"""Proves every codec before it is measured: the driver pipes encode to decode itself and compares values."""

import os
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from msgspec import Struct

from bench import errors
from bench.inputs import canonical_input
from bench.keys import key_folder
from bench.model import PROTOCOL, Cell, Check, Description, Filter, Operation, Scenario, Verification, Verified
from bench.paths import SCENARIOS
from bench.progress import Report
from bench.runners import Runner, RunnerError
from bench.types import first_difference, parse_canonical


class Product(Struct, frozen=True):
    """What a codec made of a scenario's canonical input."""

    runner: Runner
    format: str
    encoded: bytes
    decoded: bytes
    filtered: bytes | None = None


class Expected:
    """The value that every codec must give back, and the texts that were already seen to be it."""

    def __init__(self, scenario: Scenario, canonical: bytes) -> None:
        self.scenario, self.canonical = scenario, canonical
        self._value = parse_canonical(canonical, rows=scenario.is_rows)
        self._proved = {canonical}
        self.keys = key_folder(scenario.keys.bits) if scenario.keys else None
        self.hits = [row for row in self._value if takes(scenario.filter, row)] if scenario.filter else []
        if scenario.filter and len(self.hits) != scenario.filter.rows:
            raise errors.filter_changed(SCENARIOS / f"{scenario.name}.toml", scenario.filter.rows, len(self.hits))

    def difference(self, decoded: bytes) -> str | None:
        """Where a decoded text differs from the expected value, with both sides; None where it is that value."""
        if decoded in self._proved:
            return None
        if problem := self._difference(self._value, decoded, "decode"):
            return problem
        self._proved.add(decoded)
        return None

    def difference_of_hits(self, filtered: bytes) -> str | None:
        """Where the rows that a codec's filter took differ from those that the driver finds."""
        return self._difference(self.hits, filtered, "filter")

    def _difference(self, expected: list[Any], printed: bytes, command: str) -> str | None:
        try:
            found = parse_canonical(printed, rows=self.scenario.is_rows) if printed or expected else []
        except (ValueError, RecursionError) as error:
            return f"{command} printed no canonical JSON: {error}: {printed[:80]!r}"
        if len(found) != len(expected):
            return f"{len(expected)} rows against {len(found)}"
        for number, (left, right) in enumerate(zip(expected, found, strict=True)):
            place = f"row {number}" if self.scenario.is_rows else "$"
            if problem := first_difference(self.scenario.type, left, right, place):
                return problem
        return None


def takes(which: Filter, row: Any) -> bool:
    """Whether a filter takes a canonical row."""
    return all(_at(row, path) == value for path, value in which.equal.items()) and all(
        text in _at(row, path) for path, text in which.contains.items()
    )


def _at(row: Any, path: str) -> Any:
    for name in path.split("."):
        row = row[name]
    return row


def crc32(data: bytes) -> str:
    """CRC-32 (the polynomial of zlib) as samples have it."""
    return f"crc32:{zlib.crc32(data):08x}"


def check_identity(runner: Runner) -> Check | None:
    """What a runner says of itself against what was built: name, library and its locked version."""
    try:
        said = runner.description
    except RunnerError as error:
        return Check("describe", runner.codec, str(error))
    built = runner.entry
    for what, found, expected in (
        ("codec", said.codec, built.codec),
        ("library", said.library, built.library),
        ("version", said.version, built.version),
    ):
        if found != expected:
            return Check(
                "version",
                runner.codec,
                f"the runner says {what} {found}, the lock file and folder say {expected}; build it again",
            )
    return None


Wanted = Mapping[tuple[str, str], set[str]]
"""(Codec, scenario) → the compressions of its bytes that are wanted too."""


def wanted_of(cells: Iterable[Cell]) -> Wanted:
    """What must be proved before some cells are measured."""
    wanted: dict[tuple[str, str], set[str]] = {}
    for cell in cells:
        compressions = wanted.setdefault((cell.codec, cell.scenario), set())
        if cell.conditions.compression:
            compressions.add(cell.conditions.compression)
    return wanted


def verify(
    described: Mapping[Runner, Description | RunnerError],
    wanted: Wanted,
    scenarios: Mapping[str, Scenario],
    report: Report,
) -> Verification:
    """Verifies what is wanted: value, size, version, compression, and every pair of codecs of one format."""
    failures: list[Check] = []
    sound: dict[Runner, Description] = {}
    for runner, said in described.items():
        if not any(codec == runner.codec for codec, _ in wanted):
            continue
        if problem := check_identity(runner):
            failures.append(problem)
        elif isinstance(said, Description) and not said.control:
            sound[runner] = said
    verified: list[Verified] = []
    for name, scenario in scenarios.items():
        runners = {r: d.format for r, d in sound.items() if (r.codec, name) in wanted}
        if not runners:
            continue
        report(f"verifying {name}: {len(runners)} codecs")
        good, bad = verify_scenario(runners, scenario, wanted)
        verified += good
        failures += bad
    return Verification(PROTOCOL, sorted(verified, key=lambda v: (v.scenario, v.codec)), failures)


def verify_scenario(
    runners: Mapping[Runner, str], scenario: Scenario, wanted: Wanted | None = None
) -> tuple[list[Verified], list[Check]]:
    """Verifies codecs (runner → format) and their compressions on one scenario: (what is proved, what failed)."""
    canonical = canonical_input(scenario)
    expected = Expected(scenario, canonical)
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        outcomes = list(pool.map(lambda item: _produce(item[0], item[1], expected), runners.items()))
        products = [outcome for outcome in outcomes if isinstance(outcome, Product)]
        failures = [outcome for outcome in outcomes if isinstance(outcome, Check)]
        pairs = [(a, b) for a in products for b in products if a is not b and a.format == b.format]
        refusals = list(pool.map(lambda pair: _exchange(pair[0], pair[1], expected), pairs))
        packed = [(p, how) for p in products for how in sorted((wanted or {}).get((p.runner.codec, scenario.name), ()))]
        sizes = list(pool.map(lambda job: _compressed(job[0], job[1], expected), packed))
    failures += [size for size in sizes if isinstance(size, Check)]
    compressed: dict[str, dict[str, int]] = {}
    for (product, how), size in zip(packed, sizes, strict=True):
        if isinstance(size, int):
            compressed.setdefault(product.runner.codec, {})[how] = size
    failures += _blamed([check for check in refusals if check], scenario)
    readers = {p.runner.codec: [] for p in products}  # type: dict[str, list[str]]
    for (writer, reader), refusal in zip(pairs, refusals, strict=True):
        if refusal is None:
            readers[writer.runner.codec].append(reader.runner.codec)
    blamed = {check.codec for check in failures}
    return [
        Verified(
            codec=p.runner.codec,
            scenario=scenario.name,
            encoded_bytes=message_bytes(p.encoded, scenario),
            encoded_checksum=crc32(p.encoded),
            decoded_checksum=crc32(p.decoded),
            filtered_checksum=None if p.filtered is None else crc32(p.filtered),
            peers=sorted(readers[p.runner.codec]),
            compressed_bytes=compressed.get(p.runner.codec, {}),
        )  # fmt: skip
        for p in products
        if p.runner.codec not in blamed
    ], failures


def message_bytes(encoded: bytes, scenario: Scenario) -> int:
    """Bytes of the file, or of the messages themselves, without the u32 frame that `encode` puts before each row."""
    if scenario.is_files:
        return len(encoded)
    rows = scenario.input.generator.rows if scenario.input.generator else 0
    return len(encoded) - 4 * rows


def unframed(encoded: bytes, scenario: Scenario) -> bytes:
    """The messages themselves, one behind the other, of what `encode` or `compress` printed."""
    if scenario.is_files or not scenario.is_rows:
        return encoded
    messages, place = [], 0
    while place < len(encoded):
        end = place + 4 + int.from_bytes(encoded[place : place + 4], "little")
        messages.append(encoded[place + 4 : end])
        place = end
    return b"".join(messages)


def _produce(runner: Runner, format: str, expected: Expected) -> Product | Check:
    """Round trip and size of one codec, or the check that failed."""
    scenario = expected.scenario
    try:
        encoded = runner.encode(scenario.name, expected.canonical, expected.keys)
    except RunnerError as error:
        return _failed("encode", runner.codec, str(error), scenario)
    try:
        decoded = runner.decode(scenario.name, encoded, expected.keys)
    except RunnerError as error:
        return _failed("decode", runner.codec, str(error), scenario)
    if difference := expected.difference(decoded):
        return _failed("value", runner.codec, f"canonical input against decoded: {difference}", scenario)
    found, published = message_bytes(encoded, scenario), scenario.sizes_bytes.get(runner.codec)
    if published is not None and found != published:
        return _failed("size", runner.codec, f"{found} bytes encoded, {published} published", scenario)
    filtered = None
    if scenario.filter and offers(runner, scenario.name, Operation.FILTER):
        try:
            filtered = runner.filter(scenario.name, encoded, expected.keys)
        except RunnerError as error:
            return _failed("filter", runner.codec, str(error), scenario)
        if difference := expected.difference_of_hits(filtered):
            return _failed("filter", runner.codec, f"the driver's rows against the filter's: {difference}", scenario)
    return Product(runner, format, encoded, decoded, filtered)


def _compressed(product: Product, compression: str, expected: Expected) -> int | Check:
    """Bytes of a codec's compressed messages, which must come back to the bit, or the check that failed."""
    runner, scenario = product.runner, expected.scenario
    try:
        compressed = runner.compress(scenario.name, product.encoded, compression)
        back = runner.decompress(scenario.name, compressed, compression)
    except RunnerError as error:
        return _failed("compression", runner.codec, f"{compression}: {error}", scenario)
    if back != product.encoded:
        sizes = f"{len(product.encoded)} bytes were compressed, {len(back)} others came back"
        return _failed("compression", runner.codec, f"{compression}: {sizes}", scenario)
    return message_bytes(compressed, scenario)


def offers(runner: Runner, scenario: str, operation: Operation) -> bool:
    """Whether a runner offers an operation of a scenario."""
    return any(cell.scenario == scenario and cell.operation is operation for cell in runner.description.cells)


def _exchange(writer: Product, reader: Product, expected: Expected) -> Check | None:
    """Whether one codec reads another's bytes of the same format as the same value."""
    try:
        decoded = reader.runner.decode(expected.scenario.name, writer.encoded, expected.keys)
    except RunnerError as error:
        problem: str | None = str(error)
    else:
        problem = expected.difference(decoded)
    if not problem:
        return None
    message = f"{reader.runner.codec} does not read what {writer.runner.codec} wrote ({writer.format}): {problem}"
    return _failed("interop", writer.runner.codec, message, expected.scenario, reader.runner.codec)


def _failed(check: str, codec: str, message: str, scenario: Scenario, peer: str | None = None) -> Check:
    return Check(check, codec, message, scenario.name, peer, scenario.known_failures.get(codec))


def _blamed(refusals: list[Check], scenario: Scenario) -> list[Check]:
    """One check for each side that is to blame where one codec does not read what another wrote.

    It is the side that fails with more peers; else the one whose encoding nobody published (the other's has just been
    proved to be the published one, to the byte); else both.
    """
    counts = Counter(codec for check in refusals for codec in (check.codec, str(check.peer)))

    def doubt(codec: str) -> tuple[int, bool]:
        return counts[codec], codec not in scenario.sizes_bytes

    blamed = []
    for check in refusals:
        writer, reader = check.codec, str(check.peer)
        if doubt(writer) >= doubt(reader):
            blamed.append(check)
        if doubt(reader) >= doubt(writer):
            blamed.append(_failed(check.check, reader, check.message, scenario, writer))
    return blamed
