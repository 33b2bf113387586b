"""How the C++ runners are linked again: CMake's own command, by zig's or the system's LLVM linker."""

import os
import re
import secrets
import shlex
import shutil
from functools import cache
from pathlib import Path

from bench.base.files import sha256_of
from bench.base.programs import captured
from bench.building.languages import rust_link
from bench.building.languages.cpp_tools import ToolError, caches, tool
from bench.building.relink import OUTPUT, SHUFFLE, LinkError, Recipe
from bench.model.description import RunnerEntry


def recipe(entry: RunnerEntry) -> Recipe:
    """The command by which a runner was linked, with the shuffling added. Raises LinkError."""
    if entry.unavailable:
        raise LinkError(entry.unavailable)
    rust_link.check_system()
    return _recipe(Path(entry.command[0]), entry.sha256)


@cache
def _recipe(program: Path, sha256: str | None) -> Recipe:
    folder = program.parent.parent
    words = linking(folder, program.name)
    words[words.index("-o") + 1] = OUTPUT
    if Path(words[0]).stem == "zig":
        return Recipe([words[0], *of_zig(words, folder, program, sha256), SHUFFLE], folder)
    return Recipe([*words, f"--ld-path={lld()}", f"-Wl,{SHUFFLE}"], folder)


def linking(folder: Path, target: str) -> list[str]:
    """The last command that Ninja runs for a program."""
    if not (folder / "build.ninja").is_file():
        raise LinkError("it was built elsewhere, without what it was linked from")
    try:
        done = captured([str(tool("ninja")), "-t", "commands", "-s", f"bin/{target}"], cwd=folder)
    except (ToolError, OSError) as problem:
        raise LinkError(str(problem)) from None
    if done.returncode != 0:
        raise LinkError(f"Ninja knows no {target}: {done.stderr.strip()[-300:]}")
    # CMake writes ": && COMMAND && :", where the first and the last are empty steps before and after the link.
    return shlex.split(re.sub(r"^: && | && :$", "", done.stdout.strip().splitlines()[-1]).strip())


def of_zig(words: list[str], folder: Path, program: Path, sha256: str | None) -> list[str]:
    """The call of lld that zig makes of a link, as arguments of zig; zig itself does not pass on lld's shuffling.

    zig tells it when it links, so it links the program once more, and that it gives the same bytes proves that the
    objects are those of the program. Raises LinkError.
    """
    if " " in str(folder) or " " in str(program):
        raise LinkError(f"zig names its files without quotes, and {folder} has a space: use a checkout without one")
    again = program.with_name(f".{secrets.token_hex(8)}.tmp")
    # The caches of the build, which have the C library and the C++ library compiled; those of all sets of types.
    own = folder.parent.parent / "zig"
    variables = (dict.fromkeys(caches(), str(own)) if own.is_dir() else caches()) | {"ZIG_VERBOSE_LINK": "1"}
    try:
        command = [word.replace(OUTPUT, str(again)) for word in words]
        done = captured(command, cwd=folder, env=os.environ | variables)
        is_same = done.returncode == 0 and again.is_file() and sha256_of(again) == sha256
    except OSError as error:
        raise LinkError(f"{words[0]} does not start: {error.strerror}") from None
    finally:
        again.unlink(missing_ok=True)
    lines = [line for line in done.stderr.splitlines() if line.startswith("ld.lld ")]
    if not is_same or not lines:
        raise LinkError("its objects are not those that it was linked from: run `./lab build`")
    return [OUTPUT if word == str(again) else word for word in lines[-1].split()]


def lld() -> str:
    """The program of LLVM's linker for the system's clang. Raises LinkError."""
    if program := shutil.which("ld.lld"):
        return program
    folder = next((word[2:] for word in rust_link.lld() if word.startswith("-B")), "")
    return str(Path(folder) / "ld.lld")
