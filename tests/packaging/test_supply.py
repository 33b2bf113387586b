"""What is downloaded: a hash of it stands in the repository, and what has another is refused."""

import hashlib
import io
import json
import re
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

import pytest
import yaml

from bench.base import errors, paths
from bench.building import crates, toolchain, tools
from bench.building.crates import Crate
from bench.building.languages import rust
from bench.building.languages.cpp_sources import pins as library_pins
from tests.support.lab import ROOT

SHA256 = re.compile(r"[0-9a-f]{64}")


def toml(name: str) -> dict:
    return tomllib.loads((ROOT / name).read_text(encoding="utf-8"))


# A hash of everything


def test_every_crate_has_a_checksum_and_comes_from_the_registry():
    for package in toml("runners/rust/Cargo.lock")["package"]:
        if "source" in package:
            assert package["source"].startswith("registry+"), package["name"]
            assert SHA256.fullmatch(package["checksum"]), package["name"]


def test_every_python_package_has_hashes_and_comes_from_the_registry():
    for package in toml("uv.lock")["package"]:
        if "registry" not in package["source"]:
            assert package["source"].keys() <= {"editable", "virtual"}, package["name"]
            continue
        files = package.get("wheels", []) + ([package["sdist"]] if "sdist" in package else [])
        assert files, package["name"]
        for file in files:
            assert SHA256.fullmatch(file["hash"].removeprefix("sha256:")), file["url"]


def test_nothing_is_built_by_a_python_package_that_has_no_hash():
    """A build backend is no part of uv.lock; uv itself is that of the lab's own package, and the runners are no packages."""
    uv = re.search(r"^uv==(\S+)", (ROOT / "uv-requirements.txt").read_text(), re.MULTILINE)
    assert uv
    assert toml("pyproject.toml")["build-system"]["requires"] == [f"uv_build=={uv[1]}"]
    for path in (ROOT / "runners/python").rglob("pyproject.toml"):
        project = tomllib.loads(path.read_text(encoding="utf-8"))
        assert "build-system" not in project and project["tool"]["uv"]["package"] is False, path


@pytest.mark.parametrize("name", tools.pins())
def test_every_tool_has_the_hash_of_its_source(name):
    assert SHA256.fullmatch(tools.pins()[name].sha256)


def test_every_module_of_actionlint_has_a_hash():
    required = re.findall(r"^\t(\S+) (v\S+)", (tools.ACTIONLINT / "go.mod").read_text(), re.MULTILINE)
    hashes = set(re.findall(r"^(\S+) (\S+) h1:\S{43}=$", (tools.ACTIONLINT / "go.sum").read_text(), re.MULTILINE))
    assert len(required) > 5 and set(required) <= hashes


def test_every_component_of_rust_has_a_hash_on_every_platform():
    pinned = toml("bench/pins/rust.toml")
    assert pinned.pop("version") == toml("rust-toolchain.toml")["toolchain"]["channel"]
    assert set(pinned) == set(toolchain.HOSTS)
    for host, archives in pinned.items():
        assert set(archives) == set(toolchain.COMPONENTS), host
        assert all(SHA256.fullmatch(digest) for digest in archives.values()), host


@pytest.mark.parametrize("name", library_pins())
def test_every_archive_of_a_cpp_library_has_a_hash(name):
    pin = library_pins()[name]
    assert SHA256.fullmatch(pin.sha256)
    assert pin.debian is None or SHA256.fullmatch(pin.debian.sha256)


def test_every_input_of_the_flake_has_a_hash():
    nodes = json.loads((ROOT / "flake.lock").read_text())["nodes"]
    inputs = {name: node["locked"] for name, node in nodes.items() if name != "root"}
    assert inputs
    for name, locked in inputs.items():
        assert re.fullmatch(r"sha256-\S{44}", locked["narHash"]) and re.fullmatch("[0-9a-f]{40}", locked["rev"]), name


def test_the_base_image_has_a_digest():
    text = (ROOT / "images/Containerfile").read_text()
    assert re.search(r"^ARG BASE=\S+@sha256:[0-9a-f]{64}$", text, re.MULTILINE)
    assert set(re.findall(r"^FROM (\S+)", text, re.MULTILINE)) == {"${BASE}", "base"}


@pytest.mark.parametrize(
    "path", [*sorted((ROOT / ".github/workflows").iterdir()), ROOT / "action.yml"], ids=lambda path: path.name
)
def test_every_action_is_of_one_commit(path):
    document = yaml.safe_load(path.read_text())
    jobs = document.get("jobs", {"action": document.get("runs")}).values()
    used = [step["uses"] for job in jobs for step in job["steps"] if "uses" in step]
    assert used
    for action in used:
        assert re.fullmatch(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}", action), action


