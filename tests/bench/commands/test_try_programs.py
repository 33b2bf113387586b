"""`lab try` with real programs, compiled for data of the shapes that people have."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from bench.base import paths
from bench.base.files import read_json
from bench.base.paths import ROOT
from bench.model.findings import DATA_FILE, DataReport
from tests.support.datasets.classics import write_documents
from tests.support.datasets.data_sets import HOSTILE_KEYS, json_lines
from tests.support.lab import LAB

pytestmark = [
    pytest.mark.slow,
    pytest.mark.host,
    pytest.mark.skipif(not paths.hyperfine().exists(), reason="hyperfine is not built: `./lab build` builds it"),
]
CODECS = ["rust/postcard", "rust/prost", "cpp/glaze-json", "cpp/protobuf", "python/orjson", "python/protobuf"]
"""A few of each language: what learns types by itself, and what has generated messages of its own."""
DATA = ROOT / "tests/data"
Trying = Callable[..., DataReport]


def words_for(data: Path, run: Path, codecs: list[str]) -> list[str]:
    chosen = [word for codec in codecs for word in ("--codecs", f"^{codec}$")]
    return [*LAB, "try", str(data), "--quick", "--seed", "1", "--run", str(run), *chosen]


@pytest.fixture
def tried(tmp_path: Path) -> Trying:
    """What `lab try` records of data."""

    def run(data: Path, *before: str, codecs: list[str] = CODECS) -> DataReport:
        command = [*before, *words_for(data, tmp_path / "run", codecs), "-o", str(tmp_path / "page")]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
        assert "\u202e" not in (tmp_path / "page/index.html").read_text("utf-8") + done.stdout
        return read_json(tmp_path / "run" / DATA_FILE, DataReport)

    return run


def all_came_back(report: DataReport, codecs: list[str] = CODECS) -> bool:
    wanted = [(codec, report.messages, None) for codec in sorted(codecs)]
    return sorted((one.codec, one.proved, one.failure) for one in report.codecs) == wanted


@pytest.mark.parametrize(("name", "messages"), [("events.jsonl", 150), ("areas.geojson", 1), ("spans.jsonl", 40)])
def test_data_of_a_known_shape_comes_back_from_every_codec(tried: Trying, name: str, messages: int) -> None:
    report = tried(DATA / name)
    assert report.messages == messages and all_came_back(report)


@pytest.mark.skipif(not shutil.which("cargo"), reason="there is no cargo")
def test_a_document_that_others_measure_with_comes_back_from_every_codec(tried: Trying, tmp_path: Path) -> None:
    (folder := tmp_path / "classics").mkdir()
    assert all_came_back(tried(write_documents(folder) / "twitter.json"))


def test_hostile_keys_come_back_from_every_codec(tried: Trying, tmp_path: Path) -> None:
    keys = [
        *HOSTILE_KEYS,
        "Self",
        "None",
        "template",
        "co_await",
        "lambda",
        "__init__",
        "model_fields",
        "NULL",
        "errno",
    ]
    message = {key: number for number, key in enumerate(keys)}
    nested = {'quote"d': {"*/": [{"class": "fn"}]}, "async": {"": None}}
    data = json_lines(tmp_path / "hostile.jsonl", [message | nested, message | nested])
    codecs = [codec for codec in CODECS if codec != "cpp/glaze-json"]  # it hashes keys while it compiles, and gives up
    report = tried(data, codecs=codecs)
    assert report.messages == 2 and all_came_back(report, codecs)


@pytest.mark.skipif(not shutil.which("unshare"), reason="there is no unshare")
def test_without_a_network_it_works_as_well(tried: Trying, tmp_path: Path) -> None:
    """What it needs was fetched by `./lab build`; a data set is sent nowhere."""
    alone = ["unshare", "--map-root-user", "--net"]
    if subprocess.run([*alone, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this system lets nobody leave the network")
    assert all_came_back(tried(json_lines(tmp_path / "small.jsonl", [{"x": 1, "y": "a"}, {"x": 2, "y": "b"}]), *alone))
