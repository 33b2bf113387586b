"""The flake, as far as it can be checked without nixpkgs: it is evaluated for every system over tests/support/nixpkgs.nix.

With NIXPKGS=PATH (a checkout of nixpkgs) all of it is evaluated over that as well.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from bench.base.files import read_json
from bench.base.paths import ROOT
from bench.building.environment import built_provenance
from bench.building.languages import LANGUAGES
from bench.commands.manifest import manifest as manifest_command
from bench.model.description import Manifest
from tests.support.checkouts import copied_checkout, without_runs
from tests.support.flake import evaluate, needs_nix

SYSTEMS = ["aarch64-darwin", "aarch64-linux", "x86_64-linux"]
TAKEN_BY_NONE = f"""
[[package]]
name = "aaa-none"
version = "1.0.0"
source = "registry+https://github.com/rust-lang/crates.io-index"
checksum = "{64 * "0"}"
"""
"""In Cargo.lock a crate that no runner takes."""
CHANNEL = tomllib.loads((ROOT / "rust-toolchain.toml").read_text())["toolchain"]["channel"]
UV_LOCK = tomllib.loads((ROOT / "uv.lock").read_text())


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory) -> "subprocess.CompletedProcess[str]":
    done = evaluate(tmp_path_factory.mktemp("nix"))
    assert done.returncode == 0, done.stderr[-3000:]
    return done


@pytest.fixture(scope="module")
def outputs(evaluated):
    return json.loads(evaluated.stdout)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """What the flake reads of a checkout, to be changed."""
    return copied_checkout(tmp_path / "checkout", without_runs)


def asked(folder: Path, checkout: Path, field: str, *runners: str) -> dict[str, Any]:
    """Runner → a field of its derivation on x86_64 Linux. All runners of all systems take minutes to evaluate."""
    names = "".join(f'"runner-{name}" = null; ' for name in runners)
    chosen = f"builtins.intersectAttrs {{ {names}}} outputs.packages.x86_64-linux"
    done = evaluate(folder, checkout, wanted=f"builtins.mapAttrs (_: one: one.{field}) ({chosen})")
    assert done.returncode == 0, done.stderr[-2000:]
    found = {name.removeprefix("runner-"): value for name, value in json.loads(done.stdout).items()}
    assert sorted(found) == sorted(runners)
    return found


def codecs() -> list[tuple[str, str]]:
    return [(language.name, folder.name) for language in LANGUAGES.values() for folder in language.codec_folders()]


@needs_nix
def test_every_system_has_every_output(outputs):
    assert {"packages", "apps", "checks", "devShells", "formatter"} == outputs.keys()
    for name, systems in outputs.items():
        assert sorted(systems) == SYSTEMS, name
    for system in SYSTEMS:
        assert {"lab", "runners", "layers", "default"} <= outputs["packages"][system].keys()
        assert ("image" in outputs["packages"][system]) == system.endswith("-linux")
        assert {"default", "bench", "test", "table", "report"} == outputs["apps"][system].keys()
        assert {"lint", "tests", "verify", "size", "reproducible"} == outputs["checks"][system].keys()


@needs_nix
def test_apps_and_packages_say_what_they_are(outputs):
    for system in SYSTEMS:
        for name, app in outputs["apps"][system].items():
            assert app["meta"]["description"], name
            assert app["type"] == "app"
        for name, package in outputs["packages"][system].items():
            if name.startswith("runner-") or name == "lab":
                assert package["meta"]["description"], name
                assert package["meta"]["mainProgram"], name


@needs_nix
@pytest.mark.parametrize("system", SYSTEMS)
def test_there_is_a_package_for_every_codec(outputs, system):
    """But for those whose library has no wheel for the system: what is missing is missing in uv.lock too."""
    missing = {
        (language, name)
        for language, name in codecs()
        if f"runner-{language}-{name}" not in outputs["packages"][system]
    }
    assert missing == {
        ("python", name) for language, name in codecs() if language == "python" and not has_wheel(name, system)
    }
    extra = {name for name in outputs["packages"][system] if name.startswith("runner-")} - {
        f"runner-{language}-{name}" for language, name in codecs()
    }
    assert not extra


def has_wheel(codec: str, system: str) -> bool:
    """Whether the library of a Python codec has a wheel for a system, by the names of the wheels alone."""
    project = tomllib.loads((ROOT / f"runners/python/codecs/{codec}/pyproject.toml").read_text())
    library = project["tool"]["wirelab"].get("library") if "tool" in project and "wirelab" in project["tool"] else None
    package = next((one for one in UV_LOCK["package"] if one["name"] == library), None)
    machine, kind = {"aarch64-darwin": ("(arm64|universal2)", "macosx")}.get(
        system, (system.split("-")[0], "manylinux")
    )
    return package is None or any(
        re.search(rf"-(any|{kind}\w*_{machine}[\w.]*)\.whl$", wheel["url"]) for wheel in package["wheels"]
    )


@cache
def crates_of_codecs() -> dict[str, set[str]]:
    """Codec → the folders of the crates that Cargo builds it from, its own included."""
    command = ["cargo", "metadata", "--format-version=1", "--no-deps", "--locked", "--offline"]
    said = subprocess.run(command, cwd=ROOT / "runners/rust", capture_output=True, text=True, check=True).stdout
    needs = {
        Path(package["manifest_path"]).parent: {
            Path(needed["path"]) for needed in package["dependencies"] if "path" in needed and needed["kind"] != "dev"
        }
        for package in json.loads(said)["packages"]
    }

    def closure(folder: Path) -> set[Path]:
        return {folder}.union(*(closure(needed) for needed in needs[folder]))

    return {
        folder.name: {crate.relative_to(ROOT).as_posix() for crate in closure(folder)}
        for folder in needs
        if folder.parent.name == "codecs"
    }


@needs_nix
def test_a_rust_runner_is_built_from_its_own_crates_alone(outputs):
    """What Cargo's graph has, libraries/ included, and no other codec, no driver, no prose: these build nothing again."""
    for codec, crates in crates_of_codecs().items():
        files = outputs["packages"]["x86_64-linux"][f"runner-rust-{codec}"]["files"]
        others = [
            file
            for file in files
            if not file.endswith("Cargo.toml")
            and not re.match(r"runners/rust/(Cargo\.lock|\.cargo/)|schemas/[\w-]+\.(proto|fbs)$", file)
            and not file.startswith(tuple(f"{crate}/" for crate in crates))
        ]
        assert not others, codec
        assert not {crate for crate in crates if not any(file.startswith(f"{crate}/src/") for file in files)}, codec
        assert f"runners/rust/codecs/{codec}/src/main.rs" in files
        assert "runners/rust/.cargo/config.toml" in files, "the flags that code is aligned with"


