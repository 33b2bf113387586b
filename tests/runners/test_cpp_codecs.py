"""The C++ runners: their protocol from outside, published sizes, and a build that says what it lacks."""

import json
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from bench.building.lab import offered_cells
from bench.building.languages import cpp, cpp_tools
from bench.building.languages.cpp import Cpp, ToolError
from bench.building.languages.cpp_build import Build
from bench.building.languages.cpp_sources import Source, SourceError, pins
from bench.building.languages.python import NotInstalledError
from bench.building.runner import Runner, RunnerError
from bench.measuring.request import read_samples
from bench.model.cells import ControlRole
from bench.proof.verify import check_identity
from bench.scenarios.inputs import canonical_input, input_file
from tests.support.scenarios.committed import built_runners, committed_scenarios

SCENARIOS = committed_scenarios()
FOLDERS = Cpp().codec_folders()
ENTRIES = [r for r in built_runners() if r.codec.startswith("cpp/")]
BUILT = [runner for runner in ENTRIES if not runner.entry.unavailable]
CODECS = [runner for runner in BUILT if runner.entry.library]
NESTED = "nested-object"

built = pytest.mark.skipif(not BUILT, reason="no C++ runner is built: `./lab build` says why")


def named(runner: Runner) -> str:
    return runner.codec


def run(runner: Runner, *words: str, stdin: bytes = b"") -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run([*runner.entry.command, *words], input=stdin, capture_output=True, timeout=60, check=False)


def refused(done: "subprocess.CompletedProcess[bytes]", code: int, text: str) -> None:
    """One message on standard error and nothing else."""
    said = done.stderr.decode()
    assert (done.returncode, done.stdout) == (code, b""), said
    assert text in said and said.startswith("cpp/") and said.endswith("\n"), said


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_codec_is_at_most_75_lines_and_pinned(folder: Path):
    assert len((folder / "main.cpp").read_text().splitlines()) <= 75
    library = json.loads((folder / "codec.json").read_text()).get("library")
    assert library is None or library in pins()


SIZES = [
    (runner, scenario)
    for runner in CODECS
    for scenario in SCENARIOS.values()
    if runner.codec in scenario.sizes_bytes and any(c.scenario == scenario.name for c in runner.description.cells)
]


@built
@pytest.mark.parametrize(("runner", "scenario"), SIZES, ids=lambda value: getattr(value, "codec", None) or value.name)
def test_the_published_size_comes_out_to_the_byte(runner, scenario):
    assert len(runner.encode(scenario.name, canonical_input(scenario))) == scenario.sizes_bytes[runner.codec]


@built
def test_every_published_row_that_is_built_has_its_size():
    published = {codec for name in (NESTED, "array-f64") for codec in SCENARIOS[name].published.rows}
    assert published & {r.codec for r in CODECS} <= {runner.codec for runner, _ in SIZES}


@built
@pytest.mark.parametrize("runner", BUILT, ids=named)
def test_a_runner_says_of_itself_what_was_built(runner):
    assert check_identity(runner) is None
    offered = {(cell.conditions.compiler, cell.conditions.build) for cell in runner.description.cells}
    assert len(offered) == 1, "a program is of one compiler and one CPU target"


@built
@pytest.mark.parametrize("runner", BUILT, ids=named)
def test_a_control_says_what_it_does_in_place_of_serializing(runner):
    roles = {"cpp/memcpy": ControlRole.COPY, "cpp/noop": ControlRole.NOTHING}
    assert runner.description.role == roles.get(runner.codec)
    assert runner.description.control == (runner.description.role is not None)


NUMBERS = {
    "array-u64": [0, 1, 2**53 + 1, 2**63, 2**64 - 1],
    "array-f64": [-0.0, 5e-324, 0.1, 1.7976931348623157e308, 0.30000000000000004, 1e22, 123456789012345680.0],
    "array-f32": [-0.0, 1.401298464324817e-45, 0.10000000149011612, 3.4028234663852886e38, 16777216.0],
}


