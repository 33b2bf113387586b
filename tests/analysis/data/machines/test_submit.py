"""`lab submit`: what is packed, what is refused, and what a check of packed runs finds."""

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
import zstandard
from click.testing import CliRunner, Result

from analysis.commands.submit import submit
from analysis.data.cells import read_cells
from analysis.data.judged.extras import read_extras
from analysis.data.machines import checks, privacy, submitting
from analysis.data.machines.checks import check_submitted
from analysis.data.machines.endings import endings_by_lines
from analysis.data.machines.packed import FILE, PACKED
from analysis.data.machines.submitting import submitted
from analysis.data.merge import merge
from analysis.tables.side_by_side.read_candidates import read_side_by_side
from bench.base.errors import LabError
from bench.base.files import write_json
from bench.base.protocol import PROTOCOL
from bench.base.visible import UNSAFE
from bench.commands.fidelity import fidelity as ask_for_values
from bench.counting.counts_folder import CountsFolder
from bench.measuring.run_folder import append_lines, write_beside
from bench.model.findings import Fact, Fidelity, Finding, Fuzzed, Fuzzing, Harm
from bench.model.plan import Profile
from bench.model.proof import conformance, evolved
from bench.model.proof.conformance import Conformance, Conformed, Deviation, Verdict
from bench.model.proof.evolved import Evolution, Evolved, Outcome
from bench.model.record import Transfer
from bench.model.verification import Check, Verification, Verified
from bench.proof import fidelity, fuzz
from bench.proof.upstream import WITHHELD
from bench.records import stored_files
from bench.records.run_file import read_run, read_run_file, read_verification
from tests.support.recorded.calm_run import CHECKSUM
from tests.support.recorded.submittable import EPYC, Submittable, change_stored, stored_text, submittable
from tests.support.synthetic_run import DESER, SER

MACHINE = "intel-xeon-6-167-linux-x86_64"


@pytest.fixture(scope="module", autouse=True)
def packed_fast() -> Iterator[None]:
    """A hundred runs are packed here: at the level of `lab submit` that took most of the time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stored_files, "LEVEL", 3)
        yield


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run as the driver leaves it."""
    return submittable().write(tmp_path_factory.mktemp("recorded") / "run")


@pytest.fixture
def packed(recorded: Path, tmp_path: Path) -> Path:
    """The same run, submitted."""
    return submitted([recorded], tmp_path / "results")[0].path


def refusal(spoil: Any, folder: Path) -> str:
    """Why a run that was spoilt cannot be submitted."""
    made = submittable()
    spoil(made)
    with pytest.raises(LabError, match="cannot be submitted") as raised:
        submitted([made.write(folder / "run")], folder / "results")
    return str(raised.value)


def called(*arguments: object) -> Result:
    return CliRunner().invoke(submit, [str(one) for one in arguments])


def problems(path: Path) -> str:
    (found,) = check_submitted([path]).values()
    return "\n".join(found)


def test_a_run_is_packed_below_its_machine_and_passes_the_check(recorded: Path, tmp_path: Path) -> None:
    done = called(recorded, "-o", tmp_path / "results")
    assert done.exit_code == 0, done.output
    run = tmp_path / "results" / MACHINE / "20250102T030405Z-linux-x86_64-abcdef"
    assert {path.name for path in run.iterdir()} == {
        *(FILE, "run.json.zst", "verify.json.zst", "samples.jsonl.zst", "processes.jsonl.zst")
    }
    assert "`git add results RESULTS.md RESULTS.svg README.md`" in done.output  # all that `lab results` writes
    assert "pull request" in done.output
    checked = called("--check", tmp_path / "results")
    assert checked.exit_code == 0, checked.output
    assert [path.name for path in (tmp_path / "results").iterdir()] == [MACHINE]


