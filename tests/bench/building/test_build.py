"""What is built, and when again: over languages whose builds are only noted."""

import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import msgspec
import psutil
import pytest

from bench.base import errors, paths
from bench.base.programs import StoppedError, captured, streamed
from bench.building import build as module
from bench.building.build import build, build_estimates_s, load_manifest
from bench.building.languages.language import Problem
from bench.building.sets.code import SetCode
from bench.model.description import RunnerEntry, Wanted
from tests.support.kills import wait_for

NAMES = ["alpha", "beta", "gamma"]
SILENT = lambda _: None  # noqa: E731


class Fake:
    """A language that notes who is built; `inputs_of` is what its codecs are built from."""

    name = "fake"

    def __init__(self, home: Path) -> None:
        self.home = home
        self.built: list[str] = []
        self.inputs_of = dict.fromkeys((f"fake/{name}" for name in NAMES), "as they were")
        self.broken: set[str] = set()
        self.missing: errors.LabError | None = None
        self.problems: list[Problem] = []
        self.provided: list[list[str]] = []

    def libraries_of(self, folder):
        return {"messages"}

    def codec_folders(self) -> list[Path]:
        return [Path("runners/fake/codecs", name) for name in NAMES]

    def variants(self, wanted: Wanted) -> list[str]:
        return ["", *(cpu for cpu in wanted.cpus if cpu != "baseline")]

    def inputs(self, _: Wanted) -> dict[str, str]:
        if self.missing:
            raise self.missing
        return self.inputs_of

    def build_all(self, folders, variants, _) -> Iterator[list[RunnerEntry]]:
        for folder in folders:
            self.built.append(folder.name)
            yield [self.entry(folder, variant) for variant in variants]

    def entry(self, folder: Path, variant: str) -> RunnerEntry:
        program = self.home / f"{folder.name}{variant}"
        program.touch()
        reason = "it does not build" if folder.name in self.broken else None
        return RunnerEntry(f"fake/{folder.name}", [str(program)], None, None, None, unavailable=reason, variant=variant)

    def build_seconds(self, folders) -> dict[str, float]:
        return {f"fake/{folder.name}": 7.0 for folder in folders}

    def build_bytes(self, folders) -> int:
        return len(folders)

    def provide(self, folders, _) -> list[Problem]:
        self.provided.append([folder.name for folder in folders])
        return self.problems


@pytest.fixture
def language(tmp_path, monkeypatch) -> Fake:
    """A lab without anything built, whose only language is a fake."""
    monkeypatch.setattr(paths, "STATE", tmp_path)
    monkeypatch.delenv(paths.RUNNERS_VARIABLE, raising=False)
    fake = Fake(tmp_path)
    monkeypatch.setattr(module, "LANGUAGES", {"fake": fake})
    return fake


def names_of(manifest) -> list[str]:
    return [entry.name.removeprefix("fake/") for entry in manifest.runners]


def test_everything_is_built_where_no_codec_is_named(language):
    assert names_of(build(SILENT)) == NAMES
    assert names_of(load_manifest()) == NAMES


def test_only_the_codecs_asked_for_are_built(language):
    build(SILENT, codecs={"fake/beta", "rust/of-another-language"})
    assert language.built == ["beta"]


def test_what_was_built_before_stays_in_the_manifest_and_is_not_built_again(language):
    build(SILENT, codecs={"fake/beta"})
    assert names_of(build(SILENT, codecs={"fake/alpha"})) == ["alpha", "beta"]
    build(SILENT, codecs={"fake/alpha", "fake/beta"})
    assert language.built == ["beta", "alpha"]


def test_a_codec_whose_inputs_changed_is_built_again_and_no_other(language):
    build(SILENT)
    language.inputs_of = language.inputs_of | {"fake/beta": "edited"}
    build(SILENT)
    assert language.built == [*NAMES, "beta"]


def test_an_entry_whose_inputs_changed_is_dropped_although_nobody_asks_for_it(language):
    build(SILENT)
    language.inputs_of = language.inputs_of | {"fake/beta": "edited"}
    assert names_of(build(SILENT, codecs={"fake/alpha"})) == ["alpha", "gamma"]


def test_a_program_that_is_gone_is_built_again(language):
    build(SILENT)
    (language.home / "gamma").unlink()
    build(SILENT)
    assert language.built == [*NAMES, "gamma"]


def test_a_codec_that_does_not_build_is_tried_again_only_on_request(language):
    language.broken = {"beta"}
    assert [entry.unavailable for entry in build(SILENT).runners] == [None, "it does not build", None]
    build(SILENT)
    assert language.built == NAMES
    language.broken = set()
    assert {entry.unavailable for entry in build(SILENT, retry=True).runners} == {None}
    assert language.built == [*NAMES, "beta"]


