"""The tools that the lab brings itself."""

import os
import shutil
import subprocess

from bench import errors, paths
from bench.languages.rust import INSTALL_RUSTUP
from bench.progress import Report

HYPERFINE_VERSION = "1.20.0"


def provide_hyperfine(report: Report) -> None:
    """Builds the pinned hyperfine into .lab/tools where it is missing. Raises LabError where that fails."""
    path = paths.hyperfine()
    if path.exists():
        return
    if os.environ.get(paths.HYPERFINE_VARIABLE):
        raise errors.missing_tool(str(path), f"{paths.HYPERFINE_VARIABLE} must name hyperfine {HYPERFINE_VERSION}.")
    if not shutil.which("cargo"):
        raise errors.missing_tool("cargo", INSTALL_RUSTUP)
    report(f"building hyperfine {HYPERFINE_VERSION} into .lab/tools (a minute, once)")
    command = [
        "cargo",
        "install",
        "hyperfine",
        "--version",
        HYPERFINE_VERSION,
        "--locked",
        "--quiet",
        "--root",
        str(paths.STATE / "tools"),
    ]
    done = subprocess.run(command, cwd=paths.ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        advice = "It needs the Rust package index once, and a C linker."
        raise errors.tool_failed("building hyperfine", command, done.returncode, done.stderr, advice)