def test_a_submitted_run_is_read_as_it_was_and_takes_no_more(recorded: Path, packed: Path) -> None:
    assert read_run_file(packed) == read_run_file(recorded)
    assert read_verification(packed) == read_verification(recorded)
    for change in (
        lambda: write_beside(packed, "fidelity.json", Fidelity(PROTOCOL, "x", {}, [])),
        partial(CountsFolder, packed),
    ):
        with pytest.raises(LabError, match="a submitted run is finished"):
            change()
    asked = CliRunner().invoke(ask_for_values, ["--run", str(packed)])
    assert "a submitted run is finished" in str(asked.exception), "before any codec is asked"


def test_the_same_run_gives_the_same_bytes_and_says_that_it_is_there(recorded: Path, tmp_path: Path) -> None:
    one, other = (submitted([recorded], tmp_path / name)[0].path for name in ("one", "other"))
    for file in one.iterdir():
        assert file.read_bytes() == (other / file.name).read_bytes()
    again = called(recorded, "-o", tmp_path / "one")
    assert again.exit_code == 0
    assert "there already, the same" in again.output
    assert submitted([one], tmp_path / "one")[0].fresh is False


def fuzzed(recorded: Path, folder: Path, problem: str) -> Path:
    """A copy of the run with one finding of `lab fuzz` beside it."""
    run = shutil.copytree(recorded, folder / "run")
    found = Finding("rust/bincode", "process-created", 3, problem, "ff" * 2000)
    one = Fuzzed("rust/bincode", "process-created", "bincode", "2.0.1", 0, 10_000, 9_000, 999, [found])
    write_beside(run, fuzz.FILE, Fuzzing(PROTOCOL, "2025-01-02T03:04:05+00:00", 10_000, 0, {}, [one], {}))
    return run


def test_findings_are_packed_and_read_wherever_they_are_shown(recorded: Path, tmp_path: Path) -> None:
    run = fuzzed(recorded, tmp_path, "panicked at /home/somebody/src/lib.rs:7")
    packed = submitted([run], tmp_path / "results")[0].path
    assert not (packed / "fuzz.json").exists()
    assert (packed / "fuzz.json.zst").stat().st_size < (run / "fuzz.json").stat().st_size / 5
    assert problems(packed) == ""
    table, _ = read_side_by_side([packed], ["rust/bincode"])
    assert table.codecs[0].trust.malformed, "lab compare would say that it was not fuzzed"
    fuzzing = read_extras(packed).fuzzing
    assert fuzzing
    assert fuzzing.results[0].findings[0].problem == "panicked at ~/src/lib.rs:7"


def test_a_crash_in_a_suite_is_packed_without_its_case(recorded: Path, tmp_path: Path) -> None:
    run = shutil.copytree(recorded, tmp_path / "run")
    crash = Deviation("deep.json", Verdict.CRASH, 4, "5b5b5b5b", "killed by signal 11")
    own = Conformed("rust/bincode", "suite", "bincode", "2.0.1", {Verdict.CRASH: 1}, 0, 0, [crash])
    whole = Conformance(PROTOCOL, "2025-01-02T03:04:05+00:00", {}, {}, {}, [own], {}, {})
    write_beside(run, conformance.FILE, whole)
    packed = submitted([run], tmp_path / "results")[0].path
    assert problems(packed) == ""
    text = stored_text(packed, conformance.FILE)
    assert WITHHELD[Harm.MEMORY] in text
    assert "deep.json" not in text
    assert "5b5b" not in text


def test_crashes_of_values_and_after_changes_are_packed_without_their_cases(recorded: Path, tmp_path: Path) -> None:
    run, when = shutil.copytree(recorded, tmp_path / "run"), "2025-01-02T03:04:05+00:00"
    crash = "decode: killed by signal 11: no message"
    fact = Fact("rust/bincode", "nested 1,000", "failed", "[[]]", error=crash)
    write_beside(run, fidelity.FILE, Fidelity(PROTOCOL, when, {}, [fact]))
    exchange = Evolved("rust/bincode", "widen", "forward", Outcome.CRASH, False, '{"a":70000}', None, crash)
    write_beside(run, evolved.FILE, Evolution(PROTOCOL, when, {}, {}, [exchange], {}, {}))
    packed = submitted([run], tmp_path / "results")[0].path
    assert problems(packed) == ""
    for name, words in ((fidelity.FILE, "nested 1,000"), (evolved.FILE, "widen")):
        text = stored_text(packed, name)
        assert WITHHELD[Harm.MEMORY] in text
        assert words not in text


