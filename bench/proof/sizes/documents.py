"""The documents whose sizes publications printed: from a folder below LAB_SOURCES or a pinned crate, never committed.

Each is taken only if it has the SHA-256 that bench/pins/documents.toml names, wherever it comes from.
"""

import hashlib
import os
import tempfile
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Literal

from msgspec import Struct

from bench.base import paths
from bench.base.errors import LabError, bad_file
from bench.base.files import find_toml_line, read_bytes, read_text, read_toml
from bench.building.crates import Crate, unpack
from bench.building.languages.cpp_sources import SOURCES_VARIABLE
from bench.model.fields import Sha256, Version

PINS = paths.PINS / "documents.toml"


class Origin(Struct, frozen=True, forbid_unknown_fields=True):
    """Where documents come from: a folder below LAB_SOURCES, or a crate."""

    folder: str = ""
    address: str = ""
    """Of the repository whose checkout the folder is."""
    commit: str = ""
    crate: str = ""
    version: str = ""
    sha256: str = ""
    """The hash of the .crate file."""


class Document(Struct, frozen=True, forbid_unknown_fields=True):
    """A document: a file of a source."""

    source: str
    file: str
    sha256: Sha256
    """Of the document, unpacked."""
    packed: Literal["brotli"] | None = None


class Documents(Struct, frozen=True, forbid_unknown_fields=True):
    """bench/pins/documents.toml."""

    protocol: Version
    sources: dict[str, Origin]
    documents: dict[str, Document]


@cache
def pinned() -> Documents:
    """The documents that the lab knows. Raises LabError with file, line and field of a mistake."""
    known = read_toml(PINS, Documents)
    for name, document in known.documents.items():
        if document.source not in known.sources:
            line = find_toml_line(read_text(PINS), ["documents", name, "source"])
            raise bad_file(PINS, line, f"documents.{name}.source", f"there is no [sources.{document.source}]")
    return known


def provide(names: Collection[str]) -> tuple[dict[str, bytes], dict[str, str]]:
    """The documents of these names that can be had, and why the others cannot."""
    found: dict[str, bytes] = {}
    missing: dict[str, str] = {}
    wanted = {name: document for name, document in pinned().documents.items() if name in names}
    for source in dict.fromkeys(document.source for document in wanted.values()):
        own = {name: document for name, document in wanted.items() if document.source == source}
        with tempfile.TemporaryDirectory() as work:
            try:
                folder = _folder(pinned().sources[source], Path(work))
            except LabError as error:
                missing |= dict.fromkeys(own, str(error))
                continue
            for name, document in own.items():
                try:
                    found[name] = _read(folder / document.file, document)
                except LabError as error:
                    missing[name] = str(error)
    return found, missing


def _folder(origin: Origin, work: Path) -> Path:
    """The folder of a source. Raises LabError where it cannot be had."""
    if origin.crate:
        return unpack(Crate(origin.crate, origin.version, origin.sha256), work, PINS)
    home = os.environ.get(SOURCES_VARIABLE, "")
    folder = Path(home).absolute() / origin.folder
    if not home or not folder.is_dir():
        raise LabError(
            f"{SOURCES_VARIABLE} ({home or 'not set'}) has no {origin.folder}: check out {origin.address} at commit "
            f"{origin.commit[:12]} there"
        )
    return folder


def _read(path: Path, document: Document) -> bytes:
    """A document. Raises LabError where there is none, or another one."""
    if not path.is_file():
        raise LabError(f"{paths.brief(path)} is missing: the source is not the one that {paths.brief(PINS)} pins")
    content = read_bytes(path)
    if document.packed:
        content = _unpacked(path, content)
    if (actual := hashlib.sha256(content).hexdigest()) != document.sha256:
        raise LabError(f"{paths.brief(path)} has SHA-256 {actual}, {paths.brief(PINS)} pins {document.sha256}")
    return content


def _unpacked(path: Path, content: bytes) -> bytes:
    import brotli  # with the one source that needs it

    try:
        return bytes(brotli.decompress(content))
    except brotli.error as error:
        raise LabError(
            f"{paths.brief(path)} cannot be unpacked: {error}. Delete it, so that it is fetched again"
        ) from None
