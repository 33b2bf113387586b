"""Which Rust codecs are built by one call of Cargo, and that none of them gets another's features."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench.base import errors
from bench.base.paths import EXE, RUNNERS_VARIABLE
from bench.building.languages import rust, rust_groups
from bench.building.languages.language import locked_packages
from bench.building.languages.rust import Rust, _package, target_of
from bench.building.languages.rust_groups import Features, features_of, groups, parsed

WORKSPACE = rust.WORKSPACE
SILENT = lambda _: None  # noqa: E731


def features(*, anywhere: dict[str, str] | None = None, **in_program: str) -> Features:
    """Crates with their features; what is elsewhere too is given as "features | features"."""
    own = {crate: frozenset([names]) for crate, names in in_program.items()}
    return Features(own, own | {crate: frozenset(names.split(" | ")) for crate, names in (anywhere or {}).items()})


def grouped(**packages: Features | None) -> list[list[str]]:
    return list(groups(packages))


def test_codecs_that_share_no_crate_are_one_group():
    assert grouped(a=features(bson="std"), b=features(toml="std")) == [["a", "b"]]


def test_codecs_with_different_features_of_one_crate_are_never_in_one_group():
    plain, roundtrip = features(serde="std", serde_json="std"), features(serde="std", serde_json="std,float_roundtrip")
    assert grouped(a=plain, b=roundtrip, c=plain) == [["a", "c"], ["b"]]


def test_a_codec_agrees_with_all_of_its_group_and_not_with_the_first_alone():
    assert grouped(a=features(toml="std"), b=features(half=""), c=features(half="serde")) == [["a", "b"], ["c"]]


def test_features_of_macros_and_build_scripts_count():
    full = features(serde="std", anywhere={"syn": "full"})
    assert grouped(a=full, b=features(serde="std", anywhere={"syn": "derive"})) == [["a"], ["b"]]
    assert grouped(a=full, b=full) == [["a", "b"]]


def test_two_lists_of_features_that_are_swapped_do_not_agree():
    """Of program and macro: in a build of both, each would have both lists."""
    one = features(serde="std", anywhere={"serde": "std | alloc"})
    other = features(serde="alloc", anywhere={"serde": "std | alloc"})
    assert grouped(a=one, b=other) == [["a"], ["b"]]


def test_a_package_that_cargo_cannot_tell_of_is_alone():
    assert grouped(a=None, b=features(serde="std"), c=None, d=features(serde="std")) == [["a"], ["b", "d"], ["c"]]


def test_what_cargo_prints_is_read():
    tree = (
        "codec-x v0.1.0 (/lab/codecs/x)\t\nserde v1.0.0\tdefault,std\nserde_derive v1.0.0 (proc-macro)\tdefault\n"
        "serde v1.0.0\talloc,std\nserde v1.0.0\tdefault,std (*)\nunicode v1.0.0\t (*)\n"
    )
    assert parsed(tree) == {
        "codec-x v0.1.0": {""},
        "serde v1.0.0": {"default,std", "alloc,std"},
        "serde_derive v1.0.0": {"default"},
        "unicode v1.0.0": {""},
    }


def packages() -> list[str]:
    return [_package(folder)["name"] for folder in Rust().codec_folders()]


def test_codecs_that_ask_for_more_of_a_library_are_in_other_groups(tmp_path):
    """The features are written in their manifests: bincode's `serde`, serde_json's `float_roundtrip`."""
    pairs = [("codec-bincode", "codec-bincode-serde"), ("codec-serde-json", "codec-serde-json-roundtrip")]
    asked = sorted({package for pair in pairs for package in pair})
    made = list(groups(features_of(asked, WORKSPACE, tmp_path / "known.json")))
    assert not [pair for pair in pairs for group in made if set(pair) <= set(group)]
    assert made == [["codec-bincode", "codec-serde-json"], ["codec-bincode-serde", "codec-serde-json-roundtrip"]]


def test_cargo_is_asked_again_only_where_a_manifest_changed(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(rust_groups, "_ask", lambda package, _: asked.append(package) or features(serde="std"))
    (tmp_path / "Cargo.lock").write_text("")
    manifest = tmp_path / "codecs" / "a" / "Cargo.toml"
    manifest.parent.mkdir(parents=True)
    manifest.write_text("[package]\n")
    known = tmp_path / "known" / "features.json"
    for packages in (["a"], ["a"], ["a", "b"]):
        assert features_of(packages, tmp_path, known) == dict.fromkeys(packages, features(serde="std"))
    assert asked == ["a", "b"]
    manifest.write_text("[package]\nname = 'other'\n")
    features_of(["b"], tmp_path, known)
    assert asked == ["a", "b", "b"]


# Cargo itself: what it would compile, which is the truth, in a format that only its developers use.


def units(names: list[str]) -> set[str]:
    """Each compilation that Cargo plans for packages: crate, target, profile, features and the same of what it needs."""
    chosen = [word for name in names for word in ("-p", name)]
    command = ["cargo", "build", "--release", "--locked", *chosen, "-Z", "unstable-options", "--unit-graph"]
    environment = os.environ | {"RUSTC_BOOTSTRAP": "1"}
    done = subprocess.run(command, cwd=WORKSPACE, env=environment, capture_output=True, text=True, check=True)
    graph = json.loads(done.stdout)["units"]
    made: dict[int, str] = {}

    def unit(index: int) -> str:
        if index not in made:
            of = graph[index]
            own = [of[name] for name in ("pkg_id", "mode", "platform", "profile", "features")]
            needs = sorted(hash(unit(dependency["index"])) for dependency in of["dependencies"])
            made[index] = json.dumps([*own, of["target"]["name"], of["target"]["kind"], needs])
        return made[index]

    return {unit(index) for index in range(len(graph))}


def leaks(group: list[str]) -> list[str]:
    """The packages of a group that Cargo would build otherwise alone."""
    together = units(group)
    return [package for package in group if not units([package]) <= together]


def test_a_leak_is_seen():
    assert leaks(["codec-bincode", "codec-bincode-serde"]) == ["codec-bincode"]


def test_a_group_gives_its_codecs_what_each_has_alone(tmp_path):
    chosen = ["codec-bincode", "codec-bincode-serde", "codec-noop", "codec-postcard"]
    for group in groups(features_of(chosen, WORKSPACE, tmp_path / "known.json")):
        assert leaks(group) == []


@pytest.mark.slow
def test_every_group_gives_its_codecs_what_each_has_alone(tmp_path):
    made = list(groups(features_of(packages(), WORKSPACE, tmp_path / "known.json")))
    assert [package for group in made for package in leaks(group)] == []


@pytest.mark.slow
@pytest.mark.skipif(RUNNERS_VARIABLE in os.environ, reason="the runners were built elsewhere")
@pytest.mark.skipif(not target_of("").exists(), reason="no runners are built: `./lab build` builds them")
def test_what_a_group_built_is_up_to_date_for_every_codec_alone():
    """Cargo's own word that features, flags and dependencies are those of a build of the codec alone."""
    stale = []
    for folder in Rust().codec_folders():
        name, target = _package(folder)["name"], target_of("")
        if not (target / "release" / f"{name}{EXE}").exists():
            continue
        command, variables = Rust().command([name], "", target)
        done = subprocess.run(
            [*command, "--message-format=json"],
            cwd=WORKSPACE,
            env=os.environ | {"CARGO_TARGET_DIR": str(target)} | variables,
            capture_output=True,
            text=True,
            check=True,
        )
        messages = [json.loads(line) for line in done.stdout.splitlines()]
        stale += [(name, one["target"]["name"]) for one in messages if not one.get("fresh", True)]
    assert stale == []


