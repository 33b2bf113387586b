"""Links a runner's objects again with its functions in another order: another layout of the same code.

Layout 0 is the program as the build tool links it. Layout N is linked from the same objects by LLVM's linker, which
shuffles the sections of functions with the seed N. Nothing is compiled. A program is used again as long as the objects
and the command that it was linked from are the same, byte by byte.
"""

import hashlib
import lzma
import os
import secrets
import shutil
import tarfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import msgspec
from msgspec import Struct

from bench.base.files import replace, sha256_of, write_whole
from bench.base.paths import STATE, set_home
from bench.base.programs import captured
from bench.base.supervisor import signature_of
from bench.building.crates import extract
from bench.model.description import PUBLISHED_TYPES, RunnerEntry

HOME = STATE / "layouts"
PACKED = "layouts.tar.xz"
OUTPUT = "{output}"
"""Stands in a recipe's command for the program that is to be linked."""
SHUFFLE = "--shuffle-sections=.text*={layout}"
"""lld's option. It takes 0 as a seed for "draw one", and layout 0 is never linked here."""


class LinkError(Exception):
    """Why a runner has one layout only; the message is shown to the user."""


class Recipe(Struct, frozen=True):
    """How a program is linked from objects that were kept."""

    command: list[str]
    """The linker and its arguments, with OUTPUT and a `{layout}` where they belong."""
    folder: Path
    """Where the command runs."""

    @property
    def inputs(self) -> list[Path]:
        """The files among the arguments."""
        return [path for word in self.command[1:] if (path := self.folder / word).is_file()]

    def words(self, layout: int, output: Path) -> list[str]:
        """The command that links one layout."""
        return [word.replace("{layout}", str(layout)).replace(OUTPUT, str(output)) for word in self.command]


RecipeOf = Callable[[RunnerEntry], Recipe]
"""Gives the recipe of a runner, or raises LinkError."""


def why_not(entry: RunnerEntry, recipe_of: RecipeOf) -> str | None:
    """Why a runner cannot be linked in other layouts; None if it can."""
    try:
        if not _packed(entry).exists():
            recipe_of(entry)
    except LinkError as problem:
        return str(problem)
    return None


def link(entry: RunnerEntry, layout: int, recipe_of: RecipeOf) -> RunnerEntry:
    """A runner in another layout. Raises LinkError."""
    if layout == 0:
        return entry
    if _packed(entry).exists():
        program = _unpacked(_packed(entry)) / str(layout) / Path(entry.command[0]).name
        if not program.exists():
            raise LinkError(f"it was built without a layout {layout}")
        return _moved(entry, program, sha256_of(program))
    recipe = recipe_of(entry)
    program, current = _program(entry, layout), key(recipe, layout)
    made_before = _sha256_if_made_from(program, current)
    return _moved(entry, program, made_before or _made(program, recipe, layout, current))


def _packed(entry: RunnerEntry) -> Path:
    """The layouts that a build elsewhere (Nix) put beside its program, as N/PROGRAM in an archive."""
    return Path(entry.command[0]).parent.parent / PACKED


def _unpacked(archive: Path) -> Path:
    """The folder with what is in an archive, unpacked once for each content. Raises LinkError."""
    folder = HOME / "unpacked" / content_of(archive)
    if not folder.exists():
        temporary = folder.with_name(f".{secrets.token_hex(8)}.tmp")
        try:
            extract(archive, temporary)
            replace(temporary, folder)
        except (OSError, tarfile.TarError, lzma.LZMAError, EOFError) as error:
            if not folder.exists():  # otherwise another process was faster
                raise LinkError(f"its layouts cannot be unpacked: {error}") from None
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    return folder


def key(recipe: Recipe, layout: int) -> str:
    """SHA-256 over the command and the content of every input."""
    total = hashlib.sha256(msgspec.json.encode([recipe.words(layout, Path(OUTPUT)), str(recipe.folder)]))
    for path in recipe.inputs:
        total.update(content_of(path).encode())
    return total.hexdigest()


def content_of(path: Path) -> str:
    """SHA-256 of a file, read again only if its inode, its size or its time of change differ."""
    try:
        return _content_of(path, tuple(signature_of(path.stat())))
    except OSError as error:
        raise LinkError(f"{path} cannot be read: {error.strerror}") from None


@cache
def _content_of(path: Path, _: tuple[int, ...]) -> str:
    return sha256_of(path)


def _program(entry: RunnerEntry, layout: int) -> Path:
    language, codec = entry.codec.split("/")
    build = "-".join([codec, *entry.variant.split()])
    home = HOME if entry.types == PUBLISHED_TYPES else set_home(entry.types) / HOME.name
    return home / language / build / str(layout) / Path(entry.command[0]).name


def _stamp_of(program: Path) -> Path:
    return program.with_name("made-from")


def _stamp(key: str, sha256: str) -> str:
    return f"objects {key}\nprogram {sha256}\n"


def _sha256_if_made_from(program: Path, key: str) -> str | None:
    """The hash of a program that was linked before from the same objects, whole and unmodified."""
    try:
        sha256 = sha256_of(program)
        return sha256 if _stamp_of(program).read_text(encoding="utf-8") == _stamp(key, sha256) else None
    except OSError:
        return None


def _made(program: Path, recipe: Recipe, layout: int, expected: str) -> str:
    """Links a program beside its final name, and moves it there whole; returns its hash."""
    program.parent.mkdir(parents=True, exist_ok=True)
    temporary = program.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        run(recipe, layout, temporary)
        if key(recipe, layout) != expected:
            raise LinkError("its objects changed while they were linked: was the lab built again in the meantime?")
        sha256 = sha256_of(temporary)
        replace(temporary, program)
    finally:
        temporary.unlink(missing_ok=True)
    write_whole(_stamp_of(program), _stamp(expected, sha256).encode())
    return sha256


def run(recipe: Recipe, layout: int, output: Path) -> None:
    """Runs the linker. Raises LinkError with its first message."""
    command = recipe.words(layout, output)
    try:
        done = captured(command, cwd=recipe.folder, env=os.environ | {"LC_ALL": "C"})
    except OSError as error:
        raise LinkError(f"{command[0]} does not start: {error.strerror}") from None
    if done.returncode != 0:
        said = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr.strip()[-300:])
        raise LinkError(f"linking layout {layout} failed: {said or 'no message'}")


def _moved(entry: RunnerEntry, program: Path, sha256: str) -> RunnerEntry:
    return msgspec.structs.replace(entry, command=[str(program), *entry.command[1:]], sha256=sha256)
