"""The doctor over machines that are good, noisy, or lack something: each finding that is not well says what to do."""

from collections.abc import Sequence

import pytest
from click.testing import CliRunner

from bench.base import paths
from bench.building import doctor, environment
from bench.building.languages.language import Problem
from bench.commands.doctor import doctor as command

CALM = {"governor": "performance", "turbo": "off", "load": [0.0] * 3, "virtualization": "none"}
NOISY = {"governor": "powersave", "turbo": "on", "load": [1000.0] * 3, "virtualization": "kvm"}


@pytest.fixture
def machine(monkeypatch):
    """Makes the machine one with these facts, much memory and every tool."""

    def make(*, free_bytes: int = 2**40, tools: bool = True, lacking: Sequence[Problem] = (), **facts: object) -> None:
        for name, value in (CALM | facts).items():
            monkeypatch.setattr(environment, name, lambda value=value: value)
        monkeypatch.setattr(environment, "disk", lambda _: {"free_bytes": free_bytes})
        monkeypatch.setattr(doctor, "MEMORY_NEEDED_BYTES", 0)
        monkeypatch.setattr(environment, "hyperfine_version", lambda: doctor.pins()["hyperfine"].version)
        monkeypatch.setattr(doctor, "problems", lambda _: lacking)
        monkeypatch.setattr(doctor.shutil, "which", lambda name: f"/usr/bin/{name}" if tools else None)

    return make


def test_on_a_calm_machine_all_is_well(machine):
    machine()
    assert {finding.state for finding in doctor.examine()} == {"ok"}
    assert CliRunner().invoke(command, ["--seconds", "0.1"]).exit_code == 0


@pytest.mark.parametrize(
    ("name", "finding"), [*zip(NOISY, ("frequency governor", "turbo", "load", "virtualization"), strict=True)]
)
def test_noise_is_advice_and_no_failure(machine, name, finding):
    machine(**{name: NOISY[name]})
    (found,) = [one for one in doctor.examine() if one.state != "ok"]
    assert (found.name, found.state) == (finding, "advice")
    assert found.advice.endswith((".", ")."))
    assert CliRunner().invoke(command, ["--seconds", "0.1"]).exit_code == 0


@pytest.mark.parametrize(
    ("lack", "names"), [({"tools": False}, {"git", "cargo", "rustc", "cc"}), ({"free_bytes": 2**20}, {"free disk"})]
)
def test_what_is_missing_is_named_with_what_to_do_and_fails(machine, lack, names):
    machine(**lack)
    missing = [one for one in doctor.examine() if one.state == "missing"]
    assert {one.name for one in missing} | {"cc"} == names | {"cc"}  # Windows needs another linker
    assert all(one.advice for one in missing)
    assert CliRunner().invoke(command, ["--seconds", "0.1"]).exit_code == 1


@pytest.mark.parametrize("given", [paths.RUNNERS_VARIABLE, paths.DERIVATIONS_VARIABLE])
def test_who_is_given_runners_or_has_nix_build_them_needs_no_tools(machine, monkeypatch, tmp_path, given):
    derivations = tmp_path / "derivations.json"
    derivations.write_text('{"published": {}}')
    monkeypatch.setenv(given, str(derivations))
    machine(tools=False)
    assert not [one for one in doctor.examine() if one.state == "missing"]


def test_what_some_codecs_lack_is_advice_and_nothing_is_said_to_be_all_here(machine):
    machine(lacking=[Problem("zpp_bits", "cannot be had", "Put it there.", hinders=False)])
    found = {one.name: one.state for one in doctor.examine()}
    assert (found["zpp_bits"], "downloads" in found) == ("advice", False)
    machine(tools=False, lacking=[Problem("cargo", "not found", "Install rustup.")])
    assert "downloads" not in {one.name for one in doctor.examine()}


def test_what_a_build_lacks_is_named_once_and_fails(machine):
    registry = Problem("the crates registry", "does not answer", "Set HTTPS_PROXY.")
    machine(tools=False, lacking=[Problem("cargo", "not found", "Install rustup."), registry])
    missing = {one.name: one for one in doctor.examine() if one.state == "missing"}
    assert missing["the crates registry"].value == "does not answer"
    assert missing["the crates registry"].advice == "Set HTTPS_PROXY."
    assert [one.name for one in doctor.examine()].count("cargo") == 1
    assert CliRunner().invoke(command, ["--seconds", "0.1"]).exit_code == 1
