"""Every command in a document runs, and the worked example of CONTRIBUTING.md is really carried out."""

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import click
import jsonschema
import pytest
import yaml

from analysis.data.machines.run_paths import runs_below
from analysis.render.recorded.results import BEGIN
from bench.base import paths
from bench.base.paths import ROOT
from bench.building.build import load_runners
from bench.building.languages.rust import WORKSPACE
from bench.cli import lab
from bench.records.run_file import read_run_file
from tests.support.checkouts import copied_checkout
from tests.support.documents import DOCUMENTS, QUICKLY_COMPILED, share_tools
from tests.support.flake import evaluate, needs_nix

needs_hyperfine = pytest.mark.skipif(
    not paths.hyperfine().exists(), reason="hyperfine is not built: `./lab bench` builds it"
)
KEPT_CODECS = {"rust/codecs/noop", "rust/codecs/postcard"}


def lab_commands(text: str) -> list[list[str]]:
    """The `./lab …` command lines of a document, from code blocks and from inline code."""
    blocks = re.findall(r"^```(?:sh|console)?\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()] + re.findall(r"`([^`\n]+)`", text)
    return [shlex.split(line.split(" #")[0])[1:] for line in lines if line.startswith("./lab ")]


def every_command() -> list[tuple[str, list[str]]]:
    return [(path.name, command) for path in DOCUMENTS for command in lab_commands(path.read_text())]


WHOLE = {"verify": "-f", "fuzz": "--cases", "fidelity": "-f", "sizes": "-f"}
"""Commands that take minutes without the option, or checkouts that only the reader has: test_codecs.py runs `verify`,
test_logs.py and test_fuzz.py what `fuzz` does, test_published_documents.py what `sizes` does.
"""


def is_quick(command: list[str]) -> bool:
    """Whether a command ends in seconds. The others are run elsewhere, or name something that a reader has to choose."""
    if "--resume" in command or any("…" in word or (word.isupper() and word != "RUN") for word in command[1:]):
        return False
    if command[0] in WHOLE:
        return WHOLE[command[0]] in command
    return command[0] in {
        "bench",
        "catalogue",
        "list",
        "cell",
        "doctor",
        "claims",
        "conformance",
        "compare",
        "count",
        "rank",
        "merge",
        "report",
        "sizes",
        "export",
        "table",
        "try",
        "variance",
    }


ELSEWHERE = {
    "answer": "tests/bench/commands/test_try.py",
    "bench": "tests/bench/measuring/test_staged.py",
    "build": ".ci/run",
    "claims": "tests/analysis/claims/test_evidence_of_claims.py",
    "count": "tests/bench/counting/test_count.py",
    "evolution": "tests/runners/trust/test_evolution.py",
    "fidelity": "tests/bench/proof/test_special.py",
    "fuzz": "tests/bench/proof/test_fuzz.py",
    "interop": "tests/bench/proof/test_interop.py",
    "lint": ".ci/run",
    "network": "tests/analysis/tables/test_network.py",
    "results": "tests/analysis/render/test_results.py",
    "sizes": "tests/analysis/claims/test_published_documents.py",
    "test": ".ci/run",
    "verify": "tests/runners/test_codecs.py",
}
"""What is called there: commands that take long, or with something of the reader's own."""


def quick_commands() -> list[object]:
    """Each once, however many documents have it; slow are those that go through all recorded runs, or compile codecs."""
    commands = {shlex.join(command): command for _, command in every_command() if is_quick(command)}
    return [
        pytest.param(command, id=line, marks=pytest.mark.slow if command[0] == "try" or names_runs(command) else ())
        for line, command in commands.items()
    ]


def names_runs(command: list[str]) -> bool:
    """Whether a command goes through recorded runs."""
    return any(word == "RUN" or word.startswith("results") for word in command)


def recorded_run() -> Path:
    """The recorded run of the first table in README.md."""
    table = BEGIN.search((ROOT / "README.md").read_text())
    assert table
    plans = ((path, read_run_file(path).plan) for path in runs_below([ROOT / "results"]))
    return next(path for path, plan in plans if table[1] in plan.rounds and plan.profile.is_timed)


STAND_IN = "^rust/postcard point serialize "
"""What stands for the reader's own codec."""


def counted(folder: Path) -> Path:
    """A folder of counts, as the command before the one that compares two of them writes it."""
    command = [sys.executable, "-m", "bench.cli", "count", "-f", STAND_IN, "--out", str(folder)]
    subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    return folder


def own_run(folder: Path) -> Path:
    """A run of today's programs: counts are not written into a recorded one, whose programs are others."""
    words = ["bench", "--profile", "untimed", "-f", STAND_IN, "--out", str(folder)]
    subprocess.run([sys.executable, "-m", "bench.cli", *words], cwd=ROOT, capture_output=True, check=True)
    return folder


def carried_out(command: list[str], folder: Path) -> list[str]:
    """A command as a shell would call it, with what it writes in another folder.

    Of a measurement that takes longer than a quick one of some cells, only the plan is made; .ci/run measures. A proof
    leaves out the largest messages, which test_codecs.py has; of a codec one operation is counted. The doctor watches
    the machine for a second.
    """
    words: list[str] = []
    for word in command:
        if words and words[-1] in ("-o", "--out"):
            words.append(str(folder / word))
        elif word == "RUN":
            words.append(str(own_run(folder / "own") if "--into" in command else recorded_run()))
        elif word == "my-codec":
            words.append(STAND_IN)
        elif word in ("before", "after"):
            words.append(str(counted(folder / word)))
        elif word.endswith("/*"):
            words += [str(path) for path in sorted((ROOT / word[:-2]).iterdir())]
        else:
            words.append(word)
    if command[0] == "bench" and "--dry-run" not in command:
        measured = "quick" in command and "-f" in command
        words += ["--out", str(folder / "run")] if measured else ["--dry-run"]
    if command[0] == "count":
        words = [f"{word} serialize" if word == "rust/prost point" else word for word in words]
    if command[0] == "doctor":
        words += ["--seconds", "1"]
    if command[0] == "verify":
        words += ["--not", " (log|mesh|minecraft|mk48)"]
    if command[0] == "try" and "--print-type" not in command:
        words += ["--quick", "--run", str(folder / "run")]
    return words


@pytest.mark.parametrize(
    ("document", "command"), every_command(), ids=lambda value: " ".join(value) if isinstance(value, list) else value
)
def test_a_command_in_a_document_is_one_that_the_lab_takes(document, command):
    """Parsed by the command itself."""
    context = click.Context(lab)
    sub = lab.get_command(context, command[0])
    assert sub or command[0].startswith("-"), f"{document}: there is no `lab {command[0]}`"
    if sub:
        sub.make_context(command[0], [word for word in command[1:] if "…" not in word], parent=context)


def test_a_command_that_is_not_run_here_is_run_elsewhere():
    left = {command[0] for _, command in every_command() if not is_quick(command)}
    assert left == ELSEWHERE.keys()
    for name, where in ELSEWHERE.items():
        called = rf"\./lab {name}\b|\"{name}\"|commands(\.{name} import| import {name}\b)"
        assert re.search(called, (ROOT / where).read_text()), f"{where} does not call {name}"


@needs_hyperfine
@pytest.mark.parametrize("command", quick_commands())
def test_a_command_in_a_document_runs(command, tmp_path):
    words = carried_out(command, tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "bench.cli", *words], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert done.stdout.strip()


def ways_in() -> list[tuple[list[str], str]]:
    """The three commands above the first table of README.md, each with what it is said to print."""
    begin = (ROOT / "README.md").read_text().partition("<!-- formats:begin")[0]
    ways = [re.findall(r"`([^`]+)`", way) for way in begin.split("\n- **")[1:]]
    return [(shlex.split(one[0])[1:], one[1]) for one in ways]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "prints"), ways_in(), ids=lambda value: value if isinstance(value, str) else value[0]
)
def test_a_way_in_prints_what_readme_says(command, prints, tmp_path):
    words = [sys.executable, "-m", "bench.cli", *carried_out(command, tmp_path)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    assert prints in " ".join(done.stdout.split())


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("bench", "bench --dry-run"),
        ("bench --all", "bench --all --dry-run"),
        ("bench --budget 20m", "bench --budget 20m --dry-run"),
        ("bench --profile quick -f prost", "bench --profile quick -f prost --out FOLDER/run"),
        ("count -f prost --out counts", "count -f prost --out FOLDER/counts"),
        ("catalogue --check", "catalogue --check"),
        ("try events.jsonl -o page", "try events.jsonl -o FOLDER/page --quick --run FOLDER/run"),
    ],
)
def test_what_would_measure_for_long_is_only_planned(command, words):
    assert is_quick(command.split())
    assert carried_out(command.split(), Path("FOLDER")) == words.split()