@built
@pytest.mark.parametrize("scenario", NUMBERS)
@pytest.mark.parametrize("runner", CODECS, ids=named)
def test_numbers_at_the_ends_of_their_types_come_back_exactly(runner, scenario):
    if not any(cell.scenario == scenario for cell in runner.description.cells):
        pytest.skip("it does not offer the array")
    encoded = runner.encode(scenario, json.dumps(NUMBERS[scenario]).encode())
    numbers = json.loads(runner.decode(scenario, encoded))
    if scenario == "array-f32":
        numbers = [struct.unpack("f", struct.pack("f", number))[0] for number in numbers]
    assert list(map(repr, numbers)) == list(map(repr, NUMBERS[scenario])), "repr tells -0.0 from 0.0"


@built
def test_the_memcpy_control_copies_the_published_data_size(tmp_path):
    memcpy = next(runner for runner in BUILT if runner.codec == "cpp/memcpy")
    for cell in offered_cells(memcpy.description, SCENARIOS):
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


def measure_words(tmp_path: Path, **changes: str) -> list[str]:
    words = {
        "scenario": NESTED,
        "operation": "serialize",
        "condition": "buffer=reused",
        "input": str(input_file(SCENARIOS[NESTED])),
        "work": str(tmp_path),
        "repetitions": "3",
        "warmup": "1",
        "samples": "2",
        "out": str(tmp_path / "out"),
    } | changes
    return ["measure", *(word for name, value in words.items() for word in (f"--{name}", value))]


@built
@pytest.mark.parametrize("runner", CODECS, ids=named)
def test_measuring_appends_a_line_a_sample(runner, tmp_path):
    for _ in range(2):
        assert run(runner, *measure_words(tmp_path)).returncode == 0
    samples = read_samples(tmp_path / "out", expected=100)
    assert [sample.repetitions for sample in samples] == [3] * 4
    assert {sample.encoded_bytes for sample in samples} == {
        len(runner.encode(NESTED, canonical_input(SCENARIOS[NESTED])))
    }
    assert len({sample.checksum for sample in samples}) == 1
    assert all(sample.wall_ns > 0 for sample in samples)


@built
def test_allocations_are_those_of_one_repetition(tmp_path):
    if sys.platform != "linux":
        pytest.skip("counted where the C library lets a program stand before malloc")
    glaze = next((r for r in CODECS if r.codec == "cpp/glaze-beve"), None)
    if glaze is None:
        pytest.skip("cpp/glaze-beve is unavailable")
    assert run(glaze, *measure_words(tmp_path)).returncode == 0
    existing = {"operation": "deserialize", "condition": "output=existing"}
    assert run(glaze, *measure_words(tmp_path, **existing)).returncode == 0
    owned = {"operation": "deserialize", "condition": "output=owned"}
    assert run(glaze, *measure_words(tmp_path, **owned)).returncode == 0
    reused, _, kept, _, new, _ = read_samples(tmp_path / "out", expected=100)
    assert (reused.allocations, kept.allocations) == (0, 0), "as published, nothing is allocated after the first"
    assert new.allocations >= 5, "three vectors of numbers, one of triples and one of strings"


@built
def test_samples_form_a_chain_with_the_canaries_between_them(tmp_path):
    assert run(BUILT[0], *measure_words(tmp_path, samples="3", **{"copy-canary": "65536"})).returncode == 0
    samples = read_samples(tmp_path / "out", expected=100)
    assert len(samples) == 3
    for before, after in zip(samples, samples[1:], strict=False):
        assert after.canary_before_ns == before.canary_after_ns
        assert after.copy_before_ns == before.copy_after_ns
    assert all(sample.canary_before_ns and sample.copy_before_ns for sample in samples)
    assert all((sample.involuntary_switches is None) == (sys.platform == "win32") for sample in samples)


