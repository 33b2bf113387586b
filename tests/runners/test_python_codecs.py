"""The Python codecs against what others published and wrote: sizes, values, special values, malformed bytes, imports."""

import io
import json
import pickle
import re
import subprocess
import sys
import tomllib
from functools import cache

import msgspec
import numpy as np
import pytest

from bench.base.files import sha256_of
from bench.base.paths import ROOT, RUNNERS, manifest
from bench.building.languages import python
from bench.building.languages.python import INTERPRETER, VARIABLES, Python, pack
from bench.building.runner import Runner
from bench.building.sets.code import published
from bench.model.cells import ControlRole
from bench.model.record import RunnerSample
from bench.proof.containment import MALFORMED
from bench.proof.expected import Expected
from bench.proof.fidelity import ask
from bench.proof.fuzz import decode_alone, mutations, run_batches, seed_bytes
from bench.proof.verify import crc32
from bench.scenarios.inputs import canonical_input, input_file
from tests.support.scenarios.committed import built_runners, committed_scenarios

SCENARIOS = committed_scenarios()
FOLDERS = Python().codec_folders()
NAMES = [folder.name for folder in FOLDERS]
CONTROLS = {"noop", "memcpy"}
LIBRARIES = sorted((RUNNERS / "python/libraries").iterdir())
CODECS = [name for name in NAMES if name not in CONTROLS]
ARRAYS_ONLY = {"numpy-tobytes", "numpy-save", "pyarrow-ipc"}


@cache
def runners() -> dict[str, Runner]:
    if not manifest().exists():
        return {}
    return {r.codec.removeprefix("python/"): r for r in built_runners() if r.codec.startswith("python/")}


@cache
def encoded(name: str, scenario: str) -> bytes:
    return runner(name).encode(scenario, canonical_input(SCENARIOS[scenario]))


def runner(name: str) -> Runner:
    """Skips where the codec is not there: nothing is built, or there is no wheel for this platform."""
    if name not in runners():
        pytest.skip("no Python runners are built: `./lab build` builds them")
    if why := runners()[name].entry.unavailable:
        pytest.skip(why)
    return runners()[name]


def users(count: int) -> list[dict]:
    """The published users, by the words of the publication."""
    return [
        {
            "id": i,
            "name": f"User {i}",
            "email": f"user{i}@test.com",
            "active": i % 2 == 0,
            "scores": [float(i), 2.0 * i, 3.0 * i],
        }
        for i in range(count)
    ]


@pytest.mark.parametrize(("name", "count"), [("users-100", 100), ("users-1k", 1_000), ("users-10k", 10_000)])
def test_the_users_are_the_published_ones(name, count):
    assert json.loads(canonical_input(SCENARIOS[name])) == users(count)


def test_the_array_is_the_published_one():
    found = np.array(json.loads(canonical_input(SCENARIOS["numpy-8mb"])))
    assert found.tobytes() == np.random.default_rng(0).random(10**6).tobytes()


@pytest.mark.parametrize(
    ("name", "size"),
    [("json", 1_181_299), ("orjson", 1_061_300), ("bfast", 997_755), ("bfast-lz4", 251_934)],
)
def test_ten_thousand_users_have_the_size_that_others_saw(name, size):
    assert len(encoded(name, "users-10k")) == size


def test_json_is_what_the_standard_library_writes():
    assert encoded("json", "users-100") == json.dumps(users(100)).encode()
    assert encoded("orjson", "users-100") == json.dumps(users(100), separators=(",", ":")).encode()


def test_messagepack_is_what_msgspec_reads_here():
    for name in ("msgspec-msgpack", "ormsgpack"):
        assert msgspec.msgpack.decode(encoded(name, "users-100")) == users(100)


def test_pickle_is_what_the_standard_library_reads_here():
    assert pickle.loads(encoded("pickle", "users-100")) == users(100)