# Codecs that fail


@pytest.fixture
def workspace(tmp_path, monkeypatch) -> Path:
    """A workspace of codecs without dependencies: `bad` does not compile, `good` and `well` do."""
    home = tmp_path / "rust"
    for name in ("bad", "good", "well"):
        source = "fn main() { nonsense }\n" if name == "bad" else "fn main() {}\n"
        (home / "codecs" / name / "src").mkdir(parents=True)
        (home / "codecs" / name / "src" / "main.rs").write_text(source)
        (home / "codecs" / name / "Cargo.toml").write_text(
            f'[package]\nname = "codec-{name}"\nversion = "0.1.0"\nedition = "2021"\n'
        )
    (home / ".cargo").mkdir()
    (home / ".cargo" / "config.toml").write_text("[build]\nrustflags = []\n")
    (home / "Cargo.toml").write_text('[workspace]\nresolver = "2"\nmembers = ["codecs/*"]\n')
    (home / "Cargo.lock").write_text(
        "version = 4\n"
        + "".join(f'\n[[package]]\nname = "codec-{n}"\nversion = "0.1.0"\n' for n in ("bad", "good", "well"))
    )
    monkeypatch.setattr(rust, "WORKSPACE", home)
    monkeypatch.setattr(rust, "TARGET", tmp_path / "target")
    monkeypatch.setattr(rust, "FEATURES", tmp_path / "features.json")
    monkeypatch.setattr(Rust, "codec_folders", lambda _: sorted((home / "codecs").iterdir()))
    return home


