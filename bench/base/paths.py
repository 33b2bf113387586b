"""Every folder and environment variable of the lab."""

import os
import sys
from pathlib import Path

from bench.base.visible import visible

ROOT = Path(__file__).resolve().parents[2]
SCHEMAS = ROOT / "schemas"
SCENARIOS = SCHEMAS / "scenarios"
RUNNERS = ROOT / "runners"
RESULTS = ROOT / "results"
"""Recorded runs, as the repository keeps them."""
PINS = ROOT / "bench" / "pins"
TOOL_PINS = PINS / "tools.toml"
"""What the lab downloads besides what uv.lock, Cargo.lock and sources.toml name."""

WORK_VARIABLE = "LAB_WORK"
"""The folder to write in where the lab's own is read-only (Nix, an image); by default the checkout."""

WORK = Path(os.environ.get(WORK_VARIABLE) or ROOT).absolute()
RUNS = WORK / "runs"
PAGE_MARKER = "report.json"
"""The file by which commands that write pages recognize a folder as their own."""
STATE = WORK / ".lab"  # ignored by git: tools, environments, builds, inputs
SCRATCH = STATE / "scratch"
"""Temporary files of calls; each folder is removed by the process that made it."""

EXE = ".exe" if sys.platform == "win32" else ""

RUNNERS_VARIABLE = "LAB_RUNNERS"
"""A manifest of runners built elsewhere (Nix, an image, a test); with it the driver builds nothing."""

DERIVATIONS_VARIABLE = "LAB_DERIVATIONS"
"""Derivations of the runners, which Nix then builds as they are needed (`nix run .#bench`)."""

TOOLCHAIN_VARIABLE = "LAB_TOOLCHAIN"
"""What toolchain the runners that are built here are said to come from, if not the host's own (`image`)."""

REVISION_VARIABLE = "LAB_REVISION"
"""The commit of a lab without a checkout; it ends in `-dirty` where files were changed."""

TOOLS_VARIABLE = "LAB_TOOLS"
"""A folder whose bin/ holds the tools that the lab otherwise builds into .lab/tools (Nix)."""

HYPERFINE_VARIABLE = "LAB_HYPERFINE"
"""A hyperfine to use instead of the lab's own."""

TYPES_VARIABLE = "WIRELAB_TYPES"
"""Where the code of a set of types is, as Cargo, CMake and Python's packing are told."""

SCHEMAS_VARIABLE = "WIRELAB_SCHEMAS"
"""Where the schemas of a test suite are, as Cargo and CMake are told when they build its testees."""

TRACEBACK_VARIABLE = "LAB_TRACEBACK"
"""If set, unexpected errors print their traceback."""


def tool(name: str) -> Path:
    """The path of a tool that the lab brings itself; it may not be built yet."""
    return Path(os.environ.get(TOOLS_VARIABLE) or STATE / "tools") / "bin" / f"{name}{EXE}"


def hyperfine() -> Path:
    """The path of the hyperfine that this lab uses; it may not be built yet."""
    given = os.environ.get(HYPERFINE_VARIABLE)
    return Path(given) if given else tool("hyperfine")


def manifest() -> Path:
    """The path of the manifest of the runners that this lab uses; it may not be written yet."""
    given = os.environ.get(RUNNERS_VARIABLE)
    return Path(given) if given else STATE / "runners.json"


def set_home(types: str) -> Path:
    """The folder of the programs of another set of types than the published one; it may not be there yet."""
    return STATE / "sets" / types


def brief(path: Path) -> str:
    """A path for messages: on one line, and relative to the checkout or working folder if it lies in one."""
    return visible(next((str(path.relative_to(home)) for home in (ROOT, WORK) if path.is_relative_to(home)), str(path)))
