"""Judges how well a machine is suited to measuring; each finding says what to do."""

import shutil
import sys
from collections.abc import Collection
from typing import Literal

import psutil
from msgspec import Struct

from bench.base import paths
from bench.base.progress import report
from bench.building import environment
from bench.building.languages.rust import INSTALL_LINKER, INSTALL_RUSTUP
from bench.building.manifest import is_by_nix, is_given
from bench.building.problems import FREE_DISK, MARGIN_BYTES, problems
from bench.building.tools import pins

MEMORY_NEEDED_BYTES = 2 * 2**30
FREE_MEMORY = "Close programs; a machine that swaps measures its disk."
STEADY_CLOCK = (
    "Turn it off where steadiness matters more than speed: "
    "`echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost` (Intel: intel_pstate/no_turbo)."
)

State = Literal["ok", "advice", "missing"]


class Finding(Struct, frozen=True):
    """One property of the machine, and whether it needs attention."""

    name: str
    value: str
    state: State
    advice: str = ""


def examine() -> list[Finding]:
    """All findings, the most important first."""
    return [
        *(tools := _tools()),
        *_builds({tool.name for tool in tools}),
        _hyperfine(),
        _governor(environment.governor()),
        _turbo(environment.turbo()),
        _load(environment.load()[0], psutil.cpu_count() or 1),
        _virtualization(environment.virtualization()),
        _room("free memory", psutil.virtual_memory().available, MEMORY_NEEDED_BYTES, FREE_MEMORY),
        _room("free disk", environment.disk(paths.WORK)["free_bytes"], MARGIN_BYTES, FREE_DISK),
    ]


def _tools() -> list[Finding]:
    """What runners are built with here; nothing where they are given, or where Nix builds them."""
    if is_given() or is_by_nix():
        return []
    wanted = {
        "git": "Install git; without it a run does not record which commit it measured.",
        "cargo": INSTALL_RUSTUP,
        "rustc": INSTALL_RUSTUP,
    }
    if sys.platform != "win32":
        wanted["cc"] = INSTALL_LINKER
    findings = []
    for name, advice in wanted.items():
        path = shutil.which(name)
        findings.append(
            Finding(name, _version(name) if path else "not found", "ok" if path else "missing", "" if path else advice)
        )
    return findings


def _builds(known: Collection[str]) -> list[Finding]:
    """What else building every runner lacks; downloads what can be."""
    if not (lacking := problems(report)):
        return [Finding("downloads", "all that a build needs is here", "ok")]
    return [
        Finding(problem.lack, problem.detail, "missing" if problem.hinders else "advice", problem.advice)
        for problem in lacking
        if problem.lack not in known
    ]


def _version(name: str) -> str:
    output = environment.output([name, "--version"], cwd=paths.ROOT)
    return output.splitlines()[0] if output else "installed, version unknown"


def _hyperfine() -> Finding:
    version, pinned = environment.hyperfine_version(), pins()["hyperfine"].version
    if version is None:
        return Finding("hyperfine", "not built yet", "ok", "`lab bench` builds it into .lab/tools")
    if version != pinned:
        advice = f"This lab pins {pinned}: unset {paths.HYPERFINE_VARIABLE}."
        return Finding("hyperfine", version, "missing", advice)
    return Finding("hyperfine", version, "ok")


def _governor(governor: str | None) -> Finding:
    if governor in (None, "performance"):
        return Finding("frequency governor", governor or "unknown", "ok")
    return Finding(
        "frequency governor", governor, "advice", "Set it to performance: `sudo cpupower frequency-set -g performance`."
    )


def _turbo(turbo: str | None) -> Finding:
    if turbo != "on":
        return Finding("turbo", turbo or "unknown", "ok")
    return Finding("turbo", turbo, "advice", STEADY_CLOCK)


def _load(load: float, threads: int) -> Finding:
    value = f"{load:.2f} on {threads} threads"
    if load < 0.25 * threads:
        return Finding("load", value, "ok")
    return Finding("load", value, "advice", "Stop other programs; rounds are paired, but noise widens every interval.")


def _virtualization(kind: str | None) -> Finding:
    if kind in (None, "none"):
        return Finding("virtualization", kind or "unknown", "ok")
    return Finding(
        "virtualization",
        kind,
        "advice",
        "Neighbours on the host may disturb measurements: trust ratios within a run, not absolute times.",
    )


def _room(name: str, available: int, needed: int, advice: str) -> Finding:
    value = f"{available / 2**30:.1f} GiB"
    return (
        Finding(name, value, "ok")
        if available >= needed
        else Finding(name, value, "missing", f"At least {needed / 2**30:.0f} GiB are needed. {advice}")
    )