def test_findings_that_name_somebody_are_refused(recorded: Path, tmp_path: Path) -> None:
    packed = submitted([fuzzed(recorded, tmp_path, "panicked at XY/lib.rs:7")], tmp_path / "results")[0].path
    file = packed / "fuzz.json.zst"
    text = zstandard.ZstdDecompressor().decompressobj().decompress(file.read_bytes())
    file.write_bytes(zstandard.ZstdCompressor().compress(text.replace(b"XY", b"/home/somebody")))
    assert "fuzz.json names somebody" in problems(packed)


def test_a_packed_run_merges_with_the_hashes_of_the_plain_one(recorded: Path, packed: Path, tmp_path: Path) -> None:
    plain, small = merge([recorded], tmp_path / "a").runs[0], merge([packed], tmp_path / "b").runs[0]
    assert (small.samples, small.samples_sha256) == (plain.samples, plain.samples_sha256)
    assert small.processes_sha256 == plain.processes_sha256
    said = json.loads((packed / FILE).read_text())["sha256"]
    assert said["samples.jsonl"] == plain.samples_sha256


def test_another_run_in_its_folder_is_never_replaced(recorded: Path, packed: Path, tmp_path: Path) -> None:
    (packed / FILE).write_text((packed / FILE).read_text().replace(MACHINE, "other"))
    with pytest.raises(LabError, match="submitted runs are never replaced"):
        submitted([recorded], tmp_path / "results")


def verified_wrong(made: Submittable) -> None:
    failure = Check("value", "rust/postcard", "came back as another value", "process-created")
    made.verification = Verification(PROTOCOL, failures=[failure])


def dirty(**provenance: Any) -> Callable[[Submittable], None]:
    return lambda made: made.changed.update(provenance=made.run().provenance | provenance)


@pytest.mark.parametrize(
    ("spoil", "problem"),
    [
        (lambda made: made.changed.update(finished=None), "it is not finished"),
        (lambda made: setattr(made, "profile", Profile.QUICK), "its profile is `quick`"),
        (dirty(git_dirty=True), "files were changed since its commit"),
        (dirty(git_dirty=None), "files were changed since its commit"),
        (dirty(git_commit=None), "it does not say its commit"),
        (dirty(git_commit="main"), "it does not say its commit"),
        (
            dirty(compilers={"rust/bson": "rustc; opt-level=0 lto=off"}),
            "rust/bson was compiled with optimization opt-level=0, not 3",
        ),
        (
            dirty(compilers={"cpp/noop": "zig; -mcpu=baseline -O0"}),
            "cpp/noop was compiled with optimization -O0, not 3",
        ),
        (dirty(compilers={"cpp/noop": "clang; -O -DNDEBUG"}), "cpp/noop was compiled with optimization -O, not 3"),
        (verified_wrong, "rust/postcard failed the check value"),
        (lambda made: setattr(made, "verification", Verification(PROTOCOL)), "does not say that it was proved"),
    ],
)
def test_an_unfit_run_is_refused_and_leaves_nothing(spoil: Any, problem: str, tmp_path: Path) -> None:
    made = submittable()
    spoil(made)
    done = CliRunner().invoke(submit, [str(made.write(tmp_path / "run")), "-o", str(tmp_path / "results")])
    assert problem in str(done.exception)
    assert not (tmp_path / "results").exists()


def test_an_untimed_run_is_submitted_beside_a_timed_one(recorded: Path, tmp_path: Path) -> None:
    made = submittable()
    made.profile = Profile.UNTIMED
    untimed = made.write(tmp_path / "untimed")
    file = untimed / "run.json"
    file.write_text(file.read_text().replace('"id": "', '"id": "another-', 1))
    packed = [one.path for one in submitted([recorded, untimed], tmp_path / "results")]
    assert len(packed) == 2
    assert not any(check_submitted([tmp_path / "results"]).values())


