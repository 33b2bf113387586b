"""Rows in files: their generator, their sizes, what filters find, encryption, damage, and system calls."""

import json
import os
import random
import re
import shutil
import stat
import subprocess
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bench.base.errors import LabError
from bench.base.paths import RUNNERS, manifest
from bench.building.lab import Lab
from bench.building.runner import Runner
from bench.measuring.stages.draft import Options, choose
from bench.measuring.stages.pilot import check_room
from bench.model.cells import Cell, Conditions, Operation
from bench.model.description import Description, OfferedCell, RunnerEntry
from bench.model.plan import DraftedCell, Encoded, Stage
from bench.proof import verify
from bench.proof.expected import Expected, takes
from bench.scenarios.inputs import canonical_input, input_file
from bench.scenarios.keys import key_folder
from tests.support.scenarios.committed import built_runners, committed_scenarios

SCENARIOS = {name: scenario for name, scenario in committed_scenarios().items() if scenario.is_files}
FILTERED = [name for name, scenario in SCENARIOS.items() if scenario.filter]
built = pytest.mark.skipif(not manifest().exists(), reason="no runners are built: `./lab build` builds them")


@cache
def rows(name: str) -> list[dict]:
    lines = canonical_input(SCENARIOS[name]).decode().removesuffix("\n").split("\n")
    return [json.loads(line) for line in lines]


@cache
def runners() -> dict[str, Runner]:
    return {runner.codec: runner for runner in built_runners()}


def keys(name: str) -> Path | None:
    scenario = SCENARIOS[name]
    return key_folder(scenario.keys.bits) if scenario.keys else None


@cache
def encoded(codec: str, name: str) -> bytes:
    return runners()[codec].encode(name, canonical_input(SCENARIOS[name]), keys(name))


@cache
def decoded_checksum(codec: str, name: str) -> str:
    return verify.crc32(runners()[codec].decode(name, encoded(codec, name), keys(name)))


def offered() -> list[tuple[str, str]]:
    """Every codec, controls aside, with every scenario of files that it offers."""
    there = [runner for runner in runners().values() if not runner.entry.unavailable]
    codecs = [runner for runner in there if not runner.description.control]
    return sorted({(r.codec, c.scenario) for r in codecs for c in r.description.cells if c.scenario in SCENARIOS})


OFFERED = offered()


# The rows


@pytest.mark.parametrize("name", SCENARIOS)
def test_rows_have_the_fields_and_the_ranges_of_the_publication(name):
    for row in rows(name):
        if meta := row.get("meta"):
            assert meta["level"] in ("Err", "Warn", "Debug", "Info")
            assert meta["target"] in ("Server", "Client", "Proxy")
            assert 10_000_000 <= meta["tm"] < 20_000_000
        payload = row.get("payload")
        if isinstance(payload, str):
            assert re.fullmatch(r"([a-zA-Z]{100,1000})(-match-\1)?", payload)
        elif payload:
            assert re.fullmatch("[0-9a-f]{32}", payload["uuid"])
            name_itself, hook, chunk = payload["name"].partition("-match-")
            assert 1 <= len(name_itself) <= 32
            assert not hook or chunk == str(payload["chunk"])
            assert 10 <= len(payload["data"]) <= 249
            assert len(payload["fields"]) <= 9
            for key, value in payload["fields"].items():
                assert 1 <= len(key) <= 20 and 1 <= len(value) <= 250
                assert "\n" not in key + value


def test_the_hook_is_in_about_49_per_cent_of_the_rows_and_levels_are_even():
    many = rows("log-small-unique")
    assert len({row["payload"] for row in many}) == len(many) == 10_000
    hooked = sum("-match-" in row["payload"] for row in many)
    assert abs(hooked / len(many) - 0.49) < 0.02
    errors = sum(row["meta"]["level"] == "Err" for row in many)
    assert abs(errors / len(many) - 0.25) < 0.02
    assert abs(SCENARIOS["log-small-unique"].filter.rows / len(many) - 0.1225) < 0.01


