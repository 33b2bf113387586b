"""Proves every codec before it is measured: the driver itself pipes encode into decode and compares values."""

import zlib
from collections.abc import Iterable, Mapping

import msgspec

from bench.base.output import plural
from bench.base.progress import Report
from bench.base.protocol import PROTOCOL
from bench.base.supervision import side_by_side
from bench.building.runner import Runner, RunnerError
from bench.model.cells import Cell, Operation
from bench.model.description import Description
from bench.model.scenario import Scenario
from bench.model.verification import Check, Exchange, Verification, Verified
from bench.proof.expected import Expected
from bench.proof.interop import Product, blamed, exchanges
from bench.scenarios.inputs import canonical_input
from bench.scenarios.sets import set_name


def crc32(data: bytes) -> str:
    """CRC-32 (zlib's polynomial) in the notation of samples."""
    return f"crc32:{zlib.crc32(data):08x}"


def check_identity(runner: Runner) -> Check | None:
    """A failed check if a runner names another library or version than was built; None if it names the same."""
    try:
        description = runner.description
    except RunnerError as error:
        return Check("describe", runner.codec, str(error), variant=runner.entry.variant)
    built = runner.entry
    for field, actual, expected in (
        ("library", description.library, built.library),
        ("version", description.version, built.version),
    ):
        if actual != expected:
            message = f"the runner reports {field} {actual}, the lock file and folder {expected}; build it again"
            return Check("version", runner.codec, message, variant=built.variant)
    return None


Wanted = Mapping[tuple[str, str], set[str]]
"""(Codec, scenario) → the compressions of its bytes to be verified too."""


def wanted_of(cells: Iterable[Cell]) -> Wanted:
    """What must be proved before cells are measured."""
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
    """Verifies version, round trip, size and compression of codecs, and that those of one format read each other."""
    failures: list[Check] = []
    sound: dict[Runner, Description] = {}
    for runner, description in described.items():
        if not any(codec == runner.codec for codec, _ in wanted):
            continue
        if problem := check_identity(runner):
            failures.append(problem)
        elif isinstance(description, Description) and not description.control:
            sound[runner] = description
    verified: list[Verified] = []
    exchanges: list[Exchange] = []
    for name, scenario in scenarios.items():
        types = set_name(scenario)
        runners = {r: d.format for r, d in sound.items() if (r.codec, name) in wanted and r.entry.types == types}
        if not runners:
            continue
        report(f"verifying {name}: {plural(len(runners), 'codec')}")
        outcome = verify_scenario(runners, scenario, wanted)
        verified += outcome.verified
        failures += outcome.failures
        exchanges += outcome.exchanges
    verified.sort(key=lambda one: (one.scenario, one.codec, one.variant))
    return Verification(PROTOCOL, verified, failures, exchanges)


def verify_scenario(runners: Mapping[Runner, str], scenario: Scenario, wanted: Wanted | None = None) -> Verification:
    """Verifies codecs (runner → format) and their compressions on one scenario."""
    expected = Expected(scenario, canonical_input(scenario))
    compressions = {runner: (wanted or {}).get((runner.codec, scenario.name), set()) for runner in runners}
    outcomes = side_by_side(lambda item: produce(item[0], item[1], expected, compressions[item[0]]), runners.items())
    products = [outcome for outcome in outcomes if isinstance(outcome, Product)]
    exchanged = exchanges(products, scenario, expected)
    failures = [outcome for outcome in outcomes if isinstance(outcome, Check)]
    builds = [p.runner.entry for p in products]
    failures += [
        msgspec.structs.replace(check, variant=build.variant)
        for check in blamed(exchanged, scenario)
        for build in builds
        if build.codec == check.codec
    ]
    readers: dict[str, list[str]] = {p.runner.codec: [] for p in products}
    for one in exchanged:
        if one.reads and one.writer in readers:
            readers[one.writer].append(one.reader)
    unsound = {check.codec for check in failures if check.check == "interop"}
    verified = [
        msgspec.structs.replace(p.proved, peers=sorted(readers[p.runner.codec]))
        for p in products
        if p.runner.codec not in unsound
    ]
    return Verification(PROTOCOL, verified, failures, exchanged)


