"""What Cargo has compiled for one set of types and another one takes over."""

import os
from pathlib import Path

import pytest

from bench.building.languages.rust import WORKSPACE
from bench.building.sets.shared import own_names, share


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """A target folder with a unit of the registry, one of the kit, and three that are made of types."""
    folder = tmp_path / "target"
    for crate in ("serde", "wirelab_kit", "wirelab_messages", "wirelab_prost", "codec_prost"):
        unit = folder / "release" / ".fingerprint" / f"{crate.replace('_', '-')}-0123"
        unit.mkdir(parents=True)
        (unit / f"lib-{crate}").write_text("hash")
        library = folder / "release" / "deps" / f"lib{crate}-0123.rlib"
        library.parent.mkdir(exist_ok=True)
        library.write_text(crate)
        library.with_name(f"{crate}-0123.d").write_text(crate)
    made = folder / "release" / "build" / "zstd-sys-0123" / "out"
    made.mkdir(parents=True)
    (made / "libzstd.a").write_text("objects")
    (folder / "release" / ".cargo-lock").touch()
    return folder


def names(folder: Path) -> set[str]:
    return {path.relative_to(folder / "release").as_posix() for path in folder.rglob("*") if path.is_file()}


def test_a_set_takes_over_what_no_types_are_in(target, tmp_path):
    share(target, tmp_path / "set", WORKSPACE)
    assert names(tmp_path / "set") == {
        ".fingerprint/serde-0123/lib-serde",
        ".fingerprint/wirelab-kit-0123/lib-wirelab_kit",
        "build/zstd-sys-0123/out/libzstd.a",
        "deps/libserde-0123.rlib",
        "deps/libwirelab_kit-0123.rlib",
        "deps/serde-0123.d",
        "deps/wirelab_kit-0123.d",
    }


def test_links_take_no_space_and_keep_the_time_that_cargo_compares(target, tmp_path):
    os.utime(target / "release/deps/libserde-0123.rlib", ns=(10**18, 10**18))
    share(target, tmp_path / "set", WORKSPACE)
    taken = tmp_path / "set/release/deps/libserde-0123.rlib"
    assert taken.samefile(target / "release/deps/libserde-0123.rlib")
    assert taken.stat().st_mtime_ns == 10**18


def test_where_there_are_no_links_files_are_copied_with_their_times(target, tmp_path, monkeypatch):
    def refuse(*_: object) -> None:
        raise OSError("no links here")

    os.utime(target / "release/deps/libserde-0123.rlib", ns=(10**18, 10**18))
    monkeypatch.setattr(os, "link", refuse)
    share(target, tmp_path / "set", WORKSPACE)
    assert (tmp_path / "set/release/deps/libserde-0123.rlib").stat().st_mtime_ns == 10**18


def test_what_a_set_has_itself_stays(target, tmp_path):
    own = tmp_path / "set/release/deps/libserde-0123.rlib"
    own.parent.mkdir(parents=True)
    own.write_text("its own")
    share(target, tmp_path / "set", WORKSPACE)
    assert own.read_text() == "its own"


def test_nothing_is_taken_from_a_folder_that_is_not_there(tmp_path):
    share(tmp_path / "none", tmp_path / "set", WORKSPACE)
    assert not (tmp_path / "set").exists()


def test_every_crate_that_is_made_of_types_is_known():
    own = own_names(WORKSPACE)
    for crate in ("wirelab_messages", "wirelab_bincode", "codec_toml_reused"):
        assert f"lib{crate}-0123.rlib".startswith(own)
        assert f"{crate}-0123".startswith(own)
    for crate in ("wirelab_kit", "toml", "bincode", "serde_json"):
        assert not f"lib{crate}-0123.rlib".startswith(own)