def test_characters_are_spread_as_those_of_the_publication():
    text = "".join(value for row in rows("log-large") for value in row["payload"]["fields"].values())
    assert abs(sum(c < "\x80" for c in text) / len(text) - 0.63) < 0.01
    assert abs(sum(c > "\uffff" for c in text) / len(text) - 0.22) < 0.01
    assert abs(len(text.encode()) / len(text) - 1.87) < 0.01


@pytest.mark.parametrize("name", FILTERED)
def test_the_driver_counts_what_a_filter_takes(name):
    scenario = SCENARIOS[name]
    expected = Expected(scenario, canonical_input(scenario))
    by_hand = [
        row
        for row in rows(name)
        if row["meta"]["level"] == "Err"
        and "-match-" in (row["payload"] if isinstance(row["payload"], str) else row["payload"]["name"])
    ]
    assert len(expected.hits) == len(by_hand) == scenario.filter.rows > 0
    assert all(takes(scenario.filter, row) for row in by_hand)


def test_a_filter_that_takes_another_number_of_rows_stops_the_lab():
    scenario = SCENARIOS["log-small"]
    other = msgspec.structs.replace(scenario, filter=msgspec.structs.replace(scenario.filter, rows=7))
    with pytest.raises(LabError, match="the filter takes 65 canonical rows, but the scenario pins 7"):
        Expected(other, canonical_input(scenario))


def test_a_codec_whose_filter_finds_other_rows_is_caught():
    scenario = SCENARIOS["log-small"]
    canonical = canonical_input(scenario)
    expected = Expected(scenario, canonical)
    lines = canonical.splitlines(keepends=True)
    right = [n for n, row in enumerate(rows("log-small")) if takes(scenario.filter, row)]
    wrong = next(n for n in range(len(lines)) if n not in right)
    assert expected.difference_of_hits(b"".join(lines[n] for n in right)) is None
    assert "65 rows against 64" in expected.difference_of_hits(b"".join(lines[n] for n in right[1:]))
    assert "row 64" in expected.difference_of_hits(b"".join(lines[n] for n in [*right[:-1], wrong]))
    assert "65 rows against 0" in expected.difference_of_hits(
        b""
    ) or "no canonical JSON" in expected.difference_of_hits(b"")


# Their bytes


def a_row(codec: str, name: str) -> float:
    return len(encoded(codec, name)) / len(rows(name))


@built
def test_bytes_a_row_are_those_of_the_publication():
    for name in ("log-small", "log-small-unique"):
        text_of = [len(row["payload"]) for row in rows(name)]
        message = sum(text_of) / len(text_of)
        metas = [row["meta"] for row in rows(name)]
        names = sum(len(m["level"].upper()) + len(m["target"]) for m in metas) / len(metas)
        text = a_row("rust/plain-text", name)
        assert text == pytest.approx(message + names + 15, abs=1e-9)  # brackets, spaces, eight digits, the end
        assert text == pytest.approx(message + 24.67, abs=0.1)
        assert a_row("rust/brec-stream", name) == message + 61
        assert a_row("rust/brec-storage", name) == pytest.approx(message + 61 + 8.04, abs=1e-9)
        assert a_row("rust/brec-streamed-storage", name) == a_row("rust/brec-storage", name)
        assert a_row("rust/serde-json", name) == pytest.approx(text + 46, abs=1e-9)
        assert a_row("rust/prost", name) == pytest.approx(text - 7.9, abs=0.3)
        assert a_row("rust/flatbuffers", name) == pytest.approx(message + 61 + 4.5, abs=0.3)  # 881.888 against 877.381


@built
def test_bytes_a_row_of_blocks_are_those_of_the_publication():
    assert a_row("rust/brec-stream", "log-borrowed") == 467
    assert a_row("rust/brec-storage", "log-borrowed") == 475.04
    assert a_row("rust/prost", "log-borrowed") == pytest.approx(471.3, abs=0.5)
    assert a_row("rust/flatbuffers", "log-borrowed") == pytest.approx(538.73, abs=0.03)


@built
@pytest.mark.parametrize("name", ["log-small", "log-large"])
def test_storage_is_the_stream_and_the_headers_of_its_slots(name):
    assert a_row("rust/brec-storage", name) == pytest.approx(a_row("rust/brec-stream", name) + 8.04, abs=1e-9)


