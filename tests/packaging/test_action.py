"""The action, with stand-ins for the programs that it starts: what it calls, and what it refuses."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.support.lab import ROOT
from tests.support.scripts import ACTION, run

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="scripts of jobs on Linux and macOS")


@pytest.fixture
def action(tmp_path: Path) -> Path:
    """A copy of the lab with stand-ins for the programs that the action calls; they write down how."""
    lab, bin_ = tmp_path / "lab", tmp_path / "bin"
    for path in (bin_, lab / ".lab/uv/bin", *(lab / f"runners/{name}/codecs" for name in ("rust", "cpp", "python"))):
        path.mkdir(parents=True)
    for path in (*(bin_ / name for name in ("python", "cargo", "rustup", "valgrind")), lab / ".lab/uv/bin/uv"):
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
        "FILTER": "",
        "ALL": "false",
        "PROFILE": "quick",
        "BUDGET": "",
        "CODEC": "",
        "CODEC_LANGUAGE": "rust",
        "OUT": "out",
        "BASELINE": "",
        "FAIL_ON": "1%",
        "GITHUB_WORKSPACE": str(folder / "workspace"),
        "GITHUB_OUTPUT": str(folder / "output"),
        "LOG": str(folder / "log"),
    }
    done = run(ACTION["runs"]["steps"][-1]["run"], folder / "workspace", **given | changes)
    log = folder / "log"
    lines = log.read_text().replace(str(folder), "…").splitlines() if log.exists() else []
    log.unlink(missing_ok=True)
    return done, lines


OPTIONS = "--profile=quick --out=…/workspace/out"
MEASURE = f"python -I …/lab/lab bench {OPTIONS}"
BUILD = "python -I …/lab/lab build --filter=^{}/mine "
MINE = "python -I …/lab/lab bench --filter=^{}/mine  " + OPTIONS


def test_the_action_runs_the_lab(action: Path) -> None:
    done, calls = act(action)
    assert done.returncode == 0, done.stderr
    assert calls == ["rustup toolchain install [v1]", f"{MEASURE} [v1]"]
    assert (action.parent / "output").read_text() == "run=out\n"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"FILTER": "a b|c"}, "--filter=a b|c"),
        ({"FILTER": "a b|c", "CODEC": "mine"}, "--filter=a b|c"),
        ({"ALL": "true"}, "--all"),
        ({"BUDGET": "1.5h"}, "--budget=1.5h"),
        ({"FILTER": ".", "ALL": "true", "BUDGET": "90"}, "--filter=. --all --budget=90"),
    ],
)
def test_the_action_measures_what_it_is_asked_for(action: Path, given: dict[str, str], words: str) -> None:
    done, calls = act(action, **given)
    assert done.returncode == 0, done.stdout
    assert calls[-1].startswith(f"python -I …/lab/lab bench {words} {OPTIONS} [v1")


def test_without_inputs_the_action_measures_what_the_publications_printed() -> None:
    given = {name: stated["default"] for name, stated in ACTION["inputs"].items()}
    assert {name: given[name] for name in ("filter", "all", "budget", "codec")} == {
        "filter": "",
        "all": "false",
        "budget": "",
        "codec": "",
    }


COUNT = "python -I …/lab/lab count --published --out=…/workspace/out"


def test_the_action_counts_and_compares_with_earlier_counts(action: Path) -> None:
    done, calls = act(action, BASELINE="new")
    assert done.returncode == 0, done.stderr
    assert calls[1:] == [f"{COUNT} [v1]"]
    earlier = action.parent / "workspace/earlier"
    earlier.mkdir()
    (earlier / "counts.json").touch()
    done, calls = act(action, BASELINE="earlier", FAIL_ON="0.5%")
    assert done.returncode == 0, done.stderr
    compare = "python -I …/lab/lab compare …/workspace/earlier …/workspace/out --fail-on=0.5% --counts"
    assert calls == ["rustup toolchain install [v1]", f"{COUNT} [v1]", f"{compare} [v1]"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "--published "),
        ({"ALL": "true"}, ""),
        ({"FILTER": "a|b"}, "--filter=a|b "),
        ({"FAIL_ON": "0"}, "--published "),
    ],
)
def test_the_action_counts_what_it_would_measure(action: Path, given: dict[str, str], words: str) -> None:
    done, calls = act(action, BASELINE="new", **given)
    assert done.returncode == 0, done.stdout
    assert calls[-1] == f"python -I …/lab/lab count {words}--out=…/workspace/out [v1]"


def test_a_codec_that_does_not_build_fails(action: Path) -> None:
    """The lab would measure what else the filter takes, and say so."""
    python = action.parent / "bin/python"
    python.write_text(python.read_text() + 'case "$*" in *" build "*) exit 1 ;; esac\n')
    done, calls = act(action, CODEC="mine", FILTER="mine|serde-json")
    assert done.returncode == 1
    assert calls[-1] == f"{BUILD.format('rust')} [v1-dirty]"


def test_the_action_measures_and_compares_with_an_earlier_run(action: Path) -> None:
    times = {"FAIL_ON": "times", "PROFILE": "standard", "BUDGET": "20m"}
    measure = "python -I …/lab/lab bench --budget=20m --profile=standard --out=…/workspace/out [v1]"
    done, calls = act(action, BASELINE="new", **times)
    assert done.returncode == 0, done.stderr
    assert calls[1:] == [measure]
    earlier = action.parent / "workspace/earlier"
    earlier.mkdir()
    (earlier / "counts.json").touch()
    done, calls = act(action, BASELINE="earlier", **times)
    assert (done.returncode, calls) == (1, [])
    assert (
        "baseline: earlier holds no run.json; a step with baseline: new and the same fail-on writes one" in done.stdout
    )
    (earlier / "run.json.zst").touch()  # of a submitted run
    done, calls = act(action, BASELINE="earlier", **times)
    assert done.returncode == 0, done.stderr
    compare = "python -I …/lab/lab compare …/workspace/earlier …/workspace/out --fail-on=times [v1]"
    assert calls[1:] == [measure, compare]


def test_quick_times_fail_nothing(action: Path) -> None:
    done, calls = act(action, BASELINE="new", FAIL_ON="times", PROFILE="quick")
    assert (done.returncode, calls) == (1, [])
    assert "the times of a quick run mean nothing" in done.stdout


def test_the_gate_of_the_documentation_takes_both_sides_in_one_job(action: Path) -> None:
    """Its steps with their inputs, through the action's own script: the codec before, the codec now, the comparison."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    example = re.search(r"<!-- gate -->\n```yaml\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert example
    assert len(example[1].splitlines()) <= 10
    steps = yaml.safe_load(example[1])
    checkouts = [step["with"]["path"] for step in steps if "checkout" in step["uses"]]
    gates = [step["with"] for step in steps if "wirelab" in step["uses"]]
    assert all(given.keys() <= ACTION["inputs"].keys() for given in gates)
    for path in checkouts:
        (action.parent / f"workspace/{path}/lab/my-codec").mkdir(parents=True)
    first, second = ({name.upper().replace("-", "_"): str(value) for name, value in given.items()} for given in gates)
    count = "python -I …/lab/lab count --filter=^rust/my-codec  --out=…/workspace/{} [v1-dirty]"
    build = "python -I …/lab/lab build --filter=^rust/my-codec  [v1-dirty]"
    done, calls = act(action, **first)
    assert done.returncode == 0, done.stdout
    assert calls[2:] == [build, count.format("counts-before")]
    (action.parent / "workspace/counts-before").mkdir()
    (action.parent / "workspace/counts-before/counts.json").touch()
    done, calls = act(action, **second)
    assert done.returncode == 0, done.stdout
    compare = "python -I …/lab/lab compare …/workspace/counts-before …/workspace/counts-after --fail-on=1% --counts"
    assert calls[2:] == [build, count.format("counts-after"), f"{compare} [v1-dirty]"]


