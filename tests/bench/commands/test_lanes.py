"""The lanes of the tests: what `lab test` runs with which words, and that the workflows run all of it."""

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from bench.commands import test as module
from tests.support.scripts import WORKFLOWS

QUICK, SLOW = ["-m", "not slow", *module.WORKERS], ["-m", "slow", *module.WORKERS]


@pytest.mark.parametrize(
    ("words", "cargo", "pytest_words"),
    [
        ([], 1, QUICK),
        (["--slow"], 0, SLOW),
        (["--slow", "-k", "kill"], 0, ["-m", "slow", "-k", "kill"]),
        (["-k", "resume", "--exitfirst"], 0, ["-k", "resume", "--exitfirst"]),
    ],
    ids=["without words", "slow", "slow with words", "words"],
)
def test_words_choose_the_lane(monkeypatch, words, cargo, pytest_words):
    called = []
    monkeypatch.setattr(module.subprocess, "call", lambda command, cwd, **_: called.append((command, Path(cwd))) or 0)
    assert CliRunner().invoke(module.test, words).exit_code == 0
    assert [command[:2] for command, _ in called[:-1]] == [["cargo", "test"]] * cargo
    assert all({"wirelab-kit", "negative-controls"} <= set(command) for command, _ in called[:-1])
    assert called[-1][0] == [sys.executable, "-m", "pytest", *pytest_words]


@pytest.mark.parametrize("fails", ["cargo", sys.executable])
def test_either_of_both_makes_the_lane_fail(monkeypatch, fails):
    monkeypatch.setattr(module.subprocess, "call", lambda command, cwd, **_: 3 if command[0] == fails else 0)
    assert CliRunner().invoke(module.test, []).exit_code == 3


@pytest.mark.parametrize(("threads", "at_once"), [(1, 2), (2, 4), (4, 8)])
def test_more_tests_run_at_once_than_there_are_threads(threads, at_once):
    assert module.workers(threads) == at_once


CRATES = {
    "unit": "#[cfg(test)]\nmod tests {\n    #[test]\n    fn it_is() {}\n}\n",
    "other": "    #[tokio::test]\n    async fn it_is() {}\n",
    "example": "/// ```\n/// assert!(true);\n/// ```\npub fn it() {}\n",
    "untested": "// #[test] in words\nfn main() {}\n",
}


def test_crates_without_a_test_are_not_compiled_for_tests(monkeypatch, tmp_path):
    (tmp_path / "Cargo.toml").write_text('[workspace]\nmembers = ["*"]\n')
    for name, source in CRATES.items():
        (tmp_path / name / "src").mkdir(parents=True)
        (tmp_path / name / "Cargo.toml").write_text(f'[package]\nname = "its-{name}"\n')
        (tmp_path / name / "src/lib.rs").write_text(source)
    monkeypatch.setattr(module, "WORKSPACE", tmp_path)
    assert module.tested_packages() == ["its-example", "its-other", "its-unit"]


@pytest.mark.parametrize(
    ("cargo", "pytest_", "code"), [(0, 0, 0), (-9, 0, -9), (0, -11, -11), (101, 1, 101), (0, 5, 5)]
)
def test_a_test_program_that_is_killed_is_no_success(monkeypatch, cargo, pytest_, code):
    monkeypatch.setattr(module.subprocess, "call", lambda *_, **__: cargo)
    monkeypatch.setattr(module, "pytest", lambda *_: pytest_)
    monkeypatch.setattr(module, "write_code", lambda *_: None)
    monkeypatch.setattr(module, "tested_packages", lambda: ["one"])
    with pytest.raises(SystemExit) as ended:
        module.test.callback(slow=False, pytest_arguments=())
    assert ended.value.code == code


def test_workflows_run_both_lanes_and_the_whole_lint():
    """`.ci/run` leaves out the slow lane and half of lint."""
    jobs = [job for workflow in WORKFLOWS.values() for job in workflow["jobs"].values()]
    scripts = {step.get("run", "").strip() for job in jobs for step in job["steps"]}
    assert {"python lab test", "python lab test --slow", "python lab lint"} <= scripts


def test_a_marker_that_is_not_declared_is_refused(tmp_path):
    """Else a slow test could be marked with a slip of the pen, and stay in the quick lane."""
    (tmp_path / "test_slip.py").write_text("import pytest\n@pytest.mark.slwo\ndef test(): pass\n")
    settings = Path(__file__).parents[3] / "pyproject.toml"
    command = [sys.executable, "-m", "pytest", "-c", settings, "--rootdir", tmp_path, tmp_path]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode != 0 and "'slwo' not found in `markers`" in done.stdout
