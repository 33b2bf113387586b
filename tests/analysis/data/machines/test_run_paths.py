"""Folders that hold runs, and the names of machines."""

import os
import sys
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from analysis.commands.claims import claims
from analysis.data.machines import run_paths
from analysis.data.machines.run_paths import machine_name, processor, runs_below
from bench.base.errors import LabError
from bench.model.record import Run
from tests.support.synthetic_run import usual


def of_cpu(**cpu: object) -> Run:
    return msgspec.structs.replace(usual().run(), environment={"cpu": cpu})


def marked(path: Path) -> Path:
    path.mkdir(parents=True)
    (path / "run.json").write_text("{}")
    return path


def test_runs_at_any_depth_stand_in_the_order_of_their_names(tmp_path: Path) -> None:
    made = [marked(tmp_path / name) for name in ("a", "m/b", "m/n/c")]
    assert runs_below([tmp_path]) == tuple(made)


def test_a_run_is_itself_and_nothing_below_it_is_one(tmp_path: Path) -> None:
    run = marked(tmp_path / "run")
    marked(run / "work" / "inner")
    assert runs_below([run]) == (run,) == runs_below([tmp_path])


def test_a_run_that_is_named_twice_counts_once(tmp_path: Path) -> None:
    run = marked(tmp_path / "m" / "run")
    assert runs_below([run, tmp_path, tmp_path / "m" / ".." / "m"]) == (run,)


@pytest.mark.parametrize("name", ["missing", "file", "empty"])
def test_a_path_without_runs_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "empty").mkdir()
    with pytest.raises(LabError, match=name):
        runs_below([tmp_path / name])


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_links_devices_and_hidden_folders_below_are_not_followed(tmp_path: Path) -> None:
    outside = marked(tmp_path / "outside")
    held = marked(tmp_path / "results" / "run")
    (tmp_path / "results" / "link").symlink_to(outside)
    (tmp_path / "results" / "self").symlink_to(tmp_path / "results")
    os.mkfifo(tmp_path / "results" / "pipe")
    marked(tmp_path / "results" / ".hidden" / "run")
    assert runs_below([tmp_path / "results"]) == (held,)


def test_depth_and_number_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    marked(tmp_path.joinpath(*"abcdefghi"))
    with pytest.raises(LabError, match="holds no run"):
        runs_below([tmp_path])
    monkeypatch.setattr(run_paths, "MOST_ENTRIES", 3)
    with pytest.raises(LabError, match="more than 3 files and folders"):
        runs_below([tmp_path])


@pytest.mark.parametrize(
    ("cpu", "name"),
    [
        ({"model": "AMD EPYC"}, "amd-epyc"),
        ({"model": "Intel(R) Xeon(R) Processor", "family": 6, "model_number": 167}, "intel-xeon-6-167"),
        (
            {"model": "Intel(R) Core(TM) i7-8700 CPU @ 3.20GHz", "family": 6, "model_number": 158},
            "intel-core-i7-8700-6-158",
        ),
        ({"model": "Apple M2 Pro"}, "apple-m2-pro"),
        ({}, "unknown"),
        ({"model": "../../etc/\x1b[31m\n\u202e"}, "etc-31m"),
        ({"model": "..", "family": "../x"}, "unknown"),
        ({"model": "é" * 10_000, "family": 25}, "unknown-25"),
    ],
)
def test_machines_have_names_of_letters_and_digits(cpu: dict[str, object], name: str) -> None:
    assert machine_name(of_cpu(**cpu)) == f"{name}-linux-x86_64"


def test_two_processors_of_one_brand_are_told_apart() -> None:
    brand = "AMD EPYC"
    assert processor(of_cpu(model=brand, family=25, model_number=17)) == "AMD EPYC (family 25, model 17)"
    assert processor(of_cpu(model=brand, family=26)) == "AMD EPYC (family 26)"
    assert processor(of_cpu(model="Apple M4")) == "Apple M4"
    assert processor(of_cpu()) == "unknown processor"


def test_a_command_takes_a_folder_of_runs(tmp_path: Path) -> None:
    run = usual().write(tmp_path / "machine" / "run")
    alone = CliRunner().invoke(claims, [str(run)], catch_exceptions=False)
    below = CliRunner().invoke(claims, [str(tmp_path)], catch_exceptions=False)
    assert alone.exit_code == below.exit_code == 0
    assert alone.output == below.output
