"""Own processes and own folders only: what a runner starts ends with it, and nothing else is touched."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import closing, suppress
from itertools import product
from pathlib import Path

import psutil
import pytest

from bench.base import paths
from bench.base.files import sha256_of
from bench.base.scratch import clear_abandoned, end_left_over, remove_tree, scratch_folders, wait_for_clearing
from bench.base.supervision import POOL, Command, Pool, Supervisor, output_limit
from bench.base.supervisor import LEADER, MARK, identity_of, place_of
from bench.building.runner import Runner, RunnerError
from bench.measuring.request import file_bytes
from bench.model.cells import Cell, Conditions, Operation
from bench.model.description import RunnerEntry
from bench.model.plan import Unencoded
from bench.records.run_file import read_run
from tests.support.kills import QUICK, assert_complete, wait_for
from tests.support.lab import LAB, Lab, fake_entry
from tests.support.processes import peak_memory, strays
from tests.support.scenarios.committed import committed_scenarios

needs_hyperfine = pytest.mark.skipif(
    not paths.hyperfine().exists(), reason="hyperfine is not built: `./lab bench` builds it"
)
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux keeps a daemon in its family")
SLEEP = "import time; time.sleep(3600)"
HOLD = "import sys, time; file = open(sys.argv[1], 'ab'); print('open', flush=True); time.sleep(float(sys.argv[2]))"


@pytest.fixture
def bystanders(tmp_path):
    """Starts processes that are none of the lab's, with words of our choice on their command lines."""
    started = []

    def start(*words: str) -> subprocess.Popen:
        started.append(subprocess.Popen([sys.executable, "-c", SLEEP, *words]))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def recorded_once(tmp_path_factory):
    folder = tmp_path_factory.mktemp("recorded")
    lab = Lab(folder, [fake_entry("good"), fake_entry("still", "control")])
    lab(*QUICK, "-f", "point serialize", "--out", str(folder / "run"))
    return folder / "run", lab


@pytest.fixture
def recorded_run(recorded_once, tmp_path):
    """A run of a test's own, and the lab that it is of."""
    run, lab = recorded_once
    return Path(shutil.copytree(run, tmp_path / "run")), lab


def interrupted(lab, run: Path, *more: str) -> None:
    """A run whose driver was killed while a runner hung."""
    process = lab.start(*QUICK, "-f", "point", "--limit", "3", *more, "--out", str(run))
    wait_for(lambda: strays(run) or process.poll() is not None)
    process.kill()
    process.communicate()


