"""Programs of sets of types: their code, their manifests, and which runner is which cell's."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from bench.base import paths
from bench.base.errors import LabError
from bench.base.files import write_json
from bench.building import lab as lab_module
from bench.building.build import build
from bench.building.lab import Lab, codecs_by_types, extended, types_named
from bench.building.languages import LANGUAGES
from bench.building.languages.language import with_code
from bench.building.manifest import known_manifest, manifest_path
from bench.building.relink import _program
from bench.building.sets import code as module
from bench.building.sets.code import Lacking, SetCode
from bench.model.cells import Cell, Conditions, Operation
from bench.model.description import Description, Manifest, OfferedCell, RunnerEntry
from bench.model.scenario import Scenario
from bench.scenarios.load import load_scenario
from bench.scenarios.sets import type_set
from bench.types import generation
from bench.types.generation import inputs
from bench.types.type_set import TypeSet
from tests.support.scenarios.committed import committed_scenarios

SILENT = lambda _: None  # noqa: E731
SCENARIO = """
protocol = 1
name = "sensors"
title = "Sensors"
source = "this test"
type = "Reading"
data_size_bytes = 9
operations = ["serialize"]

[types.structs.Reading]
fields = { name = "string", count = "u32" }

[input]
sha256 = "0000000000000000000000000000000000000000000000000000000000000000"
value = { name = "first", count = 1 }

[published]
repetitions = 10
rounds = 1
conditions = {}
"""


@pytest.fixture
def scenarios(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Scenario]:
    """The lab's scenarios and one with types of its own; what is written goes to a folder of the test."""
    file = tmp_path / "sensors.toml"
    file.write_text(SCENARIO, encoding="utf-8")
    monkeypatch.setattr(paths, "STATE", tmp_path / "state")
    monkeypatch.delenv(paths.RUNNERS_VARIABLE, raising=False)
    return committed_scenarios() | {"sensors": load_scenario(file)}


@pytest.fixture
def sensors(scenarios: dict[str, Scenario]) -> TypeSet:
    return type_set("sensors", scenarios.values())


