"""Builds every runner and writes the manifest from which the rest of the driver works.

A language is a module in `bench.building.languages` (see `language.py` there); its codecs are the folders in
runners/<language>/codecs. With LAB_RUNNERS nothing is built: that variable names the manifest.
"""

import hashlib
import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path
from threading import Event

import msgspec

from bench.base import errors, paths
from bench.base.files import read_json, write_json
from bench.base.progress import Report
from bench.base.protocol import PROTOCOL
from bench.building.languages import LANGUAGES
from bench.building.languages.language import Language
from bench.building.runner import Runner
from bench.model.description import Manifest, RunnerEntry, Wanted


def load_runners() -> list[Runner]:
    """The runners of the current manifest, sorted by codec. Raises LabError if nothing is built."""
    return [Runner(entry) for entry in load_manifest().runners]


def load_manifest() -> Manifest:
    """The current manifest. Raises LabError if there is none."""
    path = paths.manifest()
    if not path.exists():
        raise (
            errors.missing_tool(str(path), f"{paths.RUNNERS_VARIABLE} must name a manifest of runners.")
            if os.environ.get(paths.RUNNERS_VARIABLE)
            else errors.not_built()
        )
    return read_json(path, Manifest, links=True)


def build(
    report: Report, *, retry: bool = False, force: bool = False, chosen: Mapping[str, list[str] | bool] | None = None
) -> Manifest:
    """Calls the build tools for every codec if any input changed since the last build; they skip what is up to date.

    A codec that does not build becomes unavailable with the reason. It is tried again when something changes, or with
    `retry`; `force` always calls the build tools. `chosen` replaces fields of `Wanted`, which persist until they are
    chosen again.
    """
    if os.environ.get(paths.RUNNERS_VARIABLE):
        return load_manifest()
    manifest = load_manifest() if paths.manifest().exists() else None
    wanted = msgspec.structs.replace(manifest.wanted if manifest else Wanted(), **(chosen or {}))
    current = fingerprint(wanted)
    if manifest and not force and manifest.fingerprint == current and _all_settled(manifest, retry):
        return manifest
    entries: list[RunnerEntry] = []
    for language in LANGUAGES.values():
        entries += _build_language(language, language.variants(wanted), report)
    entries.sort(key=lambda entry: (entry.codec, entry.variant))
    toolchain = os.environ.get(paths.TOOLCHAIN_VARIABLE) or "host"
    manifest = Manifest(PROTOCOL, toolchain, fingerprint=current, runners=entries, wanted=wanted)
    paths.STATE.mkdir(parents=True, exist_ok=True)
    write_json(paths.manifest(), manifest)
    return manifest


def _build_language(language: Language, variants: list[str], report: Report) -> list[RunnerEntry]:
    """All builds of a language's codecs; the lanes build in parallel, folder i in lane i % lanes."""
    folders, ended = language.codec_folders(), Event()

    def lane(number: int) -> list[RunnerEntry]:
        entries = []
        for folder, variant in product(folders[number :: language.lanes], variants):
            if ended.is_set():
                break
            report(f"building {language.name}/{folder.name}{variant and f' for {variant}'}")
            entries.append(language.build(folder, variant))
        return entries

    with ThreadPoolExecutor(language.lanes) as pool:
        try:
            return [entry for entries in pool.map(lane, range(language.lanes)) for entry in entries]
        finally:  # a missing tool or Ctrl-C ends all lanes
            ended.set()


def build_sanitized(report: Report) -> list[Runner]:
    """Builds with sanitizers, for languages that support them; they are not in the manifest."""
    runners = []
    for language in LANGUAGES.values():
        for folder in language.codec_folders():
            report(f"building {language.name}/{folder.name} with sanitizers")
            if entry := language.sanitized(folder):
                runners.append(Runner(entry))
    return runners


def _all_settled(manifest: Manifest, retry: bool) -> bool:
    return all(_is_settled(entry, retry) for entry in manifest.runners)


def built_elsewhere(folder: Path, toolchain: str, identities: Mapping[str, dict[str, str]]) -> Manifest:
    """The manifest of runners that were built by other means into FOLDER/<language>/<codec>."""
    entries = [
        language.entry(codec, (folder / language.name / codec.name).resolve())
        for language in LANGUAGES.values()
        for codec in language.codec_folders()
    ]
    entries = [msgspec.structs.replace(entry, identity=identities.get(entry.codec, {})) for entry in entries]
    programs = "".join(f"{entry.codec}={entry.sha256}\n" for entry in sorted(entries, key=lambda e: e.codec))
    total = hashlib.sha256(programs.encode()).hexdigest()
    return Manifest(PROTOCOL, toolchain, total, sorted(entries, key=lambda e: e.codec))


def _is_settled(entry: RunnerEntry, retry: bool) -> bool:
    return not retry if entry.unavailable else all(Path(p).exists() for p in (entry.command[0], entry.program) if p)


def fingerprint(wanted: Wanted) -> str:
    """SHA-256 of all inputs of a build."""
    total = hashlib.sha256(msgspec.json.encode(wanted))
    for language in LANGUAGES.values():
        for name, value in language.settings().items():
            total.update(f"{name}={value}\n".encode())
        for path in language.sources():
            total.update(str(path.relative_to(paths.ROOT)).encode() + b"\n" + path.read_bytes())
    return total.hexdigest()