@built
def test_files_of_large_records_are_about_as_large_as_published():
    """Published files are of other draws of 500 rows; their sizes differ by a few per cent from draw to draw."""
    published = {
        "plain-text": 2091.4,
        "serde-json": 2187.8,
        "prost": 1430.2,
        "flatbuffers": 1626.9,
        "brec-stream": 1450.1,
    }
    for codec, size in published.items():
        assert a_row(f"rust/{codec}", "log-large") == pytest.approx(size, rel=0.06), codec


@built
def test_the_lines_of_text_are_the_published_ones():
    first = encoded("rust/plain-text", "log-small").split(b"\n")[0].decode()
    row = rows("log-small")[0]
    meta = row["meta"]
    assert first == f"[{meta['level'].upper()}][{meta['target']}] {meta['tm']} {row['payload']}"
    line = json.loads(encoded("rust/serde-json", "log-large").split(b"\n")[0])
    assert line == rows("log-large")[0]
    assert list(line) == ["meta", "payload"]


# What a cell records


def measure(
    codec: str, name: str, operation: str, io: str, work: Path, repetitions: int = 2, cache: str = "warm"
) -> dict:
    runner = runners()[codec]
    cell = next(
        Cell(codec, c.scenario, c.operation, c.conditions)
        for c in runner.description.cells
        if (c.scenario, c.operation, c.conditions.io) == (name, operation, io) and c.conditions.cache in (cache, None)
    )
    out = work / "samples.jsonl"
    files = work / "files"
    files.mkdir()
    command = runner.measure_command(
        cell,
        input_file=input_file(SCENARIOS[name]),
        work=files,
        repetitions=repetitions,
        warmup=0,
        samples=1,
        out=out,
        keys=keys(name),
    )
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(out.read_text())


QUICKLY_DECRYPTED = [("rust/brec-storage", "as-published"), ("rust/prost-crypt", "as-published")]
"""One codec of each library that encrypts."""


def sampled() -> list[Any]:
    """Codec, scenario and way to the file. Without optimization a crypted file takes ten seconds."""
    return [
        pytest.param(codec, name, io, marks=pytest.mark.slow)
        if name == "log-large-crypted" and (codec, io) not in QUICKLY_DECRYPTED
        else (codec, name, io)
        for codec, name in OFFERED
        if name in ("log-small", "log-borrowed", "log-large-crypted")
        for io in ("as-published", "buffered", "memory")
    ]


@built
@pytest.mark.parametrize(("codec", "name", "io"), sampled())
def test_a_sample_counts_rows_and_matches_and_its_checksum_is_that_of_the_rows(codec, name, io, tmp_path):
    scenario = SCENARIOS[name]
    expected = decoded_checksum(codec, name)
    for operation in scenario.operations:
        work = tmp_path / operation
        work.mkdir()
        sample = measure(codec, name, operation, io, work)
        assert sample["rows"] == 2 * 500
        assert sample["encoded_bytes"] == len(encoded(codec, name))
        size = len(encoded(codec, name))
        assert sample["file_bytes"] == (size if io == "memory" else 2 * size)
        if operation is Operation.FILTER:
            assert sample["rows_matched"] == 2 * scenario.filter.rows
        else:
            assert "rows_matched" not in sample
            assert sample["checksum"] == expected
        left = {path.name for path in (work / "files").iterdir()}
        assert left <= {"rows-1", "rows-2"}, "what was written is gone"


@built
def test_a_storage_of_less_than_a_slot_grows_by_slots_and_not_by_passes(tmp_path):
    """500 rows fill a slot of brec; the early page's 100 do not, so that five passes share one header."""
    sample = measure("rust/brec-storage", "log-early", "read", "as-published", tmp_path, repetitions=5)
    one = len(encoded("rust/brec-storage", "log-early"))
    assert sample["file_bytes"] == 5 * (one - 4020) + 4020


