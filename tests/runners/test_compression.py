"""Compression is the same in every language: what one kit compressed another decompresses, to the bit."""

import subprocess
from functools import cache

import pytest

from bench.base.paths import manifest
from bench.building.runner import Runner
from bench.model.cells import Operation, is_published
from bench.scenarios.inputs import canonical_input
from tests.support.scenarios.committed import built_runners, committed_scenarios

SCENARIOS = committed_scenarios(sweeps=True)
NAMES = ("lz4", "zstd-1", "zstd-3")
TEXTS = [b"", b"x", b"wirelab " * 1000, bytes(range(256)) * 9, canonical_input(SCENARIOS["users-1k"])]


@cache
def kits() -> dict[str, tuple[Runner, str]]:
    """Language → a runner of it that compresses, with a scenario of one message."""
    found: dict[str, tuple[Runner, str]] = {}
    for one in built_runners():
        if not one.entry.unavailable:
            for cell in one.description.cells:
                if cell.conditions.compression and not SCENARIOS[cell.scenario].is_rows:
                    found.setdefault(one.codec.partition("/")[0], (one, cell.scenario))
    return found


def kit(language: str) -> tuple[Runner, str]:
    if language not in kits():
        pytest.skip(f"no runner of {language} that compresses is built: `./lab build` builds them")
    return kits()[language]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("writer", "reader"), [("python", "rust"), ("rust", "python")])
def test_what_one_language_compressed_another_reads(writer, reader, name):
    (out, there), (back, here) = kit(writer), kit(reader)
    for text in TEXTS:
        compressed = out.compress(there, text, name)
        assert back.decompress(here, compressed, name) == text
        assert back.compress(here, text, name) == compressed, "the same library and level"


@pytest.mark.parametrize("language", ["python", "rust"])
def test_lz4_is_the_form_that_b_fast_has_built_in(language):
    """B-FAST's own compressed message is one of the kit's `lz4`, around its plain message with a flag set."""
    written = (
        {r.codec: r for r in built_runners() if r.codec in ("python/bfast", "python/bfast-lz4")}
        if manifest().exists()
        else {}
    )
    if len(written) < 2 or any(r.entry.unavailable for r in written.values()):
        pytest.skip("B-FAST is not built, or has no wheel for this platform")
    canonical = canonical_input(SCENARIOS["users-1k"])
    plain, packed = (written[codec].encode("users-1k", canonical) for codec in ("python/bfast", "python/bfast-lz4"))
    one, scenario = kit(language)
    found = one.decompress(scenario, packed, "lz4")
    assert [place for place, (a, b) in enumerate(zip(found, plain, strict=True)) if a != b] == [2]


@pytest.mark.parametrize("language", ["python", "rust"])
@pytest.mark.parametrize(
    ("name", "malformed"),
    [
        ("lz4", b""),
        ("lz4", b"\5\0"),
        ("lz4", b"\5\0\0\0\x40hell"),
        ("lz4", b"\xff\xff\xff\x7e\x50hello"),  # claims 2 GiB
        ("lz4", b"\xff\xff\xff\xff\x50hello"),
        ("zstd-1", b""),
        ("zstd-1", b"hello"),
        ("zstd-1", b"\x28\xb5\x2f\xfd\x20\x06\x29\0\0hello"),
        ("zstd-3", b"\x28\xb5\x2f\xfd\xe0\0\0\0\0\0\x01\0\0\x29\0\0hello"),  # claims 2^40 bytes
    ],
)
def test_malformed_compressed_bytes_end_with_their_code_and_a_line_and_nothing_else(language, name, malformed):
    one, scenario = kit(language)
    command = [*one.entry.command, "decompress", "--scenario", scenario, "--compression", name]
    done = subprocess.run(command, input=malformed, capture_output=True, env=one.environment, timeout=60, check=False)
    claims = language == "rust" and b"bytes of memory are needed" in done.stderr
    assert (done.returncode, done.stdout) == (71 if claims else 65, b""), done.stderr
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize("language", ["python", "rust"])
def test_a_compression_that_no_cell_has_is_refused_with_64(language):
    one, scenario = kit(language)
    for where, name in ((scenario, "gzip"), ("no-such", "lz4")):
        command = [*one.entry.command, "compress", "--scenario", where, "--compression", name]
        assert subprocess.run(command, capture_output=True, env=one.environment, check=False).returncode == 64


@pytest.mark.parametrize("language", ["python", "rust"])
def test_compressed_is_the_published_round_trip_of_every_scenario_with_each_compression(language):
    one, _ = kit(language)
    for name in {cell.scenario for cell in one.description.cells}:
        cells = [c for c in one.description.cells if c.scenario == name and c.operation is Operation.ROUND_TRIP]
        published = SCENARIOS[name].published.conditions
        as_published = [c for c in cells if is_published(c.conditions, published)]
        packed = [c for c in one.description.cells if c.scenario == name and c.conditions.compression]
        if as_published:
            (plain,) = as_published
            others = dict(plain.conditions.items())
            assert [dict(c.conditions.items()) for c in packed] == [others | {"compression": n} for n in NAMES]