@needs_hyperfine
def test_resume_leaves_processes_alone_whose_command_lines_hold_names_of_its_folder(fake_lab, tmp_path, bystanders):
    run, lab = tmp_path / "run", fake_lab(bad="hang")
    interrupted(lab, run)
    scratch = [str(path) for path in scratch_folders(run)]
    others = [bystanders(words) for words in ("work", str(run), str(run)[:-1], f"{run}/work", *scratch)]
    done = subprocess.run(
        [sys.executable, "-m", "bench.cli", "bench", "--resume", "."],
        cwd=run,
        env=lab.environment | {"PYTHONPATH": str(paths.ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr  # the one that hangs has error rows
    assert_complete(run)
    assert [one.poll() for one in others] == [None] * len(others)


@needs_hyperfine
def test_what_runs_on_after_driver_and_supervisors_were_killed_is_ended_by_resume(fake_lab, tmp_path):
    run, lab = tmp_path / "run", fake_lab(bad="hang")
    process = lab.start(*QUICK, "-f", "bad point serialize", "--limit", "2", "--out", str(run))
    wait_for(lambda: strays(run))
    supervisors = [json.loads((path / MARK).read_text())["supervisor"]["pid"] for path in scratch_folders(run)]
    process.kill()
    for pid in supervisors:
        os.kill(pid, signal.SIGKILL)
    process.communicate()
    left = strays(run)
    assert left
    lab("bench", "--resume", str(run), code=1)
    wait_for(lambda: not any(map(is_running, left)))  # the system takes a moment to end what was killed
    assert not scratch_folders(run)


def is_running(pid: int) -> bool:
    with suppress(psutil.NoSuchProcess):
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    return False


@needs_hyperfine
def test_a_mark_that_names_a_process_of_another_start_ends_nothing(fake_lab, tmp_path, bystanders):
    """As a run folder from elsewhere has it, or one of a process number that is given out again."""
    run, lab, other = tmp_path / "run", fake_lab(), bystanders()
    lab(*QUICK, "-f", "point serialize", "--out", str(run))
    scratch = run / "work-from-elsewhere"
    scratch.mkdir()
    false = identity_of(other.pid) | {"started": "1"}
    (scratch / MARK).write_text(json.dumps({"supervisor": false, "folder": place_of(scratch)}))
    (scratch / LEADER).write_text(json.dumps(false))
    lab("bench", "--resume", str(run))
    assert other.poll() is None
    assert not scratch.exists()


@pytest.mark.parametrize("folder", [None, [0, 0]])
def test_a_copy_of_a_scratch_folder_ends_no_process_of_the_original(tmp_path, bystanders, folder):
    """As when the folder of a run that goes on is copied, and the copy resumed."""
    other, scratch = bystanders(), tmp_path / "work-copied"
    scratch.mkdir()
    (scratch / MARK).write_text(json.dumps({"supervisor": identity_of(other.pid), "folder": folder}))
    (scratch / LEADER).write_text(json.dumps(identity_of(other.pid)))
    wait_for_clearing(tmp_path)
    assert other.poll() is None
    assert not scratch.exists()
    scratch.mkdir()
    (scratch / MARK).write_text(json.dumps({"supervisor": identity_of(other.pid), "folder": place_of(scratch)}))
    end_left_over(scratch)
    assert other.wait(10) is not None, "what its own supervisor left is ended"


def test_what_other_drivers_use_is_not_cleared(tmp_path):
    """The folders for calls are shared by all drivers of a checkout."""
    one = Supervisor(tmp_path)
    clear_abandoned(tmp_path)
    assert one.run(Command([sys.executable, "-c", "print(1)"], os.environ, 60)).stdout == b"1\n"
    os.kill(one._process.pid, signal.SIGKILL)
    one._process.wait()
    assert scratch_folders(tmp_path)
    clear_abandoned(tmp_path)
    assert not list(tmp_path.iterdir())


@on_linux
@needs_hyperfine
def test_daemons_that_runners_leave_end_with_them(fake_lab, tmp_path, monkeypatch):
    """Of describe, encode, decode and measure alike; a daemon has no parent, group or session of the lab's."""
    pids = tmp_path / "pids"
    lab = fake_lab(bad="leaves-a-daemon")
    lab.environment["FAKE_DAEMONS"] = str(pids)
    lab(*QUICK, "-f", "bad point serialize", "--out", str(tmp_path / "run"))
    daemons = [int(line) for line in pids.read_text().splitlines()]
    assert len(daemons) >= 4
    assert not [pid for pid in daemons if psutil.pid_exists(pid)]


@needs_hyperfine
@pytest.mark.parametrize("mischief", ["floods", pytest.param("talks-without-end", marks=pytest.mark.slow)])
@pytest.mark.parametrize("command", ["describe", "encode", "decode", "measure"])
def test_a_runner_that_prints_without_end_costs_an_error_and_little_memory(fake_lab, tmp_path, mischief, command):
    run, lab = tmp_path / "run", fake_lab(bad=f"{mischief}-{command}")
    code, peak, said = peak_memory([*LAB, *QUICK, "-f", "point serialize", "--out", str(run)], lab.environment)
    assert code == (0 if command == "describe" else 1), said
    assert peak < 1 << 20, "KiB"
    problem = "printed more than 1 MiB" if command == "describe" else "printed more than 64 MiB"
    assert problem in said
    processes = read_run(run).processes
    assert [p for p in processes if not p.error]
    assert {p.cell.split()[0] for p in processes if p.error} == (set() if command == "describe" else {"fake/bad"})


def test_what_a_program_may_print_grows_with_what_it_was_given():
    assert output_limit(b"") == 64 << 20
    assert output_limit(bytes(8 << 20)) == 128 << 20


def program(path: Path, text: str) -> Runner:
    """A runner that is one file, whose codec prints `text` whatever it is asked."""
    path.write_text(f"#!{sys.executable} -S\nprint({text!r})\n")
    path.chmod(0o755)
    return Runner(RunnerEntry("fake/one", [str(path)], "fake", "1.0.0", sha256_of(path), program=str(path)))


def swapped(path: Path, how: str) -> None:
    """Another program of the same size under the same name, with the same time of change."""
    before = path.stat()
    content = path.read_bytes().replace(b"good", b"evil")
    if how == "renamed":
        other = path.with_name("other")
        other.write_bytes(content)
        other.chmod(0o755)
        other.replace(path)
    else:
        path.write_bytes(content)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    after = path.stat()
    assert (after.st_size, after.st_mtime_ns) == (before.st_size, before.st_mtime_ns)


@pytest.mark.parametrize("how", ["renamed", "overwritten"])
def test_a_program_of_the_same_size_and_time_is_not_taken_for_the_one_that_was_proved(tmp_path, how):
    runner = program(tmp_path / "program", "good")
    assert runner.call(["describe"]) == b"good\n"
    swapped(runner.program, how)
    with pytest.raises(RunnerError, match="not the file that was built"):
        runner.call(["describe"])


@pytest.mark.parametrize("how", ["renamed", "overwritten"])
def test_a_program_that_is_swapped_after_it_was_hashed_does_not_run(tmp_path, how):
    runner = program(tmp_path / "program", "good")
    hashed = runner.proved()
    swapped(runner.program, how)
    done = POOL.run(Command(runner.command, os.environ, 60, program=hashed))
    assert done.changed
    assert not done.stdout


def test_a_program_that_is_swapped_while_it_runs_gives_nothing(tmp_path):
    started = tmp_path / "started"
    runner = program(tmp_path / "program", "good")
    runner.program.write_text(
        f"#!{sys.executable} -S\nimport time\nopen({str(started)!r}, 'w').close()\ntime.sleep(1)\nprint('good')\n"
    )
    runner = Runner(RunnerEntry("fake/one", [str(runner.program)], "fake", "1.0.0", sha256_of(runner.program)))
    pid = os.fork()
    if pid == 0:
        while not started.exists():
            time.sleep(0.01)
        swapped(runner.program, "renamed")
        os._exit(0)
    with pytest.raises(RunnerError, match="not the one that was verified"):
        runner.call(["describe"])
    os.waitpid(pid, 0)


@on_linux
def test_a_program_runs_by_the_descriptor_that_was_hashed(tmp_path):
    """So that a name that leads elsewhere a moment later changes nothing."""
    runner = Runner(
        RunnerEntry("fake/cat", ["/bin/cat", "/proc/self/cmdline"], None, None, sha256_of(Path("/bin/cat")))
    )
    done = POOL.run(Command([*runner.command], os.environ, 60, program=runner.proved()))
    assert done.stdout.split(b"\0")[0] == b"/proc/self/fd/100"


LINKED = [
    "run.json",
    "verify.json",
    "samples.jsonl",
    "processes.jsonl",
    "pending.json",
    "pending.tmp",
    ".reserve",
    ".lock",
]


def leading_out() -> list[object]:
    """Every name as a link, every kind under one name; the other pairs are slow."""
    return [
        pytest.param(name, kind, marks=() if kind == "link" or name == "samples.jsonl" else pytest.mark.slow)
        for name, kind in product([*LINKED, "work-0", "letter"], ["link", "hard link", "pipe", "socket"])
    ]


@needs_hyperfine
@pytest.mark.parametrize(("name", "kind"), leading_out())
def test_resume_opens_nothing_that_leads_out_of_the_run_folder(recorded_run, tmp_path, kind, name):
    run, lab = recorded_run
    victim, entry = tmp_path / "victim", run / name
    content = entry.read_bytes() if entry.exists() else b"dear\n"
    victim.write_bytes(content)
    entry.unlink(missing_ok=True)
    if kind == "link":
        entry.symlink_to(victim)
    elif kind == "hard link":
        os.link(victim, entry)
    elif kind == "pipe":
        os.mkfifo(entry)
    else:
        os.mknod(entry, 0o600 | 0o140000)
    before = {path: path.lstat().st_mtime_ns for path in run.iterdir()}
    said = lab("bench", "--resume", str(run), code=69).stderr
    assert name in said.splitlines()[-1]
    assert victim.read_bytes() == content
    assert {path: path.lstat().st_mtime_ns for path in run.iterdir()} == before


@needs_hyperfine
def test_resume_removes_no_folder_without_the_mark_and_none_behind_a_link(recorded_run, tmp_path):
    run, lab = recorded_run
    mine, named = run / "work-of-mine", run / "work"
    for folder in (mine, named):
        folder.mkdir()
        (folder / "letter").write_text("dear")
    linked = run / "work-with-a-linked-mark"
    linked.mkdir()
    (linked / MARK).symlink_to(run / "run.json")
    lab("bench", "--resume", str(run))
    assert (mine / "letter").read_text() == (named / "letter").read_text() == "dear"
    assert linked.is_dir()


@needs_hyperfine
@pytest.mark.parametrize(
    "name",
    [
        b"a\nb",
        b"\xff\xfe",
        b"--help",
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in (b"-x", b'it\'s "quoted" $HOME `id`', b"\x1b]0;title\x07", "naïve 数".encode())
        ),
    ],
)
def test_any_name_of_a_run_folder_works_and_harms_no_neighbour(fake_lab, tmp_path, name):
    lab = fake_lab()
    parent = tmp_path / "runs"
    parent.mkdir()
    run = parent / os.fsdecode(name)
    neighbour = parent / os.fsdecode(name.split(b"\n")[0] + b" work")
    neighbour.mkdir()
    (neighbour / "letter").write_text("dear")
    start = [sys.executable, "-m", "bench.cli", *QUICK, "-f", "point serialize"]
    environment = lab.environment | {"PYTHONPATH": str(paths.ROOT)}
    first = subprocess.run([*start, f"--out={run.name}"], cwd=parent, env=environment, capture_output=True, check=False)
    assert first.returncode == 0, first.stderr
    assert_complete(run)
    assert b"\x1b" not in first.stdout + first.stderr
    again = [sys.executable, "-m", "bench.cli", "bench", f"--resume={run.name}"]
    second = subprocess.run(again, cwd=parent, env=environment, capture_output=True, check=False)
    assert second.returncode == 0, second.stderr
    assert (neighbour / "letter").read_text() == "dear"
    assert sorted(path.name for path in parent.iterdir()) == sorted([run.name, neighbour.name])


@needs_hyperfine
@pytest.mark.parametrize("mischief", ["replaces-output", "writes-many-samples", "removes-folders", "locks-out"])
def test_what_a_runner_does_to_its_folder_costs_an_error_row_and_nothing_else(fake_lab, tmp_path, mischief):
    run, lab = tmp_path / "run", fake_lab(bad=mischief)
    arguments = (*QUICK, "--rounds", "2", "-f", "point serialize", "--out", str(run))
    code, peak, said = peak_memory([*LAB, *arguments], lab.environment)
    assert code == 1, said
    assert peak < 1 << 19, "KiB"
    assert_complete(run)
    assert {p.cell.split()[0] for p in read_run(run).processes if p.error} == {"fake/bad"}
    assert not scratch_folders(run)


@needs_hyperfine
@pytest.mark.parametrize("mischief", ["describes-deep", "describes-no-text", "describes-at-length"])
def test_a_description_that_is_none_makes_its_codec_unavailable_and_the_run_readable(fake_lab, tmp_path, mischief):
    run, lab = tmp_path / "run", fake_lab(bad=mischief)
    said = lab(*QUICK, "-f", "point serialize", "--out", str(run)).stderr
    assert "fake/bad is unavailable: describe" in said
    assert len(said) < 20_000
    lab("table", str(run))


@pytest.mark.slow
@needs_hyperfine
@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="descriptors are counted in /proc")
def test_error_rows_cost_no_descriptors(fake_lab, tmp_path):
    run, lab = tmp_path / "run", fake_lab(bad="fails")
    process = lab.start(*QUICK, "--rounds", "60", "-f", "point serialize", "--out", str(run))
    most = 0
    while process.poll() is None:
        try:
            most = max(most, len(list(Path(f"/proc/{process.pid}/fd").iterdir())))
        except OSError:
            break
        time.sleep(0.05)
    process.communicate()
    assert len([p for p in read_run(run).processes if p.error]) >= 60
    assert 0 < most < 20 + 4 * (os.cpu_count() or 1)


@needs_hyperfine
@pytest.mark.parametrize("command", ["describe", "encode", "decode"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_proof_ends_at_once(fake_lab, command, number):
    lab = fake_lab(bad=f"sleeps-{command}")
    process = lab.start("verify")
    wait_for(lambda: asleep(process.pid))
    process.send_signal(number)
    _, said = process.communicate(timeout=30)  # the runner has 60 s
    assert process.returncode == 1
    assert said.endswith("lab: stopped.\n")


def asleep(driver: int) -> bool:
    """Whether a fake sleeps below a driver, long enough that its other calls have come to their end."""
    for process in psutil.Process(driver).children(recursive=True):
        with suppress(psutil.Error):  # it may have ended by now
            if any("sleeps-" in word for word in process.cmdline()) and time.time() - process.create_time() > 2:
                return True
    return False


def test_a_supervisor_that_was_killed_while_it_had_nothing_to_do_costs_nothing(tmp_path):
    pool = Pool(tmp_path)
    with pool.supervisor() as one:
        process = one._process
    process.kill()
    process.wait()
    assert pool.run(Command([sys.executable, "-c", "print(1)"], os.environ, 60)).stdout == b"1\n"
    pool.close()
    assert not list(tmp_path.iterdir())


def test_a_program_ends_too_where_its_limit_is_none_that_a_system_takes(tmp_path):
    pool = Pool(tmp_path)
    assert pool.run(Command([sys.executable, "-c", "print(1)"], os.environ, 1e30)).stdout == b"1\n"
    pool.close()


@pytest.mark.parametrize("pid", [-1, 0, 1, 1 << 31, 1 << 70, "1", None])
def test_a_mark_with_an_odd_number_is_none(tmp_path, pid):
    scratch = tmp_path / "work-x"
    scratch.mkdir()
    process = {"pid": pid, "where": "", "started": "1"}
    (scratch / MARK).write_text(json.dumps({"supervisor": process, "folder": place_of(scratch)}))
    (scratch / LEADER).write_text(json.dumps(process))
    wait_for_clearing(tmp_path)
    assert not scratch.exists()


ODD = ["--limit=1e10", "--limit=nan", "--seed=9223372036854775808", "--rounds=10001", b"--not=\xff"]


@needs_hyperfine
@pytest.mark.parametrize("option", ODD)
def test_what_could_not_be_read_again_is_not_recorded(fake_lab, tmp_path, option):
    done = fake_lab()(*QUICK, "-f", "point", "--out", str(tmp_path / "run"), option, code=None)
    assert done.returncode in (2, 69)
    assert "bug in the lab" not in done.stderr
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_closed_streams_are_no_mistake(fake_lab, closed):
    lab = fake_lab()
    command = f"exec {sys.executable} -m bench.cli list {closed}"
    assert subprocess.run(["sh", "-c", command], cwd=paths.ROOT, env=lab.environment, check=False).returncode == 0


def test_a_control_may_write_files_as_large_as_those_of_the_codecs():
    """It has no encoded size, and copies as many bytes as the value has."""
    scenario = committed_scenarios()["log-large"]
    cell = Cell("rust/memcpy", scenario.name, Operation.WRITE, Conditions())
    assert file_bytes(cell, Unencoded(), scenario, 500) > 500 * scenario.data_size_bytes > 64 << 20


def test_of_a_folder_that_became_a_link_only_the_link_goes(tmp_path):
    """As a runner may leave the folder that it ran in."""
    victim, work = tmp_path / "victim", tmp_path / "process"
    victim.mkdir(mode=0o755)
    (victim / "letter").write_text("dear")
    mode = victim.stat().st_mode
    work.symlink_to(victim)
    remove_tree(work)
    assert not work.is_symlink()
    assert victim.stat().st_mode == mode
    assert (victim / "letter").read_text() == "dear"


@on_linux
@pytest.mark.parametrize(("seconds", "starts"), [("0.2", True), ("60", False)])
def test_a_program_that_somebody_writes_is_waited_for(seconds, starts, tmp_path):
    """A child that another thread forks holds a file open until it executes, also one that was just copied."""
    program = tmp_path / "program"
    shutil.copy(shutil.which("true"), program)
    with (
        subprocess.Popen([sys.executable, "-c", HOLD, program, seconds], stdout=subprocess.PIPE) as writer,
        closing(Supervisor(tmp_path)) as supervisor,
    ):
        writer.stdout.readline()
        ended = supervisor.run(Command([str(program)], dict(os.environ), 10.0))
        writer.kill()
    assert (ended.code == 0) is starts
    assert starts or "Text file busy" in ended.not_started
