"""Builds of a codec besides the default one: what is asked of the build tools for each, and what their runners say."""

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from bench.base.paths import ROOT, manifest
from bench.building.build import load_runners
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
