"""Python: one uv workspace. Codecs are installed one by one, so that a library without a wheel affects no other codec.

A runner is one file, `.lab/python/runners/NAME.pyz`: the codec, the workspace modules that it uses, and the hashes of
the wheels that it needs, as byte code; the same sources and locks give the same file to the byte. It runs in
`.lab/python/env`, where only what uv.lock pins is installed, under the driver's own Python. Installed modules have
their byte code, so a start compiles nothing, whatever the machine's settings. A library without a wheel makes its
own codecs unavailable and no others.
"""

import os
import platform
import re
import shutil
import sys
import tomllib
import zipfile
from collections.abc import Generator
from pathlib import Path
from typing import Any

import msgspec

from bench.base import errors
from bench.base.files import sha256_of
from bench.base.paths import EXE, ROOT, RUNNERS, STATE, TYPES_VARIABLE
from bench.base.programs import captured
from bench.base.progress import Report
from bench.building.languages.digests import inputs_of
from bench.building.languages.language import (
    BEHIND_A_PROXY,
    DESCRIPTORS,
    UNREACHABLE,
    Problem,
    Testee,
    files_below,
    folders_below,
    locked_packages,
    with_code,
)
from bench.building.manifest import codec_of
from bench.building.relink import LinkError
from bench.building.sets.code import SetCode, published
from bench.model.description import RunnerEntry, Wanted
from bench.types.generation import MODULE

SOURCES = RUNNERS / "python"
PACK = SOURCES / "pack.py"
HOME = STATE / "python"
BIN = "Scripts" if sys.platform == "win32" else "bin"
ENVIRONMENT = HOME / "env"
INTERPRETER = ENVIRONMENT / BIN / f"python{EXE}"
TESTEE = "testee"
"""The module of a library that is packed with its codecs, and answers a test suite's own program."""
SECONDS_A_CODEC = 1.0
BYTES = 300 * 2**20
"""`du -sm .lab/python` after a build of all."""
STANDARD_LIBRARY = "cpython"
"""The library of codecs that measure the standard library; its version is the interpreter's."""
VARIABLES = {"PYTHONHASHSEED": "0"} | dict.fromkeys(
    ("PYTHONPATH", "PYTHONMALLOC", "PYTHONOPTIMIZE", "PYTHONDEVMODE", "PYTHONPYCACHEPREFIX", "RUST_BACKTRACE"), ""
)
"""The runners' environment: the same string hashes in every process, and none of the user's settings."""
ONE_LAYOUT = "interpreter and wheels are used as their publishers linked them"
"""Why Python's runners have one layout only."""
INSTALL_UV = "`./lab` installs it: run the lab by its launcher, or put uv into the PATH."