@needs_nix
def test_a_new_library_crate_needs_no_edit_of_the_flake(tmp_path, checkout):
    """Wherever a manifest names it: in the workspace, by a path of its own, for a platform, for a build script."""
    rust = checkout / "runners/rust"
    for name in ("shared", "alone", "native", "generator"):
        (rust / f"libraries/{name}/src").mkdir(parents=True)
        (rust / f"libraries/{name}/src/lib.rs").touch()
        (rust / f"libraries/{name}/Cargo.toml").write_text(f'[package]\nname = "{name}"\n')
    workspace, codec = rust / "Cargo.toml", rust / "codecs/postcard/Cargo.toml"
    named = '[workspace.dependencies]\nshared = { path = "libraries/shared" }\n'
    workspace.write_text(workspace.read_text().replace("[workspace.dependencies]\n", named))
    codec.write_text(
        codec.read_text().replace("[dependencies]\n", "[dependencies]\nshared.workspace = true\n")
        + '\n[target."cfg(unix)".dependencies]\nnative = { path = "../../libraries/native" }\n'
        + '\n[build-dependencies]\ngenerator = { path = "../../libraries/generator" }\n'
    )
    with (rust / "libraries/shared/Cargo.toml").open("a") as file:
        file.write('[dependencies]\nalone = { path = "../alone" }\n')
    files = asked(tmp_path, checkout, "files", "rust-noop", "rust-postcard")
    added = {f"runners/rust/libraries/{name}/src/lib.rs" for name in ("shared", "alone", "native", "generator")}
    assert added <= set(files["rust-postcard"])
    assert not added & set(files["rust-noop"])


@needs_nix
def test_the_formatter_formats_all_files(outputs):
    """`nix fmt` calls it without arguments, and nixfmt would then wait for a file on its standard input."""
    assert {one["name"] for one in outputs["formatter"].values()} == {"nixfmt-tree"}


