"""Builds every runner and writes the manifest that the rest of the driver works from.

A language is a module in `bench.languages` (see `bench.languages.base`); which codecs there are says the folder
runners/<language>/codecs. With LAB_RUNNERS nothing is built: the manifest comes from there.
"""

import hashlib
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

from bench import errors, paths
from bench.files import read_json, write_json
from bench.languages import LANGUAGES
from bench.languages.base import Language
from bench.model import PROTOCOL, Manifest, RunnerEntry
from bench.progress import Report
from bench.runners import Runner


def load_runners() -> list[Runner]:
    """The runners of the current manifest, sorted by codec. Raises LabError where nothing is built."""
    return [Runner(entry) for entry in load_manifest().runners]


def load_manifest() -> Manifest:
    """The current manifest. Raises LabError where there is none."""
    path = paths.manifest()
    if not path.exists():
        raise (
            errors.missing_tool(str(path), f"{paths.RUNNERS_VARIABLE} must name a manifest of runners.")
            if os.environ.get(paths.RUNNERS_VARIABLE)
            else errors.not_built()
        )
    return read_json(path, Manifest)


def build(report: Report, *, retry: bool = False, force: bool = False) -> Manifest:
    """Builds everything where anything changed since the last build; Cargo and its like know what is still good.

    A codec that does not build becomes unavailable with the reason. It is tried again when something changed, or with
    `retry`; `force` asks the build tools about every codec.
    """
    if os.environ.get(paths.RUNNERS_VARIABLE):
        return load_manifest()
    current = fingerprint()
    if not force and paths.manifest().exists():
        manifest = load_manifest()
        if manifest.fingerprint == current and all(_is_settled(entry, retry) for entry in manifest.runners):
            return manifest
    entries: list[RunnerEntry] = []
    for language in LANGUAGES.values():
        entries += _build_language(language, report)
    manifest = Manifest(
        protocol=PROTOCOL, toolchain="host", fingerprint=current, runners=sorted(entries, key=lambda e: e.codec)
    )
    paths.STATE.mkdir(exist_ok=True)
    write_json(paths.manifest(), manifest)
    return manifest


def _build_language(language: Language, report: Report) -> list[RunnerEntry]:
    """All codecs of a language, lane beside lane."""
    folders, ended = language.codec_folders(), Event()

    def lane(number: int) -> list[RunnerEntry]:
        entries = []
        for folder in folders[number :: language.lanes]:
            if ended.is_set():
                break
            report(f"building {language.name}/{folder.name}")
            entries.append(language.build(folder))
        return entries

    with ThreadPoolExecutor(language.lanes) as pool:
        try:
            return [entry for entries in pool.map(lane, range(language.lanes)) for entry in entries]
        finally:  # a missing tool or Ctrl-C ends all lanes
            ended.set()


def _is_settled(entry: RunnerEntry, retry: bool) -> bool:
    return not retry if entry.unavailable else all(Path(p).exists() for p in (entry.command[0], entry.program) if p)


def fingerprint() -> str:
    """SHA-256 over everything that a build is made from."""
    total = hashlib.sha256()
    for language in LANGUAGES.values():
        for name, value in language.settings().items():
            total.update(f"{name}={value}\n".encode())
        for path in language.sources():
            total.update(str(path.relative_to(paths.ROOT)).encode() + b"\n" + path.read_bytes())
    return total.hexdigest()
