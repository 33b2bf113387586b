"""Where C++ libraries come from: each origin in its turn, and what is said of one that gives nothing or the wrong thing."""

import base64
import io
import os
import shutil
import subprocess
import tarfile
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from bench.building.languages.cpp_nar import archive_tree, folder_tree, nar_hash, store_path
from bench.building.languages.cpp_pins import Package, Pin, SourceError, pins

from bench.base.paths import EXE, ROOT
from bench.building.languages import cpp, cpp_download, cpp_packages, cpp_pins, cpp_sources, cpp_trees
from bench.building.languages.cpp import Build, Cpp
from bench.building.languages.cpp_sources import resolve

HEADER = b"// toy\n"


# The hash of a tree


@pytest.fixture
def tree(tmp_path) -> Path:
    """A tree with all that a hash of Nix looks at."""
    top = tmp_path / "tree"
    (top / "sub" / "empty").mkdir(parents=True)
    (top / "b").mkdir()
    (top / "hello").write_bytes(b"hi\n")
    (top / "run").write_bytes(b"#!/bin/sh\n")
    (top / "run").chmod(0o755)
    (top / "sub" / "link").symlink_to("../hello")
    (top / "b" / "none").write_bytes(b"")
    (top / "b.txt").write_bytes(b"0123456789abcdef")  # sorts before b/, and fills its last word
    return top


TREE_HASH = "sha256-ag3YRr2/jPt+8Pm7dVQnZNz5xgzqLOv6pgVLZuJtwfE="
"""What `nix hash path` of Nix 2.8 prints of it."""


def test_a_tree_has_the_hash_that_nix_gives_it(tree):
    assert nar_hash(folder_tree(tree)) == TREE_HASH


@pytest.mark.skipif(not shutil.which("nix-hash"), reason="nix-hash is not here")
def test_nix_agrees(tree):
    done = subprocess.run(["nix-hash", "--type", "sha256", tree], capture_output=True, text=True, check=True)
    assert f"sha256-{base64.b64encode(bytes.fromhex(done.stdout.strip())).decode()}" == TREE_HASH


