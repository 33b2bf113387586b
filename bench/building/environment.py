"""The machine, its state, and the versions of what is measured: facts without judgement."""

import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import psutil
from msgspec import Struct

from bench.base import paths
from bench.base.files import sha256_of, write_json
from bench.base.programs import captured
from bench.building.languages import LANGUAGES
from bench.model.description import Manifest

SMALL_SECOND_LEVEL_BYTES = 2**20


class Probed(Struct):
    """What py-cpuinfo found, beside a hash of what the kernel said."""

    kernel_sha256: str
    info: dict[str, Any]


def platform_name() -> str:
    """System and architecture, such as linux-x86_64; the systems are named as published tables name them."""
    system = {"win32": "windows", "darwin": "macos"}.get(sys.platform, sys.platform)
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(platform.machine().lower(), platform.machine().lower())
    return f"{system}-{machine}"


def environment(run_folder: Path) -> dict[str, Any]:
    """The machine and its state before the run; the disk is that of the run folder."""
    memory = psutil.virtual_memory()
    return {
        "cpu": cpu(),
        "memory_bytes": memory.total,
        "memory_available_bytes": memory.available,
        "disk": disk(run_folder),
        "os": platform.platform(),
        "kernel": platform.release(),
        "python": platform.python_version(),
        "governor": governor(),
        "turbo": turbo(),
        "virtualization": virtualization(),
        "load_before": load(),
    }


def cpu() -> dict[str, Any]:
    """Model, features and cores of the processor."""
    info, sizes = probed(), cache_sizes()
    return {
        "model": info.get("brand_raw") or platform.processor() or "unknown",
        "vendor": info.get("vendor_id_raw"),
        "family": info.get("family"),
        "model_number": info.get("model"),
        "stepping": info.get("stepping"),
        "microcode": microcode(),
        "cache_bytes": sizes,
        "features": sorted(info.get("flags", [])),
        "cores": psutil.cpu_count(logical=False),
        "threads": psutil.cpu_count(),
        "usable_threads": len(psutil.Process().cpu_affinity())
        if hasattr(psutil.Process, "cpu_affinity")
        else psutil.cpu_count(),
        "frequency_khz": nominal_khz(info.get("hz_advertised")),
        "l2_cache_bytes": info.get("l2_cache_size"),
        "l3_cache_bytes": info.get("l3_cache_size"),
    }


def probed() -> dict[str, Any]:
    """What py-cpuinfo finds, which takes it a second: kept for as long as the kernel says the same of the processor."""
    said = re.sub(r"^(cpu MHz|bogomips)\b.*", "", _read("/proc/cpuinfo") or "", flags=re.MULTILINE | re.IGNORECASE)
    kernel, path = hashlib.sha256(said.encode()).hexdigest(), paths.STATE / "processor.json"
    with suppress(OSError, ValueError):  # there is none, or it is damaged
        kept = msgspec.json.decode(path.read_bytes(), type=Probed)
        if said and kept.kernel_sha256 == kernel:
            return kept.info
    from cpuinfo import get_cpu_info

    info: dict[str, Any] = get_cpu_info()
    if said:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_json(path, Probed(kernel, info))
    return info


def cache_sizes() -> dict[str, int]:
    """Level → bytes of the caches that the first processor has for itself or shares: L1d, L2, L3, as far as known."""
    sizes: dict[str, int] = {}
    for folder in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        level, kind, size = (_read(str(folder / name)) for name in ("level", "type", "size"))
        unit = {"K": 2**10, "M": 2**20}.get((size or "")[-1:])
        if level and kind != "Instruction" and size and unit and size[:-1].isdigit():
            sizes["L1d" if level == "1" else f"L{level}"] = int(size[:-1]) * unit
    if sys.platform == "darwin":
        names = {"L1d": "l1dcachesize", "L2": "l2cachesize", "L3": "l3cachesize"}
        read = {level: output(["sysctl", "-n", f"hw.{name}"]) for level, name in names.items()}
        sizes = {level: int(text) for level, text in read.items() if text.isdigit() and text != "0"}
    return sizes


def second_level_bytes() -> int:
    """The size of the second-level cache, or of a small one where the system does not tell."""
    return cache_sizes().get("L2", SMALL_SECOND_LEVEL_BYTES)


def microcode() -> str | None:
    """The revision of the processor's microcode; None if unknown. A hypervisor may show one of its own."""
    if sys.platform == "darwin":
        return output(["sysctl", "-n", "machdep.cpu.microcode_version"]) or None
    if sys.platform == "win32":
        return _from_registry("Update Revision")
    found = re.search(r"^microcode\s*:\s*(\S+)", _read("/proc/cpuinfo") or "", re.MULTILINE)
    return found[1] if found else None


def nominal_khz(advertised_hz: Any) -> int | None:
    """The frequency that the processor is sold with, as py-cpuinfo reads it: (number, exponent); None if unknown."""
    match advertised_hz:
        case (int(number), int(exponent)) | [int(number), int(exponent)]:
            return round(number * 10.0**exponent / 1000)
    return None


def cpu_model() -> str | None:
    """The model of the processor, read quickly; None if unknown."""
    found = re.search(r"^model name\s*:\s*(.+)$", _read("/proc/cpuinfo") or "", re.MULTILINE)
    return found[1] if found else platform.processor() or None


