"""Proves every codec before it is measured: the driver pipes encode to decode itself and compares values."""

import zlib
from collections.abc import Iterable, Mapping

import msgspec

from bench.base.progress import Report
from bench.base.protocol import PROTOCOL
from bench.base.supervision import side_by_side
from bench.building.runner import Runner, RunnerError
from bench.model.cells import Cell, Operation
from bench.model.description import Description
from bench.model.scenario import Scenario
from bench.model.verification import Check, Exchange, Verification, Verified
from bench.proof.expected import Expected
from bench.proof.interop import Product, blamed, exchange, pairs
from bench.scenarios.inputs import canonical_input


def crc32(data: bytes) -> str:
    """CRC-32 (the polynomial of zlib) as samples have it."""
    return f"crc32:{zlib.crc32(data):08x}"


def check_identity(runner: Runner) -> Check | None:
    """The library and version that a runner names against those that were built; `description` checks its own name."""
    try:
        said = runner.description
    except RunnerError as error:
        return Check("describe", runner.codec, str(error), variant=runner.entry.variant)
    built = runner.entry
    for what, found, expected in (
        ("library", said.library, built.library),
        ("version", said.version, built.version),
    ):
        if found != expected:
            message = f"the runner says {what} {found}, the lock file and folder say {expected}; build it again"
            return Check("version", runner.codec, message, variant=built.variant)
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
    exchanges: list[Exchange] = []
    for name, scenario in scenarios.items():
        runners = {r: d.format for r, d in sound.items() if (r.codec, name) in wanted}
        if not runners:
            continue
        report(f"verifying {name}: {len(runners)} codecs")
        outcome = verify_scenario(runners, scenario, wanted)
        verified += outcome.verified
        failures += outcome.failures
        exchanges += outcome.exchanges
    verified.sort(key=lambda one: (one.scenario, one.codec, one.variant))
    return Verification(PROTOCOL, verified, failures, exchanges)


def verify_scenario(runners: Mapping[Runner, str], scenario: Scenario, wanted: Wanted | None = None) -> Verification:
    """Verifies codecs (runner → format) and their compressions on one scenario: what is proved, what failed, and who
    reads whom.
    """
    expected = Expected(scenario, canonical_input(scenario))
    compressions = {runner: (wanted or {}).get((runner.codec, scenario.name), set()) for runner in runners}
    outcomes = side_by_side(lambda item: _produce(item[0], item[1], expected, compressions[item[0]]), runners.items())
    products = [outcome for outcome in outcomes if isinstance(outcome, Product)]
    exchanges = side_by_side(lambda pair: exchange(pair[0], pair[1], expected), pairs(products, scenario))
    failures = [outcome for outcome in outcomes if isinstance(outcome, Check)]
    builds = [p.runner.entry for p in products]
    failures += [
        msgspec.structs.replace(check, variant=build.variant)
        for check in blamed(exchanges, scenario)
        for build in builds
        if build.codec == check.codec
    ]
    readers = {p.runner.codec: [] for p in products}  # type: dict[str, list[str]]
    for one in exchanges:
        if one.reads and one.writer in readers:
            readers[one.writer].append(one.reader)
    unsound = {check.codec for check in failures if check.check == "interop"}
    verified = [
        msgspec.structs.replace(p.proved, peers=sorted(readers[p.runner.codec]))
        for p in products
        if p.runner.codec not in unsound
    ]
    return Verification(PROTOCOL, verified, failures, exchanges)


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


def _produce(runner: Runner, format: str, expected: Expected, compressions: Iterable[str]) -> Product | Check:
    """Round trip, size and compressions of one codec, or the check that failed."""
    scenario = expected.scenario
    try:
        encoded = runner.encode(scenario.name, expected.canonical, expected.keys)
    except RunnerError as error:
        return _failed("encode", runner, str(error), scenario)
    try:
        decoded = runner.decode(scenario.name, encoded, expected.keys)
    except RunnerError as error:
        return _failed("decode", runner, str(error), scenario)
    if difference := expected.difference(decoded):
        return _failed("value", runner, f"canonical input against decoded: {difference}", scenario)
    found, published = message_bytes(encoded, scenario), scenario.sizes_bytes.get(runner.codec)
    if published is not None and found != published:
        return _failed("size", runner, f"{found} bytes encoded, {published} published", scenario)
    filtered = None
    if scenario.filter and offers(runner, scenario.name, Operation.FILTER):
        try:
            filtered = runner.filter(scenario.name, encoded, expected.keys)
        except RunnerError as error:
            return _failed("filter", runner, str(error), scenario)
        if difference := expected.difference_of_hits(filtered):
            return _failed("filter", runner, f"the driver's rows against the filter's: {difference}", scenario)
    compressed = {}
    for compression in sorted(compressions):
        size = _compressed(runner, encoded, compression, scenario)
        if isinstance(size, Check):
            return size
        compressed[compression] = size
    proved = Verified(
        codec=runner.codec,
        scenario=scenario.name,
        encoded_bytes=found,
        encoded_checksum=crc32(encoded),
        decoded_checksum=crc32(decoded),
        filtered_checksum=None if filtered is None else crc32(filtered),
        compressed_bytes=compressed,
        variant=runner.entry.variant,
    )
    # What nobody else will read is not kept: the largest messages are hundreds of megabytes.
    return Product(runner, format, b"" if scenario.point else encoded, proved)


def _compressed(runner: Runner, encoded: bytes, compression: str, scenario: Scenario) -> int | Check:
    """Bytes of a codec's compressed messages, which must come back to the bit, or the check that failed.

    The value does not pass through the codec once more for each compression: that would take longer and prove nothing
    more about the kit. The checksum in each sample is that of the uncompressed round trip.
    """
    try:
        compressed = runner.compress(scenario.name, encoded, compression)
        back = runner.decompress(scenario.name, compressed, compression)
    except RunnerError as error:
        return _failed("compression", runner, f"{compression}: {error}", scenario)
    if back != encoded:
        sizes = f"{len(encoded)} bytes were compressed, {len(back)} others came back"
        return _failed("compression", runner, f"{compression}: {sizes}", scenario)
    return message_bytes(compressed, scenario)


def offers(runner: Runner, scenario: str, operation: Operation) -> bool:
    """Whether a runner offers an operation of a scenario."""
    return any(cell.scenario == scenario and cell.operation is operation for cell in runner.description.cells)


def _failed(check: str, runner: Runner, message: str, scenario: Scenario) -> Check:
    known = scenario.known_failures.get(runner.codec)
    return Check(check, runner.codec, message, scenario.name, known=known, variant=runner.entry.variant)
