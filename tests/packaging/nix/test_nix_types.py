"""The code of types as the flake has it made: from the scenarios that Nix writes, by a part of the driver's modules."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from bench.base.paths import ROOT, SCENARIOS
from bench.building.languages import LANGUAGES
from tests.support.flake import evaluate, needs_nix

OVER_STAND_IN = f"pkgs = (import {ROOT}/tests/support/nixpkgs.nix {{ }}).legacyPackages.x86_64-linux;"
SCENARIOS_OF_NIX = f"import {ROOT}/nix/scenarios.nix {{ inherit (pkgs) lib; }}"


def evaluated(folder: Path, wanted: str) -> object:
    done = evaluate(folder, wanted=f"let {OVER_STAND_IN} in {wanted}")
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


@needs_nix
def test_what_nix_writes_of_a_scenario_is_that_scenario(tmp_path):
    """Texts with control characters among them, of which Nix cannot hold one and TOML takes none as it is."""
    written = evaluated(tmp_path, f"(all: builtins.mapAttrs (_: all.write) all.all) ({SCENARIOS_OF_NIX})")
    assert isinstance(written, dict)
    expected = {path.stem: read(path.read_text("utf-8")) for path in SCENARIOS.glob("*.toml")}
    assert {name: read(text) for name, text in written.items()} == expected


def read(text: str) -> dict[str, object]:
    """TOML with six digits of a float, as old versions of Nix write them: no generator reads them."""
    return tomllib.loads(text, parse_float=lambda number: float(f"{float(number):.6g}"))


@needs_nix
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_modules_that_the_flake_takes_make_the_code_of_types(tmp_path, language):
    """The generators run with these files alone, and make what they make in a checkout."""
    wheels = f"import {ROOT}/nix/wheels.nix {{ inherit pkgs; }}"
    types = f"import {ROOT}/nix/types.nix {{ inherit pkgs; wheels = {wheels}; }}"
    derivation = f'(({types}) "published" "{language}")'
    files = evaluated(tmp_path, f"{derivation}.src.files")
    assert isinstance(files, list)
    packages = PACKAGE.findall(str(evaluated(tmp_path, f"{derivation}.PYTHONPATH")))
    assert "msgspec" in packages
    part = tmp_path / "part"
    for name in (*files, *(path.relative_to(ROOT).as_posix() for path in SCENARIOS.glob("*.toml"))):
        (part / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, part / name)
    made = [code_of(root, language, tmp_path / root.name, packages) for root in (part, ROOT)]
    assert made[0] == made[1]
    assert made[0]


PACKAGE = re.compile(r"-python-([a-z0-9-]+?)-[0-9.]+(?::|$)")
"""A package's folder in the stand-in's store."""
ALONE = """
import importlib.metadata, runpy, sys
allowed, names = set(sys.argv[1].split(",")), importlib.metadata.packages_distributions()
class Others:
    def find_spec(self, name, path=None, target=None):
        held = {one.lower().replace("_", "-") for one in names.get(name.partition(".")[0], ())}
        if held and not held & allowed:
            raise ModuleNotFoundError(f"the derivation has no {name}")
sys.meta_path.insert(0, Others())
sys.argv = sys.argv[2:]
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
"""
"""Runs a module as where no other packages are installed."""


def code_of(root: Path, language: str, folder: Path, packages: list[str]) -> dict[str, bytes]:
    """The code of the published types that the modules in `root` make with some packages: path → what is in it."""
    target = folder / "types"
    words = ["bench.building.sets.code", "published", language, str(target)]
    command = [sys.executable, "-c", ALONE, ",".join(packages), *words]
    # No compiler of schemas: what is said in its place is the same everywhere.
    variables = {"PYTHONPATH": str(root), "LAB_WORK": str(folder), "LAB_TOOLS": str(folder / "none")}
    done = subprocess.run(command, cwd=root, env=os.environ | variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return {path.relative_to(target).as_posix(): path.read_bytes() for path in target.rglob("*") if path.is_file()}
