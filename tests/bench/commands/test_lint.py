"""How `lab lint` runs its checks: all of them, and each that fails is named."""

import signal
import sys
from pathlib import Path
from threading import Event, Thread

import psutil
import pytest
from click.testing import CliRunner

from bench.base.paths import TOOLS_VARIABLE
from bench.commands import lint
from tests.support.kills import wait_for

WELL, ILL, ABSENT = ["cargo", "--version"], [sys.executable, "-c", "print('ill'); exit(3)"], ["no-such-tool", "x"]


def test_every_check_runs_and_those_that_failed_are_named(capsys):
    with pytest.raises(SystemExit) as ended:
        lint.run([(Path(), check) for check in (ILL, WELL, ABSENT)])
    assert ended.value.code == 1
    said = capsys.readouterr().err
    assert "lab: cargo --version\ncargo 1" in said
    assert "ill\n" in said
    assert "lab: no-such-tool x\nNo such file or directory\n" in said or sys.platform == "win32"
    failed = [line for line in said.splitlines() if line.startswith("lab: failed: ")]
    assert len(failed) == 2
    assert failed[1] == "lab: failed: no-such-tool x"


def test_all_is_well_where_no_check_fails():
    with pytest.raises(SystemExit) as ended:
        lint.run([(Path(), WELL)])
    assert ended.value.code == 0


def test_what_is_interrupted_begins_no_further_check(tmp_path):
    ended = Event()
    ended.set()
    mark = tmp_path / "mark"
    assert lint.failures([(Path(), [sys.executable, "-c", f"open({str(mark)!r}, 'w')"])], {}, ended) == []
    assert not mark.exists()


def test_an_interruption_ends_the_check_that_is_running(tmp_path):
    """Else the lab would wait for it: mypy and clippy take minutes."""
    mark = tmp_path / "mark"
    check = f"import os, time; open({str(mark)!r}, 'w').write(str(os.getpid())); time.sleep(600)"

    def interrupt() -> None:
        wait_for(lambda: mark.exists() and mark.read_text())
        signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs in the background ignores it
    try:
        Thread(target=interrupt, daemon=True).start()
        with pytest.raises(KeyboardInterrupt):
            lint.run([(Path(), [sys.executable, "-c", check])])
    finally:
        signal.signal(signal.SIGINT, before)
    assert not psutil.pid_exists(int(mark.read_text()))


@pytest.mark.parametrize(("words", "compiles"), [(["--quick"], False), ([], True)])
def test_only_the_whole_lint_compiles(monkeypatch, words, compiles):
    called, code_for = [], []
    for name in ("provide", "provide_actionlint", "write_commands"):
        monkeypatch.setattr(lint, name, lambda *_: None)
    monkeypatch.setattr(lint, "write_code", lambda language, _: code_for.append(language))
    monkeypatch.setattr(lint, "run", lambda checks, _=None: called.extend(checks) or sys.exit(0))
    monkeypatch.delenv(TOOLS_VARIABLE, raising=False)
    assert CliRunner().invoke(lint.lint, words).exit_code == 0
    assert bool(code_for) is compiles
    assert any("clippy" in command for _, command in called) is compiles
    assert any(lint.TIDY in command for _, command in called) is compiles
    assert any("mypy" in command for _, command in called)