@built
@pytest.mark.parametrize("changes", [{"repetitions": "0"}, {"offset": "4080"}, {"copy-canary": "65536"}], ids=str)
def test_no_repetitions_and_no_offset_change_what_is_produced(tmp_path, changes):
    runner = CODECS[0]
    assert run(runner, *measure_words(tmp_path)).returncode == 0
    assert run(runner, *measure_words(tmp_path, **changes)).returncode == 0
    samples = read_samples(tmp_path / "out", expected=100)
    assert len(samples) == 4
    assert len({(sample.checksum, sample.encoded_bytes, sample.allocations) for sample in samples}) == 1


@built
def test_a_copy_is_timed_only_where_it_is_asked_for(tmp_path):
    assert run(BUILT[0], *measure_words(tmp_path)).returncode == 0
    assert {sample.copy_before_ns for sample in read_samples(tmp_path / "out", expected=100)} == {None}


@built
@pytest.mark.parametrize(("words", "names"), [((), ["canary_ns"]), (("--copy", "65536"), ["canary_ns", "copy_ns"])])
def test_canaries_run_alone(words, names):
    times = json.loads(run(BUILT[0], "canary", "--seconds", "0", *words).stdout)
    assert times.pop("canary") == BUILT[0].description.canary
    assert {name: len(numbers) for name, numbers in times.items()} == dict.fromkeys(names, 1)


@built
def test_mistakes_in_the_arguments_exit_with_64(tmp_path):
    runner = BUILT[0]
    for words in ([], ["encode"], ["decode", "--scenario"], ["measure"], ["describe", "x"], ["nonsense"], ["canary"]):
        assert run(runner, *words).returncode == 64, words
    assert run(runner, "--help").returncode == 0
    codec = CODECS[0]
    refused(run(codec, "encode", "--scenario", "x"), 64, "no scenario x; use one of ")
    refused(
        run(codec, *measure_words(tmp_path, operation="x")), 64, "no cell has --scenario nested-object --operation x"
    )
    refused(run(codec, *measure_words(tmp_path, condition="buffer=x")), 64, "no cell has all of the conditions")
    refused(run(codec, *measure_words(tmp_path, condition="build=baseline")), 64, "2 cells have all of the conditions")
    refused(run(codec, *measure_words(tmp_path, work=str(tmp_path / "none"))), 64, "is no folder; create it first")
    assert run(codec, *measure_words(tmp_path, condition="buffer")).returncode == 64


@built
def test_files_that_cannot_be_read_or_written_are_named(tmp_path):
    codec = CODECS[0]
    refused(run(codec, *measure_words(tmp_path, input=str(tmp_path / "none"))), 66, "cannot read the input")
    refused(run(codec, *measure_words(tmp_path, out=str(tmp_path / "none" / "out"))), 74, "cannot open")
    (tmp_path / "bad").write_text('{"fixed_object":')
    refused(
        run(codec, *measure_words(tmp_path, input=str(tmp_path / "bad"))), 65, "measure nested-object: canonical JSON"
    )


@built
@pytest.mark.parametrize("canonical", [b"", b"[]", b"{}", b"null", b'{"fixed_object":{}}'])
def test_canonical_json_of_another_type_is_refused(canonical):
    refused(run(CODECS[0], "encode", "--scenario", NESTED, stdin=canonical), 65, "encode nested-object: canonical JSON")


