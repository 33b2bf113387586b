"""Runners that Nix builds as they are needed; a script of the test's own stands in for nix-store."""

import json
import os
import stat
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from bench.base import paths
from bench.base.errors import LabError
from bench.building import nix
from bench.building.build import build, builders
from bench.building.languages import LANGUAGES
from bench.building.sets.code import published
from bench.model.description import Wanted

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no Nix on Windows")

NIX_STORE = """#!{python}
import os, sys
from pathlib import Path
words, store = sys.argv[1:], Path({store!r})
with open(store / "calls", "a") as calls:
    calls.write(" ".join(words) + "\\n")
if words[0] == "--query":
    print("sha256:0" + Path(words[-1]).name)
    sys.exit()
link, derivation = Path(words[words.index("--add-root") + 1]), Path(words[-1])
print("this line means nothing", file=sys.stderr)
print("building '/nix/store/" + 32 * "a" + "-kit.drv'...", file=sys.stderr)
if "broken" in derivation.name:
    print("error: Cannot build it.", file=sys.stderr)
    sys.exit(1)
link.symlink_to(store / derivation.stem)
"""
CODECS = ["rust/noop", "rust/clone", "rust/prost"]


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in place of the store with what three derivations build; the one of rust/prost is broken."""
    folder = tmp_path / "store"
    for name in ("noop", "clone"):
        (folder / name / "bin").mkdir(parents=True)
        (folder / name / f"bin/codec-{name}").write_text(name)
    named = {"rust/noop": "noop.drv", "rust/clone": "clone.drv", "rust/prost": "broken.drv"}
    derivations = tmp_path / "derivations.json"
    derivations.write_text(json.dumps({"published": {codec: str(folder / name) for codec, name in named.items()}}))
    program = tmp_path / "bin/nix-store"
    program.parent.mkdir()
    program.write_text(NIX_STORE.format(python=sys.executable, store=str(folder)))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(program.parent), prepend=os.pathsep)
    monkeypatch.setenv(paths.DERIVATIONS_VARIABLE, str(derivations))
    monkeypatch.setenv(paths.TOOLCHAIN_VARIABLE, "nix")
    monkeypatch.delenv(paths.RUNNERS_VARIABLE, raising=False)
    monkeypatch.setattr(paths, "STATE", tmp_path / "state")
    monkeypatch.setattr(nix, "HOME", tmp_path / "state/nix")
    return folder


def calls(store: Path, of: str) -> list[str]:
    """The derivations, or outputs, of calls of nix-store."""
    lines = (store / "calls").read_text().splitlines() if (store / "calls").exists() else []
    return sorted(Path(line.split()[-1]).stem for line in lines if line.startswith(of))


def silent(_: str) -> None:
    """A report that nobody reads."""


def test_only_what_is_asked_for_is_realised(store: Path) -> None:
    done: list[str] = []
    manifest = build(silent, codecs=["rust/noop"], built=done.append)
    assert calls(store, "--realise") == ["noop"]
    assert done == ["rust/noop"]
    (entry,) = manifest.runners
    assert entry.command == [str(store / "noop/bin/codec-noop")], "the store's own path, which says what it is"
    assert entry.identity == {"store_path": str(store / "noop"), "nar_hash": "sha256:0noop"}
    assert manifest.toolchain == "nix"


def test_what_is_realised_is_not_realised_again_and_the_others_are_added(store: Path) -> None:
    build(silent, codecs=["rust/noop"])
    manifest = build(silent, codecs=["rust/noop", "rust/clone"])
    assert calls(store, "--realise") == ["clone", "noop"]
    assert [entry.codec for entry in manifest.runners] == ["rust/clone", "rust/noop"]


def test_another_derivation_is_realised_in_place_of_the_first(store: Path) -> None:
    build(silent, codecs=["rust/noop"])
    derivations = Path(os.environ[paths.DERIVATIONS_VARIABLE])
    derivations.write_text(derivations.read_text().replace("noop.drv", "clone.drv"))
    (entry,) = build(silent, codecs=["rust/noop"]).runners
    assert calls(store, "--realise") == ["clone", "noop"]
    assert entry.identity["store_path"] == str(store / "clone")


def test_a_derivation_that_does_not_build_takes_no_other_with_it(store: Path) -> None:
    manifest = build(silent, codecs=CODECS)
    entries = {entry.codec: entry.unavailable for entry in manifest.runners}
    assert entries["rust/noop"] is None
    assert entries["rust/clone"] is None
    reason = entries["rust/prost"] or ""
    assert "does not build: Cannot build it." in reason
    assert f"nix log {store / 'broken.drv'}" in reason


def test_a_codec_without_a_derivation_is_unavailable(store: Path) -> None:
    (entry,) = build(silent, codecs=["python/bfast"]).runners
    assert "no runner was provided for this platform" in (entry.unavailable or "")
    assert calls(store, "--realise") == []


def test_what_nix_does_is_told_once(store: Path) -> None:
    lines: list[str] = []
    build(lines.append, codecs=["rust/noop", "rust/clone"])
    assert lines.count("Nix: building kit") == 1, lines
    assert not any("means nothing" in line for line in lines)


def test_without_nix_it_is_said_what_needs_none(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(store))
    with pytest.raises(LabError, match=r"nix-store: not found.*nix build \.#lab"):
        build(silent, codecs=["rust/noop"])


@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_text("[")])
def test_a_list_of_derivations_that_is_none_is_named(store: Path, damage: Callable[[Path], object]) -> None:
    damage(Path(os.environ[paths.DERIVATIONS_VARIABLE]))
    with pytest.raises(LabError, match="LAB_DERIVATIONS must name the file"):
        builders(published())


def test_nix_builds_the_codecs_of_every_language_in_their_default_build(store: Path) -> None:
    wanted = Wanted(cpus=["baseline", "native"], as_published=True)
    assert {builder.name for builder in builders(published())} == set(LANGUAGES)
    assert all(builder.variants(wanted) == [""] for builder in builders(published()))


def test_who_stops_reading_ends_the_builds(store: Path) -> None:
    """Ctrl-C, or an error of the caller, while another derivation takes long."""
    program = store.parent / "bin/nix-store"
    slow = 'if derivation.stem == "clone":\n    import time; time.sleep(60)\n'
    program.write_text(program.read_text().replace('print("this line', slow + 'print("this line'))

    def stop(codec: str) -> None:
        for _ in range(3000):  # a busy machine is slow to begin
            if "clone" in calls(store, "--realise"):
                break
            time.sleep(0.01)
        raise KeyboardInterrupt

    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        build(silent, codecs=["rust/noop", "rust/clone"], built=stop)
    assert time.monotonic() - started < 50, "the other build was ended, not waited for"
    assert [entry.codec for entry in build(silent, codecs=["rust/noop"]).runners] == ["rust/noop"]
    assert calls(store, "--realise") == ["clone", "noop"], "what was done is kept"
