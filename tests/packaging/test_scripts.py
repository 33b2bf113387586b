"""Scripts of workflows, of the action and of clusters: the lab takes every command that they give it."""

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
import yaml

from bench.cli import lab as command_line
from tests.support.lab import ROOT
from tests.support.scripts import ACTION, WORKFLOWS

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="scripts of jobs on Linux and macOS")


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
    "PROFILE": "published",
    "FILTER": "a b",
    "ALL": "true",
    "BUDGET": "30m",
    "SHARD": "1",
    "SHARDS": "4",
    "SEED": "7",
    "GITHUB_RUN_NUMBER": "7",
    "GITHUB_SERVER_URL": "https://example.org",
    "GITHUB_REPOSITORY": "owner/wirelab",
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
    (work / "runs/run-ubuntu-24.04-1").mkdir(parents=True)
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


@pytest.mark.parametrize("name", SCRIPTS)
def test_every_command_of_the_lab_is_one_that_it_takes(name: str, tmp_path: Path) -> None:
    for words in calls_of_the_lab(SCRIPTS[name], tmp_path):
        parse(words)


MEASURING = ["bench.image: Measure", "bench.macos: Measure", "bench.windows: Measure"]


@pytest.mark.parametrize("name", MEASURING)
def test_every_platform_is_measured_with_the_same_words(name: str, tmp_path: Path) -> None:
    ((*words, out),) = calls_of_the_lab(SCRIPTS[name], tmp_path)
    asked = ["--profile", "published", "--budget", "30m", "--filter=a b", "--all"]
    assert words == ["bench", *asked, "--shard", "1/4", "--seed", "7", "--out"]
    assert Path(out).name == "run"


def test_an_option_that_there_is_not_is_seen(tmp_path: Path) -> None:
    (words,) = calls_of_the_lab('nix run .#bench -- --shart "$SHARD/$SHARDS"', tmp_path)
    with pytest.raises(click.NoSuchOption, match="--shart"):
        parse(words)


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
