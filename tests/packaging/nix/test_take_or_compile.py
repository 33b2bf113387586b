"""What Nix gives to CMake in the C++ compiler's place: objects of other builds are taken, if they are the same."""

import os
import subprocess
from pathlib import Path

import pytest

from bench.base.paths import ROOT

COMPILER = """#!/bin/sh
echo compiled
for word; do
  if [ "$previous" = -o ]; then echo "$*" > "$word"; fi
  previous=$word
done
"""


@pytest.fixture
def compiler(tmp_path: Path) -> Path:
    path = tmp_path / "c++"
    path.write_text(COMPILER)
    path.chmod(0o755)
    return path


def compile_in(folder: Path, compiler: Path, *flags: str, layers: str = "") -> bool:
    """Whether the compiler was called for an object of a build in that folder, which has it in any case."""
    folder.mkdir(exist_ok=True)
    words = [str(compiler), *flags, f"-ffile-prefix-map={folder}=/lab", "-o", "kit.o", "-c", f"{folder}/kit.cpp"]
    done = subprocess.run(
        ["bash", str(ROOT / "nix/take-or-compile"), *words],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "NIX_BUILD_TOP": str(folder), "layers": layers},
        capture_output=True,
        text=True,
        check=True,
    )
    assert (folder / "kit.o").exists()
    return done.stdout == "compiled\n"


def test_an_object_of_another_build_is_taken_wherever_that_was(tmp_path, compiler):
    layer, runner = tmp_path / "layer", tmp_path / "runner"
    assert compile_in(layer, compiler, "-O3")
    assert not compile_in(runner, compiler, "-O3", layers=f"{tmp_path}/none {layer}")
    assert (runner / "kit.o").read_text() == (layer / "kit.o").read_text()


@pytest.mark.parametrize("flags", [["-O2"], ["-O3", "-DNDEBUG"], []])
def test_an_object_of_another_command_is_compiled_again(tmp_path, compiler, flags):
    layer = tmp_path / "layer"
    assert compile_in(layer, compiler, "-O3")
    assert compile_in(tmp_path / "runner", compiler, *flags, layers=str(layer))
