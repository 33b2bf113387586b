"""The files of a suite: of packages that their registries' own clients fetch, or of a folder that the user brings."""

import os
import shutil
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from bench.base import errors, paths
from bench.base.errors import LabError
from bench.base.files import read_bytes, sha256_of
from bench.base.programs import captured
from bench.building.crates import Crate, archive_of
from bench.building.languages.cpp_sources import SOURCES_VARIABLE
from bench.model.proof.suite import Checkout, Package, Registry, Suite

HOME = paths.STATE / "suites"
"""Packages that no client keeps by itself."""
FILE = paths.SCHEMAS / "conformance.toml"
SUITE_BYTES = 64 << 20
"""How large a suite may be; the largest is a tenth of it."""
Files = Mapping[str, bytes]
"""Path → content. Of a package, below the folder that its suite names."""


class UnavailableError(Exception):
    """Why a suite cannot be had, and what to do."""


def files_of(suite: Suite, given: Path | None = None) -> list[Files]:
    """The files of each package of a suite, or of its folder. Raises UnavailableError.

    `given` is the folder that the user names for it.
    """
    try:
        if suite.given:
            return [_of_folder(given)]
        if suite.checkout:
            return [_of_checkout(suite.checkout)]
        return [dict(_of_archive(provided(package), package.files)) for package in suite.packages]
    except (LabError, OSError, tarfile.TarError) as error:
        raise UnavailableError(str(error)) from None


def provided(package: Package) -> Path:
    """A package's archive with the pinned SHA-256: below LAB_SOURCES, or fetched. Raises UnavailableError, LabError."""
    name = f"{package.name}-{package.version}.{'crate' if package.registry == Registry.CRATES else 'tgz'}"
    sources = os.environ.get(SOURCES_VARIABLE)
    if sources and (own := Path(sources) / name).is_file():
        return checked(own, package.sha256)
    if package.registry == Registry.CRATES:
        if not shutil.which("cargo"):
            raise UnavailableError(f"cargo, which fetches {name}, was not found. {_advice(name)}")
        return archive_of(Crate(package.name, package.version, package.sha256), FILE)
    stored = HOME / name
    if not stored.exists():
        _fetch(package, stored)
    return checked(stored, package.sha256)


def _fetch(package: Package, stored: Path) -> None:
    """Has npm fetch an archive; it uses the user's proxy and mirror, and no code of the package runs."""
    if not (npm := shutil.which("npm")):
        raise UnavailableError(f"npm, which fetches {stored.name}, was not found. {_advice(stored.name)}")
    stored.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=stored.parent) as work:
        command = [npm, "pack", "--silent", "--ignore-scripts", f"{package.name}@{package.version}"]
        done = captured(command, cwd=work)
        made = Path(work) / stored.name
        if done.returncode != 0 or not made.is_file():
            answer = " ".join((done.stderr or done.stdout).split())[-300:] or "no answer"
            raise UnavailableError(f"npm did not fetch {stored.name} ({answer}). {_advice(stored.name)}")
        made.replace(stored)


def _advice(name: str) -> str:
    return f"Install it, or put {name} into a folder and set {SOURCES_VARIABLE} to that folder."


def checked(archive: Path, sha256: str) -> Path:
    """An archive, if it has this hash. Raises LabError."""
    if (actual := sha256_of(archive)) != sha256:
        raise errors.other_source(archive, actual, sha256, FILE)
    return archive


def _of_archive(archive: Path, files: str) -> Iterator[tuple[str, bytes]]:
    """The files of an archive whose hash was checked: the one of this name, or those below the folder."""
    with tarfile.open(archive) as content:
        for member in content:
            if not member.isfile() or not (file := content.extractfile(member)):
                continue
            if member.name == files:
                yield member.name.rpartition("/")[2], file.read(SUITE_BYTES)
            elif member.name.startswith(f"{files}/"):
                yield member.name[len(files) + 1 :], file.read(SUITE_BYTES)


def _of_checkout(checkout: Checkout) -> Files:
    """The files of a checkout of exactly this commit, as git has them: what lies in the folder may be changed."""
    sources = os.environ.get(SOURCES_VARIABLE)
    folder = Path(sources or ".").absolute() / checkout.name
    if not sources or not folder.is_dir():
        raise UnavailableError(
            f"no registry has it: put a checkout named {checkout.name}, with commit {checkout.commit[:7]}, into a "
            f"folder and set {SOURCES_VARIABLE} to that folder"
        )
    if not (git := shutil.which("git")):
        raise UnavailableError(f"git, which reads {folder}, was not found")
    words = [git, "-c", f"safe.directory={folder}", "-C", str(folder)]
    listed = captured([*words, "ls-tree", "-r", "--name-only", "-z", checkout.commit, "--", checkout.files])
    if listed.returncode != 0 or not listed.stdout:
        raise UnavailableError(f"{folder} has no {checkout.files} at commit {checkout.commit[:7]}: fetch that commit")
    with tempfile.TemporaryDirectory() as work:
        archive = Path(work) / "files.tar"
        packed = captured([*words, "archive", "-o", str(archive), checkout.commit, "--", checkout.files])
        if packed.returncode != 0:
            raise UnavailableError(f"git archive of {folder} failed: {packed.stderr[-300:]}")
        return dict(_of_archive(archive, checkout.files))


def _of_folder(folder: Path | None) -> Files:
    """The files below a folder that the user names."""
    if not folder:
        raise UnavailableError("its licence leaves it to you: name its folder with --folder SUITE=PATH")
    found = {str(file.relative_to(folder)): read_bytes(file) for file in sorted(folder.rglob("*.json"))}
    if not found:
        raise UnavailableError(f"{folder} has no JSON files")
    return found
