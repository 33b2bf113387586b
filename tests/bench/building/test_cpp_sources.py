"""Where C++ libraries come from: each origin in its turn, and what is said of one that gives nothing or the wrong thing."""

import hashlib
import io
import os
import re
import shutil
import subprocess
import tarfile
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from bench.base.errors import LabError
from bench.base.paths import EXE, ROOT, STATE
from bench.building.languages import cpp, cpp_build, cpp_sources, cpp_tools
from bench.building.languages.cpp import Cpp, fingerprint
from bench.building.languages.cpp_build import Build
from bench.building.languages.cpp_sources import Archive, Pin, Program, SourceError, pins, resolve
from bench.building.sets.code import MESSAGES

HEADER = b"// toy\n"
CMAKE = cpp_tools.ENVIRONMENT / cpp_tools.BIN / f"cmake{EXE}"

pytestmark = pytest.mark.skipif(not CMAKE.exists(), reason="the C++ tools are not installed: `./lab build` does")


# The pins


@pytest.mark.parametrize("name", pins())
def test_a_pin_is_of_one_version_and_one_archive(name):
    pin = pins()[name]
    for archive in pin.archives:
        assert archive.url.startswith("https://") and archive.version in archive.url
        assert len(archive.sha256) == 64


@pytest.mark.parametrize("name", [name for name, pin in pins().items() if pin.compiler])
def test_a_compiler_of_schemas_is_pinned_in_the_library_s_version(name):
    compilers = pins()[name].compiler
    assert len({program.sha256 for program in compilers.values()}) == len(compilers)
    for program in compilers.values():
        assert program.url.startswith("https://") and pins()[name].version in program.url
        assert len(program.sha256) == 64


def test_archives_of_one_hash_are_one_library_s():
    """Debian's archive that is the authors' own has its hash; any other has another."""
    hashes = [{archive.sha256 for archive in pin.archives} for pin in pins().values()]
    assert len(set().union(*hashes)) == sum(map(len, hashes))


# The origins


@pytest.fixture
def world(tmp_path, monkeypatch) -> Iterator[Path]:
    """A world that has a library `toy` nowhere: no folder, no network."""
    forget()
    monkeypatch.delenv("LAB_SOURCES", raising=False)
    monkeypatch.setattr(cpp_tools, "HOME", tmp_path / "lab")
    pin_as(monkeypatch)
    yield tmp_path
    forget()


def forget() -> None:
    """As a process that has asked nothing yet."""
    cpp_sources.search.cache_clear()
    cpp_sources.compiler_of.cache_clear()
    cpp_sources.UNREACHABLE.clear()


def pin_as(monkeypatch, **changes: object) -> Pin:
    """Pins `toy`."""
    fields = {"version": "1.0", "file": "toy/toy.hpp", "url": "http://127.0.0.1:1/toy.tar.gz", "sha256": "0" * 64}
    pin = Pin(**fields | changes)
    monkeypatch.setattr(cpp_sources, "pins", lambda: {"toy": pin})
    return pin


def headers(folder: Path) -> Path:
    (folder / "toy").mkdir(parents=True)
    (folder / "toy" / "toy.hpp").write_bytes(HEADER)
    return folder


def header_of(source: cpp_sources.Source) -> Path:
    return source.tree / source.include / "toy/toy.hpp"


def git(folder: Path, *words: str) -> None:
    identity = ["-c", "user.name=x", "-c", "user.email=x@x", "-c", "commit.gpgsign=false", "-c", "tag.gpgsign=false"]
    subprocess.run(["git", "-C", folder, *identity, *words], check=True, capture_output=True)


@pytest.fixture
def checkout(world, monkeypatch) -> Path:
    """A checkout of toy's pinned tag, and of another one, below LAB_SOURCES."""
    folder = world / "my sources" / "toy"
    headers(folder / "include")
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "x")
    git(folder, "tag", "v1.0")
    git(folder, "tag", "nightly")
    monkeypatch.setenv("LAB_SOURCES", str(world / "my sources"))
    return folder


def test_the_folder_of_the_user_comes_first(checkout):
    source = resolve("toy")
    assert (source.origin, source.version) == ("LAB_SOURCES/toy at v1.0", "1.0")
    assert header_of(source).read_bytes() == HEADER


