"""Proves every codec before it is measured: the driver pipes encode to decode itself and compares values."""

import os
import zlib
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

import msgspec

from bench.expected import Expected
from bench.inputs import canonical_input
from bench.interop import Product, blamed, exchange, pairs
from bench.model import PROTOCOL, Check, Description, Exchange, Operation, Scenario, Verification, Verified
from bench.progress import Report
from bench.runners import Runner, RunnerError


def crc32(data: bytes) -> str:
    """CRC-32 (the polynomial of zlib) as samples have it."""
    return f"crc32:{zlib.crc32(data):08x}"


def check_identity(runner: Runner) -> Check | None:
    """What a runner says of itself against what was built: name, library and its locked version."""
    try:
        said = runner.description
    except RunnerError as error:
        return Check("describe", runner.codec, str(error), variant=runner.entry.variant)
    built = runner.entry
    for what, found, expected in (
        ("codec", said.codec, built.codec),
        ("library", said.library, built.library),
        ("version", said.version, built.version),
    ):
        if found != expected:
            message = f"the runner says {what} {found}, the lock file and folder say {expected}; build it again"
            return Check("version", runner.codec, message, variant=built.variant)
    return None


def verify(
    described: Mapping[Runner, Description | RunnerError],
    wanted: set[tuple[str, str]],
    scenarios: Mapping[str, Scenario],
    report: Report,
) -> Verification:
    """Verifies the wanted (codec, scenario) pairs: value, size, version, and every pair of codecs of one format."""
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
        outcome = verify_scenario(runners, scenario)
        verified += outcome.verified
        failures += outcome.failures
        exchanges += outcome.exchanges
    verified.sort(key=lambda one: (one.scenario, one.codec, one.variant))
    return Verification(PROTOCOL, verified, failures, exchanges)


def verify_scenario(runners: Mapping[Runner, str], scenario: Scenario) -> Verification:
    """Verifies codecs (runner → format) on one scenario: what is proved, what failed, and who reads whom."""
    expected = Expected(scenario, canonical_input(scenario))
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        outcomes = list(pool.map(lambda item: _produce(item[0], item[1], expected), runners.items()))
        products = [outcome for outcome in outcomes if isinstance(outcome, Product)]
        exchanges = list(pool.map(lambda pair: exchange(pair[0], pair[1], expected), pairs(products, scenario)))
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


def _produce(runner: Runner, format: str, expected: Expected) -> Product | Check:
    """Round trip and size of one codec, or the check that failed."""
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
    proved = Verified(
        codec=runner.codec,
        scenario=scenario.name,
        encoded_bytes=found,
        encoded_checksum=crc32(encoded),
        decoded_checksum=crc32(decoded),
        filtered_checksum=None if filtered is None else crc32(filtered),
        variant=runner.entry.variant,
    )
    # What nobody else will read is not kept: the largest messages are hundreds of megabytes.
    return Product(runner, format, b"" if scenario.point else encoded, proved)


def offers(runner: Runner, scenario: str, operation: Operation) -> bool:
    """Whether a runner offers an operation of a scenario."""
    return any(cell.scenario == scenario and cell.operation is operation for cell in runner.description.cells)


def _failed(check: str, runner: Runner, message: str, scenario: Scenario) -> Check:
    known = scenario.known_failures.get(runner.codec)
    return Check(check, runner.codec, message, scenario.name, known=known, variant=runner.entry.variant)
