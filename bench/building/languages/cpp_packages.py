"""Sources from the distribution: packages fetched by apt, checked, and unpacked into .lab and nowhere else."""

import io
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

from bench.base.files import sha256_of
from bench.base.paths import ROOT, brief
from bench.base.programs import captured
from bench.building.archives import extract
from bench.building.languages import cpp_pins
from bench.building.languages.cpp_nar import tar_tree
from bench.building.languages.cpp_pins import PINS, Package, Pin, Source, SourceError
from bench.building.languages.cpp_trees import settle

KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
LIMIT_S = 300


def from_package(name: str, pin: Pin) -> Source:
    """The pinned package of the distribution, fetched where it is not yet, checked, and unpacked into .lab."""
    if not (package := pin.package):
        raise SourceError(f"Debian has no {name}")
    tree = cpp_pins.HOME / "packages" / f"{package.name}_{package.revision}"
    source = Source(tree / package.include, package.version, f"package {package.name} {package.revision}")
    if not (shutil.which("apt-get") and shutil.which("dpkg-deb")):
        raise SourceError("packages need apt-get and dpkg-deb, which are not here")
    architecture = _say(["dpkg", "--print-architecture"]).strip()
    expected = package.sha256.get("all") or package.sha256.get(architecture)
    if expected is None:
        raise SourceError(f"{package.name} is pinned for {', '.join(package.sha256)} and not for {architecture}")
    archive = cpp_pins.HOME / "archives" / (package.source or f"{package.name}.deb")
    if not (archive.exists() and sha256_of(archive) == expected):
        fetch(package, archive)
    if (found := sha256_of(archive)) != expected:
        archive.unlink()
        raise SourceError(f"{source.origin} has SHA-256 {found}, {brief(PINS)} pins {expected}; it was thrown away")
    try:
        with io.BytesIO(content_of(package, archive)) as content:
            settle(tree, tar_tree(content), lambda folder: unpack(package, archive, folder), source.origin)
    except (tarfile.TarError, OSError) as error:
        raise SourceError(f"{brief(archive)} cannot be unpacked: {error}") from None
    return source


def content_of(package: Package, archive: Path) -> bytes:
    """The tar archive that a package is. Raises SourceError."""
    if package.source:
        return archive.read_bytes()
    done = subprocess.run(["dpkg-deb", "--fsys-tarfile", str(archive)], capture_output=True, check=False)
    if done.returncode != 0:
        raise SourceError(f"dpkg-deb cannot read {brief(archive)}")
    return done.stdout


def unpack(package: Package, archive: Path, folder: Path) -> Path:
    """Unpacks a package into an empty folder. Raises SourceError, tarfile.TarError, OSError."""
    if package.source:
        extract(archive, folder)
    else:
        _say(["dpkg-deb", "-x", str(archive), str(folder)])
    return folder


def fetch(package: Package, archive: Path) -> None:
    """Has apt fetch a package from the machine's own mirror, with lists of its own: nothing of the system's changes."""
    folder = archive.parents[1] / "apt" / (f"{package.suite}-source" if package.source else package.suite)
    (folder / "lists" / "partial").mkdir(parents=True, exist_ok=True)
    archive.parent.mkdir(parents=True, exist_ok=True)
    signed = f" [signed-by={KEYRING}]" if KEYRING.exists() else ""
    listed = folder / "sources.list"
    kind = "deb-src" if package.source else "deb"
    listed.write_text(f"{kind}{signed} {mirror()} {package.suite} main\n", encoding="utf-8")
    options = [
        f"Dir::Etc::sourcelist={listed}",
        "Dir::Etc::sourceparts=-",
        f"Dir::State::lists={folder / 'lists'}",
        f"Dir::Cache={folder}",
        "Acquire::Languages=none",
        "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false",
        "APT::Sandbox::User=",
        "Acquire::Retries=1",
    ]
    words = ["apt-get", "-qq", *(word for option in options for word in ("-o", option))]
    _say([*words, "update"])
    wanted = f"{package.name}={package.revision}"
    download = folder / "download"
    shutil.rmtree(download, ignore_errors=True)
    download.mkdir()
    _say([*words, *(["source", "--download-only", "--tar-only"] if package.source else ["download"]), wanted], download)
    found = list(download.glob(package.source or "*.deb"))
    if len(found) != 1:
        raise SourceError(f"apt-get fetched no {wanted}")
    found[0].replace(archive)


def mirror() -> str:
    """The address of the distribution's archive that the machine is set up with. Raises SourceError."""
    lines = _say(["apt-get", "indextargets", "--format", "$(ORIGIN) $(LABEL) $(REPO_URI)"]).splitlines()
    found = next((line.split()[2] for line in lines if line.startswith("Debian Debian ")), None)
    if found is None:
        raise SourceError("apt has no archive of Debian, from which packages are pinned; try `apt-get update`")
    return found


def _say(command: list[str], folder: Path = ROOT) -> str:
    """What a command prints. Raises SourceError."""
    try:
        done = captured(command, cwd=folder, timeout=LIMIT_S, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SourceError(f"{command[0]} failed: {error}") from None
    if done.returncode != 0:
        text = re.sub(r"\s+", " ", done.stderr).strip()
        raise SourceError(f"{command[0]} {command[-1]} failed: {text[-300:] or 'it said nothing'}")
    return done.stdout