DOWNLOADS = {
    "lab": "uv by uv-requirements.txt, the Python packages by uv.lock",
    "bench/building/languages/cpp_tools.py": "zig, CMake and Ninja by uv.lock",
    "bench/building/languages/python.py": "wheels by uv.lock",
    "bench/commands/lint.py": "nothing: it asks databases, in words, about what is locked",
    "runners/cpp/fetch.cmake": "archives by SHA-256 in sources.toml, by CMake",
    "bench/building/languages/rust.py": "crates by Cargo.lock, Rust by bench/pins/rust.toml",
    "bench/building/crates.py": "tools by bench/pins/tools.toml",
    "bench/building/tools.py": "what tools are built with by their own lock files, actionlint by go.sum",
    ".ci/run": "packages by the distribution's signature, Rust as above",
    ".github/workflows/advisories.yml": "Rust as above",
    ".github/workflows/bench.yml": "Rust as above, and what `lab` brings",
    ".github/workflows/ci.yml": "packages by the distribution's signature, Rust as above",
    "images/Containerfile": "the base by its digest, packages of one day by the distribution's signature",
    "action.yml": "Rust as above; the library of the user's own codec by whatever it locks",
}
"""Where something is downloaded, and what it is held against."""

FETCHES = re.compile(
    r"file\(DOWNLOAD|FetchContent_Populate|urlopen|urlretrieve|\brequests\.|httpx|\bcurl\b|\bwget\b|(?<!`)apt-get|\bnp[mx]\b|git clone|pip\b.{0,9}install|"
    r"""(?<!`)rustup"?,? "?(?:toolchain|target)|\b(?:cargo|go)"?,? "(?:install|info|fetch|add|update|get|build)|cargo update|"""
    r"""["']?uv["']?,? ["']?(?:sync|lock|audit)|"sync"|"audit\""""
)
"""What a download looks like in the files of this repository; in backticks stands advice."""


def test_every_place_that_downloads_says_by_what_it_is_checked():
    """A new one has to be thought about, and entered here and in METHODOLOGY.md."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )
    code = [
        name
        for name in listed
        if re.match(
            r"(bench|analysis)/.*\.py$|lab$|\.ci/|\.github/.*yml$|images/|action\.yml$|runners/cpp/.*cmake$", name
        )
    ]
    found = {name for name in code if FETCHES.search((ROOT / name).read_text(encoding="utf-8"))}
    assert found == set(DOWNLOADS)


# Refusals


@pytest.fixture
def toy(tmp_path, monkeypatch) -> tuple[Crate, Path]:
    """A crate whose .crate lies in Cargo's cache, and its pin."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as files:
        member = tarfile.TarInfo("toy-1.0.0/Cargo.toml")
        member.size = 3
        files.addfile(member, io.BytesIO(b"toy"))
    archive = tmp_path / "cargo/registry/cache/some-registry/toy-1.0.0.crate"
    archive.parent.mkdir(parents=True)
    archive.write_bytes(buffer.getvalue())
    monkeypatch.setenv("CARGO_HOME", str(tmp_path / "cargo"))
    return Crate("toy", "1.0.0", hashlib.sha256(buffer.getvalue()).hexdigest()), archive


def test_a_source_of_the_pinned_hash_is_unpacked(toy, tmp_path):
    folder = crates.unpack(toy[0], tmp_path / "work")
    assert (folder / "Cargo.toml").read_bytes() == b"toy"


def test_a_source_of_another_hash_is_refused(toy, tmp_path):
    pin, archive = toy
    archive.write_bytes(archive.read_bytes() + b"\0")
    with pytest.raises(
        errors.LabError,
        match=r"toy-1.0.0.crate has SHA-256 \w{64}, bench/pins/tools.toml pins \w{64}; nothing of it was run",
    ):
        crates.unpack(pin, tmp_path / "work")
    assert not (tmp_path / "work").exists()


def test_the_source_of_another_registry_is_not_taken_for_the_pinned_one(toy, tmp_path):
    pin, archive = toy
    other = archive.parent.with_name("a-registry") / archive.name
    other.parent.mkdir()
    other.write_bytes(b"something else")
    assert crates.archive_of(pin) == archive


def test_a_source_that_cannot_be_had_says_what_cargo_said(tmp_path, monkeypatch):
    monkeypatch.setenv("CARGO_HOME", str(tmp_path))
    monkeypatch.setenv("CARGO_NET_OFFLINE", "true")
    with pytest.raises(
        errors.LabError, match=r"fetching hyperfine failed .*\n(.*\n)+It needs the Rust package index once"
    ):
        crates.archive_of(tools.pins()["hyperfine"])


@pytest.fixture
def state(tmp_path, monkeypatch) -> Path:
    """An empty .lab."""
    monkeypatch.setattr(paths, "STATE", tmp_path)
    monkeypatch.delenv(paths.TOOLS_VARIABLE, raising=False)
    return tmp_path