def test_arrays_are_what_numpy_reads_here():
    expected = np.random.default_rng(0).random(10**6)
    assert np.array_equal(np.load(io.BytesIO(encoded("numpy-save", "numpy-8mb"))), expected)
    assert encoded("numpy-tobytes", "numpy-8mb") == expected.tobytes()
    assert np.array_equal(pickle.loads(encoded("pickle", "numpy-8mb")), expected)


def test_protocol_buffers_are_what_the_wire_format_says():
    """A user by hand, from the encoding guide: tag = number << 3 | type."""
    text = json.dumps([{"id": 3, "name": "ab", "email": "c", "active": True, "scores": [1.0]}]).encode()
    user = b"\x08\x03" + b"\x12\x02ab" + b"\x1a\x01c" + b"\x20\x01" + b"\x2a\x08" + np.float64(1.0).tobytes()
    assert runner("protobuf").encode("users-100", text) == b"\x0a" + bytes([len(user)]) + user


def test_cbor_is_what_rfc_8949_says():
    text = json.dumps([{"id": 24, "name": "a", "email": "", "active": False, "scores": [1.1]}]).encode()
    by_hand = "81a5 626964 1818 646e616d65 6161 65656d61696c 60 66616374697665 f4 6673636f726573 81 fb3ff199999999999a"
    assert runner("cbor2").encode("users-100", text) == bytes.fromhex(by_hand.replace(" ", ""))


@pytest.mark.parametrize("scenario", ["log", "log-entries", "minecraft-savedata", "minecraft-players"])
@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("cbor2", "rust/ciborium"),
        ("orjson", "rust/serde-json-roundtrip"),
        ("ormsgpack", "rust/rmp-serde-named"),
        ("protobuf", "rust/prost"),
    ],
)
def test_types_with_options_tuples_and_enumerations_are_read_from_rust_and_by_rust(name, other, scenario):
    """mesh and mk48 are larger, and `lab verify` has them."""
    rust = next((one for one in built_runners() if one.codec == other), None) if runners() else None
    if rust is None or rust.entry.unavailable:
        pytest.skip(f"{other} is not built: `./lab build` builds it")
    canonical = canonical_input(SCENARIOS[scenario])
    expected, written = Expected(SCENARIOS[scenario], canonical), rust.encode(scenario, canonical)
    assert expected.difference(runner(name).decode(scenario, written)) is None
    assert expected.difference(rust.decode(scenario, encoded(name, scenario))) is None
    if name == "protobuf":
        assert encoded(name, scenario) == written


@pytest.mark.parametrize("name", CODECS)
def test_what_a_codec_wrote_it_reads(name):
    scenario = "numpy-8mb" if name in ARRAYS_ONLY else "users-100"
    canonical = canonical_input(SCENARIOS[scenario])
    assert runner(name).decode(scenario, encoded(name, scenario)) == canonical


@pytest.mark.parametrize("name", CODECS)
def test_a_value_of_another_type_is_refused(name):
    """A codec without a schema takes any value; the runner does not."""
    wrong = b'["a"]' if name in ARRAYS_ONLY else b'[{"id": "1", "name": "", "email": "", "active": true, "scores": []}]'
    scenario = "numpy-8mb" if name in ARRAYS_ONLY else "users-100"
    done = run(runner(name), "encode", "--scenario", scenario, data=wrong)
    assert (done.returncode, done.stdout) == (65, b"")


def run(one: Runner, *arguments: str, data: bytes = b"", **variables: str) -> "subprocess.CompletedProcess[bytes]":
    environment = one.environment | variables
    return subprocess.run(
        [*one.entry.command, *arguments], input=data, capture_output=True, env=environment, check=False
    )


# measure


def measured(name: str, *conditions: str, tmp_path, scenario="users-100", operation="serialize", repetitions=3):
    out = tmp_path / "samples.jsonl"
    arguments = ["--scenario", scenario, "--operation", operation, "--input", str(input_file(SCENARIOS[scenario]))]
    arguments += ["--work", str(tmp_path), "--repetitions", str(repetitions), "--warmup", "1", "--samples", "2"]
    words = [word for condition in conditions for word in ("--condition", condition)]
    done = run(runner(name), "measure", *arguments, "--out", str(out), *words)
    assert done.returncode == 0, done.stderr.decode()
    return [msgspec.json.decode(line, type=RunnerSample) for line in out.read_bytes().splitlines()]


