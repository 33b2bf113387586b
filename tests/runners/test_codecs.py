"""Every built codec against what others published and wrote: sizes, values, malformed bytes, and who it links."""

import json
import random
import re
import struct
import subprocess
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import msgspec
import pytest

from bench.base.paths import ROOT, RUNNERS, manifest
from bench.building.build import load_runners
from bench.building.lab import offered_cells
from bench.building.languages import LANGUAGES
from bench.building.languages.rust import WORKSPACE
from bench.building.runner import Runner, describe_all
from bench.measuring.request import read_samples
from bench.model.cells import ControlRole
from bench.model.description import Description
from bench.model.verification import Verification
from bench.proof.verify import check_identity, crc32, verify, wanted_of
from bench.scenarios.inputs import canonical_input, input_file
from tests.documents.test_rooms import WORDS
from tests.support.lab import LAB
from tests.support.scenarios.committed import built_runners, committed_scenarios

pytestmark = pytest.mark.skipif(not manifest().exists(), reason="no runners are built: `./lab build` builds them")

SCENARIOS = committed_scenarios()
FOLDERS = sorted(path.parent for path in (RUNNERS / "rust/codecs").glob("*/Cargo.toml"))


@cache
def runners() -> dict[str, Runner]:
    return {runner.codec: runner for runner in built_runners()}


@cache
def encoded(codec: str, scenario: str) -> bytes:
    return runners()[codec].encode(scenario, canonical_input(SCENARIOS[scenario]))


VARIANTS = "buffer|derive|in-place|legacy|named|owned|packed|prepend|reused|slice|str|typed|unchecked|verified"
LONG = (
    r"python/\S+ (mesh|mk48)|(cpp|rust)/(?!(bincode|flatbuffers|glaze-beve|prost) )\S+ (mesh|mk48)( |$)"
    rf"|rust/\S+-({VARIANTS}) (log|minecraft-savedata|large-vectors|process-created-corpus)( |$)"
    r"|python/(?!bfast|numpy|pickle )\S+ numpy-8mb| (log-entries|mesh-triangles|minecraft-players|mk48-updates)( |$)"
)
"""Left to the slow test: the largest messages, except for four codecs and for those that numpy-8mb is about; large
messages of codecs that differ from another in a buffer or a function alone; and scenarios of single items, of which
`process-created-corpus` is proved here. `lab bench` proves whatever it measures."""


def test_every_codec_is_verified_on_what_it_offers():
    assert_verified(lambda pair: not re.search(LONG, " ".join(pair)), "--not", LONG)


@pytest.mark.slow
def test_codecs_are_verified_on_what_they_read_slowly_too():
    assert_verified(lambda pair: re.search(LONG, " ".join(pair)), "-f", LONG)


