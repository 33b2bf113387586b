"""A new scenario is one TOML file: it is added to a copy of the checkout and measured in every language."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bench.base import paths
from bench.base.files import read_json_lines
from bench.base.paths import ROOT
from bench.model.record import Sample
from tests.support.checkouts import copied_checkout
from tests.support.documents import QUICKLY_COMPILED, share_tools

CODECS = {
    "rust": ("noop", "serde-json-roundtrip", "prost"),
    "cpp": ("noop", "msgpack-c", "flatbuffers"),
    "python": ("noop", "orjson", "protobuf"),
}
"""A few of each language: what learns types by itself, and what has generated messages of its own."""
SCENARIO = ROOT / "tests/support/scenarios/telemetry.toml"


@pytest.mark.slow
@pytest.mark.host
@pytest.mark.skipif(not paths.hyperfine().exists(), reason="hyperfine is not built: `./lab build` builds it")
def test_a_new_scenario_is_measured_in_every_language_with_no_edit_elsewhere(tmp_path: Path) -> None:
    copy = copied_checkout(tmp_path / "a copy")
    shutil.copy2(SCENARIO, copy / "schemas/scenarios")
    share_tools(copy)
    inherited = {name: value for name, value in os.environ.items() if name not in (paths.RUNNERS_VARIABLE, "LAB_WORK")}
    environment = inherited | QUICKLY_COMPILED | {"PYTHONPATH": str(copy), "LAB_HYPERFINE": str(paths.hyperfine())}
    some = "|".join(f"{language}/({'|'.join(names)})" for language, names in CODECS.items())
    selection = ["-f", f"^({some}) telemetry ", "--not", "/(memcpy|clone) "]
    command = [sys.executable, "-m", "bench.cli", "bench", *selection, "--profile", "quick", "--out", "run"]
    done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    samples = read_json_lines(copy / "run/samples.jsonl", Sample)
    cells = [sample.cell.split() for sample in samples]
    assert {scenario for _, scenario, *_ in cells} == {"telemetry"}
    assert {codec for codec, *_ in cells} == {
        f"{language}/{name}" for language, names in CODECS.items() for name in names
    }
    operations = {"serialize", "deserialize", "round-trip", "build", "build+serialize", "deserialize+convert", "access"}
    assert {operation for _, _, operation, *_ in cells} == operations