def flake_outputs(text: str) -> set[tuple[str, str]]:
    """What a document has Nix run or build, of this flake: kind and name (`apps`, `bench`)."""
    called = re.findall(r"\bnix (run|build)(?: --\S+)* (?:github:OWNER/wirelab|\.)?#([\w.-]+)", text)
    return {("apps" if kind == "run" else "packages", name) for kind, name in called}


@needs_nix
def test_what_documents_have_nix_run_or_build_is_in_the_flake(tmp_path):
    named = set[tuple[str, str]]().union(*(flake_outputs(path.read_text()) for path in DOCUMENTS))
    assert {("apps", "bench"), ("packages", "image")} <= named
    kinds = "builtins.mapAttrs (_: systems: builtins.attrNames systems.x86_64-linux)"
    done = evaluate(tmp_path, wanted=f"{kinds} {{ inherit (outputs) apps packages; }}")
    assert done.returncode == 0, done.stderr
    outputs = json.loads(done.stdout)
    assert not {(kind, name) for kind, name in named if name not in outputs[kind]}


def test_outputs_of_another_repository_s_flake_are_seen_too():
    text = "`nix run github:OWNER/wirelab#bench -- -f rust/noop` `nix build .#image && docker` `nix run nixpkgs#hello`"
    assert flake_outputs(text) == {("apps", "bench"), ("packages", "image")}


