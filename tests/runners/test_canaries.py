"""The canaries of the native kits: the same assembly in both, so that its times compare across languages."""

import re

import pytest

from bench.base.paths import RUNNERS, manifest
from bench.building.build import load_runners

RUST = RUNNERS / "rust" / "kit" / "src" / "base" / "canary"
CPP = RUNNERS / "cpp" / "kit" / "src" / "measuring" / "canary.cpp"


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def blocks() -> dict[str, list[str]]:
    """The processor in a kernel's name → the lines of assembly below it in the C++ kit."""
    text = CPP.read_text(encoding="utf-8")
    found = re.findall(r'kernel_name = "([\w-]+)/\d+".*?R"\((.*?)\)"', text, re.DOTALL)
    return {processor: lines(block) for processor, block in found}


@pytest.mark.parametrize("processor", ["x86-64", "aarch64"])
def test_rust_and_cpp_hold_the_same_assembly(processor):
    assert blocks()[processor] == lines((RUST / f"{processor}.s").read_text(encoding="utf-8"))


@pytest.mark.parametrize("processor", ["x86-64", "aarch64"])
def test_rust_and_cpp_give_it_the_same_name(processor):
    (name,) = re.findall(rf'"({processor}/\d+)"', CPP.read_text(encoding="utf-8"))
    assert f'"{name}"' in (RUST / "mod.rs").read_text(encoding="utf-8")


def test_the_runners_of_a_language_name_the_same_kernel():
    if not manifest().exists():
        pytest.skip("nothing is built: `./lab build` builds it")
    named: dict[str, set[str | None]] = {}
    for runner in load_runners():
        if not runner.entry.unavailable:
            named.setdefault(runner.description.language, set()).add(runner.description.canary)
    assert all(len(kernels) == 1 and None not in kernels for kernels in named.values()), named