def test_a_checkout_has_the_hash_of_its_tree(tree):
    (tree / ".git").mkdir()
    (tree / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    assert nar_hash(folder_tree(tree)) == TREE_HASH


def test_an_archive_has_the_hash_of_its_tree(tree, tmp_path):
    archive = tmp_path / "tree.tar.gz"
    with tarfile.open(archive, "w:gz") as files:
        files.add(tree, "toy-1.0")
    assert nar_hash(archive_tree(archive)) == TREE_HASH


@pytest.mark.parametrize("change", ["content", "name", "mode", "link"])
def test_every_part_of_a_tree_counts(tree, change):
    if change == "content":
        (tree / "hello").write_bytes(b"ho\n")
    elif change == "name":
        (tree / "hello").rename(tree / "hallo")
    elif change == "mode":
        (tree / "run").chmod(0o644)
    else:
        (tree / "sub" / "link").unlink()
        (tree / "sub" / "link").symlink_to("../run")
    assert nar_hash(folder_tree(tree)) != TREE_HASH


def test_a_pinned_tree_has_its_place_in_the_nix_store():
    """As `nix-store --print-fixed-path --recursive sha256 HASH source` prints it."""
    assert store_path("sha256-AyDdyj3uN+IZWGItO87NLMIXRU8Irq8gBI3Q3zqKKzU=").as_posix() == (
        "/nix/store/c7qqsyljsfip5pz9lq0q24d30sxh51bf-source"
    )


GIVEN = cpp_sources.given_trees() if os.environ.get("LAB_SOURCES") else {}


@pytest.mark.skipif(not GIVEN, reason="LAB_SOURCES names no checkouts")
def test_the_checkouts_of_this_machine_are_the_pinned_trees():
    assert {name: found for name, (_, found) in GIVEN.items()} == {name: pins()[name].hash for name in GIVEN}


@pytest.mark.parametrize("name", pins())
def test_a_pin_is_of_one_version_and_one_tree(name):
    pin = pins()[name]
    assert pin.url.startswith("https://") and pin.version in pin.url
    assert len(pin.hash) == len("sha256-") + 44 and pin.hash.startswith("sha256-")
    assert pin.package is None or pin.package.revision.startswith(pin.package.version)


# The origins


@pytest.fixture
def world(tmp_path, monkeypatch) -> Iterator[Path]:
    """A world that has a library `toy` nowhere: no folder, store, network, package or installed header."""

    def forget() -> None:
        cpp_sources.search.cache_clear()
        cpp_sources.given_trees.cache_clear()
        cpp_download.UNREACHABLE.clear()

    forget()
    monkeypatch.delenv("LAB_SOURCES", raising=False)
    monkeypatch.setattr(cpp_pins, "HOME", tmp_path / "lab")
    monkeypatch.setattr(cpp_sources, "NIX_STORE", tmp_path / "store")
    monkeypatch.setattr(cpp_sources, "SYSTEM", (tmp_path / "usr include",))
    monkeypatch.setattr(cpp_packages, "fetch", lambda *_: (_ for _ in ()).throw(SourceError("no mirror answers")))
    pin_as(monkeypatch)
    yield tmp_path
    forget()


def pin_as(monkeypatch, **changes: object) -> Pin:
    """Pins `toy`."""
    package = Package("libtoy-dev", "2.0", "2.0-1", "sid", {"all": "0" * 64})
    fields = {"version": "1.0", "file": "toy/toy.hpp", "url": "http://127.0.0.1:1/toy.tar.gz", "hash": TREE_HASH}
    pin = Pin(**fields | {"package": package} | changes)
    monkeypatch.setattr(cpp_pins, "pins", lambda: {"toy": pin})
    return pin


def headers(folder: Path) -> Path:
    (folder / "toy").mkdir(parents=True)
    (folder / "toy" / "toy.hpp").write_bytes(HEADER)
    return folder


def test_the_folder_of_the_user_comes_first(world, monkeypatch):
    headers(world / "my sources" / "toy" / "include")
    headers(world / "usr include")
    pin_as(monkeypatch, hash=nar_hash(folder_tree(world / "my sources" / "toy")))
    monkeypatch.setenv("LAB_SOURCES", str(world / "my sources"))
    found = resolve("toy")
    assert (found.origin, found.version) == ("LAB_SOURCES/toy", "1.0")
    assert (found.include / "toy" / "toy.hpp").read_bytes() == HEADER


def test_a_folder_that_is_not_the_pinned_tree_is_taken_and_called_so(world, monkeypatch):
    headers(world / "given" / "toy" / "include")
    monkeypatch.setenv("LAB_SOURCES", str(world / "given"))
    assert resolve("toy").origin.startswith("LAB_SOURCES/toy, not the pinned tree but sha256-")
    assert resolve("toy").version == "1.0", "the runner says what its headers are of"
    cpp_sources.search.cache_clear()
    pin_as(monkeypatch, says_version=False)
    assert resolve("toy").version == "unknown", "nobody can say"


def test_a_folder_of_the_user_that_is_not_there_is_no_reason_to_take_another_origin(world, monkeypatch):
    headers(world / "usr include")
    monkeypatch.setenv("LAB_SOURCES", str(world / "typo"))
    with pytest.raises(SourceError, match="LAB_SOURCES names .*typo, which is no folder"):
        resolve("toy")
    assert Cpp().settings()["LAB_SOURCES"] == str(world / "typo")


def test_a_library_that_the_folder_of_the_user_lacks_comes_from_elsewhere(world, monkeypatch):
    headers(world / "usr include")
    (world / "given").mkdir()
    monkeypatch.setenv("LAB_SOURCES", str(world / "given"))
    assert resolve("toy").origin.startswith("system, ")


def test_a_change_below_the_folder_of_the_user_is_a_change_of_the_build(world, monkeypatch):
    folder = headers(world / "given" / "toy" / "include")
    monkeypatch.setenv("LAB_SOURCES", str(world / "given"))
    before = Cpp().settings()
    (folder / "toy" / "toy.hpp").write_text("// another toy\n")
    cpp_sources.given_trees.cache_clear()
    assert Cpp().settings() != before


def test_the_nix_store_comes_before_the_system(world):
    headers(world / "store" / f"{'a' * 32}-toy-1.0" / "include")
    headers(world / "usr include")
    assert "toy-1.0" in resolve("toy").origin


def test_the_pinned_tree_is_found_in_the_nix_store_by_its_hash(world):
    headers(world / "store" / store_path(TREE_HASH).name / "include")
    assert resolve("toy").origin.endswith("-source")


def test_of_the_system_only_the_library_is_linked(world):
    headers(world / "usr include")
    (world / "usr include" / "stdio.h").write_text("")
    found = resolve("toy")
    assert found.origin.startswith("system, ")
    assert [path.name for path in found.include.iterdir()] == ["toy"]


def test_a_source_that_cannot_be_had_says_what_every_origin_answered(world, monkeypatch):
    (world / "empty").mkdir()
    monkeypatch.setenv("LAB_SOURCES", str(world / "empty"))
    with pytest.raises(SourceError) as problem:
        resolve("toy")
    for part in (
        "toy 1.0 cannot be had: ",
        "LAB_SOURCES (",
        ") has no toy;",
        "Nix store has no toy 1.0",
        "127.0.0.1 cannot be reached (Connection refused)",
        "usr include have no toy/toy.hpp",
        "A checkout called toy",
    ):
        assert part in str(problem.value), problem.value


# Downloads


class Archives(BaseHTTPRequestHandler):
    """Serves `content` whole, or so many bytes of it as `sent`."""

    content, sent, asked = b"", None, 0

    def do_GET(self) -> None:
        type(self).asked += 1
        if self.path != "/toy.tar.gz":
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.content)))
        self.end_headers()
        self.wfile.write(self.content[: self.sent])

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def served(world, monkeypatch) -> Iterator[type[Archives]]:
    """The library's archive on a server of this machine, pinned."""
    headers(world / "toy-1.0" / "include")
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as files:
        files.add(world / "toy-1.0", "toy-1.0")
    handler = type("Handler", (Archives,), {"content": buffer.getvalue()})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/toy.tar.gz"
    pin_as(monkeypatch, url=address, hash=nar_hash(folder_tree(world / "toy-1.0")))
    yield handler
    server.shutdown()
    server.server_close()


