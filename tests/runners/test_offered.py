"""The catalogue against what every built runner describes, in both directions."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from bench.base.paths import ROOT, manifest
from bench.building.lab import Lab, offered_cells
from bench.building.manifest import checkout_codecs, load_manifest
from bench.building.runner import RunnerError, describe_all
from bench.commands.catalogue import catalogue
from bench.model.description import Description
from bench.scenarios import catalogue as catalogue_module
from bench.scenarios.catalogue import FILE, load_catalogue
from tests.support.lab import LAB
from tests.support.scenarios.committed import built_runners, committed_scenarios

CATALOGUE = load_catalogue()
SCENARIOS = committed_scenarios(sweeps=True)

built = pytest.mark.skipif(not manifest().exists(), reason="no runners are built: `./lab build` builds them")


@pytest.fixture(scope="module")
def lab() -> Lab:
    return Lab(describe_all(built_runners()), SCENARIOS)


@built
def test_runners_offer_what_the_catalogue_says_and_nothing_else(lab: Lab) -> None:
    wanted = load_manifest().wanted
    missing = {runner.codec: str(answer) for runner, answer in lab.described.items() if isinstance(answer, RunnerError)}
    print("unavailable, not compared:", missing)
    expected = {cell for cell in CATALOGUE.cells(SCENARIOS, wanted) if cell.codec not in missing}
    described = {
        cell
        for answer in lab.described.values()
        if isinstance(answer, Description)
        for cell in offered_cells(answer, SCENARIOS)
    }
    assert {str(cell) for cell in expected - described} == set()
    assert {str(cell) for cell in described - expected} == set()


@built
def test_the_catalogue_repeats_what_runners_say_of_themselves(lab: Lab) -> None:
    for codec, description in lab.descriptions.items():
        known = CATALOGUE.codecs[codec]
        assert (known.format, known.library, known.self_describing, known.control, known.role, known.probes) == (
            description.format,
            description.library,
            description.self_describing,
            description.control,
            description.role,
            bool(description.probes),
        )
        assert known.any == description.any
        assert description.language == codec.partition("/")[0]


def test_it_knows_every_codec_of_the_checkout_and_no_other() -> None:
    assert CATALOGUE.codecs.keys() == checkout_codecs()


@built
def test_it_is_as_lab_catalogue_writes_it() -> None:
    environment = os.environ | {"LAB_RUNNERS": str(manifest())}
    done = subprocess.run([*LAB, "catalogue", "--check"], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.fixture
def stale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A catalogue that lacks a kind of message which a runner offers, and knows a codec that is no more."""
    path = tmp_path / "catalogue.toml"
    gone = '\n[codecs."rust/gone"]\nformat = "JSON"\n'
    text = FILE.read_text()
    lacking = re.sub(r"^offers\.struct-of-text = .*\n", "", text, count=1, flags=re.MULTILINE)
    assert lacking != text
    path.write_text(lacking + gone)
    monkeypatch.setattr(catalogue_module, "FILE", path)
    monkeypatch.setenv("LAB_RUNNERS", str(manifest()))
    return path


@built
def test_a_catalogue_that_is_not_up_to_date_is_told_and_left_alone(stale: Path) -> None:
    before = stale.read_text()
    result = CliRunner().invoke(catalogue, ["--check"])
    assert result.exit_code == 1
    assert "catalogue.toml is not up to date: run `./lab catalogue`" in result.stderr
    assert stale.read_text() == before


@built
def test_it_is_written_anew_from_what_runners_describe(stale: Path) -> None:
    result = CliRunner().invoke(catalogue, [])
    assert result.exit_code == 0, result.output
    assert stale.read_text() == FILE.read_text()
