"""Building side by side: which codec is built in which lane, and how an error ends all lanes."""

import time
from pathlib import Path
from threading import Barrier

import pytest

from bench.base import errors
from bench.building import build as module
from bench.model.description import RunnerEntry

FOLDERS = [Path(name) for name in "abcde"]


class Fake:
    """A language that notes who is built and in which company."""

    name = "fake"
    lanes = 2

    def __init__(self) -> None:
        self.built: list[str] = []

    def codec_folders(self) -> list[Path]:
        return FOLDERS

    def build(self, folder: Path, variant: str) -> RunnerEntry:
        self.built.append(folder.name + variant)
        return RunnerEntry(f"fake/{folder.name}", [], None, None, None, variant=variant)


def test_every_codec_is_built_once_in_each_variant_and_lanes_run_beside_each_other():
    language, together = Fake(), Barrier(2, timeout=20)
    build = language.build

    def met(folder: Path, variant: str) -> RunnerEntry:
        if folder.name in "ab" and not variant:
            together.wait()  # breaks, and the test fails, unless the first of both lanes are built at the same time
        return build(folder, variant)

    language.build = met
    entries = module._build_language(language, ["", "native"], lambda _: None)
    assert sorted(f"{e.codec}{e.variant}" for e in entries) == sorted(
        f"fake/{folder.name}{variant}" for folder in FOLDERS for variant in ("", "native")
    )
    first = [name for name in language.built if name[0] in "ace"]
    assert first == ["a", "anative", "c", "cnative", "e", "enative"], "a lane goes on in the order of its folders"


def test_a_missing_tool_ends_all_lanes():
    language = Fake()
    folders = [Path(f"{number:03}") for number in range(400)]

    def build(folder: Path, variant: str) -> RunnerEntry:
        if folder == folders[0]:
            raise errors.missing_tool("a compiler", "Install it.")
        time.sleep(0.02)
        return Fake.build(language, folder, variant)

    language.codec_folders = lambda: folders
    language.build = build
    with pytest.raises(errors.LabError, match="a compiler"):
        module._build_language(language, [""], lambda _: None)
    assert len(language.built) < 100, "the other lane, of 200, ended early"
