"""The workflows and the action: what they call exists, who may write, and their scripts do what they say."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
import yaml

from analysis.data.merged import Merged
from bench.base.files import read_json
from bench.cli import lab as command_line
from tests.support.lab import ROOT
from tests.support.synthetic_run import BOTH, DESER, SER, Made

WORKFLOWS = {path.stem: yaml.safe_load(path.read_text()) for path in (ROOT / ".github/workflows").iterdir()}
BENCH, CI = WORKFLOWS["bench"], WORKFLOWS["ci"]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
PLATFORMS = ["ubuntu-24.04", "ubuntu-24.04-arm", "macos-15", "windows-2025"]
SHARDS = [1, 2, 3, 4]
NOT_FOR_PULL_REQUESTS = "github.event_name != 'pull_request'"


posix = pytest.mark.skipif(sys.platform == "win32", reason="scripts of jobs on Linux and macOS")


def scripts() -> dict[str, str]:
    """Every shell script by the job and the name of its step."""
    jobs = {f"{name}.{job}": found for name, workflow in WORKFLOWS.items() for job, found in workflow["jobs"].items()}
    steps = {job: found["steps"] for job, found in jobs.items()} | {"action": ACTION["runs"]["steps"]}
    found = {f"{job}: {step['name']}": step["run"] for job, some in steps.items() for step in some if "run" in step}
    pod = yaml.safe_load((ROOT / "images/kubernetes.yaml").read_text())["spec"]["template"]["spec"]
    found["kubernetes.yaml"] = pod["containers"][0]["args"][0]
    found["slurm.sh"] = (ROOT / "images/slurm.sh").read_text()
    return found


SCRIPTS = scripts()
PROGRAMS = ("python", "lab", "nix", "docker", "podman", "git", "gh", "rustup", "cargo", "sudo", "tar", "find")
STAND_IN = """#!/bin/sh
printf '%s\\0' "${0##*/}" "$@" >> "$CALLS"
echo >> "$CALLS"
"""
VARIABLES = {
    "PROFILE": "quick",
    "FILTER": ".",
    "SHARD": "1",
    "SHARDS": "4",
    "ROUNDS": "10",
    "SEED": "7",
    "GITHUB_RUN_NUMBER": "7",
    "SLURM_ARRAY_JOB_ID": "7",
    "SLURM_ARRAY_TASK_ID": "1",
    "JOB_COMPLETION_INDEX": "0",
}
"""What the services that start the scripts fill in."""


def calls_of_the_lab(script: str, folder: Path) -> list[list[str]]:
    """The words with which a script calls the lab, every program that it starts being a stand-in that writes them down."""
    (folder / "bin").mkdir()
    for name in PROGRAMS:
        (folder / "bin" / name).write_text(STAND_IN)
        (folder / "bin" / name).chmod(0o755)
    work = folder / "work"
    (work / f"runs/run-{PLATFORMS[0]}-1").mkdir(parents=True)
    given = {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "CALLS": str(folder / "calls")}
    given |= {"LAB": str(folder), "CODEC": "", "OUT": "out", "GITHUB_WORKSPACE": str(work)}
    given |= {"RUNNER_TEMP": str(folder), "GITHUB_OUTPUT": str(folder / "output")}
    subprocess.run(
        ["bash", "-c", script, "bash", "."], cwd=work, env=VARIABLES | given, capture_output=True, check=False
    )
    text = (folder / "calls").read_text() if (folder / "calls").exists() else ""
    calls = [line.removesuffix("\0").split("\0") for line in text.splitlines()]
    return [words for words in map(words_for_the_lab, calls) if words is not None]


def words_for_the_lab(call: list[str]) -> list[str] | None:
    """What a call passes on to the lab; None where it starts something else."""
    match call:
        case ["lab", *words]:
            return words
        case ["python", "-I", program, *words] | ["python", program, *words] if Path(program).name == "lab":
            return words
        case ["nix", "run", installable, "--", *words]:
            return [installable.removeprefix(".#"), *words]
        case ["docker" | "podman", "run", *words]:
            return words[words.index("wirelab:nix") + 1 :]
    return None


def parse(words: list[str]) -> None:
    """Gives words to the command that they name, which only parses them."""
    with click.Context(command_line) as context:
        command = command_line.get_command(context, words[0])
        assert command, f"lab {words[0]}"
        command.make_context(words[0], words[1:], context)


@posix
@pytest.mark.parametrize("name", SCRIPTS)
def test_every_command_of_the_lab_is_one_that_it_takes(name: str, tmp_path: Path) -> None:
    for words in calls_of_the_lab(SCRIPTS[name], tmp_path):
        parse(words)


@posix
def test_an_option_that_there_is_not_is_seen(tmp_path: Path) -> None:
    (words,) = calls_of_the_lab('nix run .#bench -- --shart "$SHARD/$SHARDS"', tmp_path)
    with pytest.raises(click.NoSuchOption, match="--shart"):
        parse(words)


@posix
@pytest.mark.parametrize(
    ("name", "commands"),
    [
        ("bench.image: Measure", ["bench"]),
        ("bench.macos: Measure", ["bench"]),
        ("bench.merge: Say what is missing", ["merge"]),
        ("action: Measure", ["bench"]),
        ("kubernetes.yaml", ["bench"]),
        ("slurm.sh", ["bench"]),
    ],
)
def test_a_script_is_seen_to_call_the_lab(name: str, commands: list[str], tmp_path: Path) -> None:
    """Each form in which one does; or the test above would hold of nothing."""
    assert [words[0] for words in calls_of_the_lab(SCRIPTS[name], tmp_path)] == commands


def test_every_platform_is_measured_in_the_same_shards() -> None:
    jobs = BENCH["jobs"]
    assert [jobs[name]["strategy"]["matrix"]["shard"] for name in ("image", "macos", "windows")] == [SHARDS] * 3
    assert BENCH["env"]["SHARDS"] == len(SHARDS)
    measured = [*jobs["image"]["strategy"]["matrix"]["os"], jobs["macos"]["runs-on"], jobs["windows"]["runs-on"]]
    assert measured == PLATFORMS
    uploaded = {
        step["with"]["name"]
        for job in jobs.values()
        for step in job["steps"]
        if "if-no-files-found" in step.get("with", {})
    }
    assert {f"run-{name}-${{{{ matrix.shard }}}}" for name in ("${{ matrix.os }}", *PLATFORMS[2:])} <= uploaded
    for name in ("Say what is missing", "Merge shards and platforms"):
        assert f"for platform in {' '.join(PLATFORMS)};" in script_of("merge", name)
    assert jobs["merge"]["needs"] == ["build", "image", "macos", "windows"]
    assert set(BENCH[True]) == {"workflow_dispatch", "schedule", "pull_request"}  # YAML reads `on` as true


def test_everything_is_checked_on_all_platforms() -> None:
    found = [os_ for job in ("nix", "host") for os_ in CI["jobs"][job]["strategy"]["matrix"]["os"]]
    assert set(found) == set(PLATFORMS)


def test_only_jobs_that_no_pull_request_starts_may_write() -> None:
    for workflow in WORKFLOWS.values():
        assert workflow["permissions"] == {}
        assert "pull_request_target" not in workflow[True]
        assert workflow["concurrency"]
        for name, job in workflow["jobs"].items():
            if "write" in job.get("permissions", {}).values():
                assert NOT_FOR_PULL_REQUESTS in job["if"], name
                assert workflow is BENCH
            for step in job["steps"]:
                if step.get("uses", "").startswith("actions/checkout@"):
                    assert step["with"]["persist-credentials"] is False, name
                    assert "contents" in job["permissions"], name
    writing = {name for name, job in BENCH["jobs"].items() if "write" in job.get("permissions", {}).values()}
    assert writing == {"attest", "pages", "propose"}


def test_without_the_label_no_job_runs_on_a_pull_request() -> None:
    """A job that runs although others did not (`!cancelled()`) has to ask whether the first was wanted."""
    for name, job in BENCH["jobs"].items():
        asks = "labels.*.name, 'bench')" in job.get("if", "")
        heeds = "needs.build.result != 'skipped'" in job.get("if", "") or NOT_FOR_PULL_REQUESTS in job.get("if", "")
        waits = "needs" in job and "if" not in job  # success(), which a skipped job is not
        assert asks or heeds or waits, name


def script_of(job: str, name: str) -> str:
    return next(str(step["run"]) for step in BENCH["jobs"][job]["steps"] if step["name"] == name)


def run(script: str, folder: Path, **variables: str) -> "subprocess.CompletedProcess[str]":
    """A script as the runners start it, with `python lab` as the lab of this checkout."""
    bin_ = folder.parent / "bin"
    bin_.mkdir(exist_ok=True)
    if not (bin_ / "python").exists():
        (bin_ / "python").symlink_to(sys.executable)
    if not (folder / "lab").exists():
        (folder / "lab").write_text(
            f"import subprocess, sys\nsys.exit(subprocess.call([{sys.executable!r}, '-m', 'bench.cli', *sys.argv[1:]]))\n"
        )
    environment = os.environ | {
        "PATH": f"{bin_}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "RUNNER_TEMP": str(folder.parent),
    }
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=folder,
        env=environment | variables,
        capture_output=True,
        text=True,
        check=False,
    )


def shard(path: Path, of: str, scenario: str, platform: str, cpu: str = "Synthetic CPU") -> Path:
    Made(scenario, rounds=3).codec("rust/postcard", {SER: 3, DESER: 2, BOTH: 6}).write(path)
    text = (path / "run.json").read_text()
    for old, new in (
        ('"shard": null', f'"shard": "{of}"'),
        ('"filters": [\n   "process-created"\n  ]', '"filters": []'),
        ("20250102T030405Z-linux-x86_64-abcdef", path.name),
        ('"platform": "linux-x86_64"', f'"platform": "{platform}"'),
        ("Synthetic CPU", cpu),
    ):
        assert old in text
        text = text.replace(old, new)
    (path / "run.json").write_text(text)
    return path


@posix
def test_the_last_job_merges_what_is_there_and_names_what_is_not(tmp_path: Path) -> None:
    """Linux of two processors, one shard of macOS without a sample, neither ARM nor Windows."""
    work = tmp_path / "work"
    for number, scenario in enumerate(("enum-fields", "point"), start=1):
        shard(work / f"runs/run-ubuntu-24.04-{number}", f"{number}/2", scenario, "linux-x86_64", f"CPU {number}")
        shard(work / f"runs/run-macos-15-{number}", f"{number}/2", scenario, "macos-aarch64")
    for name in ("samples", "processes"):
        (work / f"runs/run-macos-15-2/{name}.jsonl").write_text("")

    said = run(script_of("merge", "Say what is missing"), work, SHARDS="2")
    assert said.returncode == 0, said.stderr
    assert re.findall("::warning::(.*)", said.stdout) == [
        *(f"ubuntu-24.04-arm: shard {shard}/2 left no run" for shard in (1, 2)),
        "macos-15: shard 2/2 is set aside; the message above tells why",
        *(f"windows-2025: shard {shard}/2 left no run" for shard in (1, 2)),
    ]
    assert "holds no sample and no error row" in said.stderr
    assert [path.name for path in (work / "aside").iterdir()] == ["run-macos-15-2"]

    merged = run(script_of("merge", "Merge shards and platforms"), work)
    assert merged.returncode == 0, merged.stderr
    assert "environment.cpu.model: 'CPU 1' in run-ubuntu-24.04-1, but 'CPU 2' in run-ubuntu-24.04-2" in merged.stderr
    assert re.findall("::warning::the runs of (.*) do not", merged.stdout) == ["ubuntu-24.04"]
    assert [path.name for path in (work / "merged").iterdir()] == ["macos-15"]
    assert len(read_json(work / "merged/macos-15/merged.json", Merged).runs) == 1

    for path in (work / "runs").glob("run-ubuntu-*"):  # one run will do for the report
        shutil.rmtree(path)
    report = run(script_of("merge", "Write the report"), work)
    assert report.returncode == 0, report.stderr
    assert (work / "site/index.html").exists()
    assert (work / "site/runs/run-macos-15-1/run.json").exists()
    assert (work / "site/merged/macos-15/merged.json").exists()


@posix
def test_new_results_take_the_place_of_those_before_and_are_proposed_whole(tmp_path: Path) -> None:
    """With a stand-in for `gh`, and for the lab, whose pages lie where the lab is."""
    work, origin = tmp_path / "work", tmp_path / "origin.git"
    variables = {
        "HOME": str(tmp_path),
        "GITHUB_RUN_ID": "77",
        "GITHUB_SERVER_URL": "https://example.org",
        "GITHUB_REPOSITORY": "o/r",
        "BASE": "main",
        "LOG": str(tmp_path / "log"),
    }
    subprocess.run(["git", "init", "-q", "--bare", str(origin)], check=True)
    subprocess.run(["git", "clone", "-q", str(origin), str(work)], check=True, capture_output=True)
    (work / "results/github-macos-15-1").mkdir(parents=True)
    (work / "results/github-macos-15-1/run.json").write_text("old")
    (tmp_path / "site/runs/run-macos-15-1").mkdir(parents=True)
    (tmp_path / "site/runs/run-macos-15-1/run.json").write_text("new")
    pages = ["RESULTS.md", "RESULTS.svg", "README.md"]
    (work / "lab").write_text(
        f"import sys\nassert sys.argv[1:] == ['results']\nfor name in {pages}:\n    open(name, 'w').write('new')\n"
    )
    gh = tmp_path / "bin/gh"
    gh.parent.mkdir()
    gh.write_text('#!/bin/sh\nprintf "%s\\n" "$*" >> "$LOG"\n')
    gh.chmod(0o755)
    for name in ("Write RESULTS.md anew", "Open the pull request"):
        done = run(script_of("propose", name), work, **variables)
        assert done.returncode == 0, done.stderr
    branch = subprocess.run(
        ["git", "branch", "--list", "results-*"], cwd=origin, capture_output=True, text=True, check=True
    ).stdout.split()[-1]
    listed = subprocess.run(
        ["git", "ls-tree", "-r", "--name-only", branch], cwd=origin, capture_output=True, text=True, check=True
    ).stdout.split()
    assert sorted(listed) == sorted([*pages, "results/github-macos-15-1/run.json"])
    assert (work / "results/github-macos-15-1/run.json").read_text() == "new"
    told = (tmp_path / "log").read_text()
    assert told.startswith("auth setup-git\npr create --base main --head results-")
    assert "/o/r/actions/runs/77" in told


@pytest.fixture
def action(tmp_path: Path) -> Path:
    """A copy of the lab with stand-ins for the programs that the action calls; they write down how."""
    lab, bin_ = tmp_path / "lab", tmp_path / "bin"
    for path in (bin_, lab / ".lab/uv/bin", *(lab / f"runners/{name}/codecs" for name in ("rust", "cpp", "python"))):
        path.mkdir(parents=True)
    for path in (*(bin_ / name for name in ("python", "cargo", "rustup")), lab / ".lab/uv/bin/uv"):
        path.write_text('#!/bin/sh\necho "${0##*/} $* [$LAB_REVISION]" >> "$LOG"\n')
        path.chmod(0o755)
    (tmp_path / "workspace/mine/src").mkdir(parents=True)
    (tmp_path / "workspace/mine/Cargo.toml").write_text("")
    return lab


def act(lab: Path, **changes: str) -> "tuple[subprocess.CompletedProcess[str], list[str]]":
    folder = lab.parent
    given = {
        "LAB": str(lab),
        "LAB_REVISION": "v1",
        "FILTER": ".",
        "PROFILE": "quick",
        "CODEC": "",
        "CODEC_LANGUAGE": "rust",
        "OUT": "out",
        "GITHUB_WORKSPACE": str(folder / "workspace"),
        "GITHUB_OUTPUT": str(folder / "output"),
        "LOG": str(folder / "log"),
    }
    done = run(ACTION["runs"]["steps"][-1]["run"], folder / "workspace", **given | changes)
    log = folder / "log"
    lines = log.read_text().replace(str(folder), "…").splitlines() if log.exists() else []
    log.unlink(missing_ok=True)
    return done, lines


MEASURE = "python -I …/lab/lab bench --filter=. --profile=quick --out=…/workspace/out"


@posix
def test_the_action_runs_the_lab(action: Path) -> None:
    done, calls = act(action)
    assert done.returncode == 0, done.stderr
    assert calls == ["rustup toolchain install [v1]", f"{MEASURE} [v1]"]
    assert (action.parent / "output").read_text() == "run=out\n"


@posix
@pytest.mark.parametrize("path", ["mine", "mine/"])
def test_the_action_takes_a_codec_of_another_repository(action: Path, path: str) -> None:
    for _ in range(2):  # in one job twice
        done, calls = act(action, CODEC=path)
        assert done.returncode == 0, done.stderr
        assert calls == [
            "rustup toolchain install [v1]",
            "cargo update --workspace [v1-dirty]",
            f"{MEASURE} [v1-dirty]",
        ]
        assert sorted(p.name for p in (action / "runners/rust/codecs/mine").iterdir()) == ["Cargo.toml", "src"]
    assert act(action, CODEC=path, CODEC_LANGUAGE="python")[1][1:3] == [
        "python -I …/lab/lab --version [v1-dirty]",
        "uv lock --project …/lab [v1-dirty]",
    ]
    assert act(action, CODEC=path, CODEC_LANGUAGE="cpp", LAB_REVISION="")[1][-1] == f"{MEASURE} []"


@posix
def test_the_action_says_what_is_wrong(action: Path) -> None:
    for changes, message in (
        ({"CODEC": "yours"}, "::error::the folder yours is not there; check the repository out first"),
        (
            {"CODEC": "mine", "CODEC_LANGUAGE": "cobol"},
            "::error::cobol is no language of the lab; it has: cpp python rust",
        ),
    ):
        done, calls = act(action, **changes)
        assert done.returncode == 1
        assert message in done.stdout
        assert not any("bench" in call for call in calls)


ODD = {
    "codec": [
        "/",
        "//",
        ".",
        "./",
        "..",
        "mine/..",
        "../workspace/mine",
        "mine/.",
        "./mine",
        "mine//src",
        "/etc",
        "-mine",
        "mine/Src",
        "my codec",
        "my_codec",
        "mine-",
        "$(touch owned)",
        "mine\nout=1",
        "C:\\mine",
        "link",
        "link/src",
        "holds-link",
    ],
    "language": ["", "/", "..", "rust/../cpp", "../runners/rust", "rust/codecs/..", "RUST", "rust\n", "-rust"],
    "profile": ["", "fast", "quick --cold", "quick\nrun=x", "--help"],
    "out": ["", "/", "/tmp/out", ".", "..", "a/../..", "./a", "a//b", "-out", "a\nrun=b", "a\r", "link/out", "C:\\out"],
    "filter": ["-f", "--help", "a\nb", "a\x1b[2J"],
}
"""What an input may not be. In the workspace lie `link`, which leads out of it, and `holds-link`, in which one does."""


@posix
@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in ODD.items() for value in values])
def test_the_action_refuses_odd_inputs_and_has_then_touched_nothing(action: Path, name: str, value: str) -> None:
    outside, workspace = action.parent / "outside", action.parent / "workspace"
    for folder in (
        outside / "src",
        workspace / "holds-link",
        *(workspace / odd for odd in ("my codec", "my_codec", "mine-")),
    ):
        folder.mkdir(parents=True)
    (workspace / "link").symlink_to(outside)
    (workspace / "holds-link" / "main.rs").symlink_to("/etc/passwd")
    (action / "runners/rust/codecs/own").mkdir()
    (workspace / "lab").touch()  # or `run` would write it
    before = everything(action.parent)
    variable = {"codec": "CODEC", "language": "CODEC_LANGUAGE", "profile": "PROFILE", "out": "OUT", "filter": "FILTER"}[
        name
    ]
    done, calls = act(action, **{"CODEC": "mine"} | {variable: value})
    assert done.returncode == 1, done.stdout
    assert re.fullmatch("::error::[^\n\r\x1b]+\n", done.stdout), done.stdout
    assert calls == []
    assert everything(action.parent) == before


def everything(folder: Path) -> list[Path]:
    """What lies in a folder, but for the programs that the action is given."""
    return sorted(path for path in folder.rglob("*") if folder / "bin" not in path.parents)


@posix
@pytest.mark.parametrize("out", ["out", "a/b", "runs/2026.11", "with space"])
def test_the_action_takes_paths_of_the_workspace(action: Path, out: str) -> None:
    done, calls = act(action, OUT=out)
    assert done.returncode == 0, done.stdout
    assert (action.parent / "output").read_text() == f"run={out}\n"
    assert calls[-1].endswith(f"--out=…/workspace/{out} [v1]")
