"""The workflows: what is measured and checked where, who may write, and that their longer scripts do what they say."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from analysis.data.machines.packed import Submission
from analysis.data.machines.submitting import submitted
from analysis.data.merged import Merged
from bench.base.files import read_json, write_json
from bench.base.paths import ROOT
from bench.base.protocol import PROTOCOL
from bench.measuring.stages.draft import Options
from bench.measuring.stages.prospect import prospect
from bench.model.plan import Profile, Scope
from tests.support.flake import evaluate, needs_nix
from tests.support.recorded.submittable import change_stored, submittable
from tests.support.scripts import WORKFLOWS, run
from tests.support.synthetic_run import BOTH, DESER, SER, Made

BENCH, CI = WORKFLOWS["bench"], WORKFLOWS["ci"]
PLATFORMS = ["ubuntu-24.04", "ubuntu-24.04-arm", "macos-15", "windows-2025"]
SHARDS = {"all": [*range(1, 13)], "published": [*range(1, 5)]}
NOT_FOR_PULL_REQUESTS = "github.event_name != 'pull_request'"

posix = pytest.mark.skipif(sys.platform == "win32", reason="scripts of jobs on Linux and macOS")


def test_every_platform_is_measured_in_the_same_shards() -> None:
    jobs = BENCH["jobs"]
    shards = f"${{{{ fromJSON(inputs.all && '{SHARDS['all']}' || '{SHARDS['published']}') }}}}"
    assert [jobs[name]["strategy"]["matrix"]["shard"] for name in ("image", "macos", "windows")] == [shards] * 3
    assert BENCH["env"]["SHARDS"] == f"${{{{ inputs.all && {len(SHARDS['all'])} || {len(SHARDS['published'])} }}}}"
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


@pytest.mark.parametrize("jobs", [("nix", "run"), ("checks", "tests")], ids="-".join)
def test_everything_is_checked_on_all_platforms(jobs: tuple[str, ...]) -> None:
    assert {os_ for job in jobs for os_ in CI["jobs"][job]["strategy"]["matrix"]["os"]} == set(PLATFORMS)


@needs_nix
def test_parts_of_the_flake_s_checks_are_all_of_them(tmp_path: Path) -> None:
    done = evaluate(tmp_path, wanted="builtins.attrNames outputs.checks.x86_64-linux")
    assert done.returncode == 0, done.stderr
    parts = " ".join(CI["jobs"]["checks"]["strategy"]["matrix"]["checks"])
    assert sorted(parts.split()) == json.loads(done.stdout)


def minutes(jobs: dict[str, Any], name: str) -> int:
    """How long after a workflow's begin a job ends at the latest, each job having a machine at once."""
    needs = jobs[name].get("needs", [])
    earlier = [needs] if isinstance(needs, str) else needs
    return int(jobs[name]["timeout-minutes"]) + max((minutes(jobs, one) for one in earlier), default=0)


def test_a_pull_request_has_its_verdict_within_half_an_hour() -> None:
    assert {name: minutes(CI["jobs"], name) for name in CI["jobs"] if minutes(CI["jobs"], name) > 30} == {}


MOST_MINUTES = 75
"""What a shard may be told to measure; the other minutes of its job are for proofs, pilots and calibration."""


def test_a_platform_is_measured_within_three_hours() -> None:
    jobs = BENCH["jobs"]
    assert minutes(jobs, "merge") <= 180
    budget = BENCH[True]["workflow_dispatch"]["inputs"]["budget"]
    assert f"at most {MOST_MINUTES}m" in budget["description"]
    for name in ("image", "macos", "windows"):
        assert jobs[name]["timeout-minutes"] >= MOST_MINUTES + 25, name


@pytest.mark.parametrize(
    "options",
    [Options(Profile.PUBLISHED, scope=Scope.PUBLISHED), Options(Profile.STANDARD, scope=Scope.ALL)],
    ids=["published", "all"],
)
def test_no_shard_leaves_a_scenario_out_and_each_fits_its_job(options: Options) -> None:
    longest, usual = (int(minutes) * 60 for minutes in re.findall("'([0-9]+)m'", BENCH["env"]["BUDGET"]))
    budget_s, shards = (longest if options.scope is Scope.ALL else usual), SHARDS[options.scope]
    measured = set[str]()
    for shard in shards:
        part = replace(options, budget_s=budget_s, shard=f"{shard}/{len(shards)}")
        expected = prospect(part, print, build=False).scenarios
        measured |= expected.keys()
        seconds = sum(one.proof_s + one.measure_s for one in expected.values())
        assert seconds < 60 * BENCH["jobs"]["image"]["timeout-minutes"], shard
    assert measured == prospect(options, print, build=False).scenarios.keys()