def assert_verified(chosen, *filters):
    """`lab verify` of the cells that the filters choose, and `chosen` of their codecs and scenarios."""
    done = subprocess.run([*LAB, "verify", "--json", *filters], capture_output=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr.decode()
    described = describe_all(load_runners())  # all are built now
    described = {r: d for r, d in described.items() if isinstance(d, Description)}
    wanted = wanted_of(cell for d in described.values() for cell in offered_cells(d, SCENARIOS))
    result = msgspec.json.decode(done.stdout, type=Verification)
    failed = {(check.codec, check.scenario) for check in result.failures}
    known = {(codec, s.name) for s in SCENARIOS.values() for codec in s.known_failures}
    assert failed == set(filter(chosen, known)), result.failures
    controls = {r.codec for r, d in described.items() if d.control}
    pairs = {pair for pair in wanted if pair[0] not in controls and chosen(pair)}
    assert {(v.codec, v.scenario) for v in result.verified} == pairs - failed
    assert all(wanted[v.codec, v.scenario] == v.compressed_bytes.keys() for v in result.verified)


def test_every_format_with_several_codecs_is_exchanged_between_them():
    described = describe_all(runners().values())
    wanted = {(r.codec, "process-created"): set[str]() for r in described}
    result = verify(described, wanted, {"process-created": SCENARIOS["process-created"]}, lambda _: None)
    peers = {v.codec: v.peers for v in result.verified}
    assert "rust/cbor4ii" in peers["rust/ciborium"]
    assert "rust/serde-json" in peers["rust/simd-json"]
    assert "rust/rmp-serde-named" in peers["rust/rmp-serde"]


@pytest.mark.parametrize("codec", [f"rust/{folder.name}" for folder in FOLDERS])
def test_a_runner_says_of_itself_what_the_lock_file_says(codec):
    assert check_identity(runners()[codec]) is None


@pytest.mark.parametrize("codec", [f"rust/{folder.name}" for folder in FOLDERS])
def test_controls_say_their_role_and_codecs_have_none(codec):
    roles = {"rust/memcpy": ControlRole.COPY, "rust/clone": ControlRole.CLONE, "rust/noop": ControlRole.NOTHING}
    description = runners()[codec].description
    assert (description.role, description.control) == (roles.get(codec), codec in roles)


def test_the_memcpy_control_copies_the_published_data_size(tmp_path):
    memcpy = runners()["rust/memcpy"]
    for cell in offered_cells(memcpy.description, {n: s for n, s in SCENARIOS.items() if not s.is_files}):
        out = tmp_path / f"{cell.scenario} {cell.operation}"
        command = memcpy.measure_command(
            cell,
            input_file=input_file(SCENARIOS[cell.scenario]),
            work=tmp_path,
            repetitions=1,
            warmup=0,
            samples=1,
            out=out,
        )
        memcpy.call(command[len(memcpy.entry.command) :])
        assert read_samples(out, expected=100)[0].encoded_bytes == SCENARIOS[cell.scenario].data_size_bytes, cell


def float_bits(number: float) -> int:
    return struct.unpack("<I", struct.pack("<f", number))[0]


NAMED = {
    "log": lambda value: [sum(log["address"].values()) + log["code"] + log["size"] for log in value["logs"]],
    "mesh": lambda value: [sum(map(float_bits, one["normal"].values())) for one in value["triangles"]],
    "minecraft-savedata": lambda value: [GAME_TYPES.index(player["game_type"]) for player in value["players"]],
    "mk48": lambda value: [update["score"] for update in value["updates"]],
}
GAME_TYPES = ["Survival", "Creative", "Adventure", "Spectator"]


IN_PLACE = ["rkyv", "rkyv-unchecked", "flatbuffers", "flatbuffers-verified", "capnp", "capnp-packed"]


@pytest.mark.parametrize("codec", [f"rust/{name}" for name in IN_PLACE])
@pytest.mark.parametrize("scenario", NAMED)
def test_fields_that_a_scenario_names_are_read_and_no_others(codec, scenario, tmp_path):
    """Held against sums of the canonical input that are written out here."""
    assert {name for name, one in SCENARIOS.items() if one.named_fields} == NAMED.keys()
    runner, canonical = runners()[codec], canonical_input(SCENARIOS[scenario])
    numbers = NAMED[scenario](json.loads(canonical))
    offered = offered_cells(runner.description, {scenario: SCENARIOS[scenario]})
    (cell,) = [one for one in offered if one.conditions.fields == "named"]
    out = tmp_path / "samples"
    command = runner.measure_command(
        cell,
        input_file=input_file(SCENARIOS[scenario]),
        work=tmp_path,
        repetitions=1,
        warmup=0,
        samples=1,
        out=out,
    )
    runner.call(command[len(runner.entry.command) :])
    digest = (len(numbers) + sum(numbers)) % 2**64
    assert read_samples(out, expected=100)[0].checksum == crc32(b"%d\n" % digest)


@pytest.mark.parametrize("codec", [f"rust/{folder.name}" for folder in FOLDERS])
def test_a_codec_offers_scenarios_that_there_are(codec):
    described = runners()[codec].description
    assert described.cells
    assert {cell.scenario for cell in described.cells} <= committed_scenarios(sweeps=True).keys()


@pytest.mark.parametrize("scenario", ["process-created", "enum-fields", "nested-object", "array-u16"])
@pytest.mark.parametrize("codec", ["rust/bincode-legacy", "rust/wincode-bincode"])
def test_codecs_of_the_first_bincode_s_format_write_its_bytes(codec, scenario):
    assert encoded(codec, scenario) == encoded("rust/bincode-1", scenario)


def malformed_cases(whole: bytes, source: random.Random, count: int) -> list[bytes]:
    """Truncations, flipped bits, zeroes, lengths that claim four gigabytes, and noise."""
    cases = [b"", whole[:1], whole[: len(whole) // 2], whole[:-1], b"\0" * len(whole), b"\xff" * 64]
    while len(cases) < count:
        kind, data, place = source.randrange(4), bytearray(whole), source.randrange(len(whole))
        if kind == 0:
            data = data[:place]
        elif kind == 1:
            data[place] ^= 1 << source.randrange(8)
        elif kind == 2:
            data[place : place + 4] = b"\xff\xff\xff\xff"
        else:
            data[place:] = source.randbytes(len(whole) - place)
        cases.append(bytes(data))
    return cases


@pytest.mark.parametrize(
    "codec",
    [
        pytest.param(name, marks=pytest.mark.slow) if re.search(rf"-({VARIANTS})$", name) else name
        for name in (f"rust/{folder.name}" for folder in FOLDERS)
    ],
)
def test_malformed_bytes_end_with_65_and_a_line_and_nothing_else(codec):
    runner = runners()[codec]
    if runner.description.control:
        pytest.skip("controls decode nothing")
    if all(SCENARIOS[cell.scenario].is_files for cell in runner.description.cells):
        pytest.skip("of files only: test_logs.py damages them")
    source = random.Random(codec)
    offered = {cell.scenario for cell in runner.description.cells}
    chosen = offered & {"process-created", "enum-fields", "long-strings", "nested-object"} or {"array-u16"}
    cases = [
        (scenario, case)
        for scenario in sorted(chosen)
        for case in malformed_cases(encoded(codec, scenario), source, 80)
    ]

    def decode(pair: tuple[str, bytes]) -> subprocess.CompletedProcess:
        command = [*runner.entry.command, "decode", "--scenario", pair[0]]
        return subprocess.run(command, input=pair[1], capture_output=True, timeout=20, check=False)

    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(decode, cases))
    refused = 0
    for (scenario, case), done in zip(cases, outcomes, strict=True):
        assert done.returncode in (0, 65, 70, 71), (scenario, done.returncode, done.stderr, case[:200])
        if done.returncode:
            refused += 1
            assert done.stdout == b"", (scenario, case)
            assert len(done.stderr.decode().splitlines()) == 1, done.stderr
            assert codec in done.stderr.decode()
    assert refused >= 6, "at least the plain truncations are refused"


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_codec_is_at_most_75_lines_and_one_binary(folder):
    assert len((folder / "src/main.rs").read_text().splitlines()) <= 75
    assert {path.name for path in folder.rglob("*") if path.is_file()} == {"Cargo.toml", "main.rs"}


@cache
def measured_libraries() -> dict[str, str | None]:
    libraries = {}
    for folder in FOLDERS:
        found = re.search(r'^library = "(.+)"$', (folder / "Cargo.toml").read_text(), re.MULTILINE)
        libraries[folder.name] = found[1] if found else None
    return libraries


OF_ITS_LIBRARY = {
    "simd-json": {"serde_json"},
    "simd-json-derive": {"simd-json", "serde_json"},
    "brec": {"bincode"},
}
"""simd-json's serde support is built on serde_json's number and error types, its derives on itself, brec's payloads on
bincode."""
ENCRYPTED = {"brec", "bincode"}
"""What brings the encryption of the crates that use it, which is brec's for all."""


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_of_the_measured_libraries_a_runner_links_only_its_own(folder):
    command = [
        "cargo",
        "tree",
        "--locked",
        "--offline",
        "--prefix",
        "none",
        "--edges",
        "normal,no-proc-macro",
        "-p",
        f"codec-{folder.name}",
    ]
    tree = subprocess.run(command, cwd=WORKSPACE, capture_output=True, text=True, check=True).stdout
    linked = {line.split()[0] for line in tree.splitlines() if line}
    own = measured_libraries()[folder.name]
    allowed = {own} | OF_ITS_LIBRARY.get(str(own), set()) | (ENCRYPTED if "wirelab-crypt" in linked else set())
    others = {library for library in measured_libraries().values() if library} - allowed
    assert not linked & others


def test_the_driver_and_the_analysis_know_no_codec_and_no_scenario_by_name():
    folders = [(name, folder) for name, language in LANGUAGES.items() for folder in language.codec_folders()]
    names = [f"{name}/{folder.name}" for name, folder in folders]
    names += [f'"{name}"' for name in SCENARIOS if name not in WORDS]
    for path in [*Path(ROOT / "bench").rglob("*.py"), *Path(ROOT / "analysis").rglob("*.py")]:
        text = path.read_text()
        assert not [name for name in names if name in text], path


@pytest.mark.host
def test_list_answers_in_json_for_every_cell_of_every_codec():
    done = subprocess.run([ROOT / "lab", "list", "--json"], capture_output=True, text=True, check=True, cwd="/")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    folders = [(name, folder) for name, language in LANGUAGES.items() for folder in language.codec_folders()]
    assert {row["codec"] for row in rows} == {f"{name}/{folder.name}" for name, folder in folders}
    assert all(row["available"] or row["reason"] for row in rows)
