"""Layouts: what is linked again, when, and what becomes of a runner by it.

The linker of most tests is a script that joins its inputs and notes each call; those at the end link built runners.
"""

import io
import os
import shutil
import subprocess
import sys
import tarfile
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import msgspec
import pytest

from bench.base.files import sha256_of
from bench.base.paths import RUNNERS_VARIABLE, manifest
from bench.building import relink
from bench.building.build import load_runners
from bench.building.languages import LANGUAGES, cpp_link, rust_link
from bench.building.relink import OUTPUT, LinkError, Recipe
from bench.building.runner import Runner
from bench.model.description import RunnerEntry
from bench.scenarios.inputs import canonical_input
from tests.support.scenarios.committed import committed_scenarios

LINKER = """
import sys
from pathlib import Path
output, layout, *objects = sys.argv[1:]
with Path(__file__).with_name("calls").open("a") as file:
    file.write(layout + "\\n")
Path(output).write_text(layout + "".join(Path(name).read_text() for name in objects))
"""


class Build:
    """A program of two objects, and the linker's calls."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("a.o", "b.o", "program"):
            (folder / name).write_text(name)
        self.script(LINKER)
        self.entry = RunnerEntry("rust/x", [str(folder / "program")], None, None, sha256_of(folder / "program"))

    def script(self, text: str) -> None:
        (self.folder / "linker.py").write_text(text)

    def recipe(self, _: RunnerEntry, *more: str) -> Recipe:
        script = str(self.folder / "linker.py")
        return Recipe([sys.executable, script, OUTPUT, "{layout}", "a.o", "b.o", *more], self.folder)

    def link(self, layout: int) -> RunnerEntry:
        return relink.link(self.entry, layout, self.recipe)

    @property
    def calls(self) -> list[str]:
        return (self.folder / "calls").read_text().split() if (self.folder / "calls").exists() else []


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Build:
    monkeypatch.setattr(relink, "HOME", tmp_path / "layouts")
    return Build(tmp_path)


def text(entry: RunnerEntry) -> str:
    return Path(entry.command[0]).read_text()


def test_layout_0_is_the_program_as_it_was_built(build: Build) -> None:
    assert build.link(0) == build.entry
    assert build.calls == []


def test_a_layout_is_another_program_of_the_same_runner(build: Build) -> None:
    linked = build.link(3)
    assert text(linked) == "3a.ob.o"
    assert linked.sha256 == sha256_of(Path(linked.command[0]))
    assert Path(linked.command[0]) == build.folder / "layouts/rust/x/3/program"
    moved = msgspec.structs.replace(linked, command=build.entry.command, sha256=build.entry.sha256)
    assert moved == build.entry


def test_variants_have_layouts_of_their_own(build: Build) -> None:
    build.entry = msgspec.structs.replace(build.entry, variant="system x86-64-v3")
    assert Path(build.link(1).command[0]).parent == build.folder / "layouts/rust/x-system-x86-64-v3/1"


def test_a_layout_is_linked_once(build: Build) -> None:
    assert build.link(1) == build.link(1)
    build.link(2)
    assert build.calls == ["1", "2"]


@pytest.mark.parametrize("same_time", [False, True])
def test_changed_objects_are_linked_again(build: Build, same_time: bool) -> None:
    build.link(1)
    times = (build.folder / "b.o").stat()
    (build.folder / "b.o").write_text("B.O")
    if same_time:
        os.utime(build.folder / "b.o", ns=(times.st_atime_ns, times.st_mtime_ns))
    assert text(build.link(1)) == "1a.oB.O"


def test_another_command_links_again(build: Build) -> None:
    build.link(1)
    linked = relink.link(build.entry, 1, lambda entry: build.recipe(entry, "a.o"))
    assert text(linked) == "1a.ob.oa.o"


def test_a_layout_that_was_changed_on_disk_is_linked_again(build: Build) -> None:
    Path(build.link(1).command[0]).write_text("swapped")
    assert text(build.link(1)) == "1a.ob.o"


def test_a_failure_is_told_and_leaves_the_older_layout_alone(build: Build) -> None:
    program = Path(build.link(1).command[0])
    (build.folder / "a.o").write_text("A.O")
    build.script("import sys; sys.exit('ld.lld: error: undefined symbol: main')")
    with pytest.raises(LinkError, match="layout 1 failed: ld.lld: error: undefined symbol: main"):
        build.link(1)
    assert program.read_text() == "1a.ob.o"
    assert sorted(path.name for path in program.parent.iterdir()) == ["made-from", "program"]


def test_objects_that_change_while_they_are_linked_are_refused(build: Build) -> None:
    build.script(LINKER + "Path(objects[1]).write_text('newer')\n")
    with pytest.raises(LinkError, match="changed while they were linked"):
        build.link(1)
    assert not (build.folder / "layouts/rust/x/1/program").exists()


def test_two_that_link_at_once_both_have_a_whole_program(build: Build) -> None:
    build.script(LINKER.replace("Path(output).write", "import time; time.sleep(0.1); Path(output).write"))
    with ThreadPoolExecutor(8) as pool:
        linked = list(pool.map(build.link, [1] * 8))
    assert {(text(entry), entry.sha256) for entry in linked} == {("1a.ob.o", linked[0].sha256)}
    assert len(build.calls) > 1, "or nobody linked at once"
    assert build.link(1) == linked[0]


def test_layouts_of_a_build_elsewhere_are_used_as_they_are(build: Build) -> None:
    program = packed_layouts(build, 1, 2)
    build.entry = msgspec.structs.replace(build.entry, command=[str(program)])
    assert relink.why_not(build.entry, rust_link.recipe) is None
    assert text(build.link(2)) == "layout 2"
    assert build.calls == []
    with pytest.raises(LinkError, match="built without a layout 3"):
        build.link(3)
    packed_layouts(build, 2, 3)
    assert text(build.link(3)) == "layout 3", "another build has other layouts"


def test_an_archive_of_layouts_that_is_damaged_is_named(build: Build) -> None:
    program = packed_layouts(build, 1)
    archive = program.parent.parent / relink.PACKED
    archive.write_bytes(archive.read_bytes()[:100])
    build.entry = msgspec.structs.replace(build.entry, command=[str(program)])
    with pytest.raises(LinkError, match="its layouts cannot be unpacked"):
        build.link(1)
    assert not list(build.folder.rglob("*.tmp"))


def packed_layouts(build: Build, *numbers: int) -> Path:
    """A program as Nix builds it, with an archive of layouts beside it."""
    program = build.folder / "store/bin/program"
    archive = program.parent.parent / relink.PACKED
    archive.parent.mkdir(exist_ok=True)
    archive.unlink(missing_ok=True)
    with tarfile.open(archive, "w:xz") as packed:
        for number in numbers:
            content = f"layout {number}".encode()
            member = tarfile.TarInfo(f"./{number}/program")
            member.size = len(content)
            packed.addfile(member, io.BytesIO(content))
    return program


@pytest.mark.parametrize("recipe", [rust_link.recipe, cpp_link.recipe])
@pytest.mark.parametrize("system", ["darwin", "win32"])
def test_a_system_without_a_linker_that_shuffles_has_one_layout(
    build: Build, monkeypatch: pytest.MonkeyPatch, system: str, recipe: relink.RecipeOf
) -> None:
    monkeypatch.setattr(sys, "platform", system)
    assert "linker orders functions by a list of names only" in (relink.why_not(build.entry, recipe) or "")


def test_a_codec_that_was_not_built_has_no_layouts(build: Build) -> None:
    entry = msgspec.structs.replace(build.entry, unavailable="does not build")
    assert relink.why_not(entry, rust_link.recipe) == "does not build"
    assert relink.why_not(entry, cpp_link.recipe) == "does not build"


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the system is the reason")
def test_a_program_whose_objects_are_gone_has_one_layout(build: Build) -> None:
    assert "what it was linked from is not in" in (relink.why_not(build.entry, rust_link.recipe) or "")
    assert relink.why_not(build.entry, cpp_link.recipe) == "it was built elsewhere, without what it was linked from"


def test_python_runners_have_one_layout() -> None:
    python, entry = LANGUAGES["python"], RunnerEntry("python/x", ["python3"], None, None, None)
    assert python.link(entry, 0) == entry
    assert "as their publishers linked them" in (python.can_link(entry) or "")
    with pytest.raises(LinkError, match="as their publishers linked them"):
        python.link(entry, 1)


@cache
def built(codec: str) -> RunnerEntry:
    """A built runner that can be linked. One from elsewhere may lack its objects, one built here never does."""
    entries = [runner.entry for runner in load_runners()] if manifest().exists() else []
    entry = next((e for e in entries if e.codec == codec and not e.variant and not e.unavailable), None)
    if not entry:
        pytest.skip(f"{codec} is not built")
    reason = LANGUAGES[codec.split("/")[0]].can_link(entry)
    if reason and (os.environ.get(RUNNERS_VARIABLE) or sys.platform != "linux"):
        pytest.skip(reason)
    assert reason is None
    return entry


@cache
def linked(codec: str) -> RunnerEntry:
    return LANGUAGES[codec.split("/")[0]].link(built(codec), 1)


REAL = pytest.mark.parametrize("codec", ["rust/postcard", "cpp/cereal"])


@REAL
def test_nearly_all_functions_of_a_layout_have_another_address_in_their_page(codec: str) -> None:
    before, after = addresses(built(codec)), addresses(linked(codec))
    assert before.keys() == after.keys()
    moved = [name for name, address in before.items() if (after[name] - address) % 4096]
    assert len(before) > 1_000
    assert len(moved) / len(before) >= 0.8


def addresses(entry: RunnerEntry) -> dict[str, int]:
    """Functions whose name is theirs alone, with their addresses."""
    if not shutil.which("nm"):
        pytest.skip("nm, which lists symbols, is not installed")
    done = subprocess.run(["nm", "--defined-only", entry.command[0]], capture_output=True, text=True, check=True)
    functions: dict[str, list[int]] = {}
    for address, kind, name in (line.split(maxsplit=2) for line in done.stdout.splitlines()):
        if kind in "tTwW":
            functions.setdefault(name, []).append(int(address, 16))
    return {name: found[0] for name, found in functions.items() if len(found) == 1}


@REAL
def test_a_layout_describes_itself_as_its_runner_does(codec: str) -> None:
    assert linked(codec).sha256 != built(codec).sha256
    assert Runner(linked(codec)).description == Runner(built(codec)).description


@REAL
def test_a_layout_encodes_to_the_same_bytes(codec: str) -> None:
    runner, other = Runner(built(codec)), Runner(linked(codec))
    scenarios = committed_scenarios()
    offered = sorted({cell.scenario for cell in runner.description.cells if not cell.operation.is_file})
    canonical = canonical_input(scenarios[offered[0]])
    assert other.encode(offered[0], canonical) == runner.encode(offered[0], canonical)


@REAL
def test_linking_compiles_nothing(codec: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relink, "HOME", tmp_path)
    recipe = {"rust": rust_link, "cpp": cpp_link}[codec.split("/")[0]].recipe(built(codec))
    before = {path: path.stat().st_mtime_ns for path in recipe.inputs}
    assert any(path.suffix == ".o" for path in before)
    LANGUAGES[codec.split("/")[0]].link(built(codec), 2)
    assert {path: path.stat().st_mtime_ns for path in recipe.inputs} == before