@built
@pytest.mark.skipif(not shutil.which("strace"), reason="there is no strace on this machine")
@pytest.mark.parametrize(
    ("codec", "operation", "calls"),
    [
        ("plain-text", "write", {"write": 1}),
        ("serde-json", "write", {"write": 1}),
        ("prost", "write", {"write": 2}),
        ("flatbuffers", "write", {"write": 2}),
        ("brec-stream", "write", {"write": 4}),
        ("brec-storage", "write", {"write": 2, "lseek": 3}),
        ("prost", "read", {"read": 2}),
        ("flatbuffers", "read", {"read": 2}),
        ("plain-text", "read", {"read": 0.1}),
        ("brec-stream", "read", {"read": 0.1}),
    ],
)
def test_as_published_makes_the_system_calls_of_the_publication(codec, operation, calls, tmp_path):
    """Counted as the difference of two processes, so that all which is not of a row falls out."""
    counts = []
    for repetitions in (2, 6):
        work = tmp_path / str(repetitions)
        work.mkdir()
        counts.append(system_calls(f"rust/{codec}", operation, work, repetitions))
    found = {name: (counts[1].get(name, 0) - counts[0].get(name, 0)) / (4 * 500) for name in ("read", "write", "lseek")}
    for name in found:
        assert found[name] == pytest.approx(calls.get(name, 0), abs=0.05), (name, found)


def system_calls(codec: str, operation: str, work: Path, repetitions: int) -> dict[str, int]:
    runner = runners()[codec]
    cell = next(
        Cell(codec, c.scenario, c.operation, c.conditions)
        for c in runner.description.cells
        if (c.scenario, c.operation, c.conditions.io) == ("log-small", operation, "as-published")
        and c.conditions.cache != "cold"
    )
    given = {"input_file": input_file(SCENARIOS["log-small"]), "work": work, "repetitions": repetitions, "warmup": 0}
    subprocess.run(runner.measure_command(cell, **given, samples=0, out=work / "none"), check=True)
    table = work / "strace"
    command = ["strace", "-f", "-c", "-o", str(table), "-e", "trace=read,write,lseek"]
    done = subprocess.run(
        [*command, *runner.measure_command(cell, **given, samples=1, out=work / "out")], capture_output=True, text=True
    )
    if not (work / "out").exists():
        pytest.skip(f"strace may not trace here: {done.stderr[-200:]}")
    lines = [line.split() for line in table.read_text().splitlines()]
    return {words[-1]: int(words[3]) for words in lines if words and words[-1] in ("read", "write", "lseek")}


@built
@pytest.mark.skipif(not Path("/proc/thread-self/io").exists(), reason="this system counts no calls")
@pytest.mark.parametrize(
    ("codec", "operation", "reads", "writes"),
    [("prost", "write", 0, 2), ("brec-stream", "write", 0, 4), ("prost", "read", 2, 0), ("plain-text", "write", 0, 1)],
)
def test_a_sample_counts_the_calls_of_its_loop(codec, operation, reads, writes, tmp_path):
    sample = measure(f"rust/{codec}", "log-small", operation, "as-published", tmp_path)
    assert sample["read_calls"] == pytest.approx(reads * sample["rows"], abs=4)  # and one that finds the end
    assert sample["write_calls"] == pytest.approx(writes * sample["rows"], abs=4)


@built
@pytest.mark.parametrize("codec", ["rust/prost", "rust/plain-text", "rust/brec-storage", "rust/memcpy"])
@pytest.mark.parametrize("io", ["as-published", "buffered"])
def test_a_cold_file_is_not_in_the_systems_cache_and_gives_the_same_rows(codec, io, tmp_path):
    found = {}
    if "cold" not in {cell.conditions.cache for cell in runners()[codec].description.cells}:
        pytest.skip("this system cannot be asked to forget a file")
    for state in ("warm", "cold"):
        work = tmp_path / state
        work.mkdir()
        found[state] = measure(codec, "log-small", "read", io, work, repetitions=20, cache=state)
    assert found["warm"]["cached_bytes"] >= found["warm"]["file_bytes"]
    assert found["cold"]["checksum"] == found["warm"]["checksum"]
    if found["cold"]["cached_bytes"] == found["warm"]["cached_bytes"]:
        pytest.skip("this file system keeps its files in memory")
    assert found["cold"]["cached_bytes"] == 0