def test_a_tool_of_another_hash_is_not_built(state, toy, monkeypatch):
    monkeypatch.setattr(tools, "pins", lambda: {"toy": Crate("toy", "1.0.0", "0" * 64)})
    with pytest.raises(errors.LabError, match=r"toy-1.0.0.crate has SHA-256 \w{64}, bench/pins/tools.toml pins 0{64}"):
        tools.provide("toy", lambda _: None)
    assert not (state / "tools").exists()


@pytest.mark.parametrize("change", ["program", "pin", "nothing"])
def test_a_tool_is_built_again_where_it_or_its_pin_changed(state, monkeypatch, change):
    built, said = [], []
    program = state / "tools/bin" / f"toy{paths.EXE}"
    pin = Crate("toy", "1.0.0", "1" * 64)
    monkeypatch.setattr(tools, "unpack", lambda pin, folder: folder)

    def build(*_: object) -> None:
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text("toy")
        built.append(1)

    monkeypatch.setattr(tools, "_run", build)
    monkeypatch.setattr(tools, "pins", lambda: {"toy": pin})
    tools.provide("toy", said.append)
    if change == "program":
        program.write_text("tor")
    elif change == "pin":
        monkeypatch.setattr(tools, "pins", lambda: {"toy": Crate("toy", "1.0.0", "2" * 64)})
    tools.provide("toy", said.append)
    again = change != "nothing"
    assert len(built) == 1 + again
    assert any("is not what the pinned source was built into; it is built again" in line for line in said) == again


@pytest.mark.skipif(not (Path(sys.executable).parent / f"go{paths.EXE}").exists(), reason="go comes with `lab lint`")
def test_a_module_of_another_hash_is_refused(state, tmp_path, monkeypatch):
    """Go's own check, as the lab calls it."""
    module = tmp_path / "actionlint"
    module.mkdir()
    for name in ("go.mod", "go.sum"):
        text = (tools.ACTIONLINT / name).read_text()
        module.joinpath(name).write_text(re.sub(r"(rhysd/actionlint v\S+ h1:)\S{4}", r"\1AAAA", text))
    monkeypatch.setattr(tools, "ACTIONLINT", module)
    monkeypatch.setenv("GOFLAGS", "-mod=mod -modcacherw")
    with pytest.raises(errors.LabError, match="checksum mismatch"):
        tools.provide_actionlint(lambda _: None)
    assert not (state / "tools/actionlint.sha256").exists()


HOST = "x86_64-unknown-linux-gnu"


@pytest.fixture
def sysroot(tmp_path) -> Path:
    """A toolchain as rustup installs it, of the pinned archives."""
    pinned = toml("bench/pins/rust.toml")
    lines = [f'[pkg.{name}.target.{HOST}]\nxz_hash = "{digest}"' for name, digest in pinned[HOST].items()]
    (tmp_path / "lib/rustlib").mkdir(parents=True)
    (tmp_path / toolchain.LIST).write_text("\n".join(lines))
    (tmp_path / toolchain.INSTALLED).write_text("".join(f"{name}-{HOST}\n" for name in ("rustc", "rust-std", "cargo")))
    return tmp_path


CHANNEL = toml("rust-toolchain.toml")["toolchain"]["channel"]


def test_a_rust_of_the_pinned_archives_is_taken(sysroot):
    toolchain.check(sysroot, HOST, CHANNEL)


@pytest.mark.parametrize("change", ["another archive", "no archive"])
def test_a_rust_of_another_archive_is_refused(sysroot, change):
    listed = sysroot / toolchain.LIST
    digest = toml("bench/pins/rust.toml")[HOST]["rust-std"]
    listed.write_text(listed.read_text().replace(f'"{digest}"', '"' + "0" * 64 * (change == "another archive") + '"'))
    with pytest.raises(
        errors.LabError,
        match="rust-std of Rust [0-9.]+ is from an archive with SHA-256 (0{64}|unknown), bench/pins/rust.toml pins",
    ):
        toolchain.check(sysroot, HOST, CHANNEL)


def test_a_component_that_is_not_installed_may_be_unknown(sysroot):
    """A mirror leaves out what it has not."""
    listed = sysroot / toolchain.LIST
    listed.write_text(listed.read_text().replace(toml("bench/pins/rust.toml")[HOST]["clippy-preview"], ""))
    toolchain.check(sysroot, HOST, CHANNEL)


def test_a_rust_from_elsewhere_has_nothing_to_check(tmp_path):
    toolchain.check(tmp_path, HOST, CHANNEL)