def test_force_builds_what_is_up_to_date(language):
    build(SILENT)
    build(SILENT, codecs={"fake/alpha"}, force=True)
    assert language.built == [*NAMES, "alpha"]


def test_a_further_variant_is_built_and_dropped_when_it_is_no_longer_wanted(language):
    build(SILENT)
    assert len(build(SILENT, chosen={"cpus": ["baseline", "native"]}).runners) == 6
    assert len(build(SILENT).runners) == 6, "the choice persists"
    assert names_of(build(SILENT, chosen={"cpus": ["baseline"]})) == NAMES


def test_each_codec_is_told_when_it_is_in_the_manifest(language):
    told = []
    build(SILENT, built=lambda codec: told.append((codec, codec in [e.codec for e in load_manifest().runners])))
    assert told == [(f"fake/{name}", True) for name in NAMES]


def test_an_interrupted_build_keeps_what_was_built(language):
    def interrupt(codec: str) -> None:
        if codec == "fake/beta":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build(SILENT, built=interrupt)
    build(SILENT)
    assert language.built == NAMES


def test_a_missing_tool_of_a_language_that_nobody_asks_for_is_no_error(language):
    language.missing = errors.missing_tool("a compiler", "Install it.")
    assert build(SILENT, codecs={"python/json"}).runners == []
    with pytest.raises(errors.LabError, match="a compiler"):
        build(SILENT, codecs={"fake/beta"})


def test_all_that_is_missing_is_named_at_once_and_nothing_is_built(language, monkeypatch):
    other = Fake(language.home)
    other.name = "other"
    other.codec_folders = lambda: [Path("runners/other/codecs/delta")]
    monkeypatch.setattr(module, "LANGUAGES", {"fake": language, "other": other})
    language.problems = [Problem("a compiler", "not found", "Install it."), Problem("cc", "not found", "Get one.")]
    other.problems = [Problem("the package index", "does not answer", "Set HTTPS_PROXY.")]
    with pytest.raises(errors.LabError) as raised:
        build(SILENT)
    *_, first, second, third = str(raised.value).splitlines()
    assert first.strip() == "a compiler: not found. Install it."
    assert second.strip() == "cc: not found. Get one."
    assert third.strip() == "the package index: does not answer. Set HTTPS_PROXY."
    assert language.built == other.built == []


def test_only_what_the_asked_codecs_need_is_provided(language):
    build(SILENT, codecs={"fake/beta"})
    build(SILENT, codecs={"fake/beta"})
    build(SILENT)
    assert language.provided == [["beta"], ["alpha", "gamma"]]


def test_a_disk_without_room_is_named_before_anything_is_downloaded(language):
    language.build_bytes = lambda _: 2**60
    with pytest.raises(
        errors.LabError, match=r"disk space: .* GiB are free, and the build needs 1073741825\.0 GiB\. Free"
    ):
        build(SILENT)
    assert language.provided == language.built == []


def test_a_refused_build_leaves_what_was_built_before(language):
    build(SILENT, codecs={"fake/alpha"})
    language.problems = [Problem("a compiler", "not found", "Install it.")]
    with pytest.raises(errors.LabError):
        build(SILENT, chosen={"cpus": ["baseline", "native"]})
    assert names_of(load_manifest()) == ["alpha"]
    assert load_manifest().wanted == Wanted()


def test_an_estimate_is_of_what_is_not_yet_built(language):
    assert build_estimates_s(["fake/alpha", "fake/beta"]) == {"fake/alpha": 7.0, "fake/beta": 7.0}
    build(SILENT, codecs=["fake/beta"])
    assert build_estimates_s(["fake/alpha", "fake/beta"]) == {"fake/alpha": 7.0, "fake/beta": 0.0}


def test_nothing_is_built_where_the_manifest_is_given(language, tmp_path, monkeypatch):
    build(SILENT, codecs={"fake/beta"})
    monkeypatch.setenv(paths.RUNNERS_VARIABLE, str(tmp_path / "runners.json"))
    assert names_of(build(SILENT)) == ["beta"]
    assert set(build_estimates_s(["fake/alpha"]).values()) == {0.0}
    assert language.built == ["beta"]