@needs_nix
def test_rust_runners_are_built_by_the_command_of_the_driver(outputs):
    command = outputs["packages"]["x86_64-linux"]["runner-rust-prost"]["command"]
    assert re.search(r'cargo build --release --offline --config "build\.rustflags=.*" -p codec-prost\n', command)
    assert "--target" not in command, "Cargo would then leave build scripts' flags aside"
    assert "RUSTFLAGS" not in command


@needs_nix
def test_a_cpp_runner_is_built_from_its_own_sources_alone(outputs):
    """No other codec, and no programs of several codecs."""
    found = {name for name in outputs["packages"]["x86_64-linux"] if name.startswith("runner-cpp-")}
    assert len(found) > 5
    for name in found:
        codec = name.removeprefix("runner-cpp-")
        files = outputs["packages"]["x86_64-linux"][name]["files"]
        allowed = rf"runners/cpp/(CMakeLists\.txt|CMakePresets\.json|kit/|messages/|codecs/{re.escape(codec)}/"
        if library := json.loads((ROOT / f"runners/cpp/codecs/{codec}/codec.json").read_text()).get("library"):
            allowed += rf"|libraries/{re.escape(library)}/"
        assert not [file for file in files if not re.match(f"{allowed})", file)], name
        assert f"runners/cpp/codecs/{codec}/main.cpp" in files


@needs_nix
@pytest.mark.parametrize(
    ("system", "cpu"),
    [("x86_64-linux", "-march=x86-64"), ("aarch64-linux", "-march=armv8-a"), ("aarch64-darwin", "-mcpu=apple-m1")],
)
def test_cpp_runners_are_built_for_the_architecture_s_baseline(outputs, system, cpu):
    command = outputs["packages"][system]["runner-cpp-cereal"]["command"]
    assert "cmake --preset system " in command
    assert f'-DCMAKE_CXX_FLAGS="-stdlib=libc++ {cpu}"' in command
    assert "--target codec-cereal " in command


@needs_nix
def test_every_runner_is_built_twice_and_compared(outputs):
    for system in SYSTEMS:
        command = outputs["checks"][system]["reproducible"]["command"]
        runners = {name for name in outputs["packages"][system] if name.startswith("runner-")}
        assert {name for name in runners if f"-{name}-" in command} == runners
        assert {name for name in runners if re.search(f"cmp [^ ]*-{name}-[^ /]*/layouts.tar.xz ", command)} == runners
        assert "runner-python-orjson-0.1.0/runners " in command, "the program, not the script that names its place"


def asked_of_nixpkgs(evaluated: "subprocess.CompletedProcess[str]") -> set[str]:
    return set(re.findall(r"asked of nixpkgs: (\S+)", evaluated.stderr))


@needs_nix
def test_workflows_take_the_python_of_the_flake(evaluated):
    documents = [yaml.safe_load(path.read_text()) for path in (ROOT / ".github/workflows").glob("*.yml")]
    steps = [step for document in documents for job in document["jobs"].values() for step in job["steps"]]
    steps += yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"]
    versions = {step["with"]["python-version"] for step in steps if "python-version" in step.get("with", {})}
    assert versions
    pythons = {name for name in asked_of_nixpkgs(evaluated) if re.fullmatch(r"python3\d+", name)}
    assert pythons == {f"python{version.replace('.', '')}" for version in versions}


@needs_nix
def test_only_known_packages_are_asked_of_nixpkgs(evaluated):
    asked = asked_of_nixpkgs(evaluated)
    assert {"rustc", "cargo", "uv", "hyperfine", "dockerTools", "rustPlatform", "llvmPackages"} <= asked
    assert not {name for name in asked if name.startswith(("python3Packages", "glaze", "orjson"))}, "measured libraries"


PINS = [
    ("rust", "rustc", "1.94.0", CHANNEL, "rust-toolchain.toml"),
    ("hyperfine", "hyperfine", "1.19.0", "1.20.0", "bench/pins/tools.toml"),
    ("clang", "clang", "22.1.0", "21.1", "bench/pins/nix.toml"),
    ("lld", "lld", "20.1.8", "21.1", "bench/pins/nix.toml"),
    ("python", "Python", "3.14.0", "3.13", "bench/pins/nix.toml"),
    ("uv", "uv", "0.110.0", "0.11", "bench/pins/nix.toml"),
]
"""Package, its name, a version that is not the pinned one, the pinned one and where that stands: 0.11 is any 0.11.x."""


