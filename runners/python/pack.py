"""Packs a codec and the kit as byte code into one file: the same sources and locks give the same file to the byte.

    python pack.py FOLDER PROGRAM < WHEELS

FOLDER holds the codec, PROGRAM is the runner to write, WHEELS the names, versions and hashes of what it needs. The
byte code is that of the Python that runs this; nothing but its standard library is used.
"""

import py_compile
import sys
import tempfile
import zipfile
from pathlib import Path

KIT = Path(__file__).resolve().parent / "kit"
ROOT = KIT.parent.parent.parent


def pack(folder: Path, program: Path, wheels: str) -> None:
    """Writes the runner as a zip of byte code."""
    program.parent.mkdir(parents=True, exist_ok=True)
    modules = {path.relative_to(KIT).with_suffix(".pyc").as_posix(): path for path in sorted(KIT.rglob("*.py"))}
    modules |= {path.with_suffix(".pyc").name: path for path in sorted(folder.glob("*.py"))}
    modules["__main__.pyc"] = modules.pop("codec.pyc")
    temporary = program.with_suffix(".tmp")
    with zipfile.ZipFile(temporary, "w", zipfile.ZIP_STORED) as archive:
        for name, path in sorted(modules.items()):
            archive.writestr(zipfile.ZipInfo(name), byte_code(path))
        archive.writestr(zipfile.ZipInfo("wheels.txt"), wheels)
    temporary.replace(program)


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