def test_no_runner_is_built_by_another_rust(sysroot, tmp_path, monkeypatch):
    (sysroot / toolchain.LIST).write_text("[pkg]\n")
    said = {"--version": f"release: {CHANNEL}\nhost: {HOST}\n", "--print=sysroot": f"{sysroot}\n"}
    called = []

    def run(command: list[str], *_: object) -> "subprocess.CompletedProcess[str]":
        called.append(command[0])
        return subprocess.CompletedProcess(command, 0, said[command[1]], "")

    monkeypatch.setattr(rust, "_run", run)
    rust._check_toolchain.cache_clear()
    language = rust.Rust()
    with pytest.raises(errors.LabError, match="of Rust .* is from an archive with SHA-256 unknown"):
        language.build(language.codec_folders()[0])
    assert set(called) == {"rustc"}


def test_the_rust_that_is_here_is_checked():
    """So that a Rust from elsewhere is not what there is everywhere."""
    done = subprocess.run(["rustc", "--print=sysroot"], cwd=ROOT, capture_output=True, text=True, check=True)
    root = Path(done.stdout.strip())
    if not (root / toolchain.LIST).exists():
        pytest.skip("this Rust is not rustup's")
    host = subprocess.run(["rustc", "-vV"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    triple = re.search(r"^host: (\S+)", host, re.MULTILINE)
    assert triple
    assert toolchain.archives(root, triple[1])["rustc"] == toml("bench/pins/rust.toml")[triple[1]]["rustc"]


# What may go in


needs_deny = pytest.mark.skipif(
    not paths.tool("cargo-deny").exists(), reason="cargo-deny is not built: `./lab lint` builds it"
)


def deny(folder: Path, *checks: str) -> "subprocess.CompletedProcess[str]":
    command = [str(paths.tool("cargo-deny")), "--offline", "check", "--hide-inclusion-graph", *checks]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@needs_deny
@pytest.mark.parametrize(
    ("licence", "version", "problem"),
    [
        ("MIT", "1", ""),
        ("GPL-3.0-only", "1", "license is not explicitly allowed"),
        ("MIT", "*", "found 1 wildcard dependency"),
    ],
)
def test_only_allowed_licences_and_pinned_versions_go_in(tmp_path, licence, version, problem):
    for name, needs in (
        ("toy", f'[dependencies]\nother = {{ path = "../other", version = "{version}" }}\n'),
        ("other", ""),
    ):
        (tmp_path / name / "src").mkdir(parents=True)
        (tmp_path / name / "src/lib.rs").write_text("")
        head = f'[package]\nname = "{name}"\nversion = "1.0.0"\nedition = "2024"\nlicense = "{licence}"\n'
        (tmp_path / name / "Cargo.toml").write_text(head + needs)
    rules = (ROOT / "runners/rust/deny.toml").read_text().replace("allow-wildcard-paths = true", "")
    (tmp_path / "deny.toml").write_text(rules.replace('unused-allowed-license = "deny"', ""))
    done = deny(tmp_path / "toy", "bans", "licenses", "sources")
    assert (done.returncode == 0) == (not problem), done.stderr
    assert problem in done.stderr


def test_every_known_exception_says_why():
    for exception in toml("runners/rust/deny.toml")["advisories"]["ignore"]:
        assert len(exception["reason"]) > 20


# New versions are proposed


RENOVATE = json.loads((ROOT / ".github/renovate.json").read_text())


def test_no_new_version_is_merged_by_itself():
    assert RENOVATE["automerge"] is False
    assert not any(rule.get("automerge") for rule in RENOVATE["packageRules"])


@pytest.mark.parametrize(
    ("file", "names"),
    [
        ("bench/pins/tools.toml", {pin.crate for pin in tools.pins().values()}),
        ("runners/cpp/sources.toml", set(library_pins())),
        ("rust-toolchain.toml", {CHANNEL}),
        ("bench/pins/rust.toml", {CHANNEL}),
    ],
)
def test_what_only_the_lab_s_own_files_pin_is_looked_for(file, names):
    text = (ROOT / file).read_text()
    managers = [one for one in RENOVATE["customManagers"] if any(re.search(match, file) for match in one["fileMatch"])]
    assert len(managers) == 1
    pattern = managers[0]["matchStrings"][0].replace("(?<", "(?P<")
    found = {match.groupdict().get("depName") or match["currentValue"] for match in re.finditer(pattern, text)}
    assert found == names


def test_no_measured_library_counts_as_a_part_of_the_harness():
    harness = next(rule for rule in RENOVATE["packageRules"] if rule.get("groupName") == "harness")["matchPackageNames"]
    measured = {
        toml(str(path.relative_to(ROOT)))["package"].get("metadata", {}).get("wirelab", {}).get("library")
        for path in (ROOT / "runners/rust/codecs").glob("*/Cargo.toml")
    }
    assert len(measured) > 10
    assert not measured & set(harness)
