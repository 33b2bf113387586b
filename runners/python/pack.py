"""Packs a codec, what it uses of the workspace, and the generated code of its types into one file as byte code.

    python pack.py FOLDER PROGRAM [TYPES] < WHEELS

FOLDER holds the codec, PROGRAM is the runner to write, TYPES the folder of the code that was generated for Python (of
the published types by default), WHEELS the names, versions and hashes of the wheels that it needs. The same sources,
types and locks give the same file to the byte. The byte code is that of the Python that runs this, which needs nothing
but its standard library.
"""

import py_compile
import sys
import tempfile
import tomllib
import zipfile
from pathlib import Path

WORKSPACE = Path(__file__).resolve().parent
ROOT = WORKSPACE.parent.parent
PUBLISHED = ROOT / ".lab" / "types" / "published" / "python"
GENERATOR = "generator.py"
"""What writes the generated code; it is the driver's."""


def pack(folder: Path, program: Path, wheels: str, types: Path = PUBLISHED) -> None:
    """Writes the runner as a zip of byte code."""
    program.parent.mkdir(parents=True, exist_ok=True)
    sources = {path.name: (path, path.relative_to(ROOT)) for path in folder.glob("*.py")}
    sources["__main__.py"] = sources.pop("codec.py")
    for member in members(folder):
        own = [path for path in member.rglob("*.py") if path.name != GENERATOR]
        sources |= {path.relative_to(member).as_posix(): (path, path.relative_to(ROOT)) for path in own}
        generated = types / member.name
        sources |= {path.name: (path, Path("types") / path.relative_to(types)) for path in generated.glob("*.py")}
    temporary = program.with_suffix(".tmp")
    with zipfile.ZipFile(temporary, "w", zipfile.ZIP_STORED) as archive:
        for name, (path, shown) in sorted(sources.items()):
            archive.writestr(zipfile.ZipInfo(f"{name}c"), byte_code(path, shown))
        archive.writestr(zipfile.ZipInfo("wheels.txt"), wheels)
    temporary.replace(program)


def members(folder: Path) -> list[Path]:
    """The folders of the workspace members that a codec depends on, as its pyproject.toml names them."""
    sources = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["uv"]["sources"]
    names = [name.removeprefix("wirelab-") for name in sources]
    return [WORKSPACE / name if name in ("kit", "messages") else WORKSPACE / "libraries" / name for name in names]


def byte_code(path: Path, shown: Path) -> bytes:
    """A module's byte code, with a hash of its source instead of a time, and a path that is no machine's."""
    with tempfile.TemporaryDirectory() as work:
        target = Path(work) / "module.pyc"
        mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
        py_compile.compile(str(path), str(target), shown.as_posix(), doraise=True, optimize=0, invalidation_mode=mode)
        return target.read_bytes()


if __name__ == "__main__":
    given = [Path(word).resolve() for word in sys.argv[1:]]
    pack(given[0], given[1], sys.stdin.read(), *given[2:])