def steps_using(action: str) -> list[tuple[str, dict[str, Any]]]:
    """The steps of all workflows that use an action, each with the name of its workflow."""
    return [
        (name, step)
        for name, workflow in WORKFLOWS.items()
        for job in workflow["jobs"].values()
        for step in job["steps"]
        if step.get("uses", "").startswith(f"{action}@")
    ]


def test_only_main_writes_caches() -> None:
    """What a pull request wrote would be its own, and push out what all others read."""
    saving = steps_using("actions/cache/save")
    assert saving
    assert {workflow for workflow, _ in saving} == {"ci"}
    assert all("github.ref == 'refs/heads/main' && " in step["if"] for _, step in saving)
    assert not steps_using("actions/cache")  # it writes whatever it did not find


def test_every_cache_that_is_read_is_one_that_is_written() -> None:
    """A key and its paths: GitHub finds nothing if either differs."""

    def caches(action: str) -> set[tuple[str, str]]:
        """Keys and paths, of a matrix those of each of its systems."""
        steps = [step["with"] for _, step in steps_using(action)]
        named = [(step["key"].replace("${{ matrix.os }}", os_), step["path"]) for step in steps for os_ in PLATFORMS]
        return {(key, path) for key, path in named}

    assert caches("actions/cache/restore") <= caches("actions/cache/save")


def test_what_a_cache_depends_on_is_there() -> None:
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    patterns = {
        pattern
        for _, step in steps_using("actions/cache/restore")
        for pattern in re.findall(r"'([^']+)'", step["with"]["key"])
    }
    assert {"uv.lock", "runners/**/Cargo.*"} <= patterns
    for pattern in patterns:
        regex = re.escape(pattern).replace(r"\*\*/", "(.*/)?").replace(r"\*\*", ".*").replace(r"\*", "[^/]*")
        assert any(re.fullmatch(regex, name) for name in tracked), pattern


def test_what_nix_built_is_kept_under_its_name() -> None:
    """The store's name is a hash of all that the runners depend on, so that no cache is stale and none is too new."""
    jobs = [(job, step) for flow in WORKFLOWS.values() for job in flow["jobs"].values() for step in job["steps"]]
    kept = [(job, step) for job, step in jobs if step.get("with", {}).get("key", "").startswith("nix-")]
    assert len(kept) >= 4
    for job, step in kept:
        assert step["with"]["key"] == "nix-${{ matrix.os }}-${{ steps.built.outputs.name }}"
        before = job["steps"][: job["steps"].index(step)]
        (named,) = [one for one in before if one.get("id") == "built"]
        assert "nix eval --raw --no-update-lock-file .#runners)" in named["run"]


def test_only_jobs_that_no_pull_request_starts_may_write() -> None:
    for workflow in WORKFLOWS.values():
        assert workflow["permissions"] == {}
        assert "pull_request_target" not in workflow[True]
        assert workflow["concurrency"]
        for name, job in workflow["jobs"].items():
            if "write" in job.get("permissions", {}).values():
                assert NOT_FOR_PULL_REQUESTS in job["if"], name
            for step in job["steps"]:
                if step.get("uses", "").startswith("actions/checkout@"):
                    assert step["with"]["persist-credentials"] is False, name
                    assert "contents" in job["permissions"], name
    writing = {
        (workflow, name, *(key for key, right in job.get("permissions", {}).items() if right == "write"))
        for workflow, content in WORKFLOWS.items()
        for name, job in content["jobs"].items()
        if "write" in job.get("permissions", {}).values()
    }
    assert writing == {
        ("bench", "attest", "id-token", "attestations"),
        ("bench", "pages", "pages", "id-token"),
        ("bench", "propose", "contents", "pull-requests"),
        ("update", "propose", "issues"),
    }


def test_submitted_runs_are_checked_by_the_lab_that_they_are_to_be_merged_into() -> None:
    """The pull request's own lab could say that everything is well."""
    submission = WORKFLOWS["submission"]
    assert submission[True] == {"pull_request": {"paths": ["results/**"]}}
    checkouts = [step["with"] for step in submission["jobs"]["runs"]["steps"] if "checkout@" in step.get("uses", "")]
    assert [(one.get("ref"), one.get("path")) for one in checkouts] == [
        ("${{ github.event.pull_request.base.sha }}", None),
        (None, "submission"),
    ]
    assert checkouts[1]["sparse-checkout"] == "results"
    script = script_of("runs", "Check the runs", "submission")
    assert "python lab submit --check submission/results --against results" in script
    (step,) = [step for step in submission["jobs"]["runs"]["steps"] if step.get("name") == "Check the runs"]
    assert "head.repo.full_name == github.repository" in step["env"]["PROPOSED"], "a fork cannot say that it is ours"
    assert script_of("pages", "Check the pages", "submission") == "python lab results --check"