def test_a_folder_that_is_not_the_pinned_tag_is_taken_and_called_so(checkout, monkeypatch):
    (checkout / "include/toy/toy.hpp").write_bytes(b"// tor\n")
    assert resolve("toy").origin == "LAB_SOURCES/toy at v1.0-dirty"
    assert resolve("toy").version == "1.0", "the runner says what its headers are of"
    forget()
    pin_as(monkeypatch, says_version=False)
    assert resolve("toy").version == "unknown", "nobody can say"
    git(checkout, "commit", "-qam", "y")
    forget()
    assert resolve("toy").origin.startswith("LAB_SOURCES/toy at v1.0-1-g") and resolve("toy").version == "unknown"


def test_the_pinned_tag_gives_the_version_of_headers_that_say_none(checkout, monkeypatch):
    pin_as(monkeypatch, says_version=False)
    assert resolve("toy").version == "1.0"


def test_an_unpacked_archive_is_no_checkout(checkout):
    shutil.rmtree(checkout / ".git")
    assert resolve("toy").origin == "LAB_SOURCES/toy, not a git checkout"


def test_a_folder_of_the_user_without_the_library_in_it_is_refused(checkout):
    (checkout / "include/toy/toy.hpp").unlink()
    with pytest.raises(SourceError, match=r"LAB_SOURCES/toy has no toy/toy\.hpp below include"):
        resolve("toy")


def test_a_folder_of_the_user_that_is_not_there_is_no_reason_to_take_another_origin(served, world, monkeypatch):
    monkeypatch.setenv("LAB_SOURCES", str(world / "typo"))
    with pytest.raises(SourceError, match="LAB_SOURCES names .*typo, which is not a folder"):
        resolve("toy")
    assert Cpp().settings()["LAB_SOURCES"] == str(world / "typo")


def test_a_library_that_the_folder_of_the_user_lacks_comes_from_elsewhere(served, world, monkeypatch):
    (world / "given").mkdir()
    monkeypatch.setenv("LAB_SOURCES", str(world / "given"))
    assert resolve("toy").origin.startswith("http://127.0.0.1")


def test_a_change_below_the_folder_of_the_user_is_a_change_of_the_build(checkout):
    before = Cpp().settings()
    assert Cpp().settings() == before
    (checkout / "include/toy/toy.hpp").write_text("// another toy\n")
    assert Cpp().settings() != before


@pytest.mark.parametrize("change", ["content", "name", "one more", "one less"])
def test_every_file_counts_in_a_fingerprint(tmp_path, change):
    header = headers(tmp_path / "toy") / "toy/toy.hpp"
    before = fingerprint(tmp_path)
    if change == "content":
        header.write_bytes(b"// tor\n")
    elif change == "name":
        header.rename(header.with_name("tor.hpp"))
    elif change == "one more":
        (tmp_path / "more").touch()
    else:
        header.unlink()
    assert fingerprint(tmp_path) != before


def test_what_git_keeps_for_itself_does_not_count_in_a_fingerprint(checkout):
    before = fingerprint(checkout)
    git(checkout, "tag", "another")
    assert fingerprint(checkout) == before


def test_a_source_that_cannot_be_had_says_what_every_origin_answered_and_what_would_do(world, monkeypatch):
    pin_as(monkeypatch, debian=Archive("2.0", "http://127.0.0.1:2/toy.deb", "1" * 64))
    with pytest.raises(SourceError) as problem:
        resolve("toy")
    for part in (
        "toy 1.0 cannot be had: LAB_SOURCES (not set) has no toy; ",
        "127.0.0.1:1 cannot be reached (Could not connect to server); ",
        "127.0.0.1:2 cannot be reached (Could not connect to server). ",
        "Put a checkout named toy into a folder and set LAB_SOURCES to that folder",
    ):
        assert part in str(problem.value), problem.value


def test_a_library_without_a_pin_is_named():
    with pytest.raises(SourceError, match=r"doll is not in runners/cpp/sources\.toml; pin it there"):
        resolve("doll")


# Archives


class Archives(BaseHTTPRequestHandler):
    """Serves `content` whole, or so many bytes of it as `sent`."""

    content, sent, asked = b"", None, 0

    def do_GET(self) -> None:
        type(self).asked += 1
        if "gone" in self.path:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.content)))
        self.end_headers()
        self.wfile.write(self.content[: self.sent])

    def log_message(self, *_: object) -> None:
        pass


def archive_of(folder: Path, name: str = "toy-1.0") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as files:
        files.add(folder, name)
    return buffer.getvalue()


@pytest.fixture
def served(world, monkeypatch) -> Iterator[type[Archives]]:
    """The library's archive on a server of this machine, pinned."""
    headers(world / "toy-1.0" / "include")
    handler = type("Handler", (Archives,), {"content": archive_of(world / "toy-1.0")})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/toy.tar.gz"
    pin_as(monkeypatch, url=address, sha256=hashlib.sha256(handler.content).hexdigest())
    yield handler
    server.shutdown()
    server.server_close()