def test_cold_cells_are_measured_only_where_they_are_wanted():
    lab = open_fake({"warm", "cold"})

    def caches(**options: object) -> set[str]:
        return {cell.conditions.cache for cell in choose(lab.cells(), lab.scenarios, set(), Options(**options))}

    assert caches() == {"warm"}
    assert caches(cold=True) == {"warm", "cold"}
    assert caches(filters=["cache=cold"]) == set()


def open_fake(caches: set[str]) -> Lab:
    """A lab with one codec that reads log-small under these conditions."""
    offered = [OfferedCell("log-small", Operation.READ, Conditions(io="buffered", cache=cache)) for cache in caches]
    said = Description(1, "rust/reader", "f", None, None, "rust", "none", "none", False, False, offered)
    runner = Runner(RunnerEntry("rust/reader", ["none"], None, None, None))
    vars(runner)["description"] = said  # as if it had been asked
    return Lab({runner: said}, SCENARIOS)


# Encryption


CRYPTED = [codec for codec, name in OFFERED if name == "log-large-crypted"]


def test_keys_are_made_once_and_are_nobody_elses_business(tmp_path):
    folder = key_folder(1024, tmp_path)
    private = (folder / "private.pem").read_bytes()
    assert b"BEGIN PRIVATE KEY" in private
    assert b"BEGIN PUBLIC KEY" in (folder / "public.pem").read_bytes()
    assert key_folder(1024, tmp_path) == folder
    assert (folder / "private.pem").read_bytes() == private
    if os.name == "posix":
        assert stat.S_IMODE((folder / "private.pem").stat().st_mode) == 0o600


def test_no_private_key_is_committed():
    words = "BEGIN " + "PRIVATE KEY"
    done = subprocess.run(["git", "grep", "-lI", words], cwd=RUNNERS.parent, capture_output=True, text=True)
    assert set(done.stdout.split()) <= {"tests/runners/test_logs.py"}, done.stdout


def run(codec: str, command: str, name: str, data: bytes, key: Path | None = None) -> subprocess.CompletedProcess:
    words = ["--keys", str(key)] if key else []
    return subprocess.run(
        [*runners()[codec].entry.command, command, "--scenario", name, *words],
        input=data,
        capture_output=True,
        timeout=20,
    )


def refused(done: subprocess.CompletedProcess, codec: str) -> str:
    assert done.returncode in (65, 70, 71) and done.stdout == b"", (done.returncode, done.stderr)
    said = done.stderr.decode()
    assert said.startswith(f"{codec}: ")
    assert len(said.splitlines()) == 1
    return said


@built
@pytest.mark.parametrize("codec", CRYPTED)
def test_two_encryptions_of_the_same_rows_differ_and_read_alike(codec):
    name = "log-large-crypted"
    again = runners()[codec].encode(name, canonical_input(SCENARIOS[name]), keys(name))
    assert again != encoded(codec, name)
    assert len(again) == len(encoded(codec, name))
    assert (
        Expected(SCENARIOS[name], canonical_input(SCENARIOS[name])).difference(
            runners()[codec].decode(name, again, keys(name))
        )
        is None
    )


