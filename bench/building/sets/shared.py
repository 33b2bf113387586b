"""What Cargo compiles alike for every set of types, and so once: crates of the registry, and the kit.

A set has a target folder of its own, or Cargo would compile the programs of two sets in turn. What does not depend on
types is in it as hard links, with the fingerprints by which Cargo knows that it is up to date.
"""

import os
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOMS = ("deps", "build", ".fingerprint")
"""Below a profile's folder: what is compiled, what build scripts made, and Cargo's notes on both."""
OWN = ("messages", "libraries/*", "codecs/*", "testees/*")
"""The packages that are made of types, or of a suite's schemas, or that use such packages."""


def own_names(workspace: Path) -> tuple[str, ...]:
    """How the files of packages that depend on types begin in Cargo's target folder."""
    manifests = [path for pattern in OWN for path in workspace.glob(f"{pattern}/Cargo.toml")]
    names = [tomllib.loads(path.read_text(encoding="utf-8"))["package"]["name"] for path in manifests]
    spelled = [spelling for name in names for spelling in (name, name.replace("-", "_"))]
    return tuple(f"{prefix}{name}{end}" for name in sorted(set(spelled)) for prefix in ("", "lib") for end in "-.")


def share(source: Path, target: Path, workspace: Path) -> None:
    """Gives one target folder what another has of packages that do not depend on types, and what it lacks itself.

    Links cost no space and keep the times of files, which Cargo compares. A link is a copy where there are none.
    """
    own = own_names(workspace)
    for room in ROOMS:
        for path in _units(source / "release" / room, own):
            _link(path, target / "release" / room / path.name)


def _units(room: Path, own: tuple[str, ...]) -> Iterator[Path]:
    if room.is_dir():
        yield from (path for path in room.iterdir() if not path.name.startswith(own))


def _link(path: Path, target: Path) -> None:
    if path.is_dir():
        if not target.exists():
            shutil.copytree(path, target, copy_function=_link_file)
    elif not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        _link_file(str(path), str(target))


def _link_file(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