def refusal(world: Path) -> str:
    """What is said of an archive that is not taken; nothing of it may be left."""
    with pytest.raises(SourceError) as problem:
        resolve("toy")
    left = [path for path in (world / "lab").rglob("*") if not path.is_dir() and ".tmp" not in str(path)]
    assert not left
    return str(problem.value)


def test_an_archive_of_the_pinned_hash_is_unpacked_and_kept(served):
    source = resolve("toy")
    assert source.origin.startswith("http://127.0.0.1") and source.version == "1.0"
    assert header_of(source).read_bytes() == HEADER
    forget()
    assert resolve("toy") == source and served.asked == 1, "nothing is asked of the network when it is there"


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
def test_a_tree_that_changed_since_it_was_unpacked_is_unpacked_again(served, change):
    source = resolve("toy")
    before = header_of(source).stat().st_mtime_ns
    CHANGES[change](source.tree)
    forget()
    assert resolve("toy") == source and served.asked == 1
    files = {path.relative_to(source.tree).as_posix() for path in source.tree.rglob("*") if not path.is_dir()}
    assert files == {"include/toy/toy.hpp"} and not header_of(source).is_symlink()
    assert header_of(source).read_bytes() == HEADER
    assert header_of(source).stat().st_mtime_ns == before, "or all would be compiled anew each time"


def test_an_archive_that_changed_since_it_was_fetched_is_fetched_again(served, world):
    source = resolve("toy")
    (archive,) = (world / "lab/archives").iterdir()
    archive.write_bytes(served.content[:-20])
    forget()
    assert resolve("toy") == source and served.asked == 2


def test_what_a_killed_process_left_does_not_count(served, world):
    tree = resolve("toy").tree
    stamps = tree.with_name(f"{tree.name}.tmp") / "source-stamp"
    stamps.mkdir(parents=True)
    (stamps / "download.stamp").touch()
    shutil.rmtree(tree)
    forget()
    assert header_of(resolve("toy")).read_bytes() == HEADER


def test_an_archive_of_another_hash_is_thrown_away(served, world, monkeypatch):
    pin_as(monkeypatch, url=cpp_sources.pins()["toy"].url)
    assert f"runners/cpp/sources.toml pins {'0' * 64}; it is removed" in refusal(world) and served.asked == 1


def test_of_the_authors_and_debian_the_first_that_answers_is_taken(served, monkeypatch):
    pin = cpp_sources.pins()["toy"]
    pin_as(monkeypatch, debian=Archive("2.0", pin.url, pin.sha256))
    assert (resolve("toy").version, resolve("toy").origin) == ("2.0", pin.url)


@pytest.mark.parametrize("length", [0, 10, -20])
def test_half_an_archive_is_thrown_away(served, world, length):
    served.content = served.content[:length]
    assert "it is removed" in refusal(world)


def test_a_download_that_breaks_off_is_refused(served, world):
    served.sent = len(served.content) // 2
    assert "gave no archive of toy (Transferred a partial file)" in refusal(world)


def test_what_is_no_archive_is_refused_even_with_the_pinned_hash(served, world, monkeypatch):
    served.content = b"<html>Please log in</html>"
    pin_as(monkeypatch, url=cpp_sources.pins()["toy"].url, sha256=hashlib.sha256(served.content).hexdigest())
    assert "gave no archive of toy (" in refusal(world)


def test_an_archive_of_something_else_is_refused_even_with_the_pinned_hash(served, world, monkeypatch):
    pin_as(
        monkeypatch,
        file="toy/doll.hpp",
        url=cpp_sources.pins()["toy"].url,
        sha256=cpp_sources.pins()["toy"].sha256,
    )
    assert "gave no archive of toy (it has no toy/doll.hpp)" in refusal(world)


def test_an_address_that_is_not_there_is_asked_once(served, world, monkeypatch):
    pin_as(monkeypatch, url=cpp_sources.pins()["toy"].url.replace("toy.tar.gz", "gone.tar.gz"))
    assert "gave no archive of toy (HTTP response code said error)" in refusal(world)
    assert served.asked == 1


def test_a_host_that_cannot_be_reached_is_tried_once_for_all_libraries_together(world, monkeypatch):
    calls = []

    def captured(command: list[str], **_: object) -> "subprocess.CompletedProcess[str]":
        calls.append(command)
        return subprocess.CompletedProcess(command, 1, "", 'status: [6;"Could not resolve hostname"]')

    monkeypatch.setattr(cpp_sources, "captured", captured)
    for name in ("toy", "doll"):
        with pytest.raises(SourceError, match=r"example\.org cannot be reached \(Could not resolve hostname\)"):
            cpp_sources.fetched(name, Archive("1.0", f"https://example.org/{name}.tar.gz", "0" * 64), "x")
    assert len(calls) == 1


