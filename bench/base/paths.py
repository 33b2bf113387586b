"""Where things are. Every folder and environment variable of the lab stands here."""

import os
import sys
from pathlib import Path

from bench.base.visible import visible

ROOT = Path(__file__).resolve().parents[2]
SCHEMAS = ROOT / "schemas"
SCENARIOS = SCHEMAS / "scenarios"
RUNNERS = ROOT / "runners"
PINS = ROOT / "bench" / "pins"
TOOL_PINS = PINS / "tools.toml"
"""What the lab downloads besides what uv.lock, Cargo.lock and sources.toml name."""

WORK_VARIABLE = "LAB_WORK"
"""A folder to write in, where the lab itself lies where nobody may write (Nix, an image); else the checkout."""

WORK = Path(os.environ.get(WORK_VARIABLE) or ROOT).absolute()
RUNS = WORK / "runs"
STATE = WORK / ".lab"  # ignored by git: tools, environments, builds, inputs
SCRATCH = STATE / "scratch"
"""What need not last: files of calls, each folder removed by the process that made it."""

EXE = ".exe" if sys.platform == "win32" else ""

RUNNERS_VARIABLE = "LAB_RUNNERS"
"""A manifest of runners built elsewhere (Nix, an image, a test); with it the driver builds nothing."""

TOOLCHAIN_VARIABLE = "LAB_TOOLCHAIN"
"""What the runners that are built here count as, where it is not the host's own toolchain (`image`)."""

REVISION_VARIABLE = "LAB_REVISION"
"""The commit that a lab without a checkout was made from; one with changes on top of it ends in `-dirty`."""

TOOLS_VARIABLE = "LAB_TOOLS"
"""A folder whose bin/ holds the tools that the lab else builds into .lab/tools (Nix)."""

HYPERFINE_VARIABLE = "LAB_HYPERFINE"
"""A hyperfine provided from elsewhere, of all tools."""


TRACEBACK_VARIABLE = "LAB_TRACEBACK"
"""Set, it shows where in the lab an error came from that should not have come."""


def tool(name: str) -> Path:
    """A tool that the lab brings itself, whether it is there yet or not."""
    return Path(os.environ.get(TOOLS_VARIABLE) or STATE / "tools") / "bin" / f"{name}{EXE}"


def hyperfine() -> Path:
    """The hyperfine that this lab uses, whether it is there yet or not."""
    given = os.environ.get(HYPERFINE_VARIABLE)
    return Path(given) if given else tool("hyperfine")


def manifest() -> Path:
    """The manifest of the runners that this lab uses, whether it is there yet or not."""
    given = os.environ.get(RUNNERS_VARIABLE)
    return Path(given) if given else STATE / "runners.json"


def brief(path: Path) -> str:
    """The path as a reader of a message wants it: relative to the checkout or working folder where it lies in it.

    It is on one line, whatever bytes it holds.
    """
    return visible(next((str(path.relative_to(home)) for home in (ROOT, WORK) if path.is_relative_to(home)), str(path)))