@posix
def test_the_check_of_submitted_runs_fails_where_one_lies(tmp_path: Path) -> None:
    made = submittable().write(tmp_path / "run")
    (packed,) = submitted([made], tmp_path / "work/submission/results")
    recorded = shutil.copytree(tmp_path / "work/submission/results", tmp_path / "work/results")
    script = script_of("runs", "Check the runs", "submission")
    assert run(script, tmp_path / "work").returncode == 0
    change_stored(packed.path, "verify.json", lambda text: text + "\n")
    done = run(script, tmp_path / "work")
    assert done.returncode == 1
    assert "verify.json: its content does not have the SHA-256" in done.stderr
    shutil.rmtree(packed.path)
    submitted([submittable(run_id="fedcba").write(tmp_path / "other")], tmp_path / "work/submission/results")
    done = run(script, tmp_path / "work")
    assert done.returncode == 1
    assert "is recorded there, and is missing" in done.stderr
    shutil.copytree(recorded, tmp_path / "work/submission/results", dirs_exist_ok=True)
    assert run(script, tmp_path / "work").returncode == 0


def test_only_main_publishes_and_attests_and_neither_quick_runs_nor_some_cells() -> None:
    for name in ("attest", "pages", "propose"):
        wanted = "github.ref == 'refs/heads/main' && inputs.profile != 'quick' && !inputs.filter"
        assert wanted in BENCH["jobs"][name]["if"], name


def test_without_the_label_no_job_runs_on_a_pull_request() -> None:
    """A job that runs although others did not (`!cancelled()`) has to ask whether the first was wanted."""
    for name, job in BENCH["jobs"].items():
        asks = "labels.*.name, 'bench')" in job.get("if", "")
        heeds = "needs.build.result != 'skipped'" in job.get("if", "") or NOT_FOR_PULL_REQUESTS in job.get("if", "")
        waits = "needs" in job and "if" not in job  # success(), which a skipped job is not
        assert asks or heeds or waits, name


def script_of(job: str, name: str, workflow: str = "bench") -> str:
    return next(str(step["run"]) for step in WORKFLOWS[workflow]["jobs"][job]["steps"] if step["name"] == name)


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
    where = {"GITHUB_SERVER_URL": "https://example.org", "GITHUB_REPOSITORY": "somebody/wirelab"}
    report = run(script_of("merge", "Write the report"), work, **where)
    assert report.returncode == 0, report.stderr
    assert (work / "site/index.html").exists()
    assert (work / "site/runs/run-macos-15-1/run.json").exists()
    assert (work / "site/merged/macos-15/merged.json").exists()


@posix
def test_new_results_take_the_place_of_the_workflow_s_own_and_are_proposed_whole(tmp_path: Path) -> None:
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
    written = {"apple/old": "o/r", "apple/submitted": None, "apple/of-a-fork": "somebody/r", "other/old": "o/r"}
    for before, workflow in written.items():
        (work / "results" / before).mkdir(parents=True)
        (work / "results" / before / "run.json.zst").write_text("old")
        submission = Submission(PROTOCOL, "old", "apple", {}, 0, workflow)
        write_json(work / "results" / before / "submission.json", submission)
    for recorded in ("macos-15-1", "unfit"):
        (tmp_path / f"site/runs/run-{recorded}").mkdir(parents=True)
    pages = ["RESULTS.md", "RESULTS.svg", "README.md"]
    (work / "lab").write_text(
        "import sys\nfrom pathlib import Path\n"
        f"written = {pages}\n"
        "if sys.argv[1:] == ['submit', '--check', 'results']:\n"
        "    written = []\n"
        "elif sys.argv[1] == 'submit':\n"
        "    _, _, run, option, packed, *workflow = sys.argv\n"
        "    assert option == '--out'\n"
        "    assert workflow == ['--workflow', 'o/r']\n"
        "    if run.endswith('unfit'):\n"
        "        sys.exit(69)\n"
        "    written = [Path(packed, 'apple', 'new', name) for name in ('run.json.zst', 'submission.json')]\n"
        "for path in map(Path, written):\n"
        "    path.parent.mkdir(parents=True, exist_ok=True)\n"
        "    path.write_text('new')\n"
    )
    gh = tmp_path / "bin/gh"
    gh.parent.mkdir()
    gh.write_text('#!/bin/sh\nprintf "%s\\n" "$*" >> "$LOG"\n')
    gh.chmod(0o755)
    for name in ("Write RESULTS.md anew", "Open the pull request"):
        done = run(script_of("propose", name), work, **variables)
        assert done.returncode == 0, done.stderr
        if name == "Write RESULTS.md anew":
            assert re.findall("::warning::(.*)", done.stdout) == ["unfit is left out; the message above tells why"]
    branch = subprocess.run(
        ["git", "branch", "--list", "results-*"], cwd=origin, capture_output=True, text=True, check=True
    ).stdout.split()[-1]
    listed = subprocess.run(
        ["git", "ls-tree", "-r", "--name-only", branch], cwd=origin, capture_output=True, text=True, check=True
    ).stdout.split()
    kept = [name for name in written if name != "apple/old"]
    kept = [f"results/{name}/{file}" for name in [*kept, "apple/new"] for file in ("run.json.zst", "submission.json")]
    assert sorted(listed) == sorted([*pages, *kept])
    told = (tmp_path / "log").read_text()
    assert told.startswith("auth setup-git\npr create --base main --head results-")
    assert "/o/r/actions/runs/77" in told