@pytest.mark.skipif(not shutil.which("dpkg-deb"), reason="only dpkg-deb makes a package")
def test_a_package_of_debian_is_unpacked(served, world, monkeypatch):
    content = world / "content"
    headers(content / "usr" / "include")
    (content / "DEBIAN").mkdir()
    (content / "DEBIAN/control").write_text(
        "Package: libtoy-dev\nVersion: 2.0-1\nArchitecture: all\nMaintainer: x\nDescription: x\n"
    )
    package = world / "toy.deb"
    subprocess.run(["dpkg-deb", "-Zxz", "--root-owner-group", "-b", content, package], check=True, capture_output=True)
    served.content = package.read_bytes()
    url, digest = cpp_sources.pins()["toy"].url, hashlib.sha256(served.content).hexdigest()
    pin_as(monkeypatch, url=url, sha256=digest, include="usr/include")
    assert header_of(resolve("toy")).read_bytes() == HEADER


# Compilers of schemas


@pytest.fixture
def program(served, monkeypatch) -> Callable[..., None]:
    """Pins a compiler of toy's schemas for a system; the server has `served.content` for it."""
    url = cpp_sources.pins()["toy"].url.replace("toy.tar.gz", "toyc-1.0.exe")
    served.content = b"#!/bin/sh\necho libtoyc 1.0\n"

    def pinned(system: str, **changes: str) -> None:
        one = {"url": url, "sha256": hashlib.sha256(served.content).hexdigest()} | changes
        pin_as(monkeypatch, compiler={system: Program(**one)})

    return pinned


@pytest.mark.skipif(os.name == "nt", reason="a shell script stands in for the program")
def test_a_compiler_of_schemas_is_fetched_once_and_starts(program, served):
    program(cpp_tools.triple())
    path = cpp_sources.compiler_of("toy")
    assert isinstance(path, Path) and subprocess.check_output([path], text=True) == "libtoyc 1.0\n"
    forget()
    assert cpp_sources.compiler_of("toy") == path and served.asked == 1


def test_a_modified_compiler_is_fetched_again(program, served):
    program(cpp_tools.triple())
    path = cpp_sources.compiler_of("toy")
    path.write_bytes(b"#!/bin/sh\necho another\n")
    forget()
    assert cpp_sources.compiler_of("toy") == path and path.read_bytes() == served.content and served.asked == 2


def test_of_a_system_without_a_pinned_compiler_nothing_is_fetched(program, served):
    program("vax-openvms-none")
    assert cpp_sources.compiler_of("toy") is None and cpp_sources.compiler_of("doll") is None
    assert served.asked == 0


REFUSED = {
    "of another hash": ({"sha256": "0" * 64}, "pins 000.* it is removed"),
    "that is gone": ({"url": "http://127.0.0.1:1/toyc-1.0.exe"}, "127.0.0.1:1 cannot be reached"),
}


@pytest.mark.parametrize("change", REFUSED)
def test_a_compiler_that_cannot_be_had_is_named_and_hinders_nothing(program, world, monkeypatch, change):
    changes, said = REFUSED[change]
    program(cpp_tools.triple(), **changes)
    monkeypatch.setattr(cpp, "library_of", lambda _: "toy")
    problems = Cpp().provide([world / "codec"], lambda _: None)
    (problem,) = [one for one in problems if one.lack == "toy's compiler"]
    assert re.search(said, problem.detail) and not problem.hinders
    assert problem.advice.startswith("It is compiled")
    assert not list((world / "lab").rglob("*toyc*"))


@pytest.mark.skipif(cpp_tools.triple() not in pins()["protobuf"].compiler, reason="no protoc is pinned for this system")
@pytest.mark.slow
def test_the_pinned_protoc_writes_the_code_of_the_one_that_its_source_gives(tmp_path, monkeypatch):
    monkeypatch.setattr(cpp_build, "SOURCES", tmp_path / "told" / "sources.cmake")
    pinned = cpp_sources.compiler_of("protobuf")
    monkeypatch.setattr(cpp_build, "compiler_of", lambda _: None)
    build = Build("zig", "baseline", tmp_path / "build")
    build.code.write("cpp", libraries={MESSAGES, "protobuf"})
    build.configure()
    build.run("protoc")
    schema = build.code.folder / "cpp" / "protobuf"
    written = []
    for protoc in (pinned, next(build.folder.glob("compilers/protoc*"))):
        out = tmp_path / f"code {len(written)}"
        out.mkdir()
        subprocess.run([protoc, f"--cpp_out=lite:{out}", f"--proto_path={schema}", "types.proto"], check=True)
        written.append({path.name: path.read_bytes() for path in out.iterdir()})
    assert written[0] == written[1] and written[0].keys() == {"types.pb.cc", "types.pb.h"}