@pytest.mark.parametrize("path", ["mine", "mine/"])
def test_the_action_takes_a_codec_of_another_repository(action: Path, path: str) -> None:
    for _ in range(2):  # in one job twice
        done, calls = act(action, CODEC=path)
        assert done.returncode == 0, done.stderr
        assert calls == [
            "rustup toolchain install [v1]",
            "cargo update --workspace [v1-dirty]",
            f"{BUILD.format('rust')} [v1-dirty]",
            f"{MINE.format('rust')} [v1-dirty]",
        ]
        assert sorted(p.name for p in (action / "runners/rust/codecs/mine").iterdir()) == ["Cargo.toml", "src"]
    assert act(action, CODEC=path, CODEC_LANGUAGE="python")[1][1:4] == [
        "python -I …/lab/lab --version [v1]",
        "uv lock --project …/lab [v1-dirty]",
        f"{BUILD.format('python')} [v1-dirty]",
    ]
    assert act(action, CODEC=path, CODEC_LANGUAGE="cpp", LAB_REVISION="")[1][-1] == f"{MINE.format('cpp')} []"


def test_a_python_codec_comes_when_the_environment_is_there(action: Path) -> None:
    """The launcher refuses an environment that the lock file does not name."""
    python, added = action.parent / "bin/python", action / "runners/python/codecs/mine"
    python.write_text(python.read_text() + f'case "$*" in *--version*) ! [ -e "{added}" ] ;; esac\n')
    done, calls = act(action, CODEC="mine", CODEC_LANGUAGE="python")
    assert done.returncode == 0, done.stdout
    assert added.is_dir()
    assert calls[-1] == f"{MINE.format('python')} [v1-dirty]"


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
    "baseline": ["..", "/etc", "none", "link", "out", "-f", "a\nb"],
    "fail_on": ["", "much", "-1%", "1%%", "1 --json", "times", "time"],
    "all": ["", "yes", "true --cold", "--all"],
    "budget": ["much", "-1m", "20 m", "20m --cold", "1d", "20m\n"],
    "filter": ["-f", "--help", "a\nb", "a\x1b[2J"],
}
"""What an input may not be. In the workspace lie `link`, which leads out of it, and `holds-link`, in which one does."""


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
    variable = {"language": "CODEC_LANGUAGE"}.get(name, name.upper())
    gate = {"BASELINE": "new"} if name == "fail_on" else {}
    done, calls = act(action, **{"CODEC": "mine"} | gate | {variable: value})
    assert done.returncode == 1, done.stdout
    assert re.fullmatch("::error::[^\n\r\x1b]+\n", done.stdout), done.stdout
    assert calls == []
    assert everything(action.parent) == before


def everything(folder: Path) -> list[Path]:
    """What lies in a folder, but for the programs that the action is given."""
    return sorted(path for path in folder.rglob("*") if folder / "bin" not in path.parents)


@pytest.mark.parametrize("out", ["out", "a/b", "runs/2026.11", "with space"])
def test_the_action_takes_paths_of_the_workspace(action: Path, out: str) -> None:
    done, calls = act(action, OUT=out)
    assert done.returncode == 0, done.stdout
    assert (action.parent / "output").read_text() == f"run={out}\n"
    assert calls[-1].endswith(f"--out=…/workspace/{out} [v1]")