def test_a_trial_of_own_data_is_refused(recorded: Path, tmp_path: Path) -> None:
    run = shutil.copytree(recorded, tmp_path / "run")
    (run / "data.json").write_text("{}")
    with pytest.raises(LabError, match="over data of your own"):
        submitted([run], tmp_path / "results")
    assert [*(tmp_path / "results").iterdir()] == []


def test_what_no_reader_uses_stays_behind(recorded: Path, tmp_path: Path) -> None:
    run = shutil.copytree(recorded, tmp_path / "run")
    (run / "notes.txt").write_text("secret")
    (run / ".lock").write_text("")
    (run / "work-1").mkdir()
    names = {path.name for path in submitted([run], tmp_path / "results")[0].path.iterdir()}
    assert names <= set(PACKED)


# names of users and computers


def test_names_of_user_and_host_and_home_folders_are_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(submitting, "own_names", lambda: {"margarethe": "USER", "turing-laptop": "HOST"})
    made = submittable()
    cell = made.cell("rust/bincode", SER)
    made.errors[cell, 3] = "cannot open /Users/kurt/lab/x on turing-laptop"
    command = ["lab", "bench", "--out", "/home/margarethe/runs/a", "C:\\Users\\Kurt\\runs", "-I/home/kurt/include"]
    environment = {"os": "Linux-6-TURING-LAPTOP-x", "cpu": made.cpu, "note": "root, margarethe's"}
    made.changed.update(command=command, environment=environment)
    run = made.write(tmp_path / "run")
    (run / "remarks.txt").write_text("Measured by margarethe below /root/lab.\n")
    packed = submitted([run], tmp_path / "results")[0].path
    text = "".join(
        zstandard.ZstdDecompressor().decompressobj().decompress(path.read_bytes()).decode()
        if path.suffix == ".zst"
        else path.read_text()
        for path in packed.iterdir()
    )
    for name in ("margarethe", "turing", "kurt", "/root"):
        assert name not in text.lower()
    kept = read_cells(packed).run
    assert kept.command == ["lab", "bench", "--out", "~/runs/a", "~\\runs", "-I~/include"]
    assert kept.environment["os"] == "Linux-6-HOST-x"
    assert "cannot open ~/lab/x on HOST" in text
    assert (packed / "remarks.txt").read_text() == "Measured by USER below ~/lab.\n"


def test_a_name_that_is_a_word_of_the_run_is_none(recorded: Path, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(submitting, "own_names", lambda: {"serde": "USER", "vm": "HOST", "root": "USER"})
    packed = submitted([recorded], tmp_path / "results")[0]
    assert read_cells(packed.path).run == read_cells(recorded).run
    assert packed.kept_names == ("serde",)  # the others are common, or too short to tell of anybody


def test_a_packed_run_that_names_a_home_folder_fails_the_check(packed: Path) -> None:
    change_stored(packed, "run.json", lambda text: text.replace("/somewhere/else", "/home/margarethe/x"))
    assert "run.json names somebody: '/home/margarethe'" in problems(packed)


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("/home/a-b.c/x", "~/x"),
        ("/root", "~"),
        ("/rootless/x and /srv/home/x", "/rootless/x and /srv/home/x"),
        (r"D:\\Users\\Ann B\\x", r"~ B\\x"),
        ("--remap=/home/ann/lab=/lab", "--remap=~/lab=/lab"),
        ("/usr/home", "/usr/home"),
        ("/usr/home/ann/x", "~/x"),
        ("/var/home/ann", "~"),
        ("/mnt/c/Users/AnnSmith/x", "~/x"),
        ("/c/Users/AnnSmith/x", "~/x"),
        ("-isystem/home/ann/x -B/home/ann", "-isystem~/x -B~"),
        ("-I/home/ann/x", "-I~/x"),
    ],
)
def test_home_folders_of_every_system_are_known(text: str, clean: str) -> None:
    assert privacy.without_names(text, {}) == clean


