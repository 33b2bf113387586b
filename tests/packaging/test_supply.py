"""What is downloaded: a hash of it stands in the repository, and what has another is refused."""

import hashlib
import io
import json
import re
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from bench.base import errors, paths
from bench.building import crates, toolchain, tools
from bench.building.crates import Crate
from bench.building.languages import rust
from bench.building.languages.cpp_sources import pins as library_pins
from tests.support.lab import ROOT

CHANNEL = tomllib.loads((ROOT / "rust-toolchain.toml").read_text())["toolchain"]["channel"]


def toml(name: str) -> dict:
    return tomllib.loads((ROOT / name).read_text(encoding="utf-8"))


# A hash of everything


HEX, BASE64, COMMIT = "[0-9a-f]{64}", "sha256-[A-Za-z0-9+/]{43}=", "[0-9a-f]{40}"
Pins = Iterator[tuple[str, str]]
"""What is fetched, with its hash."""


def crates_of_runners() -> Pins:
    for package in toml("runners/rust/Cargo.lock")["package"]:
        if "source" in package:
            assert package["source"].startswith("registry+"), package["name"]
            yield package["name"], package["checksum"]


def python_packages() -> Pins:
    for package in toml("uv.lock")["package"]:
        if "registry" not in package["source"]:
            assert package["source"].keys() <= {"editable", "virtual"}, package["name"]
            continue
        files = package.get("wheels", []) + ([package["sdist"]] if "sdist" in package else [])
        assert files, package["name"]
        yield from ((file["url"], file["hash"].removeprefix("sha256:")) for file in files)


def tools_of_the_lab() -> Pins:
    yield from ((name, pin.sha256) for name, pin in tools.pins().items())


def components_of_rust() -> Pins:
    pinned = toml("bench/pins/rust.toml")
    assert pinned.pop("version") == CHANNEL
    assert set(pinned) == set(toolchain.HOSTS)
    for host, archives in pinned.items():
        assert set(archives) == set(toolchain.COMPONENTS), host
        yield from ((f"{name} for {host}", digest) for name, digest in archives.items())


def archives_of_cpp() -> Pins:
    for name, pin in library_pins().items():
        yield from ((name, archive.sha256) for archive in pin.archives)


def packages_of_suites() -> Pins:
    for suite in toml("schemas/conformance.toml")["suites"].values():
        yield from ((package["name"], package["sha256"]) for package in suite.get("packages", []))
        for libraries in suite.get("judge", {}).get("libraries", {}).values():
            yield from libraries["packages"].items()


def inputs_of_the_flake() -> Pins:
    nodes = json.loads((ROOT / "flake.lock").read_text())["nodes"]
    yield from ((name, node["locked"]["narHash"]) for name, node in nodes.items() if name != "root")


def actions() -> Pins:
    """The hash of an action is its commit."""
    for path in [*(ROOT / ".github/workflows").iterdir(), ROOT / "action.yml"]:
        document = yaml.safe_load(path.read_text())
        jobs = document.get("jobs", {"action": document.get("runs")}).values()
        yield from (step["uses"].split("@") for job in jobs for step in job["steps"] if "uses" in step)


PINS = [
    (crates_of_runners, HEX),
    (python_packages, HEX),
    (tools_of_the_lab, HEX),
    (components_of_rust, HEX),
    (archives_of_cpp, HEX),
    (packages_of_suites, HEX),
    (inputs_of_the_flake, BASE64),
    (actions, COMMIT),
]


@pytest.mark.parametrize(("pins", "form"), PINS, ids=[pins.__name__ for pins, _ in PINS])
def test_whatever_is_downloaded_has_a_hash_in_the_repository(pins, form):
    pinned = list(pins())
    assert pinned
    for name, digest in pinned:
        assert re.fullmatch(form, digest), name


def test_an_action_is_of_the_same_commit_wherever_it_is_used():
    used = {("/".join(name.split("/")[:2]), commit) for name, commit in actions()}
    assert len(used) == len({repository for repository, _ in used})


def test_every_module_of_actionlint_has_a_hash():
    required = re.findall(r"^\t(\S+) (v\S+)", (tools.ACTIONLINT / "go.mod").read_text(), re.MULTILINE)
    hashes = set(re.findall(r"^(\S+) (\S+) h1:\S{43}=$", (tools.ACTIONLINT / "go.sum").read_text(), re.MULTILINE))
    assert len(required) > 5 and set(required) <= hashes


def test_every_crate_of_libflate_has_a_hash_of_the_registry():
    lock = tomllib.loads((tools.LIBFLATE / "Cargo.lock").read_text())["package"]
    own = [package for package in lock if "source" not in package]
    assert [package["name"] for package in own] == [tools.LIBFLATE_PROGRAM]
    assert all(
        package["source"] == "registry+https://github.com/rust-lang/crates.io-index"
        and re.fullmatch("[0-9a-f]{64}", package["checksum"])
        for package in lock
        if package not in own
    )
    assert "2.3.1" in {package["version"] for package in lock if package["name"] == "libflate"}


def test_the_base_image_has_a_digest():
    text = (ROOT / "images/Containerfile").read_text()
    assert re.search(r"^ARG BASE=\S+@sha256:[0-9a-f]{64}$", text, re.MULTILINE)
    assert set(re.findall(r"^FROM (\S+)", text, re.MULTILINE)) == {"${BASE}", "base"}


def test_nothing_is_built_by_a_python_package_that_has_no_hash():
    """A build backend is no part of uv.lock; uv itself is that of the lab's own package, and the runners are no packages."""
    uv = re.search(r"^uv==(\S+)", (ROOT / "uv-requirements.txt").read_text(), re.MULTILINE)
    assert uv
    assert toml("pyproject.toml")["build-system"]["requires"] == [f"uv_build=={uv[1]}"]
    for path in (ROOT / "runners/python").rglob("pyproject.toml"):
        project = tomllib.loads(path.read_text(encoding="utf-8"))
        assert "build-system" not in project and project["tool"]["uv"]["package"] is False, path


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
        match=r"toy-1.0.0.crate has SHA-256 \w{64}, but bench/pins/tools.toml pins \w{64}; nothing in it was run",
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
    with pytest.raises(
        errors.LabError, match=r"toy-1.0.0.crate has SHA-256 \w{64}, but bench/pins/tools.toml pins 0{64}"
    ):
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
    assert (
        any("is not the program that was built from the pinned source; it is built again" in line for line in said)
        == again
    )


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


def test_a_rust_of_the_pinned_archives_is_taken(sysroot):
    toolchain.check(sysroot, HOST, CHANNEL)


@pytest.mark.parametrize("change", ["another archive", "no archive"])
def test_a_rust_of_another_archive_is_refused(sysroot, change):
    listed = sysroot / toolchain.LIST
    digest = toml("bench/pins/rust.toml")[HOST]["rust-std"]
    listed.write_text(listed.read_text().replace(f'"{digest}"', '"' + "0" * 64 * (change == "another archive") + '"'))
    with pytest.raises(
        errors.LabError,
        match="rust-std of Rust [0-9.]+ comes from an archive with SHA-256 (0{64}|unknown), but bench/pins/rust.toml pins",
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
    with pytest.raises(errors.LabError, match="of Rust .* comes from an archive with SHA-256 unknown"):
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
