"""What is read of the report of a suite's own program, and what is said where that cannot start."""

import hashlib
import io
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import msgspec
import pytest

from bench.base.paths import RUNNERS, STATE
from bench.base.supervision import Ended
from bench.building.build import has_testee
from bench.building.environment import platform_name
from bench.building.languages import LANGUAGES
from bench.building.runner import RunnerError
from bench.commands.conformance import can_be_asked
from bench.model.proof.conformance import Deviation, Verdict
from bench.model.proof.suite import Judge, Package, Suite, SystemLibraries
from bench.proof.suites import judges
from bench.proof.suites.judges import ready, report_of
from bench.proof.suites.packages import UnavailableError

JUDGE = Judge(
    programs={platform_name(): "package/judge"},
    options=[],
    cases=6,
    skipped_cases=2761,
    schemas="package/schemas",
    describe_command=["compileall", "--help"],
    descriptors="package/descriptors",
    recommended="Recommended.",
    phrases={
        "Should have failed to parse": "wrongly accepted",
        "Failed to parse": "wrongly refused",
        "unexpected EOF": "crash",
        "timeout from": "hang",
    },
)
REPORT = r"""
WARNING: All log messages before absl::InitializeLog() is called are written to STDERR
E0000 00:00:1795447698.595164    7976 fork_pipe_runner.cc:225] Required.Early.DOUBLE: unexpected EOF from test program
I0000 00:00:1795447698.595386    7976 fork_pipe_runner.cc:107] child timed out, killed by signal 0
E0000 00:00:1795447728.598219    7976 fork_pipe_runner.cc:206] Required.Late.DOUBLE: timeout from test program
E0000 00:00:1795447728.600102    7976 fork_pipe_runner.cc:218] child_pid_=7979 SIGQUIT:

CONFORMANCE TEST BEGIN ====================================

ERROR, test=Required.Early.DOUBLE: Should have failed to parse, but didn't., request=goo.gle/debugproto   x_payload: "a" requested_output_format: X, response=goo.gle/debugproto   timeout_error: "child timed out, killed by signal 0"
ERROR, test=Required.Late.DOUBLE: Should have failed to parse, but didn't., request=goo.gle/debugproto   x_payload: "\321\002abc" requested_output_format: X, response=goo.gle/debugproto   timeout_error: "child timed out, killed by signal 0"
ERROR, test=Required.EOF[0]: Should have failed to parse, but didn't., request=goo.gle/debugstr    x_payload: "\"\\n\n" requested_output_format: X, response=goo.gle/debugstr    x_payload: ""
ERROR, test=Required.Scalar: Output was not equivalent to reference message: deleted: optional_double: 0.1
, request=goo.gle/debugproto   x_payload: "a\232\231?" requested_output_format: X, response=goo.gle/debugproto   x_payload: "bbb"

These tests failed.  If they can't be fixed right now, you can add them to the failure list so the overall suite can succeed.

  Required.Scalar # Output was not equivalent to reference message

CONFORMANCE SUITE FAILED: 1 successes, 2762 skipped, 0 expected failures, 4 unexpected failures.

CONFORMANCE TEST BEGIN ====================================

CONFORMANCE SUITE PASSED: 0 successes, 883 skipped, 0 expected failures, 0 unexpected failures.
"""
"""As the program of Protocol Buffers' tests prints it, with other names."""


def report(runner, text: str = REPORT, code: int | None = 1, **ended):
    return report_of(runner, "own", JUDGE, Ended(code, text.encode(), **ended))


def test_every_failure_is_told_with_its_input_and_what_came_of_it(fake):
    found = report(fake("good"))
    assert (found.codec, found.suite, found.open_accepted, found.open_refused) == ("fake/good", "own", 0, 0)
    assert {verdict: count for verdict, count in found.verdicts.items() if count} == {
        Verdict.RIGHT: 1,
        Verdict.CRASH: 1,
        Verdict.HANG: 1,
        Verdict.ACCEPTED: 1,
        Verdict.ANOTHER: 1,
    }
    assert found.skipped == 1
    output = "Output was not equivalent to reference message: deleted: optional_double: 0.1"
    assert found.deviations == [
        Deviation("Required.Early.DOUBLE", Verdict.CRASH, 1, "61", "unexpected EOF from test program"),
        Deviation("Required.Late.DOUBLE", Verdict.HANG, 5, "d102616263", "timeout from test program"),
        Deviation("Required.EOF[0]", Verdict.ACCEPTED, 4, "225c6e0a", "Should have failed to parse, but didn't."),
        Deviation("Required.Scalar", Verdict.ANOTHER, 4, "619a993f", output),
    ]


