"""`lab list` before, during and after a build."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from bench.base.files import write_json
from bench.base.paths import ROOT, manifest
from bench.model.description import Manifest, RunnerEntry, Wanted
from bench.scenarios.catalogue import load_catalogue
from tests.support.lab import LAB
from tests.support.scenarios.committed import committed_scenarios

CATALOGUE = load_catalogue()


def listed(work: Path, *arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    environment = (
        {k: v for k, v in os.environ.items() if not k.startswith("LAB_")} | {"LAB_WORK": str(work)} | variables
    )
    done = subprocess.run([*LAB, "list", *arguments], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done


def rows(work: Path, *arguments: str, **variables: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in listed(work, "--json", *arguments, **variables).stdout.splitlines()]


def write_manifest(work: Path, entries: list[RunnerEntry], wanted: Wanted | None = None) -> None:
    (work / ".lab").mkdir()
    write_json(work / ".lab" / "runners.json", Manifest(1, "host", "0" * 64, entries, wanted or Wanted()))


def test_a_fresh_clone_lists_every_cell_and_builds_nothing(tmp_path):
    done = listed(tmp_path)
    cells = CATALOGUE.cells(committed_scenarios())
    assert [line.split() for line in done.stdout.splitlines()] == [str(cell).split() for cell in cells]
    assert done.stderr == f"{len(cells)} cells of {len(CATALOGUE.codecs)} codecs; 0 codecs unavailable\n"
    assert not list(tmp_path.iterdir())


def test_points_of_sweeps_are_listed_on_request(tmp_path):
    assert any(row["scenario"] == "array-f64-1kib" for row in rows(tmp_path, "--sweep"))


def test_versions_are_those_of_the_lock_files(tmp_path):
    versions = {
        row["codec"]: (row["library"], row["version"]) for row in rows(tmp_path, "-f", "point|f64 serialize|users-100")
    }
    lock = (ROOT / "runners/rust/Cargo.lock").read_text()
    assert f'name = "prost"\nversion = "{versions["rust/prost"][1]}"' in lock
    lock = (ROOT / "uv.lock").read_text()
    assert f'name = "orjson"\nversion = "{versions["python/orjson"][1]}"' in lock
    assert f'version = "{versions["cpp/cereal"][1]}"' in (ROOT / "runners/cpp/sources.toml").read_text()
    assert versions["rust/memcpy"] == (None, None)


def test_what_an_earlier_build_could_not_make_is_named_with_its_reason(tmp_path):
    write_manifest(tmp_path, [RunnerEntry("rust/prost", ["x"], "prost", "1.0", None, unavailable="no linker")])
    done = listed(tmp_path, "-f", r"rust/(prost|bson)\b(?!-)")
    assert "rust/prost                                                   unavailable: no linker\n" in done.stdout
    assert done.stderr.endswith("of 1 codec; 1 codec unavailable\n")


def test_a_build_that_was_made_on_request_is_listed_too(tmp_path):
    entries = [RunnerEntry("cpp/cereal", ["x"], "cereal", "1", None, variant=one) for one in ("", "zig native")]
    write_manifest(tmp_path, entries, Wanted(["baseline", "native"], ["system", "zig"]))
    conditions = [row["conditions"] for row in rows(tmp_path, "-f", "cpp/cereal array-f64 serialize .*reused")]
    assert [(one["compiler"], one["build"]) for one in conditions] == [("system", "baseline"), ("zig", "native")]


@pytest.mark.skipif(not manifest().exists(), reason="no runners are built: `./lab build` builds them")
def test_built_runners_describe_the_very_cells(tmp_path):
    from bench.building.build import load_runners
    from bench.building.lab import Lab
    from bench.building.runner import describe_all

    lab = Lab(describe_all(load_runners()), committed_scenarios())
    done = listed(tmp_path, LAB_RUNNERS=str(manifest()))
    available = [line.split() for line in done.stdout.splitlines() if " unavailable: " not in line]
    assert sorted(available) == sorted(str(cell).split() for cell in lab.cells())