class Update:
    """The scripts of the workflow that proposes another nixpkgs, with stand-ins for Nix, GitHub's program and the age."""

    def __init__(self, folder: Path) -> None:
        self.work, self.output = folder / "work", folder / "output"
        (self.work / "nix").mkdir(parents=True)
        self.be_of_age(0)
        subprocess.run(["git", "init", "-q"], cwd=self.work, check=True)
        (self.work / "flake.lock").write_text('{\n  "rev": "old"\n}\n')
        subprocess.run(["git", "add", "flake.lock"], cwd=self.work, check=True)
        self.program("nix", 'case "$*" in *update*) sed -i s/old/new/ flake.lock ;; esac')
        self.program("gh", 'printf "%s\\n" "$@" > "$LOG"')
        self.log = folder / "log"

    def be_of_age(self, code: int) -> None:
        (self.work / "nix/age.py").write_text(f"print('nixpkgs is $(so) old')\nraise SystemExit({code})\n")

    def program(self, name: str, script: str) -> None:
        path = self.work.parent / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/bash\n{script}\n")
        path.chmod(0o755)

    def look(self, step: str) -> "tuple[subprocess.CompletedProcess[str], str]":
        """A step of the first job, and the outputs that it wrote."""
        self.output.write_text("")
        done = run(script_of("look", step, "update"), self.work, GITHUB_OUTPUT=str(self.output))
        return done, self.output.read_text()


@pytest.fixture
def update(tmp_path: Path) -> Update:
    return Update(tmp_path)


@posix
@pytest.mark.parametrize(("code", "ends", "told"), [(0, 0, "old=0\n"), (1, 0, "old=1\n"), (2, 2, "")])
def test_an_age_is_told_and_a_failure_to_tell_it_is_one(update: Update, code: int, ends: int, told: str) -> None:
    update.be_of_age(code)
    done, output = update.look("Tell the age")
    assert (done.returncode, done.stdout, output) == (ends, "nixpkgs is $(so) old\n", told)


@posix
@pytest.mark.parametrize(
    ("check", "verdict"),
    [
        ("true", "With it the flake evaluates for every system."),
        ("echo 'error: rustc is 1.96.0'; false", "With it the flake does not evaluate"),
    ],
)
def test_a_proposal_has_the_age_the_change_and_the_verdict(update: Update, check: str, verdict: str) -> None:
    update.program("nix", f'case "$*" in *update*) sed -i s/old/new/ flake.lock ;; *) {check} ;; esac')
    update.look("Tell the age")
    done, output = update.look("Try the newest of its branch")
    assert done.returncode == 0, done.stderr
    found = re.fullmatch(r"proposal<<(\S+)\n(.*)\n\1\n", output, re.DOTALL)
    assert found
    text = found[2]
    assert text.startswith("nixpkgs is $(so) old\n")
    assert '    -  "rev": "old"\n    +  "rev": "new"\n' in text
    assert verdict in text
    assert ("    error: rustc is 1.96.0\n" in text) == ("error" in check)


@posix
@pytest.mark.parametrize(
    ("number", "words"), [("", ["issue", "create", "--title", "T"]), ("7", ["issue", "edit", "7"])]
)
def test_one_issue_proposes_the_update_however_often_it_is_looked(
    update: Update, number: str, words: list[str]
) -> None:
    update.program("gh", f'case "$*" in *list*) echo "{number}" ;; *) printf "%s\\n" "$@" > "$LOG" ;; esac')
    script = script_of("propose", "Open or edit the issue", "update")
    done = run(script, update.work, LOG=str(update.log), TITLE="T", PROPOSAL="`a` $(touch owned)")
    assert done.returncode == 0, done.stderr
    assert update.log.read_text().splitlines() == [*words, "--body", "`a` $(touch owned)"]
    assert not (update.work / "owned").exists()