@needs_nix
@pytest.mark.parametrize(("package", "name", "version", "pinned", "file"), PINS)
def test_another_version_than_the_pinned_one_is_refused(tmp_path, package, name, version, pinned, file):
    done = evaluate(tmp_path, wanted="outputs.formatter.x86_64-linux", versions={f"{package}Version": version})
    assert done.returncode != 0
    assert f"{name} is {version} in the pinned nixpkgs, but {pinned} in {file}" in done.stderr


@needs_nix
def test_no_compiled_runner_may_refer_to_what_it_was_made_of(outputs):
    """Sources would be downloaded with it."""
    for system in SYSTEMS:
        packages = outputs["packages"][system]
        assert {"types-published-rust", "cargo-vendor-dir"} == set(packages["runner-rust-prost"]["disallowed"])
        cereal = {name.rpartition("-")[0] for name in packages["runner-cpp-cereal"]["disallowed"]}
        assert cereal == {"types-published", "cereal", "cli11", "nlohmann_json"}
        compiled = [one for name, one in packages.items() if name.startswith(("runner-rust-", "runner-cpp-"))]
        assert all(one["disallowed"] for one in compiled)


@needs_nix
def test_a_wheel_is_stored_once(outputs):
    """For all runners that need it."""
    for system in SYSTEMS:
        runners = [one for name, one in outputs["packages"][system].items() if name.startswith("runner-python-")]
        stored = {(name, path) for one in runners for name, path in one["wheels"].items()}
        names = [name for name, _ in stored]
        assert len(names) == len(set(names))
        assert sum(len(one["wheels"]) for one in runners) > len(names), "some are shared"


@needs_nix
@pytest.mark.parametrize("name", ["bench", "default", "lab"])
def test_an_intel_mac_is_told_why_there_is_nothing_and_what_to_do(tmp_path, name):
    done = evaluate(tmp_path, wanted=f"outputs.{name}", lacking="x86_64-darwin")
    assert done.returncode != 0
    assert "nothing for x86_64-darwin: nixpkgs builds for Intel Macs for the last time in 26.05" in done.stderr
    assert "./lab bench" in done.stderr


@needs_nix
def test_apps_bring_the_derivations_of_runners_and_not_the_runners(outputs):
    """Which Nix then builds as they are needed; a package with all runners needs no Nix."""
    for system in SYSTEMS:
        packages = outputs["packages"][system]
        assert "--set LAB_DERIVATIONS " in packages["driver"]["command"]
        assert "LAB_RUNNERS" not in packages["driver"]["command"]
        assert "--set LAB_RUNNERS " in packages["lab"]["command"]