def message_bytes(encoded: bytes, scenario: Scenario) -> int:
    """Bytes of the file, or of the messages without the u32 frame that `encode` writes before each row."""
    if scenario.is_files:
        return len(encoded)
    return len(encoded) - 4 * (scenario.rows or 0)


def unframed(encoded: bytes, scenario: Scenario) -> bytes:
    """The output of `encode` or `compress` without frames: its messages, concatenated."""
    if scenario.is_files or not scenario.is_rows:
        return encoded
    messages, start = [], 0
    while start < len(encoded):
        end = start + 4 + int.from_bytes(encoded[start : start + 4], "little")
        messages.append(encoded[start + 4 : end])
        start = end
    return b"".join(messages)


def produce(runner: Runner, format: str, expected: Expected, compressions: Iterable[str]) -> Product | Check:
    """The product of one codec after round trip, size and compressions were checked, or the check that failed."""
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
    size, published = message_bytes(encoded, scenario), scenario.sizes_bytes.get(runner.codec)
    if published is not None and size != published:
        return _failed("size", runner, f"{size} bytes encoded, {published} published", scenario)
    filtered = _filtered(runner, encoded, expected)
    if isinstance(filtered, Check):
        return filtered
    updated = _updated(runner, encoded, expected)
    if isinstance(updated, Check):
        return updated
    compressed = {}
    for compression in sorted(compressions):
        checked = _compressed(runner, encoded, compression, scenario)
        if isinstance(checked, Check):
            return checked
        compressed[compression] = checked
    proved = Verified(
        codec=runner.codec,
        scenario=scenario.name,
        encoded_bytes=size,
        encoded_checksum=crc32(encoded),
        decoded_checksum=crc32(decoded),
        filtered_checksum=None if filtered is None else crc32(filtered),
        updated_checksum=None if updated is None else crc32(updated),
        compressed_bytes=compressed,
        variant=runner.entry.variant,
    )
    # Bytes that no peer will read are not kept: the largest messages have hundreds of megabytes.
    return Product(runner, format, b"" if scenario.point else encoded, proved)


def _filtered(runner: Runner, encoded: bytes, expected: Expected) -> bytes | Check | None:
    """The rows that a codec's filter takes, or the check that failed; None for codecs and scenarios without filter."""
    scenario = expected.scenario
    if not scenario.filter or not offers(runner, scenario.name, Operation.FILTER):
        return None
    try:
        filtered = runner.filter(scenario.name, encoded, expected.keys)
    except RunnerError as error:
        return _failed("filter", runner, str(error), scenario)
    if difference := expected.difference_of_hits(filtered):
        return _failed("filter", runner, f"the driver's rows against the filter's: {difference}", scenario)
    return filtered


def _updated(runner: Runner, encoded: bytes, expected: Expected) -> bytes | Check | None:
    """The bytes that a codec updated in place, or the check that failed; None for codecs and scenarios without update.

    What the codec decodes of them must be the value after the driver's own update.
    """
    scenario = expected.scenario
    if not scenario.update or not offers(runner, scenario.name, Operation.UPDATE):
        return None
    try:
        updated = runner.update(scenario.name, encoded)
        decoded = runner.decode(scenario.name, updated, expected.keys)
    except RunnerError as error:
        return _failed("update", runner, str(error), scenario)
    if difference := expected.difference_of_update(decoded):
        return _failed("update", runner, f"the driver's update against the codec's, decoded: {difference}", scenario)
    if len(updated) != len(encoded):
        return _failed("update", runner, f"{len(encoded)} bytes encoded, {len(updated)} updated", scenario)
    return updated


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
