"""What other systems do otherwise, as far as it can be simulated here."""

import ast
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from analysis.base.folders import written_whole
from bench.base import files, paths, supervision
from bench.base.files import replace, sha256_of
from bench.base.supervisor import own_group
from bench.building.environment import git_state
from bench.model.description import RunnerEntry
from bench.records.run_file import read_run
from tests.support.lab import FAKE, LAB, ROOT, Lab

posix = pytest.mark.skipif(sys.platform == "win32", reason="simulates Windows by what other systems have")


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_redirected_output_is_utf_8_whatever_the_code_page(encoding):
    done = subprocess.run(
        [*LAB, "table", "--help"],
        cwd=ROOT,
        capture_output=True,
        env=os.environ | {"PYTHONIOENCODING": encoding},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "RUN…" in done.stdout.decode("utf-8")


@posix
@pytest.mark.skipif(not paths.hyperfine().exists(), reason="hyperfine is not built: `./lab bench` builds it")
def test_a_path_with_backslashes_and_spaces_reaches_the_runner(tmp_path):
    """As C:\\Program Files has them: hyperfine divides the command into words itself."""
    program = tmp_path / "C:\\Program Files\\it's a runner.py"
    shutil.copy2(FAKE, program)
    command = [sys.executable, "-S", str(program), "fake/windows", "none"]
    entry = RunnerEntry("fake/windows", command, "fake", "1.0.0", sha256_of(program), program=str(program))
    out = tmp_path / "a run\\folder"
    Lab(tmp_path, [entry])("bench", "--profile", "quick", "-f", "point", "--out", str(out))
    processes = read_run(out).processes
    assert processes
    assert not [process.error for process in processes if process.error]


def held(monkeypatch, times):
    """Windows refuses to replace what somebody reads; here so many times. Gives the list of the waits in between."""
    refusals, waited, really = [PermissionError()] * times, [], Path.replace

    def refuse(self, target):
        if refusals:
            raise refusals.pop()
        return really(self, target)

    monkeypatch.setattr(Path, "replace", refuse)
    monkeypatch.setattr(files.time, "sleep", waited.append)
    return waited


def test_a_file_that_somebody_reads_is_replaced_once_it_is_free(tmp_path, monkeypatch):
    waited = held(monkeypatch, 2)
    (tmp_path / "new").write_text("new")
    (tmp_path / "old").write_text("old")
    replace(tmp_path / "new", tmp_path / "old")
    assert (tmp_path / "old").read_text() == "new"
    assert len(waited) == 2


def test_a_file_that_stays_locked_ends_in_the_system_s_own_error(tmp_path, monkeypatch):
    def refuse(self, target):
        raise PermissionError("in use")

    monkeypatch.setattr(Path, "replace", refuse)
    monkeypatch.setattr(files.time, "sleep", lambda _: None)
    with pytest.raises(PermissionError, match="in use"):
        replace(tmp_path / "new", tmp_path / "old")


def test_a_runner_has_a_process_group_of_its_own():
    """So that Ctrl-C reaches the driver alone."""
    assert own_group("win32") == {"creationflags": 0x200}
    assert own_group("linux") == own_group("darwin") == {"start_new_session": True}
    if sys.platform != "win32":
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], **own_group())
        try:
            assert os.getpgid(child.pid) != os.getpgid(0)
        finally:
            child.send_signal(signal.SIGKILL)
            child.wait()


def test_supervisors_have_one_too(monkeypatch, tmp_path):
    """Or Ctrl-C in a console of Windows would end them before they have cleared up."""
    started = []
    really = subprocess.Popen
    monkeypatch.setattr(
        supervision.subprocess, "Popen", lambda *words, **options: started.append(options) or really(*words, **options)
    )
    supervision.Supervisor(tmp_path).close()
    assert own_group().items() <= started[0].items()
    assert not list(tmp_path.iterdir())


