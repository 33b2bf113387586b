"""The unit tests of the C++ kit, and what a runner is made of."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bench.base.paths import EXE
from bench.building.languages import cpp_build, cpp_tools
from bench.building.languages.cpp import Cpp, library_of
from bench.building.languages.cpp_build import Build
from bench.building.languages.cpp_sources import resolve

pytestmark = pytest.mark.skipif(
    not (cpp_tools.ENVIRONMENT / cpp_tools.BIN / f"ninja{EXE}").exists(),
    reason="the C++ tools are not installed: `./lab build` does",
)


@pytest.fixture(scope="module")
def build() -> Build:
    build = Build("zig", cpp_tools.BASELINE)
    build.configure()
    return build


def test_the_unit_tests_of_the_kit_pass(build):
    if not cpp_build.has_sources("doctest"):
        pytest.skip("doctest cannot be had")
    build.run("kit-tests")
    done = subprocess.run(
        [build.folder / "bin" / f"kit-tests{EXE}", "--no-colors"],
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:]
    assert int(re.search(r"test cases: +(\d+)", done.stdout)[1]) >= 45


MEASURED = sorted({library for folder in Cpp().codec_folders() if (library := library_of(folder))})


def headers_of(build: Build, target: str) -> set[str]:
    """The files that the compiler read for a target's objects, as it noted them."""
    ninja = subprocess.run(
        [cpp_tools.tool("ninja"), "-C", build.folder, "-t", "deps"], capture_output=True, text=True, check=True
    )
    found: set[str] = set()
    for block in ninja.stdout.split("\n\n"):
        lines = block.splitlines()
        if lines and f"/{target}.dir/" in f"/{lines[0]}":
            found |= {line.strip() for line in lines[1:]}
    return found


@pytest.mark.parametrize("target", ["kit", "messages", *(f"codec-{folder.name}" for folder in Cpp().codec_folders())])
def test_no_program_is_made_with_a_measured_library_but_its_own(build, target):
    headers = headers_of(build, target)
    if not headers:
        pytest.skip(f"{target} is not built")
    manifest = cpp_build.PROJECT / "codecs" / target.removeprefix("codec-") / "codec.json"
    own = json.loads(manifest.read_text()).get("library") if manifest.exists() else None
    for library in filter(cpp_build.has_sources, MEASURED):
        tree = resolve(library).tree.as_posix()
        read = {path for path in headers if path.startswith(f"{tree}/")}
        assert bool(read) == (library == own), (library, sorted(read)[:3])


OF_THE_C_LIBRARY = {"memcpy", "memmove", "memset", "memcmp", "bcmp", "strlen"}
"""The functions of the C library that zig's compiler_rt has as well."""

on_linux = pytest.mark.skipif(sys.platform != "linux" or not shutil.which("nm"), reason="nm, or Linux, is not there")


def memory_functions_in(program: Path) -> set[str]:
    """Those of the C library's functions that a program contains itself."""
    nm = subprocess.run(["nm", "--defined-only", program], capture_output=True, text=True, check=True)
    return OF_THE_C_LIBRARY & {line.split()[-1] for line in nm.stdout.splitlines()}


@on_linux
@pytest.mark.parametrize("codec", [folder.name for folder in Cpp().codec_folders()])
def test_a_runner_copies_with_the_c_librarys_functions(build, codec):
    program = build.folder / "bin" / f"codec-{codec}"
    if not program.exists():
        pytest.skip(f"codec-{codec} is not built")
    assert memory_functions_in(program) == set()


@on_linux
def test_a_program_that_divides_128_bits_without_the_kit_contains_zigs_memory_functions(tmp_path):
    source = tmp_path / "divides.cpp"
    source.write_text("int main(int count, char**) { return int((unsigned __int128)count / (unsigned)count); }\n")
    command = [cpp_tools.zig()[0], "c++", "-target", cpp_tools.triple(), source, "-o", tmp_path / "divides"]
    subprocess.run(command, env=os.environ | cpp_tools.caches(), check=True, capture_output=True)
    assert "memcpy" in memory_functions_in(tmp_path / "divides")