# What CMake is told


def test_cmake_is_told_anew_only_where_a_source_changed(world, monkeypatch):
    monkeypatch.setattr(cpp_build, "pins", cpp_sources.pins)
    file = world / "sources.cmake"
    headers(world / "a [b]; $c" / "toy" / "include")
    monkeypatch.setenv("LAB_SOURCES", str(world / "a [b]; $c"))
    cpp_build.write_sources(file)
    text = file.read_text()
    assert f"set(FETCHCONTENT_SOURCE_DIR_TOY [==[{world.as_posix()}/a [b]; $c/toy]==])" in text
    assert "set(toy_include include)" in text and "set(toy_version 1.0)" in text and "compiler)" not in text
    os.utime(file, ns=(0, 0))
    cpp_build.write_sources(file)
    assert file.stat().st_mtime_ns == 0
    monkeypatch.setenv("LAB_SOURCES", "")
    forget()
    cpp_build.write_sources(file)
    assert "toy" not in file.read_text()


def test_cmake_is_told_of_a_compiler_that_is_there(program, world, monkeypatch):
    program(cpp_tools.triple())
    headers(world / "given" / "toy" / "include")
    monkeypatch.setenv("LAB_SOURCES", str(world / "given"))
    monkeypatch.setattr(cpp_build, "pins", cpp_sources.pins)
    cpp_build.write_sources(world / "sources.cmake")
    path = cpp_sources.compiler_of("toy")
    assert f"set(toy_compiler [==[{path.as_posix()}]==])" in (world / "sources.cmake").read_text()


@pytest.mark.slow
def test_a_library_in_a_path_with_spaces_is_compiled(world, monkeypatch):
    """The presets and commands of the lab on a project of one file, in folders with spaces and other signs."""
    home = world / "a user's (lab)"
    headers(home / "my sources" / "toy" / "include")
    (home / "project" / "codecs").mkdir(parents=True)
    shutil.copy(ROOT / "runners/cpp/CMakePresets.json", home / "project")
    (home / "project" / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(toy LANGUAGES CXX)\ninclude(FetchContent)\n"
        'include("${WIRELAB_SOURCES}/sources.cmake")\nadd_executable(codec-toy main.cpp)\n'
        "FetchContent_Declare(toy SOURCE_SUBDIR none)\nFetchContent_MakeAvailable(toy)\n"
        'target_include_directories(codec-toy SYSTEM PRIVATE "${toy_SOURCE_DIR}/${toy_include}")\n'
    )
    (home / "project" / "main.cpp").write_text('#include "toy/toy.hpp"\nint main() { return 0; }\n')
    monkeypatch.setenv("LAB_SOURCES", str(home / "my sources"))
    compiled = {name: str(STATE / "cpp/zig") for name in cpp_tools.caches()}  # the C++ library, which takes a minute
    changes = {
        "pins": cpp_sources.pins,
        "PROJECT": home / "project",
        "SOURCES": home / "sources.cmake",
        "caches": lambda: compiled,
    }
    for name, value in changes.items():
        monkeypatch.setattr(cpp_build, name, value)
    build = Build("zig", "baseline")
    build.folder = home / "build"
    build.configure()
    build.run("codec-toy")
    assert next(build.folder.glob(f"codec-toy{EXE}")).exists()


@pytest.mark.parametrize("level", ["fast", "4", "2 -ffast-math", "3;-w", "-1"])
def test_a_level_of_optimization_that_there_is_not_is_refused(monkeypatch, level):
    monkeypatch.setenv(cpp_build.OPT_LEVEL_VARIABLE, level)
    with pytest.raises(LabError, match=r"WIRELAB_CPP_OPT_LEVEL is .*, and must be one of 0, 1, 2, 3\. Unset it"):
        Cpp().settings()


@pytest.mark.parametrize(("level", "taken"), [("", "3"), ("0", "0")])
def test_programs_are_built_anew_for_another_level_of_optimization(monkeypatch, level, taken):
    monkeypatch.setenv(cpp_build.OPT_LEVEL_VARIABLE, level)
    assert Cpp().settings()[cpp_build.OPT_LEVEL_VARIABLE] == taken
