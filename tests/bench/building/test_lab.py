"""Which runners a command builds and asks: those of which its selection can take a cell."""

import msgspec
import pytest

from bench.base import paths
from bench.base.errors import LabError
from bench.base.files import write_json
from bench.building import lab as module
from bench.building.lab import Lab, extended, open_lab
from bench.building.manifest import known_manifest, wanted_builds
from bench.building.runner import Runner
from bench.model.cells import Conditions, Operation
from bench.model.description import Description, Manifest, OfferedCell, RunnerEntry, Wanted
from bench.scenarios.catalogue import load_catalogue
from bench.scenarios.selection import Selection
from bench.types.type_set import TypeSet
from tests.support.scenarios.committed import committed_scenarios

SCENARIOS = committed_scenarios()
CATALOGUE = load_catalogue()


def entry(codec: str, **fields: object) -> RunnerEntry:
    return RunnerEntry(codec, ["/bin/false"], None, None, None, **fields)


def described(codec: str) -> Description:
    """As the catalogue has it."""
    cells = [OfferedCell(c.scenario, c.operation, c.conditions) for c in CATALOGUE.cells_of(codec, SCENARIOS)]
    return Description(1, codec, "f", None, None, codec.split("/")[0], "", "", False, False, cells)


class Builds:
    """What was built, and what each runner then describes."""

    def __init__(self) -> None:
        self.asked: list[set[str]] = []
        self.types: list[TypeSet | None] = []
        self.messages: list[str] = []
        self.descriptions: dict[str, Description] = {}

    def build(self, report, *, codecs, built, types) -> Manifest:
        self.asked.append(set(codecs))
        self.types.append(types)
        for codec in codecs:
            built(codec)
        earlier = entry("rust/other")
        name = types.name if types else "published"
        return Manifest(1, "host", "0" * 64, [earlier, *(entry(codec, types=name) for codec in sorted(codecs))])

    def describe(self, runners) -> dict[Runner, Description]:
        return {runner: self.descriptions.get(runner.codec) or described(runner.codec) for runner in runners}


@pytest.fixture
def builds(monkeypatch, tmp_path) -> Builds:
    builds = Builds()
    monkeypatch.delenv(paths.RUNNERS_VARIABLE, raising=False)
    monkeypatch.setattr(paths, "STATE", tmp_path)
    monkeypatch.setattr(module, "build", builds.build)
    monkeypatch.setattr(module, "describe_all", builds.describe)
    return builds


def opened(builds: Builds, *filters: str, excludes=(), **options) -> Lab:
    return open_lab(builds.messages.append, Selection(filters, excludes), **options)


def test_a_filter_builds_and_asks_only_what_it_can_take(builds):
    lab = opened(builds, "rust/prost point")
    assert builds.asked == [{"rust/prost"}]
    assert [runner.codec for runner in lab.described] == ["rust/prost"]


def test_without_a_filter_every_codec_is_built(builds):
    open_lab(builds.messages.append)
    assert builds.asked == [set(CATALOGUE.codecs)]


def test_an_exclude_leaves_codecs_unbuilt(builds):
    opened(builds, "rust/(prost|bson) point", excludes=["bson"])
    assert builds.asked == [{"rust/prost"}]


def test_a_filter_may_be_of_conditions(builds):
    opened(builds, "api=manual.*array-f32|array-f32 serialize api=manual")
    assert builds.asked == [{"cpp/cereal", "cpp/memcpy", "cpp/noop", "rust/beve-typed", "rust/memcpy", "rust/noop"}]


def test_a_selection_that_matches_nothing_is_refused_before_any_build(builds):
    with pytest.raises(LabError, match="no cell matches -f 'rust/prost array-f16'. `./lab list` shows all cells"):
        opened(builds, "rust/prost array-f16")
    assert builds.asked == []


def test_the_refusal_names_what_an_earlier_build_could_not_make(builds, tmp_path):
    known = Manifest(1, "host", "0" * 64, [entry("cpp/zpp-bits", unavailable="no source")])
    write_json(tmp_path / "runners.json", known)
    with pytest.raises(LabError, match=r"Unavailable: cpp/zpp-bits \(no source\)"):
        opened(builds, "nothing")


def test_points_of_sweeps_are_there_on_request_alone(builds):
    with pytest.raises(LabError, match="no cell matches"):
        opened(builds, "rust/prost array-f64-1kib")
    assert "array-f64-1kib" in opened(builds, "rust/prost array-f64-1kib", sweeps=True).scenarios


def test_a_codec_that_the_catalogue_does_not_know_is_always_built(builds, monkeypatch):
    monkeypatch.setattr(module, "codec_names", lambda _: {*CATALOGUE.codecs, "rust/new"})
    builds.descriptions["rust/new"] = msgspec.structs.replace(described("rust/prost"), codec="rust/new")
    lab = opened(builds, "rust/bson point")
    assert builds.asked == [{"rust/bson", "rust/new"}]
    assert any(cell.codec == "rust/new" for cell in lab.cells())


def test_a_runner_that_contradicts_the_catalogue_is_told_with_the_command(builds):
    cell = OfferedCell("point", Operation.WRITE, Conditions())
    builds.descriptions["rust/prost"] = msgspec.structs.replace(described("rust/prost"), cells=[cell])
    opened(builds, "rust/prost point")
    (message,) = builds.messages
    assert message.startswith("runners/catalogue.toml is not up to date: rust/prost does not offer ")
    assert message.endswith("Run `./lab catalogue`")


def test_a_command_may_limit_the_codecs_further(builds):
    opened(builds, "rust/(prost|bson) point", within={"rust/bson", "rust/toml"})
    assert builds.asked == [{"rust/bson"}]


def test_a_lab_is_extended_by_what_it_lacks(builds):
    told: list[str] = []
    lab = opened(builds, "rust/prost point")
    more = extended(lab, ["rust/prost", "rust/bson"], builds.messages.append, told.append)
    assert builds.asked[1:] == [{"rust/bson"}]
    assert (sorted(more.runners), told) == (["rust/bson", "rust/prost"], ["rust/bson"])
    assert extended(more, ["rust/bson"], builds.messages.append) is more


def test_builds_of_nix_have_its_own_compiler(tmp_path, monkeypatch):
    assert wanted_builds(None) == Wanted()
    manifest = Manifest(1, "nix", "0" * 64, [])
    assert wanted_builds(manifest).compilers == ["system"]
    monkeypatch.setenv(paths.DERIVATIONS_VARIABLE, str(tmp_path / "derivations.json"))
    assert wanted_builds(None).compilers == ["system"], "before the first build, too"


def test_a_given_manifest_that_is_missing_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv(paths.RUNNERS_VARIABLE, str(tmp_path / "none.json"))
    with pytest.raises(LabError, match="none.json was not found. LAB_RUNNERS must name a manifest"):
        known_manifest()
