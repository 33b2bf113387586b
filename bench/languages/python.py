"""Python: one uv workspace, each codec installed alone, so that a library without a wheel takes no other with it.

A runner is one file, `.lab/python/runners/NAME.pyz`: the kit, the codec and the hashes of the wheels that it needs, as
byte code. It runs in `.lab/python/env`, where only what uv.lock pins is installed, under the driver's own Python.
"""

import os
import platform
import py_compile
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from pathlib import Path

from bench.files import sha256_of
from bench.languages.base import folders_below
from bench.model import RunnerEntry
from bench.paths import EXE, ROOT, RUNNERS, STATE

SOURCES = RUNNERS / "python"
KIT = SOURCES / "kit"
HOME = STATE / "python"
BIN = "Scripts" if sys.platform == "win32" else "bin"
ENVIRONMENT = HOME / "env"
INTERPRETER = ENVIRONMENT / BIN / f"python{EXE}"
STANDARD_LIBRARY = "cpython"
"""The library of codecs that measure the interpreter's own modules; its version is the interpreter's."""
VARIABLES = {"PYTHONHASHSEED": "0"} | dict.fromkeys(
    ("PYTHONPATH", "PYTHONMALLOC", "PYTHONOPTIMIZE", "PYTHONDEVMODE", "RUST_BACKTRACE"), ""
)
"""What the runners see: strings hashed alike in every process, and none of the user's settings."""
INSTALL_UV = "`./lab` installs it: run the lab by its launcher, or put uv into the PATH."


class Python:
    """The Python runners."""

    name = "python"
    lanes = 1

    def codec_folders(self) -> list[Path]:
        """The folders with a codec.py below runners/python/codecs."""
        return folders_below(self.name, "codec.py")

    def sources(self) -> list[Path]:
        """The kit, the codecs, their manifests and the lock file."""
        files = [path for suffix in ("*.py", "*.toml") for path in SOURCES.rglob(suffix)]
        return sorted([*files, *self.lock_files()])

    def lock_files(self) -> list[Path]:
        """The lock file of the driver and the runners."""
        return [ROOT / "uv.lock"]

    def settings(self) -> dict[str, str]:
        """The interpreter."""
        return {"python": f"{sys.version} {platform.platform()}"}

    def build(self, folder: Path) -> RunnerEntry:
        """Installs what one codec needs, from wheels alone, and packs its runner."""
        project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))
        library = project.get("tool", {}).get("wirelab", {}).get("library")
        codec = f"{self.name}/{folder.name}"
        program = HOME / "runners" / f"{folder.name}.pyz"
        command = [str(INTERPRETER), "-s", str(program)]
        try:
            wheels = install(project["project"]["name"])
        except NotInstalledError as problem:
            return RunnerEntry(codec, command, library, None, None, str(problem), str(program), VARIABLES)
        pack(folder, program, wheels)
        version = self.locked_version(library) if library else None
        return RunnerEntry(codec, command, library, version, sha256_of(program), None, str(program), VARIABLES)

    def locked_version(self, library: str) -> str | None:
        """The version that uv.lock pins; of the standard library that of the interpreter."""
        if library == STANDARD_LIBRARY:
            return platform.python_version()
        packages = tomllib.loads(self.lock_files()[0].read_text(encoding="utf-8"))["package"]
        return next((str(package["version"]) for package in packages if package["name"] == library), None)


class NotInstalledError(Exception):
    """Why a codec's library is not there; the message is what its row says."""


def install(package: str) -> str:
    """Installs the locked wheels of a codec and gives their names, versions and hashes. Raises NotInstalledError."""
    if not INTERPRETER.exists():
        _uv(["venv", "--quiet", "--allow-existing", "--python", sys.executable, str(ENVIRONMENT)])
    chosen = ["--locked", "--package", package, "--no-default-groups"]
    _uv(["sync", "--quiet", "--inexact", "--no-build", "--python", str(INTERPRETER), *chosen])
    return _uv(["export", "--quiet", "--no-header", "--no-annotate", "--no-emit-workspace", *chosen])


def _uv(arguments: list[str]) -> str:
    uv = find_uv()
    environment = os.environ | {"UV_PROJECT_ENVIRONMENT": str(ENVIRONMENT), "UV_PYTHON_DOWNLOADS": "never"}
    environment.pop("VIRTUAL_ENV", None)
    done = subprocess.run([str(uv), *arguments], cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise NotInstalledError(reason(arguments[0], done.stderr))
    return done.stdout


def find_uv() -> Path:
    """The uv that the launcher installed, or one in the PATH. Raises NotInstalledError where there is none."""
    own = STATE / "uv" / BIN / f"uv{EXE}"
    found = own if own.exists() else shutil.which("uv")
    if not found:
        raise NotInstalledError(f"uv was not found. {INSTALL_UV}")
    return Path(found)


def reason(what: str, said: str) -> str:
    """What uv said, as the reason in a row; that a wheel is missing is put plainly."""
    text = " ".join(re.sub(r" @ \w+\+[^`\s]+|[×│╰─▶]", " ", said).split())
    if missing := re.search(r"`([\w.-]+)==([^`\s]+) *` can't be installed because it .*no binary distribution", text):
        where = (
            f"{platform.system()} {platform.machine()}, {platform.python_implementation()} {platform.python_version()}"
        )
        return f"{missing[1]} {missing[2]} has no wheel for this platform ({where})"
    return f"uv {what} failed: {text[-500:] or 'it said nothing'}"


def pack(folder: Path, program: Path, wheels: str) -> None:
    """Writes the runner as a zip of byte code: the same sources and locks give the same file to the byte."""
    program.parent.mkdir(parents=True, exist_ok=True)
    modules = {path.relative_to(KIT).with_suffix(".pyc").as_posix(): path for path in sorted(KIT.rglob("*.py"))}
    modules |= {path.with_suffix(".pyc").name: path for path in sorted(folder.glob("*.py"))}
    modules["__main__.pyc"] = modules.pop("codec.pyc")
    temporary = program.with_suffix(".tmp")
    with zipfile.ZipFile(temporary, "w", zipfile.ZIP_STORED) as archive:
        for name, path in sorted(modules.items()):
            archive.writestr(zipfile.ZipInfo(name), _byte_code(path))
        archive.writestr(zipfile.ZipInfo("wheels.txt"), wheels)
    temporary.replace(program)


def _byte_code(path: Path) -> bytes:
    with tempfile.TemporaryDirectory() as work:
        target = Path(work) / "module.pyc"
        mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
        py_compile.compile(
            str(path), str(target), path.relative_to(ROOT).as_posix(), doraise=True, optimize=0, invalidation_mode=mode
        )
        return target.read_bytes()