def test_a_name_with_a_space_goes_whole_and_one_between_underscores_too() -> None:
    names = {"Ann Smith": "USER", "alice": "USER"}
    assert privacy.without_names(r"C:\Users\Ann Smith\lab", names) == r"~\lab"
    assert privacy.without_names("/tmp/lab_alice/x and malice", names) == "/tmp/lab_USER/x and malice"


def test_a_name_that_is_a_word_of_the_input_or_the_processor_stays(packed: Path) -> None:
    names = {"xeon": "HOST", "margarethe": "USER"}
    assert privacy.told_names(read_cells(packed).run, names) == {"margarethe": "USER"}


# hostile submissions


def test_a_lying_hash_is_found(packed: Path) -> None:
    said = json.loads((packed / FILE).read_text())
    said["sha256"]["samples.jsonl"] = "0" * 64
    write_json(packed / FILE, said)
    assert "samples.jsonl: its content does not have the SHA-256" in problems(packed)


def test_changed_samples_are_found_by_their_hash(packed: Path) -> None:
    file = packed / "samples.jsonl.zst"
    text = zstandard.ZstdDecompressor().decompressobj().decompress(file.read_bytes())
    file.write_bytes(zstandard.ZstdCompressor().compress(text.replace(b'"wall_ns":1', b'"wall_ns":2', 1)))
    assert "samples.jsonl: its content does not have the SHA-256" in problems(packed)


def test_a_run_without_hashes_is_refused(packed: Path) -> None:
    (packed / FILE).unlink()
    assert FILE in problems(packed)


@pytest.mark.parametrize("name", ["evil.py", "x\x1b]0;y", ".hidden", "samples.jsonl.zst.exe"])
def test_a_foreign_file_is_found_and_shown_without_its_control_bytes(packed: Path, name: str) -> None:
    if sys.platform == "win32" and "\x1b" in name:
        pytest.skip("it has no such names")
    (packed / name).write_text("")
    done = called("--check", packed)
    assert done.exit_code == 1
    assert "no file of a submitted run" in done.output
    assert not UNSAFE.search(done.output.replace("\n", ""))


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
@pytest.mark.parametrize("name", ["run.json.zst", "samples.jsonl.zst", "remarks.txt", FILE])
def test_a_link_is_refused_and_what_it_leads_to_stays_unread(packed: Path, tmp_path: Path, name: str) -> None:
    honey = tmp_path / "honey"
    honey.write_text("honey-nobody-may-tell")
    (packed / name).unlink(missing_ok=True)
    (packed / name).symlink_to(honey)
    done = called("--check", packed)
    assert done.exit_code == 1
    assert "honey-nobody" not in done.output


@pytest.mark.skipif(sys.platform == "win32", reason="it has no pipes in folders")
@pytest.mark.parametrize("name", [f"{FILE}.zst", "counts.jsonl.zst"])
def test_one_run_that_cannot_be_read_hides_none_of_the_others(packed: Path, tmp_path: Path, name: str) -> None:
    submitted([submittable(run_id="fedcba").write(tmp_path / "other")], tmp_path / "results")
    (packed / name).write_bytes(zstandard.ZstdCompressor(level=3).compress(b'"' + bytes(2**28)))
    done = called("--check", tmp_path / "results")
    assert done.exit_code == 1
    assert "2 runs checked; problems with 1" in done.output


def test_a_pipe_does_not_hang_the_check(packed: Path) -> None:
    os.mkfifo(packed / "fidelity.json.zst")
    assert called("--check", packed).exit_code == 1


def test_a_bomb_in_place_of_samples_is_refused(packed: Path) -> None:
    packer = zstandard.ZstdCompressor(level=3).compressobj()
    with (packed / "samples.jsonl.zst").open("wb") as file:
        for _ in range(512):
            file.write(packer.compress(bytes(2**20)))
        file.write(packer.flush())
    assert "samples.jsonl.zst: holds more than" in problems(packed)


def test_a_run_elsewhere_than_its_machine_is_found(packed: Path, tmp_path: Path) -> None:
    moved = tmp_path / "elsewhere" / "run"
    shutil.copytree(packed, moved)
    assert f"belongs into {MACHINE}/" in problems(moved)


