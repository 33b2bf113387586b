"""Completion by the shell, as it asks for it: click's own scripts, and words of the catalogue."""

import os
import shutil
import subprocess
import sys

import pytest

from bench.base.paths import ROOT
from bench.cli import lab
from bench.scenarios.catalogue import load_catalogue
from bench.scenarios.load import scenario_names
from tests.support.lab import LAB
from tests.support.scenarios.committed import committed_scenarios


def ask(**variables: str) -> str:
    done = subprocess.run([*LAB], cwd=ROOT, env=os.environ | variables, capture_output=True, text=True)
    assert done.stderr == ""
    return done.stdout


def words(line: str) -> list[str]:
    """What bash is offered for the last word of a line."""
    typed = line.split(" ")
    answer = ask(_LAB_COMPLETE="bash_complete", COMP_WORDS=line, COMP_CWORD=str(len(typed) - 1))
    return [one.partition(",")[2] for one in answer.splitlines()]


def test_commands_are_completed():
    assert words("lab fi") == ["fidelity"]
    assert words("lab ") == list(lab.listings)


def test_options_are_completed():
    assert {"--filter", "--not", "--profile", "--resume"} <= set(words("lab bench --"))


def test_choices_are_completed():
    assert words("lab bench --profile s") == ["standard"]


@pytest.mark.parametrize("option", ["-f", "--filter", "--not"])
def test_filters_are_completed_by_codecs_and_scenarios(option):
    assert words(f"lab list {option} rust/prost") == ["rust/prost", "rust/prost-crypt"]
    assert words(f"lab list {option} log-small") == ["log-small", "log-small-unique"]
    assert words(f"lab list {option} ") == [*load_catalogue().codecs, *sorted(committed_scenarios())]


def test_names_are_those_of_the_scenarios():
    assert scenario_names() == sorted(committed_scenarios())


def test_completing_a_command_imports_none():
    code = (
        "import sys, bench.cli\n"
        "try:\n    bench.cli.lab(prog_name='lab')\nexcept SystemExit:\n    pass\n"
        "print([name for name in sys.modules if name.startswith(('analysis.commands.', 'bench.building', 'polars'))])"
    )
    variables = {"_LAB_COMPLETE": "bash_complete", "COMP_WORDS": "lab ", "COMP_CWORD": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=os.environ | variables, capture_output=True, text=True
    )
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_its_script(shell):
    if shell == "bash" and not shutil.which("bash"):
        pytest.skip("click asks bash for its version")
    script = ask(_LAB_COMPLETE=f"{shell}_source")
    assert f"_LAB_COMPLETE={shell}_complete" in script


@pytest.mark.skipif(not shutil.which("bash") or sys.platform == "win32", reason="needs bash")
def test_bash_completes_the_launcher_in_the_checkout(tmp_path):
    launcher = tmp_path / "lab"
    launcher.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m bench.cli "$@"\n')
    launcher.chmod(0o755)
    script = f"""
        eval "$(_LAB_COMPLETE=bash_source {launcher})"
        COMP_WORDS=({launcher} list -f rust/bson) COMP_CWORD=3
        _lab_completion {launcher} rust/bson -f
        echo "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(["bash", "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == "rust/bson\n", done.stderr