@pytest.fixture
def generator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only generator of all languages: a list of structs."""
    folder = tmp_path / "generators" / "some" / "libraries" / "lists"
    folder.mkdir(parents=True)
    (folder / "names.txt.j2").write_text("{% for name in types.structs %}\n{{ name }}\n{% endfor %}\n")
    monkeypatch.setattr(module, "generators", lambda _: [folder])
    return folder


def text_of(code: SetCode) -> str:
    return (code.folder / "rust" / "lists" / "names.txt").read_text()


def test_a_set_is_written_beside_the_published_types_and_not_into_them(sensors, generator):
    code = SetCode(sensors)
    assert code.write("rust") == Lacking({})
    assert text_of(code) == "Reading\n"
    assert code.folder == paths.STATE / "types" / "sensors"
    assert code.home == paths.STATE / "sets" / "sensors"
    assert not (paths.STATE / "types" / "published").exists()


def test_an_edit_that_leaves_the_text_as_it_is_changes_no_hash_and_touches_no_file(scenarios, sensors, generator):
    first = SetCode(sensors)
    first.write("rust")
    before = (first.folder / "rust" / "lists" / "names.txt").stat().st_mtime_ns
    renamed = scenarios | {"sensors": msgspec.structs.replace(scenarios["sensors"], title="Others")}
    again = SetCode(type_set("sensors", renamed.values()))
    again.write("rust")
    assert again.digest("rust") == first.digest("rust")
    assert (again.folder / "rust" / "lists" / "names.txt").stat().st_mtime_ns == before


@pytest.mark.parametrize("language", ["cpp", "python", "rust"])
def test_what_compilers_of_schemas_make_is_not_touched_when_it_is_made_again(sensors, tmp_path: Path, language: str):
    """Or Cargo and ninja would compile the libraries of their formats anew each time."""

    def times() -> dict[Path, int]:
        return {path: path.stat().st_mtime_ns for path in [tmp_path / language, *(tmp_path / language).rglob("*")]}

    code = SetCode(sensors)
    code.write(language, tmp_path)
    before = times()
    assert any(path.suffix in (".binpb", ".h", ".py") or path.name.endswith(".pb.rs") for path in before)
    code.write(language, tmp_path)
    assert times() == before


def test_another_text_is_another_hash(sensors, generator):
    before = SetCode(sensors).digest("rust")
    (generator / "names.txt.j2").write_text("{{ types.name }}\n")
    assert SetCode(sensors).digest("rust") != before


def test_what_no_template_makes_any_more_is_removed(sensors, generator):
    code = SetCode(sensors)
    code.write("rust")
    (generator / "names.txt.j2").rename(generator / "other.txt.j2")
    code.write("rust")
    assert [path.name for path in (code.folder / "rust" / "lists").iterdir()] == ["other.txt"]


def test_what_no_chosen_codec_is_made_of_is_left_as_it_is(sensors, generator):
    code = SetCode(sensors)
    code.write("rust")
    (generator / "names.txt.j2").write_text("other\n")
    code.write("rust", libraries={"messages"})
    assert text_of(code) == "Reading\n"
    code.write("rust", libraries={"messages", "lists"})
    assert text_of(code) == "other\n"


def test_a_compiler_of_schemas_is_wanted_for_codecs_of_its_library_alone(sensors, generator):
    (generator / "generator.py").write_text("def finish(folder, types):\n    yield from ()\n")
    code = SetCode(sensors)
    assert code.calls_compilers("rust", {"messages", "lists"})
    assert not code.calls_compilers("rust", {"messages"})


def test_a_compiler_that_is_missing_takes_the_codecs_of_its_library_alone(sensors, generator, monkeypatch):
    def missing(*_: object) -> list[Path]:
        raise LabError("the schema's compiler was not found. Install it.")

    monkeypatch.setattr(module, "write_library", missing)
    rust = LANGUAGES["rust"].of(SetCode(sensors))
    monkeypatch.setattr(type(rust), "libraries_of", lambda _, folder: {"lists"} if folder.name == "toml" else set())
    folders = [folder for folder in rust.codec_folders() if folder.name in ("toml", "noop")]
    made, steps = [], with_code(rust, folders, ["", "native"])
    try:
        while True:
            made += next(steps)
    except StopIteration as end:
        remaining = end.value
    assert [(one.name, one.unavailable) for one in made] == [
        ("rust/toml (types of sensors)", "the schema's compiler was not found. Install it."),
        ("rust/toml (native, types of sensors)", "the schema's compiler was not found. Install it."),
    ]
    assert [folder.name for folder in remaining] == ["noop"]


def test_a_type_that_a_generator_refuses_is_named_with_its_library(sensors, generator):
    (generator / "generator.py").write_text("def context(types, names):\n    raise ValueError('Reading.count: no')\n")
    with pytest.raises(LabError, match="the types of sensors give no code for rust/lists: Reading.count: no"):
        SetCode(sensors).digest("rust")


@pytest.mark.parametrize(
    ("language", "codec", "libraries"),
    [
        ("rust", "postcard", {"messages"}),
        ("rust", "flatbuffers", {"flatbuffers"}),
        ("cpp", "msgpack-c", {"msgpack-c", "messages"}),
    ],
)
def test_a_codec_is_made_of_its_libraries_and_the_messages(language, codec, libraries):
    own = LANGUAGES[language]
    (folder,) = [folder for folder in own.codec_folders() if folder.name == codec]
    assert libraries <= own.libraries_of(folder)


def test_the_tools_of_a_language_are_told_of_the_set(sensors):
    code = SetCode(sensors)
    rust = LANGUAGES["rust"].of(code)
    _, variables = rust.choices("", Path("target"))
    assert variables[paths.TYPES_VARIABLE] == str(code.folder)
    assert rust.target("native") == code.home / "target-native"
    assert rust.choices("", Path("other"))[0] == LANGUAGES["rust"].choices("", LANGUAGES["rust"].target(""))[0], (
        "with other options Cargo would compile everything again"
    )


class Fake:
    """A language that notes which sets are built."""

    name = "fake"

    def __init__(self, built: list[tuple[str, str]], code: SetCode | None = None) -> None:
        self.built, self.code = built, code or SetCode()

    def of(self, code: SetCode) -> "Fake":
        return Fake(self.built, code)

    def libraries_of(self, folder):
        return {"messages"}

    def codec_folders(self):
        return [Path("runners/fake/codecs/alpha")]

    def variants(self, _):
        return [""]

    def inputs(self, _):
        return {"fake/alpha": "as they were"}

    def provide(self, folders, report):
        return []

    def build_bytes(self, folders):
        return 0

    def build_all(self, folders, variants, report):
        for folder in folders:
            self.built.append((self.code.name, folder.name))
            program = paths.STATE / f"{self.code.name}-{folder.name}"
            program.touch()
            yield [RunnerEntry("fake/alpha", [str(program)], None, None, None, types=self.code.name)]


def test_each_set_has_a_manifest_and_programs_of_its_own(sensors, monkeypatch):
    built: list[tuple[str, str]] = []
    monkeypatch.setattr("bench.building.build.LANGUAGES", {"fake": Fake(built)})
    for types in (None, sensors, None, sensors):
        build(SILENT, types=types)
    assert built == [("published", "alpha"), ("sensors", "alpha")]
    (published,), (own,) = known_manifest().runners, known_manifest("sensors").runners
    assert (published.name, own.name) == ("fake/alpha", "fake/alpha (types of sensors)")
    assert _program(own, 1).is_relative_to(paths.STATE.parent) or "sets" in _program(own, 1).parts
    assert _program(own, 1) != _program(published, 1)


def test_a_damaged_set_does_not_hinder_the_published_programs(sensors, monkeypatch):
    monkeypatch.setattr("bench.building.build.LANGUAGES", {"fake": Fake([])})
    build(SILENT, types=sensors)
    manifest_path("sensors").write_text("[", encoding="utf-8")
    assert build(SILENT).runners[0].types == "published"


def test_a_given_manifest_holds_all_sets_and_a_missing_one_is_named(sensors, tmp_path, monkeypatch):
    given = tmp_path / "runners.json"
    entry = RunnerEntry("rust/noop", ["/bin/false"], None, None, None)
    write_json(given, Manifest(1, "host", "0" * 64, [entry]))
    monkeypatch.setenv(paths.RUNNERS_VARIABLE, str(given))
    with pytest.raises(LabError, match="a runner with the types of sensors in .*runners.json was not found"):
        build(SILENT, types=sensors)
    write_json(given, Manifest(1, "host", "0" * 64, [entry, msgspec.structs.replace(entry, types="sensors")]))
    assert [one.types for one in build(SILENT, types=sensors).runners] == ["sensors"]
    assert [one.types for one in build(SILENT).runners] == ["published"]


def test_a_derivation_of_a_set_that_nix_does_not_know_is_named(sensors, tmp_path, monkeypatch):
    derivations = tmp_path / "derivations.json"
    derivations.write_text(json.dumps({"published": {}}))
    monkeypatch.setenv(paths.DERIVATIONS_VARIABLE, str(derivations))
    with pytest.raises(LabError, match="a derivation of the types of sensors was not found. Nix builds what it knows"):
        build(SILENT, types=sensors)


def described(scenario: str) -> Description:
    cells = [OfferedCell(scenario, Operation.SERIALIZE, Conditions())]
    return Description(1, "rust/noop", "f", None, None, "rust", "", "", False, False, cells)


def test_a_cell_has_the_runner_with_the_types_of_its_scenario(scenarios, monkeypatch):
    asked: list[str] = []

    def built(report, *, codecs, built, types) -> Manifest:
        asked.append(types.name if types else "published")
        entries = [RunnerEntry(codec, ["/bin/false"], None, None, None, types=asked[-1]) for codec in codecs]
        return Manifest(1, "host", "0" * 64, entries)

    def describe(runners):
        return {one: described("point" if one.entry.types == "published" else "sensors") for one in runners}

    monkeypatch.setattr(lab_module, "build", built)
    monkeypatch.setattr(lab_module, "describe_all", describe)
    lab = Lab({}, scenarios)
    for types in ("published", "sensors", "sensors"):
        lab = extended(lab, ["rust/noop"], SILENT, types=types)
    assert asked == ["published", "sensors"]
    of = {cell.scenario: runner.entry.types for cell, runner in lab.runner_of.items()}
    assert of == {"point": "published", "sensors": "sensors"}
    assert [lab.program("rust/noop", name).entry.types for name in ("point", "sensors")] == ["published", "sensors"]
    assert lab.runners["rust/noop"].entry.types == "published"


def test_cells_are_divided_by_the_types_of_their_scenarios(scenarios):
    cells = [Cell("rust/noop", name, Operation.SERIALIZE, Conditions()) for name in ("point", "sensors")]
    assert codecs_by_types(cells, scenarios) == {"published": {"rust/noop"}, "sensors": {"rust/noop"}}
    assert types_named("published", scenarios) is None
    assert list(types_named("sensors", scenarios).structs) == ["Reading"]


def test_a_build_by_other_means_writes_the_code_of_a_language(tmp_path):
    command = [sys.executable, "-m", "bench.building.sets.code", "published", "rust", str(tmp_path / "types")]
    done = subprocess.run(command, cwd=paths.ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "types" / "rust").is_dir()


def test_nix_knows_the_modules_that_make_the_code():
    """Those that its derivation takes are those that are loaded."""
    listed = "import sys, bench.building.sets.code; print(*sorted(m for m in sys.modules if m.startswith('bench')))"
    command = [sys.executable, "-c", listed]
    loaded = subprocess.run(command, cwd=paths.ROOT, capture_output=True, text=True, check=True).stdout.split()
    told = (paths.ROOT / "nix" / "types.nix").read_text(encoding="utf-8")
    for name in loaded:
        path = f"../{name.replace('.', '/')}"
        within = [f"{path}.py\n", f"{path}/__init__.py\n", "../bench/types\n", "../bench/building/sets\n"]
        kept = within[:2] + [one for one in within[2:] if path.startswith(one.strip())]
        assert any(one in told for one in kept), f"nix/types.nix lacks {name}"


def test_the_code_of_a_set_is_made_again_only_where_what_it_is_made_of_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To know whether programs are up to date, which every plan asks."""
    monkeypatch.setattr(paths, "STATE", tmp_path)
    made: list[Path] = []

    def generated(generator: Path, *_: object) -> dict[str, str]:
        made.append(generator)
        return {"made": "code"}

    monkeypatch.setattr(module, "generated", generated)
    digest = SetCode().digest("python")
    assert made
    again = len(made)
    assert SetCode().digest("python") == digest
    assert len(made) == again
    monkeypatch.setattr(module, "inputs", lambda *_: "others")
    assert SetCode().digest("python") == digest
    assert len(made) == 2 * again
    (tmp_path / "digests.json").write_text("{torn")
    assert SetCode().digest("python") == digest
    assert len(made) == 3 * again


def test_inputs_of_generated_code_are_types_templates_modules_and_what_else_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    types, pins = type_set("published", committed_scenarios().values()), tmp_path / "pins"
    pins.write_text("one")
    monkeypatch.setattr(generation, "ROOT", Path("/"))
    before, other = inputs(types, "rust", pins), msgspec.structs.replace(types, name="other")
    assert inputs(types, "rust", pins) == before
    assert len({before, inputs(types, "cpp", pins), inputs(types, "rust"), inputs(other, "rust", pins)}) == 4
    pins.write_text("two")
    assert inputs(types, "rust", pins) != before
    runners = tmp_path / "runners"
    shutil.copytree(paths.RUNNERS / "rust" / "messages", runners / "rust" / "messages")
    monkeypatch.setattr(generation, "RUNNERS", runners)
    first = inputs(types, "rust")
    for path in sorted([*runners.rglob("*.j2"), *runners.rglob("*.py")]):
        path.write_text(f"{path.read_text()}\n")
        assert inputs(types, "rust") != first, path
        first = inputs(types, "rust")