def test_two_builds_in_one_folder_take_turns_and_the_second_builds_nothing_twice(language):
    inside, most, both = [], [], []

    def build_all(folders, variants, report):
        inside.append(1)
        most.append(len(inside))
        time.sleep(0.2)
        yield from Fake.build_all(language, folders, variants, report)
        inside.pop()

    language.build_all = build_all
    threads = [threading.Thread(target=lambda: both.append(names_of(build(SILENT)))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert both == [NAMES, NAMES]
    assert language.built == NAMES
    assert most == [1]


@pytest.fixture
def other(language) -> Fake:
    """A second language of that lab."""
    second = Fake(language.home / "other")
    second.home.mkdir()
    second.inputs_of = {f"other/{name}": "as they were" for name in NAMES}
    second.codec_folders = lambda: [Path("runners/other/codecs", name) for name in NAMES]
    second.entry = lambda folder, variant: msgspec.structs.replace(
        Fake.entry(second, folder, variant), codec=f"other/{folder.name}"
    )
    module.LANGUAGES["other"] = second
    return second


def test_languages_are_built_at_the_same_time(language, other):
    together = threading.Barrier(2)

    def meeting(fake):
        def build_all(folders, variants, report):
            together.wait(20)
            yield from Fake.build_all(fake, folders, variants, report)

        return build_all

    language.build_all, other.build_all = meeting(language), meeting(other)
    assert [entry.codec for entry in build(SILENT).runners] == [
        f"{one}/{name}" for one in ("fake", "other") for name in NAMES
    ]


def read_lines(command: list[str]) -> None:
    with streamed(command) as lines:
        list(lines)


@pytest.mark.parametrize("waits_for", [read_lines, captured])
def test_an_error_in_one_language_ends_the_tools_of_the_others(language, other, tmp_path, waits_for):
    ended, started = [], []

    def waiting(folders, variants, report):
        # As CMake starts Ninja, and Cargo rustc: what the tool starts has its output too. Both write their numbers.
        note = f"import os, pathlib; pathlib.Path({str(tmp_path)!r}, f'{{os.getpid()}}.pid').touch(); "
        waits = note + "import time; time.sleep(600)"
        try:
            starts = note + f"import subprocess, sys; subprocess.run([sys.executable, '-c', {waits!r}])"
            waits_for([sys.executable, "-c", starts])
        except StoppedError:
            ended.append("stopped")
            raise
        yield from Fake.build_all(other, folders, variants, report)

    def failing(folders, variants, report):
        wait_for(lambda: len(list(tmp_path.glob("*.pid"))) == 2)
        started.extend(psutil.Process(int(path.stem)) for path in tmp_path.glob("*.pid"))
        raise errors.cannot_build(["no compiler"])
        yield

    language.build_all, other.build_all = failing, waiting
    with pytest.raises(errors.LabError, match="no compiler"):
        build(SILENT)
    assert (ended, other.built) == (["stopped"], [])
    assert len(started) == 2
    assert psutil.wait_procs(started, 20)[1] == []


@pytest.fixture
def compilers(language, monkeypatch) -> SimpleNamespace:
    """Compilers of schemas, of which none is there: the codec beta needs one."""
    made = SimpleNamespace(begun=threading.Event(), may_end=threading.Event(), fails=None)

    def provide(_):
        made.begun.set()
        assert made.may_end.wait(20)
        if made.fails:
            raise made.fails

    monkeypatch.setattr(module, "has_schema_compilers", lambda: False)
    monkeypatch.setattr(module, "provide_schema_compilers", provide)
    monkeypatch.setattr(SetCode, "calls_compilers", lambda _, __, libraries: "buffers" in libraries)
    language.libraries_of = lambda folder: {"buffers" if folder.name == "beta" else "messages"}
    return made


def test_missing_compilers_of_schemas_are_compiled_beside_the_codecs_that_need_none(language, compilers):
    before = []

    def built(codec):
        if codec == "fake/gamma":
            assert compilers.begun.wait(20)
            before.extend(language.built)
            compilers.may_end.set()

    assert names_of(build(SILENT, built=built)) == NAMES
    assert (before, language.built) == (["alpha", "gamma"], ["alpha", "gamma", "beta"])


def test_a_compiler_of_schemas_that_cannot_be_had_is_reported_once(language, compilers):
    compilers.fails = errors.missing_tool("cargo", "Install it.")
    compilers.may_end.set()
    said = []
    assert names_of(build(said.append)) == NAMES  # the real languages say so of the codecs that need it
    assert [line for line in said if "cargo" in line] == [str(compilers.fails)]


def test_compilers_of_schemas_are_not_waited_for_where_no_codec_needs_one(language, compilers):
    assert names_of(build(SILENT, codecs={"fake/alpha"})) == ["alpha"]
    assert not compilers.begun.is_set()


def test_what_waits_for_compilers_is_not_built_after_an_error(language, other, compilers, monkeypatch):
    def failing(folders, variants, report):
        assert compilers.begun.wait(20)
        raise errors.cannot_build(["no linker"])
        yield

    other.build_all = failing
    monkeypatch.setattr(module, "stop_tools", compilers.may_end.set)
    with pytest.raises(errors.LabError, match="no linker"):
        build(SILENT, codecs={"fake/beta", "other/alpha"})
    assert compilers.may_end.is_set()
    assert language.built == []