@built
@pytest.mark.parametrize("runner", CODECS, ids=named)
def test_malformed_bytes_end_with_65_and_a_line_alone_and_in_a_batch(runner):
    whole = runner.encode(NESTED, canonical_input(SCENARIOS[NESTED]))
    cases = [b"", whole[: len(whole) // 2], whole, b"\xff" * 64]
    alone = [run(runner, "decode", "--scenario", NESTED, stdin=case) for case in cases]
    no_bytes = 0 if runner.description.format == "Protocol Buffers" else 65  # where all fields may be left out
    assert [done.returncode for done in alone[:3]] == [no_bytes, 65, 0]
    for case, done in zip(cases, alone, strict=True):
        if done.returncode:
            assert len(done.stderr.splitlines()) == 1, case
            refused(done, 65, "decode nested-object: ")
    frames = b"".join(len(case).to_bytes(4, "little") + case for case in cases)
    answers = run(runner, "decode", "--batch", "--scenario", NESTED, stdin=frames).stdout
    for done in alone[:3]:
        code, length = answers[0], int.from_bytes(answers[1:5], "little")
        assert (code, answers[5 : 5 + length]) == (done.returncode, done.stderr or done.stdout)
        answers = answers[5 + length :]


@built
@pytest.mark.parametrize("runner", CODECS, ids=named)
def test_a_length_that_is_only_claimed_takes_no_memory(runner):
    """A claim of 2^63 elements gets no memory, whether the codec refuses it or asks for that much."""
    if not any(cell.scenario == "array-f64" for cell in runner.description.cells):
        pytest.skip("it offers no arrays")
    whole = runner.encode("array-f64", b"[1.0,2.0]")
    for place in range(min(16, len(whole))):
        claimed = whole[:place] + b"\x7f" * 8 + whole[place + 8 :]
        assert run(runner, "decode", "--scenario", "array-f64", stdin=claimed).returncode in (0, 65, 71), (
            place,
            claimed,
        )


# Building


def test_without_a_source_a_codec_is_unavailable_and_the_rest_goes_on(monkeypatch):
    def none(name: str) -> str:
        raise SourceError(f"{name} cannot be had: no mirror")

    monkeypatch.setattr(cpp, "resolve", none)
    entries = [Cpp().build(folder) for folder in FOLDERS]
    assert {entry.unavailable for entry in entries} == {"cli11 cannot be had: no mirror"}
    with pytest.raises(RunnerError, match="cli11 cannot be had"):
        _ = Runner(entries[0]).description


def test_no_clang_and_an_old_one_are_told_apart(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolError, match=r"no clang\+\+ 19 or newer was found\. Install clang-19"):
        cpp_tools.system()
    old = tmp_path / "clang++"
    old.write_text("#!/bin/sh\necho 'Debian clang version 14.0.6'\n")
    old.chmod(0o755)
    with pytest.raises(ToolError, match=r"clang\+\+ is Debian clang version 14\.0\.6\)\. Install"):
        cpp_tools.system()


def test_without_any_compiler_the_reason_is_that_of_the_tools(tmp_path, monkeypatch):
    """No zig, CMake or Ninja installed, and nothing to install them with."""

    def nothing() -> Path:
        raise NotInstalledError("uv was not found")

    for name in ("resolve", "search"):
        monkeypatch.setattr(cpp, name, lambda _: Source(tmp_path, "include", "1.0", "here"))
    monkeypatch.setattr(cpp_tools, "ENVIRONMENT", tmp_path / "none")
    monkeypatch.setattr(cpp_tools, "find_uv", nothing)
    monkeypatch.setenv("PATH", str(tmp_path))
    entries = [Cpp().build(folder, variant) for folder in FOLDERS[:2] for variant in ("", "system")]
    reasons = [str(entry.unavailable) for entry in entries]
    assert reasons[0] == reasons[2] == "uv was not found"
    assert all("no clang++ 19 or newer was found" in reason for reason in reasons[1::2]), reasons


def test_what_the_compiler_says_is_the_reason(monkeypatch, tmp_path):
    build = Build("zig", "baseline")
    done = subprocess.CompletedProcess([], 1, "[1/2] Building\nmain.cpp:3:1: error: unknown type name 'x'\n", "")
    monkeypatch.setattr(build, "call", lambda _: done)
    with pytest.raises(ToolError, match=r"does not build: main\.cpp:3:1: error: unknown type name 'x'"):
        build.run("codec-x")
