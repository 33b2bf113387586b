"""What compilers and packer read of the repository lies in the sources that the flake gives to the runner's build.

An evaluation does not see that a file is missing, and a build with Nix takes hours. So the files are those that the
tools of `lab build` wrote down: Cargo's and rustc's .d files, Ninja's log of the C++ compiler's, and the paths in the
byte code that was packed.
"""

import json
import marshal
import os
import re
import shutil
import subprocess
import zipfile
from functools import cache
from pathlib import Path

import pytest

from bench.base.paths import EXE, ROOT, RUNNERS_VARIABLE, STATE, manifest
from bench.building.build import fingerprint, load_manifest
from bench.building.languages import LANGUAGES
from bench.building.languages.cpp_tools import ENVIRONMENT
from bench.building.languages.python import BIN
from tests.support.flake import evaluate

IN_CI = os.environ.get("CI") == "true" and "GITHUB_ACTIONS" not in os.environ
"""Where nothing is skipped: .ci/run brings Nix and builds the runners before. GitHub's jobs, which say CI too, are with
Nix, where every runner is built by it, or without.
"""

WRITTEN_BY_THE_FLAKE = {"runners/rust/Cargo.toml", "runners/rust/Cargo.lock"}
"""For each build anew, with what it needs of them (nix/crates.nix)."""


def reason_to_skip() -> str | None:
    """Why there is nothing to compare; None where there is."""
    if not shutil.which("nix-instantiate"):
        return "Nix is not installed (Debian has it as nix-bin)"
    if os.environ.get(RUNNERS_VARIABLE):
        return f"{RUNNERS_VARIABLE}: the runners were built elsewhere, and what was read there is not known"
    if not manifest().exists():
        return "no runners are built: ./lab build"
    built = load_manifest()
    return None if built.fingerprint == fingerprint(built.wanted) else "runners are of other sources: ./lab build"


def read_by_rustc(program: Path) -> set[Path]:
    """Cargo's .d file beside a program: what rustc read of all crates of the workspace, and build scripts with it."""
    _, _, files = program.with_suffix(".d").read_text().partition(": ")
    return {Path(re.sub(r"\\(.)", r"\1", file)) for file in re.split(r"(?<!\\)\s+", files) if file}


def read_by_clang(program: Path) -> set[Path]:
    """Of every object that is linked into a program what Ninja noted when it was compiled."""
    folder = program.parent.parent
    inputs = {line for line in ninja(folder, "inputs", f"bin/{program.name}").splitlines() if line.endswith(".o")}
    assert inputs, "a program is linked of objects"
    # NAME: #deps N, deps mtime T (VALID), its files indented below, an empty line
    noted = dict(block.split(": ", 1) for block in ninja(folder, "deps").strip().split("\n\n"))
    return {folder / line.strip() for name in inputs for line in noted[name].splitlines()[1:]}


@cache
def ninja(folder: Path, *words: str) -> str:
    """What Ninja knows of a build folder."""
    command = [str(ENVIRONMENT / BIN / f"ninja{EXE}"), "-C", str(folder), "-t", *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def read_by_packer(program: Path) -> set[Path]:
    """The sources of the byte code in a packed runner, which names them from the checkout on."""
    with zipfile.ZipFile(program) as archive:
        codes = [archive.read(name) for name in archive.namelist() if name.endswith(".pyc")]
    header = 16
    return {ROOT / marshal.loads(code[header:]).co_filename for code in codes}


READ = {"rust": read_by_rustc, "cpp": read_by_clang, "python": read_by_packer}


def of_repository(files: set[Path]) -> set[str]:
    """Those that belong to the repository, as paths within it; nothing of registries, systems and build folders."""
    within = {Path(os.path.normpath(file)) for file in files}
    return {
        file.relative_to(ROOT).as_posix()
        for file in within
        if file.is_relative_to(ROOT) and not file.is_relative_to(STATE)
    }


@pytest.fixture(scope="module")
def declared(tmp_path_factory) -> dict[str, set[str]]:
    """Package → the files of its derivation's source, for x86_64 Linux; other systems have the same or fewer codecs."""
    files = "builtins.mapAttrs (name: package: package.files) outputs.packages.x86_64-linux"
    done = evaluate(tmp_path_factory.mktemp("nix"), wanted=files)
    assert done.returncode == 0, done.stderr[-3000:]
    return {name: set(files) for name, files in json.loads(done.stdout).items()}


@pytest.mark.skipif(reason_to_skip() is not None and not IN_CI, reason=str(reason_to_skip()))
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_compilers_read_of_the_repository_is_declared_to_nix(declared, language):
    assert not reason_to_skip(), "CI must have both: .ci/run installs Nix and builds the runners"
    read = {
        entry.codec: of_repository(READ[language](Path(entry.program or entry.command[0])))
        for entry in load_manifest().runners
        if entry.codec.startswith(f"{language}/") and not entry.unavailable
    }
    assert read, "no runner is built"
    for codec, files in read.items():
        folder = f"runners/{language}/codecs/{codec.partition('/')[2]}/"
        assert any(file.startswith(folder) for file in files), f"{codec}: its own files were not seen"
    missing = {
        codec: files - declared[f"runner-{codec.replace('/', '-')}"] - WRITTEN_BY_THE_FLAKE
        for codec, files in read.items()
    }
    # What generators write is an input of the runner, not a file of the repository.
    missing = {codec: {file for file in files if not file.startswith("types/")} for codec, files in missing.items()}
    assert not {codec: sorted(files) for codec, files in missing.items() if files}