CITATION_SCHEMA = ROOT / "tests" / "data" / "citation-file-format-1.2.0.schema.json"
"""As cffconvert 2.0.0 (Apache-2.0) brings it, schemas/1.2.0/schema.json: that of the format's own authors."""


def test_the_citation_is_by_its_schema_and_of_this_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    schema = json.loads(CITATION_SCHEMA.read_text())
    jsonschema.validate(citation, schema)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert (citation["version"], citation["license"]) == (project["version"], project["license"])
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**citation, "type": "thesis"}, schema)


@pytest.mark.slow
def test_the_loop_comparison_runs(tmp_path):
    """What METHODOLOGY.md quotes, with one round of one codec; the figures are for people, none is asserted."""
    command = re.search(r"`(cargo run [^`]*loop-comparison)`", (ROOT / "METHODOLOGY.md").read_text())
    assert command
    target = tmp_path / "target"
    (target / "release").mkdir(parents=True)
    (target / "release/loop-comparison.target").symlink_to(target)  # what it builds shares crates with itself
    environment = os.environ | QUICKLY_COMPILED | {"CARGO_TARGET_DIR": str(target)}
    words = [*shlex.split(command[1]), "--", "--rounds=1", "--layouts=1", "--codec=postcard"]
    done = subprocess.run(words, cwd=WORKSPACE, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert re.findall(r"^(\S+) .* [0-9.]+$", done.stdout, re.MULTILINE) == ["postcard"] * 3 + ["noop"] * 3


@pytest.mark.slow
@pytest.mark.host
def test_the_loop_comparison_of_cpp_runs():
    command = re.search(r"`\.lab/venv/bin/python (\S*loop-comparison\S*)`", (ROOT / "METHODOLOGY.md").read_text())
    assert command
    codec = "msgpack-c"  # compiles in seconds, Glaze in a minute
    if reason := next(r.entry.unavailable for r in load_runners() if r.codec == f"cpp/{codec}"):
        pytest.skip(reason)
    words = [sys.executable, command[1], f"--codec={codec}", "--layouts=1", "--launches=1"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert re.findall(r"^(\S+) .* [0-9.]+$", done.stdout, re.MULTILINE) == [codec] * 4


@pytest.mark.slow
@pytest.mark.host
@needs_hyperfine
def test_the_worked_example_adds_a_codec_with_no_edit_elsewhere(tmp_path):
    """The example's files and commands, word for word, in a copy of the checkout that keeps a few codecs for speed."""
    text = (ROOT / "CONTRIBUTING.md").read_text()

    def kept(name: str) -> bool:
        codec = re.match(r"runners/(\w+/codecs/[^/]+)/", name)
        return not codec or codec[1] in KEPT_CODECS

    copy = copied_checkout(tmp_path / "a copy", kept)
    manifest = copy / "runners/rust/Cargo.toml"
    manifest.write_text(re.sub(r', "(loop-comparison|negative-controls)"', "", manifest.read_text()))
    files = re.findall(r"<!-- file: (.+?) -->\n```\w+\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert {Path(name).parts[:4] for name, _ in files} == {("runners", "rust", "codecs", "pot")}, "one folder"
    for name, content in files:
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_text(content)
    share_tools(copy)
    inherited = {name: value for name, value in os.environ.items() if name not in (paths.RUNNERS_VARIABLE, "LAB_WORK")}
    environment = inherited | QUICKLY_COMPILED | {"PYTHONPATH": str(copy), "LAB_HYPERFINE": str(paths.hyperfine())}
    block = re.search(r"<!-- commands -->\n```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert block
    for line in block[1].splitlines():
        words = shlex.split(line)
        command = [sys.executable, "-m", "bench.cli", *words[1:]] if words[0] == "./lab" else words
        done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
    assert "rust/pot" in done.stdout
    assert list((copy / "runs").glob("*/samples.jsonl"))
