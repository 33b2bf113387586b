"""Where the source of a C++ library comes from: LAB_SOURCES, the Nix store, a pinned download, the distribution.

Each origin gives a folder of headers, their version, and words for the record on where they are from.
"""

import os
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path

from bench.base.paths import brief
from bench.building.languages import cpp_pins
from bench.building.languages.cpp_download import from_download
from bench.building.languages.cpp_nar import folder_tree, nar_hash, store_path
from bench.building.languages.cpp_packages import from_package
from bench.building.languages.cpp_pins import PINS, Pin, Source, SourceError

NIX_STORE = Path("/nix/store")
SYSTEM = (Path("/usr/include"), Path("/usr/local/include"), Path("/opt/homebrew/include"))
SOURCES_VARIABLE = "LAB_SOURCES"
"""A folder with a folder a library, a checkout or an unpacked archive; it comes before every other origin."""
UNKNOWN = "unknown"
"""The version of a tree that is not the pinned one and whose headers do not say theirs."""

Origin = Callable[[str, Pin], Source]
"""Raises SourceError where it has none."""


def resolve(name: str) -> Source:
    """A library's source. Raises SourceError with what every origin answered."""
    found = search(name)
    if isinstance(found, SourceError):
        raise found
    return found


@cache
def search(name: str) -> Source | SourceError:
    """What `resolve` gives or raises; no origin is asked twice."""
    pin = cpp_pins.pins().get(name)
    if pin is None:
        return SourceError(f"{name} stands not in {brief(PINS)}; pin it there")
    try:
        given_trees()
    except SourceError as error:
        return error
    refused = []
    origins: tuple[Origin, ...] = (from_folder, from_nix, from_download, from_package, from_system)
    for origin in origins:
        try:
            source = origin(name, pin)
            if not (source.include / pin.file).is_file():
                raise SourceError(f"{source.origin} has no {pin.file}")
            return source
        except SourceError as error:
            refused.append(str(error))
    return SourceError(
        f"{name} {pin.version} cannot be had: {'; '.join(refused)}. "
        f"A checkout called {name} in a folder that {SOURCES_VARIABLE} names would do"
    )


def from_folder(name: str, pin: Pin) -> Source:
    """The folder of the library below LAB_SOURCES; one that is not the pinned tree is taken and called so."""
    given = given_trees()
    if name not in given:
        named = os.environ.get(SOURCES_VARIABLE)
        raise SourceError(f"{SOURCES_VARIABLE} ({named}) has no {name}" if named else f"{SOURCES_VARIABLE} is not set")
    folder, found = given[name]
    words = f"{SOURCES_VARIABLE}/{name}"
    if found == pin.hash:
        return Source(folder / pin.include, pin.version, words)
    version = pin.version if pin.says_version else UNKNOWN
    return Source(folder / pin.include, version, f"{words}, not the pinned tree but {found}")


@cache
def given_trees() -> dict[str, tuple[Path, str]]:
    """Library → its folder below LAB_SOURCES and the hash of that. Raises SourceError where there is no such folder."""
    if not (named := os.environ.get(SOURCES_VARIABLE)):
        return {}
    home = Path(named).absolute()
    if not home.is_dir():
        raise SourceError(f"{SOURCES_VARIABLE} names {named}, which is no folder")
    folders = {name: (home / name).resolve() for name in cpp_pins.pins()}
    try:
        return {name: (path, nar_hash(folder_tree(path))) for name, path in folders.items() if path.is_dir()}
    except OSError as error:
        raise SourceError(f"{SOURCES_VARIABLE}: {error}") from None


def from_nix(name: str, pin: Pin) -> Source:
    """The pinned tree in the Nix store, where its hash alone says its place; else a package of this version."""
    pinned = NIX_STORE / store_path(pin.hash).name
    packages = sorted(NIX_STORE.glob(f"*-{name}-{pin.version}/include"))
    for folder, home in ((pinned / pin.include, pinned), *((path, path.parent) for path in packages)):
        if (folder / pin.file).is_file():
            return Source(folder, pin.version, str(home))
    raise SourceError(f"the Nix store has no {name} {pin.version}")


def from_system(name: str, pin: Pin) -> Source:
    """The headers that are installed; whether they are of the pinned version says the runner itself.

    They lie among those of other libraries and of the C library, so that only the library's own are linked.
    """
    for folder in SYSTEM:
        if (folder / pin.file).is_file():
            place = cpp_pins.HOME / "system" / name
            link(folder, pin, place)
            return Source(place, pin.version if pin.says_version else UNKNOWN, f"system, {folder}")
    raise SourceError(f"{', '.join(map(str, SYSTEM))} have no {pin.file}")


def link(folder: Path, pin: Pin, place: Path) -> None:
    """Links what a library has below `folder` into `place`, and nothing else that lies in the same folder."""
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    top = Path(pin.file).parts[0]
    for path in folder.iterdir():
        if path.name == top or path.stem == Path(top).stem:
            (place / path.name).symlink_to(path, target_is_directory=path.is_dir())