class Python:
    """The Python runners."""

    name = "python"

    def __init__(self, code: SetCode | None = None) -> None:
        self.code = code or published()

    def of(self, code: SetCode) -> "Python":
        """Python for programs of another set of types."""
        return Python(code)

    def codec_folders(self) -> list[Path]:
        """The folders with a codec.py below runners/python/codecs."""
        return folders_below(self.name, "codec.py")

    def sources(self) -> list[Path]:
        """All modules and manifests of the workspace, and the lock file; not what makes the code of types."""
        files = [path for path in files_below(SOURCES, "*.py", "*.toml") if path.name != MODULE]
        return sorted([*files, *self.lock_files()])

    def lock_files(self) -> list[Path]:
        """The lock file of the driver and the runners."""
        return [ROOT / "uv.lock"]

    def variants(self, wanted: Wanted) -> list[str]:  # noqa: ARG002 (there is nothing to choose)
        """Only the default build, since the wheels are prebuilt."""
        return [""]

    def settings(self) -> dict[str, str]:
        """The interpreter."""
        return {"python": f"{sys.version} {platform.platform()}"}

    def inputs(self, wanted: Wanted) -> dict[str, str]:  # noqa: ARG002 (there is nothing to choose)
        """Codec → SHA-256 of its inputs."""
        settings = self.settings() | {TYPES_VARIABLE: self.code.digest(self.name)}
        return inputs_of(self.name, self.codec_folders(), self.sources(), settings)

    def provide(self, folders: list[Path], report: Report) -> list[Problem]:
        """uv, and the wheels of the codecs, which it installs."""
        try:
            find_uv()
        except NotInstalledError:
            return [Problem("uv", "not found", INSTALL_UV)]
        report("installing Python packages")
        for folder in folders:
            try:
                install(_project(folder)["project"]["name"])
            except NotInstalledError as problem:
                if UNREACHABLE.search(str(problem)):
                    return [Problem("the Python package index", str(problem), BEHIND_A_PROXY)]
        return []

    def build_all(self, folders: list[Path], variants: list[str], report: Report) -> Generator[list[RunnerEntry]]:
        """One after the other: they share an environment."""
        folders = yield from with_code(self, folders, variants)
        for folder in folders:
            report(f"building {codec_of(folder)}")
            yield [self.build(folder, variant) for variant in variants]

    def libraries_of(self, folder: Path) -> set[str]:
        """The workspace's modules that its project names."""
        sources = _project(folder).get("tool", {}).get("uv", {}).get("sources", {})
        return {name.removeprefix("wirelab-") for name in sources}

    def build_seconds(self, folders: list[Path]) -> dict[str, float]:
        """Installing wheels and packing, one after the other."""
        return {codec_of(folder): SECONDS_A_CODEC for folder in folders}

    def build_bytes(self, folders: list[Path]) -> int:
        """All wheels, of which pyarrow's is most."""
        return BYTES if folders else 0

    def build(self, folder: Path, variant: str = "") -> RunnerEntry:  # noqa: ARG002
        """Installs the wheels that one codec needs, and packs its runner; one environment serves all sets of types."""
        home = HOME if self.code.is_published else self.code.home / HOME.name
        program = home / "runners" / f"{folder.name}.pyz"
        try:
            wheels = install(_project(folder)["project"]["name"])
        except NotInstalledError as problem:
            built = self._entry(folder, INTERPRETER, program)
            return msgspec.structs.replace(built, unavailable=str(problem), sha256=None, version=None)
        pack(folder, program, wheels, self.code.folder / self.name)
        return self._entry(folder, INTERPRETER, program)

    def entry(self, folder: Path, built: Path) -> RunnerEntry:
        """The codec that was built into the folder `built`: its program in runners/, its environment in env/."""
        program = built / "runners" / f"{folder.name}.pyz"
        return self._entry(folder, built / INTERPRETER.relative_to(HOME), program)

    def _entry(self, folder: Path, interpreter: Path, program: Path) -> RunnerEntry:
        library = _project(folder).get("tool", {}).get("wirelab", {}).get("library")
        exists = program.exists()
        return RunnerEntry(
            codec=codec_of(folder),
            command=[str(interpreter), "-s", str(program)],
            library=library,
            version=self.locked_version(library) if library and exists else None,
            sha256=sha256_of(program) if exists else None,
            unavailable=None if exists else errors.not_provided(program.parent.parent),
            program=str(program),
            environment=VARIABLES,
            types=self.code.name,
        )

    def can_link(self, entry: RunnerEntry) -> str | None:  # noqa: ARG002
        """Always the same reason."""
        return ONE_LAYOUT

    def link(self, entry: RunnerEntry, layout: int) -> RunnerEntry:
        """The runner itself as layout 0. Raises LinkError for any other."""
        if layout:
            raise LinkError(ONE_LAYOUT)
        return entry

    def pinned_version(self, folder: Path) -> str | None:
        """The version of a codec's library in uv.lock."""
        library = _project(folder).get("tool", {}).get("wirelab", {}).get("library")
        return self.locked_version(library) if library else None

    def sanitized(self, folders: list[Path], report: Report) -> list[RunnerEntry]:  # noqa: ARG002
        """None: only the wheels could be instrumented."""
        return []

    def packages(self, folder: Path) -> set[str] | None:  # noqa: ARG002
        """None: packages are installed whole, not compiled into a program."""
        return None

    def has_testee(self, entry: RunnerEntry) -> bool:
        """Whether the module is packed with the codec."""
        if not entry.program or not zipfile.is_zipfile(entry.program):
            return False
        with zipfile.ZipFile(entry.program) as packed:
            return f"{TESTEE}.pyc" in packed.namelist()

    def testee(self, entry: RunnerEntry, schemas: Path) -> Testee:
        """The module that is packed with the codec; it reads the schemas as what protoc makes of them."""
        assert entry.program
        environment = entry.environment | {"PYTHONPATH": entry.program, "PYTHONSAFEPATH": "1"}
        command = [*entry.command[:-1], "-m", TESTEE, str(schemas / DESCRIPTORS)]
        return Testee(command, Path(entry.program), environment)

    def build_clean(self, folder: Path, variant: str, target: Path) -> str | None:  # noqa: ARG002
        """Nothing: the wheels are prebuilt."""
        return "nothing is compiled"

    def locked_version(self, library: str) -> str | None:
        """The version that uv.lock pins; for the standard library, that of the interpreter."""
        if library == STANDARD_LIBRARY:
            return platform.python_version()
        packages = locked_packages(self.lock_files()[0].read_text(encoding="utf-8"))
        return next((str(package["version"]) for package in packages if package["name"] == library), None)