def refusal(world: Path) -> str:
    """What is said, once, of an archive that is not taken; nothing of it may be left."""
    with pytest.raises(SourceError) as problem:
        resolve("toy")
    assert not [path for path in (world / "lab").rglob("*") if not path.is_dir()]
    return str(problem.value)


def test_a_download_of_the_pinned_tree_is_unpacked_and_kept(served):
    found = resolve("toy")
    assert found.origin.startswith("download http://127.0.0.1") and found.version == "1.0"
    assert (found.include / "toy" / "toy.hpp").read_bytes() == HEADER
    cpp_sources.search.cache_clear()
    assert resolve("toy") == found and served.asked == 1


CHANGES = {
    "a byte": lambda tree: (tree / "include/toy/toy.hpp").write_bytes(b"// tor\n"),
    "one more file": lambda tree: (tree / "include/toy/more.hpp").write_bytes(b""),
    "one file less": lambda tree: (tree / "include/toy/toy.hpp").unlink(),
    "a file that is a link": lambda tree: (
        (tree / "include/toy/toy.hpp").rename(tree.parent / "elsewhere"),
        (tree / "include/toy/toy.hpp").symlink_to(tree.parent / "elsewhere"),
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_tree_that_changed_since_it_was_unpacked_is_unpacked_again(served, world, capsys, change):
    found = resolve("toy")
    assert "no longer" not in capsys.readouterr().err
    CHANGES[change](world / "lab/downloads/toy-1.0")
    cpp_sources.search.cache_clear()
    assert resolve("toy") == found and served.asked == 1
    assert capsys.readouterr().err.endswith(
        "downloads/toy-1.0 no longer matches toy 1.0 as pinned; it is unpacked again\n"
    )
    assert nar_hash(folder_tree(world / "lab/downloads/toy-1.0", ())) == cpp_pins.pins()["toy"].hash


def test_a_python_before_3_11_4_unpacks_too(served, monkeypatch):
    """Which knows no filters: Debian 12 has one."""

    def extractall(self, path):
        extracted.append(path)
        return really(self, path, filter="fully_trusted")

    really, extracted = tarfile.TarFile.extractall, []
    monkeypatch.setattr(tarfile.TarFile, "extractall", extractall)
    monkeypatch.delattr(tarfile, "data_filter")
    assert (resolve("toy").include / "toy" / "toy.hpp").read_bytes() == HEADER
    assert extracted


def test_an_archive_that_changed_since_it_was_fetched_is_fetched_again(served, world, capsys):
    found = resolve("toy")
    (world / "lab/archives/toy-1.0.tar.gz").write_bytes(served.content[:-20])
    cpp_sources.search.cache_clear()
    assert resolve("toy") == found and served.asked == 2
    assert "toy-1.0.tar.gz no longer matches the archive of toy 1.0 as pinned" in capsys.readouterr().err


@pytest.mark.skipif(os.name == "nt", reason="where there are executable bits")
def test_windows_has_no_executable_bits(served, world, capsys, monkeypatch):
    """So there they don't count, and every byte still does."""
    resolve("toy")
    header = world / "lab/downloads/toy-1.0/include/toy/toy.hpp"
    header.chmod(0o755)
    monkeypatch.setattr(cpp_trees, "WINDOWS", True)
    cpp_sources.search.cache_clear()
    resolve("toy")
    assert capsys.readouterr().err == ""
    header.write_bytes(b"// tor\n")
    cpp_sources.search.cache_clear()
    resolve("toy")
    assert "no longer" in capsys.readouterr().err and header.read_bytes() == HEADER


def test_a_download_of_another_tree_is_thrown_away(served, world, monkeypatch):
    pin_as(monkeypatch, url=cpp_pins.pins()["toy"].url)
    said = refusal(world)
    assert f"runners/cpp/sources.toml pins {TREE_HASH}; it was thrown away" in said and served.asked == 1


def test_a_download_that_breaks_off_is_tried_once_more(served, world):
    served.sent = len(served.content) // 2
    assert f"toy.tar.gz broke off after {served.sent} bytes" in refusal(world)
    assert served.asked == 2


@pytest.mark.parametrize("length", [0, 10, 100, -20])
def test_half_an_archive_is_thrown_away(served, world, length):
    served.content = served.content[:length]
    assert "gave no whole archive (" in refusal(world)


def test_what_is_no_archive_is_thrown_away(served, world):
    served.content = b"<html>Please log in</html>"
    assert "gave no whole archive (" in refusal(world)


def test_an_address_that_is_not_there_is_asked_once(served, world, monkeypatch):
    pin_as(monkeypatch, url=cpp_pins.pins()["toy"].url.replace("toy.tar.gz", "gone.tar.gz"))
    assert "gone.tar.gz answers 404 Not Found" in refusal(world)
    assert served.asked == 1


def test_a_host_that_cannot_be_reached_is_tried_twice_for_all_libraries_together(world, monkeypatch):
    tried = []

    def down(url: str, **_: object) -> None:
        tried.append(url)
        raise OSError(-2, "Name or service not known")

    monkeypatch.setattr(cpp_download, "urlopen", down)
    for name in ("toy", "doll"):
        with pytest.raises(SourceError, match=r"example\.org cannot be reached \(Name or service not known\)"):
            cpp_download.content_of(f"https://example.org/{name}.tar.gz")
    assert tried == ["https://example.org/toy.tar.gz"] * 2


# Packages

dpkg = pytest.mark.skipif(not shutil.which("dpkg-deb"), reason="packages need apt-get and dpkg-deb")


@dpkg
def test_a_package_of_another_hash_is_thrown_away_and_fetched_again(world, monkeypatch):
    fetched = []

    def cut_short(package: Package, archive: Path) -> None:
        fetched.append(package.name)
        archive.parent.mkdir(parents=True, exist_ok=True)
        archive.write_bytes(b"half a pack")

    monkeypatch.setattr(cpp_packages, "fetch", cut_short)
    for _ in range(2):
        cpp_sources.search.cache_clear()
        with pytest.raises(
            SourceError, match="libtoy-dev 2.0-1 has SHA-256 [0-9a-f]{64}, .* pins 0{64}; it was thrown away"
        ):
            resolve("toy")
    assert len(fetched) == 2 and not list((world / "lab" / "archives").iterdir())
    assert not (world / "lab" / "packages").exists()


@dpkg
def test_a_package_of_the_pinned_hash_is_unpacked_and_checked_again(world, monkeypatch, capsys):
    content = world / "content"
    headers(content / "usr" / "include")
    (content / "DEBIAN").mkdir()
    (content / "DEBIAN/control").write_text(
        "Package: libtoy-dev\nVersion: 2.0-1\nArchitecture: all\nMaintainer: x\nDescription: x\n"
    )
    archive = world / "toy.deb"
    subprocess.run(["dpkg-deb", "--root-owner-group", "-b", content, archive], check=True, capture_output=True)
    package = Package("libtoy-dev", "2.0", "2.0-1", "sid", {"all": cpp_packages.sha256_of(archive)})
    pin_as(monkeypatch, package=package)
    monkeypatch.setattr(cpp_packages, "fetch", lambda _, to: shutil.copy(archive, to))
    found = resolve("toy")
    assert (found.origin, found.version) == ("package libtoy-dev 2.0-1", "2.0")
    assert (found.include / "toy" / "toy.hpp").read_bytes() == HEADER
    (found.include / "toy" / "toy.hpp").write_bytes(b"// tor\n")
    cpp_sources.search.cache_clear()
    assert resolve("toy") == found and (found.include / "toy" / "toy.hpp").read_bytes() == HEADER
    assert "no longer matches package libtoy-dev 2.0-1 as pinned" in capsys.readouterr().err


# What CMake is told


def test_cmake_is_told_anew_only_where_a_source_changed(world, monkeypatch):
    monkeypatch.setattr(cpp, "pins", cpp_pins.pins)
    place = world / "sources.cmake"
    headers(world / "a [b]; $c" / "toy" / "include")
    monkeypatch.setenv("LAB_SOURCES", str(world / "a [b]; $c"))
    cpp.write_sources(place)
    text = place.read_text()
    assert (
        f"set(toy_include [==[{world.as_posix()}/a [b]; $c/toy/include]==])" in text and "set(toy_version 1.0)" in text
    )
    os.utime(place, ns=(0, 0))
    cpp.write_sources(place)
    assert place.stat().st_mtime_ns == 0
    monkeypatch.setenv("LAB_SOURCES", "")
    cpp_sources.search.cache_clear()
    cpp_sources.given_trees.cache_clear()
    cpp.write_sources(place)
    assert "toy" not in place.read_text()


@pytest.mark.slow
@pytest.mark.skipif(not (cpp.ENVIRONMENT / cpp.BIN / f"ninja{EXE}").exists(), reason="the C++ tools are not installed")
def test_a_library_in_a_path_with_spaces_is_compiled(world, monkeypatch):
    """The presets and commands of the lab on a project of one file, in folders with spaces and other signs."""
    home = world / "a user's (lab)"
    headers(home / "my sources" / "toy" / "include")
    (home / "project" / "codecs").mkdir(parents=True)
    shutil.copy(ROOT / "runners/cpp/CMakePresets.json", home / "project")
    (home / "project" / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(toy LANGUAGES CXX)\n"
        'include("${WIRELAB_SOURCES}/sources.cmake")\nadd_executable(codec-toy main.cpp)\n'
        'target_include_directories(codec-toy SYSTEM PRIVATE "${toy_include}")\n'
    )
    (home / "project" / "main.cpp").write_text('#include "toy/toy.hpp"\nint main() { return 0; }\n')
    monkeypatch.setenv("LAB_SOURCES", str(home / "my sources"))
    for name, value in {"pins": cpp_pins.pins, "PROJECT": home / "project", "SOURCES": home / "sources.cmake"}.items():
        monkeypatch.setattr(cpp, name, value)
    build = Build("zig", "baseline")
    build.folder = home / "build"
    build.configure()
    build.run("codec-toy")
    assert next(build.folder.glob(f"codec-toy{EXE}")).exists()
