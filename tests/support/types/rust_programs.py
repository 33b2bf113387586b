"""Rust's programs of a set of types, compiled quickly: without optimization, in a folder of the test."""

import os
import subprocess
import tomllib
from collections.abc import Collection
from pathlib import Path

from bench.base.files import sha256_of
from bench.base.paths import EXE, RUNNERS, TYPES_VARIABLE
from bench.building.languages.rust import FEATURES, WORKSPACE
from bench.building.languages.rust_groups import features_of, groups
from bench.building.manifest import codec_of
from bench.building.runner import Runner
from bench.model.description import RunnerEntry
from bench.types.generation import write_types
from bench.types.type_set import TypeSet

WITHOUT_SYMBOLS = {"CARGO_PROFILE_DEV_DEBUG": "0", "CARGO_INCREMENTAL": "0"}


def packages(codecs: Collection[str] | None = None) -> dict[str, Path]:
    """Cargo's package → its folder, of these codecs or of all."""
    folders = sorted(path.parent for path in (RUNNERS / "rust/codecs").glob("*/Cargo.toml"))
    return {
        tomllib.loads((folder / "Cargo.toml").read_text("utf-8"))["package"]["name"]: folder
        for folder in folders
        if codecs is None or codec_of(folder) in codecs
    }


def cargo(words: list[str], types: TypeSet, folder: Path) -> "subprocess.CompletedProcess[str]":
    """Calls Cargo over the code of a set; warnings are errors, as in every build."""
    code = folder / types.name
    write_types(types, "rust", code)
    environment = os.environ | WITHOUT_SYMBOLS | {TYPES_VARIABLE: str(code), "CARGO_TARGET_DIR": str(folder / "target")}
    command = ["cargo", words[0], "--quiet", "--locked", *words[1:]]
    return subprocess.run(command, cwd=WORKSPACE, env=environment, capture_output=True, text=True, check=False)


def built(types: TypeSet, folder: Path, codecs: Collection[str] | None = None) -> list[Runner]:
    """The runners of these codecs, or of all, each with the features of its crates that it has in a build."""
    runners, folders = [], packages(codecs)
    for group in groups(features_of(list(folders), WORKSPACE, FEATURES)):
        done = cargo(["build", *(word for package in group for word in ("-p", package))], types, folder)
        assert done.returncode == 0, done.stderr[-4000:]
        for package in group:  # the next group compiles its programs into the same folder, by other names
            program = folder / "target" / "debug" / f"{package}{EXE}"
            entry = RunnerEntry(
                codec_of(folders[package]), [str(program)], None, None, sha256_of(program), types=types.name
            )
            runners.append(Runner(entry))
    return runners