def test_two_runs_of_one_id_are_found(packed: Path, tmp_path: Path) -> None:
    shutil.copytree(packed, packed.parent.parent / "other" / packed.name)
    found = check_submitted([tmp_path / "results"])
    assert any("too" in one and "is run" in one for wrong in found.values() for one in wrong)


def test_runs_of_one_machine_and_commit_must_share_its_stepping(tmp_path: Path) -> None:
    one, other = submittable(), submittable(run_id="fedcba")
    other.cpu = other.cpu | {"stepping": 7}
    for made in (one, other):
        submitted([made.write(tmp_path / made.run_id)], tmp_path / "results")
    found = [one for wrong in check_submitted([tmp_path / "results"]).values() for one in wrong]
    assert [one for one in found if "environment.cpu.stepping" in one]


@pytest.mark.parametrize("another", ["microcode", "toolchain"])
def test_a_second_owner_of_a_processor_may_have_another_system(tmp_path: Path, another: str) -> None:
    one, other = submittable(), submittable(run_id="fedcba")
    if another == "microcode":
        other.cpu = other.cpu | {"microcode": 7}
    else:
        dirty(toolchain="nix")(other)
    for made in (one, other):
        submitted([made.write(tmp_path / made.run_id)], tmp_path / "results")
    assert [*check_submitted([tmp_path / "results"]).values()] == [[], []]


def test_a_machine_has_its_limit(packed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "MACHINE_BYTES", 1000)
    assert "at most 1,000 may" in problems(packed)


