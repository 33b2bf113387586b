"""The flake, evaluated for every system over tests/support/nixpkgs.nix, which stands in for nixpkgs."""

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.checkouts import copied_checkout, without_runs

needs_nix = pytest.mark.skipif(
    not shutil.which("nix-instantiate"), reason="Nix is not installed (Debian has it as nix-bin)"
)


def evaluate(
    folder: Path,
    checkout: Path | None = None,
    *,
    wanted: str = "outputs",
    versions: Mapping[str, str] = {},
    **arguments: str,
) -> "subprocess.CompletedProcess[str]":
    """What is `wanted` of the flake's outputs over the stand-in as JSON; the store is a folder of the test's own.

    `versions` are those of the stand-in's packages: uvVersion, clangVersion and others.

    Without a `checkout` it is a copy of this one, as a flake is of what git tracks: Nix copies a path whole, and other
    tests build below `.lab` meanwhile.
    """
    checkout = checkout or copied_checkout(folder / "checkout", without_runs)
    given = settings(arguments) + f" versions = {{ {settings(versions)} }};"
    places = {f"NIX_{name}_DIR": str(folder / name.lower()) for name in ("STORE", "STATE", "LOG", "CONF")}
    expression = f"let outputs = import {checkout}/tests/support/flake_outputs.nix {{ {given} }}; in {wanted}"
    return subprocess.run(
        ["nix-instantiate", "--eval", "--strict", "--json", "--expr", expression],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | places,
    )


def settings(values: Mapping[str, str]) -> str:
    """Attributes of a set of Nix."""
    return " ".join(f'{name} = "{value}";' for name, value in values.items())