@needs_nix
def test_the_image_says_what_it_is(outputs):
    labels = outputs["packages"]["x86_64-linux"]["image"]["labels"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert labels["org.opencontainers.image.version"] == project["version"]
    assert labels["org.opencontainers.image.licenses"] == project["license"]
    assert re.fullmatch("[0-9a-f]{40}", labels["org.opencontainers.image.revision"])


@needs_nix
@pytest.mark.parametrize("version", ["2.8.0", "2.17.1pre"])
def test_an_old_nix_is_told_what_to_do_instead(tmp_path, version):
    done = evaluate(tmp_path, nixVersion=version)
    assert done.returncode != 0
    assert f"needs Nix 2.18 or later, and this is {version}." in done.stderr
    assert "./lab bench" in done.stderr
    assert "asked of nixpkgs" not in done.stderr, "nothing is downloaded before"


@needs_nix
def test_a_language_without_instructions_is_named(tmp_path, checkout):
    (checkout / "runners/cobol/codecs/noop").mkdir(parents=True)
    done = evaluate(tmp_path, checkout)
    assert done.returncode != 0
    assert "nix/cobol.nix is missing" in done.stderr


@needs_nix
def test_a_new_codec_needs_no_edit_of_the_flake(tmp_path, checkout):
    folder = checkout / "runners/rust/codecs/postcard"
    shutil.copytree(folder, folder.with_name("another"))
    manifest = folder.with_name("another") / "Cargo.toml"
    manifest.write_text(manifest.read_text().replace("codec-postcard", "codec-another"))
    (command,) = asked(tmp_path, checkout, "command", "rust-another").values()
    assert "-p codec-another\n" in command


@needs_nix
@pytest.mark.slow
def test_prose_and_driver_build_no_runner_again(tmp_path, checkout):
    def paths() -> dict[str, str]:
        wanted = "builtins.mapAttrs (_: one: one.path) outputs.packages.x86_64-linux"
        done = evaluate(tmp_path, checkout, wanted=wanted)
        assert done.returncode == 0, done.stderr[-2000:]
        return dict(json.loads(done.stdout))

    first = paths()
    append(checkout, "README.md", "tests/conftest.py", "bench/cli.py", "analysis/data/cells.py")
    append(checkout, "schemas/scenarios/point.toml")
    second = paths()
    assert {name for name in first if first[name] != second[name]} == {"lab", "default", "driver", "image"}


SOME = ("rust-prost", "rust-postcard", "rust-bson", "cpp-cereal", "cpp-protobuf", "python-orjson", "python-pickle")
"""Codecs of every language, with libraries of their own and without."""


@needs_nix
def test_a_codec_builds_its_own_runner_alone(tmp_path, checkout):
    before = asked(tmp_path, checkout, "path", *SOME)
    append(checkout, "runners/rust/codecs/prost/src/main.rs", "runners/cpp/codecs/cereal/main.cpp")
    append(checkout, "runners/python/codecs/orjson/codec.py")
    after = asked(tmp_path, checkout, "path", *SOME)
    assert {name for name in SOME if before[name] != after[name]} == {"rust-prost", "cpp-cereal", "python-orjson"}


def append(checkout: Path, *names: str) -> None:
    """An empty line at the end of each of these files."""
    for name in names:
        with (checkout / name).open("a") as file:
            file.write("\n")


@needs_nix
@pytest.mark.slow
def test_a_manifest_and_a_lock_file_build_again_what_they_concern(tmp_path, checkout):
    """One codec's Cargo.toml that codec; of uv.lock the codecs with that package, and all where generators use it; of
    Cargo.lock all Rust codecs, but none for a crate that none of them takes.
    """
    before = asked(tmp_path, checkout, "path", *SOME)

    def changed_by(file: str, pattern: str, replacement: str) -> set[str]:
        path = checkout / file
        text = path.read_text()
        edited = re.sub(pattern, replacement, text, count=1)
        assert edited != text
        path.write_text(edited)
        after = asked(tmp_path, checkout, "path", *SOME)
        path.write_text(text)
        return {name for name in SOME if before[name] != after[name]}

    bson = "runners/rust/codecs/bson/Cargo.toml"
    assert changed_by(bson, r"serde\.workspace = true", 'serde = { workspace = true, features = ["rc"] }') == {
        "rust-bson"
    }
    beve = changed_by("runners/rust/Cargo.lock", r'(name = "beve"\nversion = .*\nsource.*\nchecksum = ").', r"\g<1>0")
    assert beve == {name for name in SOME if name.startswith("rust-")}
    assert not changed_by("runners/rust/Cargo.lock", r"\Z", TAKEN_BY_NONE)
    assert changed_by("uv.lock", r'(orjson-[^"]*manylinux_2_17_x86_64[^"]*whl", hash = "sha256:).', r"\g<1>0") == {
        "python-orjson"
    }
    assert changed_by(
        "uv.lock", r'(msgspec-[^"]*cp313-manylinux[^"]*x86_64[^"]*whl", hash = "sha256:).', r"\g<1>0"
    ) == {*SOME}
    assert not changed_by("uv.lock", r'(ruff-[^"]*manylinux_2_17_x86_64[^"]*whl", hash = "sha256:).', r"\g<1>0")


@needs_nix
def test_cpp_codecs_share_what_is_compiled_of_the_kit_and_of_their_library(tmp_path, checkout):
    def layers() -> dict[str, list[str]]:
        named = ("noop", "cereal", "flatbuffers", "msgpack-c", "protobuf", "protobuf-arena")
        steps = asked(tmp_path, checkout, "layers", *(f"cpp-{name}" for name in named))
        return {name.removeprefix("cpp-"): one for name, one in steps.items()}

    first = layers()
    (kit,) = first["noop"]
    assert first["cereal"] == first["flatbuffers"] == first["msgpack-c"] == [kit], "libraries of headers alone"
    assert first["protobuf"] == first["protobuf-arena"]
    assert first["protobuf"][0] == kit
    assert len(first["protobuf"]) == 2
    append(checkout, "runners/cpp/codecs/protobuf/main.cpp")
    assert layers() == first, "a codec's own code is in none"
    append(checkout, "runners/cpp/libraries/protobuf/arrays.pb.cc")
    second = layers()
    assert {name for name in first if first[name] != second[name]} == {"protobuf", "protobuf-arena"}


@needs_nix
def test_codecs_with_equal_dependencies_share_what_is_compiled_of_them(tmp_path, checkout):
    named = ("rust-postcard", "rust-postcard-slice", "rust-clone", "rust-serde-json")
    layers = asked(tmp_path, checkout, "layers", *named)
    assert layers["rust-postcard"] == layers["rust-postcard-slice"]
    assert set(layers["rust-clone"]) <= set(layers["rust-postcard"]), "the kit"
    assert layers["rust-postcard"][-1] not in layers["rust-serde-json"], "features are of one codec's dependencies"


@needs_nix
def test_a_hash_that_is_none_is_refused(tmp_path, checkout):
    lock = checkout / "uv.lock"
    broken = re.sub(r'(numpy-[^"]*whl", hash = "sha256:)....', r"\1zzzz", lock.read_text())
    lock.write_text(broken)
    done = evaluate(tmp_path, checkout)
    assert done.returncode != 0
    assert "is no SHA-256" in done.stderr


def locked(file: str, package: str) -> str:
    """The version of a package, of which a lock file has one."""
    packages = tomllib.loads((ROOT / file).read_text())["package"]
    (version,) = [one["version"] for one in packages if one["name"] == package]
    return version


def test_the_manifest_of_runners_that_were_built_elsewhere(tmp_path):
    """What is there with what tells its build from others, and of what is not there the reason."""
    built = tmp_path / "built"
    for name in ("rust/postcard/bin/codec-postcard", "python/orjson/runners/orjson.pyz"):
        (built / name).parent.mkdir(parents=True)
        (built / name).write_text(name)
    origin = {"store_path": "/nix/store/postcard", "nar_hash": "sha256-AAAA"}
    identities, out = tmp_path / "identities.json", tmp_path / "runners.json"
    identities.write_text(json.dumps({"rust/postcard": origin}))  # as Nix writes it
    words = [str(built), "--toolchain", "nix", "--identities", str(identities), "--out", str(out)]
    done = CliRunner().invoke(manifest_command, words, catch_exceptions=False)
    assert done.output.startswith("2 runners, ")
    manifest = read_json(out, Manifest)
    entries = {entry.codec: entry for entry in manifest.runners}
    assert list(entries) == sorted(f"{language}/{name}" for language, name in codecs())
    postcard, orjson = entries["rust/postcard"], entries["python/orjson"]
    assert postcard.command == [str(built / "rust/postcard/bin/codec-postcard")]
    assert postcard.sha256 == hashlib.sha256(b"rust/postcard/bin/codec-postcard").hexdigest()
    assert postcard.version == locked("runners/rust/Cargo.lock", "postcard")
    assert orjson.command[0].startswith(str(built / "python/orjson/env"))
    assert orjson.version == locked("uv.lock", "orjson")
    assert [entry.codec for entry in manifest.runners if not entry.unavailable] == ["python/orjson", "rust/postcard"]
    assert "no runner was provided for this platform" in (entries["rust/prost"].unavailable or "")
    recorded = built_provenance(manifest)
    assert recorded["toolchain"] == "nix"
    assert recorded["identities"] == {"rust/postcard": origin}


@pytest.mark.skipif(
    not os.environ.get("NIXPKGS"), reason="NIXPKGS=PATH names no nixpkgs, so the flake is not evaluated over it"
)
def test_the_flake_evaluates_over_nixpkgs():
    """All outputs for all systems, as `nix flake check` sees them."""
    done = subprocess.run(
        [
            "nix",
            "--extra-experimental-features",
            "nix-command flakes",
            "flake",
            "check",
            "--no-build",
            "--all-systems",
            "--no-write-lock-file",
            "--override-input",
            "nixpkgs",
            os.environ["NIXPKGS"],
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "all checks passed" in done.stderr
