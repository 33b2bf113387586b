"""What a build lacks, as each language and the disk say it before anything is compiled."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from bench.base import paths
from bench.building import nix
from bench.building import problems as module
from bench.building.build import _provide
from bench.building.languages import cpp, cpp_sources, cpp_tools, python, rust
from bench.building.languages.cpp import Cpp
from bench.building.languages.language import UNREACHABLE, Problem
from bench.building.languages.python import Python
from bench.building.languages.rust import Rust
from bench.building.problems import problems

SILENT = lambda _: None  # noqa: E731
SAID = [
    # cargo 1.95, uv 0.13, without a network, behind a proxy that is gone, and with a server that does not answer
    ("[6] Could not resolve hostname (Could not resolve host: index.example)", True),
    ("download of config.json failed\n  failed to download from `https://index.example/config.json`", True),
    ("error: client error (Connect)\n  tunnel error: failed to create underlying connection", True),
    ("Network connectivity is disabled, but the requested data wasn't found in the cache", True),
    ("[28] Timeout was reached (Operation timed out after 10000 milliseconds)", True),
    ("the lock file Cargo.lock needs to be updated but --locked was passed to prevent this", False),
    ("failed to parse manifest at `/lab/runners/rust/codecs/bad/Cargo.toml`", False),
    ("bfast-py 1.10.0 has no wheel for this platform (Linux x86_64, CPython 3.11.7)", False),
]


@pytest.mark.parametrize(("said", "unreachable"), SAID)
def test_a_registry_that_cannot_be_reached_is_told_from_a_disagreement(said: str, unreachable: bool) -> None:
    assert bool(UNREACHABLE.search(said)) is unreachable


@pytest.fixture
def without_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No package is installed or cached, and the index does not answer."""
    uv = python.find_uv()
    for module_, name in ((python, "ENVIRONMENT"), (cpp_tools, "ENVIRONMENT"), (python, "HOME"), (cpp_tools, "HOME")):
        monkeypatch.setattr(module_, name, tmp_path / module_.__name__ / name)
    monkeypatch.setattr(python, "INTERPRETER", python.ENVIRONMENT / python.BIN / f"python{paths.EXE}")
    for tool in (python, cpp_tools):
        monkeypatch.setattr(tool, "find_uv", lambda: uv)
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("UV_HTTP_RETRIES", "0")
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")  # where nobody listens


def test_where_nix_builds_it_alone_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    derivations = tmp_path / "derivations.json"
    derivations.write_text('{"published": {}}')
    monkeypatch.setenv(paths.DERIVATIONS_VARIABLE, str(derivations))
    monkeypatch.setenv("PATH", str(tmp_path))
    (lacking,) = problems(SILENT)
    assert lacking.lack == "nix-store"
    assert "Put Nix into the PATH" in lacking.advice


@pytest.mark.usefixtures("without_packages")
def test_a_package_index_that_does_not_answer_is_named_by_both_who_need_it() -> None:
    folders = [folder for folder in Python().codec_folders() if folder.name in ("orjson", "msgspec-json")]
    for lacking in (Python().provide(folders, SILENT), Cpp().provide([], SILENT)):
        assert [problem.lack for problem in lacking] == ["the Python package index"]
        assert "HTTPS_PROXY" in lacking[0].advice


def test_a_lock_file_that_is_old_is_no_matter_of_the_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cargo's words; the build of each codec says it again, as its reason."""
    said = (
        "error: cannot update the lock file runners/rust/Cargo.lock because --locked was passed to prevent this\n"
        "help: to generate the lock file without accessing the network, remove the --locked flag and use --offline instead."
    )
    monkeypatch.setattr(rust, "_run", lambda *_, **__: subprocess.CompletedProcess([], 101, "", said))
    monkeypatch.setattr(rust.Rust, "host", "x86_64-unknown-linux-gnu")
    monkeypatch.setattr(rust, "_check_toolchain", lambda: None)
    assert Rust().provide([], SILENT) == []


def test_without_uv_both_say_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing() -> Path:
        raise python.NotInstalledError(f"uv was not found. {python.INSTALL_UV}")

    for tool in (python, cpp_tools):
        monkeypatch.setattr(tool, "find_uv", nothing)
    monkeypatch.setattr(cpp_tools, "ENVIRONMENT", tmp_path)
    for lacking in (Python().provide([], SILENT), Cpp().provide([], SILENT)):
        assert [problem.advice for problem in lacking] == [python.INSTALL_UV]
        assert "launcher" not in lacking[0].detail, "it is said once"


def test_a_library_that_cannot_be_had_hinders_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its codecs are unavailable; the rest is built, and the line says why some are not."""
    refused = cpp_sources.SourceError("zpp_bits 4.7.6 cannot be had", "Put it there.")
    monkeypatch.setattr(cpp, "search", lambda name: refused if name == "zpp_bits" else None)
    monkeypatch.setattr(cpp, "tool", lambda name: Path(name))
    folders = [folder for folder in Cpp().codec_folders() if "zpp" in folder.name]
    lacking = Problem("zpp_bits", "zpp_bits 4.7.6 cannot be had", "Put it there.", hinders=False)
    assert Cpp().provide(folders, SILENT) == [lacking]
    said: list[str] = []
    _provide({Cpp(): folders}, said.append)
    assert said.count("zpp_bits 4.7.6 cannot be had. Put it there.") == 1


RUSTC = "rustc 1.80.0 (051478957 2024-07-21)\nhost: x86_64-unknown-linux-gnu\nrelease: 1.80.0\n"


@pytest.mark.parametrize(
    ("says", "detail"),
    [(RUSTC, "Rust 1.80.0 is in the PATH, and 1."), ("rustc of somebody\n", "asking for the Rust compiler failed")],
)
def test_another_rust_than_the_pinned_one_is_named_before_anything_is_built(
    says: str, detail: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rust, "_run", lambda *_, **__: subprocess.CompletedProcess([], 0, says, ""))
    rust._check_toolchain.cache_clear()
    (lacking,) = Rust().provide([], SILENT)
    assert lacking.lack == "the pinned Rust"
    assert lacking.detail.startswith(detail)
    assert lacking.hinders


def test_a_full_store_of_nix_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nix, "STORE", tmp_path)
    monkeypatch.setattr(nix.shutil, "which", lambda name: name)
    builder = nix.Nix(Rust(), {})
    folders = builder.codec_folders()
    assert builder.provide(folders, SILENT) == []
    monkeypatch.setattr(nix.psutil, "disk_usage", lambda _: shutil.disk_usage(tmp_path)._replace(free=2**20))
    (lacking,) = builder.provide(folders, SILENT)
    assert (lacking.lack, lacking.hinders) == ("disk space of Nix", True)
    assert re.fullmatch(rf"0\.0 GiB are free in .*, and {len(folders)} builds need \d\.\d GiB", lacking.detail)


def test_a_full_disk_is_named_and_nothing_is_downloaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(paths.RUNNERS_VARIABLE, raising=False)
    monkeypatch.setattr(paths, "STATE", tmp_path)
    usage = shutil.disk_usage(tmp_path)._replace(free=2**30)
    monkeypatch.setattr(module.psutil, "disk_usage", lambda _: usage)
    said: list[str] = []
    (problem,) = problems(said.append)
    assert problem.lack == "disk space"
    found = re.fullmatch(r"1\.0 GiB are free, and the build needs (\d+\.\d) GiB", problem.detail)
    assert found, problem.detail
    assert float(found[1]) > 1
    assert said == []


def test_nothing_is_lacking_where_nothing_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(paths.RUNNERS_VARIABLE, "runners.json")
    assert problems(SILENT) == []