def test_what_is_only_recommended_is_counted_apart_unless_it_ends_the_program(fake):
    found = report(fake("good"), REPORT.replace("Required.", "Recommended."))
    assert {one.case: one.verdict for one in found.recommended} == {
        "Recommended.EOF[0]": Verdict.ACCEPTED,
        "Recommended.Scalar": Verdict.ANOTHER,
    }
    assert [one.verdict for one in found.deviations] == [Verdict.CRASH, Verdict.HANG]
    assert sum(found.verdicts.values()) + len(found.recommended) + found.skipped == JUDGE.cases
    assert report(fake("good")).recommended == []


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("4 unexpected", "3 unexpected", "counts 3 failures and names 4"),
        ("1 successes, 2762", "0 successes, 2762", "5 of its 6 cases were answered"),
        ("1 successes, 2762", "2 successes, 2762", "7 of its 6 cases were answered"),
        ("1 successes, 2762", "1 successes, 2760", "5 of its 6 cases were answered"),
        ("unexpected failures", "failures", "counts 0 failures and names 4"),
    ],
)
def test_a_report_that_does_not_add_up_is_none(fake, old, new, message):
    with pytest.raises(RunnerError, match=message):
        report(fake("good"), REPORT.replace(old, new))


GAVE_UP = "F0000 00:00:1795447506.165217    9474 fork_pipe_runner.cc:244] Required.A: error reading from test program\n"


@pytest.mark.parametrize(
    ("ended", "message"),
    [
        ({"code": -6, "text": GAVE_UP}, "gave up .*: Required.A: error reading from test program"),
        ({"code": 1, "text": ""}, "0 of its 6 cases were answered"),
        ({"code": None, "text": REPORT}, "no end within 300 s: Required.Late.DOUBLE: timeout from test program"),
        ({"code": None, "printed_too_much": True}, "printed more than 64 MiB"),
        ({"peak_memory_bytes": 3 << 30}, "took 3072 MiB of memory"),
        ({"code": None, "not_started": "x does not start: why"}, "x does not start: why"),
    ],
)
def test_a_report_that_is_not_complete_is_none(fake, ended, message):
    with pytest.raises(RunnerError, match=message):
        report(fake("good"), **ended)


def test_pythons_testee_comes_from_the_packed_runner(fake, tmp_path):
    language, entry = LANGUAGES["python"], fake("good").entry
    assert not language.has_testee(entry)
    program = tmp_path / "codec.pyz"
    with zipfile.ZipFile(program, "w") as packed:
        packed.writestr("other.pyc", b"")
    entry = msgspec.structs.replace(entry, program=str(program), command=["python", "-s", str(program)])
    assert not language.has_testee(entry)
    with zipfile.ZipFile(program, "a") as packed:
        packed.writestr("testee.pyc", b"")
    assert language.has_testee(entry)
    testee = language.testee(entry, tmp_path)
    assert testee.command == ["python", "-s", "-m", "testee", str(tmp_path / "descriptors.bin")]
    assert testee.environment["PYTHONPATH"] == str(program)


@pytest.mark.parametrize("language", ["rust", "cpp"])
def test_a_program_that_was_built_elsewhere_has_no_testee(fake, language, monkeypatch):
    folder = min((RUNNERS / language / "testees").glob("p*"))
    entry = msgspec.structs.replace(fake("good").entry, codec=f"{language}/{folder.name}", command=[str(STATE / "a")])
    assert has_testee(entry)
    assert not has_testee(msgspec.structs.replace(entry, command=["/nix/store/a"]))
    assert not has_testee(msgspec.structs.replace(entry, codec=f"{language}/noop"))
    monkeypatch.setenv("LAB_RUNNERS", "runners.json")
    assert not has_testee(entry)


@pytest.mark.parametrize("language", ["rust", "cpp"])
def test_no_codec_is_made_of_testees(language):
    assert not [path for path in LANGUAGES[language].sources() if "testees" in path.parts]


# programs that start, and do not


NEEDS = """#!/bin/sh
echo "$0: /lib/libc.so.6: version \\`GLIBC_9.9' not found (required by $0)" >&2
exit 1
"""
STARTS = "#!/bin/sh\necho 'Usage: judge'\n"


def suite(folder: Path, program: str) -> Suite:
    """A suite whose package is in a folder."""
    archive = folder / "own-1.tgz"
    with tarfile.open(archive, "w:gz") as made:
        entry = tarfile.TarInfo("package/judge")
        entry.size, entry.mode = len(program), 0o755
        made.addfile(entry, io.BytesIO(program.encode()))
        for name in ("package/schemas/own/one.proto", "package/descriptors"):
            entry = tarfile.TarInfo(name)
            entry.size = len(name)
            made.addfile(entry, io.BytesIO(name.encode()))
    sha256 = hashlib.sha256(archive.read_bytes()).hexdigest()
    return Suite("", "", "", "", ["T"], packages=[Package("npm", "own", "1", sha256, "package")], judge=JUDGE)


@pytest.fixture
def sources(monkeypatch, tmp_path):
    """A folder of the user's; the schemas of suites stay in another."""
    monkeypatch.setattr(judges, "HOME", tmp_path / "suites")
    folder = tmp_path / "sources"
    folder.mkdir()
    monkeypatch.setenv("LAB_SOURCES", str(folder))
    return folder


on_unix = pytest.mark.skipif(sys.platform == "win32", reason="the programs are shell scripts")