def test_the_limit_counts_whatever_lies_below_the_machine(packed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taken = sum(path.stat().st_size for path in packed.iterdir())
    monkeypatch.setattr(checks, "MACHINE_BYTES", taken + 5)
    assert problems(packed) == ""
    (packed.parent / "notes").mkdir()
    (packed.parent / "notes" / "file").write_text("larger")
    assert f"{taken + 6:,} bytes; at most" in problems(packed)


@pytest.mark.parametrize(
    ("field", "value"), [("run", "20250102T030405Z-linux-x86_64-000000"), ("machine", "another"), ("bytes", 7)]
)
def test_a_submission_that_tells_of_another_run_is_found(packed: Path, field: str, value: object) -> None:
    write_json(packed / FILE, json.loads((packed / FILE).read_text()) | {field: value})
    assert f"{FILE}: {field} is {value!r}, but " in problems(packed)


def test_transfers_of_what_the_run_did_not_measure_are_found(recorded: Path, tmp_path: Path) -> None:
    run = shutil.copytree(recorded, tmp_path / "run")
    own = Transfer("rust/bincode", "process-created", None, 100, 0, 234, 19_000)
    append_lines(run / "network.jsonl", [own])
    assert problems(submitted([run], tmp_path / "one")[0].path) == ""
    append_lines(run / "network.jsonl", [msgspec.structs.replace(own, codec="rust/other")])
    with pytest.raises(LabError, match=r"network\.jsonl: line 2 is of rust/other process-created"):
        submitted([run], tmp_path / "other")


# what belongs to no run


@pytest.mark.parametrize(
    "name",
    [
        "notes.txt",
        "scenarios/point.html",
        "scenarios/more/point.md",
        f"{MACHINE}/notes.md",
        f"{MACHINE}/another/deeper/file",
        ".hidden/run.json",
        f"{MACHINE}/.hidden/run.json",
    ],
)
def test_what_is_neither_a_page_nor_a_run_is_found(packed: Path, tmp_path: Path, name: str) -> None:
    results = tmp_path / "results"
    (results / "scenarios").mkdir()
    for page in ("repeated.md", "scenarios/point.md"):
        (results / page).write_text("")
    assert not any(check_submitted([results]).values())
    (results / name).parent.mkdir(parents=True, exist_ok=True)
    (results / name).write_text("")
    done = called("--check", results)
    assert done.exit_code == 1
    assert "is neither a page that `lab results` writes nor a run" in done.output
    assert "1 run checked; problems with 1" in done.output


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
@pytest.mark.parametrize("name", ["machine", "page.md", f"{MACHINE}/run", "scenarios"])
def test_a_link_beside_the_runs_is_found(packed: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "results" / name).symlink_to(packed if "page" not in name else packed / "run.json.zst")
    (wrong,) = [path for path, wrong in check_submitted([tmp_path / "results"]).items() if wrong]
    assert wrong == tmp_path / "results" / name


# what was recorded before


def test_recorded_runs_stay_as_they_are(packed: Path, tmp_path: Path) -> None:
    results = tmp_path / "results"
    before = shutil.copytree(results, tmp_path / "before")
    submitted([submittable(EPYC, "fedcba").write(tmp_path / "more")], results)
    assert called("--check", results, "--against", before).exit_code == 0
    gone = called("--check", before, "--against", results)
    assert gone.exit_code == 1
    assert "fedcba is recorded there, and is missing or unreadable now: restore it" in gone.output


def test_a_recorded_run_that_was_packed_anew_is_found(packed: Path, tmp_path: Path) -> None:
    """With hashes that fit: only the run that was recorded tells that this is another."""
    made = submittable()
    made.ns[made.cell("rust/bincode", SER)] = 30
    other = submitted([made.write(tmp_path / "run")], tmp_path / "other")[0].path
    assert problems(other) == ""
    done = called("--check", tmp_path / "other", "--against", tmp_path / "results")
    assert done.exit_code == 1
    assert "it is not what" in done.output


def test_runs_are_held_against_others_only_in_a_check(packed: Path, tmp_path: Path) -> None:
    assert called(packed, "--against", tmp_path / "results").exit_code == 2


def test_a_workflow_marks_the_runs_that_it_recorded(recorded: Path, tmp_path: Path) -> None:
    done = called(recorded, "-o", tmp_path / "results", "--workflow", "somebody/wirelab")
    assert done.exit_code == 0, done.output
    (file,) = (tmp_path / "results").rglob(FILE)
    assert '"workflow": "somebody/wirelab"' in file.read_text()  # as bench.yml looks for it
    assert problems(file.parent) == ""


# what was proved


def changed_lines(made: Submittable, **changes: object) -> None:
    """Changes the fields of the samples of one cell."""
    cell, plain = str(made.cell("rust/bincode", SER)), made._samples
    made._samples = lambda slot: (  # type: ignore[method-assign]
        msgspec.structs.replace(one, **changes) if one.cell == cell and one.round == 2 else one for one in plain(slot)
    )


def other_proof(**changes: object) -> Callable[[Submittable], None]:
    def spoil(made: Submittable) -> None:
        sizes = {one.cell.codec: one.encoded_bytes or 0 for one in made.cells if not one.control}
        plain = [Verified(codec, "process-created", size, CHECKSUM, CHECKSUM) for codec, size in sizes.items()]
        of = [msgspec.structs.replace(one, **changes) if one.codec == "rust/bincode" else one for one in plain]
        made.verification = Verification(PROTOCOL, of)

    return spoil


def fewer_layouts(made: Submittable) -> None:
    made.changed["layouts"] = made.run().layouts | {"rust/bincode": ["1" * 64]}


def fewer_rounds(made: Submittable) -> None:
    made.ending = msgspec.structs.replace(made.ending, rounds=20)


def other_ending(**changes: float) -> Callable[[Submittable], None]:
    """What the lines do not say."""

    def spoil(made: Submittable) -> None:
        with tempfile.TemporaryDirectory() as folder:
            true = endings_by_lines(read_run(made.write(Path(folder) / "run")))["process-created"]
        made.changed["endings"] = {"process-created": msgspec.structs.replace(true, **changes)}

    return spoil


def without_process_times(made: Submittable) -> None:
    plain = made._process
    made._process = lambda slot: msgspec.structs.replace(plain(slot), wall_s=None)  # type: ignore[method-assign]


@pytest.mark.parametrize(
    ("spoil", "problem"),
    [
        (lambda made: changed_lines(made, encoded_bytes=7), "encoded_bytes is 7 in line"),
        (lambda made: changed_lines(made, checksum="crc32:12345678"), "checksum is crc32:12345678 in line"),
        (other_proof(encoded_bytes=7), "run.json plans 234 encoded bytes, verify.json has 7"),
        (other_proof(encoded_checksum="crc32:12345678"), "the checksum crc32:00000000, verify.json has crc32:12345678"),
        (other_proof(decoded_checksum="crc32:12345678"), "the checksum crc32:00000000, verify.json has crc32:12345678"),
        (fewer_layouts, "rust/bincode: layout 4 was measured, and run.json has 1 under `layouts`"),
        (fewer_rounds, "process-created: 16 rounds are whole, and run.json says that 20 were measured"),
        (
            other_ending(precise_share=0.125),
            "process-created: precise_share is 0.125 under `endings` in run.json, and 1 by",
        ),
        (other_ending(calm_share=0.125), "calm_share is 0.125 under"),
        (other_ending(seconds=7.5), "seconds is 7.5 under"),
        (without_process_times, "the process took less time than the loops within it"),
        (lambda made: made.changed.update(finished="2999-01-02T05:05:05+00:00"), "is still to come"),
        (lambda made: made.changed.update(finished="2025-01-01T05:05:05+00:00"), "when it was created"),
    ],
)
def test_a_run_that_contradicts_itself_is_refused(spoil: Any, problem: str, tmp_path: Path) -> None:
    assert problem in refusal(spoil, tmp_path)


# plausibility


def faster_than_nothing(made: Submittable) -> None:
    made.ns[made.cell("rust/bincode", SER)] = 0.1


def copy_beyond_memory(made: Submittable) -> None:
    made.ns[made.cell("rust/memcpy", SER)] = 1e-4
    made.repetitions_of["rust/memcpy"] = 10**9


def process_shorter_than_loops(made: Submittable) -> None:
    made.extra_process_ns[made.cell("rust/bincode", DESER)] = -1e7


@pytest.mark.parametrize(
    ("spoil", "problem"),
    [
        (faster_than_nothing, "where doing nothing takes"),
        (copy_beyond_memory, "GB/s"),
        (process_shorter_than_loops, "the process took less time than the loops within it"),
        (lambda made: made.changed.update(finished="2025-01-02T03:04:06+00:00"), "after it was created"),
        (
            lambda made: made.calibration.update(odd=made.calibration["x86-64/1"].__class__(9, 9, 1.0, 5)),
            "of odd: 9 ns",
        ),
        (lambda made: setattr(made, "cpu", made.cpu | {"features": ["avx2"]}), "x86_64 without sse2"),
        (lambda made: setattr(made, "cpu", made.cpu | {"features": ["sse2", "neon"]}), "neon on x86_64"),
        (lambda made: setattr(made, "cpu", made.cpu | {"vendor": "AuthenticAMD"}), "the vendor of"),
    ],
)
def test_what_cannot_be_is_found(spoil: Any, problem: str, tmp_path: Path) -> None:
    assert problem in refusal(spoil, tmp_path)


def test_sizes_must_be_those_of_other_machines(tmp_path: Path) -> None:
    other = submittable(EPYC, "fedcba")
    other.cells = [
        msgspec.structs.replace(one, proved=type(one.proved)(231, one.proved.checksum))
        if one.cell.codec == "rust/postcard"
        else one
        for one in other.cells
    ]
    for made in (submittable(), other):
        submitted([made.write(tmp_path / made.run_id)], tmp_path / "results")
    found = [one for wrong in check_submitted([tmp_path / "results"]).values() for one in wrong]
    assert any("231 encoded bytes, but 230 in" in one for one in found)


def test_two_honest_machines_pass_together(tmp_path: Path) -> None:
    for made in (submittable(), submittable(EPYC, "fedcba")):
        submitted([made.write(tmp_path / made.run_id)], tmp_path / "results")
    assert [*check_submitted([tmp_path / "results"]).values()] == [[], []]
