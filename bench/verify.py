"""Proves every codec before it is measured: the driver pipes encode to decode itself and compares values."""

import os
import zlib
from collections import Counter
from collections.abc import Callable, Container, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from msgspec import Struct

from bench.inputs import canonical_input
from bench.model import PROTOCOL, Check, Description, Scenario, Verification, Verified
from bench.runners import Runner, RunnerError
from bench.types import first_difference, parse_canonical

Report = Callable[[str], None]


class Product(Struct, frozen=True):
    """What a codec made of a scenario's canonical input."""

    runner: Runner
    format: str
    encoded: bytes
    decoded: bytes


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
    for name, scenario in scenarios.items():
        runners = {r: d.format for r, d in sound.items() if (r.codec, name) in wanted}
        if not runners:
            continue
        report(f"verifying {name}: {len(runners)} codecs")
        good, bad = verify_scenario(runners, scenario)
        verified += good
        failures += bad
    return Verification(PROTOCOL, sorted(verified, key=lambda v: (v.scenario, v.codec)), failures)


def verify_scenario(runners: Mapping[Runner, str], scenario: Scenario) -> tuple[list[Verified], list[Check]]:
    """Verifies codecs (runner → format) on one scenario: (what is proved, what failed)."""
    canonical = canonical_input(scenario)
    value = parse_canonical(canonical, rows=scenario.is_rows)
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        outcomes = list(pool.map(lambda item: _produce(item[0], item[1], scenario, canonical, value), runners.items()))
        products = [outcome for outcome in outcomes if isinstance(outcome, Product)]
        failures = [outcome for outcome in outcomes if isinstance(outcome, Check)]
        pairs = [(a, b) for a in products for b in products if a is not b and a.format == b.format]
        refusals = list(pool.map(lambda pair: _exchange(pair[0], pair[1], scenario, value), pairs))
    failures += _blamed([check for check in refusals if check], scenario.sizes_bytes.keys())
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
            peers=sorted(readers[p.runner.codec]),
        )  # fmt: skip
        for p in products
        if p.runner.codec not in blamed
    ], failures


def message_bytes(encoded: bytes, scenario: Scenario) -> int:
    """Bytes of the messages themselves, without the u32 frame that `encode` puts before each row."""
    rows = scenario.input.generator.rows if scenario.input.generator else 0
    return len(encoded) - 4 * rows


def _produce(runner: Runner, format: str, scenario: Scenario, canonical: bytes, value: list[Any]) -> Product | Check:
    """Round trip and size of one codec, or the check that failed."""
    try:
        encoded = runner.encode(scenario.name, canonical)
    except RunnerError as error:
        return Check("encode", runner.codec, str(error), scenario.name)
    try:
        decoded = runner.decode(scenario.name, encoded)
    except RunnerError as error:
        return Check("decode", runner.codec, str(error), scenario.name)
    if difference := _difference(scenario, value, decoded):
        return Check("value", runner.codec, f"canonical input against decoded: {difference}", scenario.name)
    found, expected = message_bytes(encoded, scenario), scenario.sizes_bytes.get(runner.codec)
    if expected is not None and found != expected:
        return Check("size", runner.codec, f"{found} bytes encoded, {expected} published", scenario.name)
    return Product(runner, format, encoded, decoded)


def _exchange(writer: Product, reader: Product, scenario: Scenario, value: list[Any]) -> Check | None:
    """Whether one codec reads another's bytes of the same format as the same value."""
    try:
        decoded = reader.runner.decode(scenario.name, writer.encoded)
    except RunnerError as error:
        problem = str(error)
    else:
        problem = _difference(scenario, value, decoded) or ""
    if not problem:
        return None
    message = f"{reader.runner.codec} does not read what {writer.runner.codec} wrote ({writer.format}): {problem}"
    return Check("interop", writer.runner.codec, message, scenario.name, reader.runner.codec)


def _blamed(refusals: list[Check], published: Container[str]) -> list[Check]:
    """One check for each side that is to blame where one codec does not read what another wrote.

    It is the side that fails with more peers; else the one whose encoding nobody published (the other's has just been
    proved to be the published one, to the byte); else both.
    """
    counts = Counter(codec for check in refusals for codec in (check.codec, str(check.peer)))

    def doubt(codec: str) -> tuple[int, bool]:
        return counts[codec], codec not in published

    blamed = []
    for check in refusals:
        writer, reader = check.codec, str(check.peer)
        if doubt(writer) >= doubt(reader):
            blamed.append(check)
        if doubt(reader) >= doubt(writer):
            blamed.append(Check(check.check, reader, check.message, check.scenario, writer))
    return blamed


def _difference(scenario: Scenario, value: list[Any], decoded: bytes) -> str | None:
    try:
        found = parse_canonical(decoded, rows=scenario.is_rows)
    except (ValueError, RecursionError) as error:
        return f"decode printed no canonical JSON: {error}: {decoded[:80]!r}"
    if len(found) != len(value):
        return f"{len(value)} rows against {len(found)}"
    pairs = enumerate(zip(value, found, strict=True))
    return next(
        (
            d
            for i, (a, b) in pairs
            if (d := first_difference(scenario.type, a, b, f"row {i}" if scenario.is_rows else "$"))
        ),
        None,
    )
