"""The tools that the lab brings itself, each built once into .lab/tools from its pinned sources."""

import os
import shutil
import sys
from pathlib import Path

from bench import errors, paths
from bench.languages.rust import INSTALL_RUSTUP
from bench.programs import captured
from bench.progress import Report

HYPERFINE_VERSION = "1.20.0"
ACTIONLINT_VERSION = "1.7.12"
NIXFMT_VERSION = "0.5.3"
"""Of nixfmt_rs, which formats as the nixfmt in nixpkgs does."""


def provide_hyperfine(report: Report) -> None:
    """The pinned hyperfine. Raises LabError where it is missing and cannot be built."""
    path = paths.hyperfine()
    if os.environ.get(paths.HYPERFINE_VARIABLE) and not path.exists():
        raise errors.missing_tool(str(path), f"{paths.HYPERFINE_VARIABLE} must name hyperfine {HYPERFINE_VERSION}.")
    _cargo_install("hyperfine", HYPERFINE_VERSION, path, report)


def provide_nixfmt(report: Report) -> None:
    """The pinned nixfmt. Raises LabError where it is missing and cannot be built."""
    _cargo_install("nixfmt_rs", NIXFMT_VERSION, paths.tool("nixfmt"), report)


def provide_actionlint(report: Report) -> None:
    """The pinned actionlint. Raises LabError where it is missing and cannot be built."""
    path = paths.tool("actionlint")
    if _is_there(path):
        return
    go = shutil.which("go", path=str(Path(sys.executable).parent))
    if not go:
        raise errors.missing_tool("go", "`./lab lint` installs it: run it by the launcher.")
    report(f"building actionlint {ACTIONLINT_VERSION} into .lab/tools (half a minute, once)")
    command = [go, "install", f"github.com/rhysd/actionlint/cmd/actionlint@v{ACTIONLINT_VERSION}"]
    advice = "It needs the Go module proxy once."
    _run("building actionlint", command, advice, {"GOBIN": str(path.parent), "GOTOOLCHAIN": "local", "GOFLAGS": ""})


def _cargo_install(crate: str, version: str, path: Path, report: Report) -> None:
    if _is_there(path):
        return
    if not shutil.which("cargo"):
        raise errors.missing_tool("cargo", INSTALL_RUSTUP)
    report(f"building {crate} {version} into .lab/tools (a minute, once)")
    root = str(paths.STATE / "tools")
    command = ["cargo", "install", crate, "--version", version, "--locked", "--quiet", "--root", root]
    _run(f"building {crate}", command, "It needs the Rust package index once, and a C linker.", {})


def _is_there(path: Path) -> bool:
    """Whether a tool is there. Raises LabError where it should have come from elsewhere and did not."""
    if path.exists():
        return True
    if os.environ.get(paths.TOOLS_VARIABLE):
        raise errors.missing_tool(str(path), f"{paths.TOOLS_VARIABLE} must name a folder whose bin/ holds it.")
    return False


def _run(what: str, command: list[str], advice: str, variables: dict[str, str]) -> None:
    done = captured(command, cwd=paths.ROOT, env=os.environ | variables)
    if done.returncode != 0:
        raise errors.tool_failed(what, command, done.returncode, done.stderr, advice)