def _project(folder: Path) -> dict[str, Any]:
    return tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))


class NotInstalledError(Exception):
    """Why a codec's library is not installed. Its row shows the message."""


def install(package: str) -> str:
    """Installs the locked wheels of a codec; returns their names, versions and hashes. Raises NotInstalledError."""
    if not _is_of_this_python():
        _uv(["venv", "--quiet", "--clear", "--python", sys.executable, str(ENVIRONMENT)])
    chosen = ["--locked", "--package", package, "--no-default-groups"]
    _uv(["sync", "--quiet", "--inexact", "--no-build", "--python", str(INTERPRETER), *chosen])
    return _uv(["export", "--quiet", "--no-header", "--no-annotate", "--no-emit-workspace", *chosen])


def _is_of_this_python() -> bool:
    """Whether the runners' environment has the version of this Python, whose byte code they are."""
    try:
        facts = (ENVIRONMENT / "pyvenv.cfg").read_text(encoding="utf-8")
    except OSError:
        return False
    return INTERPRETER.exists() and f"version_info = {platform.python_version()}" in facts.splitlines()


def pack(folder: Path, program: Path, wheels: str, types: Path) -> None:
    """Writes a runner, as byte code of this Python; `types` is the folder of the code of its set."""
    command = [sys.executable, str(PACK), str(folder), str(program), str(types)]
    done = captured(command, input=wheels)
    if done.returncode != 0:
        advice = "Correct the module that the message names last."
        raise errors.tool_failed("packing a runner", command, done.returncode, done.stderr, advice)


def _uv(arguments: list[str]) -> str:
    uv = find_uv()
    environment = os.environ | {"UV_PROJECT_ENVIRONMENT": str(ENVIRONMENT), "UV_PYTHON_DOWNLOADS": "never"}
    environment["UV_COMPILE_BYTECODE"] = "1"  # otherwise a start would compile the library, on some machines every time
    environment.pop("VIRTUAL_ENV", None)
    done = captured([str(uv), *arguments], cwd=ROOT, env=environment)
    if done.returncode != 0:
        raise NotInstalledError(reason(arguments[0], done.stderr))
    return done.stdout


def find_uv() -> Path:
    """The uv that the launcher installed, or one in the PATH. Raises NotInstalledError if there is none."""
    own = [state / "uv" / BIN / f"uv{EXE}" for state in (STATE, ROOT / ".lab")]
    uv = next((path for path in own if path.exists()), None) or shutil.which("uv")
    if not uv:
        raise NotInstalledError(f"uv was not found. {INSTALL_UV}")
    return Path(uv)


def reason(command: str, output: str) -> str:
    """The reason for a failure of uv, as shown in a row: its output, or in plain words that a wheel is missing."""
    text = " ".join(re.sub(r" @ \w+\+[^`\s]+|[×│╰─▶]", " ", output).split())
    if missing := re.search(r"`([\w.-]+)==([^`\s]+) *` can't be installed because it .*no binary distribution", text):
        system = (
            f"{platform.system()} {platform.machine()}, {platform.python_implementation()} {platform.python_version()}"
        )
        return f"{missing[1]} {missing[2]} has no wheel for this platform ({system})"
    return f"uv {command} failed: {text[-500:] or 'without a message'}"