@posix
def test_ctrl_break_and_a_closed_console_are_like_ctrl_c():
    """Windows' SIGBREAK, here another signal under that name."""
    code = (
        "import os, signal; signal.SIGBREAK = signal.SIGUSR1; from bench import cli;"
        "cli.lab = lambda *_, **__: os.kill(os.getpid(), signal.SIGUSR1); cli.main()"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == 1
    assert done.stderr == b"lab: stopped.\n"


@posix
def test_what_tools_print_is_read_whatever_the_code_page(tmp_path):
    """uv draws its errors with signs that code page 1252 has no byte for."""
    said = "×│╰─▶ “no wheel”"
    (tmp_path / "said").write_bytes(said.encode() + b" \x9d")
    code = f"from bench.building.environment import output; print(ascii(output(['cat', {str(tmp_path / 'said')!r}])))"
    environment = os.environ | {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == ascii(f"{said} \N{REPLACEMENT CHARACTER}")


@pytest.mark.parametrize("part", ["bench", "analysis"])
def test_no_program_s_output_is_read_in_the_code_page(part):
    for path in sorted((ROOT / part).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("subprocess."):
                assert "text" not in {k.arg for k in node.keywords} or "encoding" in {k.arg for k in node.keywords}, (
                    f"{path.name}:{node.lineno}"
                )


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a checkout")
def test_a_checkout_has_the_same_line_endings_everywhere():
    """Whatever core.autocrlf says: hashes and byte-for-byte comparisons are over these files."""
    listed = subprocess.run(["git", "ls-files", "--eol"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    found = {}
    for line in listed.splitlines():
        states, _, name = line.partition("\t")
        found.setdefault(states.partition("attr/")[2].strip(), []).append(name)
    assert found.pop("text eol=crlf") == ["lab.cmd"]
    kept = found.pop("-text")
    assert all(name.startswith(("results/", "analysis/published/")) for name in kept)
    assert list(found) == ["text=auto eol=lf"]


def test_a_folder_that_somebody_reads_is_replaced_once_it_is_free(tmp_path, monkeypatch):
    """The report or data set that an Explorer window shows."""
    waited = held(monkeypatch, 1)
    for text in ("old", "new"):
        with written_whole(tmp_path / "out", "marker", "report", "report") as fresh:
            (fresh / "marker").write_text(text)
    assert (tmp_path / "out/marker").read_text() == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert len(waited) == 1


def test_the_clocks_that_times_are_taken_from_never_go_back():
    assert time.get_clock_info("perf_counter").monotonic
    assert not time.get_clock_info("perf_counter").adjustable


def test_a_lab_that_lies_where_nobody_may_write_works_in_the_folder_that_it_is_given(fake_lab, tmp_path):
    lab = fake_lab()
    lab.environment |= {"LAB_WORK": str(tmp_path / "work"), "LAB_HYPERFINE": str(paths.hyperfine())}
    lab("bench", "--profile", "quick", "-f", "point")
    assert len(list((tmp_path / "work" / "runs").glob("*/samples.jsonl"))) == 1
    assert list((tmp_path / "work" / ".lab" / "inputs").iterdir())


def test_the_commit_of_a_lab_without_a_checkout_is_what_it_was_told(monkeypatch):
    monkeypatch.setenv(paths.REVISION_VARIABLE, "abc")
    assert git_state() == {"git_commit": "abc", "git_dirty": False}
    monkeypatch.setenv(paths.REVISION_VARIABLE, "abc-dirty")
    assert git_state() == {"git_commit": "abc", "git_dirty": True}


def test_a_tree_with_changes_is_recorded_as_dirty(tmp_path, monkeypatch):
    """Measuring it is allowed; what git ignores is no change."""
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    monkeypatch.delenv(paths.REVISION_VARIABLE, raising=False)
    assert git_state() == {"git_commit": None, "git_dirty": None}
    git = ["git", "-C", str(tmp_path), "-c", "user.name=x", "-c", "user.email=x@example.org"]
    (tmp_path / ".gitignore").write_text("/runs/\n")
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run([*git, *words], check=True)
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs/run.json").write_text("{}")
    clean = git_state()
    assert clean["git_dirty"] is False
    (tmp_path / "new").write_text("")
    assert git_state() == clean | {"git_dirty": True}
    monkeypatch.setenv("GIT_DIR", str(paths.RUNNERS))
    assert git_state() == clean | {"git_dirty": True}, "what the caller's git works on is another matter"
    monkeypatch.setattr(paths, "ROOT", tmp_path / "runs")
    assert git_state() == {"git_commit": None, "git_dirty": None}, "an archive in somebody's repository has no commit"
