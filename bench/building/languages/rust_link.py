"""The Rust runners' objects, kept by runners/rust/.cargo/keep-objects, and how they are linked again."""

import shutil
import sys
from functools import cache
from pathlib import Path

from bench.base.files import sha256_of
from bench.base.paths import RUNNERS, brief
from bench.base.programs import captured
from bench.building.relink import OUTPUT, SHUFFLE, LinkError, Recipe
from bench.model.description import RunnerEntry

NO_LLD = {
    "darwin": "macOS's linker orders functions by a list of names only, which the lab does not write yet",
    "win32": "Windows's linker orders functions by a list of names only, which the lab does not write yet",
}
"""Systems whose linker cannot shuffle sections."""


def recipe(entry: RunnerEntry) -> Recipe:
    """The command by which Cargo's compiler linked a runner, with the shuffling added. Raises LinkError."""
    if entry.unavailable:
        raise LinkError(entry.unavailable)
    check_system()
    program = Path(entry.command[0])
    kept = objects_of(program, entry.sha256)
    words = (kept / "arguments").read_text(encoding="utf-8").split("\0")[:-1]
    words[words.index("-o") + 1] = OUTPUT
    if "-fuse-ld=lld" not in words:
        words += lld()
    return Recipe(["cc", *words, f"-Wl,{SHUFFLE}"], program.parent)


def check_system() -> None:
    """Raises LinkError on a system whose linker cannot shuffle sections."""
    if sys.platform in NO_LLD:
        raise LinkError(NO_LLD[sys.platform])


def objects_of(program: Path, sha256: str | None) -> Path:
    """The folder of what a program was linked from: Cargo's own file of the same bytes has its name.

    Raises LinkError where there is none.
    """
    name = program.name.replace("-", "_")
    for kept in sorted((program.parent / "objects").glob(f"{name}-*")):
        linked = program.parent / "deps" / kept.name
        if (kept / "arguments").is_file() and linked.is_file() and sha256_of(linked) == sha256:
            return kept
    folder = program.parent
    raise LinkError(f"what it was linked from is not in {brief(folder)}: remove that folder and run `./lab build`")


@cache
def lld() -> list[str]:
    """The options by which `cc` links with LLVM's linker: the one that comes with Rust, or an installed one."""
    sysroot = captured(["rustc", "--print=sysroot"], cwd=RUNNERS / "rust").stdout.strip()
    if folder := next(Path(sysroot).glob("lib/rustlib/*/bin/gcc-ld"), None):
        return [f"-B{folder}", "-fuse-ld=lld"]
    if shutil.which("ld.lld"):
        return ["-fuse-ld=lld"]
    raise LinkError("there is no LLVM linker: install lld, or Rust by rustup, which brings one")
