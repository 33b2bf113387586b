"""`lab bench` scenario by scenario: what is built when, tables in between, and interruptions at every step."""

import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.base import paths
from bench.records.run_file import read_run, read_run_file
from tests.support.kills import assert_complete, wait_for
from tests.support.lab import LAB, ROOT, Lab, know_processor

pytestmark = pytest.mark.skipif(
    not paths.hyperfine().exists(), reason="hyperfine is not built: `./lab bench` builds it"
)
MEASURED = ("bench", "-f", "good point", "-f", "late process-created", "--rounds", "2", "--seed", "7")
UNTIMED_STEPS = ("provide", "build late", "describe", "encode process-created")
"""Steps that time nothing, and are the same in every profile: the run that is interrupted in one is a quick one."""


class StagedLab(Lab):
    """`lab` over the fakes `good` and `late`, of which `late` takes long to build."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.log, self.held = folder, folder / "log", folder / "hold"
        tools = {"LAB_HYPERFINE": str(paths.hyperfine())}
        know_processor(folder / "work")
        files = {"LAB_WORK": str(folder / "work"), "FAKE_LOG": str(self.log), "FAKE_HOLD": str(self.held)}
        self.environment = os.environ | tools | files | {"NO_COLOR": "1", "COLUMNS": "200"}
        self.environment.pop("LAB_RUNNERS", None)

    def start(self, *arguments: str, **options: object) -> "subprocess.Popen[str]":
        """Starts `lab` and does not wait for it."""
        command = [sys.executable, "-m", "tests.bench.measuring.staged_lab", "good=1,late=100", *arguments]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen(command, cwd=ROOT, env=self.environment, text=True, **(pipes | options))

    def hold(self, step: str) -> None:
        """Has it wait at a step."""
        self.held.write_text(step)

    def events(self) -> list[str]:
        """What happened, in its order."""
        return self.log.read_text().splitlines()


@pytest.fixture
def staged(tmp_path: Path) -> Iterator[StagedLab]:
    lab = StagedLab(tmp_path)
    yield lab
    lab.held.unlink(missing_ok=True)  # a build that still waits ends


def first(events: list[str], start: str) -> int:
    return next(number for number, event in enumerate(events) if event.startswith(start))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], "subprocess.CompletedProcess[str]"]:
    """What happened in a run that nobody interrupts, in its order, and what it said."""
    folder = tmp_path_factory.mktemp("whole")
    lab = StagedLab(folder)
    done = lab(*MEASURED, "--out", str(folder / "run"))
    return lab.events(), done


def test_each_scenario_is_built_proved_measured_and_shown_before_the_next_is_begun(whole):
    events, done = whole
    of_point = first(events, "begin build late")
    wanted = ["build good", "encode point", "pilot point", "measure point", "table point"]
    places = [first(events, f"begin {step}") for step in wanted]
    assert places == sorted(places)
    assert all("process-created" not in event for event in events[:of_point])
    assert all("point" not in event for event in events[of_point:])
    assert done.stdout.index("(point)") < done.stdout.index("(process-created)")
    assert done.stdout.count("Machine: ") == 1
    assert "2 of 2" in done.stderr


def test_what_all_builds_need_is_downloaded_before_the_first(whole):
    events, _ = whole
    assert events[0] == "begin provide good late"


def test_nothing_else_happens_while_a_loop_is_timed(whole):
    events, _ = whole
    running: list[str] = []
    for event in events:
        word, _, what = event.partition(" ")
        if word == "begin":
            assert not any(other.startswith("measure") for other in running), f"{what} during {running}"
            assert not (what.startswith("measure") and running), f"{running} during {what}"
            running.append(what)
        else:
            running.remove(what)
    assert any(event.startswith("begin measure") for event in events)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has one way to end a process")
@pytest.mark.parametrize(
    ("step", "end"),
    [
        ("build late", signal.SIGINT),
        ("measure process-created", signal.SIGINT),
        ("table point", signal.SIGINT),
        # What ends without a word leaves what it was writing: a manifest, samples, a table.
        ("measure process-created", signal.SIGKILL),
        *(
            pytest.param(*one, marks=pytest.mark.slow)
            for one in (
                ("provide", signal.SIGKILL),  # in a terminal Ctrl-C ends the downloads themselves, and this has none
                ("build late", signal.SIGKILL),
                ("describe", signal.SIGINT),
                ("encode process-created", signal.SIGINT),
                ("pilot process-created", signal.SIGINT),
                ("table process-created", signal.SIGINT),
                ("table process-created", signal.SIGKILL),
            )
        ),
    ],
)
def test_a_run_that_is_interrupted_at_any_step_is_completed_by_resume(staged, tmp_path, step, end):
    run = tmp_path / "run"
    staged.hold(step)
    profile = ("--profile", "quick") if step in UNTIMED_STEPS else ()
    process = staged.start(*MEASURED, *profile, "--out", str(run))
    wait_for(lambda: Path(f"{staged.held}.reached").exists() or process.poll() is not None)
    assert process.poll() is None, process.communicate()
    process.send_signal(end)
    _, said = process.communicate(timeout=60)
    assert "Traceback" not in said
    if end == signal.SIGINT:
        assert "--resume" in said
        assert process.returncode == 1
    staged.held.unlink()
    before = read_run(run)
    assert before.run.finished is None
    done = staged("bench", "--resume", str(run))
    assert_complete(run)
    after = read_run(run)
    assert after.run.pending == []
    assert after.processes[: len(before.processes)] == before.processes
    assert (after.run.plan.order, after.run.plan.seed) == (["point", "process-created"], 7)
    assert "(point)" in done.stdout and "(process-created)" in done.stdout
    verification = json.loads((run / "verify.json").read_text())
    assert sorted((v["codec"], v["scenario"]) for v in verification["verified"]) == [
        ("fake/good", "point"),
        ("fake/late", "process-created"),
    ]


def test_what_is_measured_so_far_is_a_run_and_what_is_to_come_is_said(staged, tmp_path):
    run = tmp_path / "run"
    staged.hold("build late")
    process = staged.start(*MEASURED, "--out", str(run))
    wait_for(lambda: Path(f"{staged.held}.reached").exists())
    process.kill()
    process.communicate()
    recorded = read_run_file(run)
    assert recorded.pending == ["process-created"]
    assert {planned.cell.scenario for planned in recorded.plan.cells} == {"point"}
    shown = staged("table", str(run)).stdout
    assert "Still to come: process-created." in shown
    assert "(point)" in shown
    assert "This scenario is not finished" not in shown
    for command in ("variance", "rank", "claims", "network", "compare"):
        staged(command, str(run), *[str(run)] * (command == "compare"), code=None)
    staged("merge", str(run), "-o", str(tmp_path / "merged"))
    staged("export", str(run), "--as", "csv", "-o", str(tmp_path / "exported"), code=None)
    staged("report", str(run), "-o", str(tmp_path / "report"))


def test_a_dry_run_builds_nothing_and_says_what_would_be_built_in_which_order(staged):
    done = staged(*MEASURED, "--dry-run", "-v")
    assert not staged.log.exists()
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines if line[:1].isalpha()][:2] == ["point", "process-created"]
    assert "3 cells of 1 codec, 2 rounds" in lines[0]
    assert "1 to build first, about 1 min 40 s" in next(line for line in lines if line.startswith("process-created"))
    assert "    fake/late process-created serialize buffer=reused" in lines
    assert "2 scenarios, 6 cells of 2 codecs" in done.stdout
    assert "stands soonest" in done.stdout


def test_once_all_is_built_a_dry_run_says_so(staged, tmp_path):
    staged("bench", "--profile", "quick", "-f", "process-created", "-f", "point", "--out", str(tmp_path / "run"))
    done = staged(*MEASURED, "--dry-run")
    assert "to build" not in done.stdout
    assert "publication by publication" in done.stdout


def test_a_selection_that_has_nothing_is_refused_before_anything_is_built(staged):
    assert "no cell matches" in staged("bench", "-f", "nobody", code=69).stderr
    assert "no cell matches" in staged("bench", code=69).stderr, "no publication has a row of a fake"
    assert not staged.log.exists()


def test_all_takes_what_no_publication_has(staged, tmp_path):
    staged("bench", "--all", "--profile", "quick", "--out", str(tmp_path / "run"))
    run = read_run_file(tmp_path / "run")
    assert len(run.plan.cells) == 12
    assert (run.plan.scope, run.plan.filters) == ("all", [])


def test_cold_files_and_sweeps_are_asked_for_with_a_filter_or_all(staged):
    for option in ("--cold", "--sweep"):
        assert "give -f or --all" in staged("bench", option, code=2).stderr


def test_a_budget_is_shared_by_the_scenarios(staged, tmp_path):
    arguments = ("bench", "-f", "good point", "-f", "late process-created serialize", "--budget", "12s")
    staged(*arguments, "--out", str(tmp_path / "run"))
    plan = read_run_file(tmp_path / "run").plan
    assert plan.total_budget_s == 12
    assert plan.budget_s == {"point": 9, "process-created": 3}
    assert "--budget 12s" in staged("table", str(tmp_path / "run")).stdout


@pytest.mark.skipif(sys.platform != "linux", reason="namespaces are Linux's")
def test_once_the_runners_are_built_no_network_is_needed(fake_lab, tmp_path):
    alone = ["unshare", "--net", "--map-root-user"]
    if not shutil.which("unshare") or subprocess.run([*alone, "true"], check=False, capture_output=True).returncode:
        pytest.skip("this machine does not let us take the network away")
    lab, run = fake_lab(), tmp_path / "run"
    command = [*alone, *LAB, "bench", "--profile", "quick", "-f", "good process-created", "--out", str(run)]
    done = subprocess.run(command, cwd=ROOT, env=lab.environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert_complete(run)


# In a terminal

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def on_terminal(lab: Lab, *arguments: str) -> str:
    """What a command shows in a terminal, without what moves and colours it."""
    ours, theirs = pty.openpty()
    process = lab.start(*arguments, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    shown = bytearray()
    while select.select([ours], [], [], 120)[0]:
        try:
            shown += os.read(ours, 1 << 16)
        except OSError:  # closed by its last writer
            break
    process.wait(timeout=60)
    os.close(ours)
    return ESCAPES.sub("", shown.decode()).replace("\r", "")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such terminals")
def test_in_a_terminal_a_bar_shows_the_total_and_leaves_tables_whole(staged, tmp_path):
    run = tmp_path / "run"
    shown = on_terminal(staged, *MEASURED, "--out", str(run))
    assert re.search(r"\d+ % of about .*, about .* left: point round 1", shown)
    for scenario in ("point", "process-created"):
        table = on_terminal(staged, "table", str(run), "--scenario", scenario)
        assert f"({scenario})" in table
        assert table.strip() in shown
