"""Packs a codec, and what it uses of the workspace, into one file as byte code.

    python pack.py FOLDER PROGRAM < WHEELS

FOLDER holds the codec, PROGRAM is the runner to write, WHEELS the names, versions and hashes of the wheels that it
needs. The same sources and locks give the same file to the byte. The byte code is that of the Python that runs this,
which needs nothing but its standard library.
"""

import py_compile
import sys
import tempfile
import tomllib
import zipfile
from pathlib import Path

WORKSPACE = Path(__file__).resolve().parent
ROOT = WORKSPACE.parent.parent


def pack(folder: Path, program: Path, wheels: str) -> None:
    """Writes the runner as a zip of byte code."""
    program.parent.mkdir(parents=True, exist_ok=True)
    modules = {path.with_suffix(".pyc").name: path for path in folder.glob("*.py")}
    modules["__main__.pyc"] = modules.pop("codec.pyc")
    for member in members(folder):
        modules |= {path.relative_to(member).with_suffix(".pyc").as_posix(): path for path in member.rglob("*.py")}
    temporary = program.with_suffix(".tmp")
    with zipfile.ZipFile(temporary, "w", zipfile.ZIP_STORED) as archive:
        for name, path in sorted(modules.items()):
            archive.writestr(zipfile.ZipInfo(name), byte_code(path))
        archive.writestr(zipfile.ZipInfo("wheels.txt"), wheels)
    temporary.replace(program)


def members(folder: Path) -> list[Path]:
    """The folders of the workspace members that a codec depends on, as its pyproject.toml names them."""
    sources = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["uv"]["sources"]
    names = [name.removeprefix("wirelab-") for name in sources]
    return [WORKSPACE / name if name in ("kit", "messages") else WORKSPACE / "libraries" / name for name in names]


def byte_code(path: Path) -> bytes:
    """A module's byte code, with a hash of its source instead of a time, and its path within the checkout."""
    with tempfile.TemporaryDirectory() as work:
        target = Path(work) / "module.pyc"
        mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
        py_compile.compile(
            str(path), str(target), path.relative_to(ROOT).as_posix(), doraise=True, optimize=0, invalidation_mode=mode
        )
        return target.read_bytes()


if __name__ == "__main__":
    pack(Path(sys.argv[1]).resolve(), Path(sys.argv[2]), sys.stdin.read())
