"""The manifest of an earlier build, and the codecs that this lab can have; read without loading what builds them."""

import os
from pathlib import Path

import msgspec

from bench.base import errors, paths
from bench.base.files import read_json
from bench.model.description import PUBLISHED_TYPES, Manifest, Wanted


def manifest_path(types: str = PUBLISHED_TYPES) -> Path:
    """Where the manifest of a set's programs is: each set has its own, and a given one holds all."""
    return paths.manifest() if types == PUBLISHED_TYPES or is_given() else paths.set_home(types) / "runners.json"


def load_manifest(types: str = PUBLISHED_TYPES) -> Manifest:
    """The current manifest. Raises LabError if there is none."""
    if (manifest := known_manifest(types)) is None:
        raise errors.not_built()
    return manifest


def known_manifest(types: str = PUBLISHED_TYPES) -> Manifest | None:
    """The current manifest; None before the first build. Raises LabError if LAB_RUNNERS names one that is missing."""
    path = manifest_path(types)
    if path.exists():
        manifest = read_json(path, Manifest, links=True)
        runners = [entry for entry in manifest.runners if entry.types == types]
        return msgspec.structs.replace(manifest, runners=runners)
    if is_given():
        raise errors.missing_tool(str(path), f"{paths.RUNNERS_VARIABLE} must name a manifest of runners.")
    return None


def is_given() -> bool:
    """Whether the manifest is given, so that nothing is built here."""
    return bool(os.environ.get(paths.RUNNERS_VARIABLE))


def is_by_nix() -> bool:
    """Whether Nix builds the runners, from derivations that it brought."""
    return bool(os.environ.get(paths.DERIVATIONS_VARIABLE))


def wanted_builds(manifest: Manifest | None) -> Wanted:
    """The builds that every codec has or is to get; those of Nix are made by its own compiler."""
    wanted = manifest.wanted if manifest else Wanted()
    by_nix = is_by_nix() if manifest is None else manifest.toolchain == "nix"
    return msgspec.structs.replace(wanted, compilers=["system"]) if by_nix else wanted


def codec_names(manifest: Manifest | None) -> set[str]:
    """The codecs that this lab can have: those of the checkout, or of the manifest where nothing is built here."""
    if manifest and is_given():
        return {entry.codec for entry in manifest.runners}
    return checkout_codecs()


def checkout_codecs() -> set[str]:
    """The codecs that have a folder in the checkout."""
    return {codec_of(path.parent) for path in paths.RUNNERS.glob("*/codecs/*/*") if path.is_file()}


def codec_of(folder: Path) -> str:
    """The codec of a folder runners/LANGUAGE/codecs/NAME."""
    return f"{folder.parents[1].name}/{folder.name}"


def unavailable_in(manifest: Manifest | None) -> list[str]:
    """The codecs that could not be built, each with the reason, as messages name them."""
    return (
        [f"{entry.name} ({entry.unavailable})" for entry in manifest.runners if entry.unavailable] if manifest else []
    )