def test_a_codec_that_fails_takes_no_other_of_its_group_with_it(workspace):
    built = list(Rust().build_all(Rust().codec_folders(), [""], SILENT))
    entries = {entry.codec: entry for entries in built for entry in entries}
    assert entries["rust/good"].unavailable is entries["rust/well"].unavailable is None
    assert "does not build" in entries["rust/bad"].unavailable
    assert "cannot find value `nonsense`" in entries["rust/bad"].unavailable
    assert len(list(groups(features_of(["codec-bad", "codec-good"], workspace, workspace / "known.json")))) == 1


def test_a_manifest_that_cargo_refuses_is_a_reason_and_no_missing_registry(workspace):
    (workspace / "codecs" / "bad" / "Cargo.toml").write_text("[package]\nname = 7\n")
    folders = [folder for folder in Rust().codec_folders() if folder.name == "good"]
    assert Rust().provide(folders, SILENT) == []
    ((entry,),) = Rust().build_all(folders, [""], SILENT)
    assert "does not build" in str(entry.unavailable)


# What is missing


def test_missing_tools_are_named_together(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    lacking = {problem.lack: problem.advice for problem in Rust().provide([], SILENT)}
    assert lacking.keys() | {"cc"} == {"cargo", "rustc", "cc"}  # Windows needs another linker
    assert all(advice.startswith("Install") for advice in lacking.values())


def test_a_registry_that_does_not_answer_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("CARGO_HOME", str(tmp_path))
    for name in ("https_proxy", "HTTPS_PROXY", "CARGO_HTTP_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")  # where nobody listens
    (problem,) = Rust().provide([], SILENT)
    assert problem.lack == "the crates registry"
    assert "127.0.0.1" in problem.detail
    assert "HTTPS_PROXY" in problem.advice


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="a network is taken away by unshare")
def test_nothing_is_downloaded_once_the_crates_are_here(tmp_path):
    if subprocess.run(["unshare", "-rn", "true"], capture_output=True, check=False).returncode:
        pytest.skip("this system does not let a user take the network away")
    if lacking := Rust().provide([], SILENT):
        raise errors.LabError(str(lacking))
    code = (
        "from bench.building.build import build\n"
        "print([entry.unavailable for entry in build(print, codecs={'rust/noop'}).runners])"
    )
    environment = os.environ | {"LAB_WORK": str(tmp_path), "PYTHONPATH": str(rust.ROOT)}
    environment.pop(RUNNERS_VARIABLE, None)
    command = ["unshare", "-rn", sys.executable, "-c", code]
    done = subprocess.run(command, env=environment, cwd=rust.ROOT, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[-1:] == ["[None]"], done.stdout + done.stderr


def test_packages_of_a_codec_are_those_from_elsewhere():
    """Held against the lock file: crates of a registry, with their versions, and none of the workspace."""
    language = Rust()
    folders = {folder.name: folder for folder in language.codec_folders()}
    nothing, postcard = (language.packages(folders[name]) for name in ("noop", "postcard"))
    locked = {
        f"{one['name']} v{one['version']}": one for one in locked_packages((WORKSPACE / "Cargo.lock").read_text())
    }
    assert nothing is not None and postcard is not None
    assert all("source" in locked[crate] for crate in nothing | postcard)
    assert [crate.split()[0] for crate in postcard - nothing if crate.startswith("postcard ")] == ["postcard"]
    assert not any(crate.startswith("postcard ") for crate in nothing)
