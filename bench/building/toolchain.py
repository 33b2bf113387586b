"""Checks that rustup installed Rust from the archives that bench/pins/rust.toml names.

rustup checks each downloaded archive against the list of its release, and keeps that list in the toolchain; the
release itself is a name without a hash. So the list is compared with the pins, component by component: rustup rewrites
it, and a mirror may leave out components. A Rust from elsewhere (the distribution, Nix) has no list.
"""

import tomllib
from pathlib import Path

from bench.base import errors
from bench.base.paths import PINS
from bench.base.programs import captured

RUST_PINS = PINS / "rust.toml"
LIST = Path("lib/rustlib/multirust-channel-manifest.toml")
INSTALLED = Path("lib/rustlib/components")
COMPONENTS = ("cargo", "clippy-preview", "rust-std", "rustc", "rustfmt-preview")
HOSTS = (
    "aarch64-apple-darwin",
    "aarch64-unknown-linux-gnu",
    "x86_64-apple-darwin",
    "x86_64-pc-windows-msvc",
    "x86_64-unknown-linux-gnu",
)


def check(sysroot: Path, host: str, version: str) -> None:
    """Raises LabError if rustup installed the pinned version of a toolchain from other archives than the pinned."""
    pins = tomllib.loads(RUST_PINS.read_text(encoding="utf-8"))
    if pins["version"] != version or host not in pins or not (sysroot / LIST).is_file():
        return
    installed_from = archives(sysroot, host)
    installed = (sysroot / INSTALLED).read_text(encoding="utf-8").split()
    for component, expected in pins[host].items():
        if f"{component}-{host}" in installed and installed_from.get(component) != expected:
            archive = installed_from.get(component, "unknown")
            raise errors.other_toolchain(version, component, archive, expected, RUST_PINS)


def archives(sysroot: Path, host: str) -> dict[str, str]:
    """Component → SHA-256 of its archive, from the list in the toolchain."""
    listed = tomllib.loads((sysroot / LIST).read_text(encoding="utf-8"))["pkg"]
    targets = {component: listed.get(component, {}).get("target", {}).get(host, {}) for component in COMPONENTS}
    return {component: target["xz_hash"] for component, target in targets.items() if target.get("xz_hash")}


def main() -> None:
    """Writes the pins of the toolchain that rustup has installed."""
    version, sysroot = (captured(["rustc", word], cwd=PINS).stdout for word in ("--version", "--print=sysroot"))
    header = RUST_PINS.read_text(encoding="utf-8").partition("\nversion")[0]
    parts = [f'{header}\nversion = "{version.split()[1]}"\n']
    for host in HOSTS:
        lines = [f'{name} = "{digest}"' for name, digest in archives(Path(sysroot.strip()), host).items()]
        parts.append("\n".join([f"[{host}]", *lines, ""]))
    RUST_PINS.write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
