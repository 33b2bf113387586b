"""Where the headers of a C++ library come from: LAB_SOURCES, the Nix store, a pinned package, the system.

Whatever the origin, they end up as `.lab/cpp/sources/NAME/include`, a folder or a link, and the origin is recorded.
"""

import os
import re
import shutil
import subprocess
import tarfile
import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path

import msgspec
from msgspec import Struct

from bench.files import sha256_of
from bench.paths import ROOT, RUNNERS, STATE, brief

PINS = RUNNERS / "cpp" / "sources.toml"
HOME = STATE / "cpp" / "sources"
ARCHIVES = STATE / "cpp" / "archives"
NIX_STORE = Path("/nix/store")
SYSTEM = (Path("/usr/include"), Path("/usr/local/include"), Path("/opt/homebrew/include"))
SOURCES_VARIABLE = "LAB_SOURCES"
"""A folder with a folder a library, each with its include/; it comes before every other origin."""
KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
LIMIT_S = 300


class Pin(Struct, frozen=True, forbid_unknown_fields=True):
    """What sources.toml says of a library."""

    version: str
    header: str
    package: str
    package_version: str
    suite: str
    sha256: dict[str, str]
    """Architecture (`all` for any) → SHA-256 of the package."""
    source: str | None = None
    """The file that is taken of a source package; else it is a package of headers."""
    root: str = "usr/include"
    """Where the headers lie in what is unpacked."""


class SourceError(Exception):
    """Why an origin has no source; the message is part of a codec's reason."""


Origin = Callable[[str, Pin], tuple[Path, str]]
"""Gives a folder that holds the header, and words for `lab list` on where that is. Raises SourceError."""


def pins() -> dict[str, Pin]:
    """The pinned libraries by name."""
    return msgspec.convert(tomllib.loads(PINS.read_text(encoding="utf-8")), dict[str, Pin])


@cache
def resolve(name: str) -> str:
    """Puts a library's headers into place and says where they are from.

    Raises SourceError with what every origin answered.
    """
    pin = pins().get(name)
    if pin is None:
        raise SourceError(f"{name} stands not in {brief(PINS)}; pin it there")
    given = [from_folder] if os.environ.get(SOURCES_VARIABLE) else []
    refused = []
    for origin in (*given, from_nix, from_package, from_system):
        try:
            folder, words = origin(name, pin)
            if not (folder / pin.header).is_file():
                raise SourceError(f"{words} has no {pin.header}")
        except SourceError as error:
            refused.append(str(error))
            continue
        link(folder, pin, HOME / name / "include")
        return words
    raise SourceError(f"{name} {pin.version} cannot be had: {'; '.join(refused)}")


def from_folder(name: str, pin: Pin) -> tuple[Path, str]:
    """The folder of the library below LAB_SOURCES."""
    folder = Path(os.environ[SOURCES_VARIABLE]).absolute() / name / "include"
    return folder, f"{SOURCES_VARIABLE}/{name}"


def from_nix(name: str, pin: Pin) -> tuple[Path, str]:
    """A package of this name and version in the Nix store."""
    for path in sorted(NIX_STORE.glob(f"*-{name}-{pin.version}*/include")):
        return path, str(path.parent)
    raise SourceError(f"the Nix store has no {name} {pin.version}")


def from_package(name: str, pin: Pin) -> tuple[Path, str]:
    """The pinned package of the distribution, fetched, checked and unpacked into .lab, where it is not yet."""
    tree = STATE / "cpp" / "packages" / f"{pin.package}_{pin.package_version}"
    words = f"package {pin.package} {pin.package_version}"
    if tree.exists():
        return tree / pin.root, words
    if not (shutil.which("apt-get") and shutil.which("dpkg-deb")):
        raise SourceError("packages need apt-get and dpkg-deb, which are not here")
    architecture = _say(["dpkg", "--print-architecture"]).strip()
    expected = pin.sha256.get("all") or pin.sha256.get(architecture)
    if expected is None:
        raise SourceError(f"{pin.package} is pinned for {', '.join(pin.sha256)} and not for {architecture}")
    archive = ARCHIVES / (pin.source or f"{pin.package}.deb")
    if not (archive.exists() and sha256_of(archive) == expected):
        fetch(pin, archive)
    if (found := sha256_of(archive)) != expected:
        archive.unlink()
        raise SourceError(f"{words} has SHA-256 {found}, {brief(PINS)} pins {expected}; it was thrown away")
    unpacked = tree.with_name(f"{tree.name}.tmp")
    shutil.rmtree(unpacked, ignore_errors=True)
    unpacked.mkdir(parents=True)
    if pin.source:
        with tarfile.open(archive) as files:
            files.extractall(unpacked, filter="data")
    else:
        _say(["dpkg-deb", "-x", str(archive), str(unpacked)])
    unpacked.rename(tree)
    return tree / pin.root, words


def from_system(name: str, pin: Pin) -> tuple[Path, str]:
    """The headers that are installed; whether they are of the pinned version says the runner itself."""
    for folder in SYSTEM:
        if (folder / pin.header).is_file():
            return folder, f"system, {folder}"
    raise SourceError(f"{' and '.join(map(str, SYSTEM))} have no {pin.header}")


def link(folder: Path, pin: Pin, place: Path) -> None:
    """Links what a library has below `folder` into `place`, and nothing else that may lie in the same folder."""
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    top = Path(pin.header).parts[0]
    for path in folder.iterdir():
        if path.name == top or path.stem == Path(top).stem:
            try:
                (place / path.name).symlink_to(path, target_is_directory=path.is_dir())
            except OSError:  # Windows without the right to make links
                (shutil.copytree if path.is_dir() else shutil.copy2)(path, place / path.name)


def fetch(pin: Pin, archive: Path) -> None:
    """Has apt fetch a package from the machine's own mirror, with lists of its own: nothing of the system's changes."""
    folder = ARCHIVES.parent / "apt" / (f"{pin.suite}-source" if pin.source else pin.suite)
    (folder / "lists" / "partial").mkdir(parents=True, exist_ok=True)
    archive.parent.mkdir(parents=True, exist_ok=True)
    signed = f" [signed-by={KEYRING}]" if KEYRING.exists() else ""
    sources = folder / "sources.list"
    kind = "deb-src" if pin.source else "deb"
    sources.write_text(f"{kind}{signed} {mirror()} {pin.suite} main\n", encoding="utf-8")
    options = [
        f"Dir::Etc::sourcelist={sources}", "Dir::Etc::sourceparts=-", f"Dir::State::lists={folder / 'lists'}",
        f"Dir::Cache={folder}", "Acquire::Languages=none", "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false",
        "APT::Sandbox::User=", "Acquire::Retries=2",
    ]  # fmt: skip
    words = ["apt-get", "-qq", *(word for option in options for word in ("-o", option))]
    _say([*words, "update"])
    wanted = f"{pin.package}={pin.package_version}"
    download = folder / "download"
    shutil.rmtree(download, ignore_errors=True)
    download.mkdir()
    _say([*words, *(["source", "--download-only", "--tar-only"] if pin.source else ["download"]), wanted], download)
    found = list(download.glob(pin.source or "*.deb"))
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
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, check=False, timeout=LIMIT_S, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SourceError(f"{command[0]} failed: {error}") from None
    if done.returncode != 0:
        text = re.sub(r"\s+", " ", done.stderr).strip()
        raise SourceError(f"{command[0]} {command[-1]} failed: {text[-300:] or 'it said nothing'}")
    return done.stdout