@pytest.mark.parametrize(
    "conditions",
    [
        ["input=models", "objects=reused", "gc=on"],
        ["input=models", "objects=reused", "gc=off"],
        ["input=models", "objects=fresh"],
        ["input=dicts"],
        ["input=native"],
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("name", ["orjson", "bfast", "msgspec-json", "protobuf"])
def test_the_same_bytes_come_out_under_every_condition(name, conditions, tmp_path):
    cells = [cell for cell in runner(name).description.cells if cell.scenario == "users-10k"]
    if not any(cell.conditions.input == conditions[0].split("=")[1] for cell in cells):
        pytest.skip("the library has no objects of its own")
    whole = encoded(name, "users-10k")
    samples = measured(name, *conditions, tmp_path=tmp_path, scenario="users-10k")
    assert [(s.encoded_bytes, s.checksum, s.repetitions) for s in samples] == [(len(whole), crc32(whole), 3)] * 2


@pytest.mark.parametrize("output", ["dicts", "models", "native"])
def test_the_same_value_comes_out_whatever_it_is_made_of(output, tmp_path):
    samples = measured(
        "msgspec-json", f"output={output}", "gc=on", scenario="users-10k", operation="deserialize", tmp_path=tmp_path
    )
    assert {s.checksum for s in samples} == {crc32(canonical_input(SCENARIOS["users-10k"]))}


@pytest.mark.parametrize("name", ["json", "numpy-tobytes", "pickle"])
@pytest.mark.parametrize("output", ["list", "array"])
def test_an_array_and_a_list_hold_the_same_numbers(name, output, tmp_path):
    samples = measured(
        name, f"output={output}", scenario="numpy-8mb", operation="deserialize", tmp_path=tmp_path, repetitions=1
    )
    assert {s.checksum for s in samples} == {crc32(canonical_input(SCENARIOS["numpy-8mb"]))}


def test_controls_produce_what_they_say(tmp_path):
    still = measured("noop", tmp_path=tmp_path)
    assert {(s.encoded_bytes, s.checksum) for s in still} == {(0, "crc32:00000000")}
    (tmp_path / "samples.jsonl").unlink()
    for scenario in ("users-100", "users-1k", "users-10k", "numpy-8mb"):
        assert len(encoded("memcpy", scenario)) == SCENARIOS[scenario].data_size_bytes
    assert {s.encoded_bytes for s in measured("memcpy", tmp_path=tmp_path)} == {SCENARIOS["users-100"].data_size_bytes}


@pytest.mark.parametrize("name", NAMES)
def test_controls_say_their_role_and_codecs_have_none(name):
    roles = {"memcpy": ControlRole.COPY, "noop": ControlRole.NOTHING}
    description = runner(name).description
    assert (description.role, description.control) == (roles.get(name), name in CONTROLS)


@pytest.mark.parametrize("folder", ["kit", "messages", *(f"libraries/{path.name}" for path in LIBRARIES)])
def test_mypy_checks_all_python_that_is_shared(folder):
    """Of a member without a place in [tool.mypy], `lab lint` would check nothing and say nothing."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["mypy"]
    path = RUNNERS / "python" / folder
    modules = {one.stem for one in path.iterdir() if one.stem.startswith("wirelab_") and one.suffix in ("", ".py")}
    assert not modules or path.relative_to(ROOT).as_posix() in config["mypy_path"]
    assert modules <= set(config["packages"])


def test_random_hashes_are_refused(tmp_path):
    arguments = (
        "--scenario users-100 --operation serialize --input x --work . --repetitions 1 --warmup 0 --samples 1 --out x"
    )
    done = run(runner("json"), "measure", *arguments.split(), PYTHONHASHSEED="random")
    assert done.returncode == 64
    assert b"set PYTHONHASHSEED=0" in done.stderr


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("--operation", "explode"), b"use one of"),
        (("--condition", "gc=on"), b"add conditions until one is left"),
        (("--condition", "gc=maybe"), b"no cell has all of the conditions"),
        (("--condition", "gc"), b"NAME=VALUE"),
        (("--repetitions", "-1"), b"is not a count"),
        (("--scenario", "unheard-of"), b"use one of"),
    ],
)
def test_a_wrong_command_line_says_what_would_be_right(change, words, tmp_path):
    given = {"--scenario": "users-10k", "--operation": "serialize", "--input": "x", "--work": str(tmp_path)}
    given |= {"--repetitions": "1", "--warmup": "0", "--samples": "1", "--out": str(tmp_path / "out")}
    given |= dict([change])
    done = run(runner("json"), "measure", *[word for pair in given.items() for word in pair])
    assert (done.returncode, done.stdout) == (64, b"")
    assert words in done.stderr


def test_a_missing_input_and_a_folder_as_output_have_their_exit_codes(tmp_path):
    common = f"--scenario users-100 --operation serialize --condition input=dicts --work {tmp_path} --repetitions 1 --warmup 0 --samples 1"
    done = run(runner("json"), "measure", *common.split(), "--input", "/nowhere", "--out", str(tmp_path / "out"))
    assert done.returncode == 66
    file = str(input_file(SCENARIOS["users-100"]))
    done = run(runner("json"), "measure", *common.split(), "--input", file, "--out", str(tmp_path))
    assert done.returncode == 74


# what a runner holds


@pytest.mark.parametrize("name", NAMES)
def test_a_runner_imports_only_what_its_codec_and_scenario_need(name):
    """Pydantic comes in with models alone, and another codec's library never."""
    if name in ARRAYS_ONLY:
        pytest.skip("has no scenario without NumPy")
    one = runner(name)
    arguments = [*one.entry.command[1:], "decode", "--scenario", "users-100"]
    command = [one.entry.command[0], "-X", "importtime", *arguments]
    done = subprocess.run(command, input=b"", capture_output=True, env=one.environment, check=False, text=False)
    imported = {
        line.rpartition("|")[2].strip().split(".")[0] for line in done.stderr.decode().splitlines() if "|" in line
    }
    modules = {"bfast-py": "b_fast", "protobuf": "google", "msgspec": "msgspec", "orjson": "orjson", "numpy": "numpy"}
    modules |= {"ormsgpack": "ormsgpack", "cbor2": "cbor2", "pyarrow": "pyarrow", "pydantic": "pydantic"}
    own = modules.get(str(one.entry.library), "")
    assert imported & (set(modules.values()) - {own}) == set()
    assert "json" in imported


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_codec_is_at_most_sixty_lines_and_one_folder(folder):
    assert len((folder / "codec.py").read_text().splitlines()) <= 60
    files = {path.name for path in folder.iterdir() if path.is_file()}
    assert files <= {"codec.py", "pyproject.toml"}


@pytest.mark.host
@pytest.mark.parametrize("name", NAMES)
def test_a_runner_is_what_its_sources_and_locks_make(name, tmp_path):
    """The same bytes again, wherever they are built; another line in the lock file gives another runner."""
    one = runner(name)
    wheels = subprocess.run(
        [
            str(INTERPRETER),
            "-c",
            "import sys, zipfile; sys.stdout.buffer.write(zipfile.ZipFile(sys.argv[1]).read('wheels.txt'))",
            one.entry.program,
        ],
        capture_output=True,
        check=True,
        text=True,
    ).stdout
    folder = RUNNERS / "python/codecs" / name
    pack(folder, tmp_path / "same.pyz", wheels, published().folder / "python")
    assert sha256_of(tmp_path / "same.pyz") == one.entry.sha256
    pack(folder, tmp_path / "other.pyz", wheels + "#", published().folder / "python")
    assert sha256_of(tmp_path / "other.pyz") != one.entry.sha256


def test_the_build_of_the_interpreter_and_the_hash_seed_are_described():
    said = runner("json").description
    assert said.compiler.startswith(f"CPython {sys.version.split()[0]} (")
    assert said.flags.startswith("PYTHONHASHSEED=0 -s; ")
    assert "/" not in said.flags
    assert VARIABLES["PYTHONHASHSEED"] == "0"


# what cannot be installed


def test_a_library_without_a_wheel_makes_its_codec_unavailable_and_no_other(monkeypatch, tmp_path):
    """In uv's own words, as it prints them on Linux arm64."""
    said = (
        "error: Distribution `bfast-py==1.10.0 @ registry+https://index.example/simple` can't be installed because it "
        "is marked as `--no-build` but has no binary distribution\n"
    )

    def install(package: str) -> str:
        if package == "codec-bfast":
            raise python.NotInstalledError(python.reason("sync", said))
        return "wheels"

    monkeypatch.setattr(python, "install", install)
    monkeypatch.setattr(python, "HOME", tmp_path)
    monkeypatch.setattr(python, "INTERPRETER", tmp_path / python.INTERPRETER.relative_to(python.STATE / "python"))
    entries = {folder.name: Python().build(folder) for folder in FOLDERS if folder.name in ("bfast", "orjson")}
    assert entries["bfast"].unavailable.startswith("bfast-py 1.10.0 has no wheel for this platform (")
    assert entries["bfast"].sha256 is None
    assert entries["orjson"].unavailable is None
    assert entries["orjson"].version == Python().locked_version("orjson")


def test_what_uv_says_otherwise_is_the_reason_as_it_is():
    assert python.reason("sync", "error: no\n  room\n") == "uv sync failed: error: no room"


# fidelity

FACTS = [
    ("orjson", "integer 2^63", "same", "int 9223372036854775808"),
    ("orjson", "integer 2^64", "refused", "exceeds 64-bit range"),
    ("orjson", "NaN", "changed", "NoneType None"),
    ("orjson", "integer keys", "refused", "Dict key must be str"),
    ("orjson", "array 2 × 3", "changed", "list [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]"),
    ("json", "integer 2^64", "same", "int 18446744073709551616"),
    ("json", "integer keys", "changed", "dict {'1': 'one'}"),
    ("json", "-infinity", "same", "float -inf"),
    ("json", "bytes", "refused", "not JSON serializable"),
    ("bfast", "integer 2^63", "changed", "str '9223372036854775808'"),
    ("bfast", "tuple", "changed", "list [1, 2]"),
    ("bfast", "integer keys", "changed", "dict {'1': 'one'}"),
    ("bfast", "Decimal", "same", "Decimal Decimal('1.10')"),
    ("bfast", "array f32", "changed", "str '[1.5 0.1]'"),
    ("msgspec-json", "bytes", "changed", "str 'AP8='"),
    ("msgspec-msgpack", "integer keys", "same", "dict {1: 'one'}"),
    ("msgspec-msgpack", "integer 2^64", "refused", "OverflowError"),
    ("ormsgpack", "bytes", "same", r"bytes b'\x00\xff'"),
    ("cbor2", "integer 2^64", "same", "int 18446744073709551616"),
    ("cbor2", "datetime", "refused", "naive datetime"),
    ("cbor2", "set", "same", "set {1}"),
    ("pickle", "tuple", "same", "tuple (1, 2)"),
    ("pickle", "array 2 × 3", "same", "numpy.ndarray float64 (2, 3)"),
    # From 3.13 on CPython does not count pickle's own calls among those of Python.
    (
        "pickle",
        "nested 1,000",
        *(("refused", "RecursionError") if sys.version_info < (3, 13) else ("same", "1000 lists")),
    ),
    ("numpy-save", "array i32", "same", "numpy.ndarray int32 (2,)"),
    ("pyarrow-ipc", "array f32", "same", "numpy.ndarray float32 (2,)"),
]


@pytest.mark.parametrize(("name", "probe", "outcome", "words"), FACTS, ids=lambda value: str(value)[:24])
def test_what_comes_back_of_a_special_value(name, probe, outcome, words):
    fact = ask(runner(name), probe)
    assert fact.outcome == outcome, fact
    assert words in f"{fact.got} {fact.error}", fact


def test_a_codec_with_a_schema_is_not_asked():
    assert runner("protobuf").description.probes == []


@pytest.mark.parametrize("name", ["cbor2", "json", "msgspec-json", "msgspec-msgpack", "numpy-tobytes"])
def test_no_array_is_asked_of_a_codec_that_makes_something_else_of_it_first(name):
    assert not any(probe.startswith("array") for probe in runner(name).description.probes)


def test_a_probe_that_ends_the_process_is_a_fact_too(fake):
    fact = ask(fake("bad"), "anything")
    assert fact.outcome == "failed"


# malformed input

CLAIMS = {"bfast", "bfast-lz4"}
"""B-FAST takes four bytes for the length of its LZ4 block and asks for as much memory; refused that, it aborts."""


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.slow) if n == "bfast-lz4" else n for n in CODECS])
def test_malformed_bytes_are_refused_or_decoded_and_a_crash_is_seen_as_one(name):
    one = runner(name)
    types = {SCENARIOS[cell.scenario].type: SCENARIOS[cell.scenario] for cell in one.description.cells}
    refused = 0
    for scenario in types.values():
        cases = list(mutations(seed_bytes(one, scenario), f"test:{name}", 300 // len(types)))
        for case, outcome in zip(cases, run_batches(one, scenario, cases), strict=True):
            refused += outcome.code == MALFORMED
            if outcome.finding and outcome.code != 71:  # it asked for memory that it does not get
                assert name in CLAIMS, (outcome, case.hex())
                assert outcome.code == -6 and "memory allocation of" in outcome.finding, (outcome, case.hex())
    assert refused >= 50


@pytest.mark.parametrize("name", CODECS)
def test_malformed_bytes_end_with_65_and_a_line_and_nothing_else(name):
    one = runner(name)
    scenario = SCENARIOS["numpy-8mb" if name in ARRAYS_ONLY else "users-100"]
    whole = seed_bytes(one, scenario)
    for case in (b"\x00", whole[: len(whole) // 2 - 3]):
        outcome = decode_alone(one, scenario, case)
        assert outcome.code == MALFORMED
        assert outcome.finding is None


def test_answers_of_a_batch_are_those_of_the_cases_one_by_one():
    one, scenario = runner("ormsgpack"), SCENARIOS["users-100"]
    cases = list(mutations(seed_bytes(one, scenario), "alike", 30))
    assert run_batches(one, scenario, cases) == [decode_alone(one, scenario, case) for case in cases]


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux alone")
def test_memory_in_proportion_to_a_claimed_length_is_not_given_and_told():
    """An array of 2^31 nulls that never come, which msgspec sees by itself, and of as many numbers by NumPy's header."""
    done = run(runner("msgspec-msgpack"), "decode", "--scenario", "users-100", data=b"\xdd\x7f\xff\xff\xff")
    assert (done.returncode, done.stdout) == (65, b"")
    whole = encoded("numpy-save", "numpy-8mb")[:128]
    header = whole.replace(b"(1000000,), }    ", b"(9000000000,), } ")
    assert header != whole and len(header) == len(whole)
    done = run(runner("numpy-save"), "decode", "--scenario", "numpy-8mb", data=header)
    assert (done.returncode, done.stdout) == (71, b"")
    frame = len(header).to_bytes(4, "little") + header
    batch = run(runner("numpy-save"), "decode", "--batch", "--scenario", "numpy-8mb", data=frame)
    assert (batch.returncode, batch.stdout[0]) == (0, 71)


def test_codecs_in_contributing_are_those_in_their_folders():
    text = (ROOT / "CONTRIBUTING.md").read_text()
    shown = re.findall(r"<!-- same as: (.+?) -->\n```\w+\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert len(shown) >= 2
    for name, code in shown:
        assert code == (ROOT / name).read_text(), name