def disk(folder: Path) -> dict[str, Any]:
    """Free bytes and file system of the disk that a folder lies on."""
    existing = next(path for path in (folder, *folder.resolve().parents) if path.exists())
    usage = shutil.disk_usage(existing)
    parts = sorted(psutil.disk_partitions(all=True), key=lambda p: len(p.mountpoint))
    holding = [p.fstype for p in parts if existing.resolve().is_relative_to(p.mountpoint)]
    return {"file_system": holding[-1] if holding else None, "total_bytes": usage.total, "free_bytes": usage.free}


def load() -> list[float]:
    """Load averages over 1, 5 and 15 minutes."""
    return [round(value, 2) for value in psutil.getloadavg()]


def governor() -> str | None:
    """The frequency governor of the first core; None if unknown."""
    return _read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")


def turbo() -> str | None:
    """Whether the processor may exceed its nominal frequency: on, off, or None if unknown."""
    if (no_turbo := _read("/sys/devices/system/cpu/intel_pstate/no_turbo")) is not None:
        return "off" if no_turbo == "1" else "on"
    if (boost := _read("/sys/devices/system/cpu/cpufreq/boost")) is not None:
        return "on" if boost == "1" else "off"
    return None


def virtualization() -> str | None:
    """The kind of virtual machine and container that this runs in; "none" on bare metal, None if unknown."""
    if shutil.which("systemd-detect-virt"):
        kinds = {output(["systemd-detect-virt", f"--{layer}"]) for layer in ("vm", "container")}
        return ", ".join(sorted(kinds - {"", "none"})) or "none"
    if sys.platform == "darwin":
        return {"1": "vm", "0": "none"}.get(output(["sysctl", "-n", "kern.hv_vmm_present"]))
    flags = _read("/proc/cpuinfo") or ""
    if re.search(r"^flags\s*:.*\bhypervisor\b", flags, re.MULTILINE):
        return _read("/sys/class/dmi/id/sys_vendor") or "vm"
    return "none" if flags else None


def provenance() -> dict[str, Any]:
    """The versions of what is measured that are known before anything is built: commit, lock files."""
    locks = [path for language in LANGUAGES.values() for path in language.lock_files()]
    locks += [paths.ROOT / "uv.lock", paths.ROOT / "flake.lock"]
    return {
        **git_state(),
        "lock_sha256": {paths.brief(path): sha256_of(path) for path in locks if path.exists()},
    }


def built_provenance(manifest: Manifest) -> dict[str, Any]:
    """What is known of the tools and of all that is built so far."""
    return {
        "toolchain": manifest.toolchain,
        "identities": {entry.codec: entry.identity for entry in manifest.runners if entry.identity},
        "build_fingerprint": manifest.fingerprint,
        "hyperfine": hyperfine_version(),
    }


GIT_LIMIT_S = 120.0
"""For `git status` on a slow disk that holds nothing of the checkout in memory."""


def git_state() -> dict[str, Any]:
    """Commit of the checkout (or of the lab's source), and whether files were changed since; None if unknown."""
    if revision := os.environ.get(paths.REVISION_VARIABLE):
        return {"git_commit": revision.removesuffix("-dirty"), "git_dirty": revision.endswith("-dirty")}
    # git refuses checkouts of other users, since their settings can run programs. Whoever measures runs code of this
    # checkout anyway; `status` would start a file monitor, which is not needed.
    git = ["git", "-c", f"safe.directory={paths.ROOT.as_posix()}", "-c", "core.fsmonitor=false", "-C", str(paths.ROOT)]
    variables = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    said = []
    for words in (("rev-parse", "--show-toplevel"), ("rev-parse", "HEAD"), ("status", "--porcelain")):
        try:
            done = captured([*git, *words], timeout=GIT_LIMIT_S, env=variables)
        except (OSError, subprocess.TimeoutExpired):
            break
        if done.returncode != 0:
            break
        said.append(done.stdout.strip())
    match said:
        case [top, commit, status] if Path(top).resolve() == paths.ROOT.resolve():
            return {"git_commit": commit, "git_dirty": bool(status)}
    return {"git_commit": None, "git_dirty": None}  # no checkout, or an archive that lies in somebody's repository


def hyperfine_version() -> str | None:
    """Version of the hyperfine in use; None if there is none."""
    return output([str(paths.hyperfine()), "--version"]).removeprefix("hyperfine ") or None


def _from_registry(name: str) -> str | None:
    """A value of the first processor in the registry of Windows, in hexadecimal."""
    if sys.platform != "win32":
        return None
    import winreg

    try:
        with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, r"HARDWARE\DESCRIPTION\System\CentralProcessor\0") as key:
            value, _ = winreg.QueryValueEx(key, name)
    except OSError:
        return None
    return value.hex() if isinstance(value, bytes) else str(value)


def _read(path: str) -> str | None:
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except OSError:
        return None


def output(command: list[str], cwd: Path | None = None) -> str:
    """The output of a command, stripped; empty if it cannot be run."""
    try:
        done = captured(command, cwd=cwd, timeout=30, env=os.environ | {"LC_ALL": "C"})
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()
