"""Builds of a codec besides the default one: what is asked of the build tools for each, and what their runners say."""

import platform
import sys
import tomllib
from contextlib import nullcontext
from pathlib import Path

import pytest
from click.testing import CliRunner

from bench.base.paths import ROOT, manifest
from bench.building.build import load_runners
from bench.building.languages import cpp_build, python
from bench.building.languages.cpp import Cpp
from bench.building.languages.rust import AS_PUBLISHED, KEEP_OBJECTS, Rust
from bench.commands import build as command
from bench.model.description import Manifest, Wanted


def test_the_build_as_published_is_made_of_rust_runners_alone_and_only_on_request() -> None:
    assert Rust().variants(Wanted()) == [""]
    assert Rust().variants(Wanted(as_published=True)) == ["", AS_PUBLISHED]
    assert Cpp().variants(Wanted(as_published=True)) == [""]


def test_the_build_as_published_is_cargo_s_default() -> None:
    """Sixteen codegen units, and no flag but those that change no code."""
    options, variables = Rust().choices(AS_PUBLISHED, Path("target"))
    assert not any("rustflags" in option for option in options)
    assert variables["CARGO_PROFILE_RELEASE_CODEGEN_UNITS"] == "16"
    flags = variables["CARGO_ENCODED_RUSTFLAGS"].split("\x1f")
    assert [flag for flag in flags if not flag.startswith("--remap-path-prefix=")] == []


@pytest.mark.parametrize("variant", ["", "native"])
def test_no_flags_of_the_user_reach_a_rust_runner(variant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cargo takes this variable before all others and before its files; the workspace's own flags are in it."""
    monkeypatch.setenv("RUSTFLAGS", "-Clink-arg=-fuse-ld=mold")
    flags = Rust().choices(variant, Path("target"))[1]["CARGO_ENCODED_RUSTFLAGS"].split("\x1f")
    own = tomllib.loads((ROOT / "runners/rust/.cargo/config.toml").read_text(encoding="utf-8"))["build"]["rustflags"]
    assert own
    assert [flag for flag in flags if not flag.startswith("--remap-path-prefix=")] == [
        *own,
        *([f"-Ctarget-cpu={variant}"] if variant else []),
    ]


def test_a_program_whose_link_failed_is_not_named_as_linked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ninja prints the line of a step as it ends, and in the next one that it failed."""
    printed = [
        "[1/3] Linking CXX executable bin/codec-a\n",
        "[2/3] Linking CXX executable bin/codec-b\n",
        "FAILED: bin/codec-b \n",
        "ld.lld: error: undefined symbol\n",
        "[3/3] Linking CXX executable bin/codec-c\n",
    ]
    monkeypatch.setattr(cpp_build, "streamed", lambda *_, **__: nullcontext(iter(printed)))
    assert list(Cpp().configuration(*Cpp().parts("")).linked(["codec-a"])) == ["a", "c"]


@pytest.mark.parametrize(("version", "same"), [(platform.python_version(), True), ("3.9.0", False)])
def test_python_runners_are_installed_anew_for_another_python(
    version: str, same: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "pyvenv.cfg").write_text(f"home = /usr/bin\nversion_info = {version}\n", encoding="utf-8")
    (tmp_path / "python").touch()
    called: list[list[str]] = []
    monkeypatch.setattr(python, "ENVIRONMENT", tmp_path)
    monkeypatch.setattr(python, "INTERPRETER", tmp_path / "python")
    monkeypatch.setattr(python, "_uv", lambda words: called.append(words) or "")
    python.install("codec")
    assert ("venv" in called[0]) is not same


@pytest.mark.parametrize(
    ("words", "chosen"),
    [
        ([], {}),
        (["--as-published"], {"as_published": True}),
        (["--no-as-published", "--cpu", "native"], {"as_published": False, "cpus": ["baseline", "native"]}),
    ],
)
def test_a_choice_that_is_not_given_is_left_as_it_was(
    monkeypatch: pytest.MonkeyPatch, words: list[str], chosen: dict[str, object]
) -> None:
    given: list[object] = []

    def build(*_: object, **options: object) -> Manifest:
        given.append(options["chosen"])
        return Manifest(1, "host", "", [])

    monkeypatch.setattr(command, "build", build)
    assert CliRunner().invoke(command.build_runners, words).exit_code == 0
    assert given == [chosen]


@pytest.mark.parametrize("variant", ["", "native", AS_PUBLISHED])
def test_a_program_is_told_no_folder_of_this_machine(variant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the order in which rustc takes the last that fits: the target folder lies in the checkout."""
    monkeypatch.setenv("CARGO_HOME", "/home/someone/.cargo")
    options, variables = Rust().choices(variant, ROOT / ".lab/target")
    told = " ".join([*options, *variables.values()])
    names = ("/home/someone/.cargo=/cargo", f"{ROOT}=/lab", f"{ROOT / '.lab/target'}=/target")
    positions = [told.index(f"--remap-path-prefix={name}") for name in names]
    assert positions == sorted(positions)


@pytest.mark.skipif(sys.platform != "linux", reason="objects are kept where they can be linked again")
def test_the_linker_that_keeps_objects_can_be_run() -> None:
    assert KEEP_OBJECTS.stat().st_mode & 0o111
    assert KEEP_OBJECTS in Rust().sources()


@pytest.mark.skipif(not manifest().exists(), reason="no runners are built: `./lab build` builds them")
def test_runners_as_published_say_so() -> None:
    built = [r for r in load_runners() if r.entry.variant == AS_PUBLISHED and not r.entry.unavailable]
    if not built:
        pytest.skip("`./lab build --as-published` was not called")
    for runner in built:
        flags = runner.description.flags
        assert "codegen-units=16" in flags
        assert "align" not in flags
        assert "remap" not in flags
        assert {dict(cell.conditions.items())["build"] for cell in runner.description.cells} == {AS_PUBLISHED}