@built
@pytest.mark.parametrize("codec", CRYPTED)
def test_a_wrong_key_a_flipped_bit_and_a_cut_file_are_refused_with_a_clear_line(codec, tmp_path):
    name, whole = "log-large-crypted", encoded(codec, "log-large-crypted")
    other = key_folder(SCENARIOS[name].keys.bits, tmp_path)
    assert re.search("decrypt|[Kk]ey", refused(run(codec, "decode", name, whole, other), codec))
    assert "--keys" in refused(run(codec, "decode", name, whole), codec)
    recovers = codec in RECOVERING
    middle = bytearray(whole)
    middle[len(whole) // 2] ^= 1
    cut = whole[: len(whole) // 2]
    for data in (bytes(middle), cut):
        done = run(codec, "decode", name, data, keys(name))
        if recovers and done.returncode == 0:
            assert b"lost" in done.stderr
            assert done.stdout.count(b"\n") < 500
        else:
            refused(done, codec)


# Damage


RECOVERING = ("rust/brec-stream", "rust/brec-streamed-storage")
"""Codecs whose format promises that what follows damage is found again."""


CASES = 40
"""Damaged files a codec and scenario; `lab fuzz` tries thousands."""


def damaged(whole: bytes, foreign: bytes, source: random.Random, count: int) -> list[bytes]:
    """Files cut anywhere, with flipped bits, with zeroes, of another codec, and with a length of four gigabytes."""
    cases = [b"", whole[:1], whole[:-1], b"\0" * 4096, b"\xff\xff\xff\xff" + whole[4:], foreign]
    while len(cases) < count:
        kind, data, place = source.randrange(4), bytearray(whole), source.randrange(len(whole))
        if kind == 0:
            data = data[:place]
        elif kind == 1:
            data[place] ^= 1 << source.randrange(8)
        elif kind == 2:
            data[place : place + 64] = bytes(len(data[place : place + 64]))
        else:
            data[place : place + 4] = b"\xff\xff\xff\xff"
        cases.append(bytes(data))
    return cases


@built
@pytest.mark.parametrize(
    ("codec", "name"),
    [
        # The same programs, and a longer key: seconds each.
        pytest.param(*pair, marks=pytest.mark.slow) if pair[1] == "log-large-crypted-2048" else pair
        for pair in OFFERED
        if pair[1] not in ("log-small-unique", "log-early")
    ],
)
def test_a_damaged_file_ends_with_65_and_a_line_or_gives_what_survived(codec, name):
    few = b"".join(line + b"\n" for line in canonical_input(SCENARIOS[name]).split(b"\n")[:12])
    whole = runners()[codec].encode(name, few, keys(name))
    foreign = b"[ERR][Server] 1 x\n" if "text" not in codec else b'{"meta":{}}\n'
    cases = damaged(whole, foreign, random.Random(f"{codec} {name}"), CASES)
    commands = ["decode", "filter"] if SCENARIOS[name].filter else ["decode"]
    pairs = [(command, case) for case in cases for command in commands]
    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(lambda pair: run(codec, pair[0], name, pair[1], keys(name)), pairs))
    for (command, case), done in zip(pairs, outcomes, strict=True):
        assert done.returncode in (0, 65, 70, 71), (command, done.returncode, done.stderr, case[:100])
        if done.returncode:
            refused(done, codec)
        else:
            assert done.stdout.count(b"\n") <= 12
    assert any(done.returncode == 65 for done in outcomes) or codec in RECOVERING


@built
@pytest.mark.parametrize("name", ["log-small", "log-large", "log-borrowed"])
def test_an_empty_message_is_no_row_of_defaults(name):
    """To prost all fields of a message are optional, and four zeroes are the length of an empty one."""
    assert "is missing" in refused(run("rust/prost", "decode", name, bytes(4)), "rust/prost")


@built
@pytest.mark.parametrize("codec", RECOVERING)
def test_a_stream_finds_the_rows_after_damage_and_says_how_many_it_lost(codec):
    name, whole = "log-small", bytearray(encoded(codec, "log-small"))
    whole[len(whole) // 2 : len(whole) // 2 + 10] = bytes(10)
    done = run(codec, "decode", name, bytes(whole))
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(b"\n") in (498, 499)
    assert b"lost" in done.stderr


# Room

CHECKSUM = "crc32:00000000"


def test_files_that_would_fill_the_disk_are_refused_before_anything_is_measured(tmp_path):
    cell = Cell("x/y", "log-large", Operation.WRITE, Conditions(io="buffered"))
    drafted = DraftedCell(
        cell=cell, format="f", library=None, version=None, control=False, self_describing=False, sha256=None
    )
    stage = Stage("log-large", [drafted.as_timed(Encoded(10**9, CHECKSUM), 10**9, 1.0)], [])
    with pytest.raises(LabError, match="needs .* GiB for its file"):
        check_room(tmp_path, stage)
    small = drafted.as_timed(Encoded(10, CHECKSUM), 1, 1.0)
    check_room(tmp_path, msgspec.structs.replace(stage, cells=[small]))
