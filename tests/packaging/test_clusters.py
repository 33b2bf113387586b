"""The job array for Slurm and the Indexed Job for Kubernetes, with stand-ins for what starts the image."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from analysis.data.merge import merge
from bench.records.run_file import read_run
from tests.support.lab import LAB, ROOT

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="clusters of Linux nodes")
SLURM = ROOT / "images/slurm.sh"
JOB = yaml.safe_load((ROOT / "images/kubernetes.yaml").read_text())
CONTAINER = JOB["spec"]["template"]["spec"]["containers"][0]
PODMAN = f"""#!/usr/bin/env bash
# podman run …: keeps its arguments, then runs the lab of this checkout with the shared folder in the place of /lab.
set -euo pipefail
printf '%s\\n' "$*" >> "$LOG"
[ -z "${{ONLY_LOG:-}}" ] || exit 0
for word; do
    shift
    case $word in *:/lab) shared=${{word%:/lab}} ;; wirelab:*) break ;; esac
done
cd {ROOT}
exec {" ".join(LAB)} "${{@/#\\/lab/$shared}}"
"""


@pytest.fixture
def array(fake_lab, tmp_path: Path):
    """A task of a job array over fakes, which have two scenarios."""
    lab, shared, bin_ = fake_lab(), tmp_path / "a shared folder", tmp_path / "bin"
    shared.mkdir()
    bin_.mkdir()
    (bin_ / "podman").write_text(PODMAN)
    (bin_ / "podman").chmod(0o755)

    def task(number: int, count: int, *arguments: str, **variables: str) -> "subprocess.Popen[str]":
        environment = lab.environment | {
            "PATH": f"{bin_}:{os.environ['PATH']}",
            "LOG": str(tmp_path / "log"),
            "SLURM_ARRAY_JOB_ID": "4711",
            "SLURM_ARRAY_TASK_ID": str(number),
            "SLURM_ARRAY_TASK_COUNT": str(count),
        }
        return subprocess.Popen(
            ["bash", str(SLURM), str(shared), *arguments],
            env=environment | variables,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    return task


def test_tasks_of_a_job_array_measure_the_shards_of_one_plan(array, tmp_path: Path) -> None:
    tasks = [array(number, 2, "--all", "--profile", "quick") for number in (1, 2)]
    for task in tasks:
        _, said = task.communicate(timeout=300)
        assert task.returncode == 0, said
    runs = [tmp_path / f"a shared folder/runs/4711-{number}" for number in (1, 2)]
    plans = [read_run(path).run.plan for path in runs]
    assert [(plan.seed, plan.shard, list(plan.rounds)) for plan in plans] == [
        (4711, "1/2", ["point"]),
        (4711, "2/2", ["process-created"]),
    ]
    assert {cell.scenario for cell in merge(runs, tmp_path / "merged").cells} == {"point", "process-created"}
    for words in (tmp_path / "log").read_text().splitlines():
        for wanted in (
            "run --rm ",
            "--network none",
            "--read-only",
            "--cpuset-cpus 0-1",
            "--memory 6g",
            "--userns keep-id",
        ):
            assert wanted in words


def test_a_lost_shard_is_measured_again_as_part_of_the_same_plan(array, tmp_path: Path) -> None:
    task = array(3, 1, "--cold", SLURM_ARRAY_JOB_ID="4712", SEED="4711", SHARDS="4", ONLY_LOG="yes")
    assert task.wait(60) == 0
    assert (tmp_path / "log").read_text().endswith("bench --shard 3/4 --seed 4711 --out /lab/runs/4711-3 --cold\n")


def test_started_otherwise_the_job_array_says_how(tmp_path: Path) -> None:
    for arguments, variables, code, message in (
        (["x"], {}, 1, "start this with sbatch: it is a job array"),
        (
            [],
            {"SLURM_ARRAY_JOB_ID": "1"},
            2,
            "give the folder that all nodes share, such as: sbatch images/slurm.sh ./shared",
        ),
    ):
        environment = {"PATH": os.environ["PATH"], **variables}
        done = subprocess.run(
            ["bash", str(SLURM), *arguments], env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == code
        assert message in done.stderr


def test_every_index_of_the_job_is_a_shard(tmp_path: Path) -> None:
    """Kubernetes counts from 0 and shards from 1."""
    spec, given = JOB["spec"], {one["name"]: one["value"] for one in CONTAINER["env"]}
    assert spec["completionMode"] == "Indexed"
    assert spec["completions"] == spec["parallelism"] == int(given["SHARDS"])
    (tmp_path / "lab").write_text('#!/bin/sh\necho "$*"\n')
    (tmp_path / "lab").chmod(0o755)
    said = [
        subprocess.run(
            [*CONTAINER["command"], *CONTAINER["args"]],
            capture_output=True,
            text=True,
            check=True,
            env={"PATH": f"{tmp_path}:{os.environ['PATH']}", "JOB_COMPLETION_INDEX": str(index), **given},
        ).stdout
        for index in range(spec["completions"])
    ]
    assert said == [f"bench --profile published --seed 1 --shard {i}/4 --out /lab/runs/1-{i}\n" for i in range(1, 5)]


def test_a_shard_that_ends_badly_ends_no_other() -> None:
    """Exit code 1 is an error row. With `backoffLimit: 0` the first one would end the whole Job with all its pods."""
    assert JOB["spec"]["backoffLimitPerIndex"] == 0
    assert "backoffLimit" not in JOB["spec"]


def test_the_job_can_do_no_more_than_it_has_to() -> None:
    template = JOB["spec"]["template"]["spec"]
    assert template["automountServiceAccountToken"] is False
    assert template["securityContext"]["runAsNonRoot"] is True
    assert CONTAINER["securityContext"]["readOnlyRootFilesystem"] is True
    assert CONTAINER["resources"]["requests"] == CONTAINER["resources"]["limits"]
    mounted = {one["name"]: one["mountPath"] for one in CONTAINER["volumeMounts"]}
    assert mounted.keys() == {one["name"] for one in template["volumes"]}
    assert set(mounted.values()) == {"/lab", "/tmp"}
