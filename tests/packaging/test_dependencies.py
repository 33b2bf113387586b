"""Which libraries and licences may go in, and that new versions of all that is pinned are proposed."""

import json
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from bench.base import paths
from bench.building import tools
from bench.building.languages.cpp_sources import pins as library_pins
from tests.support.lab import ROOT

CHANNEL = tomllib.loads((ROOT / "rust-toolchain.toml").read_text())["toolchain"]["channel"]


def toml(name: str) -> dict:
    return tomllib.loads((ROOT / name).read_text(encoding="utf-8"))


# What may go in


def deny(folder: Path, *checks: str) -> "subprocess.CompletedProcess[str]":
    tools.provide("cargo-deny", print)
    command = [str(paths.tool("cargo-deny")), "--offline", "check", "--hide-inclusion-graph", *checks]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.slow  # compiles cargo-deny, once
@pytest.mark.parametrize(
    ("licence", "version", "problem"),
    [
        ("MIT", "1", ""),
        ("GPL-3.0-only", "1", "license is not explicitly allowed"),
        ("MIT", "*", "found 1 wildcard dependency"),
    ],
)
def test_only_allowed_licences_and_pinned_versions_go_in(tmp_path, licence, version, problem):
    for name, needs in (
        ("toy", f'[dependencies]\nother = {{ path = "../other", version = "{version}" }}\n'),
        ("other", ""),
    ):
        (tmp_path / name / "src").mkdir(parents=True)
        (tmp_path / name / "src/lib.rs").write_text("")
        head = f'[package]\nname = "{name}"\nversion = "1.0.0"\nedition = "2024"\nlicense = "{licence}"\n'
        (tmp_path / name / "Cargo.toml").write_text(head + needs)
    rules = (ROOT / "runners/rust/deny.toml").read_text().replace("allow-wildcard-paths = true", "")
    (tmp_path / "deny.toml").write_text(rules.replace('unused-allowed-license = "deny"', ""))
    done = deny(tmp_path / "toy", "bans", "licenses", "sources")
    assert (done.returncode == 0) == (not problem), done.stderr
    assert problem in done.stderr


def test_every_known_exception_says_why():
    for exception in toml("runners/rust/deny.toml")["advisories"]["ignore"]:
        assert len(exception["reason"]) > 20


# New versions are proposed


RENOVATE = json.loads((ROOT / ".github/renovate.json").read_text())


def test_no_new_version_is_merged_by_itself():
    assert RENOVATE["automerge"] is False
    assert not any(rule.get("automerge") for rule in RENOVATE["packageRules"])


@pytest.mark.parametrize(
    ("file", "names"),
    [
        ("bench/pins/tools.toml", {pin.crate for pin in tools.pins().values()}),
        ("runners/cpp/sources.toml", set(library_pins())),
        ("rust-toolchain.toml", {CHANNEL}),
        ("bench/pins/rust.toml", {CHANNEL}),
    ],
)
def test_what_only_the_lab_s_own_files_pin_is_looked_for(file, names):
    text = (ROOT / file).read_text()
    managers = [one for one in RENOVATE["customManagers"] if any(re.search(match, file) for match in one["fileMatch"])]
    assert len(managers) == 1
    pattern = managers[0]["matchStrings"][0].replace("(?<", "(?P<")
    found = {match.groupdict().get("depName") or match["currentValue"] for match in re.finditer(pattern, text)}
    assert found == names


def test_no_measured_library_counts_as_a_part_of_the_harness():
    harness = next(rule for rule in RENOVATE["packageRules"] if rule.get("groupName") == "harness")["matchPackageNames"]
    measured = {
        toml(str(path.relative_to(ROOT)))["package"].get("metadata", {}).get("wirelab", {}).get("library")
        for path in (ROOT / "runners/rust/codecs").glob("*/Cargo.toml")
    }
    assert len(measured) > 10
    assert not measured & set(harness)
