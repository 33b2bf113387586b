"""The age of the pinned nixpkgs, which an update workflow asks for."""

import importlib.util
from datetime import date

import pytest

from bench.base.paths import ROOT

spec = importlib.util.spec_from_file_location("age", ROOT / "nix/age.py")
assert spec
assert spec.loader
age = importlib.util.module_from_spec(spec)
spec.loader.exec_module(age)


@pytest.mark.parametrize(
    ("branch", "end"),
    [
        ("nixos-25.05", date(2025, 12, 31)),
        ("nixos-25.11", date(2026, 6, 30)),
        ("nixos-26.05", date(2026, 12, 31)),
        ("nixos-unstable", None),
    ],
)
def test_a_branch_ends_when_its_release_notes_said(branch: str, end: date | None) -> None:
    assert age.branch_end(branch) == end


@pytest.mark.parametrize(
    ("today", "due"),
    [
        (date(2026, 9, 1), None),
        (date(2026, 11, 14), "the pin is older than 90 days: run `nix flake update`"),
        (date(2026, 11, 17), "nixos-26.05 ends soon: name the next branch"),
        (date(2027, 1, 1), "nixos-26.05 has ended: name the next branch"),
    ],
)
def test_what_is_due(today: date, due: str | None) -> None:
    state, said = age.judged("nixos-26.05", date(2026, 8, 14), today)
    assert state.endswith(f"{(today - date(2026, 8, 14)).days} days old; the branch is supported until 2026-12-31")
    assert (said is None) if due is None else said.startswith(due)


def test_it_reads_the_lock_of_the_flake(capsys: pytest.CaptureFixture[str]) -> None:
    code = age.main()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("nixpkgs nixos-")
    assert (code == 1) == (len(lines) == 2)