@on_unix
def test_a_program_that_starts_is_started_as_it_is(sources, tmp_path):
    found = ready(suite(sources, STARTS), JUDGE, tmp_path / "own")
    assert found.command == [str(tmp_path / "own/package/judge")]
    assert found.schemas == tmp_path / "suites/schemas/own-1"


@on_unix
def test_schemas_stay_and_are_not_written_anew(sources, tmp_path):
    schemas = ready(suite(sources, STARTS), JUDGE, tmp_path / "own").schemas
    files = {path: path.stat().st_mtime_ns for path in (schemas / "own/one.proto", schemas / "descriptors.bin")}
    assert [path.read_text() for path in files] == ["package/schemas/own/one.proto", "package/descriptors"]
    ready(suite(sources, STARTS), JUDGE, tmp_path / "again")
    assert files == {path: path.stat().st_mtime_ns for path in files}
    (schemas / "own/one.proto").write_text("other")
    ready(suite(sources, STARTS), JUDGE, tmp_path / "third")
    assert (schemas / "own/one.proto").read_text() == "package/schemas/own/one.proto"


@on_unix
def test_schemas_that_are_refused_make_a_suite_unavailable(sources, tmp_path):
    refusing = msgspec.structs.replace(JUDGE, describe_command=["compileall", "--unheard-of"])
    with pytest.raises(UnavailableError, match="compileall refuses its schemas: usage"):
        ready(suite(sources, STARTS), refusing, tmp_path / "own")


def test_a_program_for_other_systems_is_unavailable(sources, tmp_path):
    other = msgspec.structs.replace(JUDGE, programs={"plan9-mips": "package/judge"})
    with pytest.raises(UnavailableError, match=f"made for plan9-mips, not for {platform_name()}"):
        ready(suite(sources, STARTS), other, tmp_path / "own")


@on_unix
def test_a_program_that_does_not_start_says_why(sources, tmp_path):
    with pytest.raises(UnavailableError, match=r"its program does not start: version `GLIBC_9\.9' not found$"):
        ready(suite(sources, NEEDS), JUDGE, tmp_path / "own")


def packaged(folder: Path, work: Path, loader: str) -> str:
    """A Debian package with a loader, as Debian's own program makes it; returns its SHA-256."""
    if not (program := shutil.which("dpkg-deb")):
        pytest.skip("there is no dpkg-deb")
    for path, content in {
        "DEBIAN/control": "Package: libown\nVersion: 1\nArchitecture: all\nMaintainer: a <a@b>\nDescription: a\n",
        "usr/lib/own/loader": loader,
    }.items():
        (work / path).parent.mkdir(parents=True, exist_ok=True)
        (work / path).write_text(content, encoding="utf-8")
    (work / "usr/lib/own/loader").chmod(0o755)
    package = folder / "libown_1.deb"
    subprocess.run([program, "--build", "--root-owner-group", str(work), str(package)], check=True, capture_output=True)
    return hashlib.sha256(package.read_bytes()).hexdigest()


def judge_with(sha256: str) -> Judge:
    libraries = SystemLibraries({"libown_1.deb": sha256}, "usr/lib/own/loader", "usr/lib/own")
    return msgspec.structs.replace(JUDGE, libraries={platform_name(): libraries})


@on_unix
def test_libraries_of_the_user_start_it_where_those_of_the_system_do_not(sources, tmp_path):
    sha256 = packaged(sources, tmp_path / "work", STARTS)
    home = tmp_path / "own"
    found = ready(suite(sources, NEEDS), judge_with(sha256), home)
    library_path = str(home / "system/usr/lib/own")
    assert found.command == [f"{library_path}/loader", "--library-path", library_path, str(home / "package/judge")]
    with pytest.raises(UnavailableError, match="libown_1.deb has SHA-256"):
        ready(suite(sources, NEEDS), judge_with("0" * 64), tmp_path / "other")


@on_unix
def test_libraries_that_do_not_help_are_named(sources, tmp_path):
    sha256 = packaged(sources, tmp_path / "work", NEEDS)
    with pytest.raises(UnavailableError, match=r"does not start with libown_1\.deb: version"):
        ready(suite(sources, NEEDS), judge_with(sha256), tmp_path / "own")


@on_unix
def test_without_libraries_the_message_says_what_to_do(sources, tmp_path):
    with pytest.raises(UnavailableError, match=r"set LAB_SOURCES to that folder: libown_1\.deb"):
        ready(suite(sources, NEEDS), judge_with("0" * 64), tmp_path / "own")


def test_a_suites_own_program_asks_only_codecs_that_have_a_program_for_it(fake):
    runner = fake("good")
    values = Suite("", "", "", "", [runner.description.format], "vectors")
    assert can_be_asked(runner, runner.description, values)
    assert not can_be_asked(runner, runner.description, msgspec.structs.replace(values, judge=JUDGE))
    assert not can_be_asked(runner, runner.description, msgspec.structs.replace(values, formats=["other"]))
