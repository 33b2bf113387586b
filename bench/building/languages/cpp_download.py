"""Sources from where their authors publish them, checked by the hash of the unpacked tree."""

import tarfile
import zlib
from http.client import HTTPException, IncompleteRead
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import urlopen

from bench.base import errors
from bench.base.paths import brief
from bench.base.progress import report
from bench.building.archives import extract
from bench.building.languages import cpp_pins
from bench.building.languages.cpp_nar import Tree, archive_tree, nar_hash
from bench.building.languages.cpp_pins import PINS, Pin, Source, SourceError
from bench.building.languages.cpp_trees import settle

ATTEMPTS = 2
TIMEOUT_S = 5
"""Of connecting, and of each wait for more: where there is no network a build says so within seconds."""
UNREACHABLE: dict[str, str] = {}
"""Host → why it cannot be reached, as this process found out."""


def from_download(name: str, pin: Pin) -> Source:
    """The pinned archive, fetched where it is not yet, checked, and unpacked into .lab where that does not hold it."""
    tree = cpp_pins.HOME / "downloads" / f"{name}-{pin.version}"
    archive = cpp_pins.HOME / "archives" / f"{name}-{pin.version}.tar.gz"
    expected = None
    if archive.exists():
        try:
            expected = pinned_tree(archive, pin)
        except SourceError:
            report(errors.tree_changed(archive, f"the archive of {name} {pin.version}"))
            archive.unlink()
    if expected is None:
        archive.parent.mkdir(parents=True, exist_ok=True)
        archive.write_bytes(content_of(pin.url))
        try:
            expected = pinned_tree(archive, pin)
        except SourceError:
            archive.unlink()
            raise

    def unpack(folder: Path) -> Path:
        extract(archive, folder)
        return next(folder.iterdir())

    try:
        settle(tree, expected, unpack, f"{name} {pin.version}")
    except (tarfile.TarError, OSError) as error:
        raise SourceError(f"{brief(archive)} cannot be unpacked: {error}") from None
    return Source(tree / pin.include, pin.version, f"download {pin.url}")


def pinned_tree(archive: Path, pin: Pin) -> Tree:
    """What an archive of the pinned tree holds. Raises SourceError for every other one."""
    try:
        tree = archive_tree(archive)
    except (tarfile.TarError, EOFError, zlib.error, OSError) as error:
        raise SourceError(f"{pin.url} gave no whole archive ({error}); it was thrown away") from None
    if (found := nar_hash(tree)) != pin.hash:
        raise SourceError(f"{pin.url} has the hash {found}, {brief(PINS)} pins {pin.hash}; it was thrown away")
    return tree


def content_of(url: str) -> bytes:
    """What lies at an address. Raises SourceError; a host that cannot be reached is not asked again."""
    host = urlsplit(url).hostname or url
    if host in UNREACHABLE:
        raise SourceError(UNREACHABLE[host])
    problem = ""
    for _ in range(ATTEMPTS):
        try:
            with urlopen(url, timeout=TIMEOUT_S) as answer:
                content: bytes = answer.read()
            UNREACHABLE.pop(host, None)
            return content
        except HTTPError as error:
            raise SourceError(f"{url} answers {error.code} {error.reason}") from None
        except IncompleteRead as error:
            problem = f"{url} broke off after {len(error.partial)} bytes"
        except (OSError, HTTPException) as error:  # of which URLError is one
            cause = getattr(error, "reason", error)
            problem = UNREACHABLE[host] = f"{host} cannot be reached ({getattr(cause, 'strerror', None) or cause})"
    raise SourceError(problem)
