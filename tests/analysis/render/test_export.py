"""Exports, each read back as its own tool reads it."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema
import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

from analysis.commands.export import FORMATS, export
from analysis.data.cells import run_cells
from analysis.data.frame import read_frame
from analysis.render.export import EXPORTERS, Source, as_bencher, as_github_action, as_parquet
from bench.base import paths
from bench.base.errors import LabError
from bench.records.run_file import read_run
from tests.support.recorded.calm_run import CalmMade
from tests.support.synthetic_run import SER, Made, usual

CARGO = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
SCRIPTS = sorted(CARGO.glob("registry/src/*/hyperfine-1.20.0/scripts/advanced_statistics.py"))
CELL = "rust/postcard process-created serialize api=serde buffer=reused build=baseline"

NUMBER = {"type": "number"}
BENCHER = {
    "type": "object",
    "additionalProperties": {
        "type": "object",
        "minProperties": 1,
        "propertyNames": {"pattern": "^[a-z0-9-]+$"},
        "additionalProperties": {
            "type": "object",
            "required": ["value"],
            "additionalProperties": False,
            "properties": {"value": NUMBER, "lower_value": NUMBER, "upper_value": NUMBER},
        },
    },
}
"""bencher.dev/docs/reference/bencher-metric-format: measures are named by slugs, bounds may be left out."""
GITHUB_ACTION = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["name", "unit", "value"],
        "additionalProperties": False,
        "properties": {
            "name": {"type": "string"},
            "unit": {"type": "string"},
            "value": NUMBER,
            "range": {"type": "string"},
            "extra": {"type": "string"},
        },
    },
}
"""github-action-benchmark, README, “Minimal setup” of customSmallerIsBetter."""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = usual()
    made.errors[made.cell("rust/toml", SER), 3] = "killed"
    return made.write(tmp_path_factory.mktemp("run") / "usual")


def exported(run: Path, form: str) -> bytes:
    result = CliRunner().invoke(export, [str(run), "--as", form], catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout_bytes


def recorded_ns(run: Path, cell: str) -> list[float]:
    return [s.wall_ns / s.repetitions for s in read_run(run).samples if s.cell == cell and not s.twin]


def test_every_format_of_the_command_has_an_exporter() -> None:
    assert tuple(EXPORTERS) == FORMATS


def test_csv_and_parquet_hold_a_row_a_cell_with_what_was_recorded(run: Path) -> None:
    parquet = pl.read_parquet(io.BytesIO(exported(run, "parquet")))
    assert pl.read_csv(io.BytesIO(exported(run, "csv")), schema=parquet.schema).equals(parquet)
    assert len(parquet) == len({sample.cell for sample in read_run(run).samples})
    chosen = (
        (pl.col("codec") == "rust/postcard") & (pl.col("operation") == "serialize") & (pl.col("buffer") == "reused")
    )
    row = parquet.filter(chosen).row(0, named=True)
    times = recorded_ns(run, CELL)
    assert row["median_ns"] == pytest.approx(np.median(times))
    assert (row["min_ns"], row["max_ns"]) == pytest.approx((min(times), max(times)))
    assert row["low_ns"] <= row["median_ns"] <= row["high_ns"]
    assert (row["rounds"], row["encoded_bytes"], row["as_published"], row["output"]) == (10, 230, True, None)


def test_hyperfine_has_the_keys_and_types_of_hyperfine_itself(run: Path, tmp_path: Path) -> None:
    if not paths.hyperfine().exists():
        pytest.skip("hyperfine is not built: `./lab bench` builds it")
    own = tmp_path / "own.json"
    command = [str(paths.hyperfine()), "--shell=none", "--runs=2", "--warmup=0", "--parameter-list", "a", "x"]
    subprocess.run(
        [*command, "--export-json", str(own), f"{sys.executable} -S -c {{a}}=1"], capture_output=True, check=True
    )
    theirs, ours = json.loads(own.read_bytes())["results"][0], json.loads(exported(run, "hyperfine"))["results"]
    for one in ours:
        assert one.keys() == theirs.keys()
        assert {key: type(value) for key, value in one.items()} == {key: type(value) for key, value in theirs.items()}


def test_hyperfine_has_whole_processes_without_those_that_failed(run: Path) -> None:
    results = {one["command"]: one for one in json.loads(exported(run, "hyperfine"))["results"]}
    processes = [p for p in read_run(run).processes if p.cell == CELL and p.kind == "loop" and not p.twin]
    assert results[CELL]["times"] == [process.wall_s for process in processes]
    assert len(results[CELL.replace("postcard", "toml")]["times"]) == 9
    assert results[CELL]["mean"] == pytest.approx(np.mean(results[CELL]["times"]))


@pytest.mark.skipif(not SCRIPTS, reason="the sources of hyperfine are not in Cargo's registry")
def test_hyperfine_s_own_script_reads_it(run: Path, tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    file.write_bytes(exported(run, "hyperfine"))
    done = subprocess.run([sys.executable, str(SCRIPTS[-1]), str(file)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert f"Command '{CELL}'" in done.stdout


def test_bencher_is_by_its_schema_and_has_what_was_recorded(run: Path) -> None:
    found = json.loads(exported(run, "bencher"))
    jsonschema.validate(found, BENCHER)
    assert found[CELL]["latency"]["value"] == pytest.approx(np.median(recorded_ns(run, CELL)))
    assert found[CELL]["file-size"] == {"value": 230}


def test_bencher_has_no_bounds_where_no_interval_is_known(tmp_path: Path) -> None:
    frame = read_frame(Made(rounds=1).codec("rust/a", {SER: 100.0}).write(tmp_path / "run"))
    (cell,) = json.loads(as_bencher(Source(run_cells(frame), frame.processes))).values()
    assert cell["latency"].keys() == {"value"}


def test_github_action_benchmark_is_by_its_schema_and_has_what_was_recorded(run: Path) -> None:
    found = json.loads(exported(run, "github-action-benchmark"))
    jsonschema.validate(found, GITHUB_ACTION)
    entry = next(one for one in found if one["name"] == CELL)
    assert entry["value"] == pytest.approx(np.median(recorded_ns(run, CELL)))
    assert entry["unit"] == "ns"
    assert "10 rounds of 100000 repetitions" in entry["extra"]


@pytest.mark.parametrize("form", FORMATS)
def test_the_same_run_gives_the_same_bytes(run: Path, form: str) -> None:
    assert exported(run, form) == exported(run, form)


def test_a_file_is_written_whole_and_a_folder_without_a_run_is_an_error(run: Path, tmp_path: Path) -> None:
    file = tmp_path / "out.csv"
    result = CliRunner().invoke(export, [str(run), "--as", "csv", "-o", str(file)], catch_exceptions=False)
    assert result.exit_code == 0
    assert file.read_bytes() == exported(run, "csv")
    with pytest.raises(LabError, match="holds no run"):
        CliRunner().invoke(export, [str(tmp_path), "--as", "csv"], catch_exceptions=False)


def test_exports_hold_layouts_and_calm_shares_and_no_alert_on_what_was_seldom_calm(tmp_path: Path) -> None:
    made = CalmMade(rounds=8)
    made.codec("rust/a", {SER: 100.0}).codec("rust/b", {SER: 100.0})
    made.disturbed = {"rust/b": 0.97}
    frame = read_frame(made.write(tmp_path / "run"))
    source = Source(run_cells(frame), frame.processes)
    rows = {row["codec"]: row for row in pl.read_parquet(io.BytesIO(as_parquet(source))).iter_rows(named=True)}
    assert (rows["rust/a"]["layouts"], rows["rust/a"]["calm_share"], rows["rust/a"]["is_figure"]) == (8, 1.0, True)
    assert rows["rust/b"]["calm_share"] < 0.1
    assert rows["rust/b"]["is_figure"] is False
    for exported in (as_bencher(source), as_github_action(source)):
        assert b"rust/a" in exported
        assert b"rust/b" not in exported
